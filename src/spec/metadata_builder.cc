#include "spec/metadata_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "spec/properties.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}
auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

constexpr int32_t kNone = -1;  // a current id of a table that does not exist yet

// Puts the file in the place of the one of the same snapshot, or last.
template <typename File>
void Replace(std::vector<File>& files, const File& file) {
  for (File& item : files) {
    if (item.snapshot_id != file.snapshot_id) continue;
    item = file;
    return;
  }
  files.push_back(file);
}

template <typename File>
bool Erase(std::vector<File>& files, int64_t snapshot_id) {
  return std::erase_if(files, [&](const File& file) { return file.snapshot_id == snapshot_id; }) >
         0;
}

bool HasSequentialIds(const PartitionSpec& spec) {
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (spec.fields[i].field_id != kPartitionDataIdStart + static_cast<int32_t>(i)) return false;
  }
  return true;
}

}  // namespace

MetadataBuilder::MetadataBuilder(const TableMetadata* base, int64_t now_ms, int32_t format_version)
    : base_(base), now_ms_(now_ms) {
  if (base != nullptr) {
    out_ = *base;
  } else {
    out_.format_version = format_version;
    out_.current_schema_id = out_.default_spec_id = out_.default_sort_order_id = kNone;
  }
  for (const Snapshot& snapshot : out_.snapshots) known_snapshots_.insert(snapshot.snapshot_id);
}

Status MetadataBuilder::Apply(const TableUpdate& update) {
  return std::visit([this](const auto& u) { return On(u); }, update);
}

Status MetadataBuilder::On(const update::AssignUuid& u) {
  if (!out_.uuid.empty() && !EqualsIgnoreCase(out_.uuid, u.uuid))
    return Invalid("Cannot reassign uuid");
  changed_ |= out_.uuid.empty();
  if (out_.uuid.empty()) out_.uuid = u.uuid;
  return {};
}

Status MetadataBuilder::On(const update::UpgradeFormatVersion& u) {
  if (u.format_version > kMaxFormatVersion) {
    return Invalid(
        fmt::format("Cannot upgrade table to unsupported format version: v{} (supported: v{})",
                    u.format_version, kMaxFormatVersion));
  }
  if (u.format_version < out_.format_version) {
    return Invalid(
        fmt::format("Cannot downgrade v{} table to v{}", out_.format_version, u.format_version));
  }
  changed_ |= u.format_version > out_.format_version;
  out_.format_version = u.format_version;
  return {};
}

Result<int32_t> MetadataBuilder::AddSchemaInternal(const Schema& schema, int32_t last_column_id) {
  if (last_column_id < out_.last_column_id) {
    return Invalid(fmt::format("Invalid last column ID: {} < {} (previous last column ID)",
                               last_column_id, out_.last_column_id));
  }
  RETURN_IF_ERROR(CheckCompatibility(schema, out_.format_version));
  RETURN_IF_ERROR(ValidateSchema(schema));
  int32_t id = std::max(out_.current_schema_id, 0);
  bool found = false;
  for (const Schema& known : out_.schemas) {
    if ((found = known.SameSchema(schema))) {
      id = known.schema_id();
      break;
    }
    id = std::max(id, known.schema_id() + 1);
  }
  changed_ |= !found || last_column_id != out_.last_column_id;
  out_.last_column_id = last_column_id;
  if (!found) out_.schemas.push_back(schema.WithId(id));
  last_schema_ = id;
  return id;
}

Status MetadataBuilder::On(const update::AddSchema& u) {
  int32_t last = std::max(out_.last_column_id, u.schema.HighestFieldId());
  return AddSchemaInternal(u.schema, std::max(last, u.last_column_id.value_or(0))).map([](int32_t) {
  });
}

Status MetadataBuilder::On(const update::SetCurrentSchema& u) {
  if (u.schema_id == update::kLastAdded && !last_schema_) {
    return NotValid("Cannot set last added schema: no schema has been added");
  }
  int32_t id = u.schema_id == update::kLastAdded ? *last_schema_ : u.schema_id;
  if (id == out_.current_schema_id) return {};
  if (out_.SchemaById(id) == nullptr)
    return Invalid(fmt::format("Cannot set current schema to unknown schema: {}", id));
  out_.current_schema_id = id;
  changed_ = true;
  return {};
}

Status MetadataBuilder::SetCurrentSchema(const Schema& schema, int32_t last_column_id) {
  ASSIGN_OR_RETURN(int32_t id, AddSchemaInternal(schema, last_column_id));
  return On(update::SetCurrentSchema{id});
}

