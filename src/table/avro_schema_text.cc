// Iceberg types as Avro schema text, of manifests and of data files: names of nested records and
// fixed types as AvroSchemaUtil gives them, members in the order in which Avro prints them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/decimal.h"
#include "base/json.h"
#include "table/manifest_schema.h"

namespace iceblink::table {
namespace {

using spec::NestedField;
using spec::Type;
using spec::TypeKind;

class SchemaPrinter {
 public:
  Json Record(const spec::StructType& type, std::string_view name) {
    Json fields = Json::array();
    for (const NestedField& field : type.fields) fields.push_back(Field(field));
    return {{"type", "record"}, {"name", name}, {"fields", std::move(fields)}};
  }

 private:
  Json Field(const NestedField& field) {
    const std::string name = AvroFieldName(field.name);
    Json json = {{"name", name}, {"type", Optional(Plain(field.type, field.id), field.required)}};
    if (field.doc) json["doc"] = *field.doc;
    if (!field.required) json["default"] = nullptr;
    if (name != field.name) json["iceberg-field-name"] = field.name;
    json["field-id"] = field.id;
    return json;
  }

  static Json Optional(Json type, bool required) {
    if (required || type == "null") return type;
    return Json::array({"null", std::move(type)});
  }

  Json Plain(const Type& type, int32_t id) {
    switch (type.kind()) {
      case TypeKind::kStruct:
        return Record(type.AsStruct(), fmt::format("r{}", id));
      case TypeKind::kList:
        return List(type.AsList());
      case TypeKind::kMap:
        return Map(type.AsMap());
      default:
        return Primitive(type);
    }
  }

  Json List(const spec::ListType& list) {
    return {{"type", "array"},
            {"items", Optional(Plain(list.element.type, list.element.id), list.element.required)},
            {"element-id", list.element.id}};
  }

  Json Map(const spec::MapType& map) {
    if (map.key.type.Is(TypeKind::kString)) {
      return {{"type", "map"},
              {"values", Optional(Plain(map.value.type, map.value.id), map.value.required)},
              {"key-id", map.key.id},
              {"value-id", map.value.id}};
    }
    Json key = {
        {"name", "key"}, {"type", Plain(map.key.type, map.key.id)}, {"field-id", map.key.id}};
    Json value = {{"name", "value"},
                  {"type", Optional(Plain(map.value.type, map.value.id), map.value.required)}};
    if (!map.value.required) value["default"] = nullptr;
    value["field-id"] = map.value.id;
    Json items = {{"type", "record"},
                  {"name", fmt::format("k{}_v{}", map.key.id, map.value.id)},
                  {"fields", Json::array({std::move(key), std::move(value)})}};
    return {{"type", "array"}, {"items", std::move(items)}, {"logicalType", "map"}};
  }

  // Avro names a type once and refers to it afterwards.
  Json Fixed(std::string name, int32_t size, std::string_view logical = {}) {
    if (!named_.insert(name).second) return name;
    Json json = {{"type", "fixed"}, {"name", name}, {"size", size}};
    if (!logical.empty()) json["logicalType"] = logical;
    return json;
  }

  Json Decimal(const Type& type) {
    Json json = Fixed(fmt::format("decimal_{}_{}", type.precision(), type.scale()),
                      DecimalRequiredBytes(type.precision()), "decimal");
    if (json.is_object()) {
      json["precision"] = type.precision();
      json["scale"] = type.scale();
    }
    return json;
  }

  static Json Timestamp(std::string_view logical, bool utc) {
    return {{"type", "long"}, {"logicalType", logical}, {"adjust-to-utc", utc}};
  }

  Json Primitive(const Type& type) {
    switch (type.kind()) {
      case TypeKind::kBoolean:
        return "boolean";
      case TypeKind::kInt:
        return "int";
      case TypeKind::kLong:
        return "long";
      case TypeKind::kFloat:
        return "float";
      case TypeKind::kDouble:
        return "double";
      case TypeKind::kDecimal:
        return Decimal(type);
      case TypeKind::kDate:
        return {{"type", "int"}, {"logicalType", "date"}};
      case TypeKind::kTime:
        return {{"type", "long"}, {"logicalType", "time-micros"}};
      case TypeKind::kTimestamp:
        return Timestamp("timestamp-micros", false);
      case TypeKind::kTimestampTz:
        return Timestamp("timestamp-micros", true);
      case TypeKind::kTimestampNs:
        return Timestamp("timestamp-nanos", false);
      case TypeKind::kTimestampTzNs:
        return Timestamp("timestamp-nanos", true);
      case TypeKind::kString:
        return "string";
      case TypeKind::kUuid:
        return Fixed("uuid_fixed", 16, "uuid");
      case TypeKind::kFixed:
        return Fixed(fmt::format("fixed_{}", type.length()), type.length());
      case TypeKind::kBinary:
      case TypeKind::kGeometry:
      case TypeKind::kGeography:
        return "bytes";
      case TypeKind::kUnknown:
      case TypeKind::kVariant:  // no column of a manifest, and refused in data files
      case TypeKind::kStruct:
      case TypeKind::kList:
      case TypeKind::kMap:
        return "null";
    }
    return "null";
  }

  std::set<std::string> named_;
};

bool IsLetter(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}
bool IsDigit(unsigned char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string AvroSchemaText(const spec::StructType& type, std::string_view record_name) {
  return DumpJson(SchemaPrinter().Record(type, record_name));
}

std::string AvroFieldName(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); i++) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (IsLetter(c) || c == '_' || (IsDigit(c) && i > 0)) {
      out.push_back(name[i]);
    } else if (IsDigit(c)) {
      out.push_back('_');
      out.push_back(name[i]);
    } else {
      out += fmt::format("_x{:X}", c);
    }
  }
  return out;
}

}  // namespace iceblink::table
