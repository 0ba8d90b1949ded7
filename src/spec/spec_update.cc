#include "spec/spec_update.h"

#include <fmt/format.h>

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}
auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

// Returns the text of a term in Java's messages.
std::string TermText(std::string_view column, const Transform& transform) {
  std::string ref = fmt::format("ref(name=\"{}\")", column);
  return transform.is_identity() ? ref : fmt::format("{}({})", transform.ToString(), ref);
}

std::string_view NameText(std::string_view name) { return name.empty() ? "null" : name; }

}  // namespace

SpecUpdate::SpecUpdate(const TableMetadata& base, bool case_sensitive)
    : schema_(base.schema()),
      spec_(base.spec()),
      historical_(base.specs),
      format_version_(base.format_version),
      last_assigned_id_(base.last_partition_id),
      case_sensitive_(case_sensitive) {
  for (const PartitionField& field : spec_.fields) {
    name_to_field_[field.name] = field;
    transform_to_field_[{field.source_id, field.transform.ToString()}] = field;
  }
}

Result<SpecUpdate::SourceTransform> SpecUpdate::Resolve(std::string_view column,
                                                        const Transform& transform) const {
  for (const PartitionField& field : spec_.fields) {
    if (!field.transform.Is(TransformKind::kUnknown)) continue;
    return Invalid("Cannot update partition spec with unknown transform: " + field.ToString());
  }
  const NestedField* source = schema_.FindField(column, case_sensitive_);
  if (source == nullptr) {
    return NotValid(fmt::format("Cannot find field '{}' in struct: {}", column,
                                Type(schema_.struct_type()).ToString()));
  }
  if (!transform.is_identity() && !transform.CanTransform(source->type)) {
    return NotValid(fmt::format("Cannot bind: {} cannot transform {} values from '{}'",
                                transform.ToString(), source->type.ToString(), column));
  }
  return SourceTransform{source->id, transform.ToString()};
}

// Version 2 tables take up the field that some earlier spec had for the same source and transform.
PartitionField SpecUpdate::RecycleOrCreate(int32_t source_id, const Transform& transform,
                                           std::string_view name) {
  if (format_version_ >= 2) {
    for (const PartitionSpec& spec : historical_) {
      for (const PartitionField& field : spec.fields) {
        bool same = field.source_id == source_id && field.transform == transform;
        if (same && (name.empty() || field.name == name)) return field;
      }
    }
  }
  return PartitionField{source_id, ++last_assigned_id_, std::string(name), transform};
}

Status SpecUpdate::CheckRedundantTime(const PartitionField& field) const {
  auto it = added_time_fields_.find(field.source_id);
  if (!field.transform.is_time() || it == added_time_fields_.end()) return {};
  return Invalid(fmt::format("Cannot add redundant partition field: {} conflicts with {}",
                             it->second.ToString(), field.ToString()));
}

Status SpecUpdate::RewriteDeleteAndAdd(const PartitionField& existing, std::string_view name) {
  deletes_.erase(existing.field_id);
  if (name.empty() || existing.name == name) return {};
  return RenameField(existing.name, name);
}

