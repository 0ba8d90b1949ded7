// Values and names as DuckDB SQL text.
#include <fmt/format.h>

#include <cmath>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "exec/duckdb_types.h"

namespace iceblink::exec {

using sql::DataType;
using sql::TypeKind;

std::string QuoteIdentifier(std::string_view name) {
  return "\"" + ReplaceAll(name, "\"", "\"\"") + "\"";
}
std::string QuoteText(std::string_view text) { return "'" + ReplaceAll(text, "'", "''") + "'"; }

std::string VariantTextSql(const std::string& text) {
  return "CASE WHEN " + text + " IS NOT NULL THEN CAST(CAST(" + text + " AS JSON) AS VARCHAR) END";
}

std::string VariantBinarySql(const std::string& variant) {
  return "CASE WHEN " + variant + " IS NOT NULL THEN ib_variant_binary(" + variant + ") END";
}

namespace {

std::string BlobSql(std::string_view bytes) {
  std::string out = "'";
  for (unsigned char c : bytes) out += fmt::format("\\x{:02X}", c);
  return out + "'::BLOB";
}

std::string NestedSql(const Value& value, const DataType& type) {
  std::string out;
  if (type.kind() == TypeKind::kArray) {
    std::vector<std::string> parts;
    for (const Value& v : value.elements()) parts.push_back(LiteralSql(v, type.element()));
    return "[" + Join(parts, ", ") + "]";
  }
  if (type.kind() == TypeKind::kMap) {
    std::vector<std::string> keys, values;
    for (const auto& [k, v] : value.entries()) {
      keys.push_back(LiteralSql(k, type.key()));
      values.push_back(LiteralSql(v, type.value()));
    }
    return "map([" + Join(keys, ", ") + "], [" + Join(values, ", ") + "])";
  }
  std::vector<std::string> names = StructNames(type), parts;
  for (size_t i = 0; i < names.size(); ++i) {
    parts.push_back(QuoteText(names[i]) + ": " +
                    LiteralSql(value.fields()[i], type.fields()[i].type));
  }
  if (parts.empty()) parts.push_back("'': NULL");
  return "{" + Join(parts, ", ") + "}";
}

std::string TimestampSql(int64_t micros) {
  constexpr int64_t kYear10000 = int64_t{253402300800} * kMicrosPerSecond;
  constexpr int64_t kYear1 = int64_t{-62135596800} * kMicrosPerSecond;
  if (micros >= kYear1 && micros < kYear10000)
    return "'" + FormatTimestamp(micros, "", ' ') + "'::TIMESTAMP";
  return fmt::format("make_timestamp(CAST({} AS BIGINT))", micros);
}

std::string DoubleText(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  return fmt::format("{}", d);
}

}  // namespace

std::string LiteralSql(const Value& value, const DataType& type) {
  const std::string cast_end = " AS " + TypeSql(type) + ")";
  if (value.is_null()) return "CAST(NULL" + cast_end;
  switch (type.kind()) {
    case TypeKind::kVoid:
      return "CAST(NULL" + cast_end;
    case TypeKind::kBoolean:
      return value.As<bool>() ? "true" : "false";
    case TypeKind::kInt:
    case TypeKind::kYearMonthInterval:
      if (value.Is<Interval>())
        return fmt::format("CAST({}{}", value.As<Interval>().months, cast_end);
      return value.AsInt64() < 0 ? fmt::format("CAST({}{}", value.AsInt64(), cast_end)
                                 : std::to_string(value.AsInt64());
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kBigInt:
      return fmt::format("CAST({}{}", value.AsInt64(), cast_end);
    case TypeKind::kDayTimeInterval: {
      int64_t micros = value.Is<Interval>()
                           ? value.As<Interval>().micros + value.As<Interval>().days * kMicrosPerDay
                           : value.AsInt64();
      return fmt::format("CAST({}{}", micros, cast_end);
    }
    case TypeKind::kFloat:
      return "CAST('" + DoubleText(value.As<float>()) + "'" + cast_end;
    case TypeKind::kDouble:
      return "CAST('" + DoubleText(value.As<double>()) + "'" + cast_end;
    case TypeKind::kDecimal:
      return "CAST('" + DecimalToPlainString(value.As<Decimal>()) + "'" + cast_end;
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return QuoteText(value.As<std::string>());
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return BlobSql(value.As<Bytes>().data);
    case TypeKind::kDate:
      return fmt::format("('1970-01-01'::DATE + CAST({} AS INTEGER))", value.AsInt64());
    case TypeKind::kTimestamp:
      return "CAST(" + TimestampSql(value.AsInt64()) + cast_end;
    case TypeKind::kTimestampNtz:
      return TimestampSql(value.AsInt64());
    case TypeKind::kTime:
      return "CAST('" + FormatTime(value.AsInt64()) + "'" + cast_end;
    case TypeKind::kCalendarInterval: {
      const Interval& i = value.As<Interval>();
      return fmt::format("CAST('{} months {} days {} microseconds'{}", i.months, i.days, i.micros,
                         cast_end);
    }
    case TypeKind::kVariant:
      return "CAST(CAST(" + QuoteText(value.As<std::string>()) + " AS JSON)" + cast_end;
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kStruct:
      break;
  }
  return "CAST(" + NestedSql(value, type) + cast_end;
}

}  // namespace iceblink::exec
