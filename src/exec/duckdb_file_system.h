// DuckDB's view of io::DefaultFileSystem: reads and writes of locations with a scheme ("s3://",
// "memory://", "file:/") go there. Plain local paths never come here; DuckDB opens them itself.
// Exec-internal: includes DuckDB.
#pragma once

#include "duckdb.hpp"

namespace iceblink::exec {

duckdb::unique_ptr<duckdb::FileSystem> MakeDuckDbFileSystem();

// The path under which DuckDB opens a location: a plain one for the local disk, else with our
// prefix.
std::string DuckDbPath(const std::string& location);

}  // namespace iceblink::exec
