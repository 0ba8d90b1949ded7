// How Java and Spark print and read numbers, dates and times as text. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"

namespace iceblink::exec {

// Double.toString and Float.toString: "1.0E20", "0.30000000000000004".
std::string JavaDouble(double value);
std::string JavaFloat(float value);

// Date and timestamp as Spark casts them to string: "2026-01-01", "2026-01-01 00:00:00.1"; years
// beyond 9999 with a plus sign.
std::string SparkDate(int64_t days);
std::string SparkTimestamp(int64_t local_micros);

// Text as Spark casts it from string; nothing when malformed. White space around is ignored.
std::optional<int64_t> ParseSparkLong(std::string_view text);  // digits with sign; no fraction
std::optional<int64_t> ParseSparkLongTruncating(std::string_view text);  // without ANSI "1.5" is 1
std::optional<double> ParseSparkDouble(std::string_view text);
std::optional<bool> ParseSparkBoolean(std::string_view text);
std::optional<Decimal> ParseSparkDecimal(std::string_view text);
// "2026", "2026-1", "2026-01-01", "2026-01-01T...".
std::optional<int64_t> ParseSparkDate(std::string_view text);
// A timestamp's wall clock in micros and the zone it names, if any ("Z", "+01:00",
// "Europe/Berlin").
struct SparkTimestampText {
  int64_t local_micros = 0;
  std::string zone;  // empty: none given
};
std::optional<SparkTimestampText> ParseSparkTimestamp(std::string_view text);

// "1-2", "-3", "INTERVAL '1-2' YEAR TO MONTH": months. "1 02:03:04.5" and the like: micros. Fields
// as below.
std::optional<int64_t> ParseYearMonth(std::string_view text, int start_field, int end_field);
std::optional<int64_t> ParseDayTime(std::string_view text, int start_field, int end_field);

// Interval text as INTERVAL '1-2' YEAR TO MONTH and the like; fields are 0 year ... 5 second.
std::string SparkInterval(int64_t value, bool year_month, int start_field, int end_field);
// A calendar interval: "1 years 2 months 3 days 4 hours"; "0 seconds" when empty.
std::string CalendarInterval(const Interval& interval);

}  // namespace iceblink::exec
