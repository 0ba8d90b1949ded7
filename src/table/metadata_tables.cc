// Names, columns and time travel of the metadata tables; their rows are in metadata_rows_*.cc.
#include "table/metadata_tables.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "table/manifest_schema.h"
#include "table/metadata_columns.h"
#include "table/metadata_rows.h"

namespace iceblink::table {
namespace {

using spec::NestedField;
using spec::StructType;
using spec::TableMetadata;
using spec::Type;

struct TableRow {
  MetadataTableKind kind;
  std::string_view name;
  TimeTravel time_travel;
};
constexpr TableRow kTables[] = {
    {MetadataTableKind::kEntries, "entries", TimeTravel::kPinned},
    {MetadataTableKind::kFiles, "files", TimeTravel::kPinned},
    {MetadataTableKind::kDataFiles, "data_files", TimeTravel::kPinned},
    {MetadataTableKind::kDeleteFiles, "delete_files", TimeTravel::kPinned},
    {MetadataTableKind::kHistory, "history", TimeTravel::kIgnored},
    {MetadataTableKind::kMetadataLogEntries, "metadata_log_entries", TimeTravel::kIgnored},
    {MetadataTableKind::kSnapshots, "snapshots", TimeTravel::kIgnored},
    {MetadataTableKind::kRefs, "refs", TimeTravel::kIgnored},
    {MetadataTableKind::kManifests, "manifests", TimeTravel::kPinned},
    {MetadataTableKind::kPartitions, "partitions", TimeTravel::kPinned},
    {MetadataTableKind::kAllDataFiles, "all_data_files", TimeTravel::kRefused},
    {MetadataTableKind::kAllDeleteFiles, "all_delete_files", TimeTravel::kRefused},
    {MetadataTableKind::kAllFiles, "all_files", TimeTravel::kRefused},
    {MetadataTableKind::kAllManifests, "all_manifests", TimeTravel::kRefused},
    {MetadataTableKind::kAllEntries, "all_entries", TimeTravel::kRefused},
    {MetadataTableKind::kPositionDeletes, "position_deletes", TimeTravel::kPinned},
};

const TableRow& RowOf(MetadataTableKind kind) {
  return *std::find_if(std::begin(kTables), std::end(kTables),
                       [&](const TableRow& row) { return row.kind == kind; });
}

NestedField Req(int32_t id, const char* name, Type type) {
  return NestedField::Required(id, name, std::move(type));
}
NestedField Opt(int32_t id, const char* name, Type type) {
  return NestedField::Optional(id, name, std::move(type));
}
NestedField Req(int32_t id, const char* name, Type type, const char* doc) {
  return NestedField::Required(id, name, std::move(type), doc);
}
NestedField Opt(int32_t id, const char* name, Type type, const char* doc) {
  return NestedField::Optional(id, name, std::move(type), doc);
}

std::vector<NestedField> SnapshotColumns() {
  return {Req(1, "committed_at", Type::TimestampTz()),
          Req(2, "snapshot_id", Type::Long()),
          Opt(3, "parent_id", Type::Long()),
          Opt(4, "operation", Type::String()),
          Opt(5, "manifest_list", Type::String()),
          Opt(6, "summary", Type::Map(7, Type::String(), 8, Type::String(), true))};
}

std::vector<NestedField> HistoryColumns() {
  return {Req(1, "made_current_at", Type::TimestampTz()), Req(2, "snapshot_id", Type::Long()),
          Opt(3, "parent_id", Type::Long()), Req(4, "is_current_ancestor", Type::Boolean())};
}

std::vector<NestedField> RefColumns() {
  return {Req(1, "name", Type::String()),
          Req(2, "type", Type::String()),
          Req(3, "snapshot_id", Type::Long()),
          Opt(4, "max_reference_age_in_ms", Type::Long()),
          Opt(5, "min_snapshots_to_keep", Type::Int()),
          Opt(6, "max_snapshot_age_in_ms", Type::Long())};
}

std::vector<NestedField> MetadataLogColumns() {
  return {Req(1, "timestamp", Type::TimestampTz()), Req(2, "file", Type::String()),
          Opt(3, "latest_snapshot_id", Type::Long()), Opt(4, "latest_schema_id", Type::Int()),
          Opt(5, "latest_sequence_number", Type::Long())};
}

// Of `manifests`; `all_manifests` has some columns optional and two more.
std::vector<NestedField> ManifestColumns(bool all) {
  NestedField contains_nan = Opt(11, "contains_nan", Type::Boolean());
  contains_nan.required = all;
  Type summary = Type::Struct({Req(10, "contains_null", Type::Boolean()), std::move(contains_nan),
                               Opt(12, "lower_bound", Type::String()),
                               Opt(13, "upper_bound", Type::String())});
  std::vector<NestedField> columns = {
      Req(14, "content", Type::Int()),
      Req(1, "path", Type::String()),
      Req(2, "length", Type::Long()),
      Req(3, "partition_spec_id", Type::Int()),
      Req(4, "added_snapshot_id", Type::Long()),
      Req(5, "added_data_files_count", Type::Int()),
      Req(6, "existing_data_files_count", Type::Int()),
      Req(7, "deleted_data_files_count", Type::Int()),
      Req(15, "added_delete_files_count", Type::Int()),
      Req(16, "existing_delete_files_count", Type::Int()),
      Req(17, "deleted_delete_files_count", Type::Int()),
      Req(8, "partition_summaries", Type::List(9, std::move(summary), true)),
  };
  if (!all) return columns;
  for (NestedField& column : columns) {
    if ((column.id >= 3 && column.id <= 8)) column.required = false;
  }
  columns.push_back(Req(18, "reference_snapshot_id", Type::Long()));
  columns.push_back(Opt(19, "key_metadata", Type::Binary()));
  return columns;
}

std::vector<NestedField> PartitionColumns(StructType partition) {
  std::vector<NestedField> columns;
  if (!partition.fields.empty()) {
    columns = {Req(1, "partition", Type(std::move(partition))), Req(4, "spec_id", Type::Int())};
  }
  const std::vector<NestedField> rest = {
      Req(2, "record_count", Type::Long(), "Count of records in data files"),
      Req(3, "file_count", Type::Int(), "Count of data files"),
      Req(11, "total_data_file_size_in_bytes", Type::Long(), "Total size in bytes of data files"),
      Req(5, "position_delete_record_count", Type::Long(),
          "Count of records in position delete files"),
      Req(6, "position_delete_file_count", Type::Int(), "Count of position delete files"),
      Req(7, "equality_delete_record_count", Type::Long(),
          "Count of records in equality delete files"),
      Req(8, "equality_delete_file_count", Type::Int(), "Count of equality delete files"),
      Opt(9, "last_updated_at", Type::TimestampTz(),
          "Commit time of snapshot that last updated this partition"),
      Opt(10, "last_updated_snapshot_id", Type::Long(),
          "Id of snapshot that last updated this partition"),
  };
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

std::vector<NestedField> PositionDeleteColumns(const TableMetadata& metadata,
                                               StructType partition) {
  std::vector<NestedField> columns = {
      Req(kDeleteFilePathId, "file_path", Type::String(),
          "Path of a file in which a deleted row is stored"),
      Req(kDeleteFilePosId, "pos", Type::Long(),
          "Ordinal position of a deleted row in the data file"),
      Opt(kDeleteFileRowId, "row", Type(metadata.schema().struct_type()), "Deleted row values"),
  };
  if (!partition.fields.empty()) {
    columns.push_back(Req(kPartitionId, "partition", Type(std::move(partition)),
                          "Partition that position delete row belongs to"));
  }
  columns.push_back(
      Req(kSpecIdId, "spec_id", Type::Int(), "Spec ID used to track the file containing a row"));
  columns.push_back(Req(kFilePathId, "delete_file_path", Type::String(),
                        "Path of the file in which a row is stored"));
  if (metadata.format_version >= 3) {
    columns.push_back(Opt(kContentOffsetId, "content_offset", Type::Long(),
                          "The offset in the DV where the content starts"));
    columns.push_back(Opt(kContentSizeId, "content_size_in_bytes", Type::Long(),
                          "The length in bytes of the DV blob"));
  }
  return columns;
}

int32_t HighestId(const std::vector<NestedField>& columns) {
  return spec::Schema(columns).HighestFieldId();
}

// Six metrics for each primitive leaf column, sorted by the column's full name; ids follow the
// table's own.
NestedField ReadableMetrics(const spec::Schema& schema, int32_t next_id) {
  std::map<int32_t, const NestedField*> by_id;
  for (const NestedField* field : schema.AllFields()) by_id[field->id] = field;
  std::vector<NestedField> metrics;
  for (const auto& [id, field] : by_id) {
    if (!field->type.is_primitive()) continue;
    const std::string& name = schema.FullName(id);
    const int32_t own_id = ++next_id;
    std::vector<NestedField> values;
    values.push_back(Opt(++next_id, "column_size", Type::Long(), "Total size on disk"));
    values.push_back(
        Opt(++next_id, "value_count", Type::Long(), "Total count, including null and NaN"));
    values.push_back(Opt(++next_id, "null_value_count", Type::Long(), "Null value count"));
    values.push_back(Opt(++next_id, "nan_value_count", Type::Long(), "NaN value count"));
    values.push_back(Opt(++next_id, "lower_bound", field->type, "Lower bound"));
    values.push_back(Opt(++next_id, "upper_bound", field->type, "Upper bound"));
    metrics.push_back(NestedField::Optional(own_id, name, Type::Struct(std::move(values)),
                                            "Metrics for column " + name));
  }
  std::sort(metrics.begin(), metrics.end(),
            [](const NestedField& a, const NestedField& b) { return a.name < b.name; });
  return NestedField::Optional(++next_id, "readable_metrics", Type::Struct(std::move(metrics)),
                               "Column metrics in readable form");
}

std::vector<NestedField> FileColumns(StructType partition) {
  const bool unpartitioned = partition.fields.empty();
  std::vector<NestedField> columns =
      DataFileType(kMetadataTableColumns, std::move(partition)).fields;
  if (unpartitioned)
    std::erase_if(columns, [](const NestedField& c) { return c.id == entry_field::kPartition; });
  return columns;
}

std::vector<NestedField> WithMetrics(std::vector<NestedField> columns, const spec::Schema& schema) {
  columns.push_back(ReadableMetrics(schema, HighestId(columns)));
  return columns;
}

std::vector<NestedField> EntryColumns(StructType partition) {
  std::vector<NestedField> columns = ManifestEntryType(kMetadataTableColumns, {}).fields;
  columns.back().type = Type::Struct(FileColumns(std::move(partition)));
  return columns;
}

}  // namespace

std::optional<MetadataTableKind> ParseMetadataTableKind(std::string_view name) {
  const std::string lower = AsciiLower(name);
  for (const TableRow& row : kTables) {
    if (row.name == lower) return row.kind;
  }
  return std::nullopt;
}

std::string_view MetadataTableName(MetadataTableKind kind) { return RowOf(kind).name; }
TimeTravel MetadataTableTimeTravel(MetadataTableKind kind) { return RowOf(kind).time_travel; }

Result<spec::Schema> MetadataTableSchema(MetadataTableKind kind, const TableMetadata& metadata) {
  ASSIGN_OR_RETURN(StructType partition,
                   spec::UnionPartitionType(metadata.schema(), metadata.specs));
  switch (kind) {
    case MetadataTableKind::kSnapshots:
      return spec::Schema(SnapshotColumns());
    case MetadataTableKind::kHistory:
      return spec::Schema(HistoryColumns());
    case MetadataTableKind::kRefs:
      return spec::Schema(RefColumns());
    case MetadataTableKind::kMetadataLogEntries:
      return spec::Schema(MetadataLogColumns());
    case MetadataTableKind::kManifests:
      return spec::Schema(ManifestColumns(false));
    case MetadataTableKind::kAllManifests:
      return spec::Schema(ManifestColumns(true));
    case MetadataTableKind::kPartitions:
      return spec::Schema(PartitionColumns(std::move(partition)));
    case MetadataTableKind::kPositionDeletes:
      return spec::Schema(PositionDeleteColumns(metadata, std::move(partition)));
    case MetadataTableKind::kEntries:
    case MetadataTableKind::kAllEntries:
      return spec::Schema(WithMetrics(EntryColumns(std::move(partition)), metadata.schema()));
    case MetadataTableKind::kFiles:
    case MetadataTableKind::kDataFiles:
    case MetadataTableKind::kDeleteFiles:
    case MetadataTableKind::kAllFiles:
    case MetadataTableKind::kAllDataFiles:
    case MetadataTableKind::kAllDeleteFiles:
      return spec::Schema(WithMetrics(FileColumns(std::move(partition)), metadata.schema()));
  }
  return Fail(ErrorCode::kInternal, "unknown metadata table");
}

Result<std::unique_ptr<MetadataRows>> OpenMetadataTable(const ReadContext& context,
                                                        MetadataTableRequest request) {
  ASSIGN_OR_RETURN(spec::Schema schema, MetadataTableSchema(request.kind, *request.metadata));
  MetadataTableInput input{context, std::move(request), std::move(schema)};
  switch (input.request.kind) {
    case MetadataTableKind::kSnapshots:
    case MetadataTableKind::kHistory:
    case MetadataTableKind::kRefs:
    case MetadataTableKind::kMetadataLogEntries:
      return OpenHistoryRows(std::move(input));
    case MetadataTableKind::kManifests:
    case MetadataTableKind::kAllManifests:
      return OpenManifestRows(std::move(input));
    case MetadataTableKind::kPartitions:
      return OpenPartitionRows(std::move(input));
    case MetadataTableKind::kPositionDeletes:
      return OpenPositionRows(std::move(input));
    case MetadataTableKind::kEntries:
    case MetadataTableKind::kAllEntries:
    case MetadataTableKind::kFiles:
    case MetadataTableKind::kDataFiles:
    case MetadataTableKind::kDeleteFiles:
    case MetadataTableKind::kAllFiles:
    case MetadataTableKind::kAllDataFiles:
    case MetadataTableKind::kAllDeleteFiles:
      return OpenFileRows(std::move(input));
  }
  return Fail(ErrorCode::kInternal, "unknown metadata table");
}

}  // namespace iceblink::table
