// The changelog of a table: the rows of every file that a snapshot added or removed, with type,
// ordinal and snapshot.
#include "exec/iceberg_scan.h"
#include "exec/lowering.h"
#include "exec/orc_limits.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/metadata_columns.h"
#include "table/snapshots.h"

namespace iceblink::exec {

namespace {

// Adds the files that one snapshot added or removed.
Status AddChanges(const table::ReadContext& reading, const spec::Snapshot& snapshot,
                  int32_t ordinal, const table::PartitionTypes& types, PlannedScan& scan) {
  std::set<int32_t> timestamps;
  for (const spec::NestedField& field : scan.schema->fields())
    CollectTimestamps(field, &timestamps);
  return table::ForEachManifest(reading, snapshot, [&](spec::ManifestFile&& manifest) -> Status {
    if (manifest.content == spec::ManifestContent::kDeletes) {
      return Fail(ErrorCode::kUnsupported,
                  "Delete files are currently not supported in changelog scans",
                  "UnsupportedOperationException");
    }
    if (manifest.added_snapshot_id != snapshot.snapshot_id) return {};
    table::ManifestReadOptions options;
    options.stats = table::StatsSelection::Of(timestamps);
    return table::ForEachEntry(
        reading, manifest, types, options, [&](const spec::ManifestEntry& entry) -> Status {
          if (entry.status == spec::EntryStatus::kExisting ||
              entry.snapshot_id.value_or(0) != snapshot.snapshot_id)
            return {};
          table::FileScanTask task;
          task.file = entry.data_file;
          task.data_sequence_number = entry.sequence_number.value_or(0);
          RETURN_IF_ERROR(CheckOrcTimestamps(task.file, timestamps));
          scan.rows += task.file.record_count;
          scan.tasks.push_back(std::move(task));
          bool added = entry.status == spec::EntryStatus::kAdded;
          scan.changes.push_back(
              {Value(added ? "INSERT" : "DELETE"), Value(ordinal), Value(snapshot.snapshot_id)});
          return {};
        });
  });
}

}  // namespace

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::ChangelogScan& node) {
  NeedParquet();
  RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
  auto scan = std::make_shared<PlannedScan>();
  scan->metadata = node.table.metadata;
  scan->schema = node.table.schema;
  if (node.table.snapshot_id) {
    ASSIGN_OR_RETURN(auto snapshots,
                     table::ChangesBetween(*node.table.metadata, node.after_snapshot_id,
                                           *node.table.snapshot_id));
    table::PartitionTypes types(*node.table.metadata);
    int32_t ordinal = 0;
    for (const spec::Snapshot* snapshot : snapshots) {
      RETURN_IF_ERROR(AddChanges(session_.reading(), *snapshot, ordinal++, types, *scan));
    }
  }
  scan->deleted.resize(scan->tasks.size());
  const std::string mapping = node.table.metadata->Property("schema.name-mapping.default");
  if (!mapping.empty()) {
    ASSIGN_OR_RETURN(scan->name_mapping, spec::ParseNameMapping(mapping));
  }
  // The plan's columns are the table's fields, then the three of the changelog.
  plan::TableScan columns;
  columns.table = node.table;
  std::vector<int32_t> ids;
  for (const spec::NestedField& field : node.table.schema->fields()) ids.push_back(field.id);
  for (const spec::NestedField& field : table::ChangelogColumns()) ids.push_back(field.id);
  for (size_t i = 0; i < plan.output.size() && i < ids.size(); ++i)
    columns.columns.push_back({plan.output[i], ids[i]});
  return ScanSelectSql(session_, columns, std::move(scan), false);
}

}  // namespace iceblink::exec
