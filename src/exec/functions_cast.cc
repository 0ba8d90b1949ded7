// Casts that DuckDB does otherwise than Spark. Arguments after the value: plan::CastMode, Spark's
// names of both types, the target column of a store assignment, and for times the session zone.
#include <fmt/format.h>

#include <cmath>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "base/time_zone.h"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "exec/duckdb_types.h"
#include "exec/java_text.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"
#include "plan/expression.h"

namespace iceblink::exec {

using duckdb::LogicalType;
using plan::CastMode;

namespace {

std::string Quoted(std::string_view type) { return "\"" + std::string(type) + "\""; }

CastMode ModeOf(const RowArgs& args) { return static_cast<CastMode>(args.Int(1)); }

// The answer for malformed text.
Datum Malformed(const RowArgs& args) {
  if (ModeOf(args) == CastMode::kTry || ModeOf(args) == CastMode::kLegacy) return {};
  std::string_view target = args.Text(3);
  bool number = target.ends_with("INT") || target == "DOUBLE" || target == "FLOAT" ||
                target.starts_with("DECIMAL");
  ThrowSpark(
      {"CAST_INVALID_INPUT", "22018",
       number ? "SparkNumberFormatException"
              : (target == "BOOLEAN" ? "SparkRuntimeException" : "SparkDateTimeException"),
       fmt::format("The value '{}' of the type {} cannot be cast to {} because it is "
                   "malformed. Correct the value as per the syntax, or change its target "
                   "type. Use `try_cast` to tolerate malformed input and return NULL instead.",
                   args.Text(0), Quoted(args.Text(2)), Quoted(target))});
}

[[noreturn]] void ThrowInsertOverflow(std::string_view from, std::string_view to,
                                      std::string_view column) {
  ThrowCondition("CAST_OVERFLOW_IN_TABLE_INSERT",
                 {{"sourceType", Quoted(from)},
                  {"targetType", Quoted(to)},
                  {"columnName", "`" + std::string(column) + "`"}});
}

struct Limits {
  int64_t min, max;
};
Limits LimitsOf(std::string_view type) {
  if (type == "TINYINT") return {INT8_MIN, INT8_MAX};
  if (type == "SMALLINT") return {INT16_MIN, INT16_MAX};
  if (type == "INT") return {INT32_MIN, INT32_MAX};
  return {INT64_MIN, INT64_MAX};
}

int64_t Wrapped(int64_t value, std::string_view type) {
  if (type == "TINYINT") return static_cast<int8_t>(value);
  if (type == "SMALLINT") return static_cast<int16_t>(value);
  if (type == "INT") return static_cast<int32_t>(value);
  return value;
}

// A number as Spark's messages show it: 3000000000L, 1S, 1.5D.
std::string Shown(std::string text, std::string_view type) {
  if (type == "BIGINT") return text + "L";
  if (type == "SMALLINT") return text + "S";
  if (type == "TINYINT") return text + "S";
  if (type == "DOUBLE") return text == "NaN" || text.ends_with("Infinity") ? text : text + "D";
  if (type.starts_with("DECIMAL")) return text + "BD";
  return text;
}

Datum OverflowOf(const RowArgs& args, const std::string& value) {
  switch (ModeOf(args)) {
    case CastMode::kTry:
      return {};
    case CastMode::kStoreAssignment:
      ThrowInsertOverflow(args.Text(2), args.Text(3), args.Text(4));
    case CastMode::kAnsi:
    case CastMode::kLegacy:
      break;
  }
  ThrowCondition("CAST_OVERFLOW", {{"value", Shown(value, args.Text(2))},
                                   {"sourceType", Quoted(args.Text(2))},
                                   {"targetType", Quoted(args.Text(3))}});
}

// Narrowing of longs, with a plain loop for the values that fit.
void LongToIntegralRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&,
                        duckdb::Vector& result) {
  RowArgs args(chunk);
  args.MoveTo(0);
  const std::string target(args.Text(3));
  const Limits limits = LimitsOf(target);
  const CastMode mode = ModeOf(args);
  duckdb::UnifiedVectorFormat format;
  chunk.data[0].ToUnifiedFormat(chunk.size(), format);
  const bool constant = chunk.data[0].GetVectorType() == duckdb::VectorType::CONSTANT_VECTOR;
  const auto* in = duckdb::UnifiedVectorFormat::GetData<int64_t>(format);
  auto* out = duckdb::FlatVector::GetData<int64_t>(result);
  const size_t rows = constant ? 1 : chunk.size();
  for (size_t row = 0; row < rows; ++row) {
    size_t at = format.sel->get_index(row);
    if (!format.validity.RowIsValid(at)) {
      duckdb::FlatVector::SetNull(result, row, true);
    } else if (in[at] >= limits.min && in[at] <= limits.max) {
      out[row] = in[at];
    } else if (mode == CastMode::kLegacy) {
      out[row] = Wrapped(in[at], target);
    } else {
      args.MoveTo(row);
      OverflowOf(args, std::to_string(in[at]));
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

Datum DoubleToIntegral(const RowArgs& args) {
  double value = args.Double(0);
  Limits limits = LimitsOf(args.Text(3));
  double whole = std::trunc(value);
  // 2^63 is not a long, but its neighbour below is.
  if (whole >= static_cast<double>(limits.min) &&
      (limits.max == INT64_MAX ? whole < 9223372036854775808.0
                               : whole <= static_cast<double>(limits.max))) {
    return static_cast<int64_t>(whole);
  }
  if (ModeOf(args) == CastMode::kLegacy) {
    if (std::isnan(value)) return int64_t{0};
    int64_t clamped = value > 0 ? INT64_MAX : INT64_MIN;
    if (args.Text(3) == "INT") return value > 0 ? int64_t{INT32_MAX} : int64_t{INT32_MIN};
    return Wrapped(clamped, args.Text(3));
  }
  return OverflowOf(args, JavaDouble(value));
}

Datum ParseIntegral(const RowArgs& args) {
  auto value = ModeOf(args) == CastMode::kLegacy ? ParseSparkLongTruncating(args.Text(0))
                                                 : ParseSparkLong(args.Text(0));
  Limits limits = LimitsOf(args.Text(3));
  if (!value || *value < limits.min || *value > limits.max) return Malformed(args);
  return *value;
}

Datum ParseFloating(const RowArgs& args) {
  auto value = ParseSparkDouble(args.Text(0));
  return value ? Datum(*value) : Malformed(args);
}

Datum ParseBoolean(const RowArgs& args) {
  auto value = ParseSparkBoolean(args.Text(0));
  return value ? Datum(*value) : Malformed(args);
}

Datum ParseDate(const RowArgs& args) {
  auto value = ParseSparkDate(args.Text(0));
  return value ? Datum(*value) : Malformed(args);
}

Datum ParseTimestamp(const RowArgs& args) {
  auto parsed = ParseSparkTimestamp(args.Text(0));
  if (!parsed) return Malformed(args);
  const TimeZone* zone = TimeZone::Find(parsed->zone.empty() ? args.Text(5) : parsed->zone);
  if (zone == nullptr) return Malformed(args);
  return zone->FromLocal(parsed->local_micros);
}

Datum ParseTimestampNtz(const RowArgs& args) {
  auto parsed = ParseSparkTimestamp(args.Text(0));
  if (!parsed || (!parsed->zone.empty() && TimeZone::Find(parsed->zone) == nullptr))
    return Malformed(args);
  return parsed->local_micros;
}

Datum ParseTime(const RowArgs& args) {
  auto parsed = ParseSparkTimestamp("1970-01-01 " + std::string(args.Text(0)));
  if (!parsed || !parsed->zone.empty()) return Malformed(args);
  return parsed->local_micros;
}

// The fields that an interval type's text names: "INTERVAL DAY TO SECOND".
std::pair<int, int> FieldsOf(std::string_view type) {
  static constexpr std::string_view kNames[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
  int start = -1, end = -1;
  for (int i = 0; i < 6; ++i) {
    size_t at = type.find(kNames[i]);
    if (at == std::string_view::npos) continue;
    if (start < 0) start = i;
    end = i;
  }
  return {start, end};
}

Datum ParseYearMonthInterval(const RowArgs& args) {
  auto [start, end] = FieldsOf(args.Text(3));
  auto value = ParseYearMonth(args.Text(0), start, end);
  return value ? Datum(*value) : Malformed(args);
}
Datum ParseDayTimeInterval(const RowArgs& args) {
  auto [start, end] = FieldsOf(args.Text(3));
  auto value = ParseDayTime(args.Text(0), start, end);
  return value ? Datum(*value) : Malformed(args);
}

Datum TimestampToString(const RowArgs& args) {
  const TimeZone* zone = TimeZone::Find(args.Text(1));
  return SparkTimestamp((zone != nullptr ? *zone : TimeZone::Utc()).ToLocal(args.Long(0)));
}

Datum ToLocal(const RowArgs& args) {
  const TimeZone* zone = TimeZone::Find(args.Text(1));
  if (zone == nullptr)
    ThrowSpark({"INVALID_TIMEZONE", "22009", "SparkDateTimeException",
                "The timezone: " + std::string(args.Text(1)) + " is invalid."});
  return zone->ToLocal(args.Long(0));
}

Datum FromLocal(const RowArgs& args) {
  const TimeZone* zone = TimeZone::Find(args.Text(1));
  if (zone == nullptr)
    ThrowSpark({"INVALID_TIMEZONE", "22009", "SparkDateTimeException",
                "The timezone: " + std::string(args.Text(1)) + " is invalid."});
  return zone->FromLocal(args.Long(0));
}

Datum SecondsToTimestamp(const RowArgs& args) {
  return static_cast<int64_t>(std::floor(args.Double(0) * kMicrosPerSecond));
}

// ---- decimals
// --------------------------------------------------------------------------------------------------------

struct DecimalShape : duckdb::FunctionData {
  int32_t precision, scale;
  DecimalShape(int32_t p, int32_t s) : precision(p), scale(s) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<DecimalShape>(precision, scale);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& o = other.Cast<DecimalShape>();
    return precision == o.precision && scale == o.scale;
  }
};

// Binds fn(value, precision, scale, ...): the result is DECIMAL(38, scale), so that any physical
// width fits.
duckdb::unique_ptr<duckdb::FunctionData> BindToDecimal(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  int32_t p = duckdb::ExpressionExecutor::EvaluateScalar(context, *args[1]).GetValue<int32_t>();
  int32_t s = duckdb::ExpressionExecutor::EvaluateScalar(context, *args[2]).GetValue<int32_t>();
  if (args[0]->return_type.id() == duckdb::LogicalTypeId::DECIMAL) {
    function.arguments[0] =
        LogicalType::DECIMAL(38, duckdb::DecimalType::GetScale(args[0]->return_type));
  }
  function.SetReturnType(LogicalType::DECIMAL(38, static_cast<uint8_t>(s)));
  return duckdb::make_uniq<DecimalShape>(p, s);
}

// Takes a decimal of any precision as it is.
duckdb::unique_ptr<duckdb::FunctionData> BindAnyDecimal(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  function.arguments[0] = args[0]->return_type;
  return nullptr;
}

std::optional<Decimal> SourceDecimal(const duckdb::Value& value) {
  switch (value.type().id()) {
    case duckdb::LogicalTypeId::VARCHAR:
      return ParseSparkDecimal(duckdb::StringValue::Get(value));
    case duckdb::LogicalTypeId::DOUBLE: {
      auto text = ParseDecimal(JavaDouble(value.GetValue<double>()));
      if (!text) return std::nullopt;
      return *text;
    }
    default:
      return FromDuckDb(value).As<Decimal>();
  }
}

// The error or NULL for a value that is no decimal of the shape.
void RefuseDecimal(duckdb::DataChunk& chunk, size_t row, const DecimalShape& shape,
                   const std::optional<Decimal>& source) {
  auto mode = static_cast<CastMode>(chunk.data[3].GetValue(row).GetValue<int32_t>());
  if (mode == CastMode::kTry || mode == CastMode::kLegacy) return;
  std::string from = chunk.data[4].GetValue(row).ToString(),
              to = chunk.data[5].GetValue(row).ToString();
  if (mode == CastMode::kStoreAssignment)
    ThrowInsertOverflow(from, to, chunk.data[6].GetValue(row).ToString());
  if (!source) {
    ThrowSpark({"CAST_INVALID_INPUT", "22018", "SparkNumberFormatException",
                fmt::format("The value '{}' of the type {} cannot be cast to {} because it is "
                            "malformed. Correct the value as "
                            "per the syntax, or change its target type. Use `try_cast` to tolerate "
                            "malformed input and return "
                            "NULL instead.",
                            chunk.data[0].GetValue(row).ToString(), Quoted(from), Quoted(to))});
  }
  ThrowCondition("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                 {{"value", DecimalToPlainString(*source)},
                  {"precision", std::to_string(shape.precision)},
                  {"scale", std::to_string(shape.scale)}});
}

// Decimals that only lose precision need no conversion but a look at their size.
void SameScaleRows(duckdb::DataChunk& chunk, const DecimalShape& shape, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat format;
  chunk.data[0].ToUnifiedFormat(chunk.size(), format);
  const auto* in = duckdb::UnifiedVectorFormat::GetData<duckdb::hugeint_t>(format);
  auto* out = duckdb::FlatVector::GetData<duckdb::hugeint_t>(result);
  const Int128 limit = PowerOfTen(shape.precision);
  for (size_t row = 0; row < chunk.size(); ++row) {
    size_t at = format.sel->get_index(row);
    if (!format.validity.RowIsValid(at)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    Int128 value = ToInt128(in[at]);
    out[row] = in[at];
    if (value < limit && value > -limit) continue;
    RefuseDecimal(chunk, row, shape, Decimal{value, shape.scale});
    duckdb::FlatVector::SetNull(result, row, true);
  }
}

void ToDecimalRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                   duckdb::Vector& result) {
  const auto& shape =
      state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<DecimalShape>();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  const LogicalType& type = chunk.data[0].GetType();
  if (type.id() == duckdb::LogicalTypeId::DECIMAL &&
      duckdb::DecimalType::GetScale(type) == shape.scale) {
    return SameScaleRows(chunk, shape, result);
  }
  auto* out = duckdb::FlatVector::GetData<duckdb::hugeint_t>(result);
  for (size_t row = 0; row < chunk.size(); ++row) {
    duckdb::Value value = chunk.data[0].GetValue(row);
    if (value.IsNull()) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    auto source = SourceDecimal(value);
    std::optional<Decimal> scaled;
    if (source) scaled = Rescale(*source, shape.scale, Rounding::kHalfUp);
    if (scaled && FitsPrecision(scaled->unscaled, shape.precision)) {
      out[row] = ToHugeint(scaled->unscaled);
      continue;
    }
    RefuseDecimal(chunk, row, shape, source);
    duckdb::FlatVector::SetNull(result, row, true);
  }
}

void DecimalToIntegralRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&,
                           duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<int64_t>(result);
  RowArgs args(chunk);
  for (size_t row = 0; row < chunk.size(); ++row) {
    args.MoveTo(row);
    if (args.IsNull(0)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    Decimal value = FromDuckDb(chunk.data[0].GetValue(row)).As<Decimal>();
    Int128 whole = Rescale(value, 0, Rounding::kDown)->unscaled;
    Limits limits = LimitsOf(args.Text(3));
    if (whole >= limits.min && whole <= limits.max) {
      out[row] = static_cast<int64_t>(whole);
    } else if (ModeOf(args) == CastMode::kLegacy) {
      out[row] = Wrapped(static_cast<int64_t>(whole), args.Text(3));
    } else {
      OverflowOf(args, DecimalToPlainString(value));
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
}

// ---- to string
// -------------------------------------------------------------------------------------------------------

Datum FloatToString(const RowArgs& args) { return JavaFloat(static_cast<float>(args.Double(0))); }
Datum DoubleToString(const RowArgs& args) { return JavaDouble(args.Double(0)); }
Datum DateToString(const RowArgs& args) { return SparkDate(args.Long(0)); }
Datum NtzToString(const RowArgs& args) { return SparkTimestamp(args.Long(0)); }
Datum TimeToString(const RowArgs& args) { return FormatTime(args.Long(0)); }
Datum SameBytes(const RowArgs& args) { return std::string(args.Text(0)); }
Datum DoubleToFloat(const RowArgs& args) {
  return static_cast<double>(static_cast<float>(args.Double(0)));
}
Datum IntervalToString(const RowArgs& args) {
  return SparkInterval(args.Long(0), args.Bool(1), args.Int(2), args.Int(3));
}

void CalendarIntervalRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&,
                          duckdb::Vector& result) {
  duckdb::UnaryExecutor::Execute<duckdb::interval_t, duckdb::string_t>(
      chunk.data[0], result, chunk.size(), [&](duckdb::interval_t i) {
        return duckdb::StringVector::AddString(result,
                                               CalendarInterval({i.months, i.days, i.micros}));
      });
}

// Java reads bytes as UTF-8 with U+FFFD for what is malformed.
Datum BinaryToString(const RowArgs& args) {
  std::string_view bytes = args.Text(0);
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    size_t length = 1;
    unsigned char c = static_cast<unsigned char>(bytes[i]);
    if (c >= 0xF0)
      length = 4;
    else if (c >= 0xE0)
      length = 3;
    else if (c >= 0xC0)
      length = 2;
    std::string_view point = bytes.substr(i, length);
    if (IsValidUtf8(point)) {
      out += point;
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  return out;
}

}  // namespace

void RegisterCastFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType text = LogicalType::VARCHAR, i32 = LogicalType::INTEGER,
                    i64 = LogicalType::BIGINT, f64 = LogicalType::DOUBLE;
  auto parser = [&](const char* name, LogicalType result, Datum (*body)(const RowArgs&)) {
    return RowFunction{name, {text, i32, text, text, text, text}, std::move(result), body};
  };
  Register(
      loader,
      {
          parser("ib_parse_integral", i64, ParseIntegral),
          parser("ib_parse_double", f64, ParseFloating),
          parser("ib_parse_boolean", LogicalType::BOOLEAN, ParseBoolean),
          parser("ib_parse_date", LogicalType::DATE, ParseDate),
          parser("ib_parse_timestamp", LogicalType::TIMESTAMP_TZ, ParseTimestamp),
          parser("ib_parse_timestamp_ntz", LogicalType::TIMESTAMP, ParseTimestampNtz),
          parser("ib_parse_time", LogicalType::TIME, ParseTime),
          parser("ib_parse_ym_interval", i64, ParseYearMonthInterval),
          parser("ib_parse_dt_interval", i64, ParseDayTimeInterval),
          {"ib_to_integral", {f64, i32, text, text, text}, i64, DoubleToIntegral},
          {"ib_to_string", {LogicalType::FLOAT}, text, FloatToString},
          {"ib_to_string", {f64}, text, DoubleToString},
          {"ib_to_string", {LogicalType::DATE}, text, DateToString},
          {"ib_to_string", {LogicalType::TIMESTAMP}, text, NtzToString},
          {"ib_to_string", {LogicalType::TIME}, text, TimeToString},
          {"ib_to_string", {LogicalType::BLOB}, text, BinaryToString},
          {"ib_string_to_binary", {text}, LogicalType::BLOB, SameBytes},
          {"ib_double_to_float", {f64}, LogicalType::FLOAT, DoubleToFloat},
          {"ib_interval_to_string", {i64, LogicalType::BOOLEAN, i32, i32}, text, IntervalToString},
          {"ib_timestamp_to_string", {LogicalType::TIMESTAMP_TZ, text}, text, TimestampToString},
          {"ib_to_local", {LogicalType::TIMESTAMP_TZ, text}, LogicalType::TIMESTAMP, ToLocal},
          {"ib_from_local", {LogicalType::TIMESTAMP, text}, LogicalType::TIMESTAMP_TZ, FromLocal},
          {"ib_seconds_to_timestamp", {f64}, LogicalType::TIMESTAMP_TZ, SecondsToTimestamp},
          {"ib_seconds_to_timestamp",
           {i64},
           LogicalType::TIMESTAMP_TZ,
           [](const RowArgs& args) -> Datum { return args.Long(0) * kMicrosPerSecond; }},
      });
  duckdb::ScalarFunction narrow("ib_to_integral", {i64, i32, text, text, text}, i64,
                                LongToIntegralRows);
  narrow.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(narrow);
  duckdb::ScalarFunction interval("ib_to_string", {LogicalType::INTERVAL}, text,
                                  CalendarIntervalRows);
  loader.RegisterFunction(interval);
  duckdb::ScalarFunction integral(
      "ib_decimal_to_integral",
      {LogicalType(duckdb::LogicalTypeId::DECIMAL), i32, text, text, text}, i64,
      DecimalToIntegralRows, BindAnyDecimal);
  integral.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(integral);
  for (const LogicalType& source : {LogicalType(duckdb::LogicalTypeId::DECIMAL), text, f64}) {
    duckdb::ScalarFunction decimal("ib_to_decimal", {source, i32, i32, i32, text, text, text},
                                   LogicalType::DECIMAL(38, 0), ToDecimalRows, BindToDecimal);
    decimal.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
    loader.RegisterFunction(decimal);
  }
}

}  // namespace iceblink::exec
