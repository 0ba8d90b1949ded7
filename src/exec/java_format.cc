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

}  // namespace

std::optional<std::string> FormatJava(std::string_view pattern, int64_t local_micros,
                                      int32_t offset_seconds, std::string_view zone) {
  auto parts = Split(pattern);
  if (!parts) return std::nullopt;
  int64_t days = FloorDiv(local_micros, kMicrosPerDay),
          of_day = FloorMod(local_micros, kMicrosPerDay);
  CivilDate date = CivilFromDays(days);
  int64_t seconds = of_day / kMicrosPerSecond;
  int64_t hour = seconds / 3600, minute = seconds / 60 % 60, second = seconds % 60;
  int64_t weekday = FloorMod(days + 3, 7);  // Monday is 0
  int64_t day_of_year = days - DaysFromCivil({date.year, 1, 1}) + 1;
  std::string fraction = fmt::format("{:06}000", of_day % kMicrosPerSecond);
  std::string out;
  for (const Part& part : *parts) {
    const int n = part.count;
    switch (part.letter) {
      case 0:
        out += part.text;
        break;
      case 'y':
      case 'u':
        out += n == 2 ? Number(FloorMod(date.year, 100), 2) : Number(date.year, n);
        break;
      case 'M':
      case 'L':
        if (n <= 2)
          out += Number(date.month, n);
        else
          out += n == 3 ? kMonths[date.month - 1].substr(0, 3) : kMonths[date.month - 1];
        break;
      case 'd':
        out += Number(date.day, n);
        break;
      case 'D':
        out += Number(day_of_year, n);
        break;
      case 'E':
        out += n <= 3 ? kDays[weekday].substr(0, 3) : kDays[weekday];
        break;
      case 'a':
        out += hour < 12 ? "AM" : "PM";
        break;
      case 'H':
        out += Number(hour, n);
        break;
      case 'k':
        out += Number(hour == 0 ? 24 : hour, n);
        break;
      case 'K':
        out += Number(hour % 12, n);
        break;
      case 'h':
        out += Number(hour % 12 == 0 ? 12 : hour % 12, n);
        break;
      case 'm':
        out += Number(minute, n);
        break;
      case 's':
        out += Number(second, n);
        break;
      case 'S':
        out += fraction.substr(0, n);
        break;
      case 'Q':
      case 'q': {
        int quarter = (date.month + 2) / 3;
        out += n <= 2 ? Number(quarter, n)
               : n == 3
                   ? fmt::format("Q{}", quarter)
                   : fmt::format("{} quarter", std::array{"1st", "2nd", "3rd", "4th"}[quarter - 1]);
        break;
      }
      case 'G':
        out += date.year > 0 ? "AD" : "BC";
        break;
      case 'V':
        out += zone;
        break;
      case 'z':
        out += zone;
        break;
      case 'X':
      case 'x':
      case 'Z':
        out += Offset(part.letter, n, offset_seconds);
        break;
      case 'O':
        out += offset_seconds == 0 ? "GMT" : "GMT" + Offset('x', 3, offset_seconds);
        break;
      default:
        return std::nullopt;
    }
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

// Reads one letter's field; false when the text does not fit, nothing when the letter is not known.
std::optional<bool> ReadField(const Part& part, bool adjacent, Parser& in, Fields& f,
                              JavaParse& out) {
  const int n = part.count;
  auto number = [&](int64_t& to, int width) {
    auto value =
        in.Digits(n == 1 ? 1 : n, n == 1 || (n < width && !adjacent) ? width : std::max(n, 1));
    if (value) to = *value;
    return value.has_value();
  };
  switch (part.letter) {
    case 'y':
    case 'u':
      if (n == 2) {
        auto value = in.Digits(2, 2);
        if (value) f.year = 2000 + *value;
        return value.has_value();
      }
      return number(f.year, n == 4 ? 4 : 9);
    case 'M':
    case 'L':
      if (n <= 2) return number(f.month, 2);
      if (auto name = in.Name(kMonths, n > 3)) {
        f.month = *name + 1;
        return true;
      }
      return false;
    case 'd':
      return number(f.day, 2);
    case 'D': {
      int64_t value = 0;
      bool ok = number(value, 3);
      f.day_of_year = value;
      return ok;
    }
    case 'E':
      return in.Name(kDays, n > 3).has_value();
    case 'a':
      return ReadHalf(in, f);
    case 'H':
    case 'k': {
      bool ok = number(f.hour, 2);
      if (part.letter == 'k' && f.hour == 24) f.hour = 0;
      return ok;
    }
    case 'h':
    case 'K': {
      int64_t value = 0;
      bool ok = number(value, 2);
      f.half_hour = value % 12;
      return ok;
    }
    case 'm':
      return number(f.minute, 2);
    case 's':
      return number(f.second, 2);
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
