// Changes of table metadata: the updates and requirements of the REST protocol as values, and the
// pure functions that check and apply them (the rules of Java's TableMetadata.Builder).
//
// ApplyUpdates never touches its base. One call is one commit: ids of -1 mean the schema, spec or
// order that was added last in the same call, and intermediate snapshots of a branch leave one
// entry in the snapshot log.
#pragma once

#include <variant>

#include "spec/table_metadata.h"

namespace iceblink::spec {

namespace update {

inline constexpr int32_t kLastAdded = -1;

struct AssignUuid {
  std::string uuid;
};
struct UpgradeFormatVersion {
  int32_t format_version = 0;
};
struct AddSchema {
  Schema schema;
  std::optional<int32_t>
      last_column_id;  // deprecated member of old clients; absent: the schema's highest id
};
struct SetCurrentSchema {
  int32_t schema_id = kLastAdded;
};
struct AddSpec {
  PartitionSpec spec;
};
struct SetDefaultSpec {
  int32_t spec_id = kLastAdded;
};
struct AddSortOrder {
  SortOrder sort_order;
};
struct SetDefaultSortOrder {
  int32_t sort_order_id = kLastAdded;
};
struct AddSnapshot {
  Snapshot snapshot;
};
struct RemoveSnapshots {
  std::vector<int64_t> snapshot_ids;
};
struct SetSnapshotRef {
  std::string name;
  SnapshotRef ref;
};
struct RemoveSnapshotRef {
  std::string name;
};
struct SetProperties {
  std::map<std::string, std::string> updates;
};
struct RemoveProperties {
  std::vector<std::string> removals;
};
struct SetLocation {
  std::string location;
};
struct SetStatistics {
  StatisticsFile statistics;
};
struct RemoveStatistics {
  int64_t snapshot_id = 0;
};
struct SetPartitionStatistics {
  PartitionStatisticsFile statistics;
};
struct RemovePartitionStatistics {
  int64_t snapshot_id = 0;
};
struct RemovePartitionSpecs {
  std::vector<int32_t> spec_ids;
};
struct RemoveSchemas {
  std::vector<int32_t> schema_ids;
};
struct AddEncryptionKey {
  EncryptedKey key;
};
struct RemoveEncryptionKey {
  std::string key_id;
};

}  // namespace update

using TableUpdate =
    std::variant<update::AssignUuid, update::UpgradeFormatVersion, update::AddSchema,
                 update::SetCurrentSchema, update::AddSpec, update::SetDefaultSpec,
                 update::AddSortOrder, update::SetDefaultSortOrder, update::AddSnapshot,
                 update::RemoveSnapshots, update::SetSnapshotRef, update::RemoveSnapshotRef,
                 update::SetProperties, update::RemoveProperties, update::SetLocation,
                 update::SetStatistics, update::RemoveStatistics, update::SetPartitionStatistics,
                 update::RemovePartitionStatistics, update::RemovePartitionSpecs,
                 update::RemoveSchemas, update::AddEncryptionKey, update::RemoveEncryptionKey>;

namespace requirement {

struct AssertCreate {};
struct AssertTableUuid {
  std::string uuid;
};
struct AssertRefSnapshotId {
  std::string ref;
  std::optional<int64_t> snapshot_id;  // nullopt: the ref must not exist
};
struct AssertLastAssignedFieldId {
  int32_t last_assigned_field_id = 0;
};
struct AssertCurrentSchemaId {
  int32_t schema_id = 0;
};
struct AssertLastAssignedPartitionId {
  int32_t last_assigned_partition_id = 0;
};
struct AssertDefaultSpecId {
  int32_t spec_id = 0;
};
struct AssertDefaultSortOrderId {
  int32_t sort_order_id = 0;
};

}  // namespace requirement

using TableRequirement =
    std::variant<requirement::AssertCreate, requirement::AssertTableUuid,
                 requirement::AssertRefSnapshotId, requirement::AssertLastAssignedFieldId,
                 requirement::AssertCurrentSchemaId, requirement::AssertLastAssignedPartitionId,
                 requirement::AssertDefaultSpecId, requirement::AssertDefaultSortOrderId>;

// Checks every requirement against the table, null when it does not exist.
// Error: Conflict (CommitFailedException, retryable) "Requirement failed: ...".
Status CheckRequirements(const TableMetadata* base, std::span<const TableRequirement> requirements);

// Returns the requirements that Java's UpdateRequirements derives for the updates of an existing
// table.
std::vector<TableRequirement> RequirementsForUpdate(const TableMetadata& base,
                                                    std::span<const TableUpdate> updates);
// Returns those of a commit that creates the table, and of one that replaces it.
std::vector<TableRequirement> RequirementsForCreate(std::span<const TableUpdate> updates);
std::vector<TableRequirement> RequirementsForReplace(const TableMetadata& base,
                                                     std::span<const TableUpdate> updates);

// Returns the metadata after the updates, last-updated-ms set to now_ms (or to the timestamp of the
// added snapshot) and the base's file appended to the metadata log. Without effective changes the
// base comes back unchanged. Errors: InvalidArgument or Conflict with the exception that Java
// raises.
Result<TableMetadata> ApplyUpdates(const TableMetadata& base, std::span<const TableUpdate> updates,
                                   int64_t now_ms);

// Returns an empty metadata value to which the updates of a create commit apply (its format version
// is still to be set by UpgradeFormatVersion or kDefaultFormatVersion).
Result<TableMetadata> ApplyCreateUpdates(std::span<const TableUpdate> updates, int64_t now_ms);

// What CREATE TABLE asks for. The schema's ids are provisional: fresh ones are assigned as in Java,
// and the spec and order, whose source ids refer to the provisional ones, follow.
struct NewTable {
  Schema schema;
  PartitionSpec spec;
  SortOrder sort_order;
  std::string location;
  std::map<std::string, std::string>
      properties;  // reserved keys other than format-version are dropped
  int32_t format_version = kDefaultFormatVersion;  // the property format-version wins
  std::string uuid;
};
Result<TableMetadata> NewTableMetadata(const NewTable& table, int64_t now_ms);

// Returns the metadata that REPLACE TABLE makes: history, uuid and snapshots kept, ref main
// removed, ids reused by name, properties merged, location changed only when `table.location` is
// not empty.
Result<TableMetadata> ReplaceTableMetadata(const TableMetadata& base, const NewTable& table,
                                           int64_t now_ms);

// Return the updates that make `metadata` from nothing, and those that turn `base` into it (for
// REST create and replace).
std::vector<TableUpdate> UpdatesForCreate(const TableMetadata& metadata);
std::vector<TableUpdate> UpdatesForReplace(const TableMetadata& base,
                                           const TableMetadata& metadata);

// Property keys that a table never stores (format-version, uuid, ...).
bool IsReservedProperty(std::string_view key);

}  // namespace iceblink::spec
