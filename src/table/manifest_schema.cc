#include "table/manifest_schema.h"

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace iceblink::table {
namespace {

using spec::NestedField;
using spec::StructType;
using spec::Type;

enum class In : uint8_t { kAbsent, kOptional, kRequired };
constexpr In A = In::kAbsent;
constexpr In O = In::kOptional;
constexpr In R = In::kRequired;

struct Column {
  int32_t id;
  const char* name;
  Type (*type)();
  const char* doc;  // may be null
  In in[4];         // kMetadataTableColumns, v1, v2, v3
};

template <int32_t key_id>
Type Counts() {
  return Type::Map(key_id, Type::Int(), key_id + 1, Type::Long(), true);
}
template <int32_t key_id>
Type Bounds() {
  return Type::Map(key_id, Type::Int(), key_id + 1, Type::Binary(), true);
}
Type SplitOffsets() { return Type::List(133, Type::Long(), true); }
Type EqualityIds() { return Type::List(136, Type::Int(), true); }
// The caller's partition type takes its place.
Type Untyped() { return Type(StructType{}); }

Type SummaryType() {
  namespace f = list_field;
  return Type::Struct({
      NestedField::Required(f::kContainsNull, "contains_null", Type::Boolean(),
                            "True if any file has a null partition value"),
      NestedField::Optional(f::kContainsNan, "contains_nan", Type::Boolean(),
                            "True if any file has a nan partition value"),
      NestedField::Optional(f::kLowerBound, "lower_bound", Type::Binary(),
                            "Partition lower bound for all files"),
      NestedField::Optional(f::kUpperBound, "upper_bound", Type::Binary(),
                            "Partition upper bound for all files"),
  });
}

Type Summaries() { return Type::List(list_field::kSummary, SummaryType(), true); }

constexpr Column kDataFileColumns[] = {
    {entry_field::kContent,
     "content",
     Type::Int,
     "Contents of the file: 0=data, 1=position deletes, 2=equality deletes",
     {O, A, R, R}},
    {entry_field::kFilePath,
     "file_path",
     Type::String,
     "Location URI with FS scheme",
     {R, R, R, R}},
    {entry_field::kFileFormat,
     "file_format",
     Type::String,
     "File format name: avro, orc, or parquet",
     {R, R, R, R}},
    {entry_field::kSpecId, "spec_id", Type::Int, "Partition spec ID", {O, A, A, A}},
    {entry_field::kPartition,
     "partition",
     Untyped,
     "Partition data tuple, schema based on the partition spec",
     {R, R, R, R}},
    {entry_field::kRecordCount,
     "record_count",
     Type::Long,
     "Number of records in the file",
     {R, R, R, R}},
    {entry_field::kFileSize,
     "file_size_in_bytes",
     Type::Long,
     "Total file size in bytes",
     {R, R, R, R}},
    {entry_field::kBlockSize, "block_size_in_bytes", Type::Long, nullptr, {A, R, A, A}},
    {entry_field::kColumnSizes,
     "column_sizes",
     Counts<117>,
     "Map of column id to total size on disk",
     {O, O, O, O}},
    {entry_field::kValueCounts,
     "value_counts",
     Counts<119>,
     "Map of column id to total count, including null and NaN",
     {O, O, O, O}},
    {entry_field::kNullValueCounts,
     "null_value_counts",
     Counts<121>,
     "Map of column id to null value count",
     {O, O, O, O}},
    {entry_field::kNanValueCounts,
     "nan_value_counts",
     Counts<138>,
     "Map of column id to number of NaN values in the column",
     {O, O, O, O}},
    {entry_field::kLowerBounds,
     "lower_bounds",
     Bounds<126>,
     "Map of column id to lower bound",
     {O, O, O, O}},
    {entry_field::kUpperBounds,
     "upper_bounds",
     Bounds<129>,
     "Map of column id to upper bound",
     {O, O, O, O}},
    {entry_field::kKeyMetadata,
     "key_metadata",
     Type::Binary,
     "Encryption key metadata blob",
     {O, O, O, O}},
    {entry_field::kSplitOffsets, "split_offsets", SplitOffsets, "Splittable offsets", {O, O, O, O}},
    {entry_field::kEqualityIds,
     "equality_ids",
     EqualityIds,
     "Equality comparison field IDs",
     {O, A, O, O}},
    {entry_field::kSortOrderId, "sort_order_id", Type::Int, "Sort order ID", {O, O, O, O}},
    {entry_field::kFirstRowId,
     "first_row_id",
     Type::Long,
     "The first row ID assigned to the first row in the data file",
     {O, A, A, O}},
    {entry_field::kReferencedDataFile,
     "referenced_data_file",
     Type::String,
     "Fully qualified location (URI with FS scheme) of a data file that all deletes reference",
     {O, A, O, O}},
    {entry_field::kContentOffset,
     "content_offset",
     Type::Long,
     "The offset in the file where the content starts",
     {O, A, A, O}},
    {entry_field::kContentSize,
     "content_size_in_bytes",
     Type::Long,
     "The length of referenced content stored in the file",
     {O, A, A, O}},
};

constexpr Column kEntryColumns[] = {
    {entry_field::kStatus, "status", Type::Int, nullptr, {R, R, R, R}},
    {entry_field::kSnapshotId, "snapshot_id", Type::Long, nullptr, {O, O, O, O}},
    {entry_field::kSequenceNumber, "sequence_number", Type::Long, nullptr, {O, A, O, O}},
    {entry_field::kFileSequenceNumber, "file_sequence_number", Type::Long, nullptr, {O, A, O, O}},
};

// Version 1 has `partitions` before the row counts.
constexpr Column kListColumns[] = {
    {list_field::kPath, "manifest_path", Type::String, "Location URI with FS scheme", {A, R, R, R}},
    {list_field::kLength, "manifest_length", Type::Long, "Total file size in bytes", {A, R, R, R}},
    {list_field::kSpecId, "partition_spec_id", Type::Int, "Spec ID used to write", {A, R, R, R}},
    {list_field::kContent,
     "content",
     Type::Int,
     "Contents of the manifest: 0=data, 1=deletes",
     {A, A, R, R}},
    {list_field::kSequenceNumber,
     "sequence_number",
     Type::Long,
     "Sequence number when the manifest was added",
     {A, A, R, R}},
    {list_field::kMinSequenceNumber,
     "min_sequence_number",
     Type::Long,
     "Lowest sequence number in the manifest",
     {A, A, R, R}},
    {list_field::kAddedSnapshotId,
     "added_snapshot_id",
     Type::Long,
     "Snapshot ID that added the manifest",
     {A, R, R, R}},
    {list_field::kAddedFiles, "added_files_count", Type::Int, "Added entry count", {A, O, R, R}},
    {list_field::kExistingFiles,
     "existing_files_count",
     Type::Int,
     "Existing entry count",
     {A, O, R, R}},
    {list_field::kDeletedFiles,
     "deleted_files_count",
     Type::Int,
     "Deleted entry count",
     {A, O, R, R}},
    {list_field::kPartitions, "partitions", Summaries, "Summary for each partition", {A, O, A, A}},
    {list_field::kAddedRows, "added_rows_count", Type::Long, "Added rows count", {A, O, R, R}},
    {list_field::kExistingRows,
     "existing_rows_count",
     Type::Long,
     "Existing rows count",
     {A, O, R, R}},
    {list_field::kDeletedRows,
     "deleted_rows_count",
     Type::Long,
     "Deleted rows count",
     {A, O, R, R}},
    {list_field::kPartitions, "partitions", Summaries, "Summary for each partition", {A, A, O, O}},
    {list_field::kKeyMetadata,
     "key_metadata",
     Type::Binary,
     "Encryption key metadata blob",
     {A, O, O, O}},
    {list_field::kFirstRowId,
     "first_row_id",
     Type::Long,
     "Starting row ID to assign to new rows in ADDED data files",
     {A, A, A, O}},
};

StructType Select(std::span<const Column> columns, int32_t version) {
  StructType type;
  for (const Column& c : columns) {
    if (c.in[version] == In::kAbsent) continue;
    std::optional<std::string> doc;
    if (c.doc != nullptr) doc = c.doc;
    NestedField field = NestedField::Optional(c.id, c.name, c.type(), std::move(doc));
    field.required = c.in[version] == In::kRequired;
    type.fields.push_back(std::move(field));
  }
  return type;
}

}  // namespace

StructType DataFileType(int32_t version, StructType partition) {
  StructType type = Select(kDataFileColumns, version);
  for (NestedField& field : type.fields) {
    if (field.id == entry_field::kPartition) field.type = Type(std::move(partition));
  }
  return type;
}

StructType ManifestEntryType(int32_t version, StructType partition) {
  StructType type = Select(kEntryColumns, version);
  type.fields.push_back(NestedField::Required(entry_field::kDataFile, "data_file",
                                              Type(DataFileType(version, std::move(partition)))));
  return type;
}

StructType ManifestFileType(int32_t version) { return Select(kListColumns, version); }

bool HasMetrics(const spec::DataFile& file) {
  return file.content != spec::DataFileContent::kPositionDeletes &&
         (file.format == spec::FileFormat::kParquet || file.format == spec::FileFormat::kOrc);
}

}  // namespace iceblink::table
