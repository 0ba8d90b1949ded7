// DuckDB's view of a session's io::FileSystem: reads and writes of locations with a scheme
// ("s3://", "memory://", "file:/") go there. Plain local paths never come here; DuckDB opens them
// itself. Exec-internal: includes DuckDB.
#pragma once

#include "duckdb.hpp"
#include "exec/read_ahead.h"
#include "io/file_system.h"

namespace iceblink::exec {

// `files` and `read_ahead`, which hears of files of known size that are opened, outlive the result.
duckdb::unique_ptr<duckdb::FileSystem> MakeDuckDbFileSystem(io::FileSystem& files,
                                                            ReadAhead& read_ahead);

// The path under which DuckDB opens a location: a plain one for the local disk, else with our
// prefix.
std::string DuckDbPath(const std::string& location);
// The same for a file that never changes and whose size metadata states: nothing is asked about it.
duckdb::OpenFileInfo DuckDbFile(const std::string& location, int64_t size);

}  // namespace iceblink::exec
