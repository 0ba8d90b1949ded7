#include "base/datetime.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace iceblink {
namespace {

using Int128 = __int128;

constexpr int64_t kDaysPerEra = 146097;  // 400 years

// Cursor over a text; Fail positions are reported as java.time does.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  bool Take(char c) {
    if (Peek() != c || AtEnd()) return false;
    at_++;
    return true;
  }
  // Exactly `digits` digits, with a value of at most `max`.
  bool Number(int digits, int64_t max, int64_t& value) {
    const size_t start = at_;
    value = 0;
    for (int i = 0; i < digits; i++, at_++) {
      if (Peek() < '0' || Peek() > '9') return Back(start);
      value = value * 10 + (Peek() - '0');
    }
    return value <= max || Back(start);
  }
  // Between `least` and `most` digits, as many as there are.
  int Digits(int least, int most, int64_t& value) {
    value = 0;
    int count = 0;
    while (count < most && Peek() >= '0' && Peek() <= '9') {
      value = value * 10 + (text_[at_++] - '0');
      count++;
    }
    return count >= least ? count : 0;
  }
  tl::unexpected<Error> Fail() const {
    return iceblink::Fail(ErrorCode::kInvalidArgument,
                          fmt::format("Text '{}' could not be parsed at index {}", text_, at_),
                          "DateTimeParseException");
  }

 private:
  bool Back(size_t start) {
    at_ = start;
    return false;
  }
  std::string_view text_;
  size_t at_ = 0;
};

bool ScanDate(Scanner& scanner, int64_t& days) {
  CivilDate date;
  const bool negative = scanner.Peek() == '-';
  const bool is_signed = scanner.Take('-') || scanner.Take('+');
  int64_t year = 0, month = 0, day = 0;
  if (scanner.Digits(4, is_signed ? 9 : 4, year) == 0) return false;
  if (!scanner.Take('-') || !scanner.Number(2, 12, month) || month == 0) return false;
  date.year = negative ? -year : year;
  date.month = static_cast<int32_t>(month);
  if (!scanner.Take('-') || !scanner.Number(2, DaysInMonth(date.year, date.month), day) || day == 0)
    return false;
  date.day = static_cast<int32_t>(day);
  days = DaysFromCivil(date);
  return true;
}

bool ScanFraction(Scanner& scanner, int64_t& nanos) {
  int64_t fraction = 0;
  const int digits = scanner.Digits(1, 9, fraction);
  if (digits == 0) return false;
  for (int i = digits; i < 9; i++) fraction *= 10;
  nanos += fraction;
  return true;
}

bool ScanTime(Scanner& scanner, int64_t& nanos) {
  int64_t hour = 0, minute = 0, second = 0;
  if (!scanner.Number(2, 23, hour) || !scanner.Take(':') || !scanner.Number(2, 59, minute))
    return false;
  const bool has_seconds = scanner.Take(':');
  if (has_seconds && !scanner.Number(2, 59, second)) return false;
  nanos = ((hour * 60 + minute) * 60 + second) * kNanosPerSecond;
  return !has_seconds || !scanner.Take('.') || ScanFraction(scanner, nanos);
}

bool ScanOffset(Scanner& scanner, std::optional<int32_t>& offset) {
  if (scanner.Take('Z')) {
    offset = 0;
    return true;
  }
  const bool negative = scanner.Peek() == '-';
  if (!scanner.Take('+') && !scanner.Take('-')) return true;
  int64_t hours = 0, minutes = 0, seconds = 0;
  if (!scanner.Number(2, 18, hours)) return false;
  if (scanner.Take(':')) {
    if (!scanner.Number(2, 59, minutes)) return false;
    if (scanner.Take(':') && !scanner.Number(2, 59, seconds)) return false;
  }
  const auto total = static_cast<int32_t>((hours * 60 + minutes) * 60 + seconds);
  offset = negative ? -total : total;
  return true;
}

std::optional<int64_t> Narrow(Int128 value) {
  if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return static_cast<int64_t>(value);
}

