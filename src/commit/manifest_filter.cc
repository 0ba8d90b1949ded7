#include "commit/manifest_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "base/thread_pool.h"
#include "table/manifest_reader.h"

namespace iceblink::commit {

namespace {

bool HasLiveFiles(const spec::ManifestFile& manifest) {
  return manifest.has_added_files() || manifest.has_existing_files();
}

spec::DataFile WithoutMetrics(const spec::DataFile& file) {
  spec::DataFile copy;
  copy.content = file.content;
  copy.format = file.format;
  copy.spec_id = file.spec_id;
  copy.file_path = file.file_path;
  copy.partition = file.partition;
  copy.record_count = file.record_count;
  copy.file_size_in_bytes = file.file_size_in_bytes;
  copy.referenced_data_file = file.referenced_data_file;
  copy.content_offset = file.content_offset;
  copy.content_size_in_bytes = file.content_size_in_bytes;
  return copy;
}

}  // namespace

bool RemovalRules::AnyRemoval() const {
  return !paths.empty() || !files.empty() || !dropped_partitions.empty() ||
         (row_filter && !row_filter->is_false());
}

std::string RemovalKey(const spec::DataFile& file) {
  if (!file.is_dv()) return file.file_path;
  return fmt::format("{}#{}+{}", file.file_path, file.content_offset.value_or(0),
                     file.content_size_in_bytes.value_or(0));
}

ManifestFilter::ManifestFilter(spec::ManifestContent content, RemovalRules rules)
    : content_(content), rules_(std::move(rules)) {}

void ManifestFilter::SetObsolete(int64_t min_sequence_number,
                                 const std::unordered_set<std::string>* removed_data_files) {
  min_sequence_number_ = min_sequence_number;
  removed_data_files_ = removed_data_files;
}

Result<std::vector<spec::ManifestFile>> ManifestFilter::Filter(
    const table::ReadContext& read, const WriteTarget& target, ManifestOutput& output,
    std::vector<spec::ManifestFile> manifests) {
  rewritten_ = 0;
  duplicates_ = 0;
  removed_.clear();
  std::unique_ptr<EntryMatcher> matcher;
  if (rules_.row_filter && !rules_.row_filter->is_false()) {
    ASSIGN_OR_RETURN(matcher, EntryMatcher::Make(*rules_.row_filter, target.metadata->schema(),
                                                 *target.types, rules_.case_sensitive));
  }
  Run run{read, target, output, matcher.get(), false};
  const bool only_files =
      rules_.paths.empty() && rules_.dropped_partitions.empty() && matcher == nullptr;
  if (only_files && rules_.every_manifest_known && !rules_.manifests.empty()) {
    const auto known = std::count_if(manifests.begin(), manifests.end(), [&](const auto& m) {
      return rules_.manifests.contains(m.path);
    });
    run.trust_known_manifests = static_cast<size_t>(known) == rules_.manifests.size();
  }

  std::vector<Outcome> outcomes(manifests.size());
  RETURN_IF_ERROR(ThreadPool::Shared().ParallelFor(manifests.size(), [&](size_t i) -> Status {
    auto found = done_.find(manifests[i].path);
    if (found != done_.end()) {
      outcomes[i] = found->second;
      return {};
    }
    ASSIGN_OR_RETURN(outcomes[i], FilterOne(run, manifests[i]));
    return {};
  }));
  for (size_t i = 0; i < manifests.size(); i++) {
    if (outcomes[i].rewritten) {
      rewritten_++;
      duplicates_ += outcomes[i].duplicates;
      removed_.insert(removed_.end(), outcomes[i].removed.begin(), outcomes[i].removed.end());
      done_.emplace(manifests[i].path, outcomes[i]);
    }
    manifests[i] = std::move(outcomes[i].manifest);
  }
  return manifests;
}

Result<bool> ManifestFilter::MayHoldRemoved(const Run& run,
                                            const spec::ManifestFile& manifest) const {
  if (!HasLiveFiles(manifest)) return false;
  if (run.trust_known_manifests) return rules_.manifests.contains(manifest.path);
  if (!rules_.paths.empty()) return true;
  if (!rules_.files.empty()) {
    if (rules_.file_partitions.MayBeIn(manifest, *run.target.types)) return true;
  } else if (removed_data_files_ != nullptr && !removed_data_files_->empty()) {
    return true;
  }
  if (!rules_.dropped_partitions.empty() &&
      rules_.dropped_partitions.MayBeIn(manifest, *run.target.types))
    return true;
  return run.matcher == nullptr ? Result<bool>(false) : run.matcher->ManifestMayMatch(manifest);
}

bool ManifestFilter::IsMarked(const spec::ManifestEntry& entry) const {
  const spec::DataFile& file = entry.data_file;
  if (rules_.paths.contains(file.file_path)) return true;
  if (!rules_.files.empty() && rules_.files.contains(RemovalKey(file))) return true;
  if (!rules_.dropped_partitions.empty() &&
      rules_.dropped_partitions.Contains(file.spec_id, file.partition))
    return true;
  if (content_ == spec::ManifestContent::kData) return false;
  const int64_t sequence = entry.sequence_number.value_or(0);
  if (sequence > 0 && sequence < min_sequence_number_) return true;
  return removed_data_files_ != nullptr && file.is_dv() && file.referenced_data_file &&
         removed_data_files_->contains(*file.referenced_data_file);
}

Result<bool> ManifestFilter::IsRemoved(const Run& run, const spec::ManifestEntry& entry) const {
  const spec::DataFile& file = entry.data_file;
  bool removed = IsMarked(entry);
  if (!removed && run.matcher != nullptr) {
    ASSIGN_OR_RETURN(const bool may, run.matcher->MayMatch(file));
    if (!may) return false;
    ASSIGN_OR_RETURN(removed, run.matcher->MustMatch(file));
    if (!removed && content_ == spec::ManifestContent::kData) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("Cannot delete file where some, but not all, rows match filter {}: {}",
                      rules_.row_filter->ToString(), file.file_path),
          "ValidationException");
    }
  }
  if (removed && rules_.fail_any) {
    const auto* entry_spec = run.target.types->Find(file.spec_id);
    return Fail(ErrorCode::kConflict,
                fmt::format("Cannot commit file that conflicts with existing partition: {}",
                            spec::PartitionPath(entry_spec->spec, run.target.metadata->schema(),
                                                file.partition)),
                "ValidationException");
  }
  return removed;
}

