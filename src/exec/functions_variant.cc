// ib_variant_binary: a variant in the encoding of Parquet, as DuckDB's own Parquet writer makes it.
#include "exec/row_function.h"
#include "writer/variant_column_writer.hpp"

namespace iceblink::exec {

void RegisterVariantFunctions(duckdb::ExtensionLoader& loader) {
  using duckdb::LogicalType;
  duckdb::ScalarFunction function = duckdb::VariantColumnWriter::GetTransformFunction();
  function.name = "ib_variant_binary";
  function.SetReturnType(
      LogicalType::STRUCT({{"metadata", LogicalType::BLOB}, {"value", LogicalType::BLOB}}));
  loader.RegisterFunction(std::move(function));
}

}  // namespace iceblink::exec
