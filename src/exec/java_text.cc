#include "exec/java_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"

namespace iceblink::exec {

namespace {

// Java's layout of the shortest digits that read back as the same number.
template <typename T>
std::string JavaFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::array<char, 64> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                           std::chars_format::scientific)
                 .ptr;
  std::string_view text(buffer.data(), end - buffer.data());
  std::string sign;
  if (text[0] == '-') {
    sign = "-";
    text.remove_prefix(1);
  }
  size_t e = text.find('e');
  int exponent = 0;
  std::string_view power = text.substr(e + 1);
  if (power[0] == '+') power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < -3 || exponent >= 7) {
    std::string fraction = digits.size() > 1 ? digits.substr(1) : "0";
    return sign + digits[0] + "." + fraction + "E" + std::to_string(exponent);
  }
  if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
  if (digits.size() <= static_cast<size_t>(exponent) + 1) digits.resize(exponent + 2, '0');
  return sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

// Spark trims white space and control characters.
std::string_view TrimAll(std::string_view text) { return Trim(text); }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool Take(char c) {
    if (peek() != c || done()) return false;
    ++at_;
    return true;
  }
  // Digits, at least `min` and at most `max`.
  std::optional<int64_t> Digits(size_t min, size_t max) {
    size_t begin = at_;
    int64_t value = 0;
    while (!done() && std::isdigit(static_cast<unsigned char>(text_[at_])) && at_ - begin < max) {
      value = value * 10 + (text_[at_++] - '0');
    }
    if (at_ - begin < min || (!done() && std::isdigit(static_cast<unsigned char>(text_[at_]))))
      return std::nullopt;
    return value;
  }
  // Up to nine digits of a fraction as micros; more digits are cut off.
  int64_t Micros() {
    int64_t value = 0;
    int digits = 0;
    for (; !done() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_, ++digits) {
      if (digits < 6) value = value * 10 + (text_[at_] - '0');
    }
    for (; digits < 6; ++digits) value *= 10;
    return value;
  }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// [+-]yyyy[-M[-d]]; `complete` tells whether month and day were given.
std::optional<int64_t> ReadDate(Reader& in, bool* complete) {
  int sign = in.Take('-') ? -1 : (in.Take('+'), 1);
  auto year = in.Digits(4, 7);
  if (!year) return std::nullopt;
  CivilDate date{sign * *year, 1, 1};
  *complete = false;
  if (in.Take('-')) {
    auto month = in.Digits(1, 2);
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    date.month = static_cast<int32_t>(*month);
    if (in.Take('-')) {
      auto day = in.Digits(1, 2);
      if (!day || *day < 1 || *day > DaysInMonth(date.year, date.month)) return std::nullopt;
      date.day = static_cast<int32_t>(*day);
      *complete = true;
    }
  }
  return DaysFromCivil(date);
}

