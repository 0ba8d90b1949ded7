#include "table/reachability.h"

#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/thread_pool.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"

namespace iceblink::table {
namespace {

using spec::ManifestFile;

class Walk {
 public:
  Walk(const ReadContext& context, const spec::TableMetadata& metadata,
       const ReachabilityOptions& options, const std::function<Status(const ReachableFile&)>& visit)
      : context_(context),
        metadata_(metadata),
        types_(metadata),
        options_(options),
        visit_(visit) {}

  Status VisitSnapshot(const spec::Snapshot& snapshot) {
    if (!snapshot.manifest_list.empty()) {
      RETURN_IF_ERROR(Visit(ReachableKind::kManifestList, snapshot.manifest_list));
    }
    std::vector<ManifestFile> fresh;
    RETURN_IF_ERROR(ForEachManifest(context_, snapshot, [&](ManifestFile&& m) -> Status {
      if (!seen_.insert(m.path).second) return {};
      RETURN_IF_ERROR(Visit(ReachableKind::kManifest, m.path));
      m.partitions.reset();
      if (options_.content_files) fresh.push_back(std::move(m));
      return {};
    }));
    return ThreadPool::Shared().ParallelFor(fresh.size(),
                                            [&](size_t i) { return VisitManifest(fresh[i]); });
  }

  Status VisitMetadataFiles() {
    for (const spec::MetadataLogEntry& entry : metadata_.metadata_log) {
      RETURN_IF_ERROR(Visit(ReachableKind::kMetadata, entry.metadata_file));
    }
    if (!metadata_.metadata_file_location.empty()) {
      RETURN_IF_ERROR(Visit(ReachableKind::kMetadata, metadata_.metadata_file_location));
    }
    for (const spec::StatisticsFile& file : metadata_.statistics) {
      RETURN_IF_ERROR(Visit(ReachableKind::kStatistics, file.path));
    }
    for (const spec::PartitionStatisticsFile& file : metadata_.partition_statistics) {
      RETURN_IF_ERROR(Visit(ReachableKind::kPartitionStatistics, file.path));
    }
    return {};
  }

 private:
  Status VisitManifest(const ManifestFile& manifest) {
    ManifestReadOptions options;
    options.stats = StatsSelection::None();
    options.split_offsets = false;
    options.live_only = options_.live_only;
    return ForEachEntry(context_, manifest, types_, options, [&](const spec::ManifestEntry& entry) {
      static constexpr ReachableKind kKinds[] = {ReachableKind::kDataFile,
                                                 ReachableKind::kPositionDeletes,
                                                 ReachableKind::kEqualityDeletes};
      return Visit(kKinds[static_cast<size_t>(entry.data_file.content)], entry.data_file.file_path);
    });
  }

  Status Visit(ReachableKind kind, const std::string& path) {
    std::lock_guard lock(mutex_);
    return visit_({kind, path});
  }

  const ReadContext& context_;
  const spec::TableMetadata& metadata_;
  PartitionTypes types_;
  const ReachabilityOptions& options_;
  const std::function<Status(const ReachableFile&)>& visit_;
  std::unordered_set<std::string> seen_;
  std::mutex mutex_;
};

}  // namespace

Status ForEachReachableFile(const ReadContext& context, const spec::TableMetadata& metadata,
                            std::span<const spec::Snapshot* const> snapshots,
                            const ReachabilityOptions& options,
                            const std::function<Status(const ReachableFile&)>& visit) {
  Walk walk(context, metadata, options, visit);
  for (const spec::Snapshot* snapshot : snapshots) RETURN_IF_ERROR(walk.VisitSnapshot(*snapshot));
  if (options.metadata_files) RETURN_IF_ERROR(walk.VisitMetadataFiles());
  return {};
}

}  // namespace iceblink::table
