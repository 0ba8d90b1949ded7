// Position delete files as sets of positions: read, and put together into fewer or newer ones.
// Exec-internal but for RewritePositionDeletes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/executor.h"
#include "io/deletion_vector.h"

namespace iceblink::exec {

class DuckDbSession;

// Calls `visit` with every data file and position of a delete file, in its order; an error of
// `visit` ends it.
Status VisitPositionDeletes(DuckDbSession& session, const spec::DataFile& deletes,
                            const std::function<Status(std::string_view, int64_t)>& visit);

// Adds the positions of a delete file to `out`, by data file.
Status ReadPositionDeletes(DuckDbSession& session, const spec::DataFile& deletes,
                           std::map<std::string, io::PositionBitmap>* out);

// Reads delete files and writes the positions that speak of a file of `live` (by path) as new ones:
// position delete files, or deletion vectors where the format version has them. Files of a failed
// call are removed.
Result<std::vector<spec::DataFile>> RewritePositionDeletes(
    io::FileSystem& files, const WriteSpec& write, const std::vector<spec::DataFile>& deletes,
    const std::unordered_map<std::string, spec::DataFile>& live);

}  // namespace iceblink::exec
