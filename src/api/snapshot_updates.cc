// ManageSnapshots and ExpireSnapshots.
#include <fmt/format.h>

#include "api/state.h"
#include "commit/expire.h"
#include "commit/refs.h"
#include "iceblink/updates.h"

namespace iceblink {

namespace {

using Updates = std::vector<spec::TableUpdate>;

// Changes the retention of a ref that exists.
commit::UpdateFunction RetentionStep(std::string name, bool branch_only,
                                     std::function<void(spec::SnapshotRef&)> change) {
  return [=](const spec::TableMetadata& base) -> Result<Updates> {
    const spec::SnapshotRef* found = base.Ref(name);
    if (found == nullptr) {
      return IllegalArgument(
          fmt::format("{} does not exist: {}", branch_only ? "Branch" : "Ref", name));
    }
    if (branch_only && !found->is_branch())
      return IllegalArgument(fmt::format("Ref {} is a tag not a branch", name));
    spec::SnapshotRef ref = *found;
    change(ref);
    return Updates{spec::update::SetSnapshotRef{name, ref}};
  };
}

commit::UpdateFunction RenameStep(std::string name, std::string new_name) {
  return [=](const spec::TableMetadata& base) -> Result<Updates> {
    if (name == spec::kMainBranch) return IllegalArgument("Cannot rename main branch");
    const spec::SnapshotRef* found = base.Ref(name);
    if (found == nullptr) return IllegalArgument(fmt::format("Branch does not exist: {}", name));
    if (!found->is_branch())
      return IllegalArgument(fmt::format("Ref {} is a tag not a branch", name));
    if (base.Ref(new_name) != nullptr)
      return IllegalArgument(fmt::format("Ref {} already exists", new_name));
    return Updates{spec::update::SetSnapshotRef{new_name, *found},
                   spec::update::RemoveSnapshotRef{name}};
  };
}

}  // namespace

struct ManageSnapshots::State {
  std::shared_ptr<ChangeTarget> target;
  std::vector<std::function<void(commit::Transaction&)>> steps;

