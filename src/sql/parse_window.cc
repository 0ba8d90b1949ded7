// Window specifications and sort orders.
#include <utility>

#include "sql/statement_parser.h"

namespace iceblink::sql {

Result<std::vector<SortItem>> StatementParser::SortItems() {
  std::vector<SortItem> items;
  do {
    SortItem item;
    ASSIGN_OR_RETURN(item.expr, Expression());
    item.descending = At(Word::kDesc);
    if (AtAny({Word::kAsc, Word::kDesc})) Take();
    if (At(Word::kNulls) && AtAny({Word::kFirst, Word::kLast}, 1)) {
      Take();
      item.nulls = Take().word == Word::kFirst ? NullOrder::kFirst : NullOrder::kLast;
    }
    items.push_back(std::move(item));
  } while (Accept(Tok::kComma));
  return items;
}

// name, (name), or (partitioning, ordering, frame).
Result<WindowSpec> StatementParser::Window() {
  WindowSpec spec;
  if (!At(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(spec.reference, CapturingIdentifier());
    return spec;
  }
  if (AtIdentifier(1) && At(Tok::kRightParen, 2)) {
    Take();
    ASSIGN_OR_RETURN(spec.reference, CapturingIdentifier());
    Take();
    return spec;
  }
  Take();
  if (AtAny({Word::kPartition, Word::kDistribute, Word::kCluster}) && At(Word::kBy, 1)) {
    at_ += 2;
    ASSIGN_OR_RETURN(spec.partition_by, Expressions());
  }
  if (AtAny({Word::kOrder, Word::kSort}) && At(Word::kBy, 1)) {
    at_ += 2;
    ASSIGN_OR_RETURN(spec.order_by, SortItems());
  }
  if (AtAny({Word::kRange, Word::kRows})) {
    ASSIGN_OR_RETURN(spec.frame, Frame());
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return spec;
}

Result<WindowFrame> StatementParser::Frame() {
  WindowFrame frame;
  frame.rows = Take().word == Word::kRows;
  if (Accept(Word::kBetween)) {
    ASSIGN_OR_RETURN(frame.start, Bound());
    RETURN_IF_ERROR(Expect(Word::kAnd));
    ASSIGN_OR_RETURN(frame.end, Bound());
    return frame;
  }
  ASSIGN_OR_RETURN(frame.start, Bound());
  return frame;
}

Result<FrameBound> StatementParser::Bound() {
  FrameBound bound;
  if (At(Word::kUnbounded) && AtAny({Word::kPreceding, Word::kFollowing}, 1)) {
    Take();
    bound.kind = Take().word == Word::kPreceding ? FrameBound::Kind::kUnboundedPreceding
                                                 : FrameBound::Kind::kUnboundedFollowing;
    return bound;
  }
  if (AcceptWords({Word::kCurrent, Word::kRow})) return bound;
  ASSIGN_OR_RETURN(bound.offset, Expression());
  if (!AtAny({Word::kPreceding, Word::kFollowing})) return SyntaxError();
  bound.kind =
      Take().word == Word::kPreceding ? FrameBound::Kind::kPreceding : FrameBound::Kind::kFollowing;
  return bound;
}

Result<std::vector<NamedWindow>> StatementParser::NamedWindows() {
  std::vector<NamedWindow> windows;
  do {
    NamedWindow window;
    ASSIGN_OR_RETURN(window.name, CapturingIdentifier());
    RETURN_IF_ERROR(Expect(Word::kAs));
    ASSIGN_OR_RETURN(window.spec, Window());
    windows.push_back(std::move(window));
  } while (Accept(Tok::kComma));
  return windows;
}

}  // namespace iceblink::sql
