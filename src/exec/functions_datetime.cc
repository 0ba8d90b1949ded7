// Dates and times: Java patterns, truncation, calendar arithmetic. Wall clocks come as TIMESTAMP.
#include <fmt/format.h>

#include <cmath>

#include "base/datetime.h"
#include "base/strings.h"
#include "base/time_zone.h"
#include "exec/java_format.h"
#include "exec/java_text.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

[[noreturn]] void ThrowBadPattern(std::string_view pattern) {
  ThrowSpark({"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", "42K0B",
              "SparkUpgradeException",
              fmt::format("You may get a different result due to the upgrading to Spark >= "
                          "3.0:\nFail to recognize '{}' pattern "
                          "in the DateTimeFormatter.\n1) You can set "
                          "\"spark.sql.legacy.timeParserPolicy\" to \"LEGACY\" to "
                          "restore the behavior before Spark 3.0.\n2) You can form a valid "
                          "datetime pattern with the guide from "
                          "'https://spark.apache.org/docs/latest/sql-ref-datetime-pattern.html'.",
                          pattern)});
}

Datum DateFormat(const RowArgs& args) {
  const TimeZone* zone = TimeZone::Find(args.Text(2));
  int64_t local = args.Long(0);
  int32_t offset =
      zone == nullptr ? 0 : zone->OffsetAt(FloorDiv(zone->FromLocal(local), kMicrosPerSecond));
  auto text = FormatJava(args.Text(1), local, offset, args.Text(2));
  if (!text) ThrowBadPattern(args.Text(1));
  return *text;
}

// text, pattern, try -> wall clock; the zone argument turns an offset in the text into it.
std::optional<int64_t> ParseWith(const RowArgs& args) {
  JavaParse parsed = ParseJava(args.Text(1), args.Text(0));
  if (parsed.bad_pattern) ThrowBadPattern(args.Text(1));
  if (!parsed.ok) {
    if (args.Bool(2)) return std::nullopt;
    std::string message =
        fmt::format("Text '{}' could not be parsed{} at index {}", args.Text(0),
                    parsed.unparsed_text ? ", unparsed text found" : "", parsed.error_index);
    ThrowSpark(
        {"CANNOT_PARSE_TIMESTAMP", "22007", "SparkDateTimeException",
         message +
             ". Use `try_to_timestamp` to tolerate invalid input string and return NULL instead."});
  }
  const TimeZone* session = TimeZone::Find(args.Text(3));
  if (parsed.offset_seconds) return parsed.local_micros - *parsed.offset_seconds * kMicrosPerSecond;
  const TimeZone* zone = parsed.zone.empty() ? session : TimeZone::Find(parsed.zone);
  return (zone == nullptr ? TimeZone::Utc() : *zone).FromLocal(parsed.local_micros);
}

Datum ParseTimestampAs(const RowArgs& args) {
  auto instant = ParseWith(args);
  return instant ? Datum(*instant) : Datum();
}
Datum ParseDateAs(const RowArgs& args) {
  auto instant = ParseWith(args);
  return instant ? Datum(FloorDiv(*instant, kMicrosPerDay)) : Datum();
}

// ---- units
// -----------------------------------------------------------------------------------------------------------

int64_t FirstOfMonth(int64_t days, int32_t month_step) {
  CivilDate date = CivilFromDays(days);
  date.month = (date.month - 1) / month_step * month_step + 1;
  date.day = 1;
  return DaysFromCivil(date);
}

int64_t TruncateYears(int64_t days, int64_t years, int64_t first) {
  CivilDate date = CivilFromDays(days);
  return DaysFromCivil({FloorDiv(date.year - first, years) * years + first, 1, 1});
}

std::optional<int64_t> TruncateDays(std::string_view unit, int64_t days) {
  if (unit == "YEAR" || unit == "YYYY" || unit == "YY") return TruncateYears(days, 1, 0);
  if (unit == "QUARTER") return FirstOfMonth(days, 3);
  if (unit == "MONTH" || unit == "MM" || unit == "MON") return FirstOfMonth(days, 1);
  if (unit == "WEEK") return days - FloorMod(days + 3, 7);
  if (unit == "DECADE") return TruncateYears(days, 10, 0);
  if (unit == "CENTURY") return TruncateYears(days, 100, 1);
  if (unit == "MILLENNIUM") return TruncateYears(days, 1000, 1);
  return std::nullopt;
}

