// FROM: joins, LATERAL VIEW, PIVOT and UNPIVOT.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

struct UsingColumn {
  ScopeColumn left, right;
};

Scope Combined(const Scope& left, const Scope& right, const Scope* outer) {
  Scope scope = left;
  scope.columns.insert(scope.columns.end(), right.columns.begin(), right.columns.end());
  scope.outer = outer;
  return scope;
}

void MakeNullable(Scope& scope) {
  for (ScopeColumn& column : scope.columns) column.column.nullable = true;
}

std::vector<std::string> NaturalColumns(const Scope& left, const Scope& right,
                                        const NameRules& names) {
  std::vector<std::string> shared;
  for (const ScopeColumn* a : VisibleColumns(left))
    for (const ScopeColumn* b : VisibleColumns(right))
      if (names.Same(a->column.name, b->column.name)) shared.push_back(a->column.name);
  return shared;
}

Result<ScopeColumn> UsingSide(const Scope& scope, const std::string& name, std::string_view side,
                              const NameRules& names, ErrorPosition at) {
  ASSIGN_OR_RETURN(auto match, names.Find(scope, {name}, at));
  if (match) return *match->column;
  std::vector<std::string> known;
  for (const ScopeColumn* column : VisibleColumns(scope))
    known.push_back(sql::QuoteIdentifier(column->column.name));
  return Raise("UNRESOLVED_USING_COLUMN_FOR_JOIN",
               {{"colName", sql::QuoteIdentifier(name)},
                {"side", std::string(side)},
                {"suggestion", iceblink::Join(known, ", ")}},
               at);
}

bool IsKey(const std::vector<UsingColumn>& keys, const ScopeColumn& column, bool left) {
  return std::any_of(keys.begin(), keys.end(), [&](const UsingColumn& key) {
    return (left ? key.left : key.right).column.id == column.column.id;
  });
}

// The scope of a USING join: the keys once and first, then the rest; the hidden side's keys need
// their qualifier.
Scope UsingScope(const std::vector<UsingColumn>& keys, const Scope& left, const Scope& right,
                 JoinType type) {
  Scope scope;
  bool right_keys = type == JoinType::kRightOuter;
  for (const UsingColumn& key : keys) scope.columns.push_back(right_keys ? key.right : key.left);
  for (const ScopeColumn& column : left.columns) {
    if (!IsKey(keys, column, true)) scope.columns.push_back(column);
  }
  if (type != JoinType::kLeftSemi && type != JoinType::kLeftAnti)
    for (const ScopeColumn& column : right.columns)
      if (!IsKey(keys, column, false)) scope.columns.push_back(column);
  for (const UsingColumn& key : keys) {
    if (type == JoinType::kLeftSemi || type == JoinType::kLeftAnti) break;
    ScopeColumn hidden = right_keys ? key.left : key.right;
    hidden.qualified_only = true;
    scope.columns.push_back(std::move(hidden));
  }
  return scope;
}

}  // namespace

namespace {

// The orders of the two enumerations differ: cross joins stand elsewhere.
JoinType TypeOf(sql::JoinType type) {
  switch (type) {
    case sql::JoinType::kInner:
      return JoinType::kInner;
    case sql::JoinType::kCross:
      return JoinType::kCross;
    case sql::JoinType::kLeftOuter:
      return JoinType::kLeftOuter;
    case sql::JoinType::kRightOuter:
      return JoinType::kRightOuter;
    case sql::JoinType::kFullOuter:
      return JoinType::kFullOuter;
    case sql::JoinType::kLeftSemi:
      return JoinType::kLeftSemi;
    case sql::JoinType::kLeftAnti:
      return JoinType::kLeftAnti;
  }
  return JoinType::kInner;
}

bool OneSided(JoinType type) { return type == JoinType::kLeftSemi || type == JoinType::kLeftAnti; }
bool LeftMayMiss(JoinType type) {
  return type == JoinType::kRightOuter || type == JoinType::kFullOuter;
}
bool RightMayMiss(JoinType type) {
  return type == JoinType::kLeftOuter || type == JoinType::kFullOuter;
}

std::vector<Column> JoinOutput(const Plan& left, const Plan& right, JoinType type) {
  std::vector<Column> output;
  auto add = [&](Column column, bool nullable) {
    column.nullable = column.nullable || nullable;
    output.push_back(std::move(column));
  };
  for (const Column& column : left.output) add(column, LeftMayMiss(type));
  if (!OneSided(type))
    for (const Column& column : right.output) add(column, RightMayMiss(type));
  return output;
}

}  // namespace

