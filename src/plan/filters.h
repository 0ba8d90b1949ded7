// From typed predicates to Iceberg filters: what of a condition a table's files can be pruned with,
// and whether the filter says exactly what the condition says. Pure; any thread.
//
// SQL's NULL decides: a row matches only when the condition is true. `x <> 1` is therefore "not
// null and not equal", and since NaN is greater than every number, `x > 1` on a float is "greater
// or NaN".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "expr/expression.h"
#include "plan/expression.h"
#include "plan/logical_plan.h"
#include "plan/resolver.h"

namespace iceblink::plan {

// Returns the dotted name of the table column with this id; nothing when the column is not of the
// table.
using ColumnNames = std::function<std::optional<std::string>(ColumnId)>;

// Names of the columns of a scan, without metadata columns.
ColumnNames NamesOf(const TableScan& scan);

// Returns the filter that is true for exactly the rows for which `predicate` is; nothing when there
// is none.
std::optional<expr::Expression> ToIcebergPredicate(const ExprPtr& predicate,
                                                   const ColumnNames& names,
                                                   const SessionSettings& settings);

struct IcebergFilter {
  expr::Expression filter;  // true for at least the rows that the condition holds for
  bool exact = true;
};

// Converts conjunct by conjunct; conjuncts without an Iceberg form are left out. Null: no
// condition.
IcebergFilter ToIcebergFilter(const ExprPtr& condition, const ColumnNames& names,
                              const SessionSettings& settings);

}  // namespace iceblink::plan
