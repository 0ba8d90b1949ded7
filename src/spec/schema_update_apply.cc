// The part of SchemaUpdate that makes the new schema and properties from the collected changes.
#include <fmt/format.h>

#include <algorithm>

#include "spec/properties.h"
#include "spec/schema_update.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

auto PositionOf(std::vector<NestedField>& fields, int32_t id) {
  return std::find_if(fields.begin(), fields.end(),
                      [id](const NestedField& field) { return field.id == id; });
}

}  // namespace

Result<Schema> SchemaUpdate::Apply() const {
  RETURN_IF_ERROR(CheckIdentifiersKept());
  ASSIGN_OR_RETURN(StructType type, ApplyStruct(base_.struct_type(), kRootParent));
  Schema schema(std::move(type.fields), base_.schema_id());
  ASSIGN_OR_RETURN(std::vector<int32_t> identifiers, NewIdentifiers(schema));
  schema = schema.WithIdentifierFields(std::move(identifiers));
  RETURN_IF_ERROR(ValidateSchema(schema));
  return schema;
}

Status SchemaUpdate::CheckIdentifiersKept() const {
  std::vector<int32_t> ids = base_.identifier_field_ids();
  if (identifier_names_) {
    ids.clear();
    for (const std::string& name : *identifier_names_) {
      if (const NestedField* field = Find(name)) ids.push_back(field->id);
    }
  }
  for (int32_t id : ids) {
    const NestedField* field = base_.FindField(id);
    if (deletes_.contains(id)) {
      return Invalid(fmt::format(
          "Cannot delete identifier field {}. To force deletion, also call setIdentifierFields to "
          "update identifier fields.",
          field->ToString()));
    }
    for (auto parent = base_.ParentId(id); parent; parent = base_.ParentId(*parent)) {
      if (!deletes_.contains(*parent)) continue;
      return Invalid(
          fmt::format("Cannot delete field {} as it will delete nested identifier field {}.",
                      base_.FindField(*parent)->ToString(), field->ToString()));
    }
  }
  return {};
}

Result<std::vector<int32_t>> SchemaUpdate::NewIdentifiers(const Schema& schema) const {
  std::vector<int32_t> ids;
  if (!identifier_names_) {
    ids = base_.identifier_field_ids();
  } else {
    for (const std::string& name : *identifier_names_) {
      const NestedField* field = schema.FindField(name, case_sensitive_);
      if (field == nullptr) {
        return Invalid(
            fmt::format("Cannot add field {} as an identifier field: not found in current schema "
                        "or added columns",
                        name));
      }
      if (std::find(ids.begin(), ids.end(), field->id) == ids.end()) ids.push_back(field->id);
    }
  }
  for (int32_t id : ids) RETURN_IF_ERROR(ValidateIdentifierField(schema, id));
  return ids;
}

Result<StructType> SchemaUpdate::ApplyStruct(const StructType& type, int32_t id) const {
  StructType out;
  for (const NestedField& field : type.fields) {
    ASSIGN_OR_RETURN(std::optional<NestedField> kept, ApplyField(field));
    if (kept) out.fields.push_back(std::move(*kept));
  }
  AddAndMove(out.fields, id);
  return out;
}

Result<std::optional<NestedField>> SchemaUpdate::ApplyField(const NestedField& field) const {
  if (deletes_.contains(field.id)) return std::optional<NestedField>();
  auto it = updates_.find(field.id);
  NestedField out = it == updates_.end() ? field : it->second;
  if (out.type.is_nested()) {
    ASSIGN_OR_RETURN(out.type, ApplyType(out.type, field.id));
  }
  return std::optional<NestedField>(std::move(out));
}

Result<Type> SchemaUpdate::ApplyType(const Type& type, int32_t id) const {
  if (type.Is(TypeKind::kStruct)) {
    ASSIGN_OR_RETURN(StructType fields, ApplyStruct(type.AsStruct(), id));
    return Type(std::move(fields));
  }
  if (type.Is(TypeKind::kMap)) return ApplyMap(type);
  ASSIGN_OR_RETURN(std::optional<NestedField> element, ApplyField(type.AsList().element));
  if (!element) return Invalid("Cannot delete element type from list: " + type.ToString());
  return Type(ListType{std::move(*element)});
}

Result<Type> SchemaUpdate::ApplyMap(const Type& type) const {
  const NestedField& key = type.AsMap().key;
  if (deletes_.contains(key.id)) return Invalid("Cannot delete map keys: " + type.ToString());
  if (updates_.contains(key.id)) return Invalid("Cannot update map keys: " + type.ToString());
  if (adds_.contains(key.id)) return Invalid("Cannot add fields to map keys: " + type.ToString());
  ASSIGN_OR_RETURN(std::optional<NestedField> new_key, ApplyField(key));
  if (*new_key != key) return Invalid("Cannot alter map keys: " + type.ToString());
  ASSIGN_OR_RETURN(std::optional<NestedField> value, ApplyField(type.AsMap().value));
  if (!value) return Invalid("Cannot delete value type from map: " + type.ToString());
  return Type(MapType{key, std::move(*value)});
}

void SchemaUpdate::AddAndMove(std::vector<NestedField>& fields, int32_t parent_id) const {
  if (auto it = adds_.find(parent_id); it != adds_.end()) {
    for (int32_t id : it->second) fields.push_back(updates_.at(id));
  }
  auto moves = moves_.find(parent_id);
  if (moves == moves_.end()) return;
  for (const Move& move : moves->second) {
    auto from = PositionOf(fields, move.field_id);
    if (from == fields.end()) continue;
    NestedField field = std::move(*from);
    fields.erase(from);
    auto at = fields.begin();
    if (move.kind != ColumnPosition::Kind::kFirst) at = PositionOf(fields, move.reference_id);
    if (move.kind == ColumnPosition::Kind::kAfter && at != fields.end()) ++at;
    fields.insert(at, std::move(field));
  }
}

namespace {

// Column names in these keys follow renames; keys of dropped columns go.
constexpr std::string_view kColumnPrefixes[] = {
    property::kMetricsColumnPrefix, property::kBloomColumnPrefix, property::kStatsColumnPrefix};

std::string_view PrefixOf(std::string_view key) {
  for (std::string_view prefix : kColumnPrefixes) {
    if (key.starts_with(prefix)) return prefix;
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> SchemaUpdate::UpdateProperties(
    const std::map<std::string, std::string>& properties) const {
  auto schema = Apply();
  if (!schema) return properties;
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : properties) {
    std::string_view prefix = PrefixOf(key);
    const NestedField* column =
        prefix.empty() ? nullptr : base_.FindField(key.substr(prefix.size()));
    if (column == nullptr) {
      out.emplace(key, value);
    } else if (schema->FindField(column->id) != nullptr) {
      out.emplace(std::string(prefix) + schema->FullName(column->id), value);
    }
  }
  auto mapping_text = out.find(std::string(property::kNameMapping));
  if (mapping_text == out.end()) return out;
  auto mapping = ParseNameMapping(mapping_text->second);
  if (!mapping) return out;  // an unreadable mapping is the user's; Java warns and leaves it
  std::map<int32_t, std::vector<NestedField>> added;
  for (const auto& [parent, ids] : adds_) {
    for (int32_t id : ids) added[parent].push_back(updates_.at(id));
  }
  mapping_text->second = SerializeNameMapping(UpdateNameMapping(*mapping, updates_, added));
  return out;
}

}  // namespace iceblink::spec
