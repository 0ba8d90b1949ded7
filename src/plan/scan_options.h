// Options and properties of a scan that Iceberg refuses.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::plan {

// How a scan would be cut into splits: nothing is cut here, but what Iceberg refuses is refused.
// Keys of `options` are in lower case.
Status CheckSplits(const spec::TableMetadata& metadata,
                   const std::map<std::string, std::string>& options);

}  // namespace iceblink::plan
