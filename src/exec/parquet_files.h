// Small Parquet files that are no data files: partition statistics, position deletes under new
// paths. DuckDB's instance is opened at the first use and is this object's own. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "io/file_system.h"
#include "spec/schema.h"

namespace iceblink::exec {

class DuckDbSession;

class ParquetFiles {
 public:
  // `files` outlives it.
  explicit ParquetFiles(io::FileSystem& files);
  ~ParquetFiles();
  ParquetFiles(const ParquetFiles&) = delete;
  ParquetFiles& operator=(const ParquetFiles&) = delete;

  // Writes rows of `schema`, whose columns are primitive or structs of primitives, with its field
  // ids. Returns the file's size; on an error nothing stays behind.
  Result<int64_t> Write(const std::string& path, const spec::Schema& schema,
                        std::span<const ValueList> rows);
  // Reads all rows as `schema`'s; columns and fields are found by name, those that the file lacks
  // are NULL. Error: kCorrupt for a column or field that `schema` does not have.
  Result<std::vector<ValueList>> Read(const std::string& path, const spec::Schema& schema);
  // Writes the position delete file `from` again with every file_path's prefix replaced. Returns
  // the new file's size. Error: IllegalArgumentException "Expected delete file %s to start with
  // prefix: %s".
  Result<int64_t> CopyDeletes(const std::string& from, const std::string& to,
                              const std::string& source_prefix, const std::string& target_prefix);

 private:
  Status Open();
  std::unique_ptr<DuckDbSession> session_;
};

}  // namespace iceblink::exec
