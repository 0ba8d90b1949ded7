#include "commit/snapshot_producer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "base/thread_pool.h"
#include "base/uuid.h"
#include "commit/merge_vectors.h"
#include "spec/properties.h"
#include "table/manifest_list.h"

namespace iceblink::commit {

namespace {

using spec::ManifestContent;
using spec::ManifestFile;
using Manifests = std::vector<ManifestFile>;

// A clock behind the table's last change by more than this is believed, as a clock set right.
constexpr int64_t kMaxClockSkewMs = 60'000;

RemovalRules RulesForData(const SnapshotChange& change) {
  RemovalRules rules;
  rules.paths.insert(change.removed_paths.begin(), change.removed_paths.end());
  for (const RemovedFile& removed : change.removed_files) {
    rules.files.insert(RemovalKey(removed.file));
    rules.file_partitions.Add(removed.file.spec_id, removed.file.partition);
    if (removed.manifest.empty()) rules.every_manifest_known = false;
    rules.manifests.insert(removed.manifest);
  }
  rules.row_filter = change.row_filter;
  rules.fail_any = change.validation.append_only;
  rules.case_sensitive = change.case_sensitive;
  return rules;
}

RemovalRules RulesForDeletes(const SnapshotChange& change) {
  RemovalRules rules;
  for (const RemovedFile& removed : change.removed_deletes) {
    rules.files.insert(RemovalKey(removed.file));
    rules.file_partitions.Add(removed.file.spec_id, removed.file.partition);
    if (removed.manifest.empty()) rules.every_manifest_known = false;
    rules.manifests.insert(removed.manifest);
  }
  rules.row_filter = change.row_filter;
  rules.fail_any = change.validation.append_only;
  rules.case_sensitive = change.case_sensitive;
  return rules;
}

// ReplacePartitions drops the partitions of its files, or everything in an unpartitioned table.
void DropPartitions(const SnapshotChange& change, const table::PartitionTypes& types,
                    RemovalRules& rules) {
  for (const spec::DataFile& file : change.added_files) {
    rules.dropped_partitions.Add(file.spec_id, file.partition);
    const auto* entry = types.Find(file.spec_id);
    if (entry != nullptr && entry->spec.fields.empty()) rules.row_filter = expr::Expression::True();
  }
}

std::vector<std::string> KeysOf(const std::vector<RemovedFile>& files) {
  std::vector<std::string> keys;
  keys.reserve(files.size());
  for (const RemovedFile& removed : files) keys.push_back(RemovalKey(removed.file));
  return keys;
}

template <typename File>
std::map<int32_t, std::vector<ManifestOutput::NewFile>> GroupBySpec(
    const std::vector<File>& files, std::optional<int64_t> sequence) {
  std::map<int32_t, std::vector<ManifestOutput::NewFile>> groups;
  std::unordered_set<std::string> seen;
  for (const File& item : files) {
    if constexpr (std::is_same_v<File, spec::DataFile>) {
      if (seen.insert(RemovalKey(item)).second) groups[item.spec_id].push_back({&item, sequence});
    } else {
      if (!seen.insert(RemovalKey(item.file)).second) continue;
      groups[item.file.spec_id].push_back({&item.file, item.data_sequence_number});
    }
  }
  return groups;
}

}  // namespace

// What one attempt sees and makes.
struct SnapshotProducer::Attempt {
  const spec::TableMetadata& base;
  table::PartitionTypes types;
  WriteTarget target;
  const spec::Snapshot* parent = nullptr;
  Manifests old_data;
  Manifests old_deletes;
  Manifests result;
  SummaryBuilder summary;
  int64_t replaced = 0;

