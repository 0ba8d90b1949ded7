// Layout of binary single values: boolean one byte; int, date 4 bytes; long, time and timestamps 8;
// float 4; double 8, all little-endian; decimal minimal two's-complement big-endian; string UTF-8;
// uuid 16 bytes; fixed and binary raw.
#include "spec/single_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "base/uuid.h"

namespace iceblink::spec {
namespace {

template <typename T>
Bytes Little(T value) {
  Bytes out;
  PutLittleEndian(value, out.data);
  return out;
}

auto BadLength(const Type& type, std::string_view bytes) {
  return Fail(ErrorCode::kCorrupt, fmt::format("Cannot read a value of type {} from {} bytes",
                                               type.ToString(), bytes.size()));
}

// Returns Java's Double.toString of the shortest digits: plain between 1e-3 and 1e7, else d.dE±n.
template <typename F>
std::string JavaFloat(F value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  auto magnitude = std::fabs(value);
  bool plain = magnitude >= F{1e-3} && magnitude < F{1e7};
  auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, format).ptr;
  std::string text(buffer, end);
  if (plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  return fmt::format("{}E{}", mantissa,
                     ParseInt32(text.substr(text[e + 1] == '+' ? e + 2 : e + 1)).value_or(0));
}

std::string BytesText(const Type& type, const Bytes& bytes) {
  if (type.Is(TypeKind::kUuid) && bytes.data.size() == 16)
    return Uuid::FromBytes(bytes.data).ToString();
  return Base64Encode(bytes.data);
}

std::string IntegerText(const Type& type, int64_t value) {
  switch (type.kind()) {
    case TypeKind::kDate:
      return FormatDate(value);
    case TypeKind::kTime:
      return FormatTimeShort(value);
    case TypeKind::kTimestamp:
      return FormatTimestamp(value);
    case TypeKind::kTimestampTz:
      return FormatTimestamp(value, "+00:00");
    case TypeKind::kTimestampNs:
      return FormatTimestampNanos(value);
    case TypeKind::kTimestampTzNs:
      return FormatTimestampNanos(value, "+00:00");
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kString:
    case TypeKind::kUuid:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return fmt::format("{}", value);
  }
  return {};
}

}  // namespace

Bytes ToBound(const Type& type, const Value& value) {
  if (value.Is<bool>()) return Bytes{std::string(1, value.As<bool>() ? '\1' : '\0')};
  if (value.Is<int32_t>()) {
    return type.Is(TypeKind::kLong) ? Little<int64_t>(value.As<int32_t>())
                                    : Little(value.As<int32_t>());
  }
  if (value.Is<int64_t>()) return Little(value.As<int64_t>());
  if (value.Is<float>()) {
    return type.Is(TypeKind::kDouble) ? Little<double>(value.As<float>())
                                      : Little(value.As<float>());
  }
  if (value.Is<double>()) return Little(value.As<double>());
  if (value.Is<Decimal>()) return Bytes{Int128ToMinimalBytes(value.As<Decimal>().unscaled)};
  if (value.Is<std::string>()) return Bytes{value.As<std::string>()};
  if (value.Is<Bytes>()) return value.As<Bytes>();
  return {};
}

Result<Value> FromBound(const Type& type, std::string_view bytes) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      if (bytes.size() != 1) return BadLength(type, bytes);
      return Value(bytes[0] != 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      if (bytes.size() != 4) return BadLength(type, bytes);
      return Value(GetLittleEndian<int32_t>(bytes.data()));
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      if (bytes.size() == 4) return Value(int64_t{GetLittleEndian<int32_t>(bytes.data())});
      if (bytes.size() != 8) return BadLength(type, bytes);
      return Value(GetLittleEndian<int64_t>(bytes.data()));
    case TypeKind::kFloat:
      if (bytes.size() != 4) return BadLength(type, bytes);
      return Value(GetLittleEndian<float>(bytes.data()));
    case TypeKind::kDouble:
      if (bytes.size() == 4) return Value(double{GetLittleEndian<float>(bytes.data())});
      if (bytes.size() != 8) return BadLength(type, bytes);
      return Value(GetLittleEndian<double>(bytes.data()));
    case TypeKind::kDecimal: {
      auto unscaled = Int128FromBytes(bytes);
      if (!unscaled) return BadLength(type, bytes);
      return Value(Decimal{*unscaled, type.scale()});
    }
    case TypeKind::kString:
      return Value(std::string(bytes));
    case TypeKind::kUuid:
      if (bytes.size() != 16) return BadLength(type, bytes);
      return Value(Bytes{std::string(bytes)});
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return Value(Bytes{std::string(bytes)});
    case TypeKind::kUnknown:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return Value();
  }
  return Value();
}