Datum DateTrunc(const RowArgs& args) {
  std::string unit = AsciiUpper(args.Text(0));
  int64_t local = args.Long(1);
  if (auto days = TruncateDays(unit, FloorDiv(local, kMicrosPerDay))) return *days * kMicrosPerDay;
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"DAY", kMicrosPerDay},
      {"DD", kMicrosPerDay},
      {"HOUR", kMicrosPerHour},
      {"MINUTE", 60 * kMicrosPerSecond},
      {"SECOND", kMicrosPerSecond},
      {"MILLISECOND", 1000},
      {"MICROSECOND", 1}};
  for (const auto& [name, micros] : kUnits) {
    if (name == unit) return local - FloorMod(local, micros);
  }
  return {};
}

Datum DateTruncDate(const RowArgs& args) {
  auto days = TruncateDays(AsciiUpper(args.Text(0)), FloorDiv(args.Long(1), kMicrosPerDay));
  return days ? Datum(*days * kMicrosPerDay) : Datum();
}

int64_t AddMonths(int64_t local, int64_t months) {
  int64_t days = FloorDiv(local, kMicrosPerDay), of_day = FloorMod(local, kMicrosPerDay);
  CivilDate date = CivilFromDays(days);
  int64_t month = date.year * 12 + date.month - 1 + months;
  date.year = FloorDiv(month, 12);
  date.month = static_cast<int32_t>(FloorMod(month, 12)) + 1;
  date.day = std::min(date.day, DaysInMonth(date.year, date.month));
  return DaysFromCivil(date) * kMicrosPerDay + of_day;
}

struct Unit {
  std::string_view name;
  int64_t months, micros;
};
constexpr Unit kUnits[] = {{"YEAR", 12, 0},
                           {"QUARTER", 3, 0},
                           {"MONTH", 1, 0},
                           {"WEEK", 0, 7 * kMicrosPerDay},
                           {"DAY", 0, kMicrosPerDay},
                           {"DAYOFYEAR", 0, kMicrosPerDay},
                           {"HOUR", 0, kMicrosPerHour},
                           {"MINUTE", 0, 60 * kMicrosPerSecond},
                           {"SECOND", 0, kMicrosPerSecond},
                           {"MILLISECOND", 0, 1000},
                           {"MICROSECOND", 0, 1}};

const Unit& UnitOf(std::string_view text) {
  std::string name = AsciiUpper(text);
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit;
  }
  ThrowSpark({"INVALID_PARAMETER_VALUE.DATETIME_UNIT", "22023", "SparkIllegalArgumentException",
              "The value of parameter(s) `unit` is invalid: " + std::string(text) + "."});
}

Datum TimestampAdd(const RowArgs& args) {
  const Unit& unit = UnitOf(args.Text(0));
  int64_t count = args.Long(1), local = args.Long(2);
  return unit.months != 0 ? AddMonths(local, count * unit.months) : local + count * unit.micros;
}

// Whole months from a to b, counting towards zero.
int64_t MonthsFrom(int64_t a, int64_t b) {
  CivilDate x = CivilFromDays(FloorDiv(a, kMicrosPerDay)),
            y = CivilFromDays(FloorDiv(b, kMicrosPerDay));
  int64_t months = (y.year - x.year) * 12 + y.month - x.month;
  if (months > 0 && AddMonths(a, months) > b) --months;
  if (months < 0 && AddMonths(a, months) < b) ++months;
  return months;
}

Datum TimestampDiff(const RowArgs& args) {
  const Unit& unit = UnitOf(args.Text(0));
  int64_t a = args.Long(1), b = args.Long(2);
  return unit.months != 0 ? MonthsFrom(a, b) / unit.months : (b - a) / unit.micros;
}

Datum MonthsBetween(const RowArgs& args) {
  int64_t a = args.Long(0), b = args.Long(1);
  CivilDate x = CivilFromDays(FloorDiv(a, kMicrosPerDay)),
            y = CivilFromDays(FloorDiv(b, kMicrosPerDay));
  auto months = static_cast<double>((x.year - y.year) * 12 + x.month - y.month);
  bool both_last = x.day == DaysInMonth(x.year, x.month) && y.day == DaysInMonth(y.year, y.month);
  if (x.day == y.day || both_last) return months;
  int64_t seconds = (x.day - y.day) * 86400 +
                    (FloorMod(a, kMicrosPerDay) - FloorMod(b, kMicrosPerDay)) / kMicrosPerSecond;
  double out = months + static_cast<double>(seconds) / (31 * 86400.0);
  return args.Bool(2) ? std::round(out * 1e8) / 1e8 : out;
}

