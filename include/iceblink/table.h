// Table: what a table is now, and the changes it takes (Java's Table).
//
//   auto commit = table.NewAppend().AppendFile(file).Commit();
//
// A handle: copies are the same table and see each other's commits; all calls are safe from several
// threads. Accessors answer from the metadata that the table was loaded with, refreshed or
// committed last. A change is built by one thread and commits once; it is validated against what
// other writers committed meanwhile, and retried as the table's commit.retry.* say.
//
// Errors of Commit: kConflict ValidationException when a validation fails (final) and
// CommitFailedException when retries are exhausted; kCommitUnknown CommitStateUnknownException when
// the catalog does not know whether it landed: load the table and look, delete nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iceblink/partitioning.h"

namespace iceblink {

// Specification: "Snapshots".
struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string operation;  // append, replace, overwrite, delete
  std::map<std::string, std::string> summary;
  std::string manifest_list;
  std::optional<int32_t> schema_id;
};

// Specification: "Snapshot References".
struct SnapshotRef {
  int64_t snapshot_id = 0;
  bool is_branch = true;  // else a tag
  std::optional<int32_t> min_snapshots_to_keep;
  std::optional<int64_t> max_snapshot_age_ms;
  std::optional<int64_t> max_ref_age_ms;
};

struct HistoryEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
};

// What a commit did. A step of a transaction answers `committed` = false: it lands with the
// transaction.
struct CommitReport {
  bool committed = false;              // false: there was nothing to change
  std::optional<int64_t> snapshot_id;  // that was added
  std::string operation;               // of that snapshot
  std::map<std::string, std::string> summary;
  int32_t attempts = 0;
};

class AppendFiles;
class DataWriter;
class DeleteFiles;
class ExpireSnapshots;
class ManageSnapshots;
class OverwriteFiles;
class ReplacePartitions;
class ReplaceSortOrder;
class RewriteFiles;
class RowDelta;
class TableScan;
class Transaction;
class UpdatePartitionSpec;
class UpdateProperties;
class UpdateSchema;
struct TableState;

class Table {
 public:
  // Reads the table again.
  Status Refresh();

  std::string name() const;  // "catalog.ns.table"
  std::string location() const;
  std::string uuid() const;
  int32_t format_version() const;
  std::string metadata_location() const;
  Schema schema() const;
  std::vector<Schema> schemas() const;
  PartitionSpec spec() const;
  std::vector<PartitionSpec> specs() const;
  SortOrder sort_order() const;
  std::map<std::string, std::string> properties() const;
  std::optional<Snapshot> CurrentSnapshot() const;
  std::optional<Snapshot> FindSnapshot(int64_t snapshot_id) const;
  // The head of a branch, or a tag's snapshot.
  std::optional<Snapshot> FindSnapshot(const std::string& ref) const;
  std::vector<Snapshot> Snapshots() const;
  std::vector<HistoryEntry> History() const;
  std::map<std::string, SnapshotRef> Refs() const;

  // iceblink/scan.h
  TableScan NewScan() const;
  // iceblink/data_writer.h; `options` override the table's write.* as Spark's write options do.
  Result<std::unique_ptr<DataWriter>> NewDataWriter(
      const std::map<std::string, std::string>& options = {}) const;

  // iceblink/changes.h
  AppendFiles NewAppend() const;
  AppendFiles NewFastAppend() const;  // does not merge manifests
  OverwriteFiles NewOverwrite() const;
  ReplacePartitions NewReplacePartitions() const;
  RowDelta NewRowDelta() const;
  DeleteFiles NewDelete() const;
  RewriteFiles NewRewrite() const;

  // iceblink/updates.h
  iceblink::UpdateSchema UpdateSchema() const;
  UpdatePartitionSpec UpdateSpec() const;
  iceblink::UpdateProperties UpdateProperties() const;
  iceblink::ReplaceSortOrder ReplaceSortOrder() const;
  iceblink::ManageSnapshots ManageSnapshots() const;
  iceblink::ExpireSnapshots ExpireSnapshots() const;

  // iceblink/transaction.h
  Transaction NewTransaction() const;

  explicit Table(std::shared_ptr<TableState> state) : state_(std::move(state)) {}
  const std::shared_ptr<TableState>& state() const { return state_; }  // for the library itself

 private:
  std::shared_ptr<TableState> state_;
};

}  // namespace iceblink