Value TruncateLowerBound(const Type&, const Value& value, int32_t length) {
  if (value.Is<std::string>()) {
    return std::string(CodePointPrefix(value.As<std::string>(), static_cast<size_t>(length)));
  }
  if (value.Is<Bytes>())
    return Bytes{value.As<Bytes>().data.substr(0, static_cast<size_t>(length))};
  return value;
}

namespace {

// Returns the code point that starts at `at`, whose sequence ends at the end of the text.
uint32_t LastCodePoint(const std::string& text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  size_t length = text.size() - at;
  uint32_t point = length == 1 ? byte(at) : byte(at) & (0xffu >> (length + 1));
  for (size_t i = at + 1; i < text.size(); ++i) point = (point << 6) | (byte(i) & 0x3fu);
  return point;
}

// Increments the last code point that can be; later ones fall away.
std::optional<std::string> NextString(std::string text) {
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0u) == 0x80u) --at;
    uint32_t next = LastCodePoint(text, at) + 1;
    text.resize(at);
    if (next >= 0xd800 && next <= 0xdfff) next = 0xe000;  // surrogates are no characters
    if (next <= 0x10ffff) {
      AppendUtf8(next, text);
      return text;
    }
  }
  return std::nullopt;
}

std::optional<std::string> NextBytes(std::string data) {
  while (!data.empty() && static_cast<uint8_t>(data.back()) == 0xff) data.pop_back();
  if (data.empty()) return std::nullopt;
  data.back() = static_cast<char>(static_cast<uint8_t>(data.back()) + 1);
  return data;
}

}  // namespace

std::optional<Value> TruncateUpperBound(const Type& type, const Value& value, int32_t length) {
  Value prefix = TruncateLowerBound(type, value, length);
  if (prefix == value) return value;
  if (prefix.Is<std::string>()) {
    auto next = NextString(prefix.As<std::string>());
    return next ? std::optional<Value>(std::move(*next)) : std::nullopt;
  }
  auto next = NextBytes(prefix.As<Bytes>().data);
  return next ? std::optional<Value>(Bytes{std::move(*next)}) : std::nullopt;
}

std::string HumanString(const Type& type, const Value& value) {
  if (value.is_null()) return "null";
  if (value.Is<bool>()) return value.As<bool>() ? "true" : "false";
  if (value.Is<int32_t>() || value.Is<int64_t>()) return IntegerText(type, value.AsInt64());
  if (value.Is<float>()) return JavaFloat(value.As<float>());
  if (value.Is<double>()) return JavaFloat(value.As<double>());
  if (value.Is<Decimal>()) return DecimalToString(value.As<Decimal>());
  if (value.Is<std::string>()) return value.As<std::string>();
  if (value.Is<Bytes>()) return BytesText(type, value.As<Bytes>());
  return ToJsonValue(type, value);
}

namespace {

template <typename T>
Result<Value> Parsed(const std::optional<T>& value, std::string_view text) {
  if (value) return Value(T(*value));
  return Fail(ErrorCode::kInvalidArgument, fmt::format("For input string: \"{}\"", text),
              "NumberFormatException");
}

Result<Value> UuidFromText(std::string_view text) {
  auto uuid = Uuid::Parse(text);
  if (!uuid) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid UUID string: {}", text),
                "IllegalArgumentException");
  }
  return Value(Bytes{uuid->ToBytes()});
}

}  // namespace

Result<Value> FromPartitionString(const Type& type, std::string_view text) {
  if (text == "__HIVE_DEFAULT_PARTITION__") return Value();
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return Value(EqualsIgnoreCase(text, "true"));
    case TypeKind::kInt:
      return Parsed(ParseInt32(text), text);
    case TypeKind::kLong:
      return Parsed(ParseInt64(text), text);
    case TypeKind::kFloat:
      if (auto number = ParseDouble(text)) return Value(static_cast<float>(*number));
      return Parsed(std::optional<float>(), text);
    case TypeKind::kDouble:
      return Parsed(ParseDouble(text), text);
    case TypeKind::kString:
      return Value(std::string(text));
    case TypeKind::kUuid:
      return UuidFromText(text);
    case TypeKind::kFixed: {
      std::string data(text);
      data.resize(static_cast<size_t>(type.length()));
      return Value(Bytes{std::move(data)});
    }
    case TypeKind::kBinary:
      return Value(Bytes{std::string(text)});
    case TypeKind::kDecimal: {
      ASSIGN_OR_RETURN(Decimal decimal, ParseDecimal(text));
      return Value(decimal);
    }
    case TypeKind::kDate: {
      ASSIGN_OR_RETURN(int64_t days, ParseDate(text));
      return Value(static_cast<int32_t>(days));
    }
    case TypeKind::kUnknown:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  return Fail(ErrorCode::kUnsupported,
              "Unsupported type for fromPartitionString: " + type.ToString(),
              "UnsupportedOperationException");
}

}  // namespace iceblink::spec
