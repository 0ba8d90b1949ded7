// Changes of a table's definition, refs and history (Java's UpdateSchema, UpdatePartitionSpec,
// UpdateProperties, ReplaceSortOrder, ManageSnapshots, ExpireSnapshots).
//
// The calls are collected and made on the table as it is when they commit, again on every attempt,
// so they compose with what other writers change; what is wrong with one is Commit's error. Built
// by one thread, committed once; of a transaction, Commit adds them to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iceblink/partitioning.h"
#include "iceblink/table.h"
#include "iceblink/value.h"

namespace iceblink {

class ChangeTarget;

// Specification: "Schema Evolution". Names are full names ("a.b").
class UpdateSchema {
 public:
  UpdateSchema& AllowIncompatibleChanges();
  // `name` may be nested: "point.z" adds z to the struct `point`.
  UpdateSchema& AddColumn(std::string name, Type type, std::optional<std::string> doc = {},
                          std::optional<Value> default_value = {});
  UpdateSchema& AddRequiredColumn(std::string name, Type type, std::optional<std::string> doc = {},
                                  std::optional<Value> default_value = {});
  UpdateSchema& RenameColumn(std::string name, std::string new_name);
  UpdateSchema& UpdateColumn(std::string name, Type type);  // to a wider type
  UpdateSchema& UpdateColumnDoc(std::string name, std::string doc);
  UpdateSchema& MakeColumnOptional(std::string name);
  UpdateSchema& RequireColumn(std::string name);
  UpdateSchema& DeleteColumn(std::string name);
  UpdateSchema& MoveFirst(std::string name);
  UpdateSchema& MoveBefore(std::string name, std::string before);
  UpdateSchema& MoveAfter(std::string name, std::string after);
  UpdateSchema& SetIdentifierFields(std::vector<std::string> names);
  // Adds what `schema` has and the table lacks, and widens types.
  UpdateSchema& UnionByNameWith(const Schema& schema);
  Result<CommitReport> Commit();

  struct State;
  explicit UpdateSchema(std::shared_ptr<ChangeTarget> target);

 private:
  std::shared_ptr<State> state_;
};

// Specification: "Partition Evolution".
class UpdatePartitionSpec {
 public:
  // An empty name asks for the automatic one.
  UpdatePartitionSpec& AddField(std::string column, TransformText transform = "identity",
                                std::string name = {});
  UpdatePartitionSpec& RemoveField(std::string name);
  UpdatePartitionSpec& RemoveField(std::string column, TransformText transform);
  UpdatePartitionSpec& RenameField(std::string name, std::string new_name);
  Result<CommitReport> Commit();

  struct State;
  explicit UpdatePartitionSpec(std::shared_ptr<ChangeTarget> target);

 private:
  std::shared_ptr<State> state_;
};

class UpdateProperties {
 public:
  UpdateProperties& Set(std::string key, std::string value);
  UpdateProperties& Remove(std::string key);
  Result<CommitReport> Commit();

  struct State;
  explicit UpdateProperties(std::shared_ptr<ChangeTarget> target);

 private:
  std::shared_ptr<State> state_;
};

class ReplaceSortOrder {
 public:
  ReplaceSortOrder& Asc(std::string column, Nulls nulls = Nulls::kFirst,
                        TransformText transform = "identity");
  ReplaceSortOrder& Desc(std::string column, Nulls nulls = Nulls::kLast,
                         TransformText transform = "identity");
  Result<CommitReport> Commit();  // without terms: unsorted

  struct State;
  explicit ReplaceSortOrder(std::shared_ptr<ChangeTarget> target);

 private:
  std::shared_ptr<State> state_;
};

// Specification: "Snapshot References". All calls land in one commit, in their order.
class ManageSnapshots {
 public:
  // Without a snapshot: at the current one.
  ManageSnapshots& CreateBranch(std::string name, std::optional<int64_t> snapshot_id = {});
  ManageSnapshots& CreateTag(std::string name, int64_t snapshot_id);
  ManageSnapshots& ReplaceBranch(std::string name, int64_t snapshot_id);
  ManageSnapshots& ReplaceTag(std::string name, int64_t snapshot_id);
  ManageSnapshots& RenameBranch(std::string name, std::string new_name);
  ManageSnapshots& RemoveBranch(std::string name);
  ManageSnapshots& RemoveTag(std::string name);
  // Moves `branch` to the head of `to`, of which it must be an ancestor.
  ManageSnapshots& FastForwardBranch(std::string branch, std::string to);
  ManageSnapshots& SetMinSnapshotsToKeep(std::string branch, int32_t count);
  ManageSnapshots& SetMaxSnapshotAgeMs(std::string branch, int64_t age_ms);
  ManageSnapshots& SetMaxRefAgeMs(std::string ref, int64_t age_ms);

  ManageSnapshots& SetCurrentSnapshot(int64_t snapshot_id);
  ManageSnapshots& RollbackTo(int64_t snapshot_id);  // an ancestor of the current one
  ManageSnapshots& RollbackToTime(int64_t timestamp_ms);
  // Applies the changes of a snapshot to main.
  ManageSnapshots& Cherrypick(int64_t snapshot_id);
  Result<CommitReport> Commit();

  struct State;
  explicit ManageSnapshots(std::shared_ptr<ChangeTarget> target);

 private:
  std::shared_ptr<State> state_;
};

// Removes old snapshots and the files that nothing reaches afterwards (specification: "Snapshot
// Retention Policy"). Not part of transactions.
class ExpireSnapshots {
 public:
  struct Report {
    std::vector<int64_t> snapshot_ids;
    int64_t data_files = 0, delete_files = 0, manifests = 0, manifest_lists = 0;  // deleted
  };

  ExpireSnapshots& ExpireSnapshotId(int64_t snapshot_id);
  ExpireSnapshots& ExpireOlderThan(int64_t timestamp_ms);
  ExpireSnapshots& RetainLast(int32_t count);
  ExpireSnapshots& CleanExpiredMetadata(bool clean);  // specs and schemas too
  // Receives the files instead of having them deleted; may be called several times.
  ExpireSnapshots& DeleteWith(std::function<void(const std::vector<std::string>&)> deleter);
  Result<Report> Commit();

  struct State;
  explicit ExpireSnapshots(std::shared_ptr<TableState> table);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace iceblink