// ".123" of 123000000 nanos; "" of zero.
std::string Fraction(int64_t nanos) {
  if (nanos == 0) return {};
  std::string text = fmt::format(".{:09}", nanos);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string TimeText(int64_t nanos_of_day) {
  const int64_t seconds = nanos_of_day / kNanosPerSecond;
  return fmt::format("{:02}:{:02}:{:02}{}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                     Fraction(nanos_of_day % kNanosPerSecond));
}

}  // namespace

int64_t DaysFromCivil(const CivilDate& date) {
  // Years begin in March here, so that the leap day is the last of its year.
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDiv(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year =
      (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - 719468;
}

CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = FloorDiv(days, kDaysPerEra);
  const int64_t day_of_era = days - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int32_t>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month =
      static_cast<int32_t>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int32_t DaysInMonth(int64_t year, int32_t month) {
  static constexpr std::array<int32_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[static_cast<size_t>(month - 1)];
}

int32_t YearsFromDays(int64_t days) {
  return static_cast<int32_t>(CivilFromDays(days).year - 1970);
}

int32_t MonthsFromDays(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return static_cast<int32_t>((date.year - 1970) * 12 + date.month - 1);
}

std::string FormatDate(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  const std::string_view sign = date.year > 9999 ? "+" : date.year < 0 ? "-" : "";
  return fmt::format("{}{:04}-{:02}-{:02}", sign, date.year < 0 ? -date.year : date.year,
                     date.month, date.day);
}

std::string FormatTimeShort(int64_t micros_of_day) {
  const int64_t seconds = micros_of_day / kMicrosPerSecond,
                micros = micros_of_day % kMicrosPerSecond;
  std::string text = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (seconds % 60 != 0 || micros != 0) text += fmt::format(":{:02}", seconds % 60);
  if (micros != 0)
    text +=
        micros % 1000 == 0 ? fmt::format(".{:03}", micros / 1000) : fmt::format(".{:06}", micros);
  return text;
}

std::string FormatTime(int64_t micros_of_day) { return TimeText(micros_of_day * 1000); }

std::string FormatTimestamp(int64_t micros, std::string_view suffix, char separator) {
  return fmt::format("{}{}{}{}", FormatDate(FloorDiv(micros, kMicrosPerDay)), separator,
                     TimeText(FloorMod(micros, kMicrosPerDay) * 1000), suffix);
}

std::string FormatTimestampNanos(int64_t nanos, std::string_view suffix, char separator) {
  return fmt::format("{}{}{}{}", FormatDate(FloorDiv(nanos, kNanosPerDay)), separator,
                     TimeText(FloorMod(nanos, kNanosPerDay)), suffix);
}

std::string HumanYear(int64_t years) { return fmt::format("{:04}", 1970 + years); }

std::string HumanMonth(int64_t months) {
  return fmt::format("{:04}-{:02}", 1970 + FloorDiv(months, 12), 1 + FloorMod(months, 12));
}

std::string HumanDay(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string HumanHour(int64_t hours) {
  return fmt::format("{}-{:02}", HumanDay(FloorDiv(hours, 24)), FloorMod(hours, 24));
}

std::optional<int64_t> ParsedTimestamp::ToMicros() const {
  const Int128 offset = Int128{offset_seconds.value_or(0)} * kMicrosPerSecond;
  return Narrow(Int128{days} * kMicrosPerDay + nanos_of_day / 1000 - offset);
}

std::optional<int64_t> ParsedTimestamp::ToNanos() const {
  const Int128 offset = Int128{offset_seconds.value_or(0)} * kNanosPerSecond;
  return Narrow(Int128{days} * kNanosPerDay + nanos_of_day - offset);
}

Result<int64_t> ParseDate(std::string_view text) {
  Scanner scanner(text);
  int64_t days = 0;
  if (!ScanDate(scanner, days) || !scanner.AtEnd()) return scanner.Fail();
  return days;
}

Result<int64_t> ParseTime(std::string_view text) {
  Scanner scanner(text);
  int64_t nanos = 0;
  if (!ScanTime(scanner, nanos) || !scanner.AtEnd()) return scanner.Fail();
  return nanos / 1000;
}

Result<ParsedTimestamp> ParseTimestamp(std::string_view text) {
  Scanner scanner(text);
  ParsedTimestamp out;
  if (!ScanDate(scanner, out.days)) return scanner.Fail();
  if (!scanner.Take('T') && !scanner.Take('t') && !scanner.Take(' ')) return scanner.Fail();
  if (!ScanTime(scanner, out.nanos_of_day)) return scanner.Fail();
  if (!ScanOffset(scanner, out.offset_seconds) || !scanner.AtEnd()) return scanner.Fail();
  return out;
}

}  // namespace iceblink
