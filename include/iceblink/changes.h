// Changes of a table's rows: each makes one snapshot (Java's SnapshotUpdate and its kinds).
//
//   table.NewOverwrite()
//       .OverwriteByRowFilter(Equal("day", "2026-01-01"))
//       .AddFile(file)
//       .ValidateFromSnapshot(read_at)
//       .ConflictDetectionFilter(Equal("day", "2026-01-01"))
//       .ValidateNoConflictingData()
//       .Commit();
//
// Names and rules are Java's. A change is built by one thread, belongs to the caller and commits
// once; it keeps its table alive. What Commit answers and which errors it has: iceblink/table.h.
// Of a transaction: Commit adds the change to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "iceblink/data_file.h"
#include "iceblink/expression.h"
#include "iceblink/table.h"

namespace iceblink {

struct ChangeState;

// What all kinds share. `Self` is the kind.
template <typename Self>
class SnapshotUpdate;

class PendingChange {
 public:
  // Error: kInvalidArgument for a change that the format version or the kind does not allow.
  Result<CommitReport> Commit();

  explicit PendingChange(std::shared_ptr<ChangeState> state) : state_(std::move(state)) {}

 protected:
  void SetSummary(std::string property, std::string value);
  void SetBranch(std::string branch);
  void SetStaged();
  void Add(const DataFile& file);
  void AddDeleteFile(const DataFile& file);
  void Remove(const DataFile& file);
  void RemoveDeleteFile(const DataFile& file);
  void RemovePath(std::string path);
  void SetRowFilter(const Expression& filter);
  void SetConflictFilter(const Expression& filter);
  void SetFromSnapshot(int64_t snapshot_id);

  std::shared_ptr<ChangeState> state_;
};

template <typename Self>
class SnapshotUpdate : public PendingChange {
 public:
  using PendingChange::PendingChange;
  // Adds an entry to the snapshot's summary.
  Self& Set(std::string property, std::string value) {
    return SetSummary(std::move(property), std::move(value)), self();
  }
  // Commits to a branch, which is made where it does not exist, instead of main.
  Self& ToBranch(std::string branch) { return SetBranch(std::move(branch)), self(); }
  // Adds the snapshot without making it current (write-audit-publish).
  Self& StageOnly() { return SetStaged(), self(); }

 protected:
  Self& self() { return static_cast<Self&>(*this); }
};

class AppendFiles : public SnapshotUpdate<AppendFiles> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  AppendFiles& AppendFile(const DataFile& file) { return Add(file), self(); }
};

// Replaces files, or the rows of a filter, by new files.
class OverwriteFiles : public SnapshotUpdate<OverwriteFiles> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  // Removes the files whose rows all match; one of which only some match is an error.
  OverwriteFiles& OverwriteByRowFilter(const Expression& filter) {
    return SetRowFilter(filter), self();
  }
  OverwriteFiles& AddFile(const DataFile& file) { return Add(file), self(); }
  OverwriteFiles& DeleteFile(const DataFile& file) { return Remove(file), self(); }
  OverwriteFiles& CaseSensitive(bool case_sensitive);

  // Validations look at what was committed after this snapshot; without it at the whole history.
  OverwriteFiles& ValidateFromSnapshot(int64_t snapshot_id) {
    return SetFromSnapshot(snapshot_id), self();
  }
  // Rows that matter to the two validations below; without it those of the row filter.
  OverwriteFiles& ConflictDetectionFilter(const Expression& filter) {
    return SetConflictFilter(filter), self();
  }
  OverwriteFiles& ValidateNoConflictingData();     // no matching rows were added
  OverwriteFiles& ValidateNoConflictingDeletes();  // no matching rows were deleted
  OverwriteFiles& ValidateAddedFilesMatchOverwriteFilter();
};

// Replaces every partition that a file is added to.
class ReplacePartitions : public SnapshotUpdate<ReplacePartitions> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  ReplacePartitions& AddFile(const DataFile& file) { return Add(file), self(); }
  ReplacePartitions& ValidateFromSnapshot(int64_t snapshot_id) {
    return SetFromSnapshot(snapshot_id), self();
  }
  ReplacePartitions& ValidateAppendOnly();  // the partitions must be empty
  ReplacePartitions& ValidateNoConflictingData();
  ReplacePartitions& ValidateNoConflictingDeletes();
};

// Adds rows and delete files (merge-on-read).
class RowDelta : public SnapshotUpdate<RowDelta> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  RowDelta& AddRows(const DataFile& file) { return Add(file), self(); }
  RowDelta& RemoveRows(const DataFile& file) { return Remove(file), self(); }
  RowDelta& AddDeletes(const DataFile& file) { return AddDeleteFile(file), self(); }
  RowDelta& RemoveDeletes(const DataFile& file) { return RemoveDeleteFile(file), self(); }

  RowDelta& ValidateFromSnapshot(int64_t snapshot_id) {
    return SetFromSnapshot(snapshot_id), self();
  }
  // The data files that the deletes refer to must still be there.
  RowDelta& ValidateDataFilesExist(std::vector<std::string> paths);
  // And must not have been removed by a `delete` either.
  RowDelta& ValidateDeletedFiles();
  RowDelta& ConflictDetectionFilter(const Expression& filter) {
    return SetConflictFilter(filter), self();
  }
  RowDelta& ValidateNoConflictingDataFiles();
  RowDelta& ValidateNoConflictingDeleteFiles();
};

// Removes whole files.
class DeleteFiles : public SnapshotUpdate<DeleteFiles> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  DeleteFiles& DeleteFile(std::string path) { return RemovePath(std::move(path)), self(); }
  DeleteFiles& DeleteFile(const DataFile& file) { return Remove(file), self(); }
  // The files whose rows all match; one of which only some match is an error.
  DeleteFiles& DeleteFromRowFilter(const Expression& filter) {
    return SetRowFilter(filter), self();
  }
  DeleteFiles& CaseSensitive(bool case_sensitive);
  // Every file to delete must still be in the table.
  DeleteFiles& ValidateFilesExist();
};

// The same rows in other files (compaction).
class RewriteFiles : public SnapshotUpdate<RewriteFiles> {
 public:
  using SnapshotUpdate::SnapshotUpdate;
  RewriteFiles& DeleteFile(const DataFile& file) { return Remove(file), self(); }
  RewriteFiles& AddFile(const DataFile& file) { return Add(file), self(); }
  RewriteFiles& DeleteDeleteFile(const DataFile& file) { return RemoveDeleteFile(file), self(); }
  RewriteFiles& AddDeletes(const DataFile& file) { return AddDeleteFile(file), self(); }
  // The number that the added files keep, so that newer equality deletes still apply.
  RewriteFiles& DataSequenceNumber(int64_t sequence_number);
  RewriteFiles& ValidateFromSnapshot(int64_t snapshot_id) {
    return SetFromSnapshot(snapshot_id), self();
  }
};

}  // namespace iceblink
