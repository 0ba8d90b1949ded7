// ColumnBuilder: gathers one column of DuckDB's chunks as Arrow data of its Spark type.
// Exec-internal: includes DuckDB. Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "duckdb.hpp"
#include "exec/column_batch.h"
#include "plan/expression.h"

namespace iceblink::exec {

class ColumnBuilder {
 public:
  explicit ColumnBuilder(sql::DataType type);

  // Appends rows `first` to `first + count` of a vector that holds `size`. Error: kInternal when
  // the vector is not of the column's type.
  Status Append(duckdb::Vector& vector, size_t size, size_t first, size_t count);
  size_t bytes() const;
  // Returns what was appended and starts anew.
  ColumnData Finish();

 private:
  using Format = duckdb::RecursiveUnifiedVectorFormat;
  using Rows = std::span<const duckdb::idx_t>;  // places in the vector

  Status Append(const Format& format, Rows rows);
  Status Content(const Format& format, Rows rows);
  void Validity(const Format& format, Rows rows);
  void Booleans(const Format& format, Rows rows);
  template <typename To>
  Status Numbers(const Format& format, Rows rows, int64_t factor = 1);
  template <typename From, typename To>
  void Copy(const Format& format, Rows rows, int64_t factor);
  void Decimals(const Format& format, Rows rows);
  Status Texts(const Format& format, Rows rows);
  void Intervals(const Format& format, Rows rows);
  Status Elements(const Format& format, Rows rows);
  Status Fields(const Format& format, Rows rows);
  tl::unexpected<Error> Mismatch(const Format& format) const;

  sql::DataType type_;
  ColumnData data_;
  std::vector<ColumnBuilder> children_;
};

}  // namespace iceblink::exec
