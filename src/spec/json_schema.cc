// JSON of types, schemas, partition specs and sort orders.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "spec/json.h"

namespace iceblink::spec {
namespace {

auto Bad(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "IllegalArgumentException");
}

Json FieldToJson(const NestedField& field) {
  Json out = {{"id", field.id},
              {"name", field.name},
              {"required", field.required},
              {"type", ToJson(field.type)}};
  if (field.doc) out["doc"] = *field.doc;
  if (field.initial_default)
    out["initial-default"] = ValueToJson(field.type, *field.initial_default);
  if (field.write_default) out["write-default"] = ValueToJson(field.type, *field.write_default);
  return out;
}

Json FieldsToJson(const StructType& type) {
  Json fields = Json::array();
  for (const NestedField& field : type.fields) fields.push_back(FieldToJson(field));
  return fields;
}

Result<std::optional<Value>> DefaultFromJson(const Json& json, std::string_view key,
                                             const Type& type) {
  const Json* member = json::Find(json, key);
  if (member == nullptr) return std::optional<Value>();
  ASSIGN_OR_RETURN(Value value, ValueFromJson(type, *member));
  return std::optional<Value>(std::move(value));
}

Result<NestedField> FieldFromJson(const Json& json) {
  NestedField field;
  if (!json.is_object()) return Bad("Cannot parse struct field from non-object: " + DumpJson(json));
  ASSIGN_OR_RETURN(field.id, json::GetInt(json, "id"));
  ASSIGN_OR_RETURN(field.name, json::GetString(json, "name"));
  const Json* type = json::Find(json, "type");
  if (type == nullptr) return Bad("Cannot parse missing field: type");
  ASSIGN_OR_RETURN(field.type, TypeFromJson(*type));
  ASSIGN_OR_RETURN(field.required, json::GetBool(json, "required"));
  ASSIGN_OR_RETURN(field.doc, json::FindString(json, "doc"));
  ASSIGN_OR_RETURN(field.initial_default, DefaultFromJson(json, "initial-default", field.type));
  ASSIGN_OR_RETURN(field.write_default, DefaultFromJson(json, "write-default", field.type));
  return field;
}

Result<StructType> StructFromJson(const Json& json) {
  ASSIGN_OR_RETURN(const Json* fields, json::GetArray(json, "fields"));
  StructType type;
  for (const Json& item : *fields) {
    ASSIGN_OR_RETURN(NestedField field, FieldFromJson(item));
    type.fields.push_back(std::move(field));
  }
  return type;
}

// Returns the field of a list element or of a map key or value.
Result<NestedField> ChildFromJson(const Json& json, const std::string& name, bool always_required) {
  NestedField field;
  field.name = name;
  ASSIGN_OR_RETURN(field.id, json::GetInt(json, name + "-id"));
  const Json* type = json::Find(json, name);
  if (type == nullptr) return Bad("Cannot parse missing field: " + name);
  ASSIGN_OR_RETURN(field.type, TypeFromJson(*type));
  field.required = true;
  if (!always_required) {
    ASSIGN_OR_RETURN(field.required, json::GetBool(json, name + "-required"));
  }
  return field;
}

// Multi-argument transforms write source-ids; one source is all that this code knows to apply.
Result<int32_t> SourceIdFromJson(const Json& json, Transform& transform) {
  if (json::Has(json, "source-id")) return json::GetInt(json, "source-id");
  if (!json::Has(json, "source-ids")) return json::GetInt(json, "source-id");
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, json::GetIntList(json, "source-ids"));
  if (ids.empty()) return Bad("Cannot parse empty list: source-ids");
  if (ids.size() > 1)
    transform = Transform::Parse(transform.ToString() + "(" + fmt::format("{}", ids.size()) + ")");
  return ids.front();
}

Result<PartitionField> PartitionFieldFromJson(const Json& json) {
  PartitionField field;
  ASSIGN_OR_RETURN(field.name, json::GetString(json, "name"));
  ASSIGN_OR_RETURN(std::string transform, json::GetString(json, "transform"));
  field.transform = Transform::Parse(transform);
  ASSIGN_OR_RETURN(field.source_id, SourceIdFromJson(json, field.transform));
  return field;
}

Result<SortField> SortFieldFromJson(const Json& json) {
  SortField field;
  ASSIGN_OR_RETURN(std::string transform, json::GetString(json, "transform"));
  field.transform = Transform::Parse(transform);
  ASSIGN_OR_RETURN(field.source_id, SourceIdFromJson(json, field.transform));
  ASSIGN_OR_RETURN(std::string direction, json::GetString(json, "direction"));
  ASSIGN_OR_RETURN(std::string nulls, json::GetString(json, "null-order"));
  if (EqualsIgnoreCase(direction, "desc")) {
    field.direction = SortDirection::kDesc;
  } else if (!EqualsIgnoreCase(direction, "asc")) {
    return Bad("Invalid sort direction: " + direction);
  }
  if (EqualsIgnoreCase(nulls, "nulls-last")) {
    field.null_order = NullOrder::kNullsLast;
  } else if (!EqualsIgnoreCase(nulls, "nulls-first")) {
    return Bad("Unexpected null order: " + nulls);
  }
  return field;
}

}  // namespace

Json ToJson(const Type& type) {
  if (type.Is(TypeKind::kStruct))
    return {{"type", "struct"}, {"fields", FieldsToJson(type.AsStruct())}};
  if (type.Is(TypeKind::kList)) {
    const NestedField& element = type.AsList().element;
    return {{"type", "list"},
            {"element-id", element.id},
            {"element", ToJson(element.type)},
            {"element-required", element.required}};
  }
  if (type.Is(TypeKind::kMap)) {
    const auto& [key, value] = type.AsMap();
    return {{"type", "map"},
            {"key-id", key.id},
            {"key", ToJson(key.type)},
            {"value-id", value.id},
            {"value", ToJson(value.type)},
            {"value-required", value.required}};
  }
  return TypeString(type);
}

