// Spark types and values in DuckDB's terms. Exec-internal: includes DuckDB.
//
// A Spark TIMESTAMP is DuckDB's TIMESTAMP WITH TIME ZONE, an instant; ICU is never loaded, so
// DuckDB itself treats every zone as UTC, and the session zone enters only through our own
// functions. Year-month intervals are INTEGER months and day-time intervals BIGINT micros, so that
// they compare, add and group as numbers.
#pragma once

#include <string>
#include <vector>

#include "base/value.h"
#include "duckdb.hpp"
#include "plan/expression.h"
#include "spec/type.h"

namespace iceblink::exec {

duckdb::LogicalType ToLogicalType(const sql::DataType& type);
// The type in which a column of an Iceberg table is read from and written to files.
duckdb::LogicalType ToLogicalType(const spec::Type& type);

// Names of a struct's fields in DuckDB, where they must differ without regard to case: Spark's, a
// repeated one with a suffix.
std::vector<std::string> StructNames(const sql::DataType& type);

// DuckDB SQL for a type, a quoted identifier, a string literal, a literal value of exactly the
// type's DuckDB type.
std::string TypeSql(const duckdb::LogicalType& type);
std::string TypeSql(const sql::DataType& type);
std::string QuoteIdentifier(std::string_view name);
std::string QuoteText(std::string_view text);
// The JSON text of a variant; NULL for SQL NULL. Needs the JSON extension.
std::string VariantTextSql(const std::string& text);
// The variant's encoding, a struct of metadata and value.
std::string VariantBinarySql(const std::string& variant);
std::string LiteralSql(const Value& value, const sql::DataType& type);

// Values cross in the physical form of base/value.h; `type` is the DuckDB type of the value.
Value FromDuckDb(const duckdb::Value& value);
duckdb::Value ToDuckDb(const Value& value, const duckdb::LogicalType& type);

// A value of FromDuckDb in the form of base/value.h for its Spark type: intervals are numbers in
// DuckDB.
Value Reshape(Value value, const sql::DataType& type);
bool NeedsReshape(const sql::DataType& type);

// Appends one Value per row of the column to `rows`.
void AppendColumn(duckdb::Vector& column, size_t count, std::vector<ValueList>* rows);

Int128 ToInt128(const duckdb::hugeint_t& value);
duckdb::hugeint_t ToHugeint(Int128 value);

}  // namespace iceblink::exec
