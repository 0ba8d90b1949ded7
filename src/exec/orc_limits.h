// What ORC files cannot be read for: timestamps. Arrow's adapter reads them as nanoseconds in 64
// bits and wraps silently; a file's bounds in its manifest tell whether it has others.
// Exec-internal.
#pragma once

#include <set>

#include "base/result.h"
#include "spec/manifest.h"
#include "spec/schema.h"

namespace iceblink::exec {

// Adds the timestamps in microseconds of a field: itself and those in structs below it.
void CollectTimestamps(const spec::NestedField& field, std::set<int32_t>* ids);

// Checks an ORC file by its bounds of these fields; files of other formats pass. Error:
// UnsupportedOperationException.
Status CheckOrcTimestamps(const spec::DataFile& file, const std::set<int32_t>& ids);

}  // namespace iceblink::exec
