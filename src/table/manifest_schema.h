// The columns of manifests and manifest lists, by format version, and their Avro schema text.
// Internal to this room.
//
// One list of columns serves every version and the `files` metadata tables: each row says where the
// column occurs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spec/manifest.h"
#include "spec/type.h"

namespace iceblink::table {

// Field ids of manifest_entry and data_file.
namespace entry_field {
enum : int32_t {
  kStatus = 0,
  kSnapshotId = 1,
  kDataFile = 2,
  kSequenceNumber = 3,
  kFileSequenceNumber = 4,
  kFilePath = 100,
  kFileFormat = 101,
  kPartition = 102,
  kRecordCount = 103,
  kFileSize = 104,
  kBlockSize = 105,
  kColumnSizes = 108,
  kValueCounts = 109,
  kNullValueCounts = 110,
  kLowerBounds = 125,
  kUpperBounds = 128,
  kKeyMetadata = 131,
  kSplitOffsets = 132,
  kContent = 134,
  kEqualityIds = 135,
  kNanValueCounts = 137,
  kSortOrderId = 140,
  kSpecId = 141,
  kFirstRowId = 142,
  kReferencedDataFile = 143,
  kContentOffset = 144,
  kContentSize = 145,
};
}  // namespace entry_field

// Field ids of manifest_file.
namespace list_field {
enum : int32_t {
  kPath = 500,
  kLength = 501,
  kSpecId = 502,
  kAddedSnapshotId = 503,
  kAddedFiles = 504,
  kExistingFiles = 505,
  kDeletedFiles = 506,
  kPartitions = 507,
  kSummary = 508,
  kContainsNull = 509,
  kLowerBound = 510,
  kUpperBound = 511,
  kAddedRows = 512,
  kExistingRows = 513,
  kDeletedRows = 514,
  kSequenceNumber = 515,
  kMinSequenceNumber = 516,
  kContent = 517,
  kContainsNan = 518,
  kKeyMetadata = 519,
  kFirstRowId = 520,
};
}  // namespace list_field

// Stands for a format version: the columns of `files`, with spec_id and everything of every
// version.
inline constexpr int32_t kMetadataTableColumns = 0;

// Returns the type of data_file in a format version, or of a row of `files`.
spec::StructType DataFileType(int32_t version, spec::StructType partition);
spec::StructType ManifestEntryType(int32_t version, spec::StructType partition);
spec::StructType ManifestFileType(int32_t version);

// Returns whether a file's metrics maps without entries are empty rather than absent: Iceberg's
// Parquet and ORC writers give data files all of them.
bool HasMetrics(const spec::DataFile& file);

// Returns the Avro schema of records of this type as Iceberg's AvroSchemaUtil builds and Avro
// prints it.
std::string AvroSchemaText(const spec::StructType& type, std::string_view record_name);

// Returns the name Avro accepts for a field: "p.c" -> "p_x2Ec".
std::string AvroFieldName(std::string_view name);

}  // namespace iceblink::table
