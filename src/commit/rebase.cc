#include "commit/rebase.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commit/snapshot_producer.h"
#include "table/delete_index.h"
#include "table/manifest_reader.h"
#include "table/snapshots.h"

namespace iceblink::commit {

namespace {

using Updates = std::vector<spec::TableUpdate>;

// Summary keys that the replay computes anew.
bool IsComputed(const std::string& key) {
  constexpr const char* kPrefixes[] = {
      "added-",     "deleted-",    "removed-",   "total-",           "changed-partition-count",
      "partition-", "partitions.", "manifests-", "entries-processed"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](const char* prefix) { return key.starts_with(prefix); });
}

bool IsDynamicOverwrite(const spec::Snapshot& snapshot) {
  auto it = snapshot.summary.find("replace-partitions");
  return it != snapshot.summary.end() && it->second == "true";
}

ChangeKind KindOf(const spec::Snapshot& snapshot, const SnapshotChange& files) {
  if (snapshot.operation == spec::operation::kReplace) return ChangeKind::kRewriteFiles;
  if (!files.added_deletes.empty() || !files.removed_deletes.empty()) return ChangeKind::kRowDelta;
  return snapshot.operation == spec::operation::kAppend ? ChangeKind::kMergeAppend
                                                        : ChangeKind::kOverwrite;
}

// One snapshot on its way to the other branch.
struct Replay {
  const int64_t source_id;
  SnapshotChange change;
  std::unique_ptr<SnapshotProducer> producer;
};

class RebaseStep final : public Step {
 public:
  RebaseStep(table::ReadContext read, std::string branch, std::string onto,
             std::map<std::string, std::string> summary, RebaseResult& result)
      : read_(read),
        branch_(std::move(branch)),
        onto_(std::move(onto)),
        summary_(std::move(summary)),
        lists_(read_),
        result_(result) {}

  Result<Updates> Apply(const spec::TableMetadata& base) override;
  void Committed() override {
    for (const auto& [id, replay] : replays_) replay.producer->Committed();
  }
  void Abandoned() override {
    for (const auto& [id, replay] : replays_) replay.producer->Abandoned();
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& why) const {
    return Fail(ErrorCode::kConflict,
                fmt::format("Cannot rebase {} onto {}: {}", branch_, onto_, why),
                "ValidationException");
  }
  Result<const spec::SnapshotRef*> BranchOf(const spec::TableMetadata& base,
                                            const std::string& name) const;
  // Snapshots of the branch that `onto` lacks, oldest first, and where the two parted.
  Result<std::vector<const spec::Snapshot*>> OwnSnapshots(const spec::TableMetadata& base,
                                                          int64_t head, int64_t onto_head,
                                                          int64_t& parted) const;
  Result<SnapshotChange> ChangeOf(const spec::TableMetadata& base, const spec::Snapshot& snapshot);
  Result<Replay*> ReplayOf(const spec::TableMetadata& base, const spec::Snapshot& snapshot);
  Status Check(const spec::TableMetadata& base, const spec::Snapshot& snapshot,
               const SnapshotChange& change, int64_t parted, int64_t onto_head);
  std::optional<int64_t> MapSequence(std::optional<int64_t> old_sequence) const;

  table::ReadContext read_;
  const std::string branch_;
  const std::string onto_;
  const std::map<std::string, std::string> summary_;
  ManifestLists lists_;
  std::optional<int64_t> onto_head_;          // of the last attempt
  std::map<int64_t, Replay> replays_;         // by source snapshot; kept while `onto` stands still
  std::map<int64_t, int64_t> new_sequences_;  // of replayed snapshots, by the old number
  RebaseResult& result_;
};

Result<const spec::SnapshotRef*> RebaseStep::BranchOf(const spec::TableMetadata& base,
                                                      const std::string& name) const {
  const spec::SnapshotRef* ref = base.Ref(name);
  if (ref == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Ref does not exist: {}", name),
                "IllegalArgumentException");
  }
  if (ref->is_branch()) return ref;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Ref {} is a tag not a branch", name),
              "IllegalArgumentException");
}

