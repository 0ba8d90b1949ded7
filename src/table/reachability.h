// Every file that snapshots of a table refer to: what expiring snapshots may delete and what orphan
// removal must keep. Streaming: paths go to a callback; what is held are the paths of the manifests
// already seen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"

namespace iceblink::table {

enum class ReachableKind : uint8_t {
  kManifestList,
  kManifest,
  kDataFile,
  kPositionDeletes,  // deletion vectors too
  kEqualityDeletes,
  kStatistics,
  kPartitionStatistics,
  kMetadata,  // metadata JSON of the log and the current one
};

struct ReachableFile {
  ReachableKind kind = ReachableKind::kDataFile;
  std::string path;
};

struct ReachabilityOptions {
  bool content_files = true;    // open manifests; otherwise manifest lists and manifests only
  bool live_only = true;        // entries that are not deleted
  bool metadata_files = false;  // metadata JSON and statistics files too
};

// Calls `visit` for each file of the given snapshots; a content file that several manifests list
// comes several times. Calls come from several threads, one at a time. An error of `visit` stops
// and is returned.
Status ForEachReachableFile(const ReadContext& context, const spec::TableMetadata& metadata,
                            std::span<const spec::Snapshot* const> snapshots,
                            const ReachabilityOptions& options,
                            const std::function<Status(const ReachableFile&)>& visit);

}  // namespace iceblink::table
