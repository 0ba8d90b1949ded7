// Metadata tables (`db.t.snapshots`, `db.t.files` ...) as schemas and streams of rows, with the
// columns, field ids and values that Spark shows.
//
// One row of a table of data describes each of them; the file-like ones share one row builder. Rows
// stream manifest by manifest; only `partitions` holds one row per partition until the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"

namespace iceblink::table {

enum class MetadataTableKind : uint8_t {
  kEntries,
  kFiles,
  kDataFiles,
  kDeleteFiles,
  kHistory,
  kMetadataLogEntries,
  kSnapshots,
  kRefs,
  kManifests,
  kPartitions,
  kAllDataFiles,
  kAllDeleteFiles,
  kAllFiles,
  kAllManifests,
  kAllEntries,
  kPositionDeletes,
};

// Returns the kind of a name in any case ("snapshots"), or nothing.
std::optional<MetadataTableKind> ParseMetadataTableKind(std::string_view name);
std::string_view MetadataTableName(MetadataTableKind kind);

// How a metadata table answers to VERSION AS OF and TIMESTAMP AS OF.
enum class TimeTravel : uint8_t {
  kPinned,   // shows the selected snapshot
  kIgnored,  // static tables: shows everything whatever is selected
  kRefused,  // all_* tables: "Cannot select snapshot in table: %s"
};
TimeTravel MetadataTableTimeTravel(MetadataTableKind kind);

// Returns the columns. Error: as spec::UnionPartitionType.
Result<spec::Schema> MetadataTableSchema(MetadataTableKind kind,
                                         const spec::TableMetadata& metadata);

// Reads the rows of one position delete file or deletion vector: calls back with data file path,
// position and the stored row (NULL when there is none). Only the room that reads Parquet can do it
// for Parquet files.
using PositionVisitor = std::function<Status(const std::string& path, int64_t position, Value row)>;
using PositionDeleteReader =
    std::function<Status(const spec::DataFile& delete_file, const PositionVisitor& visit)>;

struct MetadataTableRequest {
  MetadataTableKind kind = MetadataTableKind::kSnapshots;
  spec::TableMetadataPtr metadata;
  std::string metadata_location;       // of the current metadata file
  std::optional<int64_t> snapshot_id;  // what pinned tables show; absent: no rows. Others ignore it
  // Top-level columns wanted, by name; empty: all. Others come as NULL and are not computed.
  std::vector<std::string> columns;
  // kPositionDeletes only: reads Parquet delete files. Without it such a file is kUnsupported;
  // vectors are read here.
  PositionDeleteReader read_position_deletes;
};

// Rows in batches. One thread.
class MetadataRows {
 public:
  virtual ~MetadataRows() = default;
  // Returns the next rows, one Value per column of the schema; empty at the end only.
  virtual Result<std::vector<ValueList>> Next() = 0;
};

// Error: UnsupportedOperationException "Cannot select snapshot in table: %s" never comes from here:
// the caller checks MetadataTableTimeTravel when a statement selects a snapshot.
Result<std::unique_ptr<MetadataRows>> OpenMetadataTable(const ReadContext& context,
                                                        MetadataTableRequest request);

}  // namespace iceblink::table
