// Lowering of casts. A cast that DuckDB does exactly as Spark stays a CAST; the others are calls of
// our own functions, which take the mode (0 ANSI, 1 legacy, 2 try, 3 store assignment) and the
// target column for the message.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/lowering.h"

namespace iceblink::exec {

using plan::CastMode;
using plan::DataType;
using sql::TypeKind;

namespace {

std::string Plain(const std::string& text, const DataType& to) {
  return "CAST(" + text + " AS " + TypeSql(to) + ")";
}

bool SameDuckDbType(const DataType& a, const DataType& b) {
  return ToLogicalType(a) == ToLogicalType(b);
}

int IntegralRank(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt:
      return 1;
    case TypeKind::kSmallInt:
      return 2;
    case TypeKind::kInt:
      return 3;
    case TypeKind::kBigInt:
      return 4;
    default:
      return 0;
  }
}

int IntegralDigits(TypeKind kind) {
  constexpr int kDigits[] = {0, 3, 5, 10, 19};
  return kDigits[IntegralRank(kind)];
}

std::string Spec(const DataType& from, const DataType& to, CastMode mode,
                 const std::string& column) {
  return fmt::format("{}, {}, {}, {}", static_cast<int>(mode), QuoteText(from.SqlString()),
                     QuoteText(to.SqlString()), QuoteText(column));
}

bool IsString(const DataType& type) {
  return type.kind() == TypeKind::kString || type.kind() == TypeKind::kChar ||
         type.kind() == TypeKind::kVarchar;
}

// What one of an interval's field counts in DuckDB's storage: months, or microseconds.
int64_t UnitOf(sql::IntervalField field) {
  switch (field) {
    case sql::IntervalField::kYear:
      return 12;
    case sql::IntervalField::kMonth:
      return 1;
    case sql::IntervalField::kDay:
      return 86'400'000'000;
    case sql::IntervalField::kHour:
      return 3'600'000'000;
    case sql::IntervalField::kMinute:
      return 60'000'000;
    case sql::IntervalField::kSecond:
      return 1'000'000;
  }
  return 1;
}

// An integer's bytes, most significant first.
std::string BigEndian(const std::string& text, const DataType& from) {
  const int digits = 2 << (IntegralRank(from.kind()) - 1);
  return fmt::format("unhex(right(lpad(hex(CAST({} AS BIGINT)), 16, '0'), {}))", text, digits);
}

// Integers, booleans, floats and decimals to an integral type.
std::string ToIntegral(const std::string& text, const DataType& from, const DataType& to,
                       CastMode mode, const std::string& column) {
  if (from.kind() == TypeKind::kBoolean) return Plain(text, to);
  if (from.is_integral() && IntegralRank(from.kind()) <= IntegralRank(to.kind()))
    return Plain(text, to);
  std::string_view name =
      from.kind() == TypeKind::kDecimal ? "ib_decimal_to_integral" : "ib_to_integral";
  std::string value = text;
  if (from.kind() == TypeKind::kFloat) value = "CAST(" + text + " AS DOUBLE)";
  if (from.is_integral()) value = "CAST(" + text + " AS BIGINT)";
  if (from.is_ansi_interval()) {
    const bool months = from.kind() == TypeKind::kYearMonthInterval;
    value = fmt::format("CAST({} // {} AS BIGINT)", months ? "CAST(" + text + " AS BIGINT)" : text,
                        UnitOf(from.end_field()));
  }
  if (from.kind() == TypeKind::kTimestamp) value = "(epoch_us(" + text + ") // 1000000)";
  return Plain(fmt::format("{}({}, {})", name, value, Spec(from, to, mode, column)), to);
}

std::string ToDecimal(const std::string& text, const DataType& from, const DataType& to,
                      CastMode mode, const std::string& column) {
  int integral = to.precision() - to.scale();
  if (from.is_integral() && integral >= IntegralDigits(from.kind())) return Plain(text, to);
  if (from.kind() == TypeKind::kBoolean && integral >= 1) return Plain(text, to);
  if (from.kind() == TypeKind::kDecimal && to.scale() >= from.scale() &&
      integral >= from.precision() - from.scale()) {
    return Plain(text, to);
  }
  std::string value = text;
  if (from.is_integral() || from.kind() == TypeKind::kBoolean)
    value = "CAST(" + text + " AS DECIMAL(38,0))";
  if (from.kind() == TypeKind::kFloat) value = "CAST(ib_to_string(" + text + ") AS DOUBLE)";
  if (from.kind() == TypeKind::kTimestamp)
    value = "CAST(epoch_us(" + text + ") / 1000000.0 AS DOUBLE)";
  return Plain(fmt::format("ib_to_decimal({}, {}, {}, {})", value, to.precision(), to.scale(),
                           Spec(from, to, mode, column)),
               to);
}

}  // namespace

