// The two ends of ORC files over Arrow's adapter; io/orc.h says what they do.
#pragma once

#include <memory>
#include <vector>

#include "io/orc.h"

namespace iceblink::io {

Result<std::unique_ptr<OrcReader>> OpenOrcReader(std::unique_ptr<RandomAccessFile> file);
Result<std::unique_ptr<OrcWriter>> CreateOrcWriter(std::unique_ptr<OutputFile> file,
                                                   const std::vector<OrcField>& columns,
                                                   const OrcWriteOptions& options);

}  // namespace iceblink::io
