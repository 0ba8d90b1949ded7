// What a Parquet file that another engine wrote says of itself in its footer: rows, row groups and
// column statistics as an Iceberg data file's metrics. No data page is read.
//
// Columns are found by the field ids in the file, else by the table's name mapping, else by name.
// Columns below lists and maps have no metrics, as in Iceberg's Parquet reader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"

namespace iceblink::exec {

// Returns one data file per path, in order, of spec 0 and without a partition tuple.
// Errors: kNotFound, kCorrupt for what is no Parquet file.
Result<std::vector<spec::DataFile>> DescribeParquetFiles(io::FileSystem& files,
                                                         const spec::TableMetadata& metadata,
                                                         const std::vector<std::string>& paths);

}  // namespace iceblink::exec
