// Conflict checks: does what landed since a change's starting snapshot contradict what the change
// assumed?
//
// The history window is the ancestors of the branch's head after the starting snapshot. Only
// manifests that those snapshots created, by operations that can conflict, are read; without a
// concurrent commit nothing is. Filters are applied by partition and metrics, so conflicts may be
// over-reported, never missed.
#pragma once

#include <map>
#include <vector>

#include "commit/snapshot_change.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"
#include "table/partition_types.h"

namespace iceblink::commit {

// Manifest lists of snapshots by id; they never change, so attempts share them. Not for several
// threads.
class ManifestLists {
 public:
  explicit ManifestLists(const table::ReadContext& read) : read_(read) {}
  Result<const std::vector<spec::ManifestFile>*> Of(const spec::Snapshot& snapshot);

 private:
  table::ReadContext read_;
  std::map<int64_t, std::vector<spec::ManifestFile>> lists_;
};

struct ValidationTarget {
  const table::ReadContext& read;
  const spec::TableMetadata& base;
  const table::PartitionTypes& types;
  const spec::Snapshot* parent = nullptr;  // head of the branch; null: no snapshot yet
  ManifestLists& lists;
};

// Runs every check that the change's kind and validation ask for.
// Errors: kConflict ValidationException in Java's words, not retryable; IllegalArgumentException
// "Snapshot %s is not an ancestor of %s".
Status ValidateChange(const ValidationTarget& target, const SnapshotChange& change);

// Checks delete files against the format version. Errors, IllegalArgumentException: "Deletes are
// supported in V2 and above", "Must not use DVs for position deletes in V2: %s", "Must use DVs for
// position deletes in V%s: %s".
Status CheckDeleteFormats(const SnapshotChange& change, int32_t format_version);

// Returns whether a removed file that is not in the table fails the change.
bool RequiresRemovedFiles(const SnapshotChange& change);

// "DV{location=%s, offset=%s, length=%s, referencedDataFile=%s}".
std::string DescribeDv(const spec::DataFile& dv);

}  // namespace iceblink::commit