// Of a table in the making whose client names the current schema last: the one that was added.
const Schema* MetadataBuilder::CurrentOrLastSchema() const {
  const Schema* current = out_.SchemaById(out_.current_schema_id);
  return current == nullptr && last_schema_ ? out_.SchemaById(*last_schema_) : current;
}

Result<int32_t> MetadataBuilder::AddSpecInternal(const PartitionSpec& spec) {
  int32_t id = 0;
  for (const PartitionSpec& known : out_.specs) {
    if (spec.CompatibleWith(known)) {
      last_spec_ = known.spec_id;
      return known.spec_id;
    }
    id = std::max(id, known.spec_id + 1);
  }
  const Schema* schema = CurrentOrLastSchema();
  if (schema == nullptr)
    return NotValid("Attempting to add a partition spec before a schema is added");
  PartitionSpec added = spec;
  added.spec_id = id;
  int32_t last = out_.last_partition_id;
  for (PartitionField& field : added.fields) {
    if (field.field_id == 0) field.field_id = ++last;  // clients may leave ids to the server
  }
  RETURN_IF_ERROR(CheckPartitionSpec(added, *schema));
  if (out_.format_version == 1 && !HasSequentialIds(added)) {
    return NotValid("Spec does not use sequential IDs that are required in v1: " +
                    added.ToString());
  }
  out_.last_partition_id = std::max(out_.last_partition_id, added.LastAssignedFieldId());
  out_.specs.push_back(std::move(added));
  last_spec_ = id;
  changed_ = true;
  return id;
}

Status MetadataBuilder::On(const update::AddSpec& u) {
  return AddSpecInternal(u.spec).map([](int32_t) {});
}

Status MetadataBuilder::On(const update::SetDefaultSpec& u) {
  if (u.spec_id == update::kLastAdded && !last_spec_) {
    return NotValid("Cannot set last added spec: no spec has been added");
  }
  int32_t id = u.spec_id == update::kLastAdded ? *last_spec_ : u.spec_id;
  if (id == out_.default_spec_id) return {};
  if (out_.SpecById(id) == nullptr) {
    return Invalid(fmt::format("Cannot set default partition spec to unknown spec: {}", id));
  }
  out_.default_spec_id = id;
  changed_ = true;
  return {};
}

Status MetadataBuilder::SetDefaultSpec(const PartitionSpec& spec) {
  ASSIGN_OR_RETURN(int32_t id, AddSpecInternal(spec));
  return On(update::SetDefaultSpec{id});
}

Result<int32_t> MetadataBuilder::AddSortOrderInternal(const SortOrder& order) {
  int32_t id = order.is_unsorted() ? 0 : 1;
  for (const SortOrder& known : out_.sort_orders) {
    if (known.SameOrder(order)) {
      last_order_ = known.order_id;
      return known.order_id;
    }
    if (!order.is_unsorted()) id = std::max(id, known.order_id + 1);
  }
  const Schema* schema = CurrentOrLastSchema();
  if (schema == nullptr) return NotValid("Attempting to add a sort order before a schema is added");
  RETURN_IF_ERROR(CheckSortOrder(order, *schema));
  out_.sort_orders.push_back(SortOrder{id, order.fields});
  last_order_ = id;
  changed_ = true;
  return id;
}

Status MetadataBuilder::On(const update::AddSortOrder& u) {
  return AddSortOrderInternal(u.sort_order).map([](int32_t) {});
}

Status MetadataBuilder::On(const update::SetDefaultSortOrder& u) {
  if (u.sort_order_id == update::kLastAdded && !last_order_) {
    return NotValid("Cannot set last added sort order: no sort order has been added");
  }
  int32_t id = u.sort_order_id == update::kLastAdded ? *last_order_ : u.sort_order_id;
  if (id == out_.default_sort_order_id) return {};
  if (out_.SortOrderById(id) == nullptr) {
    return Invalid(fmt::format("Cannot set default sort order to unknown sort order: {}", id));
  }
  out_.default_sort_order_id = id;
  changed_ = true;
  return {};
}

Status MetadataBuilder::SetDefaultSortOrder(const SortOrder& order) {
  ASSIGN_OR_RETURN(int32_t id, AddSortOrderInternal(order));
  return On(update::SetDefaultSortOrder{id});
}

Status MetadataBuilder::On(const update::SetProperties& u) {
  for (const auto& [key, value] : u.updates) {
    out_.properties[key] = value;
    changed_ = true;
  }
  return {};
}

