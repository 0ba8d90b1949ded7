#include "commit/summary.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace iceblink::commit {

namespace {

struct CounterDef {
  const char* key;
  bool needs_trust;
};

constexpr std::array<CounterDef, static_cast<size_t>(Counter::kCount)> kCounters = {{
    {"added-data-files", false},
    {"deleted-data-files", false},
    {"added-equality-delete-files", false},
    {"removed-equality-delete-files", false},
    {"added-position-delete-files", false},
    {"removed-position-delete-files", false},
    {"added-dvs", false},
    {"removed-dvs", false},
    {"added-delete-files", false},
    {"removed-delete-files", false},
    {"added-records", false},
    {"deleted-records", false},
    {"added-files-size", true},
    {"removed-files-size", true},
    {"added-position-deletes", true},
    {"removed-position-deletes", true},
    {"added-equality-deletes", true},
    {"removed-equality-deletes", true},
}};

struct TotalDef {
  const char* total;
  const char* added;
  const char* removed;
};

constexpr TotalDef kTotals[] = {
    {"total-records", "added-records", "deleted-records"},
    {"total-files-size", "added-files-size", "removed-files-size"},
    {"total-data-files", "added-data-files", "deleted-data-files"},
    {"total-delete-files", "added-delete-files", "removed-delete-files"},
    {"total-position-deletes", "added-position-deletes", "removed-position-deletes"},
    {"total-equality-deletes", "added-equality-deletes", "removed-equality-deletes"},
};

// The counter for removals stands after its counter for additions.
Counter Of(Counter added_counter, bool added) {
  return added ? added_counter : static_cast<Counter>(static_cast<uint8_t>(added_counter) + 1);
}

int64_t NumberOr(const spec::Summary& summary, const char* key, int64_t fallback) {
  auto it = summary.find(key);
  if (it == summary.end()) return fallback;
  return ParseInt64(it->second).value_or(fallback);
}

std::string PartitionText(const CounterSet& counters) {
  std::string text;
  counters.ForEachShown([&](const char* key, int64_t value) {
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : ",", key, value);
  });
  return text;
}

}  // namespace

template <typename Visit>
void CounterSet::ForEachShown(Visit visit) const {
  for (size_t i = 0; i < kCounters.size(); i++) {
    if (values[i] > 0 && (trust_sizes || !kCounters[i].needs_trust))
      visit(kCounters[i].key, values[i]);
  }
}

void CounterSet::CountFile(const spec::DataFile& file, bool added) {
  CounterSet& self = *this;
  const int64_t size = file.is_dv() ? file.content_size_in_bytes.value_or(file.file_size_in_bytes)
                                    : file.file_size_in_bytes;
  self[Of(Counter::kAddedFilesSize, added)] += size;
  switch (file.content) {
    case spec::DataFileContent::kData:
      self[Of(Counter::kAddedDataFiles, added)] += 1;
      self[Of(Counter::kAddedRecords, added)] += file.record_count;
      break;
    case spec::DataFileContent::kPositionDeletes:
      self[Of(Counter::kAddedDeleteFiles, added)] += 1;
      self[Of(file.is_dv() ? Counter::kAddedDvs : Counter::kAddedPositionDeleteFiles, added)] += 1;
      self[Of(Counter::kAddedPositionDeletes, added)] += file.record_count;
      break;
    case spec::DataFileContent::kEqualityDeletes:
      self[Of(Counter::kAddedDeleteFiles, added)] += 1;
      self[Of(Counter::kAddedEqualityDeleteFiles, added)] += 1;
      self[Of(Counter::kAddedEqualityDeletes, added)] += file.record_count;
      break;
  }
}

void CounterSet::Merge(const CounterSet& other) {
  for (size_t i = 0; i < values.size(); i++) values[i] += other.values[i];
  trust_sizes = trust_sizes && other.trust_sizes;
}

void SummaryBuilder::Count(const spec::PartitionSpec& spec, const spec::Schema& schema,
                           const spec::DataFile& file, bool added) {
  counters_.CountFile(file, added);
  if (!trust_partitions_) return;
  partitions_[spec.fields.empty() ? std::string()
                                  : spec::PartitionPath(spec, schema, file.partition)]
      .CountFile(file, added);
}

void SummaryBuilder::AddedFile(const spec::PartitionSpec& spec, const spec::Schema& schema,
                               const spec::DataFile& file) {
  Count(spec, schema, file, true);
}

void SummaryBuilder::RemovedFile(const spec::PartitionSpec& spec, const spec::Schema& schema,
                                 const spec::DataFile& file) {
  Count(spec, schema, file, false);
}

void SummaryBuilder::AppendedManifest(const spec::ManifestFile& manifest) {
  trust_partitions_ = false;
  partitions_.clear();
  if (manifest.content == spec::ManifestContent::kData) {
    counters_[Counter::kAddedDataFiles] += manifest.added_files_count.value_or(0);
    counters_[Counter::kAddedRecords] += manifest.added_rows_count.value_or(0);
    counters_[Counter::kDeletedDataFiles] += manifest.deleted_files_count.value_or(0);
    counters_[Counter::kDeletedRecords] += manifest.deleted_rows_count.value_or(0);
  } else {
    counters_[Counter::kAddedDeleteFiles] += manifest.added_files_count.value_or(0);
    counters_[Counter::kRemovedDeleteFiles] += manifest.deleted_files_count.value_or(0);
    counters_.trust_sizes = false;
  }
}

void SummaryBuilder::Merge(const SummaryBuilder& other) {
  counters_.Merge(other.counters_);
  duplicates_ += other.duplicates_;
  trust_partitions_ = trust_partitions_ && other.trust_partitions_;
  if (!trust_partitions_) {
    partitions_.clear();
    return;
  }
  for (const auto& [path, counters] : other.partitions_) partitions_[path].Merge(counters);
}

spec::Summary SummaryBuilder::Build(int64_t partition_limit) const {
  spec::Summary summary;
  counters_.ForEachShown(
      [&](const char* key, int64_t value) { summary[key] = std::to_string(value); });
  if (duplicates_ > 0) summary["deleted-duplicate-files"] = std::to_string(duplicates_);
  if (!trust_partitions_) return summary;
  summary["changed-partition-count"] = std::to_string(partitions_.size());
  if (partitions_.empty() || static_cast<int64_t>(partitions_.size()) > partition_limit)
    return summary;
  summary["partition-summaries-included"] = "true";
  for (const auto& [path, counters] : partitions_) {
    if (!path.empty()) summary["partitions." + path] = PartitionText(counters);
  }
  return summary;
}

void AddTotals(const spec::TableMetadata& base, const std::string& branch, spec::Summary& summary) {
  const spec::Snapshot* head = base.SnapshotOfRef(branch);
  for (const TotalDef& def : kTotals) {
    int64_t total = 0;
    if (head != nullptr) {
      auto it = head->summary.find(def.total);
      if (it == head->summary.end()) continue;
      std::optional<int64_t> previous = ParseInt64(it->second);
      if (!previous) continue;
      total = *previous;
    }
    total += NumberOr(summary, def.added, 0) - NumberOr(summary, def.removed, 0);
    if (total >= 0) summary[def.total] = std::to_string(total);
  }
}

}  // namespace iceblink::commit
