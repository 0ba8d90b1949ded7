// Scalar functions written as one C++ function of a row: arguments are read through RowArgs, the
// answer is a Datum. For functions whose work outweighs the cost of the call; tight numeric loops
// use DuckDB's executors instead. Exec-internal: includes DuckDB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "exec/statement_objects.h"

namespace iceblink::exec {

using TextList = std::vector<std::string>;
// NULL, boolean, any integer or date or timestamp, float, text or bytes, a list of texts.
using Datum = std::variant<std::monostate, bool, int64_t, double, std::string, TextList>;

class RowArgs {
 public:
  explicit RowArgs(duckdb::DataChunk& chunk);
  void MoveTo(size_t row) { row_ = row; }
  size_t size() const { return columns_.size(); }
  bool IsNull(size_t i) const { return !columns_[i].validity.RowIsValid(At(i)); }
  std::string_view Text(size_t i) const;
  int64_t Long(size_t i) const;
  int32_t Int(size_t i) const { return static_cast<int32_t>(Long(i)); }
  bool Bool(size_t i) const { return Long(i) != 0; }
  double Double(size_t i) const;
  TextList Texts(size_t i) const;  // of a list of texts; NULL elements are left out

 private:
  size_t At(size_t i) const { return columns_[i].sel->get_index(row_); }
  duckdb::DataChunk& chunk_;
  std::vector<duckdb::UnifiedVectorFormat> columns_;
  std::vector<duckdb::PhysicalType> types_;
  size_t row_ = 0;
};

struct RowFunction {
  const char* name;
  std::vector<duckdb::LogicalType> args;
  duckdb::LogicalType result;
  Datum (*body)(const RowArgs& args);
  bool sees_nulls = false;  // else NULL in, NULL out
  bool is_volatile = false;
  bool variadic = false;  // the last argument type repeats
};

void Register(duckdb::ExtensionLoader& loader, const std::vector<RowFunction>& functions);

// Parts of RegisterScalarFunctions.
void RegisterCastFunctions(duckdb::ExtensionLoader& loader);
void RegisterNumberFunctions(duckdb::ExtensionLoader& loader);
void RegisterVectorFunctions(duckdb::ExtensionLoader& loader);
void RegisterZorderFunction(duckdb::ExtensionLoader& loader);
void RegisterVariantFunctions(duckdb::ExtensionLoader& loader);
void RegisterTextFunctions(duckdb::ExtensionLoader& loader);
void RegisterFormatFunctions(duckdb::ExtensionLoader& loader);
void RegisterDatetimeFunctions(duckdb::ExtensionLoader& loader);
void RegisterHashFunctions(duckdb::ExtensionLoader& loader);
void RegisterHistogramFunction(duckdb::ExtensionLoader& loader);
void RegisterRecursionFunction(duckdb::ExtensionLoader& loader,
                               const std::shared_ptr<StatementObjects>& objects);
void RegisterJsonFunctions(duckdb::ExtensionLoader& loader,
                           const std::shared_ptr<StatementObjects>& objects);

}  // namespace iceblink::exec
