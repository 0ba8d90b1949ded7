// Functions that make a schema of another: fresh ids, ids of a base schema, and projections.
#include <fmt/format.h>

#include <algorithm>

#include "spec/schema.h"

namespace iceblink::spec {
namespace {

// Returns the id of a field, given its full name in the schema being numbered.
using IdOf = std::function<int32_t(const NestedField& field, const std::string& full_name)>;

class Renumber {
 public:
  explicit Renumber(IdOf id_of) : id_of_(std::move(id_of)) {}

  // Direct fields get their ids before any nested type is numbered.
  std::vector<NestedField> Fields(const std::vector<NestedField>& fields,
                                  const std::string& prefix) {
    std::vector<NestedField> out = fields;
    for (NestedField& field : out) {
      int32_t old = field.id;
      field.id = id_of_(field, Name(prefix, field));
      new_ids_[old] = field.id;
    }
    for (NestedField& field : out) field.type = Nested(field.type, Name(prefix, field));
    return out;
  }

  const std::map<int32_t, int32_t>& new_ids() const { return new_ids_; }

 private:
  static std::string Name(const std::string& prefix, const NestedField& field) {
    return prefix.empty() ? field.name : prefix + "." + field.name;
  }

  Type Nested(const Type& type, const std::string& name) {
    if (type.Is(TypeKind::kStruct)) return Type::Struct(Fields(type.AsStruct().fields, name));
    if (type.Is(TypeKind::kList)) return Type(ListType{Fields({type.AsList().element}, name)[0]});
    if (type.Is(TypeKind::kMap)) {
      std::vector<NestedField> fields = Fields({type.AsMap().key, type.AsMap().value}, name);
      return Type(MapType{std::move(fields[0]), std::move(fields[1])});
    }
    return type;
  }

  IdOf id_of_;
  std::map<int32_t, int32_t> new_ids_;
};

Schema Apply(const Schema& schema, IdOf id_of, int32_t schema_id) {
  Renumber renumber(std::move(id_of));
  std::vector<NestedField> fields = renumber.Fields(schema.fields(), "");
  std::vector<int32_t> identifiers;
  for (int32_t id : schema.identifier_field_ids()) {
    if (auto it = renumber.new_ids().find(id); it != renumber.new_ids().end())
      identifiers.push_back(it->second);
  }
  return Schema(std::move(fields), schema_id, std::move(identifiers));
}

// Keeps the chosen fields of a type. `whole` says whether a chosen nested field comes with all of
// its children.
class Select {
 public:
  Select(const std::set<int32_t>& ids, bool whole) : ids_(ids), whole_(whole) {}

  std::vector<NestedField> Fields(const std::vector<NestedField>& fields) const {
    std::vector<NestedField> out;
    for (const NestedField& field : fields) {
      if (auto kept = Keep(field)) out.push_back(std::move(*kept));
    }
    return out;
  }

 private:
  std::optional<NestedField> Keep(const NestedField& field) const {
    bool chosen = ids_.contains(field.id);
    if (chosen && (whole_ || !field.type.is_nested())) return field;
    NestedField copy = field;
    if (field.type.Is(TypeKind::kStruct)) {
      std::vector<NestedField> children = Fields(field.type.AsStruct().fields);
      if (children.empty() && !chosen) return std::nullopt;
      copy.type = Type::Struct(std::move(children));
      return copy;
    }
    if (field.type.Is(TypeKind::kList)) {
      auto element = Keep(field.type.AsList().element);
      if (!element && !chosen) return std::nullopt;
      if (element) copy.type = Type(ListType{std::move(*element)});
      return copy;
    }
    if (field.type.Is(TypeKind::kMap)) {
      auto value = Keep(field.type.AsMap().value);
      if (!value && !chosen && !ids_.contains(field.type.AsMap().key.id)) return std::nullopt;
      if (value) copy.type = Type(MapType{field.type.AsMap().key, std::move(*value)});
      return copy;
    }
    return std::nullopt;
  }

  const std::set<int32_t>& ids_;
  bool whole_;
};

Schema Selected(const Schema& schema, const std::set<int32_t>& ids, bool whole) {
  Schema out(Select(ids, whole).Fields(schema.fields()), schema.schema_id());
  std::vector<int32_t> identifiers;
  for (int32_t id : schema.identifier_field_ids()) {
    if (out.FindField(id) != nullptr) identifiers.push_back(id);
  }
  return identifiers.empty() ? out : out.WithIdentifierFields(std::move(identifiers));
}

}  // namespace

Schema AssignFreshIds(const Schema& schema, const std::function<int32_t()>& next_id,
                      int32_t schema_id) {
  return Apply(
      schema, [&](const NestedField&, const std::string&) { return next_id(); }, schema_id);
}

Schema AssignFreshIds(const Schema& schema, const Schema& base,
                      const std::function<int32_t()>& next_id, int32_t schema_id) {
  auto id_of = [&](const NestedField&, const std::string& name) {
    const NestedField* known = base.FindField(name);
    return known != nullptr ? known->id : next_id();
  };
  return Apply(schema, id_of, schema_id);
}

Result<Schema> ReassignIds(const Schema& schema, const Schema& base, bool case_sensitive) {
  std::string missing;
  auto id_of = [&](const NestedField& field, const std::string& name) {
    const NestedField* known = base.FindField(name, case_sensitive);
    if (known == nullptr && missing.empty()) missing = name;
    return known != nullptr ? known->id : field.id;
  };
  Schema out = Apply(schema, id_of, base.schema_id());
  if (!missing.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Field {} not found in source schema", missing),
                "IllegalArgumentException");
  }
  return out;
}

Schema SelectFields(const Schema& schema, const std::set<int32_t>& ids) {
  return Selected(schema, ids, true);
}
Schema ProjectFields(const Schema& schema, const std::set<int32_t>& ids) {
  return Selected(schema, ids, false);
}

Schema SelectNames(const Schema& schema, std::span<const std::string> names, bool case_sensitive) {
  std::set<int32_t> ids;
  for (const std::string& name : names) {
    if (const NestedField* field = schema.FindField(name, case_sensitive)) ids.insert(field->id);
  }
  return SelectFields(schema, ids);
}

}  // namespace iceblink::spec