Status MetadataBuilder::On(const update::RemoveProperties& u) {
  for (const std::string& key : u.removals) {
    out_.properties.erase(key);
    changed_ = true;
  }
  return {};
}

Status MetadataBuilder::On(const update::SetLocation& u) {
  changed_ |= out_.location != u.location;
  out_.location = u.location;
  return {};
}

Status MetadataBuilder::On(const update::SetStatistics& u) {
  Replace(out_.statistics, u.statistics);
  changed_ = true;
  return {};
}

Status MetadataBuilder::On(const update::RemoveStatistics& u) {
  changed_ |= Erase(out_.statistics, u.snapshot_id);
  return {};
}

Status MetadataBuilder::On(const update::SetPartitionStatistics& u) {
  Replace(out_.partition_statistics, u.statistics);
  changed_ = true;
  return {};
}

Status MetadataBuilder::On(const update::RemovePartitionStatistics& u) {
  changed_ |= Erase(out_.partition_statistics, u.snapshot_id);
  return {};
}

Status MetadataBuilder::On(const update::RemovePartitionSpecs& u) {
  std::set<int32_t> ids(u.spec_ids.begin(), u.spec_ids.end());
  if (ids.contains(out_.default_spec_id))
    return Invalid("Cannot remove the default partition spec");
  changed_ |=
      std::erase_if(out_.specs, [&](const auto& spec) { return ids.contains(spec.spec_id); }) > 0;
  return {};
}

Status MetadataBuilder::On(const update::RemoveSchemas& u) {
  std::set<int32_t> ids(u.schema_ids.begin(), u.schema_ids.end());
  if (ids.contains(out_.current_schema_id)) return Invalid("Cannot remove the current schema");
  changed_ |= std::erase_if(out_.schemas, [&](const auto& schema) {
                return ids.contains(schema.schema_id());
              }) > 0;
  return {};
}

Status MetadataBuilder::On(const update::AddEncryptionKey& u) {
  auto& keys = out_.encryption_keys;
  auto it = std::find_if(keys.begin(), keys.end(),
                         [&](const auto& key) { return key.key_id == u.key.key_id; });
  if (it != keys.end() && *it == u.key) return {};
  if (it != keys.end()) return Invalid("Cannot replace encryption key: " + u.key.key_id);
  keys.push_back(u.key);
  changed_ = true;
  return {};
}

Status MetadataBuilder::On(const update::RemoveEncryptionKey& u) {
  changed_ |= std::erase_if(out_.encryption_keys,
                            [&](const auto& key) { return key.key_id == u.key_id; }) > 0;
  return {};
}

Status MetadataBuilder::CheckEncryptionProperties() const {
  if (out_.format_version >= 3 || !out_.properties.contains("encryption.key-id")) return {};
  return Invalid(
      fmt::format("Invalid properties for v{}: [encryption.key-id]", out_.format_version));
}

Result<TableMetadata> MetadataBuilder::Build() {
  if (!changed_ && base_ != nullptr) return *base_;
  if (out_.schemas.empty() || out_.current_schema_id == kNone)
    return NotValid("Cannot build metadata without a schema");
  if (out_.default_spec_id == kNone) RETURN_IF_ERROR(SetDefaultSpec(PartitionSpec{}));
  if (out_.default_sort_order_id == kNone) RETURN_IF_ERROR(SetDefaultSortOrder(SortOrder{}));
  RETURN_IF_ERROR(CheckPartitionSources(out_.spec(), out_.schema()));
  RETURN_IF_ERROR(CheckSortOrder(out_.sort_order(), out_.schema()));
  RETURN_IF_ERROR(CheckCompatibility(out_.schema(), out_.format_version));
  RETURN_IF_ERROR(CheckEncryptionProperties());
  RETURN_IF_ERROR(UpdateSnapshotLog());
  AppendMetadataLog();
  out_.last_updated_ms = updated_ms_.value_or(now_ms_);
  out_.metadata_file_location.clear();
  return std::move(out_);
}

void MetadataBuilder::AppendMetadataLog() {
  if (base_ == nullptr || base_->metadata_file_location.empty()) return;
  auto max = IntProperty(out_.properties, property::kMetadataPreviousVersionsMax);
  size_t keep = static_cast<size_t>(std::max<int64_t>(1, max.value_or(100)));
  auto& log = out_.metadata_log;
  if (log.size() >= keep) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(keep - 1));
  log.push_back(MetadataLogEntry{base_->last_updated_ms, base_->metadata_file_location});
}

}  // namespace iceblink::spec
