// The Iceberg scan: a list of data files planned by the table room, read by DuckDB's Parquet reader
// and by decoders of our own (exec/file_decoder.h) through a MultiFileReader of our own.
//
//   columns      by field id, nested ones too; files without ids get them from the name mapping
//   missing      the file's identity partition value, else the field's initial default, else NULL
//   constants    _file, _spec_id, _partition and others are one value per file
//   deletes      positions of each file as a bitmap, applied below the filters; equality deletes
//   become positions first
//
// A PlannedScan is immutable once registered; the table function `iceblink_scan(name, id)` reads it
// from several threads. Exec-internal: includes DuckDB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "exec/duckdb_session.h"
#include "io/deletion_vector.h"
#include "plan/logical_plan.h"
#include "spec/name_mapping.h"
#include "table/scan.h"

namespace iceblink::exec {

// What a column of the scan holds.
enum class ScanSource : uint8_t {
  kField,        // a field of the file, by id
  kFile,         // constants of the file from here on
  kFileOrdinal,  // index of the task
  kSpecId,
  kPartition,  // union of all specs' fields
  kFirstRowId,
  kChange,    // of the changelog, one constant per task: type, ordinal, snapshot
  kSequence,  // data sequence number; NULL when the file has no first row id
};

struct ScanField {
  std::string name;  // unique within the scan; DuckDB's column name
  spec::NestedField field;
  duckdb::LogicalType type;
  ScanSource source = ScanSource::kField;
};

using DeletedPositions = std::shared_ptr<const io::PositionBitmap>;

struct PlannedScan {
  io::FileSystem* files = nullptr;             // where the tasks' files are
  ReadAhead* read_ahead = nullptr;             // hears which of them are opened; may be null
  spec::TableMetadataPtr metadata;             // null: of files without partition values
  std::shared_ptr<const spec::Schema> schema;  // of the table, for partition values
  std::vector<ScanField> fields;
  std::vector<table::FileScanTask> tasks;
  std::vector<int64_t> ordinals;          // number of each task in a larger scan; empty: its index
  std::vector<DeletedPositions> deleted;  // one per task, null: none
  std::optional<spec::NameMapping> name_mapping;
  std::vector<std::shared_ptr<const std::vector<Value>>>
      union_partitions;            // per task; only with a _partition column
  std::vector<ValueList> changes;  // per task; only of a changelog
  bool apply_deletes = true;
  int64_t rows = 0;  // before deletes
};

// Plans the files of a scan and loads their deletes.
Result<std::shared_ptr<PlannedScan>> PlanScan(DuckDbSession& session, const plan::TableScan& scan);

// Reads the deleted positions of every task of `scan`: deletion vectors, position delete files and
// equality deletes.
Status LoadDeletes(DuckDbSession& session, PlannedScan& scan);

// The positions of one data file in its position delete files and deletion vectors.
Result<io::PositionBitmap> ReadPositions(DuckDbSession& session,
                                         const std::vector<table::DeleteFilePtr>& deletes,
                                         const std::string& data_file);

// Sets the columns of `scan` that `node` wants and returns the SELECT over it, registered. With
// `row_address` the columns f (number of the task) and p (position) follow.
Result<std::string> ScanSelectSql(DuckDbSession& session, const plan::TableScan& node,
                                  std::shared_ptr<PlannedScan> scan, bool row_address);

// The table function that reads a scan: one for scans of Parquet files, which takes filters, and
// one for others.
std::string ScanFunction(const PlannedScan& scan);
// Tells a scan where files are. ScanSql and ScanSelectSql do.
void ConnectScan(DuckDbSession& session, PlannedScan& scan);
// The SQL relation of a registered scan.
std::string ScanSql(DuckDbSession& session, const std::string& name,
                    std::shared_ptr<PlannedScan> scan);

}  // namespace iceblink::exec
