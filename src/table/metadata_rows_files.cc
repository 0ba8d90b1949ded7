// files and its kin, entries, all_entries: one row for each manifest entry.
#include "spec/single_value.h"
#include "table/manifest_schema.h"
#include "table/metadata_rows.h"

namespace iceblink::table {
namespace {

namespace f = entry_field;
using spec::DataFile;
using spec::ManifestEntry;

template <typename Map>
Value MapValueOf(const Map& map, bool empty_is_present) {
  if (map.empty() && !empty_is_present) return {};
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [id, value] : map) entries.emplace_back(Value(id), Value(value));
  return Value::Map(std::move(entries));
}

template <typename T>
Value ListValueOf(const std::vector<T>& list) {
  if (list.empty()) return {};
  return Value::Array(ValueList(list.begin(), list.end()));
}

// One leaf column of readable_metrics.
struct MetricColumn {
  int32_t field_id;
  spec::Type type;
};

std::vector<MetricColumn> MetricColumns(const spec::Schema& table_schema,
                                        const spec::Schema& metadata_schema) {
  std::vector<MetricColumn> columns;
  const spec::NestedField& metrics = metadata_schema.fields().back();
  for (const spec::NestedField& column : metrics.type.AsStruct().fields) {
    for (const spec::NestedField* field : table_schema.AllFields()) {
      if (field->type.is_primitive() && table_schema.FullName(field->id) == column.name) {
        columns.push_back({field->id, field->type});
      }
    }
  }
  return columns;
}

Value CountOf(const spec::CountMap& map, int32_t id) {
  const int64_t* count = map.Find(id);
  return count != nullptr ? Value(*count) : Value();
}

Value BoundOf(const spec::BoundMap& map, const MetricColumn& column) {
  const Bytes* bound = map.Find(column.field_id);
  if (bound == nullptr) return {};
  return spec::FromBound(column.type, bound->data).value_or(Value());
}

Value ReadableMetricsOf(const std::vector<MetricColumn>& columns, const DataFile& file) {
  ValueList metrics;
  metrics.reserve(columns.size());
  for (const MetricColumn& column : columns) {
    metrics.push_back(Value::Struct(
        {CountOf(file.column_sizes, column.field_id), CountOf(file.value_counts, column.field_id),
         CountOf(file.null_value_counts, column.field_id),
         CountOf(file.nan_value_counts, column.field_id), BoundOf(file.lower_bounds, column),
         BoundOf(file.upper_bounds, column)}));
  }
  return Value::Struct(std::move(metrics));
}

Value FileColumn(int32_t id, const DataFile& file, const PartitionUnion& partitions) {
  const bool empty = HasMetrics(file);
  switch (id) {
    case f::kContent:
      return static_cast<int32_t>(file.content);
    case f::kFilePath:
      return file.file_path;
    case f::kFileFormat:
      return std::string(spec::FileFormatName(file.format));
    case f::kSpecId:
      return file.spec_id;
    case f::kPartition:
      return Value::Struct(partitions.Coerce(file.spec_id, file.partition));
    case f::kRecordCount:
      return file.record_count;
    case f::kFileSize:
      return file.file_size_in_bytes;
    case f::kColumnSizes:
      return MapValueOf(file.column_sizes, empty);
    case f::kValueCounts:
      return MapValueOf(file.value_counts, empty);
    case f::kNullValueCounts:
      return MapValueOf(file.null_value_counts, empty);
    case f::kNanValueCounts:
      return MapValueOf(file.nan_value_counts, empty);
    case f::kLowerBounds:
      return MapValueOf(file.lower_bounds, empty);
    case f::kUpperBounds:
      return MapValueOf(file.upper_bounds, empty);
    case f::kKeyMetadata:
      return OptionalValue(file.key_metadata);
    case f::kSplitOffsets:
      return ListValueOf(file.split_offsets);
    case f::kEqualityIds:
      return ListValueOf(file.equality_ids);
    case f::kSortOrderId:
      return OptionalValue(file.sort_order_id);
    case f::kFirstRowId:
      return OptionalValue(file.first_row_id);
    case f::kReferencedDataFile:
      return OptionalValue(file.referenced_data_file);
    case f::kContentOffset:
      return OptionalValue(file.content_offset);
    case f::kContentSize:
      return OptionalValue(file.content_size_in_bytes);
    default:
      return {};
  }
}

bool IsEntries(MetadataTableKind kind) {
  return kind == MetadataTableKind::kEntries || kind == MetadataTableKind::kAllEntries;
}

bool WantsMetrics(const MetadataTableInput& input) {
  static constexpr std::string_view kMetricColumns[] = {
      "data_file",         "readable_metrics", "column_sizes", "value_counts",
      "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"};
  for (const std::string_view column : kMetricColumns) {
    if (input.Wants(column)) return true;
  }
  return false;
}

EntryCursor::Options CursorOptions(const MetadataTableInput& input) {
  const MetadataTableKind kind = input.request.kind;
  EntryCursor::Options options;
  options.read.live_only = !IsEntries(kind);
  options.read.stats = WantsMetrics(input) ? StatsSelection::All() : StatsSelection::None();
  options.data =
      kind != MetadataTableKind::kDeleteFiles && kind != MetadataTableKind::kAllDeleteFiles;
  options.deletes =
      kind != MetadataTableKind::kDataFiles && kind != MetadataTableKind::kAllDataFiles;
  return options;
}

class FileRows final : public MetadataRows {
 public:
  FileRows(MetadataTableInput input, std::vector<const spec::Snapshot*> snapshots)
      : input_(std::move(input)),
        types_(input_.metadata()),
        partitions_(types_, PartitionColumnType(input_.schema)),
        metrics_(MetricColumns(input_.metadata().schema(), input_.schema)),
        cursor_(input_.context, types_, std::move(snapshots), CursorOptions(input_)) {
    for (const spec::NestedField& column : input_.schema.fields())
      wanted_.push_back(input_.Wants(column.name));
  }

