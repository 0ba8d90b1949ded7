// Which files a table's metadata no longer reaches after an expiry, or ever reached: what may be
// deleted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/file_system.h"
#include "spec/table_metadata.h"
#include "table/reachability.h"

namespace iceblink::commit {

struct FileCounts {
  int64_t data_files = 0;
  int64_t position_delete_files = 0;
  int64_t equality_delete_files = 0;
  int64_t manifests = 0;
  int64_t manifest_lists = 0;
  int64_t statistics_files = 0;
  int64_t metadata_files = 0;

  void Add(table::ReachableKind kind);
  friend bool operator==(const FileCounts&, const FileCounts&) = default;
};

using FileVisitor = std::function<Status(const table::ReachableFile&)>;

// Visits every file that only the snapshots missing from `after` reach: content files, manifests,
// manifest lists and statistics, each path once. Memory holds the candidates, never the table.
Status VisitFilesOfRemovedSnapshots(const table::ReadContext& context,
                                    const spec::TableMetadata& before,
                                    const spec::TableMetadata& after, const FileVisitor& visit);

// Deletes every reachable file of a dropped table (DROP TABLE ... PURGE), metadata files last.
// Failures are logged. Error: ValidationException "Cannot purge table: GC is disabled (deleting
// files may corrupt other tables)".
Result<FileCounts> PurgeTable(io::FileSystem& files, const spec::TableMetadata& metadata);

// Error: ValidationException "Cannot %s: GC is disabled (deleting files may corrupt other tables)"
// unless gc.enabled.
Status CheckGcEnabled(const spec::TableMetadata& metadata, std::string_view action);

}  // namespace iceblink::commit
