// MetadataBuilder: applies updates one by one to a copy of table metadata (Java's
// TableMetadata.Builder).
//
// Private to the room; ApplyUpdates, NewTableMetadata and ReplaceTableMetadata are the public
// faces. Not thread-safe.
#pragma once

#include <set>

#include "spec/updates.h"

namespace iceblink::spec {

class MetadataBuilder {
 public:
  // `base` is null for a table that does not exist yet; then `format_version` is the initial one.
  MetadataBuilder(const TableMetadata* base, int64_t now_ms,
                  int32_t format_version = kDefaultFormatVersion);

  Status Apply(const TableUpdate& update);
  // Adds the schema, spec or order (or finds an equal one) and makes it current.
  Status SetCurrentSchema(const Schema& schema, int32_t last_column_id);
  Status SetDefaultSpec(const PartitionSpec& spec);
  Status SetDefaultSortOrder(const SortOrder& order);

  // Checks the whole and returns it; the base unchanged when no update had an effect.
  Result<TableMetadata> Build();

 private:
  Status On(const update::AssignUuid& u);
  Status On(const update::UpgradeFormatVersion& u);
  Status On(const update::AddSchema& u);
  Status On(const update::SetCurrentSchema& u);
  Status On(const update::AddSpec& u);
  Status On(const update::SetDefaultSpec& u);
  Status On(const update::AddSortOrder& u);
  Status On(const update::SetDefaultSortOrder& u);
  Status On(const update::AddSnapshot& u);
  Status On(const update::RemoveSnapshots& u);
  Status On(const update::SetSnapshotRef& u);
  Status On(const update::RemoveSnapshotRef& u);
  Status On(const update::SetProperties& u);
  Status On(const update::RemoveProperties& u);
  Status On(const update::SetLocation& u);
  Status On(const update::SetStatistics& u);
  Status On(const update::RemoveStatistics& u);
  Status On(const update::SetPartitionStatistics& u);
  Status On(const update::RemovePartitionStatistics& u);
  Status On(const update::RemovePartitionSpecs& u);
  Status On(const update::RemoveSchemas& u);
  Status On(const update::AddEncryptionKey& u);
  Status On(const update::RemoveEncryptionKey& u);

  Result<int32_t> AddSchemaInternal(const Schema& schema, int32_t last_column_id);
  Result<int32_t> AddSpecInternal(const PartitionSpec& spec);
  Result<int32_t> AddSortOrderInternal(const SortOrder& order);
  const Schema* CurrentOrLastSchema() const;  // null before a schema is added
  Status CheckSnapshot(const Snapshot& snapshot) const;
  void RemoveRef(const std::string& name);
  Status UpdateSnapshotLog();
  void AppendMetadataLog();
  Status CheckEncryptionProperties() const;

  const TableMetadata* base_;
  TableMetadata out_;
  int64_t now_ms_;
  bool changed_ = false;
  std::optional<int64_t> updated_ms_;
  std::optional<int32_t> last_schema_;
  std::optional<int32_t> last_spec_;
  std::optional<int32_t> last_order_;
  std::set<int64_t> known_snapshots_;
  std::set<int64_t> added_snapshots_;
  std::vector<int64_t> main_heads_;  // snapshots added here that main pointed to, in order
  bool removed_snapshots_ = false;
};

}  // namespace iceblink::spec
