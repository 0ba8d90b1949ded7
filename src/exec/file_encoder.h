// One data or delete file in the making, in any of the formats: rows are encoded side by side and
// appended to the file in turn. Exec-internal: includes DuckDB.
//
// Encoders throw DuckDB's exceptions, as the code around them does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "duckdb.hpp"
#include "io/file_system.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"

namespace iceblink::exec {

// Table properties and write options that shape files.
struct FileSettings {
  spec::FileFormat format = spec::FileFormat::kParquet;
  std::string codec = "zstd";  // lower case; of Avro the name in its files
  std::optional<int32_t> level;
  std::string strategy;         // ORC: speed, compression
  int64_t row_group_bytes = 0;  // of Parquet's row groups and ORC's stripes
  int64_t target_bytes = 0;     // of a file
  bool v2_pages = false;        // Parquet
  std::string bloom_columns;    // ORC: names, comma between
  double bloom_fpp = 0.05;      // ORC
  // Error: IllegalArgumentException for an unknown format or codec.
  static Result<FileSettings> Make(const spec::TableMetadata& metadata,
                                   const std::map<std::string, std::string>& options);
  // The same for position delete files.
  static Result<FileSettings> MakeDeletes(const spec::TableMetadata& metadata,
                                          const std::map<std::string, std::string>& options);
};

struct EncodedRows {
  virtual ~EncodedRows() = default;
};

class FileEncoder {
 public:
  // Without Close nothing is promised of what stays behind.
  virtual ~FileEncoder() = default;
  // From several threads.
  virtual std::unique_ptr<EncodedRows> Encode(duckdb::ColumnDataCollection& rows) = 0;
  // What Encode made, once. One call at a time, like those below.
  virtual void Append(EncodedRows& rows) = 0;
  // Bytes so far, at least nearly.
  virtual int64_t size() = 0;
  // Ends the file and sets its size, split offsets and column sizes, as far as the format has them.
  virtual void Close(spec::DataFile* file) = 0;
};

struct EncoderTarget {
  duckdb::ClientContext& context;
  io::FileSystem& files;
  std::string path;
  const spec::Schema& schema;  // its fields of type unknown have no column among the rows
};

// Creates the file.
std::unique_ptr<FileEncoder> OpenEncoder(const EncoderTarget& target, const FileSettings& settings);
std::unique_ptr<FileEncoder> OpenParquetEncoder(const EncoderTarget& target,
                                                const FileSettings& settings);
std::unique_ptr<FileEncoder> OpenAvroEncoder(const EncoderTarget& target,
                                             const FileSettings& settings);
std::unique_ptr<FileEncoder> OpenOrcEncoder(const EncoderTarget& target,
                                            const FileSettings& settings);

// Whether files of the format can hold the schema's columns. Error: UnsupportedOperationException.
Status CheckWritable(const spec::Schema& schema, spec::FileFormat format);

}  // namespace iceblink::exec
