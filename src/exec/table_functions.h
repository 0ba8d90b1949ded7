// Table functions of our own: `iceblink_rows(name, id)` yields the rows of a RowSource,
// `iceblink_range(start, end, step)` numbers in parallel. Exec-internal: includes DuckDB.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "plan/logical_plan.h"

namespace iceblink::exec {

// Rows that C++ code makes while the query runs, pulled by one thread at a time. `next` answers the
// next rows, empty at the end; a query may scan a source once only.
struct RowSource {
  std::vector<std::string> names;
  std::vector<duckdb::LogicalType> types;
  std::function<Result<std::vector<ValueList>>()> next;
};

// Rows begin ... end - 1 of a VALUES node whose expressions are all literals.
std::function<Result<std::vector<ValueList>>()> LiteralRows(const plan::Values& values,
                                                            int64_t begin, int64_t end);

// Number of values of a range.
int64_t RangeCount(const plan::Range& range);

}  // namespace iceblink::exec
