// compute_partition_stats: a Parquet file of what each partition holds, registered in the table.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/table_write.h"
#include "exec/parquet_files.h"
#include "table/partition_stats.h"

namespace iceblink::engine {
namespace {

bool IsPartitioned(const spec::TableMetadata& metadata) {
  return std::any_of(metadata.specs.begin(), metadata.specs.end(),
                     [](const spec::PartitionSpec& spec) { return !spec.is_unpartitioned(); });
}

// Nothing when the file cannot be read: everything is counted again then.
std::optional<table::EarlierPartitionStats> ReadEarlier(exec::ParquetFiles& files,
                                                        const spec::PartitionStatisticsFile* file,
                                                        const spec::Schema& schema) {
  if (file == nullptr) return std::nullopt;
  auto rows = files.Read(file->path, schema);
  if (!rows) return std::nullopt;
  return table::EarlierPartitionStats{file->snapshot_id, std::move(*rows)};
}

Result<spec::PartitionStatisticsFile> WriteStatistics(const ProcedureCall& call,
                                                      const TableHandle& table,
                                                      const spec::Snapshot& snapshot,
                                                      const spec::PartitionStatisticsFile* latest) {
  const spec::TableMetadata& metadata = table.metadata();
  ASSIGN_OR_RETURN(const spec::Schema schema, table::PartitionStatsSchema(metadata));
  exec::ParquetFiles files(table.catalog->file_system());
  ASSIGN_OR_RETURN(
      std::vector<ValueList> rows,
      table::ComputePartitionStats(call.scope.session.ReadContextOf(*table.catalog), metadata,
                                   schema, snapshot, ReadEarlier(files, latest, schema)));
  spec::PartitionStatisticsFile statistics;
  if (rows.empty()) return statistics;
  statistics.snapshot_id = snapshot.snapshot_id;
  statistics.path = catalog::MetadataFolder(metadata) + "/partition-stats-" +
                    std::to_string(snapshot.snapshot_id) + "-" + NewUuid() + ".parquet";
  ASSIGN_OR_RETURN(statistics.file_size_in_bytes, files.Write(statistics.path, schema, rows));
  return statistics;
}

}  // namespace

Result<ProcedureRows> ComputePartitionStats(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  const spec::TableMetadata& metadata = table.metadata();
  ASSIGN_OR_RETURN(const spec::Snapshot* snapshot, call.Snapshot(metadata));
  if (snapshot == nullptr) return ProcedureRows();
  if (!IsPartitioned(metadata)) return IllegalArgument("Table must be partitioned");
  const auto* latest = table::LatestPartitionStats(metadata, snapshot->snapshot_id);
  if (latest != nullptr && latest->snapshot_id == snapshot->snapshot_id)
    return ProcedureRows{{Value(latest->path)}};
  if (!EqualsIgnoreCase(metadata.Property("write.format.default", "parquet"), "parquet")) {
    return Fail(UnsupportedFeature("partition statistics in " +
                                   AsciiUpper(metadata.Property("write.format.default")) +
                                   " files"));
  }
  ASSIGN_OR_RETURN(const spec::PartitionStatisticsFile statistics,
                   WriteStatistics(call, table, *snapshot, latest));
  if (statistics.path.empty()) return ProcedureRows();
  auto committed = commit::CommitUpdates(
      *table.catalog, table.id,
      [&](const spec::TableMetadata&) -> Result<std::vector<spec::TableUpdate>> {
        return std::vector<spec::TableUpdate>{spec::update::SetPartitionStatistics{statistics}};
      },
      TransactionOptions(call.scope));
  if (!committed) return Fail(std::move(committed).error());
  return ProcedureRows{{Value(statistics.path)}};
}

}  // namespace iceblink::engine
