#include "sql/datetime_text.h"

#include <array>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::sql {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A cursor over digits and separators.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  bool Accept(char c) {
    if (Peek() != c || AtEnd()) return false;
    ++at_;
    return true;
  }
  std::string_view Rest() const { return text_.substr(at_); }
  // Reads `min` to `max` digits.
  std::optional<int64_t> Digits(size_t min, size_t max) {
    const size_t start = at_;
    int64_t value = 0;
    while (IsDigit(Peek()) && at_ - start < max) value = value * 10 + (text_[at_++] - '0');
    if (at_ - start < min || IsDigit(Peek())) return std::nullopt;
    return value;
  }
  // Reads a fraction of a second; digits beyond the sixth are cut.
  std::optional<int64_t> Micros() {
    int64_t value = 0;
    int count = 0;
    for (; IsDigit(Peek()); ++at_, ++count) {
      if (count < 6) value = value * 10 + (text_[at_] - '0');
    }
    if (count > 9) return std::nullopt;
    for (; count < 6; ++count) value *= 10;
    return value;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// [+-]yyyy[-M[-d]]
std::optional<int64_t> ReadDate(Scanner& in) {
  const bool negative = in.Accept('-');
  if (!negative) in.Accept('+');
  const auto year = in.Digits(4, 7);
  std::optional<int64_t> month = 1;
  std::optional<int64_t> day = 1;
  if (!year) return std::nullopt;
  if (in.Accept('-')) {
    month = in.Digits(1, 2);
    if (month && in.Accept('-')) day = in.Digits(1, 2);
  }
  if (!month || !day || *month < 1 || *month > 12) return std::nullopt;
  const CivilDate date{negative ? -*year : *year, static_cast<int32_t>(*month),
                       static_cast<int32_t>(*day)};
  if (*day < 1 || *day > DaysInMonth(date.year, date.month)) return std::nullopt;
  return DaysFromCivil(date);
}

// h[:m[:s[.fraction]]]
std::optional<int64_t> ReadTime(Scanner& in) {
  const auto hour = in.Digits(1, 2);
  std::optional<int64_t> minute = 0;
  std::optional<int64_t> second = 0;
  std::optional<int64_t> micros = 0;
  if (in.Accept(':')) {
    minute = in.Digits(1, 2);
    if (minute && in.Accept(':')) {
      second = in.Digits(1, 2);
      if (second && in.Accept('.')) micros = in.Micros();
    }
  }
  if (!hour || !minute || !second || !micros || *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond + *micros;
}

bool IsZone(std::string_view zone) {
  if (zone.empty() || FixedZoneOffset(zone)) return true;
  if (!((zone[0] >= 'A' && zone[0] <= 'Z') || (zone[0] >= 'a' && zone[0] <= 'z'))) return false;
  return zone.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_+-") ==
         std::string_view::npos;
}

}  // namespace

std::string SpecialDatetime(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"epoch", "now", "today", "tomorrow",
                                                   "yesterday"};
  const std::string lower = AsciiLower(Trim(text));
  for (std::string_view word : kWords) {
    if (lower == word) return lower;
  }
  return "";
}

std::optional<int32_t> ParseDateText(std::string_view text) {
  Scanner in(Trim(text));
  const auto days = ReadDate(in);
  if (!days || !(in.AtEnd() || in.Peek() == ' ' || in.Peek() == 'T')) return std::nullopt;
  return static_cast<int32_t>(*days);
}

std::optional<TimestampText> ParseTimestampText(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  TimestampText out;
  Scanner in(trimmed);
  const size_t colon = trimmed.find(':');
  out.time_only = trimmed.starts_with('T') || (colon != std::string_view::npos && colon <= 2);
  int64_t days = 0;
  if (out.time_only) {
    in.Accept('T');
  } else {
    const auto date = ReadDate(in);
    if (!date) return std::nullopt;
    days = *date;
    if (in.AtEnd()) {
      out.local_micros = days * kMicrosPerDay;
      return out;
    }
    if (!in.Accept(' ') && !in.Accept('T')) return std::nullopt;
  }
  const auto time = ReadTime(in);
  const std::string_view zone = Trim(in.Rest());
  if (!time || !IsZone(zone)) return std::nullopt;
  out.local_micros = days * kMicrosPerDay + *time;
  out.zone = zone;
  return out;
}

std::optional<int64_t> ParseTimeText(std::string_view text) {
  Scanner in(Trim(text));
  const auto time = ReadTime(in);
  return time && in.AtEnd() ? time : std::nullopt;
}

std::optional<int32_t> FixedZoneOffset(std::string_view zone) {
  for (std::string_view name : {"Z", "UTC", "GMT", "UT"}) {
    if (zone == name) return 0;
    if (name != "Z" && zone.starts_with(name) && zone.size() > name.size()) {
      zone.remove_prefix(name.size());
      break;
    }
  }
  if (zone.empty() || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  Scanner in(zone.substr(1));
  const auto hour = in.Digits(1, 2);
  std::optional<int64_t> minute = 0;
  std::optional<int64_t> second = 0;
  if (in.Accept(':')) minute = in.Digits(1, 2);
  if (minute && in.Accept(':')) second = in.Digits(1, 2);
  if (!hour || !minute || !second || !in.AtEnd() || *hour > 18 || *minute > 59 || *second > 59)
    return std::nullopt;
  const auto offset = static_cast<int32_t>((*hour * 60 + *minute) * 60 + *second);
  return zone[0] == '-' ? -offset : offset;
}

}  // namespace iceblink::sql
