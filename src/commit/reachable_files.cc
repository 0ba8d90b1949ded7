#include "commit/reachable_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/log.h"
#include "spec/properties.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/partition_types.h"

namespace iceblink::commit {

namespace {

using table::ReachableFile;
using table::ReachableKind;

constexpr size_t kDeleteBatch = 1000;

ReachableKind KindOf(spec::DataFileContent content) {
  switch (content) {
    case spec::DataFileContent::kData:
      return ReachableKind::kDataFile;
    case spec::DataFileContent::kPositionDeletes:
      return ReachableKind::kPositionDeletes;
    case spec::DataFileContent::kEqualityDeletes:
      return ReachableKind::kEqualityDeletes;
  }
  return ReachableKind::kDataFile;
}

// Snapshots of `metadata` whose ids are (or are not) in `other`.
std::vector<const spec::Snapshot*> Select(const spec::TableMetadata& metadata,
                                          const spec::TableMetadata& other, bool in_other) {
  std::unordered_set<int64_t> ids;
  for (const spec::Snapshot& snapshot : other.snapshots) ids.insert(snapshot.snapshot_id);
  std::vector<const spec::Snapshot*> selected;
  for (const spec::Snapshot& snapshot : metadata.snapshots) {
    if (ids.contains(snapshot.snapshot_id) == in_other) selected.push_back(&snapshot);
  }
  return selected;
}

Status ForEachLiveFile(const table::ReadContext& context, const spec::ManifestFile& manifest,
                       const table::PartitionTypes& types,
                       const std::function<Status(const spec::DataFile&)>& visit) {
  table::ManifestReadOptions options;
  options.stats = table::StatsSelection::None();
  options.live_only = true;
  options.split_offsets = false;
  return table::ForEachEntry(
      context, manifest, types, options,
      [&](const spec::ManifestEntry& entry) { return visit(entry.data_file); });
}

// Statistics files of `before` that `after` does not name.
Status VisitStatistics(const spec::TableMetadata& before, const spec::TableMetadata& after,
                       const FileVisitor& visit) {
  std::set<std::string> kept;
  for (const auto& file : after.statistics) kept.insert(file.path);
  for (const auto& file : after.partition_statistics) kept.insert(file.path);
  for (const auto& file : before.statistics) {
    if (kept.insert(file.path).second)
      RETURN_IF_ERROR(visit({ReachableKind::kStatistics, file.path}));
  }
  for (const auto& file : before.partition_statistics) {
    if (kept.insert(file.path).second)
      RETURN_IF_ERROR(visit({ReachableKind::kPartitionStatistics, file.path}));
  }
  return {};
}

}  // namespace

void FileCounts::Add(ReachableKind kind) {
  switch (kind) {
    case ReachableKind::kManifestList:
      manifest_lists++;
      break;
    case ReachableKind::kManifest:
      manifests++;
      break;
    case ReachableKind::kDataFile:
      data_files++;
      break;
    case ReachableKind::kPositionDeletes:
      position_delete_files++;
      break;
    case ReachableKind::kEqualityDeletes:
      equality_delete_files++;
      break;
    case ReachableKind::kStatistics:
    case ReachableKind::kPartitionStatistics:
      statistics_files++;
      break;
    case ReachableKind::kMetadata:
      metadata_files++;
      break;
  }
}

Status CheckGcEnabled(const spec::TableMetadata& metadata, std::string_view action) {
  if (spec::BoolProperty(metadata.properties, spec::property::kGcEnabled)) return {};
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("Cannot {}: GC is disabled (deleting files may corrupt other tables)", action),
      "ValidationException");
}

Status VisitFilesOfRemovedSnapshots(const table::ReadContext& context,
                                    const spec::TableMetadata& before,
                                    const spec::TableMetadata& after, const FileVisitor& visit) {
  const table::PartitionTypes types(before);
  const auto removed = Select(before, after, false);
  if (removed.empty()) return VisitStatistics(before, after, visit);

  std::map<std::string, spec::ManifestFile>
      candidates;  // manifests that only removed snapshots list, as yet
  for (const spec::Snapshot* snapshot : removed) {
    RETURN_IF_ERROR(
        table::ForEachManifest(context, *snapshot, [&](spec::ManifestFile&& manifest) -> Status {
          candidates.try_emplace(manifest.path, std::move(manifest));
          return {};
        }));
  }
  std::map<std::string, spec::ManifestFile> kept;
  for (const spec::Snapshot* snapshot : Select(before, after, true)) {
    RETURN_IF_ERROR(
        table::ForEachManifest(context, *snapshot, [&](spec::ManifestFile&& manifest) -> Status {
          candidates.erase(manifest.path);
          kept.try_emplace(manifest.path, std::move(manifest));
          return {};
        }));
  }

  std::unordered_map<std::string, ReachableKind> files;
  for (const auto& [path, manifest] : candidates) {
    RETURN_IF_ERROR(
        ForEachLiveFile(context, manifest, types, [&](const spec::DataFile& file) -> Status {
          files.try_emplace(file.file_path, KindOf(file.content));
          return {};
        }));
  }
  for (auto it = kept.begin(); it != kept.end() && !files.empty(); ++it) {
    RETURN_IF_ERROR(
        ForEachLiveFile(context, it->second, types, [&](const spec::DataFile& file) -> Status {
          files.erase(file.file_path);
          return {};
        }));
  }
  for (const auto& [path, kind] : files) RETURN_IF_ERROR(visit({kind, path}));
  for (const auto& [path, manifest] : candidates)
    RETURN_IF_ERROR(visit({ReachableKind::kManifest, path}));
  for (const spec::Snapshot* snapshot : removed) {
    if (!snapshot->manifest_list.empty()) {
      RETURN_IF_ERROR(visit({ReachableKind::kManifestList, snapshot->manifest_list}));
    }
  }
  return VisitStatistics(before, after, visit);
}

Result<FileCounts> PurgeTable(io::FileSystem& files, const spec::TableMetadata& metadata) {
  RETURN_IF_ERROR(CheckGcEnabled(metadata, "purge table"));
  const table::ReadContext context{&files, nullptr};
  std::vector<const spec::Snapshot*> snapshots;
  for (const spec::Snapshot& snapshot : metadata.snapshots) snapshots.push_back(&snapshot);
  FileCounts counts;
  std::unordered_set<std::string> seen;
  std::vector<std::string> batch;
  std::vector<std::string> metadata_files;  // read while content files are found, so deleted last
  auto flush = [&] {
    files.DeleteMany(batch, [](const std::string& path, const Error& error) {
      LogWarn(fmt::format("Cannot delete {}: {}", path, error.message));
    });
    batch.clear();
  };
  table::ReachabilityOptions options;
  options.live_only = false;
  options.metadata_files = true;
  RETURN_IF_ERROR(table::ForEachReachableFile(
      context, metadata, snapshots, options, [&](const ReachableFile& file) -> Status {
        if (!seen.insert(file.path).second) return {};
        counts.Add(file.kind);
        const bool content = file.kind == ReachableKind::kDataFile ||
                             file.kind == ReachableKind::kPositionDeletes ||
                             file.kind == ReachableKind::kEqualityDeletes;
        (content ? batch : metadata_files).push_back(file.path);
        if (batch.size() >= kDeleteBatch) flush();
        return {};
      }));
  flush();
  batch = std::move(metadata_files);
  flush();
  return counts;
}

}  // namespace iceblink::commit
