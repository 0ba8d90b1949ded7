// Several deletion vectors for one data file inside one change become one, in a new Puffin file.
#pragma once

#include "commit/snapshot_change.h"
#include "io/file_system.h"
#include "spec/table_metadata.h"

namespace iceblink::commit {

// Replaces such vectors in change.added_deletes; without any, does nothing. The new file is
// <data folder>/merged-dvs-<snapshot id>-1.puffin. Errors: those of io; ValidationException when
// specs, partitions or sequence numbers differ.
Status MergeDuplicateVectors(io::FileSystem& files, const spec::TableMetadata& base,
                             int64_t snapshot_id, SnapshotChange& change);

}  // namespace iceblink::commit
