// Primary expressions: names, calls, the special forms with words between their arguments, parentheses, lambdas, postfixes.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

bool IsDatetimeUnit(Word word) {
  switch (word) {
    case Word::kYear:
    case Word::kQuarter:
    case Word::kMonth:
    case Word::kWeek:
    case Word::kDay:
    case Word::kDayofyear:
    case Word::kHour:
    case Word::kMinute:
    case Word::kSecond:
    case Word::kMillisecond:
    case Word::kMicrosecond:
      return true;
    default:
      return false;
  }
}

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
    } else if (At(Tok::kLeftBracket) && (AtString(1) || At(Tok::kInteger, 1) || AtIdentifier(1)) && At(Tok::kRightBracket, 2)) {
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

// Whether the word stands inside the parenthesis at `open`, outside of inner ones. FROM of IS DISTINCT FROM does not count.
bool StatementParser::HasWordInside(size_t open, Word word) const {
  for (size_t i = open + 1; i < matching_[open]; ++i) {
    if (tokens_[i].kind == Tok::kLeftParen) i = matching_[i];
    if (tokens_[i].word == word && !(word == Word::kFrom && tokens_[i - 1].word == Word::kDistinct)) return true;
  }
  return false;
}

// The forms that are no ordinary call. Nothing when the word is just a name here.
std::optional<Result<ExprPtr>> StatementParser::SpecialForm() {
  const Word word = Peek().word;
  const bool call = At(Tok::kLeftParen, 1);
  switch (word) {
    case Word::kCase:
      if (AtExpressionStart(1) && !At(Word::kFrom, 1) && !At(Tok::kStar, 1)) return CaseExpression();
      return std::nullopt;
    case Word::kCast:
    case Word::kTryCast:
      if (call) return CastExpression(word == Word::kTryCast);
      return std::nullopt;
    case Word::kStruct:
      if (call) return StructExpression();
      return std::nullopt;
    case Word::kCurrentDate:
    case Word::kCurrentTimestamp:
    case Word::kCurrentTime:
    case Word::kCurrentUser:
    case Word::kSessionUser:
    case Word::kUser: {
      if (call || At(Tok::kDot, 1)) return std::nullopt;
      const size_t first = at_;
      const std::string name = AsciiLower(WordText(Take().word));
      const bool user = word == Word::kUser || word == Word::kSessionUser;
      return Make(FunctionCall{{user ? "current_user" : name}}, first);
    }
    case Word::kPosition:
      if (call && HasWordInside(at_ + 1, Word::kIn)) return PositionCall();
      return std::nullopt;
    case Word::kExtract:
      if (call && AtIdentifier(2) && At(Word::kFrom, 3)) return ExtractCall();
      return std::nullopt;
    case Word::kSubstr:
    case Word::kSubstring:
      if (call && HasWordInside(at_ + 1, Word::kFrom)) return SubstringCall();
      return std::nullopt;
    case Word::kTrim:
      if (call && HasWordInside(at_ + 1, Word::kFrom)) return TrimCall();
      return std::nullopt;
    case Word::kOverlay:
      if (call && HasWordInside(at_ + 1, Word::kPlacing)) return OverlayCall();
      return std::nullopt;
    case Word::kTimestampadd:
    case Word::kDateadd:
    case Word::kDateAdd:
      if (call && AtUnitArguments()) return TimestampUnitCall("timestampadd");
      return std::nullopt;
    case Word::kTimestampdiff:
    case Word::kDatediff:
    case Word::kDateDiff:
    case Word::kTimediff:
      if (call && AtUnitArguments()) return TimestampUnitCall("timestampdiff");
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Result<ExprPtr> StatementParser::CaseExpression() {
  const size_t first = at_;
  Take();
  Case node;
  if (!At(Word::kWhen)) {
    ASSIGN_OR_RETURN(node.operand, Expression());
  }
  do {
    RETURN_IF_ERROR(Expect(Word::kWhen));
    WhenClause when;
    ASSIGN_OR_RETURN(when.condition, Expression());
    RETURN_IF_ERROR(Expect(Word::kThen));
    ASSIGN_OR_RETURN(when.result, Expression());
    node.whens.push_back(std::move(when));
  } while (At(Word::kWhen));
  if (Accept(Word::kElse)) {
    ASSIGN_OR_RETURN(node.otherwise, Expression());
  }
  RETURN_IF_ERROR(Expect(Word::kEnd));
  return Make(std::move(node), first);
}

Result<ExprPtr> StatementParser::CastExpression(bool is_try) {
  const size_t first = at_;
  at_ += 2;
  ASSIGN_OR_RETURN(ExprPtr child, Expression());
  RETURN_IF_ERROR(Expect(Word::kAs));
  ASSIGN_OR_RETURN(DataType type, Type());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(Cast{std::move(child), std::move(type), is_try}, first);
}

Result<ExprPtr> StatementParser::StructExpression() {
  const size_t first = at_;
  at_ += 2;
  StructConstructor node;
  if (!At(Tok::kRightParen)) {
    ASSIGN_OR_RETURN(node.fields, NamedExpressions());
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(std::move(node), first);
}

Result<ExprPtr> StatementParser::PositionCall() {
  const size_t first = at_;
  at_ += 2;
  ASSIGN_OR_RETURN(ExprPtr substring, ValueExpression());
  RETURN_IF_ERROR(Expect(Word::kIn));
  ASSIGN_OR_RETURN(ExprPtr text, ValueExpression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(FunctionCall{{"locate"}, {{"", std::move(substring)}, {"", std::move(text)}}}, first);
}

Result<ExprPtr> StatementParser::ExtractCall() {
  const size_t first = at_;
  at_ += 2;
  ASSIGN_OR_RETURN(std::string field, Identifier());
  Take();  // FROM
  ASSIGN_OR_RETURN(ExprPtr source, ValueExpression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(Extract{std::move(field), std::move(source)}, first);
}

Result<ExprPtr> StatementParser::SubstringCall() {
  const size_t first = at_;
  at_ += 2;
  ASSIGN_OR_RETURN(ExprPtr text, ValueExpression());
  RETURN_IF_ERROR(Expect(Word::kFrom));
  FunctionCall call{{"substring"}, {{"", std::move(text)}}};
  ASSIGN_OR_RETURN(ExprPtr position, ValueExpression());
  call.args.push_back({"", std::move(position)});
  if (Accept(Word::kFor) || Accept(Tok::kComma)) {
    ASSIGN_OR_RETURN(ExprPtr length, ValueExpression());
    call.args.push_back({"", std::move(length)});
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(std::move(call), first);
}

Result<ExprPtr> StatementParser::TrimCall() {
  const size_t first = at_;
  at_ += 2;
  Trim trim;
  if (AtAny({Word::kBoth, Word::kLeading, Word::kTrailing}) && AtExpressionStart(1)) {
    const Word word = Take().word;
    trim.side = word == Word::kBoth ? TrimSide::kBoth : word == Word::kLeading ? TrimSide::kLeading : TrimSide::kTrailing;
  }
  if (!(At(Word::kFrom) && AtExpressionStart(1))) {
    ASSIGN_OR_RETURN(trim.characters, ValueExpression());
  }
  RETURN_IF_ERROR(Expect(Word::kFrom));
  ASSIGN_OR_RETURN(trim.source, ValueExpression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(std::move(trim), first);
}

Result<ExprPtr> StatementParser::OverlayCall() {
  const size_t first = at_;
  at_ += 2;
  Overlay overlay;
  ASSIGN_OR_RETURN(overlay.input, ValueExpression());
  RETURN_IF_ERROR(Expect(Word::kPlacing));
  ASSIGN_OR_RETURN(overlay.replacement, ValueExpression());
  RETURN_IF_ERROR(Expect(Word::kFrom));
  ASSIGN_OR_RETURN(overlay.position, ValueExpression());
  if (Accept(Word::kFor)) {
    ASSIGN_OR_RETURN(overlay.length, ValueExpression());
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(std::move(overlay), first);
}

// Whether three arguments follow of which the first is a unit: DATE_ADD(d, 1) is an ordinary call.
bool StatementParser::AtUnitArguments() const {
  if (!(IsDatetimeUnit(Peek(2).word) || AtString(2)) || !At(Tok::kComma, 3)) return false;
  int commas = 0;
  for (size_t i = at_ + 2; i < matching_[at_ + 1]; ++i) {
    if (tokens_[i].kind == Tok::kLeftParen) i = matching_[i];
    if (tokens_[i].kind == Tok::kComma) ++commas;
  }
  return commas == 2;
}

// TIMESTAMPADD(DAY, n, t), TIMESTAMPDIFF(DAY, a, b) and their other names.
Result<ExprPtr> StatementParser::TimestampUnitCall(std::string name) {
  const size_t first = at_;
  const std::string written(Text(Peek()));
  at_ += 2;
  const Token unit = Take();
  if (!IsDatetimeUnit(unit.word)) {
    const std::string function = "`" + AsciiLower(written) + "`";
    return CheckError("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "22023",
                      "The value of parameter(s) `unit` in " + function +
                          " is invalid: expects one of the units without quotes YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, "
                          "HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, but got the string literal " +
                          std::string(Text(unit)) + ".",
                      Span(first));
  }
  FunctionCall call{{std::move(name)}};
  call.args.push_back({"", Make(Literal{std::string(WordText(unit.word)), TypeKind::kString}, at_ - 1)});
  Take();  // ,
  ASSIGN_OR_RETURN(ExprPtr amount, ValueExpression());
  call.args.push_back({"", std::move(amount)});
  RETURN_IF_ERROR(Expect(Tok::kComma));
  ASSIGN_OR_RETURN(ExprPtr timestamp, ValueExpression());
  call.args.push_back({"", std::move(timestamp)});
  RETURN_IF_ERROR(Expect(Tok::kRightParen, true));
  return Make(std::move(call), first);
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
  const bool quantifier = AtAny({Word::kDistinct, Word::kAll}) && AtExpressionStart(1) && !At(Tok::kLeftParen, 1);
  if (quantifier || (At(Word::kDistinct) && At(Tok::kLeftParen, 1))) call.distinct = Take().word == Word::kDistinct;
  do {
    ASSIGN_OR_RETURN(Argument argument, FunctionArgument());
    call.args.push_back(std::move(argument));
  } while (Accept(Tok::kComma));
  const Word name = tokens_[open - 1].word;
  if (name == Word::kFirst || name == Word::kLast || name == Word::kAnyValue) {
    if (AcceptWords({Word::kIgnore, Word::kNulls})) call.nulls = NullTreatment::kIgnoreNulls;
  }
  if (Accept(Tok::kRightParen)) return {};
  // `name (word` and a failure at once: ANTLR falls back to the name as a column, so the parenthesis is what offends.
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
    call.nulls = Take().word == Word::kIgnore ? NullTreatment::kIgnoreNulls : NullTreatment::kRespectNulls;
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

// Tells a query from an expression by its first words; inside more parentheses, by what follows the inner ones.
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
        if (after.kind != Tok::kRightParen && after.kind != Tok::kEnd && after.kind != Tok::kPipeOperator) return false;
    }
    ++index;
  }
  const Token& next = tokens_[std::min(index + 1, tokens_.size() - 1)];
  const bool name_next = next.kind == Tok::kWord || next.kind == Tok::kBackquoted;
  const bool value_next = name_next || (next.kind >= Tok::kString && next.kind <= Tok::kBigDecimal) ||
                          next.kind == Tok::kLeftParen || next.kind == Tok::kMinus || next.kind == Tok::kStar ||
                          next.kind == Tok::kHintStart || next.kind == Tok::kColon || next.kind == Tok::kQuestion;
  switch (tokens_[index].word) {
    case Word::kSelect:
    case Word::kValues:
      return value_next || next.kind == Tok::kTilde || next.kind == Tok::kPlus || next.kind == Tok::kBang;
    case Word::kWith:
    case Word::kFrom:
    case Word::kTable:
      return name_next || (next.kind == Tok::kLeftParen && tokens_[index].word == Word::kFrom);
    default:
      return false;
  }
}

}  // namespace iceblink::sql