// FULL OUTER JOIN USING: a key is the first of both sides that is not NULL, in a projection above
// the join.
Relation QueryAnalyzer::FullOuterKeys(Relation joined,
                                      const std::vector<std::pair<Column, Column>>& keys) {
  std::vector<Column> output = joined.plan->output;
  plan::Project project{joined.plan, {}};
  for (const Column& column : output) project.items.push_back({column, MakeColumn(column)});
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto& [left, right] = keys[i];
    auto common = CommonType(left.type, right.type);
    ExprPtr first = MakeCall("coalesce",
                             {MakeCast(MakeColumn(left), *common, cast_mode()),
                              MakeCast(MakeColumn(right), *common, cast_mode())},
                             *common, true);
    Column column = NewColumn(left.name, *common, true);
    project.items.push_back({column, first});
    output.push_back(column);
    ScopeColumn hidden_left = joined.scope.columns[i];
    hidden_left.qualified_only = true;
    joined.scope.columns[i] = {column, {}, false, false};
    joined.scope.columns.push_back(std::move(hidden_left));
  }
  joined.plan = MakePlan(std::move(project), std::move(output));
  return joined;
}

Result<Relation> QueryAnalyzer::Join(const sql::Join& join, const sql::Position& at,
                                     const Env& env) {
  ASSIGN_OR_RETURN(Relation left, From(join.left, env));
  Env right_env = env;
  left.scope.outer = env.outer;
  if (join.lateral) right_env.outer = &left.scope;
  ASSIGN_OR_RETURN(Relation right, From(join.right, right_env));
  JoinType type = TypeOf(join.type);
  std::vector<std::string> using_names = join.using_columns;
  if (join.natural) using_names = NaturalColumns(left.scope, right.scope, names_);
  ErrorPosition position = ToErrorPosition(at);
  if (LeftMayMiss(type)) MakeNullable(left.scope);
  if (RightMayMiss(type)) MakeNullable(right.scope);
  ExprPtr condition;
  std::vector<UsingColumn> keys;
  for (const std::string& name : using_names) {
    ASSIGN_OR_RETURN(ScopeColumn a, UsingSide(left.scope, name, "left", names_, position));
    ASSIGN_OR_RETURN(ScopeColumn b, UsingSide(right.scope, name, "right", names_, position));
    ASSIGN_OR_RETURN(TypedExpr equal, Comparison("=", {MakeColumn(a.column), a.column.name},
                                                 {MakeColumn(b.column), b.column.name}, position));
    condition = MakeAnd(condition, equal.expr);
    keys.push_back({std::move(a), std::move(b)});
  }
  if (join.condition) {
    Scope both = Combined(left.scope, right.scope, env.outer);
    ExprContext context;
    context.env = &env;
    context.scope = &both;
    ASSIGN_OR_RETURN(TypedExpr typed, Condition(*join.condition, context));
    condition = typed.expr;
  }
  PlanPtr plan = MakePlan(plan::Join{left.plan, right.plan, type, condition, join.lateral},
                          JoinOutput(*left.plan, *right.plan, type));
  Scope scope = OneSided(type) ? left.scope : Combined(left.scope, right.scope, nullptr);
  scope.outer = nullptr;
  if (keys.empty()) return Relation{std::move(plan), std::move(scope)};
  Relation joined{std::move(plan), UsingScope(keys, left.scope, right.scope, type)};
  if (type != JoinType::kFullOuter) return joined;
  std::vector<std::pair<Column, Column>> pairs;
  for (const UsingColumn& key : keys) pairs.emplace_back(key.left.column, key.right.column);
  return FullOuterKeys(std::move(joined), pairs);
}

