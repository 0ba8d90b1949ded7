// Types: `decimal(10,2)`, `array<struct<a: int not null>>`, `interval day to second`, column lists.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

namespace {

struct TrivialRow {
  Word word;
  TypeKind kind;
};
constexpr TrivialRow kTrivialTypes[] = {
    {Word::kBoolean, TypeKind::kBoolean},
    {Word::kTinyint, TypeKind::kTinyInt},
    {Word::kByte, TypeKind::kTinyInt},
    {Word::kSmallint, TypeKind::kSmallInt},
    {Word::kShort, TypeKind::kSmallInt},
    {Word::kInt, TypeKind::kInt},
    {Word::kInteger, TypeKind::kInt},
    {Word::kBigint, TypeKind::kBigInt},
    {Word::kLong, TypeKind::kBigInt},
    {Word::kFloat, TypeKind::kFloat},
    {Word::kReal, TypeKind::kFloat},
    {Word::kDouble, TypeKind::kDouble},
    {Word::kDate, TypeKind::kDate},
    {Word::kTimestampLtz, TypeKind::kTimestamp},
    {Word::kTimestampNtz, TypeKind::kTimestampNtz},
    {Word::kBinary, TypeKind::kBinary},
    {Word::kVoid, TypeKind::kVoid},
    {Word::kVariant, TypeKind::kVariant},
};

std::optional<IntervalField> FieldOf(Word word) {
  switch (word) {
    case Word::kYear:
      return IntervalField::kYear;
    case Word::kMonth:
      return IntervalField::kMonth;
    case Word::kDay:
      return IntervalField::kDay;
    case Word::kHour:
      return IntervalField::kHour;
    case Word::kMinute:
      return IntervalField::kMinute;
    case Word::kSecond:
      return IntervalField::kSecond;
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<DataType> StatementParser::Type() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  if (AtAny({Word::kArray, Word::kMap, Word::kStruct})) return ComplexType();
  return PrimitiveType();
}

Result<DataType> StatementParser::ComplexType() {
  const size_t first = at_;
  const Word word = Take().word;
  if (word == Word::kStruct && Accept(Tok::kNotEq)) return DataType::Struct({});
  if (!Accept(Tok::kLt)) {
    constexpr std::string_view kAdvice[3] = {
        "Incomplete complex type: The definition of \"ARRAY\" type is incomplete. You must provide "
        "an element type. For example: \"ARRAY<elementType>\".",
        "Incomplete complex type: The definition of \"MAP\" type is incomplete. You must provide a "
        "key type and a value type. For example: \"MAP<TIMESTAMP, INT>\".",
        "Incomplete complex type: The definition of \"STRUCT\" type is incomplete. You must "
        "provide at least one field type. For example: \"STRUCT<name STRING, phone DECIMAL(10, "
        "0)>\"."};
    const int row = word == Word::kArray ? 0 : word == Word::kMap ? 1 : 2;
    return CheckError("INCOMPLETE_TYPE_DEFINITION." + std::string(WordText(word)), "42K01",
                      kAdvice[row], Span(first));
  }
  DataType type;
  if (word == Word::kArray) {
    ASSIGN_OR_RETURN(DataType element, Type());
    type = DataType::Array(std::move(element));
  } else if (word == Word::kMap) {
    ASSIGN_OR_RETURN(DataType key, Type());
    RETURN_IF_ERROR(Expect(Tok::kComma));
    ASSIGN_OR_RETURN(DataType value, Type());
    type = DataType::Map(std::move(key), std::move(value));
  } else {
    std::vector<StructField> fields;
    if (!At(Tok::kGt)) {
      ASSIGN_OR_RETURN(fields, StructFields());
    }
    type = DataType::Struct(std::move(fields));
  }
  RETURN_IF_ERROR(Expect(Tok::kGt));
  return type;
}

Result<std::vector<StructField>> StatementParser::StructFields() {
  std::vector<StructField> fields;
  do {
    ASSIGN_OR_RETURN(StructField field, ColumnType(true));
    fields.push_back(std::move(field));
  } while (Accept(Tok::kComma));
  return fields;
}

// name [:] type [NOT NULL] [COMMENT 'text'].
Result<StructField> StatementParser::ColumnType(bool colon_allowed) {
  StructField field;
  ASSIGN_OR_RETURN(field.name, CapturingIdentifier());
  if (colon_allowed) Accept(Tok::kColon);
  ASSIGN_OR_RETURN(field.type, Type());
  if (AtNot() && At(Word::kNull, 1)) {
    at_ += 2;
    field.nullable = false;
  }
  if (Accept(Word::kComment)) {
    ASSIGN_OR_RETURN(field.comment, StringLiteral());
  }
  return field;
}

Result<std::vector<int64_t>> StatementParser::OptionalTypeArguments() {
  std::vector<int64_t> arguments;
  if (!Accept(Tok::kLeftParen)) return arguments;
  do {
    ASSIGN_OR_RETURN(int64_t value, IntegerValue());
    arguments.push_back(value);
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return arguments;
}

Result<DataType> StatementParser::PrimitiveType() {
  const size_t first = at_;
  if (!AtIdentifier()) return SyntaxError();
  for (const TrivialRow& row : kTrivialTypes) {
    if (At(row.word) && !At(Tok::kLeftParen, 1)) {
      Take();
      return DataType(row.kind);
    }
  }
  const Token token = Take();
  const auto sized = [&](DataType (*make)(int32_t)) -> Result<DataType> {
    ASSIGN_OR_RETURN(std::vector<int64_t> size, OptionalTypeArguments());
    if (size.size() == 1) return make(static_cast<int32_t>(size[0]));
    const std::string name = "\"" + AsciiUpper(Text(token)) + "\"";
    return CheckError("DATATYPE_MISSING_SIZE", "42K01",
                      "DataType " + name + " requires a length parameter, for example " + name +
                          "(10). Please specify the length.",
                      Span(first));
  };
  switch (token.word) {
    case Word::kString:
      if (!Accept(Word::kCollate)) return DataType(TypeKind::kString);
      {
        ASSIGN_OR_RETURN(Name collation, MultipartIdentifier());
        return DataType::String(AsciiUpper(collation.back()));
      }
    case Word::kChar:
    case Word::kCharacter:
      return sized(DataType::Char);
    case Word::kVarchar:
      return sized(DataType::Varchar);
    case Word::kDecimal:
    case Word::kDec:
    case Word::kNumeric:
      return DecimalType();
    case Word::kInterval:
      return IntervalType();
    case Word::kTimestamp:
      if (AcceptWords({Word::kWithout, Word::kTime, Word::kZone}))
        return DataType(TypeKind::kTimestampNtz);
      return DataType(TypeKind::kTimestamp);
    case Word::kTime: {
      ASSIGN_OR_RETURN(std::vector<int64_t> precision, OptionalTypeArguments());
      AcceptWords({Word::kWithout, Word::kTime, Word::kZone});
      return DataType::Time(precision.empty() ? 6 : static_cast<int32_t>(precision[0]));
    }
    case Word::kGeometry:
    case Word::kGeography:
      if (At(Tok::kLeftParen)) return GeoType(token.word == Word::kGeometry);
      break;
    default:
      break;
  }
  RETURN_IF_ERROR(OptionalTypeArguments());
  const std::string written = AsciiUpper(TextBetween(token.start, LastStop()));
  return CheckError("UNSUPPORTED_DATATYPE", "0A000", "Unsupported data type \"" + written + "\".",
                    Span(first));
}

// (srid) or (ANY).
Result<DataType> StatementParser::GeoType(bool geometry) {
  Take();
  int64_t srid = DataType::kAnySrid;
  if (!Accept(Word::kAny)) {
    ASSIGN_OR_RETURN(srid, IntegerValue());
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return geometry ? DataType::Geometry(static_cast<int32_t>(srid))
                  : DataType::Geography(static_cast<int32_t>(srid));
}

Result<DataType> StatementParser::DecimalType() {
  const size_t first = at_ - 1;
  ASSIGN_OR_RETURN(std::vector<int64_t> arguments, OptionalTypeArguments());
  const int64_t precision = arguments.empty() ? 10 : arguments[0];
  const int64_t scale = arguments.size() > 1 ? arguments[1] : 0;
  if (precision > DataType::kMaxDecimalPrecision) {
    return CheckError(
        "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "22003",
        "Decimal precision " + std::to_string(precision) + " exceeds max precision 38.",
        Span(first));
  }
  if (scale > precision) {
    Error error =
        Error::Make(ErrorCode::kAnalysis,
                    "Decimal scale (" + std::to_string(scale) +
                        ") cannot be greater than precision (" + std::to_string(precision) + ").",
                    "AnalysisException");
    error.condition = "_LEGACY_ERROR_TEMP_1228";
    return Fail(std::move(error));
  }
  return DataType::Decimal(static_cast<int32_t>(precision), static_cast<int32_t>(scale));
}

Result<DataType> StatementParser::IntervalType() {
  const auto start = FieldOf(Peek().word);
  if (!start) return DataType(TypeKind::kCalendarInterval);
  const size_t first = at_ - 1;
  Take();
  auto end = start;
  if (Accept(Word::kTo)) {
    end = FieldOf(Peek().word);
    if (!end) return SyntaxError();
    Take();
  }
  const bool year_month = *start <= IntervalField::kMonth;
  if ((year_month && *end > IntervalField::kMonth) || *end < *start ||
      (*end == *start && at_ - first > 2)) {
    return CheckError("_LEGACY_ERROR_TEMP_0028", "",
                      "Intervals FROM " + std::string(IntervalFieldName(*start)) + " TO " +
                          std::string(IntervalFieldName(*end)) + " are not supported.",
                      Span(first));
  }
  return year_month ? DataType::YearMonthInterval(*start, *end)
                    : DataType::DayTimeInterval(*start, *end);
}

}  // namespace iceblink::sql
