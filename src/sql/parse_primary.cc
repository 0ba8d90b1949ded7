// Primary expressions: names, calls, parentheses, lambdas, postfixes.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

Result<ExprPtr> StatementParser::Primary() {
  const size_t first = at_;
  ASSIGN_OR_RETURN(ExprPtr base, PrimaryBase());
  return Postfix(std::move(base), first);
}

Result<ExprPtr> StatementParser::PrimaryBase() {
  if (At(Tok::kLeftParen)) return Parenthesized();
  if (At(Tok::kStar)) {
    const size_t first = at_;
    ASSIGN_OR_RETURN(Star star, StarTail({}));
    return Make(std::move(star), first);
  }
  if (AtIdentifier() && At(Tok::kArrow, 1)) return LambdaExpression();
  if (auto form = SpecialForm()) return *std::move(form);
  if (auto constant = Constant()) return *std::move(constant);
  if (AtIdentifier()) return NameOrCall();
  return SyntaxError();
}

// Field access, subscripts, casts and paths bind from the left.
Result<ExprPtr> StatementParser::Postfix(ExprPtr base, size_t first) {
  while (true) {
    if (base->depth > kMaxDepth) return TooComplex();
    if (At(Tok::kDot) && AtIdentifier(1)) {
      Take();
      ASSIGN_OR_RETURN(std::string field, Identifier());
      if (const auto* column = base->As<NamedColumn>()) {  // (a).b is a.b
        Name parts = column->parts;
        parts.push_back(std::move(field));
        base = Make(NamedColumn{std::move(parts)}, first);
      } else {
        base = Make(FieldAccess{std::move(base), std::move(field)}, first);
      }
    } else if (Accept(Tok::kLeftBracket)) {
      ASSIGN_OR_RETURN(auto nested, Nest());
      ASSIGN_OR_RETURN(ExprPtr index, ValueExpression());
      RETURN_IF_ERROR(Expect(Tok::kRightBracket));
      base = Make(Subscript{std::move(base), std::move(index)}, first);
    } else if (Accept(Tok::kDoubleColon)) {
      ASSIGN_OR_RETURN(DataType type, Type());
      base = Make(Cast{std::move(base), std::move(type), false}, first);
    } else if (At(Word::kCollate) && AtIdentifier(1)) {
      Take();
      ASSIGN_OR_RETURN(Name collation, MultipartIdentifier());
      base = Make(Collate{std::move(base), std::move(collation)}, first);
    } else if (At(Tok::kColon) && (AtIdentifier(1) || At(Tok::kLeftBracket, 1))) {
      ASSIGN_OR_RETURN(base, VariantPathTail(std::move(base), first));
    } else {
      return base;
    }
  }
}

// v:a.b['c'][0]: the path's text is kept as written.
Result<ExprPtr> StatementParser::VariantPathTail(ExprPtr base, size_t first) {
  Take();  // :
  const int32_t start = Peek().start;
  if (AtIdentifier()) Take();
  while (true) {
    if (At(Tok::kDot) && AtIdentifier(1)) {
      at_ += 2;
    } else if (At(Tok::kLeftBracket) && (AtString(1) || At(Tok::kInteger, 1) || AtIdentifier(1)) &&
               At(Tok::kRightBracket, 2)) {
      at_ += 3;
    } else {
      break;
    }
  }
  return Make(VariantPath{std::move(base), std::string(TextBetween(start, LastStop()))}, first);
}

