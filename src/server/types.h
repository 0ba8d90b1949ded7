// Spark's types as protocol messages, as JSON and as the tree that printSchema shows. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/statement_result.h"
#include "spark/connect/types.pb.h"
#include "sql/data_type.h"

namespace iceblink::server {

namespace connect = spark::connect;

void ToMessage(const sql::DataType& type, connect::DataType* out);
Result<sql::DataType> FromMessage(const connect::DataType& message);

// Parses a schema as clients send it: JSON of a StructType, or DDL text (`a INT, b STRING` or one
// type).
Result<sql::DataType> ParseSchema(std::string_view text);
// The DDL of a type in JSON form: `a INT,b STRING`.
std::string ToDdl(const sql::DataType& schema);

// root
//  |-- id: long (nullable = true)
// `level` bounds the depth.
std::string TreeString(const sql::DataType& schema, std::optional<int> level);

// The struct of a result's columns.
sql::DataType SchemaOf(const std::vector<engine::ResultColumn>& columns);

}  // namespace iceblink::server