Result<std::vector<int64_t>> ManifestFilter::FindRemoved(const Run& run,
                                                         const spec::ManifestFile& manifest) const {
  table::ManifestReadOptions options;
  options.live_only = true;
  options.split_offsets = false;
  options.stats = run.matcher == nullptr ? table::StatsSelection::None()
                                         : table::StatsSelection::Of(run.matcher->field_ids());
  std::vector<int64_t> ordinals;
  int64_t ordinal = 0;
  RETURN_IF_ERROR(table::ForEachEntry(run.read, manifest, *run.target.types, options,
                                      [&](const spec::ManifestEntry& entry) -> Status {
                                        ASSIGN_OR_RETURN(const bool removed, IsRemoved(run, entry));
                                        if (removed) ordinals.push_back(ordinal);
                                        ordinal++;
                                        return {};
                                      }));
  return ordinals;
}

Result<ManifestFilter::Outcome> ManifestFilter::Rewrite(
    const Run& run, const spec::ManifestFile& manifest,
    const std::vector<int64_t>& ordinals) const {
  ASSIGN_OR_RETURN(auto writer, run.output.Open(run.target, content_, manifest.spec_id));
  table::ManifestReadOptions options;
  options.live_only = true;
  Outcome outcome;
  outcome.rewritten = true;
  std::unordered_set<std::string> seen;
  int64_t ordinal = 0;
  auto next = ordinals.begin();
  auto copy = [&](const spec::ManifestEntry& entry) -> Status {
    const bool removed = next != ordinals.end() && *next == ordinal;
    ordinal++;
    const int64_t sequence = entry.sequence_number.value_or(0);
    if (!removed) {
      return writer->AddExisting(entry.data_file,
                                 entry.snapshot_id.value_or(manifest.added_snapshot_id), sequence,
                                 entry.file_sequence_number);
    }
    ++next;
    if (seen.insert(RemovalKey(entry.data_file)).second) {
      outcome.removed.push_back(WithoutMetrics(entry.data_file));
    } else {
      outcome.duplicates++;
      LogWarn(fmt::format("Deleting a duplicate path from manifest {}: {}", manifest.path,
                          entry.data_file.file_path));
    }
    return writer->AddDeleted(entry.data_file, sequence, entry.file_sequence_number);
  };
  RETURN_IF_ERROR(table::ForEachEntry(run.read, manifest, *run.target.types, options, copy));
  ASSIGN_OR_RETURN(outcome.manifest, run.output.Close(*writer));
  return outcome;
}

Result<ManifestFilter::Outcome> ManifestFilter::FilterOne(
    const Run& run, const spec::ManifestFile& manifest) const {
  ASSIGN_OR_RETURN(const bool open, MayHoldRemoved(run, manifest));
  if (open) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> ordinals, FindRemoved(run, manifest));
    if (!ordinals.empty()) return Rewrite(run, manifest, ordinals);
  }
  Outcome unchanged;
  unchanged.manifest = manifest;
  return unchanged;
}

SummaryBuilder ManifestFilter::Summary(const WriteTarget& target) const {
  SummaryBuilder summary;
  for (const spec::DataFile& file : removed_) {
    if (const auto* entry = target.types->Find(file.spec_id)) {
      summary.RemovedFile(entry->spec, target.metadata->schema(), file);
    }
  }
  summary.DuplicateDeletes(duplicates_);
  return summary;
}

Status ManifestFilter::CheckAllFound(const std::vector<std::string>& wanted_paths) const {
  std::unordered_set<std::string> found;
  for (const spec::DataFile& file : removed_) {
    found.insert(RemovalKey(file));
    found.insert(file.file_path);
  }
  std::vector<std::string> missing;
  for (const std::string& key : wanted_paths) {
    if (!found.contains(key)) missing.push_back(key.substr(0, key.find('#')));
  }
  if (missing.empty()) return {};
  return Fail(ErrorCode::kConflict, "Missing required files to delete: " + Join(missing, ","),
              "ValidationException");
}

}  // namespace iceblink::commit
