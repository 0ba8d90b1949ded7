// CreateTable's `metadata` as the first metadata of a table.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::server::s3tables {

// `metadata` is {"iceberg": {schema or schemaV2, partitionSpec, writeOrder, properties}}.
// Error: BadRequestException.
Result<spec::TableMetadata> MetadataOfRequest(const Json& metadata, const std::string& location,
                                              int64_t now_ms);

}  // namespace iceblink::server::s3tables
