// Delete files that no data file needs any more: what rewrite_data_files removes with
// remove-dangling-deletes.
#pragma once

#include <vector>

#include "base/result.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"

namespace iceblink::engine {

// Returns delete files of the snapshot that apply to no live data file: their partition has none,
// or only newer ones than they speak of; deletion vectors whose data file is gone. Empty for tables
// with one, unpartitioned spec.
Result<std::vector<spec::DataFile>> FindDanglingDeletes(const table::ReadContext& context,
                                                        const spec::TableMetadata& metadata,
                                                        const spec::Snapshot& snapshot);

}  // namespace iceblink::engine
