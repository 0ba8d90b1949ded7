// Rows as Arrow IPC streams, the form in which Spark Connect carries them both ways, by Arrow C++.
// Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "exec/column_batch.h"
#include "sql/data_type.h"

namespace iceblink::server {

// Makes a whole stream (schema, one batch, end) of columns or rows of a struct type. TIMESTAMP
// columns carry `time_zone`. Error: kUnsupported for types that Arrow has no form of.
Result<std::string> EncodeArrow(const sql::DataType& schema, const exec::ColumnBatch& batch,
                                const std::string& time_zone);
Result<std::string> EncodeArrow(const sql::DataType& schema, std::span<const ValueList> rows,
                                const std::string& time_zone);

exec::ColumnBatch ColumnsOf(const sql::DataType& schema, std::span<const ValueList> rows);

struct ArrowRows {
  sql::DataType schema;  // a struct: the stream's own types in Spark's terms
  std::vector<ValueList> rows;
};

// Reads all batches of a stream. Error: kUnsupported for types without a Spark form; kCorrupt.
Result<ArrowRows> DecodeArrow(std::string_view stream);

}  // namespace iceblink::server
