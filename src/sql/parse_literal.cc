// Constants: numbers, strings, typed literals, parameters.
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "sql/datetime_text.h"
#include "sql/interval_text.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

namespace {

struct RangeRow {
  Tok kind;
  std::string_view type;
  int64_t low;
  int64_t high;
};
constexpr RangeRow kRanges[] = {
    {Tok::kTinyInt, "tinyint", -128, 127},
    {Tok::kSmallInt, "smallint", -32768, 32767},
    {Tok::kBigInt, "bigint", std::numeric_limits<int64_t>::min(),
     std::numeric_limits<int64_t>::max()},
};

// The smallest decimal type of the value: 0.05 is decimal(2,2).
Literal DecimalLiteral(Decimal value) {
  if (value.scale < 0) value = Rescale(value, 0, Rounding::kUnnecessary).value_or(value);
  const int32_t precision = std::max(DecimalPrecision(value.unscaled), value.scale);
  return Literal{value, DataType::Decimal(precision, value.scale)};
}

}  // namespace

// Nothing when the cursor is not at a constant. Signs belong to numbers.
std::optional<Result<ExprPtr>> StatementParser::Constant() {
  const size_t first = at_;
  if (AtNumber() || (At(Tok::kMinus) && AtNumber(1))) return NumberLiteral();
  if (At(Tok::kQuestion) || (At(Tok::kColon) && AtIdentifier(1))) return ParameterMarker();
  if (AtString()) {
    Result<std::string> text = StringLiteral();
    if (!text) return tl::unexpected<Error>(text.error());
    return Make(Literal{*std::move(text), TypeKind::kString}, first);
  }
  if (At(Tok::kWord) && AtInterval()) return IntervalExpression();
  if (At(Tok::kWord) && AtString(1) && !At(Tok::kDot, 2)) return TypedLiteral();
  if (At(Tok::kDot, 1) || At(Tok::kLeftParen, 1)) return std::nullopt;
  if (Accept(Word::kNull)) return Make(Literal{Value(), TypeKind::kVoid}, first);
  if (Accept(Word::kTrue)) return Make(Literal{Value(true), TypeKind::kBoolean}, first);
  if (Accept(Word::kFalse)) return Make(Literal{Value(false), TypeKind::kBoolean}, first);
  return std::nullopt;
}

Result<ExprPtr> StatementParser::ConstantOnly() {
  if (auto constant = Constant()) return *std::move(constant);
  return SyntaxError();
}

Result<ExprPtr> StatementParser::ParameterMarker() {
  const size_t first = at_;
  if (Take().kind == Tok::kQuestion) return Make(Parameter{"", parameters_++}, first);
  ASSIGN_OR_RETURN(std::string name, Identifier());
  return Make(Parameter{std::move(name), 0}, first);
}

