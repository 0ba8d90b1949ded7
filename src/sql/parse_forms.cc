// The calls with words between their arguments: CASE, CAST, EXTRACT, POSITION, SUBSTRING, TRIM,
// OVERLAY, TIMESTAMPADD.
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

// Whether the word stands inside the parenthesis at `open`, outside of inner ones. FROM of IS
// DISTINCT FROM does not count.
bool StatementParser::HasWordInside(size_t open, Word word) const {
  for (size_t i = open + 1; i < matching_[open]; ++i) {
    if (tokens_[i].kind == Tok::kLeftParen) i = matching_[i];
    if (tokens_[i].word == word && !(word == Word::kFrom && tokens_[i - 1].word == Word::kDistinct))
      return true;
  }
  return false;
}

// The forms that are no ordinary call. Nothing when the word is just a name here.
std::optional<Result<ExprPtr>> StatementParser::SpecialForm() {
  const Word word = Peek().word;
  const bool call = At(Tok::kLeftParen, 1);
  switch (word) {
    case Word::kCase:
      if (AtExpressionStart(1) && !At(Word::kFrom, 1) && !At(Tok::kStar, 1))
        return CaseExpression();
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
    trim.side = word == Word::kBoth      ? TrimSide::kBoth
                : word == Word::kLeading ? TrimSide::kLeading
                                         : TrimSide::kTrailing;
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
    return CheckError(
        "INVALID_PARAMETER_VALUE.DATETIME_UNIT", "22023",
        "The value of parameter(s) `unit` in " + function +
            " is invalid: expects one of the units without quotes YEAR, QUARTER, MONTH, WEEK, DAY, "
            "DAYOFYEAR, "
            "HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, but got the string literal " +
            std::string(Text(unit)) + ".",
        Span(first));
  }
  FunctionCall call{{std::move(name)}};
  call.args.push_back(
      {"", Make(Literal{std::string(WordText(unit.word)), TypeKind::kString}, at_ - 1)});
  Take();  // ,
  ASSIGN_OR_RETURN(ExprPtr amount, ValueExpression());
  call.args.push_back({"", std::move(amount)});
  RETURN_IF_ERROR(Expect(Tok::kComma));
  ASSIGN_OR_RETURN(ExprPtr timestamp, ValueExpression());
  call.args.push_back({"", std::move(timestamp)});
  RETURN_IF_ERROR(Expect(Tok::kRightParen, true));
  return Make(std::move(call), first);
}

}  // namespace iceblink::sql
