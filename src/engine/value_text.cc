#include "engine/value_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/base64.h"
#include "base/datetime.h"
#include "base/decimal.h"

namespace iceblink::engine {
namespace {

using sql::DataType;
using sql::TypeKind;

template <typename T>
std::string JavaFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  (void)error;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  std::string sign;
  if (text.front() == '-') sign = "-", text.remove_prefix(1);
  size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  if (exponent >= -3 && exponent < 7) {
    if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole + 1) digits.append(whole + 1 - digits.size(), '0');
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
  }
  if (digits.size() == 1) digits += '0';
  return sign + digits.substr(0, 1) + "." + digits.substr(1) + "E" + std::to_string(exponent);
}

template <typename T>
void AppendJsonFloating(T value, std::string& out) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  (void)error;
  out.append(buffer, end);
}

// Whether Spark's text of the type is one token without nested parts.
bool IsNumberLike(TypeKind kind) {
  return kind == TypeKind::kTinyInt || kind == TypeKind::kSmallInt || kind == TypeKind::kInt || kind == TypeKind::kBigInt;
}

std::string DateTimeText(const Value& value, TypeKind kind, const TimeZone& zone) {
  if (kind == TypeKind::kDate) return FormatDate(value.AsInt64());
  if (kind == TypeKind::kTime) return FormatTime(value.AsInt64());
  int64_t micros = value.AsInt64();
  if (kind == TypeKind::kTimestamp) micros = zone.ToLocal(micros);
  return FormatTimestamp(micros, {}, ' ');
}

bool IsDateTime(TypeKind kind) {
  return kind == TypeKind::kDate || kind == TypeKind::kTime || kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampNtz;
}

void AppendNested(const Value& value, const DataType& type, const TimeZone& zone, std::string& out);

void AppendInner(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else {
    AppendText(value, type, zone, out);
  }
}

void AppendNested(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  bool first = true;
  auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  if (value.Is<ArrayValue>()) {
    out += '[';
    for (const Value& element : value.elements()) separate(), AppendInner(element, type.element(), zone, out);
    out += ']';
  } else if (value.Is<StructValue>()) {
    out += '{';
    for (size_t i = 0; i < value.fields().size(); i++) {
      separate();
      AppendInner(value.fields()[i], type.fields()[i].type, zone, out);
    }
    out += '}';
  } else {
    out += '{';
    for (const auto& [key, entry] : value.entries()) {
      separate();
      AppendInner(key, type.key(), zone, out);
      out += " -> ";
      AppendInner(entry, type.value(), zone, out);
    }
    out += '}';
  }
}

std::string Padded(int64_t number, int width = 2) {
  std::string digits = std::to_string(number);
  return digits.size() < static_cast<size_t>(width) ? std::string(static_cast<size_t>(width) - digits.size(), '0') + digits
                                                     : digits;
}

std::string YearMonthText(int32_t months, const DataType& type) {
  using sql::IntervalField;
  std::string sign = months < 0 ? "-" : "";
  int64_t size = std::abs(int64_t{months});
  if (type.start_field() == type.end_field()) {
    bool year = type.start_field() == IntervalField::kYear;
    return "INTERVAL '" + sign + std::to_string(year ? size / 12 : size) + (year ? "' YEAR" : "' MONTH");
  }
  return "INTERVAL '" + sign + std::to_string(size / 12) + "-" + std::to_string(size % 12) + "' YEAR TO MONTH";
}

std::string Fraction(uint64_t micros) {
  if (micros == 0) return "";
  std::string digits = Padded(static_cast<int64_t>(micros), 6);
  while (digits.back() == '0') digits.pop_back();
  return "." + digits;
}

