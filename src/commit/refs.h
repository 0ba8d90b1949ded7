// Branches and tags: DDL, and the procedures that move main (rollback, set_current, fast-forward,
// cherry-pick, publish).
//
// Every function is one commit on the table as the catalog has it, re-checked on every attempt.
// Errors carry Iceberg's exception and text: IllegalArgumentException, ValidationException,
// CherrypickAncestorCommitException, DuplicateWAPCommitException.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "commit/transaction.h"

namespace iceblink::commit {

enum class RefAction : uint8_t {
  kCreate,
  kCreateIfNotExists,
  kReplace,
  kCreateOrReplace,
  kDrop,
  kDropIfExists
};

// One ALTER TABLE ... BRANCH | TAG statement.
struct RefChange {
  RefAction action = RefAction::kCreate;
  spec::RefType type = spec::RefType::kBranch;
  std::string name;
  std::optional<int64_t> snapshot_id;            // AS OF VERSION; absent: main's
  std::optional<int64_t> max_ref_age_ms;         // RETAIN
  std::optional<int32_t> min_snapshots_to_keep;  // WITH SNAPSHOT RETENTION n SNAPSHOTS
  std::optional<int64_t> max_snapshot_age_ms;    // WITH SNAPSHOT RETENTION n unit
};

// Creates, replaces or drops a ref. A branch created on a table without snapshots gets an empty
// one, whose summary has `summary` (engine-name ...) beside the totals.
Result<CommitOutcome> ChangeRef(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                const RefChange& change,
                                const std::map<std::string, std::string>& summary = {});

// Snapshots before and after a procedure.
struct RefMove {
  std::optional<int64_t> previous;
  std::optional<int64_t> current;
  CommitOutcome outcome;
};

Result<RefMove> RollbackToSnapshot(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   int64_t snapshot_id);
// To the newest ancestor of main that is older than `timestamp_ms`.
Result<RefMove> RollbackToTimestamp(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                    int64_t timestamp_ms);
Result<RefMove> SetCurrentSnapshot(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   int64_t snapshot_id);
// The snapshot of a branch or tag.
Result<RefMove> SetCurrentToRef(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                const std::string& ref);
// Moves (or creates) `branch` to the snapshot of `to`, of which it must be an ancestor.
Result<RefMove> FastForward(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                            const std::string& branch, const std::string& to);

// Applies the changes of a snapshot to main: as itself when its parent is main's head, else as a
// new snapshot. `previous` of the result is the picked snapshot's id, as the procedure reports it.
Result<RefMove> CherryPick(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                           int64_t snapshot_id,
                           const std::map<std::string, std::string>& summary = {});
// Cherry-picks the one snapshot that was staged under the id.
Result<RefMove> PublishChanges(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                               const std::string& wap_id,
                               const std::map<std::string, std::string>& summary = {});

// The same as steps of a Transaction. `table` is the name in messages.
UpdateFunction RefStep(RefChange change, std::string table);
UpdateFunction RollbackToSnapshotStep(int64_t snapshot_id);
UpdateFunction RollbackToTimestampStep(int64_t timestamp_ms);
UpdateFunction SetCurrentSnapshotStep(int64_t snapshot_id);
UpdateFunction FastForwardStep(std::string branch, std::string to);
// What `read` points to outlives the step.
std::unique_ptr<Step> MakeCherryPickStep(const table::ReadContext& read, int64_t snapshot_id,
                                         std::map<std::string, std::string> summary = {});

}  // namespace iceblink::commit
