// The two rewrites that the executor cannot do for us: filters move down into table scans, where
// they prune files, and scans yield only the columns that are used (a scan that yields _deleted
// shows deleted rows). Pure; any thread.
#pragma once

#include "plan/logical_plan.h"
#include "plan/resolver.h"

namespace iceblink::plan {

// Returns the plan with scan filters set and unused scan columns dropped. Output columns stay as
// they are, row filters too.
PlanPtr Optimize(const PlanPtr& plan, const SessionSettings& settings);

// As Optimize, but of the output only the columns that the expressions use are kept where that is
// free.
PlanPtr Optimize(const PlanPtr& plan, const std::vector<ExprPtr>& used_by,
                 const SessionSettings& settings);

// Optimizes the plans of the subqueries in an expression that stands outside of a plan (conditions
// of row changes).
ExprPtr OptimizeSubqueries(const ExprPtr& expr, const SessionSettings& settings);

}  // namespace iceblink::plan
