#include "engine/value_text.h"

#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/datetime.h"
#include "base/decimal.h"
#include "exec/java_text.h"

namespace iceblink::engine {
namespace {

using sql::DataType;
using sql::TypeKind;

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
  return kind == TypeKind::kTinyInt || kind == TypeKind::kSmallInt || kind == TypeKind::kInt ||
         kind == TypeKind::kBigInt;
}

std::string DateTimeText(const Value& value, TypeKind kind, const TimeZone& zone) {
  if (kind == TypeKind::kDate) return exec::SparkDate(value.AsInt64());
  if (kind == TypeKind::kTime) return FormatTime(value.AsInt64());
  return exec::SparkTimestamp(kind == TypeKind::kTimestamp ? zone.ToLocal(value.AsInt64())
                                                           : value.AsInt64());
}

std::string IntervalText(const Interval& interval, const DataType& type) {
  if (!type.is_ansi_interval()) return exec::CalendarInterval(interval);
  bool year_month = type.kind() == TypeKind::kYearMonthInterval;
  return exec::SparkInterval(year_month ? interval.months : interval.micros, year_month,
                             static_cast<int>(type.start_field()),
                             static_cast<int>(type.end_field()));
}

bool IsDateTime(TypeKind kind) {
  return kind == TypeKind::kDate || kind == TypeKind::kTime || kind == TypeKind::kTimestamp ||
         kind == TypeKind::kTimestampNtz;
}

void AppendInner(const Value& value, const DataType& type, const TimeZone& zone, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else {
    AppendText(value, type, zone, out);
  }
}

void AppendNested(const Value& value, const DataType& type, const TimeZone& zone,
                  std::string& out) {
  bool first = true;
  auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  if (value.Is<ArrayValue>()) {
    out += '[';
    for (const Value& element : value.elements())
      separate(), AppendInner(element, type.element(), zone, out);
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

void AppendScalarText(const Value& value, const DataType& type, const TimeZone& zone,
                      std::string& out) {
  if (value.Is<bool>()) {
    out += value.As<bool>() ? "true" : "false";
  } else if (value.Is<float>()) {
    out += exec::JavaFloat(value.As<float>());
  } else if (value.Is<double>()) {
    out += exec::JavaDouble(value.As<double>());
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
  JsonWriter(const TimeZone& zone, bool objects, std::string& out)
      : zone_(zone), objects_(objects), out_(out) {}

  void Write(const Value& value, const DataType& type) {
    if (value.is_null()) {
      out_ += "null";
    } else if (value.Is<bool>()) {
      out_ += value.As<bool>() ? "true" : "false";
    } else if (value.Is<float>() && objects_) {
      AppendJsonFloating(value.As<float>(), out_);
    } else if (value.Is<float>()) {  // as the number that PySpark gives
      AppendJsonFloating(static_cast<double>(value.As<float>()), out_);
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

void AppendJsonObject(const Value& value, const DataType& type, const TimeZone& zone,
                      std::string& out) {
  JsonWriter(zone, true, out).Write(value, type);
}

void AppendJsonString(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
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