Result<Relation> QueryAnalyzer::LateralView(const sql::LateralView& view, const Env& env) {
  ASSIGN_OR_RETURN(Relation relation, From(view.child, env));
  relation.scope.outer = env.outer;
  const FunctionRow* row =
      view.generator.name.size() == 1 ? FindFunction(view.generator.name[0]) : nullptr;
  if (row == nullptr || row->kind != FunctionKind::kGenerator)
    return Raise("UNRESOLVED_ROUTINE",
                 {{"routineName", sql::QuoteName(view.generator.name)},
                  {"searchPath", "[`system`.`builtin`, `system`.`session`]"}});
  ExprContext context;
  context.env = &env;
  context.scope = &relation.scope;
  std::vector<ExprPtr> args;
  for (const sql::Argument& arg : view.generator.args) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*arg.expr, context));
    args.push_back(typed.expr);
  }
  ASSIGN_OR_RETURN(std::vector<Column> generated, GeneratedColumns(row->CanonicalName(), args));
  if (!view.columns.empty() && view.columns.size() != generated.size())
    return Raise("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(view.columns.size())},
                                               {"numExpr", std::to_string(generated.size())}});
  bool outer = view.outer || row->name.ends_with("_outer");
  std::vector<Column> output = relation.plan->output;
  for (size_t i = 0; i < generated.size(); ++i) {
    if (!view.columns.empty()) generated[i].name = view.columns[i];
    if (outer) generated[i].nullable = true;
    output.push_back(generated[i]);
    relation.scope.columns.push_back({generated[i], {view.alias}, false, false});
  }
  relation.scope.outer = nullptr;
  relation.plan = MakePlan(
      Generate{relation.plan, row->CanonicalName(), std::move(args), outer, std::move(generated)},
      std::move(output));
  return relation;
}

// ---- PIVOT
// ------------------------------------------------------------------------------------------------------------

namespace {

void CollectNames(const sql::Expr& expr, std::vector<std::string>& names) {
  if (const auto* column = expr.As<sql::NamedColumn>()) names.push_back(column->parts.back());
  if (const auto* call = expr.As<sql::FunctionCall>())
    for (const sql::Argument& arg : call->args) CollectNames(*arg.expr, names);
  if (const auto* op = expr.As<sql::BinaryOp>()) {
    CollectNames(*op->left, names);
    CollectNames(*op->right, names);
  }
  if (const auto* cast = expr.As<sql::Cast>()) CollectNames(*cast->child, names);
}

sql::ExprPtr PivotCondition(const sql::Pivot& pivot, const sql::Expr& value) {
  auto equal = [](const std::string& column, sql::ExprPtr wanted) {
    return sql::MakeExpr(sql::BinaryOp{sql::BinaryOperator::kNullSafeEq,
                                       sql::MakeExpr(sql::NamedColumn{{column}}), wanted});
  };
  const auto* row = value.As<sql::StructConstructor>();
  if (row == nullptr) return equal(pivot.columns[0], std::make_shared<const sql::Expr>(value));
  sql::ExprPtr all;
  for (size_t i = 0; i < row->fields.size() && i < pivot.columns.size(); ++i) {
    sql::ExprPtr one = equal(pivot.columns[i], row->fields[i].expr);
    all = all ? sql::MakeExpr(sql::BinaryOp{sql::BinaryOperator::kAnd, all, one}) : one;
  }
  return all;
}

}  // namespace

