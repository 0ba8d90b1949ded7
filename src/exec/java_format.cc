#include "exec/java_format.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::exec {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

// A pattern as letters with their count, and literal text.
struct Part {
  char letter = 0;  // 0: literal
  int count = 0;
  std::string text;
};

std::optional<std::vector<Part>> Split(std::string_view pattern) {
  std::vector<Part> out;
  auto literal = [&](char c) {
    if (out.empty() || out.back().letter != 0) out.push_back({});
    out.back().text += c;
  };
  for (size_t i = 0; i < pattern.size();) {
    char c = pattern[i];
    if (std::isalpha(static_cast<unsigned char>(c))) {
      size_t end = i;
      while (end < pattern.size() && pattern[end] == c) ++end;
      out.push_back({c, static_cast<int>(end - i), {}});
      i = end;
    } else if (c == '\'') {
      size_t end = i + 1;
      if (end < pattern.size() && pattern[end] == '\'') {
        literal('\'');
        i += 2;
        continue;
      }
      for (; end < pattern.size(); ++end) {
        if (pattern[end] != '\'') {
          literal(pattern[end]);
        } else if (end + 1 < pattern.size() && pattern[end + 1] == '\'') {
          literal('\'');
          ++end;
        } else {
          break;
        }
      }
      if (end >= pattern.size()) return std::nullopt;
      i = end + 1;
    } else if (c == '[' || c == ']') {
      ++i;  // optional sections: formatted as if required
    } else {
      literal(c);
      ++i;
    }
  }
  return out;
}

std::string Offset(char letter, int count, int32_t seconds) {
  if (letter == 'X' && seconds == 0) return "Z";
  char sign = seconds < 0 ? '-' : '+';
  int32_t s = seconds < 0 ? -seconds : seconds;
  int hours = s / 3600, minutes = s / 60 % 60;
  if (letter == 'Z')
    return count < 4 ? fmt::format("{}{:02}{:02}", sign, hours, minutes)
                     : fmt::format("GMT{}{:02}:{:02}", sign, hours, minutes);
  if (count == 1)
    return minutes == 0 ? fmt::format("{}{:02}", sign, hours)
                        : fmt::format("{}{:02}{:02}", sign, hours, minutes);
  return fmt::format("{}{:02}{}{:02}", sign, hours, count % 2 == 0 ? "" : ":", minutes);
}

std::string Number(int64_t value, int width) {
  return value < 0 ? fmt::format("-{:0{}}", -value, width) : fmt::format("{:0{}}", value, width);
}

// A local time taken apart for the letters of a pattern.
struct LocalTime {
  CivilDate date;
  int64_t hour, minute, second;
  int64_t weekday;  // Monday is 0
  int64_t day_of_year;
  std::string fraction;  // nine digits
  int32_t offset_seconds;
  std::string_view zone;
};

LocalTime TakeApart(int64_t local_micros, int32_t offset_seconds, std::string_view zone) {
  int64_t days = FloorDiv(local_micros, kMicrosPerDay);
  int64_t of_day = FloorMod(local_micros, kMicrosPerDay);
  int64_t seconds = of_day / kMicrosPerSecond;
  CivilDate date = CivilFromDays(days);
  return {date,
          seconds / 3600,
          seconds / 60 % 60,
          seconds % 60,
          FloorMod(days + 3, 7),
          days - DaysFromCivil({date.year, 1, 1}) + 1,
          fmt::format("{:06}000", of_day % kMicrosPerSecond),
          offset_seconds,
          zone};
}

std::string QuarterText(int quarter, int count) {
  if (count <= 2) return Number(quarter, count);
  if (count == 3) return fmt::format("Q{}", quarter);
  return fmt::format("{} quarter", std::array{"1st", "2nd", "3rd", "4th"}[quarter - 1]);
}

// The text of a letter of dates; nothing when it is not one.
std::optional<std::string> DateField(char letter, int n, const LocalTime& t) {
  switch (letter) {
    case 'y':
    case 'u':
      return n == 2 ? Number(FloorMod(t.date.year, 100), 2) : Number(t.date.year, n);
    case 'M':
    case 'L': {
      if (n <= 2) return Number(t.date.month, n);
      std::string name(kMonths[t.date.month - 1]);
      return n == 3 ? name.substr(0, 3) : name;
    }
    case 'd':
      return Number(t.date.day, n);
    case 'D':
      return Number(t.day_of_year, n);
    case 'E': {
      std::string name(kDays[t.weekday]);
      return n <= 3 ? name.substr(0, 3) : name;
    }
    case 'Q':
    case 'q':
      return QuarterText((t.date.month + 2) / 3, n);
    case 'G':
      return t.date.year > 0 ? "AD" : "BC";
    default:
      return std::nullopt;
  }
}

