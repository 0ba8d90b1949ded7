// Writes positions of deleted rows: as position delete files (format version 2) or deletion vectors
// (version 3). Exec-internal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exec/duckdb_session.h"
#include "exec/executor.h"
#include "io/deletion_vector.h"

namespace iceblink::exec {

// Rows to delete from one data file; `positions` holds those that are deleted already and move to
// the new file.
struct FileDeletes {
  const spec::DataFile* data_file = nullptr;
  io::PositionBitmap positions;
};

// Writes deletes of the files in the given order. Files of a failed call are removed.
//   version 3: one Puffin file with a vector per data file
//   version 2: one file of write.delete.format.default per data file, or with
//   write.delete.granularity=partition per partition
Result<std::vector<spec::DataFile>> WriteDeletes(DuckDbSession& session, const WriteSpec& write,
                                                 std::vector<FileDeletes> deletes);

}  // namespace iceblink::exec