// PIVOT is grouped by every column that neither the aggregates nor FOR name, with one filtered
// aggregate a value.
Result<Relation> QueryAnalyzer::Pivot(const sql::Pivot& pivot, const Env& env) {
  ASSIGN_OR_RETURN(Relation relation, From(pivot.child, env));
  std::vector<std::string> used = pivot.columns;
  for (const sql::NamedExpr& aggregate : pivot.aggregates) CollectNames(*aggregate.expr, used);
  sql::Select select;
  select.from = pivot.child;
  sql::GroupBy group_by;
  for (const ScopeColumn* column : VisibleColumns(relation.scope)) {
    bool named = std::any_of(used.begin(), used.end(), [&](const std::string& name) {
      return names_.Same(name, column->column.name);
    });
    if (named) continue;
    sql::ExprPtr expr = sql::MakeExpr(sql::NamedColumn{{column->column.name}});
    select.items.push_back({expr, {}, {}});
    group_by.elements.push_back({{expr}, false, nullptr});
  }
  Scope none;
  ExprContext context;
  context.env = &env;
  context.scope = &none;
  for (const sql::NamedExpr& value : pivot.values) {
    std::string label = value.alias;
    if (label.empty()) {
      ASSIGN_OR_RETURN(TypedExpr typed, Expression(*value.expr, context));
      label = typed.text;
    }
    for (const sql::NamedExpr& aggregate : pivot.aggregates) {
      const auto* call = aggregate.expr->As<sql::FunctionCall>();
      if (call == nullptr)
        return Fail(ErrorCode::kUnsupported, "PIVOT takes plain aggregate functions only",
                    "AnalysisException");
      sql::FunctionCall filtered = *call;
      filtered.filter = PivotCondition(pivot, *value.expr);
      std::string name = label;
      if (pivot.aggregates.size() > 1) {
        std::string suffix =
            aggregate.alias.empty() ? std::string(call->name.back()) : aggregate.alias;
        name = fmt::format("{}_{}", label, suffix);
      }
      select.items.push_back({sql::MakeExpr(std::move(filtered)), std::move(name), {}});
    }
  }
  select.group_by = std::move(group_by);
  if (select.group_by->elements.empty()) select.group_by.reset();
  ASSIGN_OR_RETURN(PlanPtr plan, Select(select, nullptr, env));
  Scope scope = ScopeOf(plan->output, {});
  return Relation{std::move(plan), std::move(scope)};
}

// UNPIVOT is the union of one projection a column (set).
Result<Relation> QueryAnalyzer::Unpivot(const sql::Unpivot& unpivot, const Env& env) {
  ASSIGN_OR_RETURN(Relation relation, From(unpivot.child, env));
  auto in_sets = [&](const std::string& name) {
    for (const auto& set : unpivot.sets)
      for (const sql::Name& column : set.columns)
        if (names_.Same(column.back(), name)) return true;
    return false;
  };
  sql::QueryTermPtr body;
  for (const auto& set : unpivot.sets) {
    sql::Select select;
    select.from = unpivot.child;
    for (const ScopeColumn* column : VisibleColumns(relation.scope))
      if (!in_sets(column->column.name))
        select.items.push_back({sql::MakeExpr(sql::NamedColumn{{column->column.name}}), {}, {}});
    std::vector<std::string> texts;
    for (const sql::Name& column : set.columns) texts.push_back(column.back());
    std::string label = set.alias.empty() ? iceblink::Join(texts, "_") : set.alias;
    select.items.push_back({sql::MakeExpr(sql::Literal{Value(label), DataType(TypeKind::kString)}),
                            unpivot.name_column,
                            {}});
    sql::ExprPtr not_null;
    for (size_t i = 0; i < set.columns.size() && i < unpivot.value_columns.size(); ++i) {
      sql::ExprPtr value = sql::MakeExpr(sql::NamedColumn{set.columns[i]});
      select.items.push_back({value, unpivot.value_columns[i], {}});
      sql::ExprPtr test = sql::MakeExpr(sql::IsNull{value, true});
      not_null =
          not_null ? sql::MakeExpr(sql::BinaryOp{sql::BinaryOperator::kOr, not_null, test}) : test;
    }
    if (!unpivot.include_nulls) select.where = not_null;
    auto term = std::make_shared<sql::QueryTerm>();
    term->node = std::move(select);
    if (!body) {
      body = term;
      continue;
    }
    auto both = std::make_shared<sql::QueryTerm>();
    both->node = sql::SetOperation{sql::SetOperator::kUnion, true, body, term};
    body = both;
  }
  sql::Query query;
  query.body = body;
  ASSIGN_OR_RETURN(PlanPtr plan, Query(query, env));
  Scope scope = ScopeOf(plan->output, {});
  return Relation{std::move(plan), std::move(scope)};
}

}  // namespace iceblink::plan
