// Plans and expressions as readable text, for EXPLAIN and tests. Pure; any thread.
#pragma once

#include <string>

#include "plan/logical_plan.h"

namespace iceblink::plan {

// One node a line, inputs indented below; columns are shown as name#id.
std::string PrintPlan(const PlanPtr& plan);
std::string PrintExpr(const ExprPtr& expr);
std::string PrintInsert(const InsertPlan& insert);
std::string PrintRowLevel(const RowLevelPlan& plan);

}  // namespace iceblink::plan
