#include "spec/schema_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "spec/properties.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

std::string Join(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

}  // namespace

SchemaUpdate::SchemaUpdate(Schema base, int32_t last_column_id, bool case_sensitive)
    : base_(std::move(base)), last_column_id_(last_column_id), case_sensitive_(case_sensitive) {}

SchemaUpdate& SchemaUpdate::AllowIncompatibleChanges() {
  allow_incompatible_ = true;
  return *this;
}

bool SchemaUpdate::has_changes() const {
  return !deletes_.empty() || !updates_.empty() || !moves_.empty() || identifier_names_.has_value();
}

const NestedField* SchemaUpdate::Find(std::string_view name) const {
  return base_.FindField(name, case_sensitive_);
}

std::string SchemaUpdate::NameKey(std::string_view name) const {
  return case_sensitive_ ? std::string(name) : Utf8Lower(name);
}

const NestedField* SchemaUpdate::FindForUpdate(std::string_view name) const {
  const NestedField* field = Find(name);
  if (field != nullptr) {
    auto it = updates_.find(field->id);
    return it == updates_.end() ? field : &it->second;
  }
  auto it = added_names_.find(NameKey(name));
  return it == added_names_.end() ? nullptr : &updates_.at(it->second);
}

std::optional<int32_t> SchemaUpdate::FindForMove(std::string_view name) const {
  if (auto it = added_names_.find(NameKey(name)); it != added_names_.end()) return it->second;
  const NestedField* field = Find(name);
  return field == nullptr ? std::nullopt : std::optional<int32_t>(field->id);
}

std::optional<int32_t> SchemaUpdate::ParentOf(int32_t id) const {
  if (auto it = added_parents_.find(id); it != added_parents_.end()) return it->second;
  return base_.ParentId(id);
}

Status SchemaUpdate::AddColumn(std::string_view parent, std::string_view name, const Type& type,
                               std::optional<std::string> doc, std::optional<Value> default_value) {
  return Add(parent, name, false, type, std::move(doc), std::move(default_value));
}

Status SchemaUpdate::AddRequiredColumn(std::string_view parent, std::string_view name,
                                       const Type& type, std::optional<std::string> doc,
                                       std::optional<Value> default_value) {
  return Add(parent, name, true, type, std::move(doc), std::move(default_value));
}

Result<int32_t> SchemaUpdate::ResolveParent(std::string_view parent, std::string_view name) const {
  const NestedField* field = Find(parent);
  if (field == nullptr) return Invalid(fmt::format("Cannot find parent struct: {}", parent));
  if (field->type.Is(TypeKind::kMap)) field = &field->type.AsMap().value;
  if (field->type.Is(TypeKind::kList)) field = &field->type.AsList().element;
  if (!field->type.Is(TypeKind::kStruct)) {
    return Invalid(
        fmt::format("Cannot add to non-struct column: {}: {}", parent, field->type.ToString()));
  }
  if (deletes_.contains(field->id)) {
    return Invalid(fmt::format("Cannot add to a column that will be deleted: {}", parent));
  }
  const NestedField* current = Find(Join(parent, name));
  if (current != nullptr && !deletes_.contains(current->id)) {
    return Invalid(fmt::format("Cannot add column, name already exists: {}.{}", parent, name));
  }
  return field->id;
}

