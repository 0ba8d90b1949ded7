// Cherry-pick and publish: the changes of one snapshot, applied to main.

#include <fmt/format.h>

#include "commit/partition_set.h"
#include "commit/refs.h"
#include "commit/snapshot_producer.h"
#include "spec/single_value.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/snapshots.h"

namespace iceblink::commit {

namespace {

using Updates = std::vector<spec::TableUpdate>;

constexpr const char* kWapId = "wap.id";
constexpr const char* kPublishedWapId = "published-wap-id";
constexpr const char* kSourceSnapshotId = "source-snapshot-id";
constexpr const char* kReplacePartitions = "replace-partitions";

tl::unexpected<Error> Invalid(std::string message, const char* exception = "ValidationException") {
  return Fail(ErrorCode::kConflict, std::move(message), exception);
}

std::string EntryOr(const spec::Snapshot& snapshot, const char* key) {
  auto it = snapshot.summary.find(key);
  return it == snapshot.summary.end() ? std::string() : it->second;
}

bool IsCurrentAncestor(const spec::TableMetadata& base, int64_t id) {
  return base.current_snapshot_id && table::IsAncestorOf(base, *base.current_snapshot_id, id);
}

bool IsDynamicOverwrite(const spec::Snapshot& snapshot) {
  return snapshot.operation == spec::operation::kOverwrite &&
         EntryOr(snapshot, kReplacePartitions) == "true";
}

// Calls visit for each data entry that the snapshot itself wrote.
Status ForEachOwnEntry(const table::ReadContext& read, const spec::TableMetadata& base,
                       const spec::Snapshot& snapshot,
                       const std::function<Status(const spec::ManifestEntry&)>& visit) {
  const table::PartitionTypes types(base);
  ASSIGN_OR_RETURN(const auto manifests, table::ReadManifests(read, snapshot));
  for (const spec::ManifestFile& manifest : manifests) {
    if (manifest.content != spec::ManifestContent::kData ||
        manifest.added_snapshot_id != snapshot.snapshot_id)
      continue;
    RETURN_IF_ERROR(
        table::ForEachEntry(read, manifest, types, {}, [&](const spec::ManifestEntry& entry) {
          return entry.snapshot_id == snapshot.snapshot_id ? visit(entry) : Status();
        }));
  }
  return {};
}

std::string TupleText(const table::PartitionTypes& types, const spec::DataFile& file) {
  std::string text;
  const auto* entry = types.Find(file.spec_id);
  for (size_t i = 0; entry != nullptr && i < file.partition.size() && i < entry->type.fields.size();
       i++) {
    const spec::NestedField& field = entry->type.fields[i];
    fmt::format_to(
        std::back_inserter(text), "{}{}={}", i == 0 ? "" : ", ", field.name,
        file.partition[i].is_null() ? "null" : spec::HumanString(field.type, file.partition[i]));
  }
  return "PartitionData{" + text + "}";
}

class CherryPickStep final : public Step {
 public:
  CherryPickStep(table::ReadContext read, int64_t picked,
                 std::map<std::string, std::string> summary)
      : read_(read), picked_id_(picked), summary_(std::move(summary)) {}

  Result<Updates> Apply(const spec::TableMetadata& base) override;
  void Committed() override {
    if (producer_ == nullptr) return;
    used_producer_ ? producer_->Committed() : producer_->Abandoned();
  }
  void Abandoned() override {
    if (producer_ != nullptr) producer_->Abandoned();
  }

 private:
  Status CheckNotPublished(const spec::TableMetadata& base, const spec::Snapshot& picked) const;
  Status CheckNotAncestor(const spec::TableMetadata& base) const;
  Status CheckPartitionsUntouched(const spec::TableMetadata& base,
                                  const spec::Snapshot& picked) const;
  Status MakeProducer(const spec::TableMetadata& base, const spec::Snapshot& picked);