  Result<std::vector<ValueList>> Next() override {
    std::vector<ValueList> rows;
    while (rows.size() < kRowsPerBatch) {
      ASSIGN_OR_RETURN(const ManifestEntry* entry, cursor_.Next());
      if (entry == nullptr) break;
      rows.push_back(Row(*entry));
    }
    return rows;
  }

 private:
  ValueList Row(const ManifestEntry& entry) const {
    const auto& columns = input_.schema.fields();
    ValueList row(columns.size());
    for (size_t i = 0; i < columns.size(); i++) {
      if (!wanted_[i]) continue;
      row[i] = i + 1 == columns.size() ? ReadableMetricsOf(metrics_, entry.data_file)
                                       : Column(columns[i], entry);
    }
    return row;
  }

  Value Column(const spec::NestedField& column, const ManifestEntry& entry) const {
    switch (column.id) {
      case f::kStatus:
        return static_cast<int32_t>(entry.status);
      case f::kSnapshotId:
        return OptionalValue(entry.snapshot_id);
      case f::kSequenceNumber:
        return OptionalValue(entry.sequence_number);
      case f::kFileSequenceNumber:
        return OptionalValue(entry.file_sequence_number);
      case f::kDataFile: {
        ValueList fields;
        for (const spec::NestedField& field : column.type.AsStruct().fields) {
          fields.push_back(FileColumn(field.id, entry.data_file, partitions_));
        }
        return Value::Struct(std::move(fields));
      }
      default:
        return FileColumn(column.id, entry.data_file, partitions_);
    }
  }

  MetadataTableInput input_;
  PartitionTypes types_;
  PartitionUnion partitions_;
  std::vector<MetricColumn> metrics_;
  EntryCursor cursor_;
  std::vector<bool> wanted_;
};

}  // namespace

Result<std::unique_ptr<MetadataRows>> OpenFileRows(MetadataTableInput input) {
  ASSIGN_OR_RETURN(std::vector<const spec::Snapshot*> snapshots, input.Snapshots());
  return std::make_unique<FileRows>(std::move(input), std::move(snapshots));
}

}  // namespace iceblink::table
