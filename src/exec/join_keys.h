// What the source of a MERGE says of the target's files: ranges and sets of equi-join keys as an
// Iceberg filter. Exec-internal.
#pragma once

#include "exec/duckdb_session.h"
#include "exec/lowering.h"
#include "expr/expression.h"
#include "plan/logical_plan.h"

namespace iceblink::exec {

// Returns a filter that every target row which the condition can match satisfies; "false" when the
// source has no rows. `source` is the table that holds the source's rows under the names of its
// columns.
Result<expr::Expression> JoinKeyFilter(DuckDbSession& session, Lowering& lowering,
                                       const plan::RowLevelPlan& plan, const std::string& source);

}  // namespace iceblink::exec