Result<std::vector<const spec::Snapshot*>> RebaseStep::OwnSnapshots(const spec::TableMetadata& base,
                                                                    int64_t head, int64_t onto_head,
                                                                    int64_t& parted) const {
  std::set<int64_t> theirs;
  for (const spec::Snapshot* snapshot : table::AncestorsOf(base, onto_head))
    theirs.insert(snapshot->snapshot_id);
  std::vector<const spec::Snapshot*> own;
  for (const spec::Snapshot* snapshot : table::AncestorsOf(base, head)) {
    if (theirs.contains(snapshot->snapshot_id)) {
      parted = snapshot->snapshot_id;
      std::reverse(own.begin(), own.end());
      return own;
    }
    own.push_back(snapshot);
  }
  return Refuse("no common ancestor");
}

// A rewritten file's sequence number is that of a snapshot, which may itself be replayed.
std::optional<int64_t> RebaseStep::MapSequence(std::optional<int64_t> old_sequence) const {
  if (!old_sequence) return old_sequence;
  auto it = new_sequences_.find(*old_sequence);
  return it == new_sequences_.end() ? old_sequence : std::optional<int64_t>(it->second);
}

Result<SnapshotChange> RebaseStep::ChangeOf(const spec::TableMetadata& base,
                                            const spec::Snapshot& snapshot) {
  SnapshotChange change;
  const table::PartitionTypes types(base);
  auto take = [&](const spec::ManifestEntry& entry) -> Status {
    if (entry.snapshot_id != snapshot.snapshot_id || entry.status == spec::EntryStatus::kExisting)
      return {};
    const spec::DataFile& file = entry.data_file;
    const bool added = entry.status == spec::EntryStatus::kAdded;
    const bool rewritten = added && entry.sequence_number != snapshot.sequence_number;
    const std::optional<int64_t> sequence =
        MapSequence(rewritten ? entry.sequence_number : std::nullopt);
    if (!added) {
      (file.is_data() ? change.removed_files : change.removed_deletes).push_back({file, {}});
    } else if (file.is_data()) {
      change.added_files.push_back(file);
      if (rewritten) change.data_sequence_number = sequence;
    } else {
      change.added_deletes.push_back({file, sequence});
      if (auto referenced = table::ReferencedDataFile(file)) {
        change.validation.referenced_data_files.push_back(*referenced);
      }
    }
    return {};
  };
  ASSIGN_OR_RETURN(const auto* manifests, lists_.Of(snapshot));
  for (const spec::ManifestFile& manifest : *manifests) {
    if (manifest.added_snapshot_id == snapshot.snapshot_id) {
      RETURN_IF_ERROR(table::ForEachEntry(read_, manifest, types, {}, take));
    }
  }
  change.kind = KindOf(snapshot, change);
  change.operation = snapshot.operation;
  change.branch = branch_;
  for (const auto& [key, value] : snapshot.summary) {
    if (!IsComputed(key)) change.summary.emplace(key, value);
  }
  for (const auto& [key, value] : summary_) change.summary[key] = value;
  change.summary["source-snapshot-id"] = std::to_string(snapshot.snapshot_id);
  return change;
}

// Checks the replay against what `onto` got since the branches parted; the branch's own snapshots
// do not conflict.
Status RebaseStep::Check(const spec::TableMetadata& base, const spec::Snapshot& snapshot,
                         const SnapshotChange& change, int64_t parted, int64_t onto_head) {
  const table::PartitionTypes types(base);
  const ValidationTarget target{read_, base, types, base.SnapshotById(onto_head), lists_};
  SnapshotChange checked = change;
  checked.validation.from_snapshot = parted;
  checked.validation.deleted_files = true;
  checked.validation.no_conflicting_deletes = change.kind == ChangeKind::kOverwrite;
  if (IsDynamicOverwrite(snapshot)) {
    checked.kind = ChangeKind::kReplacePartitions;
    checked.validation.no_conflicting_data = true;
    checked.validation.no_conflicting_deletes = true;
  }
  Status holds = ValidateChange(target, checked);
  // Deletes of whole partitions name no file: none may have gone from the partition.
  SnapshotChange unnamed;
  unnamed.kind = ChangeKind::kReplacePartitions;
  unnamed.validation.from_snapshot = parted;
  unnamed.validation.no_conflicting_deletes = true;
  for (const AddedDeleteFile& added : change.added_deletes) {
    if (!table::ReferencedDataFile(added.file)) unnamed.added_files.push_back(added.file);
  }
  if (holds) holds = ValidateChange(target, unnamed);
  if (holds) return {};
  return Refuse(fmt::format("snapshot {} ({}): {}", snapshot.snapshot_id,
                            snapshot.operation.value_or(""), holds.error().message));
}

