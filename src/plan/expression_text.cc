// How Spark writes constants in generated column names, and the names of unaliased select items.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "plan/query_analyzer.h"

namespace iceblink::plan {

using sql::IntervalField;
using sql::TypeKind;

namespace {

// Java's layout of the shortest digits: plain between 1e-3 and 1e7, else one digit, point, digits,
// E.
template <typename T>
std::string JavaFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  std::string text(buffer, end);
  size_t e = text.find('e');
  int exponent = std::stoi(text.substr(e + 1));
  std::string mantissa = text.substr(0, e);
  std::string sign = mantissa[0] == '-' ? "-" : "";
  std::string digits;
  for (char c : mantissa)
    if (c >= '0' && c <= '9') digits += c;
  auto split = [&](size_t point) {
    while (digits.size() < point + 1) digits += '0';
    return fmt::format("{}{}.{}", sign, digits.substr(0, point), digits.substr(point));
  };
  if (exponent >= 7 || exponent < -3) {
    return fmt::format("{}E{}", split(1), exponent);
  }
  if (exponent >= 0) return split(static_cast<size_t>(exponent) + 1);
  return fmt::format("{}0.{}{}", sign, std::string(static_cast<size_t>(-exponent - 1), '0'),
                     digits);
}

std::string SecondsText(int64_t micros) {
  std::string text = fmt::format("{:02}", micros / kMicrosPerSecond);
  int64_t fraction = micros % kMicrosPerSecond;
  if (fraction == 0) return text;
  std::string digits = fmt::format("{:06}", fraction);
  return fmt::format("{}.{}", text, StripTrailing(digits, '0'));
}

std::string FieldWord(IntervalField field) { return AsciiUpper(sql::IntervalFieldName(field)); }

}  // namespace

std::string JavaDouble(double value) { return JavaFloating(value); }
std::string JavaFloat(float value) { return JavaFloating(value); }

std::string IntervalText(const Interval& value, const DataType& type) {
  if (type.kind() == TypeKind::kYearMonthInterval) {
    int32_t months = std::abs(value.months);
    std::string sign = value.months < 0 ? "-" : "";
    if (type.start_field() != type.end_field())
      return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", sign, months / 12, months % 12);
    bool years = type.start_field() == IntervalField::kYear;
    return fmt::format("INTERVAL '{}{}' {}", sign, years ? months / 12 : months,
                       years ? "YEAR" : "MONTH");
  }
  if (type.kind() != TypeKind::kDayTimeInterval)
    return fmt::format("INTERVAL '{} months {} days {} microseconds'", value.months, value.days,
                       value.micros);
  int64_t total = value.micros + value.days * kMicrosPerDay;
  std::string sign = total < 0 ? "-" : "";
  int64_t rest = std::abs(total);
  const int64_t units[] = {kMicrosPerDay, kMicrosPerHour, 60 * kMicrosPerSecond};
  std::string text;
  IntervalField start = type.start_field(), end = type.end_field();
  for (int f = static_cast<int>(start); f <= static_cast<int>(end); ++f) {
    auto field = static_cast<IntervalField>(f);
    bool first = field == start;
    if (!first) text += field == IntervalField::kHour ? " " : ":";
    if (field == IntervalField::kSecond) {
      std::string seconds = SecondsText(rest);
      text += first && seconds.size() > 1 && seconds[0] == '0' && seconds[1] != '.'
                  ? seconds.substr(1)
                  : seconds;
      break;
    }
    int64_t unit = units[f - static_cast<int>(IntervalField::kDay)];
    text += first ? fmt::format("{}", rest / unit) : fmt::format("{:02}", rest / unit);
    rest %= unit;
  }
  std::string words =
      start == end ? FieldWord(start) : fmt::format("{} TO {}", FieldWord(start), FieldWord(end));
  return fmt::format("INTERVAL '{}{}' {}", sign, text, words);
}

std::string LiteralText(const Value& value, const DataType& type, const std::string& time_zone) {
  if (value.is_null()) return "NULL";
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return value.As<bool>() ? "true" : "false";
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
      return std::to_string(value.AsInt64());
    case TypeKind::kFloat:
      return JavaFloat(value.As<float>());
    case TypeKind::kDouble:
      return JavaDouble(value.As<double>());
    case TypeKind::kDecimal:
      return DecimalToPlainString(value.As<Decimal>());
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return value.As<std::string>();
    case TypeKind::kBinary:
      return fmt::format("X'{}'", HexEncode(value.As<Bytes>().data, true));
    case TypeKind::kDate:
      return fmt::format("DATE '{}'", FormatDate(value.AsInt64()));
    case TypeKind::kTimestamp: {
      int64_t offset = FixedZoneOffsetMicros(time_zone).value_or(0);
      return fmt::format("TIMESTAMP '{}'", FormatTimestamp(value.AsInt64() + offset, {}, ' '));
    }
    case TypeKind::kTimestampNtz:
      return fmt::format("TIMESTAMP_NTZ '{}'", FormatTimestamp(value.AsInt64(), {}, ' '));
    case TypeKind::kTime:
      return fmt::format("TIME '{}'", FormatTime(value.AsInt64()));
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
    case TypeKind::kCalendarInterval:
      return IntervalText(value.As<Interval>(), type);
    case TypeKind::kVoid:
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kStruct:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      break;
  }
  return "?";
}