std::string Lowering::ToLocal(const std::string& text) const {
  if (context_.time_zone == "UTC") return "CAST(" + text + " AS TIMESTAMP)";
  return "ib_to_local(" + text + ", " + QuoteText(context_.time_zone) + ")";
}

std::string Lowering::FromLocal(const std::string& text) const {
  if (context_.time_zone == "UTC") return "CAST(" + text + " AS TIMESTAMP WITH TIME ZONE)";
  return "ib_from_local(" + text + ", " + QuoteText(context_.time_zone) + ")";
}

namespace {

// Casts of text, by the target's kind.
std::string FromString(const std::string& text, const DataType& from, const DataType& to,
                       CastMode mode, const std::string& column, const std::string& zone) {
  if (to.kind() == TypeKind::kBinary) return "ib_string_to_binary(" + text + ")";
  const std::string spec = Spec(from, to, mode, column);
  if (to.kind() == TypeKind::kDecimal) {
    return Plain(
        fmt::format("ib_to_decimal({}, {}, {}, {})", text, to.precision(), to.scale(), spec), to);
  }
  static constexpr std::pair<TypeKind, std::string_view> kParsers[] = {
      {TypeKind::kBoolean, "ib_parse_boolean"},
      {TypeKind::kTinyInt, "ib_parse_integral"},
      {TypeKind::kSmallInt, "ib_parse_integral"},
      {TypeKind::kInt, "ib_parse_integral"},
      {TypeKind::kBigInt, "ib_parse_integral"},
      {TypeKind::kFloat, "ib_parse_double"},
      {TypeKind::kDouble, "ib_parse_double"},
      {TypeKind::kDate, "ib_parse_date"},
      {TypeKind::kTimestamp, "ib_parse_timestamp"},
      {TypeKind::kTimestampNtz, "ib_parse_timestamp_ntz"},
      {TypeKind::kTime, "ib_parse_time"},
      {TypeKind::kYearMonthInterval, "ib_parse_ym_interval"},
      {TypeKind::kDayTimeInterval, "ib_parse_dt_interval"}};
  for (const auto& [kind, function] : kParsers) {
    if (kind == to.kind())
      return Plain(fmt::format("{}({}, {}, {})", function, text, spec, zone), to);
  }
  return Plain(text, to);
}

// Numbers as intervals count the type's last field.
std::string ToInterval(const std::string& text, const DataType& to) {
  return Plain(fmt::format("({} * {})", text, UnitOf(to.end_field())), to);
}

}  // namespace

Result<std::string> Lowering::CastText(const std::string& text, const DataType& from,
                                       const DataType& to, CastMode mode,
                                       const std::string& column) {
  if (from.is_void()) return Plain("NULL", to);
  if (from.kind() == to.kind() && SameDuckDbType(from, to)) return text;
  if (to.kind() == TypeKind::kVariant) return Plain(text, to);
  if (from.kind() == TypeKind::kVariant) {
    return mode == CastMode::kTry ? "TRY_CAST(" + text + " AS " + TypeSql(to) + ")"
                                  : Plain(text, to);
  }
  if (from.kind() == TypeKind::kTimestamp) extensions_.core_functions = true;
  if (from.kind() == to.kind() && to.is_nested()) {
    extensions_.core_functions = true;
    if (to.kind() == TypeKind::kArray) return ArrayCast(text, from, to, mode);
    return to.kind() == TypeKind::kMap ? MapCast(text, from, to, mode)
                                       : StructCast(text, from, to, mode);
  }
  if (IsString(from) && IsString(to)) return text;
  if (IsString(from))
    return FromString(text, from, to, mode, column, QuoteText(context_.time_zone));
  if (IsString(to)) return CastToString(text, from);
  if (to.is_integral()) return ToIntegral(text, from, to, mode, column);
  if (to.kind() == TypeKind::kBinary && from.is_integral()) {
    extensions_.core_functions = true;
    return BigEndian(text, from);
  }
  if (to.kind() == TypeKind::kDecimal) return ToDecimal(text, from, to, mode, column);
  return CastToOther(text, from, to);
}

Result<std::string> Lowering::CastToString(const std::string& text, const DataType& from) {
  switch (from.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
    case TypeKind::kDecimal:
      return Plain(text, DataType(TypeKind::kString));
    case TypeKind::kTimestamp:
      return "ib_timestamp_to_string(" + text + ", " + QuoteText(context_.time_zone) + ")";
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return fmt::format("ib_interval_to_string(CAST({} AS BIGINT), {}, {}, {})", text,
                         from.kind() == TypeKind::kYearMonthInterval,
                         static_cast<int>(from.start_field()), static_cast<int>(from.end_field()));
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kStruct:
      extensions_.core_functions = true;
      return NestedToString(text, from);
    default:
      return "ib_to_string(" + text + ")";
  }
}

