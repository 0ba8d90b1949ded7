// SQL transforms - bucket(16, id), days(ts) - to Iceberg terms and back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spec/partition_spec.h"
#include "spec/sort_order.h"
#include "sql/ast.h"

namespace iceblink::engine {

// A transform and the one column it is of.
struct ColumnTransform {
  std::string column;  // dotted
  spec::Transform transform;
};

// Errors: UnsupportedOperationException "Transform is not supported: %s", IllegalArgumentException
// "Unsupported width for transform: %s", "Cannot find width for transform: %s", "Cannot convert
// transform with more than one column reference: %s".
Result<ColumnTransform> ToColumnTransform(const sql::Transform& transform);

Result<std::vector<spec::SortTerm>> ToSortTerms(const std::vector<sql::OrderField>& order);

// `bucket(4, id)`, `days(ts)`, `id`: as DESCRIBE and SHOW CREATE TABLE print a partition field.
// Void fields have no text.
std::string DescribeTransform(const spec::Transform& transform, std::string_view column);

// The partition columns of a spec, void fields left out.
std::vector<std::string> DescribePartitioning(const spec::PartitionSpec& spec,
                                              const spec::Schema& schema);

}  // namespace iceblink::engine