Status SpecUpdate::AddField(std::string_view column, const Transform& transform,
                            std::string_view name) {
  if (auto it = added_by_name_.find(std::string(name)); it != added_by_name_.end()) {
    return Invalid("Cannot add duplicate partition field: " + it->second.ToString());
  }
  ASSIGN_OR_RETURN(SourceTransform key, Resolve(column, transform));
  std::string term = TermText(column, transform);
  if (auto it = transform_to_field_.find(key); it != transform_to_field_.end()) {
    if (deletes_.contains(it->second.field_id)) return RewriteDeleteAndAdd(it->second, name);
    return Invalid(fmt::format("Cannot add duplicate partition field {}={}, conflicts with {}",
                               NameText(name), term, it->second.ToString()));
  }
  if (auto it = added_by_transform_.find(key); it != added_by_transform_.end()) {
    return Invalid(fmt::format("Cannot add duplicate partition field {}={}, already added: {}",
                               NameText(name), term, it->second.ToString()));
  }
  PartitionField field = RecycleOrCreate(key.first, transform, name);
  if (field.name.empty())
    field.name = AutomaticPartitionName(schema_.FullName(key.first), transform, true);
  RETURN_IF_ERROR(CheckRedundantTime(field));
  if (auto it = name_to_field_.find(field.name); it != name_to_field_.end()) {
    const PartitionField& existing = it->second;
    if (!deletes_.contains(existing.field_id) && !existing.transform.is_void()) {
      return Invalid(fmt::format("Cannot add duplicate partition field name: {}", NameText(name)));
    }
    renames_[existing.name] = fmt::format("{}_{}", existing.name, existing.field_id);
  }
  if (field.transform.is_time()) added_time_fields_[field.source_id] = field;
  added_by_transform_[key] = field;
  added_by_name_[field.name] = field;
  adds_.push_back(std::move(field));
  return {};
}

Status SpecUpdate::RemoveField(std::string_view name) {
  if (auto it = added_by_name_.find(std::string(name)); it != added_by_name_.end()) {
    return Invalid("Cannot delete newly added field: " + it->second.ToString());
  }
  if (renames_.contains(std::string(name))) {
    return Invalid(fmt::format("Cannot rename and delete partition field: {}", name));
  }
  auto it = name_to_field_.find(std::string(name));
  if (it == name_to_field_.end())
    return Invalid(fmt::format("Cannot find partition field to remove: {}", name));
  deletes_.insert(it->second.field_id);
  return {};
}

Status SpecUpdate::RemoveField(std::string_view column, const Transform& transform) {
  ASSIGN_OR_RETURN(SourceTransform key, Resolve(column, transform));
  if (auto it = added_by_transform_.find(key); it != added_by_transform_.end()) {
    return Invalid("Cannot delete newly added field: " + it->second.ToString());
  }
  auto it = transform_to_field_.find(key);
  if (it == transform_to_field_.end()) {
    return Invalid("Cannot find partition field to remove: " + TermText(column, transform));
  }
  if (renames_.contains(it->second.name)) {
    return Invalid("Cannot rename and delete partition field: " + it->second.name);
  }
  deletes_.insert(it->second.field_id);
  return {};
}

Status SpecUpdate::RenameField(std::string_view name, std::string_view new_name) {
  if (auto it = name_to_field_.find(std::string(new_name)); it != name_to_field_.end()) {
    const PartitionField& existing = it->second;
    if (existing.transform.is_void())
      renames_[existing.name] = fmt::format("{}_{}", existing.name, existing.field_id);
  }
  if (added_by_name_.contains(std::string(name))) {
    return Invalid(fmt::format("Cannot rename newly added partition field: {}", name));
  }
  auto it = name_to_field_.find(std::string(name));
  if (it == name_to_field_.end())
    return Invalid(fmt::format("Cannot find partition field to rename: {}", name));
  if (deletes_.contains(it->second.field_id)) {
    return Invalid(fmt::format("Cannot delete and rename partition field: {}", name));
  }
  renames_[std::string(name)] = std::string(new_name);
  return {};
}

Result<PartitionSpec> SpecUpdate::Apply() const {
  PartitionSpec out{spec_.spec_id, {}};
  for (PartitionField field : spec_.fields) {
    bool deleted = deletes_.contains(field.field_id);
    if (deleted && format_version_ >= 2) continue;
    // Version 1 fields are positional: a removed one stays as void, so that later ids keep their
    // places.
    if (deleted) field.transform = Transform::Void();
    if (auto it = renames_.find(field.name); it != renames_.end()) field.name = it->second;
    out.fields.push_back(std::move(field));
  }
  out.fields.insert(out.fields.end(), adds_.begin(), adds_.end());
  RETURN_IF_ERROR(CheckPartitionSpec(out, schema_));
  return out;
}

}  // namespace iceblink::spec
