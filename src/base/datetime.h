// Dates and times in the proleptic Gregorian calendar, as java.time has them: days, micros and
// nanos since 1970-01-01T00:00:00 and their ISO texts. All pure. Years beyond 0000-9999 print with
// a sign ("+10000", "-0001"), as ISO_LOCAL_DATE does; arithmetic is safe over the whole int64 range
// of micros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iceblink {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerHour = 3600 * kMicrosPerSecond;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kNanosPerHour = 3600 * kNanosPerSecond;
inline constexpr int64_t kNanosPerDay = 24 * kNanosPerHour;

// Division that rounds towards minus infinity; b > 0.
constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0) && (a < 0)); }
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

struct CivilDate {
  int64_t year = 1970;
  int32_t month = 1;  // 1-12
  int32_t day = 1;    // 1-31
  bool operator==(const CivilDate&) const = default;
};

// Days since 1970-01-01 of any valid date.
int64_t DaysFromCivil(const CivilDate& date);
CivilDate CivilFromDays(int64_t days);
bool IsLeapYear(int64_t year);
int32_t DaysInMonth(int64_t year, int32_t month);

// Results of the time transforms: all floor, so dates before 1970 round down.
int32_t YearsFromDays(int64_t days);   // years since 1970
int32_t MonthsFromDays(int64_t days);  // months since 1970-01

// "2017-11-16".
std::string FormatDate(int64_t days);
// Java's LocalTime.toString: "22:31", "22:31:08", "22:31:08.001", "22:31:08.000001".
std::string FormatTimeShort(int64_t micros_of_day);
// ISO_LOCAL_TIME: seconds always, fraction without trailing zeros, absent when zero.
std::string FormatTime(int64_t micros_of_day);
// ISO_LOCAL_DATE_TIME: "2017-11-16T22:31:08.000001"; `separator` stands between date and time,
// `suffix` ("+00:00", "Z") follows.
std::string FormatTimestamp(int64_t micros, std::string_view suffix = {}, char separator = 'T');
std::string FormatTimestampNanos(int64_t nanos, std::string_view suffix = {}, char separator = 'T');

// Partition path texts of the time transforms' results.
std::string HumanYear(int64_t years);    // 47 -> "2017"
std::string HumanMonth(int64_t months);  // 574 -> "2017-11"
std::string HumanDay(int64_t days);
std::string HumanHour(int64_t hours);  // "2017-11-16-22"

// Date and time of day of a text, and its zone offset when it has one.
struct ParsedTimestamp {
  int64_t days = 0;
  int64_t nanos_of_day = 0;
  std::optional<int32_t> offset_seconds;  // "Z" is 0

  // Instant (local time minus the offset, if any). Nothing when it does not fit.
  std::optional<int64_t> ToMicros() const;  // sub-micro digits are cut off
  std::optional<int64_t> ToNanos() const;
};

// Each parser takes the whole text and answers kInvalidArgument (DateTimeParseException: "Text '%s'
// could not be parsed at index %d") on anything else.
Result<int64_t> ParseDate(std::string_view text);  // [+-]yyyy[yyyyy]-MM-dd -> days
Result<int64_t> ParseTime(std::string_view text);  // HH:mm[:ss[.fffffffff]] -> micros of day
// <date>(T| )HH:mm[:ss[.f{1,9}]][Z|+HH[:mm[:ss]]|-...]
Result<ParsedTimestamp> ParseTimestamp(std::string_view text);

}  // namespace iceblink