Status SchemaUpdate::Add(std::string_view parent, std::string_view name, bool required,
                         const Type& type, std::optional<std::string> doc,
                         std::optional<Value> default_value) {
  int32_t parent_id = kRootParent;
  if (!parent.empty()) {
    ASSIGN_OR_RETURN(parent_id, ResolveParent(parent, name));
  } else {
    const NestedField* current = Find(name);
    if (current != nullptr && !deletes_.contains(current->id)) {
      return Invalid(fmt::format("Cannot add column, name already exists: {}", name));
    }
  }
  std::string full_name = Join(parent.empty() ? "" : base_.FullName(parent_id), name);
  if (added_names_.contains(NameKey(full_name))) {
    return Invalid(fmt::format("Cannot add column, name already exists: {}", full_name));
  }
  if (required && !default_value && !allow_incompatible_) {
    return Invalid("Incompatible change: cannot add required column without a default value: " +
                   full_name);
  }
  int32_t id = ++last_column_id_;
  added_names_[NameKey(full_name)] = id;
  if (parent_id != kRootParent) added_parents_[id] = parent_id;
  // Only the nested ids of the type are assigned: wrap it so that AssignFreshIds numbers its
  // children.
  Schema wrapped({NestedField{id, std::string(name), type, required, std::move(doc), default_value,
                              default_value}});
  bool outer = true;
  Schema fresh =
      AssignFreshIds(wrapped, [&] { return std::exchange(outer, false) ? id : ++last_column_id_; });
  updates_.insert_or_assign(id, fresh.fields()[0]);
  adds_[parent_id].push_back(id);
  return {};
}

Status SchemaUpdate::DeleteColumn(std::string_view name) {
  const NestedField* field = Find(name);
  if (field == nullptr) return Invalid(fmt::format("Cannot delete missing column: {}", name));
  if (adds_.contains(field->id))
    return Invalid(fmt::format("Cannot delete a column that has additions: {}", name));
  if (updates_.contains(field->id))
    return Invalid(fmt::format("Cannot delete a column that has updates: {}", name));
  deletes_.insert(field->id);
  return {};
}

Status SchemaUpdate::RenameColumn(std::string_view name, std::string_view new_name) {
  const NestedField* field = Find(name);
  if (field == nullptr) return Invalid(fmt::format("Cannot rename missing column: {}", name));
  if (deletes_.contains(field->id)) {
    return Invalid(fmt::format("Cannot rename a column that will be deleted: {}", field->name));
  }
  std::string old_full = base_.FullName(field->id);
  updates_.try_emplace(field->id, *field).first->second.name = std::string(new_name);
  if (identifier_names_) {
    size_t dot = old_full.rfind('.');
    std::string new_full = Join(dot == std::string::npos ? "" : old_full.substr(0, dot), new_name);
    std::replace(identifier_names_->begin(), identifier_names_->end(), old_full, new_full);
  }
  return {};
}

namespace {

Status CheckUpdatable(const NestedField* field, std::string_view name,
                      const std::set<int32_t>& deletes) {
  if (field == nullptr) return Invalid(fmt::format("Cannot update missing column: {}", name));
  if (deletes.contains(field->id)) {
    return Invalid(fmt::format("Cannot update a column that will be deleted: {}", field->name));
  }
  return {};
}

}  // namespace

Status SchemaUpdate::UpdateColumnType(std::string_view name, const Type& type) {
  const NestedField* field = FindForUpdate(name);
  RETURN_IF_ERROR(CheckUpdatable(field, name, deletes_));
  if (field->type == type) return {};
  if (!IsPromotionAllowed(field->type, type)) {
    return Invalid(fmt::format("Cannot change column type: {}: {} -> {}", name,
                               field->type.ToString(), type.ToString()));
  }
  updates_.try_emplace(field->id, *field).first->second.type = type;
  return {};
}

Status SchemaUpdate::UpdateColumnDoc(std::string_view name, std::optional<std::string> doc) {
  const NestedField* field = FindForUpdate(name);
  RETURN_IF_ERROR(CheckUpdatable(field, name, deletes_));
  if (field->doc == doc) return {};
  updates_.try_emplace(field->id, *field).first->second.doc = std::move(doc);
  return {};
}

Status SchemaUpdate::UpdateColumnDefault(std::string_view name,
                                         std::optional<Value> write_default) {
  const NestedField* field = FindForUpdate(name);
  RETURN_IF_ERROR(CheckUpdatable(field, name, deletes_));
  if (field->write_default == write_default) return {};
  updates_.try_emplace(field->id, *field).first->second.write_default = std::move(write_default);
  return {};
}