Result<ExprPtr> StatementParser::NumberLiteral() {
  const size_t first = at_;
  std::string digits = Accept(Tok::kMinus) ? "-" : "";
  const Token token = Take();
  digits += Text(token);
  const auto out_of_range = [&](std::string_view type, const std::string& low,
                                const std::string& high) {
    return CheckError("INVALID_NUMERIC_LITERAL_RANGE", "22003",
                      "Numeric literal " + digits + " is outside the valid range for " +
                          std::string(type) + " with minimum value of " + low +
                          " and maximum value of " + high +
                          ". Please adjust the value accordingly.",
                      Span(first));
  };
  const size_t suffix =
      token.kind == Tok::kBigDecimal ? 2
      : token.kind == Tok::kInteger || token.kind == Tok::kExponent || token.kind == Tok::kDecimal
          ? 0
          : 1;
  digits.resize(digits.size() - suffix);
  for (const RangeRow& row : kRanges) {
    if (row.kind != token.kind) continue;
    const auto value = ParseInt64(digits);
    if (!value || *value < row.low || *value > row.high)
      return out_of_range(row.type, std::to_string(row.low), std::to_string(row.high));
    if (row.kind == Tok::kBigInt) return Make(Literal{*value, TypeKind::kBigInt}, first);
    const TypeKind kind = row.kind == Tok::kTinyInt ? TypeKind::kTinyInt : TypeKind::kSmallInt;
    return Make(Literal{static_cast<int32_t>(*value), kind}, first);
  }
  if (token.kind == Tok::kInteger) {
    if (const auto value = ParseInt32(digits)) return Make(Literal{*value, TypeKind::kInt}, first);
    if (const auto value = ParseInt64(digits))
      return Make(Literal{*value, TypeKind::kBigInt}, first);
  }
  if (token.kind == Tok::kExponent || token.kind == Tok::kDouble || token.kind == Tok::kFloat) {
    const double value = std::strtod(digits.c_str(), nullptr);
    if (token.kind == Tok::kFloat) {
      const float narrow = std::strtof(digits.c_str(), nullptr);
      if (std::isinf(narrow))
        return out_of_range("float", "-3.4028234663852886E+38", "3.4028234663852886E+38");
      return Make(Literal{narrow, TypeKind::kFloat}, first);
    }
    if (std::isinf(value))
      return out_of_range("double", "-1.7976931348623157E+308", "1.7976931348623157E+308");
    return Make(Literal{value, TypeKind::kDouble}, first);
  }
  if (digits.back() == '.') digits.pop_back();
  const size_t sign = digits[0] == '-' ? 1 : 0;
  if (digits[sign] == '.') digits.insert(sign, "0");
  const auto decimal = ParseDecimal(digits);
  if (!decimal) {
    const int64_t precision =
        std::count_if(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    return CheckError(
        "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "22003",
        "Decimal precision " + std::to_string(precision) + " exceeds max precision 38.",
        Span(first));
  }
  return Make(DecimalLiteral(*decimal), first);
}

// DATE '...', TIMESTAMP '...', TIMESTAMP_NTZ '...', TIME '...', INTERVAL '...', X'...'.
Result<ExprPtr> StatementParser::TypedLiteral() {
  const size_t first = at_;
  const Token type = Take();
  const std::string text = UnescapeString(Text(Take()));
  const auto invalid = [&] {
    return CheckError("INVALID_TYPED_LITERAL", "42604",
                      "The value of the typed literal \"" + AsciiUpper(Text(type)) +
                          "\" is invalid: '" + text + "'.",
                      Span(first));
  };
  switch (type.word) {
    case Word::kX: {
      const auto bytes = HexDecode(text.size() % 2 == 1 ? "0" + text : text);
      if (!bytes) return invalid();
      return Make(Literal{Bytes{*bytes}, TypeKind::kBinary}, first);
    }
    case Word::kDate: {
      if (const std::string special = SpecialDatetime(text); !special.empty()) {
        return Make(DatetimeLiteral{TypeKind::kDate, text, special}, first);
      }
      const auto days = ParseDateText(text);
      if (!days) return invalid();
      return Make(Literal{*days, TypeKind::kDate}, first);
    }
    case Word::kTimestamp:
    case Word::kTimestampLtz:
    case Word::kTimestampNtz: {
      const TypeKind kind =
          type.word == Word::kTimestampNtz ? TypeKind::kTimestampNtz : TypeKind::kTimestamp;
      if (std::string special = SpecialDatetime(text); !special.empty()) {
        return Make(DatetimeLiteral{kind, text, std::move(special)}, first);
      }
      const auto parsed = ParseTimestampText(text);
      if (!parsed) return invalid();
      if (kind == TypeKind::kTimestampNtz) return Make(Literal{parsed->local_micros, kind}, first);
      return Make(DatetimeLiteral{kind, text, "", parsed->local_micros, parsed->zone}, first);
    }
    case Word::kTime: {
      const auto micros = ParseTimeText(text);
      if (!micros) return invalid();
      return Make(Literal{*micros, DataType::Time(6)}, first);
    }
    case Word::kInterval: {
      const auto literal = ParseIntervalText(text);
      if (!literal) return invalid();
      return Make(*literal, first);
    }
    default:
      return CheckError("UNSUPPORTED_TYPED_LITERAL", "0A000",
                        "Literals of the type \"" + AsciiUpper(Text(type)) +
                            "\" are not supported. Supported types are \"DATE\", "
                            "\"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", "
                            "\"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\".",
                        Span(first));
  }
}

// INTERVAL followed by something that is a quantity and a unit, or a unit-to-unit quantity.
bool StatementParser::AtInterval() const {
  if (!At(Word::kInterval)) return false;
  const size_t value = AtAny({Tok::kPlus, Tok::kMinus}, 1) ? 2 : 1;
  return (AtString(value) || At(Tok::kInteger, value) || At(Tok::kDecimal, value)) &&
         IntervalUnit(WordText(Peek(value + 1).word)).has_value();
}

Result<ExprPtr> StatementParser::IntervalExpression() {
  const size_t first = at_;
  Take();
  const size_t value = AtAny({Tok::kPlus, Tok::kMinus}) ? 1 : 0;
  const bool unit_to_unit = At(Word::kTo, value + 2);
  ASSIGN_OR_RETURN(Literal literal,
                   unit_to_unit ? UnitToUnitInterval(first) : MultiUnitInterval(first));
  return Make(std::move(literal), first);
}

// 1 DAY 2 HOURS, '1.5' SECOND, -3 WEEKS.
Result<Literal> StatementParser::MultiUnitInterval(size_t first) {
  std::vector<IntervalPart> parts;
  while (true) {
    const size_t value = AtAny({Tok::kPlus, Tok::kMinus}) ? 1 : 0;
    const bool quantity = AtString(value) || At(Tok::kInteger, value) || At(Tok::kDecimal, value);
    if (!quantity || !IntervalUnit(WordText(Peek(value + 1).word))) break;
    IntervalPart part;
    part.negative = value == 1 && Take().kind == Tok::kMinus;
    part.quantity = AtString() ? std::string(iceblink::Trim(UnescapeString(Text(Peek()))))
                               : std::string(Text(Peek()));
    Take();
    part.unit = AsciiLower(WordText(Take().word));
    parts.push_back(std::move(part));
  }
  Result<Literal> literal = MakeInterval(parts);
  if (literal) return literal;
  if (literal.error().condition == kMixedIntervalUnits) {
    Error error = Error::Make(ErrorCode::kSyntax,
                              "Cannot mix year-month and day-time fields: " +
                                  std::string(TextBetween(tokens_[first].start, LastStop())),
                              "ParseException");
    error.condition = "_LEGACY_ERROR_TEMP_0029";
    return Fail(std::move(error));
  }
  return CheckError("INVALID_INTERVAL_FORMAT.INVALID_VALUE", "22006", literal.error().message,
                    Span(first));
}

// '1-2' YEAR TO MONTH, '1 02:03:04' DAY TO SECOND.
Result<Literal> StatementParser::UnitToUnitInterval(size_t first) {
  const bool negative = AtAny({Tok::kPlus, Tok::kMinus}) && Take().kind == Tok::kMinus;
  if (!AtString()) {
    Take();
    return CheckError("INVALID_INTERVAL_FORMAT.INVALID_VALUE", "22006",
                      "Error parsing '" +
                          std::string(TextBetween(tokens_[first].start, LastStop())) +
                          "' to interval. Please ensure that the value provided is in a valid "
                          "format for defining an interval. "
                          "You can reference the documentation for the correct format. The value "
                          "of from-to unit must be a string.",
                      Span(first));
  }
  const std::string text = UnescapeString(Text(Take()));
  const std::string from = AsciiLower(WordText(Take().word));
  Take();  // TO
  if (!At(Tok::kWord)) return SyntaxError();
  const std::string to = AsciiLower(WordText(Take().word));
  Result<Literal> literal = ParseUnitToUnit(text, negative, from, to);
  if (!literal) {
    return CheckError(
        "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION", "22006",
        "Error parsing '" + text +
            "' to interval. Please ensure that the value provided is in a valid format for "
            "defining an interval. You can reference the documentation for the correct format. " +
            literal.error().message,
        Span(first));
  }
  return literal;
}

}  // namespace iceblink::sql
