// JSON single values (defaults): one text form per type, as Java's SingleValueParser writes it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "spec/json.h"
#include "spec/single_value.h"

namespace iceblink::spec {
namespace {

auto BadDefault(const Type& type, const Json& json) {
  return Fail(
      ErrorCode::kCorrupt,
      fmt::format("Cannot parse default as a {} value: {}", type.ToString(), DumpJson(json)),
      "IllegalArgumentException");
}

std::string TemporalText(const Type& type, int64_t value) {
  if (type.Is(TypeKind::kTime)) return FormatTime(value);
  return HumanString(type, value);
}

bool IsTemporal(const Type& type) {
  return type.Is(TypeKind::kDate) || type.Is(TypeKind::kTime) || type.Is(TypeKind::kTimestamp) ||
         type.Is(TypeKind::kTimestampTz) || type.Is(TypeKind::kTimestampNs) ||
         type.Is(TypeKind::kTimestampTzNs);
}

Json StructToJson(const StructType& type, const Value& value) {
  Json out = Json::object();
  const ValueList& fields = value.fields();
  for (size_t i = 0; i < type.fields.size() && i < fields.size(); ++i) {
    if (fields[i].is_null()) continue;
    out[std::to_string(type.fields[i].id)] = ValueToJson(type.fields[i].type, fields[i]);
  }
  return out;
}

Json NestedToJson(const Type& type, const Value& value) {
  if (type.Is(TypeKind::kStruct)) return StructToJson(type.AsStruct(), value);
  if (type.Is(TypeKind::kList)) {
    Json out = Json::array();
    for (const Value& element : value.elements())
      out.push_back(ValueToJson(type.AsList().element.type, element));
    return out;
  }
  Json keys = Json::array();
  Json values = Json::array();
  for (const auto& [key, item] : value.entries()) {
    keys.push_back(ValueToJson(type.AsMap().key.type, key));
    values.push_back(ValueToJson(type.AsMap().value.type, item));
  }
  return Json{{"keys", std::move(keys)}, {"values", std::move(values)}};
}

Result<Value> DecimalFromJson(const Type& type, const Json& json) {
  auto decimal = ParseDecimal(json.get_ref<const std::string&>());
  if (!decimal) return BadDefault(type, json);
  if (decimal->scale != type.scale()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("Cannot parse default as a {} value: {}, the scale doesn't match",
                            type.ToString(), DumpJson(json)),
                "IllegalArgumentException");
  }
  return Value(*decimal);
}

Result<Value> TimestampFromJson(const Type& type, const Json& json) {
  auto parsed = ParseTimestamp(json.get_ref<const std::string&>());
  bool zoned = type.Is(TypeKind::kTimestampTz) || type.Is(TypeKind::kTimestampTzNs);
  if (!parsed || parsed->offset_seconds.has_value() != zoned) return BadDefault(type, json);
  bool nanos = type.Is(TypeKind::kTimestampNs) || type.Is(TypeKind::kTimestampTzNs);
  auto value = nanos ? parsed->ToNanos() : parsed->ToMicros();
  if (!value) return BadDefault(type, json);
  return Value(*value);
}

Result<Value> NumberFromJson(const Type& type, const Json& json) {
  if (type.Is(TypeKind::kInt) && json.is_number_integer()) {
    auto n = json.get<int64_t>();
    if (n == static_cast<int32_t>(n)) return Value(static_cast<int32_t>(n));
  }
  if (type.Is(TypeKind::kLong) && json.is_number_integer()) return Value(json.get<int64_t>());
  if (type.Is(TypeKind::kFloat) && json.is_number()) return Value(json.get<float>());
  if (type.Is(TypeKind::kDouble) && json.is_number()) return Value(json.get<double>());
  return BadDefault(type, json);
}

Result<Value> BytesFromJson(const Type& type, const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  if (type.Is(TypeKind::kUuid)) {
    if (auto uuid = Uuid::Parse(text)) return Value(Bytes{uuid->ToBytes()});
    return BadDefault(type, json);
  }
  auto bytes = HexDecode(text);
  bool fits =
      bytes && (type.Is(TypeKind::kBinary) || bytes->size() == static_cast<size_t>(type.length()));
  return fits ? Result<Value>(Bytes{std::move(*bytes)}) : BadDefault(type, json);
}

// Requires a JSON string.
Result<Value> TextFromJson(const Type& type, const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  switch (type.kind()) {
    case TypeKind::kString:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return Value(text);
    case TypeKind::kDecimal:
      return DecimalFromJson(type, json);
    case TypeKind::kDate:
      if (auto days = ParseDate(text)) return Value(static_cast<int32_t>(*days));
      return BadDefault(type, json);
    case TypeKind::kTime:
      if (auto micros = ParseTime(text)) return Value(*micros);
      return BadDefault(type, json);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return TimestampFromJson(type, json);
    case TypeKind::kUuid:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return BytesFromJson(type, json);
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return BadDefault(type, json);
  }
  return BadDefault(type, json);
}

Result<Value> StructFromJson(const Type& type, const Json& json) {
  ValueList fields;
  for (const NestedField& field : type.AsStruct().fields) {
    const Json* member = json::Find(json, std::to_string(field.id));
    if (member == nullptr) {
      fields.push_back(field.initial_default.value_or(Value()));
      continue;
    }
    ASSIGN_OR_RETURN(Value value, ValueFromJson(field.type, *member));
    fields.push_back(std::move(value));
  }
  return Value::Struct(std::move(fields));
}

Result<Value> NestedFromJson(const Type& type, const Json& json) {
  if (type.Is(TypeKind::kStruct))
    return json.is_object() ? StructFromJson(type, json) : BadDefault(type, json);
  if (type.Is(TypeKind::kList)) {
    if (!json.is_array()) return BadDefault(type, json);
    ValueList elements;
    for (const Json& item : json) {
      ASSIGN_OR_RETURN(Value value, ValueFromJson(type.AsList().element.type, item));
      elements.push_back(std::move(value));
    }
    return Value::Array(std::move(elements));
  }
  const Json* keys = json::Find(json, "keys");
  const Json* values = json::Find(json, "values");
  if (keys == nullptr || values == nullptr || !keys->is_array() || !values->is_array() ||
      keys->size() != values->size()) {
    return BadDefault(type, json);
  }
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i < keys->size(); ++i) {
    ASSIGN_OR_RETURN(Value key, ValueFromJson(type.AsMap().key.type, (*keys)[i]));
    ASSIGN_OR_RETURN(Value value, ValueFromJson(type.AsMap().value.type, (*values)[i]));
    entries.emplace_back(std::move(key), std::move(value));
  }
  return Value::Map(std::move(entries));
}

}  // namespace