Status SchemaUpdate::SetRequired(std::string_view name, bool required) {
  const NestedField* field = FindForUpdate(name);
  if (field == nullptr) return Invalid(fmt::format("Cannot update missing column: {}", name));
  if (field->required == required) return {};
  bool added_with_default = added_names_.contains(NameKey(name)) && field->initial_default;
  if (required && !added_with_default && !allow_incompatible_) {
    return Invalid(fmt::format("Cannot change column nullability: {}: optional -> required", name));
  }
  RETURN_IF_ERROR(CheckUpdatable(field, name, deletes_));
  updates_.try_emplace(field->id, *field).first->second.required = required;
  return {};
}

Status SchemaUpdate::MakeColumnOptional(std::string_view name) { return SetRequired(name, false); }
Status SchemaUpdate::RequireColumn(std::string_view name) { return SetRequired(name, true); }

Status SchemaUpdate::MoveColumn(std::string_view name, const ColumnPosition& position) {
  using Kind = ColumnPosition::Kind;
  if (position.kind == Kind::kNone) return {};
  auto id = FindForMove(name);
  if (!id) return Invalid(fmt::format("Cannot move missing column: {}", name));
  auto parent = ParentOf(*id);
  const NestedField* parent_field = parent ? base_.FindField(*parent) : nullptr;
  if (parent_field != nullptr && !parent_field->type.Is(TypeKind::kStruct)) {
    return Invalid("Cannot move fields in non-struct type: " + parent_field->type.ToString());
  }
  std::optional<int32_t> reference = *id;
  if (position.kind != Kind::kFirst) {
    std::string_view where = position.kind == Kind::kBefore ? "before" : "after";
    reference = FindForMove(position.reference);
    if (!reference) {
      return Invalid(
          fmt::format("Cannot move {} {} missing column: {}", name, where, position.reference));
    }
    if (*reference == *id) return Invalid(fmt::format("Cannot move {} {} itself", name, where));
    if (ParentOf(*reference) != parent) {
      return Invalid(fmt::format("Cannot move field {} to a different struct", name));
    }
  }
  moves_[parent.value_or(kRootParent)].push_back(Move{*id, *reference, position.kind});
  return {};
}

Status SchemaUpdate::SetIdentifierFields(std::vector<std::string> names) {
  identifier_names_ = std::move(names);
  return {};
}

Status SchemaUpdate::UnionByNameWith(const Schema& other) {
  return Union(Type(base_.struct_type()), Type(other.struct_type()), "");
}

Status SchemaUpdate::Union(const Type& current, const Type& wanted, std::string_view prefix) {
  if (current.kind() != wanted.kind() || !current.is_nested()) return {};
  for (const NestedField* field : wanted.children()) {
    std::string full_name = Join(prefix, field->name);
    const NestedField* known = Find(full_name);
    if (known != nullptr) {
      RETURN_IF_ERROR(UnionField(*known, *field, base_.FullName(known->id)));
    } else {
      RETURN_IF_ERROR(
          AddColumn(prefix, field->name, field->type, field->doc, field->initial_default));
    }
  }
  return {};
}

Status SchemaUpdate::UnionField(const NestedField& current, const NestedField& wanted,
                                const std::string& full_name) {
  if (!wanted.required && current.required && full_name != "key" && !full_name.ends_with(".key")) {
    RETURN_IF_ERROR(MakeColumnOptional(full_name));
  }
  bool both_nested = current.type.is_nested() && wanted.type.is_nested();
  bool narrower = current.type.is_primitive() && IsPromotionAllowed(wanted.type, current.type);
  if (!both_nested && !narrower) RETURN_IF_ERROR(UpdateColumnType(full_name, wanted.type));
  if (wanted.doc && wanted.doc != current.doc)
    RETURN_IF_ERROR(UpdateColumnDoc(full_name, wanted.doc));
  return Union(current.type, wanted.type, full_name);
}

}  // namespace iceblink::spec
