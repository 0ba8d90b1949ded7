// Constants that are known without the executor: enough for filters, LIMIT, time travel and
// partition values.
#include <algorithm>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "plan/optimizer.h"
#include "plan/query_analyzer.h"

namespace iceblink::plan {

using sql::TypeKind;

std::optional<int64_t> FixedZoneOffsetMicros(std::string_view zone) {
  for (std::string_view utc : {"UTC", "Z", "GMT", "Etc/UTC", "UT", "Zulu"})
    if (EqualsIgnoreCase(zone, utc)) return 0;
  for (std::string_view prefix : {"UTC", "GMT", "UT"})
    if (zone.starts_with(prefix) && zone.size() > prefix.size()) {
      zone.remove_prefix(prefix.size());
      break;
    }
  if (zone.size() < 2 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  int64_t sign = zone[0] == '-' ? -1 : 1;
  std::vector<std::string> parts = Split(zone.substr(1), ':');
  if (parts.size() == 1 && parts[0].size() == 4)
    parts = {parts[0].substr(0, 2), parts[0].substr(2)};
  const int64_t units[] = {kMicrosPerHour, 60 * kMicrosPerSecond, kMicrosPerSecond};
  int64_t total = 0;
  if (parts.size() > 3) return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto number = ParseInt32(parts[i]);
    if (!number || *number < 0 || parts[i].size() > 2 || *number > (i == 0 ? 18 : 59))
      return std::nullopt;
    total += *number * units[i];
  }
  return sign * total;
}

namespace {

// Reads a number of between `min` and `max` digits; moves `text` on.
std::optional<int64_t> TakeDigits(std::string_view& text, size_t min, size_t max) {
  size_t n = 0;
  int64_t value = 0;
  while (n < text.size() && n < max && text[n] >= '0' && text[n] <= '9')
    value = value * 10 + (text[n++] - '0');
  if (n < min) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// [+-]yyyy*[-m[m][-d[d]]]; what follows stays in `text`.
std::optional<int64_t> TakeDate(std::string_view& text) {
  int64_t sign = Take(text, '-') ? -1 : (Take(text, '+'), 1);
  auto year = TakeDigits(text, 4, 6);
  if (!year) return std::nullopt;
  CivilDate date{sign * *year, 1, 1};
  if (Take(text, '-')) {
    auto month = TakeDigits(text, 1, 2);
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    date.month = static_cast<int32_t>(*month);
    if (Take(text, '-')) {
      auto day = TakeDigits(text, 1, 2);
      if (!day || *day < 1 || *day > DaysInMonth(date.year, date.month)) return std::nullopt;
      date.day = static_cast<int32_t>(*day);
    }
  }
  return DaysFromCivil(date);
}

// h[h]:m[m][:s[s][.f]]
std::optional<int64_t> TakeTime(std::string_view& text) {
  auto hour = TakeDigits(text, 1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int64_t micros = *hour * kMicrosPerHour;
  if (!Take(text, ':')) return micros;
  auto minute = TakeDigits(text, 1, 2);
  if (!minute || *minute > 59) return std::nullopt;
  micros += *minute * 60 * kMicrosPerSecond;
  if (!Take(text, ':')) return micros;
  auto second = TakeDigits(text, 1, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += *second * kMicrosPerSecond;
  if (!Take(text, '.')) return micros;
  int64_t unit = kMicrosPerSecond / 10;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    micros += (text[0] - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return micros;
}

}  // namespace

std::optional<int64_t> ParseSparkDate(std::string_view text) {
  text = Trim(text);
  auto days = TakeDate(text);
  if (!days || !(text.empty() || text[0] == 'T' || text[0] == ' ')) return std::nullopt;
  return days;
}

std::optional<int64_t> ParseSparkTimestamp(std::string_view text, const std::string& time_zone,
                                           bool ntz) {
  text = Trim(text);
  auto days = TakeDate(text);
  if (!days) return std::nullopt;
  int64_t micros = *days * kMicrosPerDay;
  std::string zone = time_zone;
  if (!text.empty()) {
    if (!Take(text, 'T') && !Take(text, ' ')) return std::nullopt;
    auto time = TakeTime(text);
    if (!time) return std::nullopt;
    micros += *time;
    text = Trim(text);
    if (!text.empty()) zone = std::string(text);
  }
  if (ntz) return micros;
  auto offset = FixedZoneOffsetMicros(zone);
  if (!offset) return std::nullopt;
  return micros - *offset;
}

namespace {

bool FitsIntegral(int64_t value, TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt:
      return value >= INT8_MIN && value <= INT8_MAX;
    case TypeKind::kSmallInt:
      return value >= INT16_MIN && value <= INT16_MAX;
    case TypeKind::kInt:
      return value >= INT32_MIN && value <= INT32_MAX;
    default:
      return true;
  }
}

std::optional<Value> IntegralValue(int64_t value, const DataType& to) {
  if (!FitsIntegral(value, to.kind())) return std::nullopt;
  if (to.kind() == TypeKind::kBigInt) return Value(value);
  return Value(static_cast<int32_t>(value));
}

std::optional<Value> DecimalValue(const Decimal& value, const DataType& to) {
  auto scaled = Rescale(value, to.scale(), Rounding::kHalfUp);
  if (!scaled || !FitsPrecision(scaled->unscaled, to.precision())) return std::nullopt;
  return Value(*scaled);
}

std::optional<Value> CastString(const std::string& text, const DataType& to,
                                const SessionSettings& settings) {
  switch (to.kind()) {
    case TypeKind::kDate: {
      auto days = ParseSparkDate(text);
      return days ? std::optional(Value(static_cast<int32_t>(*days))) : std::nullopt;
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: {
      auto micros =
          ParseSparkTimestamp(text, settings.time_zone, to.kind() == TypeKind::kTimestampNtz);
      return micros ? std::optional(Value(*micros)) : std::nullopt;
    }
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: {
      auto number = ParseInt64(Trim(text));
      return number ? IntegralValue(*number, to) : std::nullopt;
    }
    case TypeKind::kDouble: {
      auto number = ParseDouble(Trim(text));
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    case TypeKind::kDecimal: {
      auto number = ParseDecimal(Trim(text));
      return number ? DecimalValue(*number, to) : std::nullopt;
    }
    case TypeKind::kBoolean: {
      auto flag = ParseBool(Trim(text));
      return flag ? std::optional(Value(*flag)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Value> CastIntegral(int64_t value, const DataType& to) {
  if (to.is_integral()) return IntegralValue(value, to);
  if (to.kind() == TypeKind::kDecimal) return DecimalValue({value, 0}, to);
  if (to.kind() == TypeKind::kDouble) return Value(static_cast<double>(value));
  if (to.kind() == TypeKind::kFloat) return Value(static_cast<float>(value));
  if (to.is_string()) return Value(std::to_string(value));
  return std::nullopt;
}

std::optional<Value> CastDatetime(const Value& value, const DataType& from, const DataType& to,
                                  const SessionSettings& settings) {
  auto offset = FixedZoneOffsetMicros(settings.time_zone);
  if (!offset) return std::nullopt;
  int64_t local =
      from.kind() == TypeKind::kDate ? value.AsInt64() * kMicrosPerDay : value.AsInt64();
  if (from.kind() == TypeKind::kTimestamp) local += *offset;
  if (to.kind() == TypeKind::kDate)
    return Value(static_cast<int32_t>(FloorDiv(local, kMicrosPerDay)));
  if (to.kind() == TypeKind::kTimestamp) return Value(local - *offset);
  if (to.kind() == TypeKind::kTimestampNtz) return Value(local);
  return std::nullopt;
}

std::optional<Value> CastValue(const Value& value, const DataType& from, const DataType& to,
                               const SessionSettings& settings) {
  if (value.is_null() || DataType::EqualsIgnoringNullability(from, to)) return value;
  if (from.is_string())
    return to.is_string() ? std::optional(value)
                          : CastString(value.As<std::string>(), to, settings);
  if (from.is_integral()) return CastIntegral(value.AsInt64(), to);
  if (from.is_datetime()) return CastDatetime(value, from, to, settings);
  if (from.kind() == TypeKind::kDecimal && to.kind() == TypeKind::kDecimal)
    return DecimalValue(value.As<Decimal>(), to);
  if (from.kind() == TypeKind::kDecimal && to.kind() == TypeKind::kDouble)
    return ParseDouble(DecimalToString(value.As<Decimal>()));
  if (from.kind() == TypeKind::kFloat && to.kind() == TypeKind::kDouble)
    return Value(static_cast<double>(value.As<float>()));
  return std::nullopt;
}

// date or timestamp + interval.
std::optional<Value> AddInterval(const Value& base, const DataType& type, const Interval& interval,
                                 const SessionSettings& settings) {
  auto offset = FixedZoneOffsetMicros(settings.time_zone);
  if (!offset) return std::nullopt;
  bool date = type.kind() == TypeKind::kDate;
  int64_t shift = type.kind() == TypeKind::kTimestamp ? *offset : 0;
  int64_t local = date ? base.AsInt64() * kMicrosPerDay : base.AsInt64() + shift;
  int64_t days = FloorDiv(local, kMicrosPerDay), time = FloorMod(local, kMicrosPerDay);
  if (interval.months != 0) {
    CivilDate civil = CivilFromDays(days);
    int64_t months = civil.year * 12 + civil.month - 1 + interval.months;
    civil.year = FloorDiv(months, 12);
    civil.month = static_cast<int32_t>(FloorMod(months, 12)) + 1;
    civil.day = std::min(civil.day, DaysInMonth(civil.year, civil.month));
    days = DaysFromCivil(civil);
  }
  int64_t micros = (days + interval.days) * kMicrosPerDay + time + interval.micros;
  if (date) return Value(static_cast<int32_t>(FloorDiv(micros, kMicrosPerDay)));
  return Value(micros - shift);
}

std::optional<Value> FoldCall(const Call& call, const Expr& expr, const SessionSettings& settings) {
  if (call.function == "current_timestamp") return Value(settings.now_micros);
  if (call.function == "current_date")
    return CastDatetime(Value(settings.now_micros), DataType(TypeKind::kTimestamp), expr.type,
                        settings);
  std::vector<Value> args;
  for (const ExprPtr& arg : call.args) {
    auto value = FoldConstant(arg, settings);
    if (!value) return std::nullopt;
    if (value->is_null()) return std::nullopt;
    args.push_back(std::move(*value));
  }
  if (call.function == "date_add_interval")
    return AddInterval(args[0], expr.type, args[1].As<Interval>(), settings);
  if (call.function == "date_add" || call.function == "date_sub") {
    int64_t sign = call.function == "date_add" ? 1 : -1;
    return Value(static_cast<int32_t>(args[0].AsInt64() + sign * args[1].AsInt64()));
  }
  if (call.function == "negative") {
    if (args[0].Is<Interval>()) {
      Interval i = args[0].As<Interval>();
      return Value(Interval{-i.months, -i.days, -i.micros});
    }
    if (expr.type.is_integral() && args[0].AsInt64() != INT64_MIN)
      return IntegralValue(-args[0].AsInt64(), expr.type);
    if (args[0].Is<double>()) return Value(-args[0].As<double>());
    if (args[0].Is<Decimal>())
      return Value(Decimal{-args[0].As<Decimal>().unscaled, args[0].As<Decimal>().scale});
  }
  if (call.function == "array") return Value::Array(std::move(args));
  return std::nullopt;
}

}  // namespace

std::optional<Value> FoldConstant(const ExprPtr& expr, const SessionSettings& settings) {
  if (const Value* literal = LiteralValue(expr)) return *literal;
  if (const auto* cast = expr->As<Cast>()) {
    auto child = FoldConstant(cast->child, settings);
    return child ? CastValue(*child, cast->child->type, expr->type, settings) : std::nullopt;
  }
  if (const auto* call = expr->As<Call>()) return FoldCall(*call, *expr, settings);
  return std::nullopt;
}

Result<Value> QueryAnalyzer::Evaluate(const ExprPtr& expr) {
  if (auto value = FoldConstant(expr, settings_)) return *value;
  return resolver_.Evaluate(OptimizeSubqueries(expr, settings_));
}

}  // namespace iceblink::plan
