// Partition statistics: what each partition of a snapshot holds, as the rows of the file that
// `partition-statistics` of table metadata names. Computed from manifests, or from the rows of an
// ancestor's file and what the snapshots since then added and removed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "spec/schema.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"

namespace iceblink::table {

// The schema of the file, field ids included, for the table's format version; the partition is the
// union of all specs.
Result<spec::Schema> PartitionStatsSchema(const spec::TableMetadata& metadata);

// Of the snapshot or its nearest ancestor that has a file; null when there is none.
const spec::PartitionStatisticsFile* LatestPartitionStats(const spec::TableMetadata& metadata,
                                                          int64_t snapshot_id);

// The rows of an ancestor's file, in the columns of PartitionStatsSchema.
struct EarlierPartitionStats {
  int64_t snapshot_id = 0;
  std::vector<ValueList> rows;
};

// Rows of `schema`, which is PartitionStatsSchema, sorted by partition. Partitions that lost their
// last file since the earlier rows stay, with zeros.
Result<std::vector<ValueList>> ComputePartitionStats(const ReadContext& context,
                                                     const spec::TableMetadata& metadata,
                                                     const spec::Schema& schema,
                                                     const spec::Snapshot& snapshot,
                                                     std::optional<EarlierPartitionStats> earlier);

}  // namespace iceblink::table