  explicit Attempt(const spec::TableMetadata& metadata)
      : base(metadata), types(metadata), target{&metadata, &types} {}
};

const spec::Snapshot* HeadOf(const spec::TableMetadata& base, const std::string& branch) {
  const spec::Snapshot* head = base.SnapshotOfRef(branch);
  return head != nullptr ? head : base.CurrentSnapshot();
}

SnapshotProducer::SnapshotProducer(const table::ReadContext& read, SnapshotChange change,
                                   const Clock& clock)
    : read_(read), change_(std::move(change)), clock_(clock), lists_(read_) {
  if (change_.kind == ChangeKind::kReplacePartitions)
    change_.summary["replace-partitions"] = "true";
  if (RequiresRemovedFiles(change_)) {
    required_data_ = KeysOf(change_.removed_files);
    required_data_.insert(required_data_.end(), change_.removed_paths.begin(),
                          change_.removed_paths.end());
    required_deletes_ = KeysOf(change_.removed_deletes);
  }
}

ManifestFile SnapshotProducer::Own(ManifestFile manifest) const {
  manifest.added_snapshot_id = output_->snapshot_id();
  manifest.sequence_number = ManifestFile::kUnassignedSequence;
  return manifest;
}

// First attempt: fixes the snapshot's id and the rules of removal.
Status SnapshotProducer::Start(const spec::TableMetadata& base) {
  RETURN_IF_ERROR(CheckChange(change_));
  int64_t id = NewSnapshotId();
  while (base.SnapshotById(id) != nullptr) id = NewSnapshotId();
  output_ = std::make_unique<ManifestOutput>(*read_.files, id);
  RETURN_IF_ERROR(MergeDuplicateVectors(*read_.files, base, id, change_));
  RemovalRules data = RulesForData(change_);
  RemovalRules deletes = RulesForDeletes(change_);
  if (change_.kind == ChangeKind::kReplacePartitions) {
    const table::PartitionTypes types(base);
    DropPartitions(change_, types, data);
    DropPartitions(change_, types, deletes);
  }
  data_filter_.emplace(ManifestContent::kData, std::move(data));
  delete_filter_.emplace(ManifestContent::kDeletes, std::move(deletes));
  return {};
}

Status SnapshotProducer::WriteNewDeletes(const WriteTarget& target) {
  for (const auto& [spec_id, files] : GroupBySpec(change_.added_deletes, std::nullopt)) {
    ASSIGN_OR_RETURN(Manifests manifests,
                     output_->WriteAdded(target, ManifestContent::kDeletes, spec_id, files));
    std::move(manifests.begin(), manifests.end(), std::back_inserter(new_delete_manifests_));
  }
  return {};
}

Status SnapshotProducer::WriteNewManifests(const WriteTarget& target) {
  if (wrote_new_) return {};
  new_data_manifests_.clear();
  new_delete_manifests_.clear();
  for (const auto& [spec_id, files] :
       GroupBySpec(change_.added_files, change_.data_sequence_number)) {
    ASSIGN_OR_RETURN(Manifests manifests,
                     output_->WriteAdded(target, ManifestContent::kData, spec_id, files));
    std::move(manifests.begin(), manifests.end(), std::back_inserter(new_data_manifests_));
  }
  RETURN_IF_ERROR(WriteNewDeletes(target));
  for (const ManifestFile& manifest : change_.appended_manifests)
    new_data_manifests_.push_back(Own(manifest));
  wrote_new_ = true;
  return {};
}

Status SnapshotProducer::FilterParent(Attempt& attempt) {
  ASSIGN_OR_RETURN(attempt.old_data, data_filter_->Filter(read_, attempt.target, *output_,
                                                          std::move(attempt.old_data)));
  RETURN_IF_ERROR(data_filter_->CheckAllFound(required_data_));
  int64_t min_sequence = attempt.base.last_sequence_number;
  for (const ManifestFile& manifest : attempt.old_data) {
    if (manifest.min_sequence_number != ManifestFile::kUnassignedSequence) {
      min_sequence = std::min(min_sequence, manifest.min_sequence_number);
    }
  }
  std::unordered_set<std::string> removed;
  for (const RemovedFile& file : change_.removed_files) removed.insert(file.file.file_path);
  for (const spec::DataFile& file : data_filter_->removed()) removed.insert(file.file_path);
  delete_filter_->SetObsolete(min_sequence, &removed);
  auto filtered =
      delete_filter_->Filter(read_, attempt.target, *output_, std::move(attempt.old_deletes));
  delete_filter_->SetObsolete(0, nullptr);
  if (!filtered) return Fail(filtered.error());
  attempt.old_deletes = std::move(*filtered);
  RETURN_IF_ERROR(delete_filter_->CheckAllFound(required_deletes_));
  attempt.replaced += data_filter_->rewritten() + delete_filter_->rewritten();
  return {};
}

Status SnapshotProducer::Combine(Attempt& attempt) {
  auto combine = [&](const Manifests& fresh, const Manifests& old,
                     ManifestMerger& merger) -> Status {
    Manifests all = fresh;
    for (const ManifestFile& manifest : old) {
      const bool keep = manifest.has_added_files() || manifest.has_existing_files() ||
                        manifest.added_snapshot_id == output_->snapshot_id();
      if (keep) all.push_back(manifest);
    }
    ASSIGN_OR_RETURN(all, merger.Merge(read_, attempt.target, *output_, std::move(all)));
    attempt.replaced += merger.replaced();
    std::move(all.begin(), all.end(), std::back_inserter(attempt.result));
    return {};
  };
  RETURN_IF_ERROR(combine(new_data_manifests_, attempt.old_data, data_merger_));
  return combine(new_delete_manifests_, attempt.old_deletes, delete_merger_);
}

Status SnapshotProducer::ReplaceManifests(Attempt& attempt) {
  std::set<std::string> replaced;
  int64_t old_files = 0;
  int64_t new_files = 0;
  for (const ManifestFile& manifest : change_.replaced_manifests) {
    replaced.insert(manifest.path);
    old_files += manifest.added_files_count.value_or(0) + manifest.existing_files_count.value_or(0);
  }
  for (const ManifestFile& manifest : change_.added_manifests) {
    new_files += manifest.existing_files_count.value_or(0);
    attempt.result.push_back(Own(manifest));
  }
  for (const Manifests* old : {&attempt.old_data, &attempt.old_deletes}) {
    for (const ManifestFile& manifest : *old) {
      if (replaced.erase(manifest.path) == 0) attempt.result.push_back(manifest);
    }
  }
  if (!replaced.empty()) {
    return Fail(ErrorCode::kConflict,
                fmt::format("Deleted manifest {} could not be found in the latest snapshot {}",
                            *replaced.begin(),
                            attempt.parent == nullptr ? -1 : attempt.parent->snapshot_id),
                "ValidationException");
  }
  if (old_files != new_files) {
    return Fail(ErrorCode::kConflict,
                fmt::format("Replaced and created manifests must have the same number of active "
                            "files: {} (new), {} (old)",
                            new_files, old_files),
                "ValidationException");
  }
  attempt.replaced = static_cast<int64_t>(change_.replaced_manifests.size());
  return {};
}

Status SnapshotProducer::Produce(Attempt& attempt) {
  if (attempt.parent != nullptr) {
    ASSIGN_OR_RETURN(const Manifests* all, lists_.Of(*attempt.parent));
    for (const ManifestFile& manifest : *all) {
      (manifest.content == ManifestContent::kData ? attempt.old_data : attempt.old_deletes)
          .push_back(manifest);
    }
  }
  if (change_.kind == ChangeKind::kRewriteManifests) return ReplaceManifests(attempt);
  const KindRules& rules = RulesOf(change_.kind);
  // New manifests and the parent's do not depend on each other; each is written through to disk.
  RETURN_IF_ERROR(ThreadPool::Shared().ParallelFor(rules.filters ? 2 : 1, [&](size_t task) {
    return task == 0 ? WriteNewManifests(attempt.target) : FilterParent(attempt);
  }));
  if (rules.merges) return Combine(attempt);
  for (const Manifests* part : {&new_data_manifests_, &attempt.old_data, &attempt.old_deletes}) {
    attempt.result.insert(attempt.result.end(), part->begin(), part->end());
  }
  return {};
}

Result<spec::Summary> SnapshotProducer::Summarize(const Attempt& attempt) const {
  SummaryBuilder builder;
  const spec::Schema& schema = attempt.base.schema();
  std::unordered_set<std::string> seen;
  auto add = [&](const spec::DataFile& file) {
    const auto* entry = attempt.types.Find(file.spec_id);
    if (entry != nullptr && seen.insert(RemovalKey(file)).second)
      builder.AddedFile(entry->spec, schema, file);
  };
  for (const spec::DataFile& file : change_.added_files) add(file);
  for (const AddedDeleteFile& added : change_.added_deletes) add(added.file);
  for (const ManifestFile& manifest : change_.appended_manifests)
    builder.AppendedManifest(manifest);
  if (RulesOf(change_.kind).filters) {
    builder.Merge(data_filter_->Summary(attempt.target));
    builder.Merge(delete_filter_->Summary(attempt.target));
  }
  const int64_t added_records = builder.totals()[Counter::kAddedRecords];
  const int64_t deleted_records = builder.totals()[Counter::kDeletedRecords];
  if (OperationOf(change_) == spec::operation::kReplace && added_records > deleted_records) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid REPLACE operation: {} added records > {} replaced records",
                            added_records, deleted_records),
                "IllegalArgumentException");
  }
  ASSIGN_OR_RETURN(const int64_t limit, spec::IntProperty(attempt.base.properties,
                                                          spec::property::kSummaryPartitionLimit));
  spec::Summary summary = builder.Build(limit);
  summary.insert(change_.summary.begin(), change_.summary.end());
  const auto created = std::count_if(attempt.result.begin(), attempt.result.end(),
                                     [&](const ManifestFile& manifest) {
                                       return manifest.added_snapshot_id == output_->snapshot_id();
                                     });
  summary["manifests-created"] = std::to_string(created);
  summary["manifests-kept"] = std::to_string(static_cast<int64_t>(attempt.result.size()) - created);
  summary["manifests-replaced"] = std::to_string(attempt.replaced);
  if (change_.kind == ChangeKind::kRewriteManifests) {
    summary["entries-processed"] = std::to_string(change_.entries_processed);
  }
  AddTotals(attempt.base, change_.branch, summary);
  return summary;
}