Result<Replay*> RebaseStep::ReplayOf(const spec::TableMetadata& base,
                                     const spec::Snapshot& snapshot) {
  auto found = replays_.find(snapshot.snapshot_id);
  if (found != replays_.end()) return &found->second;
  ASSIGN_OR_RETURN(SnapshotChange change, ChangeOf(base, snapshot));
  SnapshotChange unchecked = change;  // checked against `onto` alone
  unchecked.validation = {};
  unchecked.validation.files_exist = true;
  auto producer = std::make_unique<SnapshotProducer>(read_, std::move(unchecked), SystemClock());
  return &replays_
              .emplace(snapshot.snapshot_id,
                       Replay{snapshot.snapshot_id, std::move(change), std::move(producer)})
              .first->second;
}

Result<Updates> RebaseStep::Apply(const spec::TableMetadata& base) {
  ASSIGN_OR_RETURN(const spec::SnapshotRef* ref, BranchOf(base, branch_));
  ASSIGN_OR_RETURN(const spec::SnapshotRef* onto, BranchOf(base, onto_));
  int64_t parted = 0;
  ASSIGN_OR_RETURN(const auto own, OwnSnapshots(base, ref->snapshot_id, onto->snapshot_id, parted));
  if (onto_head_ != onto->snapshot_id) {  // sequence numbers will be others: make the replays anew
    Abandoned();
    replays_.clear();
    onto_head_ = onto->snapshot_id;
  }
  result_.previous_head = result_.current_head = ref->snapshot_id;
  result_.replayed.clear();
  new_sequences_.clear();
  if (parted == onto->snapshot_id) return Updates{};  // nothing new to stand on

  spec::SnapshotRef moved = *ref;
  moved.snapshot_id = result_.current_head = onto->snapshot_id;
  Updates updates{spec::update::SetSnapshotRef{branch_, moved}};
  ASSIGN_OR_RETURN(spec::TableMetadata now,
                   spec::ApplyUpdates(base, updates, SystemClock().NowMillis()));
  for (const spec::Snapshot* snapshot : own) {
    ASSIGN_OR_RETURN(Replay * replay, ReplayOf(base, *snapshot));
    const SnapshotChange& change = replay->change;
    const bool nothing = change.added_files.empty() && change.removed_files.empty() &&
                         change.added_deletes.empty() && change.removed_deletes.empty();
    if (nothing && snapshot->operation == spec::operation::kReplace)
      continue;  // manifests alone were rewritten
    RETURN_IF_ERROR(Check(base, *snapshot, change, parted, onto->snapshot_id));
    auto more = replay->producer->Apply(now);
    if (!more) {
      return Refuse(fmt::format("snapshot {} ({}): {}", snapshot->snapshot_id,
                                snapshot->operation.value_or(""), more.error().message));
    }
    std::move(more->begin(), more->end(), std::back_inserter(updates));
    ASSIGN_OR_RETURN(now, spec::ApplyUpdates(base, updates, SystemClock().NowMillis()));
    result_.current_head = now.Ref(branch_)->snapshot_id;
    result_.replayed.emplace_back(snapshot->snapshot_id, result_.current_head);
    new_sequences_[snapshot->sequence_number] = now.last_sequence_number;
  }
  return updates;
}

}  // namespace

Result<RebaseResult> RebaseBranch(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                  const std::string& branch, const std::string& onto,
                                  const std::map<std::string, std::string>& summary) {
  if (branch == onto) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Cannot rebase {} onto itself", branch),
                "IllegalArgumentException");
  }
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  RebaseResult result;
  Transaction transaction(catalog, id, std::move(table));
  const table::ReadContext read{&catalog.file_system(), nullptr};
  transaction.Add(std::make_unique<RebaseStep>(read, branch, onto, summary, result));
  ASSIGN_OR_RETURN(result.outcome, transaction.Commit());
  return result;
}

}  // namespace iceblink::commit