Json ValueToJson(const Type& type, const Value& value) {
  if (value.is_null()) return nullptr;
  if (value.Is<bool>()) return value.As<bool>();
  if (IsTemporal(type)) return TemporalText(type, value.AsInt64());
  if (value.Is<int32_t>() || value.Is<int64_t>()) return value.AsInt64();
  if (value.Is<float>()) {  // its own shortest text, not that of the nearest double
    const float number = value.As<float>();
    return ParseDouble(fmt::format("{}", number)).value_or(number);
  }
  if (value.Is<double>()) return value.As<double>();
  if (value.Is<Decimal>()) {
    const Decimal& decimal = value.As<Decimal>();
    return decimal.scale >= 0 ? DecimalToPlainString(decimal) : DecimalToString(decimal);
  }
  if (value.Is<std::string>()) return value.As<std::string>();
  if (value.Is<Bytes>()) {
    if (type.Is(TypeKind::kUuid)) return HumanString(type, value);
    return HexEncode(value.As<Bytes>().data, true);
  }
  if (type.is_nested()) return NestedToJson(type, value);
  return nullptr;
}

Result<Value> ValueFromJson(const Type& type, const Json& json) {
  if (json.is_null()) return Value();
  if (type.is_nested()) return NestedFromJson(type, json);
  if (type.Is(TypeKind::kBoolean))
    return json.is_boolean() ? Result<Value>(json.get<bool>()) : BadDefault(type, json);
  return json.is_string() ? TextFromJson(type, json) : NumberFromJson(type, json);
}

std::string ToJsonValue(const Type& type, const Value& value) {
  return DumpJson(ValueToJson(type, value));
}

Result<Value> FromJsonValue(const Type& type, std::string_view text) {
  ASSIGN_OR_RETURN(Json json, ParseJson(text, "value"));
  return ValueFromJson(type, json);
}

}  // namespace iceblink::spec