std::string GeneratedName(const sql::Expr& expr, const TypedExpr& typed) {
  if (const auto* column = expr.As<sql::NamedColumn>()) return column->parts.back();
  if (const auto* field = expr.As<sql::FieldAccess>()) {
    // A field of a plain column is named after the field; of any other expression after the whole
    // text.
    const sql::Expr* base = field->child.get();
    while (const auto* inner = base->As<sql::FieldAccess>()) base = inner->child.get();
    return base->As<sql::NamedColumn>() ? field->field : typed.text;
  }
  if (const auto* path = expr.As<sql::VariantPath>()) {
    std::string last = path->path.substr(path->path.find_last_of('.') + 1);
    return last.substr(0, last.find('['));
  }
  if (const auto* cast = expr.As<sql::Cast>();
      cast != nullptr && cast->child->As<sql::VariantPath>())
    return GeneratedName(*cast->child, typed);
  if (const auto* cast = expr.As<sql::Cast>())
    if (const auto* column = cast->child->As<sql::NamedColumn>()) return column->parts.back();
  return typed.text;
}

Result<TypedExpr> QueryAnalyzer::LiteralOf(const sql::DatetimeLiteral& node) {
  auto typed = [&](Value value) {
    std::string text = LiteralText(value, node.type, settings_.time_zone);
    ExprPtr literal = MakeLiteral(std::move(value), node.type);
    if (node.type.kind() == TypeKind::kTimestamp && !FixedZoneOffsetMicros(settings_.time_zone)) {
      auto local =
          resolver_.Evaluate(MakeCast(literal, DataType(TypeKind::kString), CastMode::kAnsi));
      if (local && local->Is<std::string>())
        text = fmt::format("TIMESTAMP '{}'", local->As<std::string>());
    }
    return TypedExpr{std::move(literal), std::move(text)};
  };
  int64_t session_offset = FixedZoneOffsetMicros(settings_.time_zone).value_or(0);
  if (!node.special.empty()) {
    int64_t local = settings_.now_micros + session_offset;
    int64_t today = FloorDiv(local, kMicrosPerDay);
    int64_t day = node.special == "tomorrow"    ? today + 1
                  : node.special == "yesterday" ? today - 1
                                                : today;
    if (node.special == "epoch") day = 0;
    if (node.type.kind() == TypeKind::kDate) return typed(Value(static_cast<int32_t>(day)));
    bool ntz = node.type.kind() == TypeKind::kTimestampNtz;
    int64_t micros = node.special == "now" ? local : day * kMicrosPerDay;
    if (node.special == "epoch") return typed(Value(int64_t{0}));
    return typed(Value(ntz ? micros : micros - session_offset));
  }
  if (node.type.kind() != TypeKind::kTimestamp) return typed(Value(node.local_micros));
  const std::string& zone = node.zone.empty() ? settings_.time_zone : node.zone;
  if (auto offset = FixedZoneOffsetMicros(zone)) return typed(Value(node.local_micros - *offset));
  // A region: the executor knows its rules. The wall clock is read in the session's zone, or turned
  // by to_utc_timestamp.
  ExprPtr local = MakeLiteral(Value(node.local_micros), DataType(TypeKind::kTimestampNtz));
  ExprPtr instant = MakeCast(local, node.type, CastMode::kAnsi);
  std::string text = fmt::format("TIMESTAMP '{}'", FormatTimestamp(node.local_micros, {}, ' '));
  if (node.zone.empty()) return TypedExpr{instant, text};
  ExprPtr utc =
      MakeCall("convert_timezone", {MakeString(node.zone), MakeString(settings_.time_zone), local},
               DataType(TypeKind::kTimestampNtz), false);
  ASSIGN_OR_RETURN(Value value, resolver_.Evaluate(MakeCast(utc, node.type, CastMode::kAnsi)));
  return typed(std::move(value));
}

}  // namespace iceblink::plan