Result<Star> StatementParser::StarTail(Name qualifier) {
  Take();  // *
  Star star{std::move(qualifier), {}};
  if (At(Word::kExcept) && At(Tok::kLeftParen, 1) && !AtQuery(at_ + 2)) {
    at_ += 2;
    ASSIGN_OR_RETURN(star.except, MultipartIdentifierList());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  return star;
}

// a.b.c, a.b.*, a.b(...).
Result<ExprPtr> StatementParser::NameOrCall() {
  const size_t first = at_;
  Name name;
  if (At(Word::kIdentifier) && At(Tok::kLeftParen, 1)) {
    ASSIGN_OR_RETURN(name, IdentifierFunction());
  } else {
    ASSIGN_OR_RETURN(std::string part, Identifier());
    name.push_back(std::move(part));
  }
  while (At(Tok::kDot)) {
    if (At(Tok::kStar, 1)) {
      Take();
      ASSIGN_OR_RETURN(Star star, StarTail(std::move(name)));
      return Make(std::move(star), first);
    }
    if (!AtIdentifier(1)) break;
    Take();
    ASSIGN_OR_RETURN(std::string part, Identifier());
    name.push_back(std::move(part));
    if (name.size() > kMaxDepth) return TooComplex();
  }
  if (At(Tok::kLeftParen)) return CallTail(std::move(name), first);
  return Make(NamedColumn{std::move(name)}, first);
}

Result<ExprPtr> StatementParser::CallTail(Name name, size_t first) {
  ASSIGN_OR_RETURN(auto nested, Nest());
  FunctionCall call{std::move(name)};
  const size_t open = at_;
  RETURN_IF_ERROR(CallArguments(call, open));
  RETURN_IF_ERROR(CallSuffix(call));
  return Make(std::move(call), first);
}

Status StatementParser::CallArguments(FunctionCall& call, size_t open) {
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  if (Accept(Tok::kRightParen)) return {};
  const bool quantifier =
      AtAny({Word::kDistinct, Word::kAll}) && AtExpressionStart(1) && !At(Tok::kLeftParen, 1);
  if (quantifier || (At(Word::kDistinct) && At(Tok::kLeftParen, 1)))
    call.distinct = Take().word == Word::kDistinct;
  do {
    ASSIGN_OR_RETURN(Argument argument, FunctionArgument());
    call.args.push_back(std::move(argument));
  } while (Accept(Tok::kComma));
  const Word name = tokens_[open - 1].word;
  if (name == Word::kFirst || name == Word::kLast || name == Word::kAnyValue) {
    if (AcceptWords({Word::kIgnore, Word::kNulls})) call.nulls = NullTreatment::kIgnoreNulls;
  }
  if (Accept(Tok::kRightParen)) return {};
  // `name (word` and a failure at once: ANTLR falls back to the name as a column, so the
  // parenthesis is what offends.
  if (at_ == open + 2 && AtIdentifier() && AtIdentifier(1)) return SyntaxError(tokens_[open]);
  return Expect(Tok::kRightParen, AtEnd() || AtIdentifier());
}

Result<Argument> StatementParser::FunctionArgument() {
  Argument argument;
  if (AtIdentifier() && At(Tok::kFatArrow, 1)) {
    ASSIGN_OR_RETURN(argument.name, Identifier());
    Take();
  }
  ASSIGN_OR_RETURN(argument.expr, Expression());
  return argument;
}

// WITHIN GROUP, FILTER, IGNORE NULLS and OVER after the arguments.
Status StatementParser::CallSuffix(FunctionCall& call) {
  if (At(Word::kWithin) && At(Word::kGroup, 1)) {
    at_ += 2;
    RETURN_IF_ERROR(Expect(Tok::kLeftParen));
    RETURN_IF_ERROR(ExpectWords({Word::kOrder, Word::kBy}));
    ASSIGN_OR_RETURN(call.within_group, SortItems());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  if (At(Word::kFilter) && At(Tok::kLeftParen, 1) && At(Word::kWhere, 2)) {
    at_ += 3;
    ASSIGN_OR_RETURN(call.filter, Expression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  if (AtAny({Word::kIgnore, Word::kRespect}) && At(Word::kNulls, 1)) {
    call.nulls =
        Take().word == Word::kIgnore ? NullTreatment::kIgnoreNulls : NullTreatment::kRespectNulls;
    Take();
  }
  if (At(Word::kOver) && (At(Tok::kLeftParen, 1) || AtIdentifier(1))) {
    Take();
    ASSIGN_OR_RETURN(call.window, Window());
  }
  return {};
}

Result<ExprPtr> StatementParser::LambdaExpression() {
  const size_t first = at_;
  Lambda lambda;
  if (Accept(Tok::kLeftParen)) {
    do {
      ASSIGN_OR_RETURN(std::string parameter, Identifier());
      lambda.parameters.push_back(std::move(parameter));
    } while (Accept(Tok::kComma));
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  } else {
    ASSIGN_OR_RETURN(std::string parameter, Identifier());
    lambda.parameters.push_back(std::move(parameter));
  }
  RETURN_IF_ERROR(Expect(Tok::kArrow));
  ASSIGN_OR_RETURN(lambda.body, Expression());
  return Make(std::move(lambda), first);
}

// (query), (a, b), (x, y) -> body, (expression).
Result<ExprPtr> StatementParser::Parenthesized() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  const size_t first = at_;
  if (tokens_[AfterMatching(at_)].kind == Tok::kArrow) return LambdaExpression();
  Take();
  if (AtQuery(at_)) {
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return Make(ScalarSubquery{std::move(query)}, first);
  }
  ASSIGN_OR_RETURN(std::vector<NamedExpr> items, NamedExpressions());
  const bool named = !items[0].alias.empty() || !items[0].aliases.empty();
  if (!Accept(Tok::kRightParen) || (items.size() == 1 && named)) return SyntaxError();
  if (items.size() == 1) return std::move(items[0].expr);
  return Make(StructConstructor{std::move(items)}, first);
}

// Tells a query from an expression by its first words; inside more parentheses, by what follows the
// inner ones.
bool StatementParser::AtQuery(size_t index) const {
  while (tokens_[index].kind == Tok::kLeftParen) {
    const Token& after = tokens_[AfterMatching(index)];
    switch (after.word) {
      case Word::kUnion:
      case Word::kExcept:
      case Word::kMinus:
      case Word::kIntersect:
      case Word::kOrder:
      case Word::kSort:
      case Word::kCluster:
      case Word::kDistribute:
      case Word::kLimit:
      case Word::kOffset:
        break;
      default:
        if (after.kind != Tok::kRightParen && after.kind != Tok::kEnd &&
            after.kind != Tok::kPipeOperator)
          return false;
    }
    ++index;
  }
  const Token& next = tokens_[std::min(index + 1, tokens_.size() - 1)];
  const bool name_next = next.kind == Tok::kWord || next.kind == Tok::kBackquoted;
  const bool value_next =
      name_next || (next.kind >= Tok::kString && next.kind <= Tok::kBigDecimal) ||
      next.kind == Tok::kLeftParen || next.kind == Tok::kMinus || next.kind == Tok::kStar ||
      next.kind == Tok::kHintStart || next.kind == Tok::kColon || next.kind == Tok::kQuestion;
  switch (tokens_[index].word) {
    case Word::kSelect:
    case Word::kValues:
      return value_next || next.kind == Tok::kTilde || next.kind == Tok::kPlus ||
             next.kind == Tok::kBang;
    case Word::kWith:
    case Word::kFrom:
    case Word::kTable:
      return name_next || (next.kind == Tok::kLeftParen && tokens_[index].word == Word::kFrom);
    default:
      return false;
  }
}

}  // namespace iceblink::sql