Result<spec::Snapshot> SnapshotProducer::WriteSnapshot(Attempt& attempt) {
  const spec::TableMetadata& base = attempt.base;
  spec::Snapshot snapshot;
  snapshot.snapshot_id = output_->snapshot_id();
  if (attempt.parent != nullptr) snapshot.parent_id = attempt.parent->snapshot_id;
  snapshot.sequence_number = base.format_version > 1 ? base.last_sequence_number + 1 : 0;
  // Two changes of a table never share a millisecond, so that order by time is order by commit.
  const int64_t now = clock_.NowMillis();
  const int64_t last = base.last_updated_ms;
  snapshot.timestamp_ms = now <= last && last - now < kMaxClockSkewMs ? last + 1 : now;
  snapshot.operation = OperationOf(change_);
  snapshot.schema_id = base.current_schema_id;
  snapshot.manifest_list = output_->NextListPath(base);
  ASSIGN_OR_RETURN(snapshot.summary, Summarize(attempt));

  table::ManifestListOptions options;
  options.format_version = base.format_version;
  options.snapshot_id = snapshot.snapshot_id;
  options.parent_snapshot_id = snapshot.parent_id;
  options.sequence_number = snapshot.sequence_number;
  if (base.format_version >= 3) options.first_row_id = base.next_row_id;
  ASSIGN_OR_RETURN(auto writer, table::ManifestListWriter::Create(*read_.files,
                                                                  snapshot.manifest_list, options));
  landed_ = {snapshot.manifest_list};
  for (ManifestFile& manifest : attempt.result) {
    landed_.insert(manifest.path);
    RETURN_IF_ERROR(writer->Add(std::move(manifest)));
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> next_row_id, writer->Close());
  if (base.format_version >= 3) {
    snapshot.first_row_id = base.next_row_id;
    snapshot.added_rows = next_row_id.value_or(base.next_row_id) - base.next_row_id;
  }
  return snapshot;
}