  table::ReadContext read_;
  const int64_t picked_id_;
  const std::map<std::string, std::string> summary_;
  PartitionSet replaced_;
  std::unique_ptr<SnapshotProducer> producer_;
  bool used_producer_ = false;
};

Status CherryPickStep::CheckNotPublished(const spec::TableMetadata& base,
                                         const spec::Snapshot& picked) const {
  const std::string wap_id = EntryOr(picked, kWapId);
  if (wap_id.empty()) return {};
  for (const spec::Snapshot* ancestor : table::AncestorsOf(base, base.current_snapshot_id)) {
    if (EntryOr(*ancestor, kWapId) == wap_id || EntryOr(*ancestor, kPublishedWapId) == wap_id) {
      return Invalid(
          "Duplicate request to cherry pick wap id that was published already: " + wap_id,
          "DuplicateWAPCommitException");
    }
  }
  return {};
}

Status CherryPickStep::CheckNotAncestor(const spec::TableMetadata& base) const {
  if (IsCurrentAncestor(base, picked_id_)) {
    return Invalid(fmt::format("Cannot cherrypick snapshot {}: already an ancestor", picked_id_),
                   "CherrypickAncestorCommitException");
  }
  for (const spec::Snapshot* ancestor : table::AncestorsOf(base, base.current_snapshot_id)) {
    if (EntryOr(*ancestor, kSourceSnapshotId) == std::to_string(picked_id_)) {
      return Invalid(
          fmt::format("Cannot cherrypick snapshot {}: already picked to create ancestor {}",
                      picked_id_, ancestor->snapshot_id),
          "CherrypickAncestorCommitException");
    }
  }
  return {};
}

Status CherryPickStep::CheckPartitionsUntouched(const spec::TableMetadata& base,
                                                const spec::Snapshot& picked) const {
  if (!IsDynamicOverwrite(picked) || !base.current_snapshot_id) return {};
  if (picked.parent_id && !IsCurrentAncestor(base, *picked.parent_id)) {
    return Invalid(fmt::format(
        "Cannot cherry-pick overwrite not based on an ancestor of the current state: {}",
        picked_id_));
  }
  const table::PartitionTypes types(base);
  for (const spec::Snapshot* snapshot :
       table::AncestorsBetween(base, *base.current_snapshot_id, picked.parent_id)) {
    RETURN_IF_ERROR(
        ForEachOwnEntry(read_, base, *snapshot, [&](const spec::ManifestEntry& entry) -> Status {
          const spec::DataFile& file = entry.data_file;
          if (entry.status != spec::EntryStatus::kAdded ||
              !replaced_.Contains(file.spec_id, file.partition))
            return {};
          return Invalid("Cannot cherry-pick replace partitions with changed partition: " +
                         TupleText(types, file));
        }));
  }
  return {};
}

Status CherryPickStep::MakeProducer(const spec::TableMetadata& base, const spec::Snapshot& picked) {
  SnapshotChange change;
  change.kind = IsDynamicOverwrite(picked) ? ChangeKind::kOverwrite : ChangeKind::kMergeAppend;
  change.operation = picked.operation;
  change.validation.files_exist = true;
  change.summary = summary_;
  change.summary[kSourceSnapshotId] = std::to_string(picked_id_);
  const std::string wap_id = EntryOr(picked, kWapId);
  if (!wap_id.empty()) change.summary[kPublishedWapId] = wap_id;
  const bool overwrite = change.kind == ChangeKind::kOverwrite;
  RETURN_IF_ERROR(
      ForEachOwnEntry(read_, base, picked, [&](const spec::ManifestEntry& entry) -> Status {
        if (entry.status == spec::EntryStatus::kAdded) {
          change.added_files.push_back(entry.data_file);
          replaced_.Add(entry.data_file.spec_id, entry.data_file.partition);
        } else if (entry.status == spec::EntryStatus::kDeleted && overwrite) {
          change.removed_files.push_back({entry.data_file, {}});
        }
        return {};
      }));
  producer_ = std::make_unique<SnapshotProducer>(read_, std::move(change), SystemClock());
  return {};
}

Result<Updates> CherryPickStep::Apply(const spec::TableMetadata& base) {
  const spec::Snapshot* picked = base.SnapshotById(picked_id_);
  if (picked == nullptr)
    return Invalid(fmt::format("Cannot cherry-pick unknown snapshot ID: {}", picked_id_));
  const bool append = picked->operation == spec::operation::kAppend;
  const bool fast_forward = picked->parent_id == base.current_snapshot_id;
  if (append || IsDynamicOverwrite(*picked)) {
    if (!append && picked->parent_id && !IsCurrentAncestor(base, *picked->parent_id)) {
      return Invalid(fmt::format(
          "Cannot cherry-pick overwrite not based on an ancestor of the current state: {}",
          picked_id_));
    }
    RETURN_IF_ERROR(CheckNotPublished(base, *picked));
  } else if (!fast_forward) {
    return Invalid(fmt::format(
        "Cannot cherry-pick snapshot {}: not append, dynamic overwrite, or fast-forward",
        picked_id_));
  }
  used_producer_ = !fast_forward;
  if (fast_forward) {
    spec::SnapshotRef main;
    if (const spec::SnapshotRef* ref = base.Ref(spec::kMainBranch)) main = *ref;
    main.snapshot_id = picked_id_;
    return Updates{spec::update::SetSnapshotRef{spec::kMainBranch, main}};
  }
  if (producer_ == nullptr) RETURN_IF_ERROR(MakeProducer(base, *picked));
  RETURN_IF_ERROR(CheckNotAncestor(base));
  RETURN_IF_ERROR(CheckPartitionsUntouched(base, *picked));
  return producer_->Apply(base);
}

}  // namespace

Result<RefMove> CherryPick(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                           int64_t snapshot_id, const std::map<std::string, std::string>& summary) {
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  Transaction transaction(catalog, id, std::move(table));
  const table::ReadContext read{&catalog.file_system(), nullptr};
  transaction.Add(std::make_unique<CherryPickStep>(read, snapshot_id, summary));
  RefMove move;
  ASSIGN_OR_RETURN(move.outcome, transaction.Commit());
  move.previous = snapshot_id;
  move.current = move.outcome.table.metadata->current_snapshot_id;
  return move;
}

std::unique_ptr<Step> MakeCherryPickStep(const table::ReadContext& read, int64_t snapshot_id,
                                         std::map<std::string, std::string> summary) {
  return std::make_unique<CherryPickStep>(read, snapshot_id, std::move(summary));
}

Result<RefMove> PublishChanges(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                               const std::string& wap_id,
                               const std::map<std::string, std::string>& summary) {
  ASSIGN_OR_RETURN(const auto table, catalog.LoadTable(id));
  const spec::Snapshot* staged = nullptr;
  for (const spec::Snapshot& snapshot : table.metadata->snapshots) {
    if (EntryOr(snapshot, kWapId) != wap_id) continue;
    if (staged != nullptr) {
      return Invalid(fmt::format(
          "Cannot apply non-unique WAP ID. Found multiple snapshots with WAP ID '{}'", wap_id));
    }
    staged = &snapshot;
  }
  if (staged == nullptr) return Invalid(fmt::format("Cannot apply unknown WAP ID '{}'", wap_id));
  return CherryPick(catalog, id, staged->snapshot_id, summary);
}

}  // namespace iceblink::commit
