#include "spec/schema.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/strings.h"
#include "spec/single_value.h"

namespace iceblink::spec {

struct Schema::Rep {
  struct Entry {
    const NestedField* field = nullptr;
    std::string full_name;
    std::optional<int32_t> parent;
  };

  int32_t schema_id = 0;
  StructType type;
  std::vector<int32_t> identifier_field_ids;
  std::vector<const NestedField*> all;
  std::unordered_map<int32_t, Entry> by_id;
  std::map<std::string, int32_t, std::less<>> name_to_id;   // full names
  std::map<std::string, int32_t, std::less<>> short_to_id;  // names without list and map steps
  std::map<std::string, int32_t, std::less<>> lower_to_id;  // both kinds
  Status name_status;                                       // the first clash of full names

  void Index() {
    IndexStruct(type, "", "", std::nullopt);
    for (const auto& [name, id] : name_to_id) lower_to_id.emplace(Utf8Lower(name), id);
    for (const auto& [name, id] : short_to_id) lower_to_id.emplace(Utf8Lower(name), id);
  }

  void IndexStruct(const StructType& fields, const std::string& prefix,
                   const std::string& short_prefix, std::optional<int32_t> parent) {
    for (const NestedField& field : fields.fields) Add(field, prefix, short_prefix, parent, true);
  }

  // `in_short` is false for the list element and map value step that short names leave out.
  void Add(const NestedField& field, const std::string& prefix, const std::string& short_prefix,
           std::optional<int32_t> parent, bool in_short) {
    std::string full = prefix.empty() ? field.name : prefix + "." + field.name;
    std::string brief = short_prefix.empty() ? field.name : short_prefix + "." + field.name;
    if (auto [it, fresh] = name_to_id.emplace(full, field.id); !fresh && name_status) {
      name_status = Fail(ErrorCode::kInvalidArgument,
                         fmt::format("Invalid schema: multiple fields for name {}: {} and {}", full,
                                     it->second, field.id),
                         "ValidationException");
    }
    if (brief != full) short_to_id.emplace(brief, field.id);
    all.push_back(&field);
    by_id.emplace(field.id, Entry{&field, full, parent});
    Descend(field, full, in_short ? brief : short_prefix);
  }

  void Descend(const NestedField& field, const std::string& full, const std::string& brief) {
    if (field.type.Is(TypeKind::kStruct)) {
      IndexStruct(field.type.AsStruct(), full, brief, field.id);
    } else if (field.type.Is(TypeKind::kList)) {
      const NestedField& element = field.type.AsList().element;
      Add(element, full, brief, field.id, !element.type.Is(TypeKind::kStruct));
    } else if (field.type.Is(TypeKind::kMap)) {
      const NestedField& value = field.type.AsMap().value;
      Add(field.type.AsMap().key, full, brief, field.id, true);
      Add(value, full, brief, field.id, !value.type.Is(TypeKind::kStruct));
    }
  }
};

Schema::Schema() : Schema(std::vector<NestedField>{}) {}

Schema::Schema(std::vector<NestedField> fields, int32_t schema_id,
               std::vector<int32_t> identifier_field_ids) {
  auto rep = std::make_shared<Rep>();
  rep->schema_id = schema_id;
  rep->type.fields = std::move(fields);
  rep->identifier_field_ids = std::move(identifier_field_ids);
  std::sort(rep->identifier_field_ids.begin(), rep->identifier_field_ids.end());
  rep->Index();
  rep_ = std::move(rep);
}

int32_t Schema::schema_id() const { return rep_->schema_id; }
const std::vector<NestedField>& Schema::fields() const { return rep_->type.fields; }
const StructType& Schema::struct_type() const { return rep_->type; }
const std::vector<int32_t>& Schema::identifier_field_ids() const {
  return rep_->identifier_field_ids;
}

const NestedField* Schema::FindField(int32_t id) const {
  auto it = rep_->by_id.find(id);
  return it == rep_->by_id.end() ? nullptr : it->second.field;
}

const NestedField* Schema::FindField(std::string_view name, bool case_sensitive) const {
  if (auto it = rep_->name_to_id.find(name); it != rep_->name_to_id.end())
    return FindField(it->second);
  if (auto it = rep_->short_to_id.find(name); it != rep_->short_to_id.end())
    return FindField(it->second);
  if (case_sensitive) return nullptr;
  auto it = rep_->lower_to_id.find(Utf8Lower(name));
  return it == rep_->lower_to_id.end() ? nullptr : FindField(it->second);
}

const Type* Schema::FindType(int32_t id) const {
  const NestedField* field = FindField(id);
  return field == nullptr ? nullptr : &field->type;
}

const std::string& Schema::FullName(int32_t id) const {
  static const std::string kNone;
  auto it = rep_->by_id.find(id);
  return it == rep_->by_id.end() ? kNone : it->second.full_name;
}

std::optional<int32_t> Schema::ParentId(int32_t id) const {
  auto it = rep_->by_id.find(id);
  return it == rep_->by_id.end() ? std::nullopt : it->second.parent;
}

int32_t Schema::HighestFieldId() const {
  int32_t highest = 0;
  for (const NestedField* field : rep_->all) highest = std::max(highest, field->id);
  return highest;
}

const std::vector<const NestedField*>& Schema::AllFields() const { return rep_->all; }
const std::map<std::string, int32_t, std::less<>>& Schema::NameToId() const {
  return rep_->name_to_id;
}

Schema Schema::WithId(int32_t schema_id) const {
  if (schema_id == rep_->schema_id) return *this;
  return Schema(rep_->type.fields, schema_id, rep_->identifier_field_ids);
}

Schema Schema::WithIdentifierFields(std::vector<int32_t> ids) const {
  return Schema(rep_->type.fields, rep_->schema_id, std::move(ids));
}

bool Schema::SameSchema(const Schema& other) const {
  return rep_ == other.rep_ || (rep_->type == other.rep_->type &&
                                rep_->identifier_field_ids == other.rep_->identifier_field_ids);
}

std::string Schema::ToString() const {
  std::string text = "table {\n";
  for (const NestedField& field : fields()) {
    const auto& ids = identifier_field_ids();
    bool identifier = std::find(ids.begin(), ids.end(), field.id) != ids.end();
    text += fmt::format("  {}{}\n", field.ToString(), identifier ? " (id)" : "");
  }
  return text + "}";
}

namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

}  // namespace