Result<std::vector<spec::TableUpdate>> SnapshotProducer::Apply(const spec::TableMetadata& base) {
  const spec::SnapshotRef* ref = base.Ref(change_.branch);
  if (ref != nullptr && !ref->is_branch()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is a tag, not a branch. Tags cannot be targets for producing snapshots",
                    change_.branch),
        "IllegalArgumentException");
  }
  if (output_ == nullptr) RETURN_IF_ERROR(Start(base));
  RETURN_IF_ERROR(CheckDeleteFormats(change_, base.format_version));
  Attempt attempt(base);
  attempt.parent = HeadOf(base, change_.branch);
  const ValidationTarget validation{read_, base, attempt.types, attempt.parent, lists_};
  RETURN_IF_ERROR(ValidateChange(validation, change_));
  RETURN_IF_ERROR(Produce(attempt));
  ASSIGN_OR_RETURN(spec::Snapshot snapshot, WriteSnapshot(attempt));

  spec::SnapshotRef head = ref != nullptr ? *ref : spec::SnapshotRef{};
  head.snapshot_id = snapshot.snapshot_id;
  std::vector<spec::TableUpdate> updates;
  updates.emplace_back(spec::update::AddSnapshot{std::move(snapshot)});
  if (!change_.stage_only) updates.emplace_back(spec::update::SetSnapshotRef{change_.branch, head});
  return updates;
}

void SnapshotProducer::Committed() {
  if (output_ != nullptr) output_->DeleteUnused(landed_);
}

void SnapshotProducer::Abandoned() {
  if (output_ != nullptr) output_->DeleteUnused({});
}

}  // namespace iceblink::commit