// Floats, booleans, dates, times and intervals.
std::string Lowering::CastToOther(const std::string& text, const DataType& from,
                                  const DataType& to) const {
  const bool instant = from.kind() == TypeKind::kTimestamp;
  switch (to.kind()) {
    case TypeKind::kFloat:
      return from.kind() == TypeKind::kDouble ? "ib_double_to_float(" + text + ")"
                                              : Plain(text, to);
    case TypeKind::kDouble:
      return instant ? "(CAST(epoch_us(" + text + ") AS DOUBLE) / 1000000)" : Plain(text, to);
    case TypeKind::kBoolean:
      return Plain(text + " <> 0", to);
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestampNtz:
      return Plain(instant ? ToLocal(text) : text, to);
    case TypeKind::kTimestamp:
      if (from.kind() == TypeKind::kTimestampNtz) return FromLocal(text);
      if (from.kind() == TypeKind::kDate) return FromLocal("CAST(" + text + " AS TIMESTAMP)");
      return fmt::format("ib_seconds_to_timestamp(CAST({} AS {}))", text,
                         from.is_integral() ? "BIGINT" : "DOUBLE");
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return from.is_ansi_interval() ? text : ToInterval(text, to);
    default:
      return Plain(text, to);
  }
}

Result<std::string> Lowering::ArrayCast(const std::string& text, const DataType& from,
                                        const DataType& to, CastMode mode) {
  std::string element = FreshName();
  ASSIGN_OR_RETURN(std::string body, CastText(element, from.element(), to.element(), mode));
  return Plain("list_transform(" + text + ", lambda " + element + ": " + body + ")", to);
}

Result<std::string> Lowering::MapCast(const std::string& text, const DataType& from,
                                      const DataType& to, CastMode mode) {
  std::string key = FreshName(), value = FreshName();
  ASSIGN_OR_RETURN(std::string keys, CastText(key, from.key(), to.key(), mode));
  ASSIGN_OR_RETURN(std::string values, CastText(value, from.value(), to.value(), mode));
  return Plain(
      fmt::format(
          "CASE WHEN {0} IS NOT NULL THEN map(list_transform(map_keys({0}), lambda {1}: {2}), "
          "list_transform(map_values({0}), lambda {3}: {4})) END",
          text, key, keys, value, values),
      to);
}

Result<std::string> Lowering::StructCast(const std::string& text, const DataType& from,
                                         const DataType& to, CastMode mode) {
  std::vector<std::string> names = StructNames(to), parts, source = StructNames(from);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string field = fmt::format("struct_extract({}, {})", text, QuoteText(source[i]));
    ASSIGN_OR_RETURN(std::string part,
                     CastText(field, from.fields()[i].type, to.fields()[i].type, mode));
    parts.push_back(QuoteIdentifier(names[i]) + " := " + part);
  }
  return fmt::format("CASE WHEN {} IS NOT NULL THEN struct_pack({}) END", text, Join(parts, ", "));
}

// Spark prints [1, null], {a -> 1} and {1, x}.
Result<std::string> Lowering::NestedToString(const std::string& text, const DataType& from) {
  DataType string(TypeKind::kString);
  if (from.kind() == TypeKind::kArray) {
    std::string element = FreshName();
    ASSIGN_OR_RETURN(std::string body, CastText(element, from.element(), string, CastMode::kAnsi));
    return fmt::format(
        "('[' || ib_join(list_transform({}, lambda {}: coalesce({}, 'null'))) || ']')", text,
        element, body);
  }
  if (from.kind() == TypeKind::kMap) {
    std::string entry = FreshName();
    ASSIGN_OR_RETURN(std::string key,
                     CastText(entry + ".key", from.key(), string, CastMode::kAnsi));
    ASSIGN_OR_RETURN(std::string value,
                     CastText(entry + ".value", from.value(), string, CastMode::kAnsi));
    return fmt::format(
        "('{{' || ib_join(list_transform(map_entries({}), lambda {}: {} || ' -> ' || coalesce({}, "
        "'null'))) "
        "|| '}}')",
        text, entry, key, value);
  }
  std::vector<std::string> names = StructNames(from), parts;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string field = fmt::format("struct_extract({}, {})", text, QuoteText(names[i]));
    ASSIGN_OR_RETURN(std::string part,
                     CastText(field, from.fields()[i].type, string, CastMode::kAnsi));
    parts.push_back("coalesce(" + part + ", 'null')");
  }
  if (parts.empty()) return fmt::format("CASE WHEN {} IS NOT NULL THEN '{{}}' END", text);
  return fmt::format("CASE WHEN {} IS NOT NULL THEN '{{' || {} || '}}' END", text,
                     Join(parts, " || ', ' || "));
}

}  // namespace iceblink::exec
