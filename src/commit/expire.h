// Snapshot expiry: which snapshots and refs go (a value), the commit that removes them, and the
// files that nothing reaches afterwards.
//
// Files are found by difference: manifests that only removed snapshots list, minus content files
// that a kept manifest still lists. Memory holds the candidates, never the table. Deletion failures
// are logged; the files become orphans.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "commit/reachable_files.h"
#include "commit/transaction.h"

namespace iceblink::commit {

struct ExpireOptions {
  std::optional<int64_t> older_than_ms;  // absent: now - history.expire.max-snapshot-age-ms
  std::optional<int32_t> retain_last;    // absent: history.expire.min-snapshots-to-keep
  std::vector<int64_t> snapshot_ids;     // go whatever their age
  bool clean_expired_metadata = false;   // also specs and schemas that nothing uses
  // Deletes the files; absent: the catalog's file system does. Receives batches.
  std::function<void(const std::vector<std::string>&)> delete_files;
  const Clock* clock = &SystemClock();
};

struct ExpirePlan {
  std::vector<int64_t> snapshot_ids;
  std::vector<std::string> refs;
  std::vector<int32_t> spec_ids;
  std::vector<int32_t> schema_ids;
  bool empty() const {
    return snapshot_ids.empty() && refs.empty() && spec_ids.empty() && schema_ids.empty();
  }
};

// Returns what expires at `now_ms`. `files` is read only for clean_expired_metadata.
// Errors: ValidationException "Cannot expire snapshots: GC is disabled ...",
// IllegalArgumentException "Number of snapshots to retain must be at least 1, cannot be: %s",
// "Cannot expire %s. Still referenced by refs: %s".
Result<ExpirePlan> PlanExpiry(io::FileSystem& files, const spec::TableMetadata& metadata,
                              const ExpireOptions& options, int64_t now_ms);

struct ExpireResult {
  FileCounts deleted;
  ExpirePlan plan;
  CommitOutcome outcome;
};

// Plans, commits and deletes.
Result<ExpireResult> ExpireSnapshots(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                     const ExpireOptions& options);

}  // namespace iceblink::commit
