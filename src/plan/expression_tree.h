// Making, walking, comparing and rewriting typed expressions. Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/expression.h"
#include "plan/logical_plan.h"

namespace iceblink::plan {

// ---- making
// -----------------------------------------------------------------------------------------------------------

ExprPtr MakeColumn(const Column& column);
ExprPtr MakeLiteral(Value value, DataType type);
ExprPtr MakeNull(DataType type = {});
ExprPtr MakeBool(bool value);
ExprPtr MakeInt(int32_t value);
ExprPtr MakeString(std::string text);
// `function` must be a canonical name; it is replaced by the view into static storage.
ExprPtr MakeCall(std::string_view function, std::vector<ExprPtr> args, DataType type,
                 bool nullable);
// As MakeCall; NULL when an argument is.
ExprPtr MakeCall(std::string_view function, std::vector<ExprPtr> args, DataType type);
// Returns `child` itself when it has the type already (but for nullability of nested parts).
ExprPtr MakeCast(ExprPtr child, const DataType& type, CastMode mode,
                 std::string target_column = {});
ExprPtr MakeAnd(ExprPtr a, ExprPtr b);  // a null operand is no condition
ExprPtr MakeExpr(Expr::Node node, DataType type, bool nullable);

// The literal's value when the expression is one, else null.
const Value* LiteralValue(const ExprPtr& expr);

// ---- walking
// ----------------------------------------------------------------------------------------------------------

// The direct children, in a fixed order (not the plans of subqueries).
std::vector<ExprPtr> Children(const Expr& expr);
// The same node over other children: as many as Children returned, in that order.
ExprPtr WithChildren(const Expr& expr, const std::vector<ExprPtr>& children);

// Calls `visit` for the expression and all below; false from `visit` skips what is below.
void ForEachNode(const ExprPtr& expr, const std::function<bool(const Expr&)>& visit);
bool AnyNode(const ExprPtr& expr, const std::function<bool(const Expr&)>& test);

// Replaces nodes top down: where `replace` returns an expression, that one stands (and is not
// descended into).
ExprPtr Transform(const ExprPtr& expr, const std::function<ExprPtr(const ExprPtr&)>& replace);

// Equal meaning: same nodes, columns, literals and types. Subqueries are equal only when they share
// their plan.
bool SameExpr(const ExprPtr& a, const ExprPtr& b);

bool ContainsAggregate(const ExprPtr& expr);
bool ContainsWindow(const ExprPtr& expr);
bool ContainsSubquery(const ExprPtr& expr);
bool IsDeterministic(const ExprPtr& expr);
// No columns, subqueries, aggregates or random values: its value is known before a row is read.
bool IsFoldable(const ExprPtr& expr);

// Splits a condition at its ANDs.
std::vector<ExprPtr> SplitConjuncts(const ExprPtr& condition);

// Adds the ids of columns used in the expression and, for subqueries, in their plans.
void CollectColumns(const ExprPtr& expr, std::vector<ColumnId>& ids);

// ---- plans
// ------------------------------------------------------------------------------------------------------------

PlanPtr MakePlan(Plan::Node node, std::vector<Column> output);
std::vector<PlanPtr> Inputs(const Plan& plan);

// Every expression directly in a plan node.
void ForEachExpr(const Plan& plan, const std::function<void(const ExprPtr&)>& visit);

// Copies a plan with fresh column ids; `next_id` gives them. References to columns from outside
// stay.
PlanPtr WithFreshIds(const PlanPtr& plan, const std::function<ColumnId()>& next_id);

// Copies a plan; `replace` gives what stands for each TableScan and MetadataScan of it.
Result<PlanPtr> WithScans(const PlanPtr& plan,
                          const std::function<Result<PlanPtr>(const PlanPtr&)>& replace);

}  // namespace iceblink::plan