Datum NextDay(const RowArgs& args) {
  static constexpr std::string_view kNames[] = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                                "FRIDAY", "SATURDAY", "SUNDAY"};
  std::string wanted = AsciiUpper(args.Text(1));
  for (int64_t i = 0; i < 7; ++i) {
    bool match =
        wanted == kNames[i] || wanted == kNames[i].substr(0, 3) || wanted == kNames[i].substr(0, 2);
    if (!match) continue;
    int64_t days = args.Long(0), weekday = FloorMod(days + 3, 7);
    int64_t ahead = FloorMod(i - weekday, 7);
    return days + (ahead == 0 ? 7 : ahead);
  }
  ThrowCondition("ILLEGAL_DAY_OF_WEEK", {{"string", std::string(args.Text(1))}});
}

[[noreturn]] void ThrowOutOfBounds(const std::string& message) {
  ThrowCondition("DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", {{"rangeMessage", message}});
}

// The message of java.time for a date that does not exist, or an empty string.
std::string DateProblem(int64_t year, int64_t month, int64_t day) {
  static constexpr std::string_view kNames[] = {"JANUARY",   "FEBRUARY", "MARCH",    "APRIL",
                                                "MAY",       "JUNE",     "JULY",     "AUGUST",
                                                "SEPTEMBER", "OCTOBER",  "NOVEMBER", "DECEMBER"};
  if (month < 1 || month > 12)
    return fmt::format("Invalid value for MonthOfYear (valid values 1 - 12): {}", month);
  if (day < 1 || day > 31)
    return fmt::format("Invalid value for DayOfMonth (valid values 1 - 28/31): {}", day);
  if (day <= DaysInMonth(year, static_cast<int32_t>(month))) return "";
  if (day == 29) return fmt::format("Invalid date 'February 29' as '{}' is not a leap year", year);
  return fmt::format("Invalid date '{} {}'", kNames[month - 1], day);
}

Datum MakeDate(const RowArgs& args) {
  std::string problem = DateProblem(args.Long(0), args.Long(1), args.Long(2));
  if (!problem.empty()) ThrowOutOfBounds(problem);
  return DaysFromCivil({args.Long(0), args.Int(1), args.Int(2)});
}

Datum MakeTimestamp(const RowArgs& args) {
  bool try_mode = args.Bool(6);
  std::string problem = DateProblem(args.Long(0), args.Long(1), args.Long(2));
  double seconds = args.Double(5);
  if (problem.empty() && (args.Int(3) < 0 || args.Int(3) > 23)) {
    problem = fmt::format("Invalid value for HourOfDay (valid values 0 - 23): {}", args.Int(3));
  }
  if (problem.empty() && (args.Int(4) < 0 || args.Int(4) > 59)) {
    problem = fmt::format("Invalid value for MinuteOfHour (valid values 0 - 59): {}", args.Int(4));
  }
  if (problem.empty() && (seconds < 0 || seconds > 60)) {
    problem = fmt::format("Invalid value for SecondOfMinute (valid values 0 - 59): {}",
                          static_cast<int>(seconds));
  }
  if (!problem.empty()) {
    if (try_mode) return {};
    ThrowOutOfBounds(problem);
  }
  int64_t days = DaysFromCivil({args.Long(0), args.Int(1), args.Int(2)});
  return days * kMicrosPerDay + args.Long(3) * kMicrosPerHour +
         args.Long(4) * 60 * kMicrosPerSecond + std::llround(seconds * kMicrosPerSecond);
}

}  // namespace

void RegisterDatetimeFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType text = LogicalType::VARCHAR, i32 = LogicalType::INTEGER,
                    i64 = LogicalType::BIGINT, flag = LogicalType::BOOLEAN,
                    ts = LogicalType::TIMESTAMP, date = LogicalType::DATE,
                    f64 = LogicalType::DOUBLE;
  Register(loader,
           {
               {"ib_date_format", {ts, text, text}, text, DateFormat},
               {"ib_parse_timestamp_as", {text, text, flag, text}, ts, ParseTimestampAs},
               {"ib_parse_date_as", {text, text, flag, text}, date, ParseDateAs},
               {"ib_date_trunc", {text, ts}, ts, DateTrunc},
               {"ib_date_trunc_date", {text, ts}, ts, DateTruncDate},
               {"ib_timestamp_add", {text, i64, ts}, ts, TimestampAdd},
               {"ib_timestamp_diff", {text, ts, ts}, i64, TimestampDiff},
               {"ib_months_between", {ts, ts, flag}, f64, MonthsBetween},
               {"ib_next_day", {date, text}, date, NextDay},
               {"ib_make_date", {i32, i32, i32}, date, MakeDate},
               {"ib_make_timestamp", {i32, i32, i32, i32, i32, f64, flag}, ts, MakeTimestamp},
           });
}

}  // namespace iceblink::exec