// The text of a letter of times and zones; nothing when it is not one.
std::optional<std::string> TimeField(char letter, int n, const LocalTime& t) {
  switch (letter) {
    case 'a':
      return t.hour < 12 ? "AM" : "PM";
    case 'H':
      return Number(t.hour, n);
    case 'k':
      return Number(t.hour == 0 ? 24 : t.hour, n);
    case 'K':
      return Number(t.hour % 12, n);
    case 'h':
      return Number(t.hour % 12 == 0 ? 12 : t.hour % 12, n);
    case 'm':
      return Number(t.minute, n);
    case 's':
      return Number(t.second, n);
    case 'S':
      return t.fraction.substr(0, n);
    case 'V':
    case 'z':
      return std::string(t.zone);
    case 'X':
    case 'x':
    case 'Z':
      return Offset(letter, n, t.offset_seconds);
    case 'O':
      return t.offset_seconds == 0 ? "GMT" : "GMT" + Offset('x', 3, t.offset_seconds);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> FormatJava(std::string_view pattern, int64_t local_micros,
                                      int32_t offset_seconds, std::string_view zone) {
  auto parts = Split(pattern);
  if (!parts) return std::nullopt;
  LocalTime local = TakeApart(local_micros, offset_seconds, zone);
  std::string out;
  for (const Part& part : *parts) {
    if (part.letter == 0) {
      out += part.text;
      continue;
    }
    auto text = DateField(part.letter, part.count, local);
    if (!text) text = TimeField(part.letter, part.count, local);
    if (!text) return std::nullopt;
    out += *text;
  }
  return out;
}

// ---- parsing
// ---------------------------------------------------------------------------------------------------------

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Literal(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  std::optional<int64_t> Digits(int min, int max) {
    size_t begin = at_;
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) &&
           static_cast<int>(at_ - begin) < max) {
      value = value * 10 + (text_[at_++] - '0');
    }
    if (static_cast<int>(at_ - begin) < min) {
      at_ = begin;
      return std::nullopt;
    }
    return value;
  }
  template <size_t N>
  std::optional<int> Name(const std::array<std::string_view, N>& names, bool full) {
    for (size_t i = 0; i < N; ++i) {
      std::string_view name = full ? names[i] : names[i].substr(0, 3);
      if (!EqualsIgnoreCase(text_.substr(at_, name.size()), name)) continue;
      at_ += name.size();
      return static_cast<int>(i);
    }
    return std::nullopt;
  }
  std::optional<int32_t> Offset() {
    if (Literal("Z")) return 0;
    int sign = 0;
    if (Literal("+"))
      sign = 1;
    else if (Literal("-"))
      sign = -1;
    else
      return std::nullopt;
    auto hours = Digits(2, 2);
    if (!hours) return std::nullopt;
    Literal(":");
    auto minutes = Digits(2, 2);
    return static_cast<int32_t>(sign * (*hours * 3600 + minutes.value_or(0) * 60));
  }
  std::string Word() {
    size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ') ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  size_t at() const { return at_; }
  bool done() const { return at_ == text_.size(); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct Fields {
  int64_t year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, micros = 0;
  std::optional<bool> afternoon;
  std::optional<int64_t> half_hour;  // of h and K
  std::optional<int64_t> day_of_year;
};

// Micros of a fraction of up to `digits` digits.
bool ReadFraction(Parser& in, int digits, Fields& f) {
  size_t begin = in.at();
  auto value = in.Digits(1, digits);
  if (!value) return false;
  f.micros = *value;
  size_t read = in.at() - begin;
  for (; read < 6; ++read) f.micros *= 10;
  for (; read > 6; --read) f.micros /= 10;
  return true;
}

bool ReadHalf(Parser& in, Fields& f) {
  if (in.Literal("AM") || in.Literal("am")) {
    f.afternoon = false;
    return true;
  }
  f.afternoon = true;
  return in.Literal("PM") || in.Literal("pm");
}

// Reads a number of up to `width` digits; exactly as many as the letters when the next field is
// adjacent.
bool ReadNumber(Parser& in, int n, int width, bool adjacent, int64_t& to) {
  auto value =
      in.Digits(n == 1 ? 1 : n, n == 1 || (n < width && !adjacent) ? width : std::max(n, 1));
  if (value) to = *value;
  return value.has_value();
}

bool ReadYear(Parser& in, int n, bool adjacent, Fields& f) {
  if (n != 2) return ReadNumber(in, n, n == 4 ? 4 : 9, adjacent, f.year);
  auto value = in.Digits(2, 2);
  if (value) f.year = 2000 + *value;
  return value.has_value();
}

bool ReadMonth(Parser& in, int n, bool adjacent, Fields& f) {
  if (n <= 2) return ReadNumber(in, n, 2, adjacent, f.month);
  auto name = in.Name(kMonths, n > 3);
  if (name) f.month = *name + 1;
  return name.has_value();
}

// Hours of a day (0-23, or 1-24 for k) and of its halves (1-12, or 0-11 for K).
bool ReadHour(Parser& in, const Part& part, bool adjacent, Fields& f) {
  int64_t value = 0;
  if (!ReadNumber(in, part.count, 2, adjacent, value)) return false;
  bool half = part.letter == 'h' || part.letter == 'K';
  if (half) f.half_hour = value % 12;
  if (!half) f.hour = part.letter == 'k' && value == 24 ? 0 : value;
  return true;
}

// Reads one letter's field; false when the text does not fit, nothing when the letter is not known.
std::optional<bool> ReadField(const Part& part, bool adjacent, Parser& in, Fields& f,
                              JavaParse& out) {
  const int n = part.count;
  switch (part.letter) {
    case 'y':
    case 'u':
      return ReadYear(in, n, adjacent, f);
    case 'M':
    case 'L':
      return ReadMonth(in, n, adjacent, f);
    case 'd':
      return ReadNumber(in, n, 2, adjacent, f.day);
    case 'D': {
      int64_t value = 0;
      bool ok = ReadNumber(in, n, 3, adjacent, value);
      f.day_of_year = value;
      return ok;
    }
    case 'E':
      return in.Name(kDays, n > 3).has_value();
    case 'a':
      return ReadHalf(in, f);
    case 'H':
    case 'k':
    case 'h':
    case 'K':
      return ReadHour(in, part, adjacent, f);
    case 'm':
      return ReadNumber(in, n, 2, adjacent, f.minute);
    case 's':
      return ReadNumber(in, n, 2, adjacent, f.second);
    case 'S':
      return ReadFraction(in, n, f);
    case 'X':
    case 'x':
    case 'Z':
      out.offset_seconds = in.Offset();
      return out.offset_seconds.has_value();
    case 'V':
    case 'z':
    case 'O':
      out.zone = in.Word();
      return !out.zone.empty();
    default:
      return std::nullopt;
  }
}

}  // namespace

JavaParse ParseJava(std::string_view pattern, std::string_view text) {
  JavaParse out;
  auto parts = Split(pattern);
  if (!parts) {
    out.bad_pattern = true;
    return out;
  }
  Parser in(text);
  Fields f;
  for (size_t i = 0; i < parts->size(); ++i) {
    const Part& part = (*parts)[i];
    out.error_index = in.at();
    if (part.letter == 0) {
      if (!in.Literal(part.text)) return out;
      continue;
    }
    bool adjacent = i + 1 < parts->size() && (*parts)[i + 1].letter != 0;
    auto ok = ReadField(part, adjacent, in, f, out);
    if (!ok) out.bad_pattern = true;
    if (!ok || !*ok) return out;
  }
  out.error_index = in.at();
  out.unparsed_text = !in.done();
  if (out.unparsed_text) return out;
  if (f.half_hour) f.hour = *f.half_hour + (f.afternoon.value_or(false) ? 12 : 0);
  out.error_index = 0;
  bool in_range = f.month >= 1 && f.month <= 12 && f.day >= 1 &&
                  f.day <= DaysInMonth(f.year, static_cast<int32_t>(f.month)) && f.hour <= 23 &&
                  f.minute <= 59 && f.second <= 59;
  if (!in_range) return out;
  int64_t days =
      DaysFromCivil({f.year, static_cast<int32_t>(f.month), static_cast<int32_t>(f.day)});
  if (f.day_of_year) days = DaysFromCivil({f.year, 1, 1}) + *f.day_of_year - 1;
  out.local_micros = days * kMicrosPerDay +
                     ((f.hour * 60 + f.minute) * 60 + f.second) * kMicrosPerSecond + f.micros;
  out.ok = true;
  return out;
}

}  // namespace iceblink::exec
