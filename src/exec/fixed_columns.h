// Parquet columns of type fixed(L). DuckDB knows no such type: it would write a BYTE_ARRAY, each
// value with its length before it, where Iceberg asks for FIXED_LEN_BYTE_ARRAY(L). Exec-internal:
// includes DuckDB.
#pragma once

#include "parquet_writer.hpp"
#include "spec/schema.h"

namespace iceblink::exec {

// Gives the columns of type fixed, at any depth, writers of their own. Call before the first row
// group. `fields` are the writer's columns in order. Such a column's values are written as they
// are, without a dictionary; a value of another length is an IllegalArgumentException.
void WriteFixedColumns(duckdb::ParquetWriter& writer, const std::vector<spec::NestedField>& fields);

}  // namespace iceblink::exec
