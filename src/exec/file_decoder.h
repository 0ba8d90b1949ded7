// Data files of formats that DuckDB has no reader for (Avro, ORC), one decoder per file, and the
// multi-file reader that mixes them with DuckDB's own Parquet readers.
//
// A decoder tells the file's columns with their field ids; DuckDB's column mapping, the same as for
// Parquet, makes the table's columns of them: renamed, promoted, missing and nested ones. Only the
// columns that a statement wants are decoded, batch by batch. A thread reads a part of a file at a
// time, with a decoder of its own. Exec-internal: includes DuckDB.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "io/file_system.h"

namespace iceblink::exec {

struct PlannedScan;

// One thread at a time.
class FileDecoder {
 public:
  virtual ~FileDecoder() = default;
  // The file's columns. Those with a field id have it as their identifier.
  const duckdb::vector<duckdb::MultiFileColumnDefinition>& columns() const { return columns_; }
  // Which columns Next fills, by number, with the parts of structs that are wanted. Call once.
  virtual Status Select(const duckdb::vector<duckdb::ColumnIndex>& columns) = 0;
  // The number of the first row of each part: stripes of ORC.
  virtual std::vector<int64_t> parts() const { return {0}; }
  // Goes to the first row of a part, by its place in parts(). Call before Next.
  virtual Status Start(size_t part) = 0;
  // Fills the part's next rows, at most STANDARD_VECTOR_SIZE, of the selected columns, in order.
  // Answers their count; 0 at its end.
  virtual Result<size_t> Next(const std::vector<duckdb::Vector*>& out) = 0;

 protected:
  duckdb::vector<duckdb::MultiFileColumnDefinition> columns_;
};

// Errors: kCorrupt, kUnsupported for types that the table format has none of.
Result<std::unique_ptr<FileDecoder>> OpenAvro(std::unique_ptr<io::RandomAccessFile> file);
Result<std::unique_ptr<FileDecoder>> OpenOrc(duckdb::ClientContext& context,
                                             std::unique_ptr<io::RandomAccessFile> file);

// The interface of DuckDB's Parquet scan with decoders for the tasks of `scan` in other formats.
// Filters must not be pushed into such a scan.
duckdb::unique_ptr<duckdb::MultiFileReaderInterface> WithDecoders(
    duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet,
    std::shared_ptr<const PlannedScan> scan);

}  // namespace iceblink::exec