  void Add(commit::UpdateFunction step) {
    steps.push_back([step = std::move(step)](commit::Transaction& to) { to.Add(step); });
  }
  void AddRef(commit::RefAction action, spec::RefType type, std::string name,
              std::optional<int64_t> snapshot_id = {}) {
    commit::RefChange change{action, type, std::move(name), snapshot_id, {}, {}, {}};
    Add(commit::RefStep(std::move(change), target->TableName()));
  }
};

ManageSnapshots::ManageSnapshots(std::shared_ptr<ChangeTarget> target)
    : state_(std::make_shared<State>()) {
  state_->target = std::move(target);
}

using commit::RefAction;
using spec::RefType;

ManageSnapshots& ManageSnapshots::CreateBranch(std::string name,
                                               std::optional<int64_t> snapshot_id) {
  state_->AddRef(RefAction::kCreate, RefType::kBranch, std::move(name), snapshot_id);
  return *this;
}
ManageSnapshots& ManageSnapshots::CreateTag(std::string name, int64_t snapshot_id) {
  state_->AddRef(RefAction::kCreate, RefType::kTag, std::move(name), snapshot_id);
  return *this;
}
ManageSnapshots& ManageSnapshots::ReplaceBranch(std::string name, int64_t snapshot_id) {
  state_->AddRef(RefAction::kReplace, RefType::kBranch, std::move(name), snapshot_id);
  return *this;
}
ManageSnapshots& ManageSnapshots::ReplaceTag(std::string name, int64_t snapshot_id) {
  state_->AddRef(RefAction::kReplace, RefType::kTag, std::move(name), snapshot_id);
  return *this;
}
ManageSnapshots& ManageSnapshots::RenameBranch(std::string name, std::string new_name) {
  state_->Add(RenameStep(std::move(name), std::move(new_name)));
  return *this;
}
ManageSnapshots& ManageSnapshots::RemoveBranch(std::string name) {
  state_->AddRef(RefAction::kDrop, RefType::kBranch, std::move(name));
  return *this;
}
ManageSnapshots& ManageSnapshots::RemoveTag(std::string name) {
  state_->AddRef(RefAction::kDrop, RefType::kTag, std::move(name));
  return *this;
}
ManageSnapshots& ManageSnapshots::FastForwardBranch(std::string branch, std::string to) {
  state_->Add(commit::FastForwardStep(std::move(branch), std::move(to)));
  return *this;
}
ManageSnapshots& ManageSnapshots::SetMinSnapshotsToKeep(std::string branch, int32_t count) {
  state_->Add(RetentionStep(std::move(branch), true, [count](spec::SnapshotRef& ref) {
    ref.min_snapshots_to_keep = count;
  }));
  return *this;
}
ManageSnapshots& ManageSnapshots::SetMaxSnapshotAgeMs(std::string branch, int64_t age_ms) {
  state_->Add(RetentionStep(std::move(branch), true, [age_ms](spec::SnapshotRef& ref) {
    ref.max_snapshot_age_ms = age_ms;
  }));
  return *this;
}
ManageSnapshots& ManageSnapshots::SetMaxRefAgeMs(std::string name, int64_t age_ms) {
  state_->Add(RetentionStep(std::move(name), false,
                            [age_ms](spec::SnapshotRef& ref) { ref.max_ref_age_ms = age_ms; }));
  return *this;
}
ManageSnapshots& ManageSnapshots::SetCurrentSnapshot(int64_t snapshot_id) {
  state_->Add(commit::SetCurrentSnapshotStep(snapshot_id));
  return *this;
}
ManageSnapshots& ManageSnapshots::RollbackTo(int64_t snapshot_id) {
  state_->Add(commit::RollbackToSnapshotStep(snapshot_id));
  return *this;
}
ManageSnapshots& ManageSnapshots::RollbackToTime(int64_t timestamp_ms) {
  state_->Add(commit::RollbackToTimestampStep(timestamp_ms));
  return *this;
}
ManageSnapshots& ManageSnapshots::Cherrypick(int64_t snapshot_id) {
  state_->steps.push_back(
      [reading = state_->target->Reading(), snapshot_id](commit::Transaction& to) {
        to.Add(commit::MakeCherryPickStep(reading, snapshot_id));
      });
  return *this;
}

Result<CommitReport> ManageSnapshots::Commit() {
  return state_->target->Commit([&](commit::Transaction& transaction) {
    for (const auto& add : state_->steps) add(transaction);
  });
}

// ---- expiry ------------------------------------------------------------------------------------

struct ExpireSnapshots::State {
  std::shared_ptr<TableState> table;
  commit::ExpireOptions options;
};

ExpireSnapshots::ExpireSnapshots(std::shared_ptr<TableState> table)
    : state_(std::make_shared<State>()) {
  state_->table = std::move(table);
}

ExpireSnapshots& ExpireSnapshots::ExpireSnapshotId(int64_t snapshot_id) {
  state_->options.snapshot_ids.push_back(snapshot_id);
  return *this;
}
ExpireSnapshots& ExpireSnapshots::ExpireOlderThan(int64_t timestamp_ms) {
  state_->options.older_than_ms = timestamp_ms;
  return *this;
}
ExpireSnapshots& ExpireSnapshots::RetainLast(int32_t count) {
  state_->options.retain_last = count;
  return *this;
}
ExpireSnapshots& ExpireSnapshots::CleanExpiredMetadata(bool clean) {
  state_->options.clean_expired_metadata = clean;
  return *this;
}
ExpireSnapshots& ExpireSnapshots::DeleteWith(
    std::function<void(const std::vector<std::string>&)> deleter) {
  state_->options.delete_files = std::move(deleter);
  return *this;
}

Result<ExpireSnapshots::Report> ExpireSnapshots::Commit() {
  TableState& table = *state_->table;
  ASSIGN_OR_RETURN(commit::ExpireResult result,
                   commit::ExpireSnapshots(*table.catalog->catalog, table.id, state_->options));
  if (result.outcome.committed) table.Replace(result.outcome.table);
  return Report{result.plan.snapshot_ids, result.deleted.data_files,
                result.deleted.position_delete_files + result.deleted.equality_delete_files,
                result.deleted.manifests, result.deleted.manifest_lists};
}

}  // namespace iceblink
