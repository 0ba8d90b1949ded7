#include "spec/name_mapping.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "spec/json.h"

namespace iceblink::spec {
namespace {

Result<std::vector<MappedField>> FieldsFromJson(const Json& json) {
  if (!json.is_array()) {
    return Fail(ErrorCode::kCorrupt, "Cannot parse non-array mapping fields: " + DumpJson(json),
                "IllegalArgumentException");
  }
  std::vector<MappedField> out;
  for (const Json& item : json) {
    MappedField field;
    ASSIGN_OR_RETURN(field.id, json::FindInt(item, "field-id"));
    if (json::Has(item, "names")) {
      ASSIGN_OR_RETURN(field.names, json::GetStringList(item, "names"));
    }
    if (const Json* nested = json::Find(item, "fields")) {
      ASSIGN_OR_RETURN(field.fields, FieldsFromJson(*nested));
    }
    out.push_back(std::move(field));
  }
  return out;
}

// Jackson's pretty form, in which Java stores the property.
std::string FieldsText(const std::vector<MappedField>& fields, const std::string& margin) {
  if (fields.empty()) return "[ ]";
  const std::string inner = margin + "  ";
  std::vector<std::string> items;
  for (const MappedField& field : fields) {
    std::vector<std::string> members, names;
    for (const std::string& name : field.names) names.push_back(DumpJson(Json(name)));
    if (field.id) members.push_back(inner + "\"field-id\" : " + std::to_string(*field.id));
    members.push_back(inner +
                      "\"names\" : " + (names.empty() ? "[ ]" : "[ " + Join(names, ", ") + " ]"));
    if (!field.fields.empty())
      members.push_back(inner + "\"fields\" : " + FieldsText(field.fields, inner));
    items.push_back("{\n" + Join(members, ",\n") + "\n" + margin + "}");
  }
  return "[ " + Join(items, ", ") + " ]";
}

std::vector<MappedField> FieldsOf(const Type& type) {
  std::vector<MappedField> out;
  for (const NestedField* field : type.children()) {
    out.push_back(MappedField{field->id, {field->name}, FieldsOf(field->type)});
  }
  return out;
}

// Applies a schema change to a mapping, bottom up.
class Update {
 public:
  Update(const std::map<int32_t, NestedField>& updates,
         const std::map<int32_t, std::vector<NestedField>>& adds)
      : updates_(updates), adds_(adds) {}

  std::vector<MappedField> Fields(const std::vector<MappedField>& fields,
                                  std::optional<int32_t> parent) const {
    std::vector<MappedField> out;
    std::map<std::string, int32_t> owners;  // name -> the field that it now belongs to
    for (const MappedField& field : fields) {
      out.push_back(Field(field));
      auto it = field.id ? updates_.find(*field.id) : updates_.end();
      if (it != updates_.end()) owners[it->second.name] = *field.id;
    }
    auto adds = parent ? adds_.find(*parent) : adds_.end();
    if (adds != adds_.end()) {
      for (const NestedField& added : adds->second) owners[added.name] = added.id;
    }
    for (MappedField& field : out) {
      std::erase_if(field.names, [&](const std::string& name) {
        auto it = owners.find(name);
        return it != owners.end() && field.id != it->second;
      });
    }
    if (adds != adds_.end()) {
      for (const NestedField& added : adds->second) {
        out.push_back(MappedField{added.id, {added.name}, FieldsOf(added.type)});
      }
    }
    return out;
  }

 private:
  MappedField Field(const MappedField& field) const {
    MappedField out = field;
    auto it = field.id ? updates_.find(*field.id) : updates_.end();
    if (it != updates_.end() &&
        std::find(out.names.begin(), out.names.end(), it->second.name) == out.names.end()) {
      out.names.push_back(it->second.name);
    }
    out.fields = Fields(field.fields, field.id);
    return out;
  }

  const std::map<int32_t, NestedField>& updates_;
  const std::map<int32_t, std::vector<NestedField>>& adds_;
};

}  // namespace

const MappedField* NameMapping::Find(std::span<const std::string> path) const {
  const std::vector<MappedField>* level = &fields;
  const MappedField* found = nullptr;
  for (const std::string& step : path) {
    auto it = std::find_if(level->begin(), level->end(), [&](const MappedField& field) {
      return std::find(field.names.begin(), field.names.end(), step) != field.names.end();
    });
    if (it == level->end()) return nullptr;
    found = &*it;
    level = &found->fields;
  }
  return found;
}

Result<NameMapping> ParseNameMapping(std::string_view text) {
  ASSIGN_OR_RETURN(Json json, ParseJson(text, "name mapping"));
  ASSIGN_OR_RETURN(std::vector<MappedField> fields, FieldsFromJson(json));
  return NameMapping{std::move(fields)};
}

std::string SerializeNameMapping(const NameMapping& mapping) {
  return FieldsText(mapping.fields, "");
}

NameMapping CreateNameMapping(const Schema& schema) {
  return NameMapping{FieldsOf(Type(schema.struct_type()))};
}

NameMapping UpdateNameMapping(const NameMapping& mapping,
                              const std::map<int32_t, NestedField>& updates,
                              const std::map<int32_t, std::vector<NestedField>>& adds) {
  return NameMapping{Update(updates, adds).Fields(mapping.fields, kRootParent)};
}

}  // namespace iceblink::spec