std::string DayTimeText(int64_t micros, const DataType& type) {
  static constexpr std::string_view kNames[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
  static constexpr uint64_t kUnits[] = {86'400'000'000, 3'600'000'000, 60'000'000, 1'000'000};
  size_t from = static_cast<size_t>(type.start_field()) - static_cast<size_t>(sql::IntervalField::kDay);
  size_t to = static_cast<size_t>(type.end_field()) - static_cast<size_t>(sql::IntervalField::kDay);
  uint64_t rest = micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  std::string text = micros < 0 ? "-" : "";
  for (size_t i = from; i <= to; i++) {
    if (i > from) text += i == 1 ? ' ' : ':';
    text += Padded(static_cast<int64_t>(rest / kUnits[i]), i == 0 ? 1 : 2);
    rest %= kUnits[i];
  }
  if (to == 3) text += Fraction(rest);
  std::string unit(kNames[from]);
  if (from != to) unit += " TO " + std::string(kNames[to]);
  return "INTERVAL '" + text + "' " + unit;
}

std::string CalendarText(const Interval& interval) {
  std::string out;
  auto add = [&out](int64_t count, std::string_view unit) {
    if (count == 0) return;
    if (!out.empty()) out += ' ';
    out += std::to_string(count) + " " + std::string(unit);
  };
  add(interval.months / 12, "years");
  add(interval.months % 12, "months");
  add(interval.days, "days");
  int64_t rest = interval.micros;
  add(rest / kMicrosPerHour, "hours");
  rest %= kMicrosPerHour;
  add(rest / (60 * kMicrosPerSecond), "minutes");
  rest %= 60 * kMicrosPerSecond;
  if (rest != 0) {
    if (!out.empty()) out += ' ';
    uint64_t size = rest < 0 ? 0 - static_cast<uint64_t>(rest) : static_cast<uint64_t>(rest);
    out += (rest < 0 ? "-" : "") + std::to_string(size / kMicrosPerSecond) + Fraction(size % kMicrosPerSecond) + " seconds";
  }
  return out.empty() ? "0 seconds" : out;
}

void AppendScalarText(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  if (value.Is<bool>()) {
    out += value.As<bool>() ? "true" : "false";
  } else if (value.Is<float>()) {
    out += JavaFloat(value.As<float>());
  } else if (value.Is<double>()) {
    out += JavaDouble(value.As<double>());
  } else if (value.Is<Decimal>()) {
    out += DecimalToPlainString(value.As<Decimal>());
  } else if (value.Is<std::string>()) {
    out += value.As<std::string>();
  } else if (value.Is<Bytes>()) {
    out += value.As<Bytes>().data;
  } else if (value.Is<Interval>()) {
    out += IntervalText(value.As<Interval>(), type);
  } else if (IsDateTime(type.kind())) {
    out += DateTimeText(value, type.kind(), zone);
  } else {
    out += std::to_string(value.AsInt64());
  }
}

// One JSON value; `objects` writes structs and string-keyed maps as JSON objects.
class JsonWriter {
 public:
  JsonWriter(const TimeZone& zone, bool objects, std::string& out) : zone_(zone), objects_(objects), out_(out) {}

  void Write(const Value& value, const DataType& type) {
    if (value.is_null()) {
      out_ += "null";
    } else if (value.Is<bool>()) {
      out_ += value.As<bool>() ? "true" : "false";
    } else if (value.Is<float>()) {
      AppendJsonFloating(value.As<float>(), out_);
    } else if (value.Is<double>()) {
      AppendJsonFloating(value.As<double>(), out_);
    } else if (value.Is<ArrayValue>()) {
      WriteArray(value, type);
    } else if (value.Is<StructValue>()) {
      WriteStruct(value, type);
    } else if (value.Is<MapValue>()) {
      WriteMap(value, type);
    } else if (IsNumberLike(type.kind())) {
      out_ += std::to_string(value.AsInt64());
    } else if (value.Is<Bytes>()) {
      AppendJsonString(Base64Encode(value.As<Bytes>().data), out_);
    } else {
      std::string text;
      AppendScalarText(value, type, zone_, text);
      AppendJsonString(text, out_);
    }
  }

 private:
  void WriteArray(const Value& value, const DataType& type) {
    out_ += '[';
    for (size_t i = 0; i < value.elements().size(); i++) {
      if (i > 0) out_ += ',';
      Write(value.elements()[i], type.element());
    }
    out_ += ']';
  }

  void WriteStruct(const Value& value, const DataType& type) {
    out_ += objects_ ? '{' : '[';
    for (size_t i = 0; i < value.fields().size(); i++) {
      if (i > 0) out_ += ',';
      if (objects_) {
        AppendJsonString(type.fields()[i].name, out_);
        out_ += ':';
      }
      Write(value.fields()[i], type.fields()[i].type);
    }
    out_ += objects_ ? '}' : ']';
  }

  void WriteMap(const Value& value, const DataType& type) {
    bool object = objects_ && type.key().is_string();
    out_ += object ? '{' : '[';
    bool first = true;
    for (const auto& [key, entry] : value.entries()) {
      if (!first) out_ += ',';
      first = false;
      if (!object) out_ += '[';
      Write(key, type.key());
      out_ += object ? ':' : ',';
      Write(entry, type.value());
      if (!object) out_ += ']';
    }
    out_ += object ? '}' : ']';
  }

  const TimeZone& zone_;
  bool objects_;
  std::string& out_;
};

}  // namespace

std::string JavaDouble(double value) { return JavaFloating(value); }
std::string JavaFloat(float value) { return JavaFloating(value); }

std::string IntervalText(const Interval& interval, const DataType& type) {
  if (type.kind() == TypeKind::kYearMonthInterval) return YearMonthText(interval.months, type);
  if (type.kind() == TypeKind::kDayTimeInterval) return DayTimeText(interval.micros, type);
  return CalendarText(interval);
}

void AppendText(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  if (value.is_null()) {
    out += "NULL";
  } else if (value.Is<ArrayValue>() || value.Is<StructValue>() || value.Is<MapValue>()) {
    AppendNested(value, type, zone, out);
  } else {
    AppendScalarText(value, type, zone, out);
  }
}

void AppendJson(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  JsonWriter(zone, false, out).Write(value, type);
}

void AppendJsonObject(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  JsonWriter(zone, true, out).Write(value, type);
}

void AppendJsonString(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4];
          out += kHex[c & 0xf];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

}  // namespace iceblink::engine