Result<Type> TypeFromJson(const Json& json) {
  if (json.is_string()) {
    auto type = ParsePrimitiveType(json.get_ref<const std::string&>());
    if (!type) return Bad(type.error().message);
    return *type;
  }
  if (json.is_object()) {
    ASSIGN_OR_RETURN(std::string name, json::GetString(json, "type"));
    if (name == "struct") {
      ASSIGN_OR_RETURN(StructType type, StructFromJson(json));
      return Type(std::move(type));
    }
    if (name == "list") {
      ASSIGN_OR_RETURN(NestedField element, ChildFromJson(json, "element", false));
      return Type(ListType{std::move(element)});
    }
    if (name == "map") {
      ASSIGN_OR_RETURN(NestedField key, ChildFromJson(json, "key", true));
      ASSIGN_OR_RETURN(NestedField value, ChildFromJson(json, "value", false));
      return Type(MapType{std::move(key), std::move(value)});
    }
  }
  return Bad("Cannot parse type from json: " + DumpJson(json));
}

Json ToJson(const Schema& schema) {
  Json out = {{"type", "struct"}, {"schema-id", schema.schema_id()}};
  if (!schema.identifier_field_ids().empty())
    out["identifier-field-ids"] = schema.identifier_field_ids();
  out["fields"] = FieldsToJson(schema.struct_type());
  return out;
}

Result<Schema> SchemaFromJson(const Json& json) {
  if (!json.is_object()) return Bad("Cannot create schema, not a struct type: " + DumpJson(json));
  ASSIGN_OR_RETURN(StructType type, StructFromJson(json));
  ASSIGN_OR_RETURN(std::optional<int32_t> id, json::FindInt(json, "schema-id"));
  std::vector<int32_t> identifiers;
  if (json::Has(json, "identifier-field-ids")) {
    ASSIGN_OR_RETURN(identifiers, json::GetIntList(json, "identifier-field-ids"));
  }
  return Schema(std::move(type.fields), id.value_or(0), std::move(identifiers));
}

Json PartitionFieldsToJson(const PartitionSpec& spec) {
  Json fields = Json::array();
  for (const PartitionField& field : spec.fields) {
    fields.push_back({{"name", field.name},
                      {"transform", field.transform.ToString()},
                      {"source-id", field.source_id},
                      {"field-id", field.field_id}});
  }
  return fields;
}

Json ToJson(const PartitionSpec& spec) {
  return {{"spec-id", spec.spec_id}, {"fields", PartitionFieldsToJson(spec)}};
}

Result<PartitionSpec> PartitionFieldsFromJson(const Json& json, int32_t spec_id) {
  if (!json.is_array())
    return Bad("Cannot parse partition spec fields, not an array: " + DumpJson(json));
  PartitionSpec spec{spec_id, {}};
  size_t with_id = 0;
  for (const Json& item : json) {
    ASSIGN_OR_RETURN(PartitionField field, PartitionFieldFromJson(item));
    ASSIGN_OR_RETURN(std::optional<int32_t> id, json::FindInt(item, "field-id"));
    with_id += id ? 1 : 0;
    field.field_id = id.value_or(kPartitionDataIdStart + static_cast<int32_t>(spec.fields.size()));
    spec.fields.push_back(std::move(field));
  }
  if (with_id != 0 && with_id != spec.fields.size()) {
    return Bad("Cannot parse spec with missing field IDs: some but not all fields have them");
  }
  return spec;
}

Result<PartitionSpec> PartitionSpecFromJson(const Json& json) {
  if (!json.is_object()) return Bad("Cannot parse spec from non-object: " + DumpJson(json));
  ASSIGN_OR_RETURN(std::optional<int32_t> id, json::FindInt(json, "spec-id"));
  ASSIGN_OR_RETURN(const Json* fields, json::GetArray(json, "fields"));
  return PartitionFieldsFromJson(*fields, id.value_or(0));
}

Json ToJson(const SortOrder& order) {
  Json fields = Json::array();
  for (const SortField& field : order.fields) {
    fields.push_back({{"transform", field.transform.ToString()},
                      {"source-id", field.source_id},
                      {"direction", field.direction == SortDirection::kAsc ? "asc" : "desc"},
                      {"null-order",
                       field.null_order == NullOrder::kNullsFirst ? "nulls-first" : "nulls-last"}});
  }
  return {{"order-id", order.order_id}, {"fields", std::move(fields)}};
}

Result<SortOrder> SortOrderFromJson(const Json& json) {
  if (!json.is_object()) return Bad("Cannot parse sort order from non-object: " + DumpJson(json));
  SortOrder order;
  ASSIGN_OR_RETURN(order.order_id, json::GetInt(json, "order-id"));
  ASSIGN_OR_RETURN(const Json* fields, json::GetArray(json, "fields"));
  for (const Json& item : *fields) {
    ASSIGN_OR_RETURN(SortField field, SortFieldFromJson(item));
    order.fields.push_back(std::move(field));
  }
  return order;
}

std::string SchemaText(const Schema& schema) { return DumpJson(ToJson(schema)); }

Result<Schema> SchemaFromText(std::string_view text) {
  ASSIGN_OR_RETURN(Json json, ParseJson(text, "schema"));
  return SchemaFromJson(json);
}

}  // namespace iceblink::spec