Status ValidateSchema(const Schema& schema) {
  std::set<int32_t> ids;
  std::map<std::string, int32_t> names;
  for (const NestedField* field : schema.AllFields()) {
    if (!ids.insert(field->id).second) {
      return Invalid(fmt::format("Multiple entries with same key: {}={} and {}={}", field->id,
                                 schema.FullName(field->id), field->id, field->name));
    }
    const std::string& name = schema.FullName(field->id);
    if (auto [it, fresh] = names.emplace(name, field->id); !fresh) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("Invalid schema: multiple fields for name {}: {} and {}", name,
                              it->second, field->id),
                  "ValidationException");
    }
  }
  for (int32_t id : schema.identifier_field_ids())
    RETURN_IF_ERROR(ValidateIdentifierField(schema, id));
  return {};
}

Status CheckCompatibility(const Schema& schema, int32_t format_version) {
  std::map<int32_t, std::string> problems;
  for (const NestedField* field : schema.AllFields()) {
    const std::string& name = schema.FullName(field->id);
    if (int32_t min = MinFormatVersion(field->type.kind()); format_version < min) {
      problems[field->id] = fmt::format("Invalid type for {}: {} is not supported until v{}", name,
                                        field->type.ToString(), min);
    }
    if (field->initial_default && !field->initial_default->is_null() && format_version < 3) {
      problems[field->id] = fmt::format(
          "Invalid initial default for {}: non-null default ({}) is not supported until v3", name,
          HumanString(field->type, *field->initial_default));
    }
  }
  if (problems.empty()) return {};
  std::string text = fmt::format("Invalid schema for v{}:", format_version);
  for (const auto& [id, problem] : problems) text += "\n- " + problem;
  return Fail(ErrorCode::kInvalidArgument, std::move(text), "IllegalStateException");
}

Status ValidateIdentifierField(const Schema& schema, int32_t field_id) {
  const NestedField* field = schema.FindField(field_id);
  if (field == nullptr) {
    return Invalid(fmt::format("Cannot add fieldId {} as an identifier field: field does not exist",
                               field_id));
  }
  auto refuse = [&](std::string_view why) {
    return Invalid(fmt::format("Cannot add field {} as an identifier field: {}", field->name, why));
  };
  if (!field->type.is_primitive()) return refuse("not a primitive type field");
  if (!field->required) return refuse("not a required field");
  if (field->type.Is(TypeKind::kFloat) || field->type.Is(TypeKind::kDouble)) {
    return refuse("must not be float or double field");
  }
  std::vector<const NestedField*> parents;  // innermost first; Java reports the outermost offender
  for (auto id = schema.ParentId(field_id); id; id = schema.ParentId(*id))
    parents.push_back(schema.FindField(*id));
  for (auto it = parents.rbegin(); it != parents.rend(); ++it) {
    if (!(*it)->type.Is(TypeKind::kStruct))
      return refuse("must not be nested in " + (*it)->ToString());
    if (!(*it)->required)
      return refuse("must not be nested in an optional field " + (*it)->ToString());
  }
  return {};
}

void ForEachField(const Type& type, const std::function<void(const NestedField&)>& visit) {
  for (const NestedField* field : type.children()) {
    visit(*field);
    ForEachField(field->type, visit);
  }
}

}  // namespace iceblink::spec