// HH[:mm[:ss[.ffffff]]]
std::optional<int64_t> ReadTime(Reader& in) {
  auto hour = in.Digits(1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int64_t micros = *hour * kMicrosPerHour;
  if (!in.Take(':')) return micros;
  auto minute = in.Digits(1, 2);
  if (!minute || *minute > 59) return std::nullopt;
  micros += *minute * 60 * kMicrosPerSecond;
  if (!in.Take(':')) return micros;
  auto second = in.Digits(1, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += *second * kMicrosPerSecond;
  if (in.Take('.')) micros += in.Micros();
  return micros;
}

}  // namespace

std::string JavaDouble(double value) { return JavaFloating(value); }
std::string JavaFloat(float value) { return JavaFloating(value); }

std::string SparkDate(int64_t days) { return FormatDate(days); }
std::string SparkTimestamp(int64_t local_micros) { return FormatTimestamp(local_micros, "", ' '); }

std::optional<int64_t> ParseSparkLong(std::string_view text) {
  text = TrimAll(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  return ParseInt64(text);
}

std::optional<int64_t> ParseSparkLongTruncating(std::string_view text) {
  text = TrimAll(text);
  size_t dot = text.find('.');
  if (dot != std::string_view::npos) {
    for (char c : text.substr(dot + 1)) {
      if (!std::isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    }
    text = text.substr(0, dot);
    if (text.empty()) return 0;
  }
  return ParseSparkLong(text);
}

std::optional<double> ParseSparkDouble(std::string_view text) {
  text = TrimAll(text);
  std::string lower = AsciiLower(text);
  if (lower == "nan") return std::nan("");
  if (lower == "inf" || lower == "+inf" || lower == "infinity" || lower == "+infinity")
    return HUGE_VAL;
  if (lower == "-inf" || lower == "-infinity") return -HUGE_VAL;
  if (!lower.empty() && (lower.back() == 'd' || lower.back() == 'f')) lower.pop_back();
  if (lower.starts_with('+')) lower.erase(0, 1);
  if (lower.empty() || lower.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return std::nullopt;
  double value = 0;
  auto [end, error] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (end != lower.data() + lower.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    bool tiny = lower.find("e-") != std::string::npos;
    value = tiny ? 0.0 : HUGE_VAL;
    return lower[0] == '-' ? -value : value;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<bool> ParseSparkBoolean(std::string_view text) {
  std::string lower = AsciiLower(TrimAll(text));
  for (std::string_view yes : {"t", "true", "y", "yes", "1"}) {
    if (lower == yes) return true;
  }
  for (std::string_view no : {"f", "false", "n", "no", "0"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

std::optional<Decimal> ParseSparkDecimal(std::string_view text) {
  text = TrimAll(text);
  auto value = ParseDecimal(text);
  if (!value) return std::nullopt;
  return *value;
}

std::optional<int64_t> ParseSparkDate(std::string_view text) {
  Reader in(TrimAll(text));
  bool complete = false;
  auto days = ReadDate(in, &complete);
  if (!days) return std::nullopt;
  if (in.done()) return days;
  // A complete date may be followed by a time, which is ignored.
  if (complete && (in.peek() == ' ' || in.peek() == 'T')) return days;
  return std::nullopt;
}

std::optional<SparkTimestampText> ParseSparkTimestamp(std::string_view text) {
  Reader in(TrimAll(text));
  bool complete = false;
  auto days = ReadDate(in, &complete);
  if (!days) return std::nullopt;
  SparkTimestampText out;
  out.local_micros = *days * kMicrosPerDay;
  if (in.done()) return out;
  if (!complete || !(in.Take(' ') || in.Take('T'))) return std::nullopt;
  auto time = ReadTime(in);
  if (!time) return std::nullopt;
  out.local_micros += *time;
  out.zone = std::string(TrimAll(in.rest()));
  return out;
}

namespace {

// What stands within INTERVAL '...' UNIT, or all of the text, and its sign.
std::string_view IntervalBody(std::string_view text, bool* negative) {
  text = TrimAll(text);
  size_t open = text.find('\''), close = text.rfind('\'');
  if (open != std::string_view::npos && close > open)
    text = text.substr(open + 1, close - open - 1);
  *negative = text.starts_with('-');
  if (*negative || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<int64_t> ParseYearMonth(std::string_view text, int start_field, int end_field) {
  bool negative = false;
  Reader in(IntervalBody(text, &negative));
  auto first = in.Digits(1, 9);
  if (!first) return std::nullopt;
  int64_t months = start_field == 0 ? *first * 12 : *first;
  if (start_field != end_field) {
    if (!in.Take('-')) return std::nullopt;
    auto second = in.Digits(1, 2);
    if (!second || *second > 11) return std::nullopt;
    months += *second;
  }
  if (!in.done()) return std::nullopt;
  return negative ? -months : months;
}

std::optional<int64_t> ParseDayTime(std::string_view text, int start_field, int end_field) {
  static constexpr std::array<int64_t, 6> kUnits = {
      0, 0, kMicrosPerDay, kMicrosPerHour, 60 * kMicrosPerSecond, kMicrosPerSecond};
  bool negative = false;
  Reader in(IntervalBody(text, &negative));
  int64_t micros = 0;
  for (int field = start_field; field <= end_field; ++field) {
    if (field > start_field && !in.Take(field == 3 ? ' ' : ':')) return std::nullopt;
    auto part = in.Digits(1, field == start_field ? 9 : 2);
    if (!part) return std::nullopt;
    micros += *part * kUnits[field];
    if (field == 5 && in.Take('.')) micros += in.Micros();
  }
  if (!in.done()) return std::nullopt;
  return negative ? -micros : micros;
}

std::string SparkInterval(int64_t value, bool year_month, int start_field, int end_field) {
  const std::string sign = value < 0 ? "-" : "";
  const uint64_t v = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (year_month) {
    if (start_field == 0 && end_field == 0)
      return fmt::format("INTERVAL '{}{}' YEAR", sign, v / 12);
    if (start_field == 1) return fmt::format("INTERVAL '{}{}' MONTH", sign, v);
    return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", sign, v / 12, v % 12);
  }
  static constexpr std::array<std::string_view, 6> kNames = {"YEAR", "MONTH",  "DAY",
                                                             "HOUR", "MINUTE", "SECOND"};
  static constexpr std::array<uint64_t, 6> kUnits = {
      0, 0, 86'400'000'000, 3'600'000'000, 60'000'000, 1'000'000};
  std::string body;
  uint64_t rest = v;
  for (int field = start_field; field <= end_field; ++field) {
    uint64_t part = rest / kUnits[field];
    rest %= kUnits[field];
    if (field > start_field) body += field == 3 ? " " : ":";
    body += field == start_field ? std::to_string(part) : fmt::format("{:02}", part);
    if (field == start_field && field == 5 && part < 10) body = "0" + body;
    if (field == 5 && rest > 0) {
      std::string fraction = fmt::format("{:06}", rest);
      while (fraction.back() == '0') fraction.pop_back();
      body += "." + fraction;
    }
  }
  std::string unit(kNames[start_field]);
  if (end_field != start_field) unit += " TO " + std::string(kNames[end_field]);
  return fmt::format("INTERVAL '{}{}' {}", sign, body, unit);
}

std::string CalendarInterval(const Interval& interval) {
  std::vector<std::string> parts;
  auto add = [&](int64_t value, std::string_view unit) {
    if (value != 0) parts.push_back(fmt::format("{} {}", value, unit));
  };
  add(interval.months / 12, "years");
  add(interval.months % 12, "months");
  add(interval.days, "days");
  add(interval.micros / kMicrosPerHour, "hours");
  int64_t rest = interval.micros % kMicrosPerHour;
  add(rest / (60 * kMicrosPerSecond), "minutes");
  rest %= 60 * kMicrosPerSecond;
  if (rest != 0) {
    std::string seconds = DecimalToPlainString(Decimal{rest, 6});
    while (seconds.back() == '0') seconds.pop_back();
    if (seconds.back() == '.') seconds.pop_back();
    parts.push_back(seconds + " seconds");
  }
  return parts.empty() ? "0 seconds" : Join(parts, " ");
}

}  // namespace iceblink::exec
