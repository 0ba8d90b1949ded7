#include "iceblink/changes.h"

#include "api/state.h"

namespace iceblink {

struct ChangeState {
  std::shared_ptr<ChangeTarget> target;
  commit::SnapshotChange change;
  bool committed = false;
};

std::shared_ptr<ChangeState> NewChange(std::shared_ptr<ChangeTarget> target,
                                       commit::ChangeKind kind) {
  auto state = std::make_shared<ChangeState>();
  state->target = std::move(target);
  state->change.kind = kind;
  return state;
}

Result<CommitReport> PendingChange::Commit() {
  if (std::exchange(state_->committed, true)) {
    return Fail(ErrorCode::kInvalidArgument, "Cannot commit a change twice",
                "IllegalStateException");
  }
  RETURN_IF_ERROR(commit::CheckChange(state_->change));
  return state_->target->Commit(
      [&](commit::Transaction& transaction) { transaction.Add(std::move(state_->change)); });
}

void PendingChange::SetSummary(std::string property, std::string value) {
  state_->change.summary[std::move(property)] = std::move(value);
}
void PendingChange::SetBranch(std::string branch) { state_->change.branch = std::move(branch); }
void PendingChange::SetStaged() { state_->change.stage_only = true; }
void PendingChange::Add(const DataFile& file) { state_->change.added_files.push_back(file.rep()); }
void PendingChange::AddDeleteFile(const DataFile& file) {
  state_->change.added_deletes.push_back({file.rep(), {}});
}
void PendingChange::Remove(const DataFile& file) {
  state_->change.removed_files.push_back({file.rep(), {}});
}
void PendingChange::RemoveDeleteFile(const DataFile& file) {
  state_->change.removed_deletes.push_back({file.rep(), {}});
}
void PendingChange::RemovePath(std::string path) {
  state_->change.removed_paths.push_back(std::move(path));
}
void PendingChange::SetRowFilter(const Expression& filter) {
  state_->change.row_filter = filter.rep();
}
void PendingChange::SetConflictFilter(const Expression& filter) {
  state_->change.validation.conflict_filter = filter.rep();
}
void PendingChange::SetFromSnapshot(int64_t snapshot_id) {
  state_->change.validation.from_snapshot = snapshot_id;
}

OverwriteFiles& OverwriteFiles::CaseSensitive(bool case_sensitive) {
  state_->change.case_sensitive = case_sensitive;
  return *this;
}
OverwriteFiles& OverwriteFiles::ValidateNoConflictingData() {
  state_->change.validation.no_conflicting_data = true;
  return *this;
}
OverwriteFiles& OverwriteFiles::ValidateNoConflictingDeletes() {
  state_->change.validation.no_conflicting_deletes = true;
  return *this;
}
OverwriteFiles& OverwriteFiles::ValidateAddedFilesMatchOverwriteFilter() {
  state_->change.validation.added_files_match_filter = true;
  return *this;
}

ReplacePartitions& ReplacePartitions::ValidateAppendOnly() {
  state_->change.validation.append_only = true;
  return *this;
}
ReplacePartitions& ReplacePartitions::ValidateNoConflictingData() {
  state_->change.validation.no_conflicting_data = true;
  return *this;
}
ReplacePartitions& ReplacePartitions::ValidateNoConflictingDeletes() {
  state_->change.validation.no_conflicting_deletes = true;
  return *this;
}

RowDelta& RowDelta::ValidateDataFilesExist(std::vector<std::string> paths) {
  auto& all = state_->change.validation.referenced_data_files;
  all.insert(all.end(), paths.begin(), paths.end());
  return *this;
}
RowDelta& RowDelta::ValidateDeletedFiles() {
  state_->change.validation.deleted_files = true;
  return *this;
}
RowDelta& RowDelta::ValidateNoConflictingDataFiles() {
  state_->change.validation.no_conflicting_data = true;
  return *this;
}
RowDelta& RowDelta::ValidateNoConflictingDeleteFiles() {
  state_->change.validation.no_conflicting_deletes = true;
  return *this;
}

DeleteFiles& DeleteFiles::CaseSensitive(bool case_sensitive) {
  state_->change.case_sensitive = case_sensitive;
  return *this;
}
DeleteFiles& DeleteFiles::ValidateFilesExist() {
  state_->change.validation.files_exist = true;
  return *this;
}

RewriteFiles& RewriteFiles::DataSequenceNumber(int64_t sequence_number) {
  state_->change.data_sequence_number = sequence_number;
  return *this;
}

}  // namespace iceblink
