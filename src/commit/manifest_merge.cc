#include "commit/manifest_merge.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "spec/properties.h"
#include "table/manifest_reader.h"

namespace iceblink::commit {

namespace {

std::vector<std::string> PathsOf(const std::vector<spec::ManifestFile>& bin) {
  std::vector<std::string> paths;
  paths.reserve(bin.size());
  for (const spec::ManifestFile& manifest : bin) paths.push_back(manifest.path);
  return paths;
}

// Deletes of older snapshots are dropped, adds of this one stay adds, the rest becomes existing.
Status CopyMerged(const spec::ManifestEntry& entry, const spec::ManifestFile& manifest,
                  int64_t snapshot_id, table::ManifestWriter& writer) {
  const int64_t entry_snapshot = entry.snapshot_id.value_or(manifest.added_snapshot_id);
  const int64_t sequence = entry.sequence_number.value_or(0);
  switch (entry.status) {
    case spec::EntryStatus::kDeleted:
      if (entry_snapshot != snapshot_id) return {};
      return writer.AddDeleted(entry.data_file, sequence, entry.file_sequence_number);
    case spec::EntryStatus::kAdded:
      if (entry_snapshot == snapshot_id) {
        // The new snapshot's own number is not known yet and stays inherited.
        const bool inherited = !entry.sequence_number || *entry.sequence_number < 0;
        return writer.AddAdded(entry.data_file, inherited ? std::nullopt : entry.sequence_number);
      }
      break;
    case spec::EntryStatus::kExisting:
      break;
  }
  return writer.AddExisting(entry.data_file, entry_snapshot, sequence, entry.file_sequence_number);
}

}  // namespace

std::vector<std::vector<size_t>> PackFromEnd(size_t count, int64_t target,
                                             const std::function<int64_t(size_t)>& weight) {
  std::vector<std::vector<size_t>> bins;
  int64_t filled = 0;
  for (size_t i = count; i-- > 0;) {
    const int64_t w = weight(i);
    if (bins.empty() || filled + w > target) {
      bins.emplace_back();
      filled = 0;
    }
    bins.back().push_back(i);
    filled += w;
  }
  for (auto& bin : bins) std::reverse(bin.begin(), bin.end());
  std::reverse(bins.begin(), bins.end());
  return bins;
}

Result<ManifestMerger::Merged> ManifestMerger::MergeBin(const table::ReadContext& read,
                                                        const WriteTarget& target,
                                                        ManifestOutput& output,
                                                        const Bin& bin) const {
  ASSIGN_OR_RETURN(auto writer, output.Open(target, content_, bin.front().spec_id));
  Merged merged;
  for (const spec::ManifestFile& manifest : bin) {
    RETURN_IF_ERROR(table::ForEachEntry(
        read, manifest, *target.types, {}, [&](const spec::ManifestEntry& entry) {
          return CopyMerged(entry, manifest, output.snapshot_id(), *writer);
        }));
    if (manifest.added_snapshot_id != output.snapshot_id()) merged.replaced++;
  }
  ASSIGN_OR_RETURN(merged.manifest, output.Close(*writer));
  return merged;
}

Result<std::vector<spec::ManifestFile>> ManifestMerger::Merge(
    const table::ReadContext& read, const WriteTarget& target, ManifestOutput& output,
    std::vector<spec::ManifestFile> manifests) {
  replaced_ = 0;
  const spec::Properties& properties = target.metadata->properties;
  if (manifests.empty() || !spec::BoolProperty(properties, spec::property::kManifestMergeEnabled))
    return manifests;
  ASSIGN_OR_RETURN(const int64_t target_size, ManifestTargetSize(*target.metadata));
  ASSIGN_OR_RETURN(const int64_t min_count,
                   spec::IntProperty(properties, spec::property::kManifestMinMergeCount));
  const std::string newest = manifests.front().path;

  std::map<int32_t, Bin, std::greater<>> groups;
  for (spec::ManifestFile& manifest : manifests)
    groups[manifest.spec_id].push_back(std::move(manifest));
  std::vector<Bin> bins;
  std::vector<bool> merge;
  for (auto& [spec_id, group] : groups) {
    for (const std::vector<size_t>& packed :
         PackFromEnd(group.size(), target_size, [&](size_t i) { return group[i].length; })) {
      Bin& bin = bins.emplace_back();
      for (size_t i : packed) bin.push_back(std::move(group[i]));
      const bool has_newest =
          std::any_of(bin.begin(), bin.end(), [&](const auto& m) { return m.path == newest; });
      merge.push_back(bin.size() > 1 &&
                      !(has_newest && static_cast<int64_t>(bin.size()) < min_count));
    }
  }

  std::vector<Merged> results(bins.size());
  RETURN_IF_ERROR(ThreadPool::Shared().ParallelFor(bins.size(), [&](size_t i) -> Status {
    if (!merge[i]) return {};
    auto found = done_.find(PathsOf(bins[i]));
    if (found != done_.end()) {
      results[i] = found->second;
      return {};
    }
    ASSIGN_OR_RETURN(results[i], MergeBin(read, target, output, bins[i]));
    return {};
  }));
  std::vector<spec::ManifestFile> out;
  for (size_t i = 0; i < bins.size(); i++) {
    if (!merge[i]) {
      std::move(bins[i].begin(), bins[i].end(), std::back_inserter(out));
      continue;
    }
    replaced_ += results[i].replaced;
    out.push_back(results[i].manifest);
    done_.emplace(PathsOf(bins[i]), std::move(results[i]));
  }
  return out;
}

}  // namespace iceblink::commit
