// DELETE, UPDATE and MERGE.
#include <fmt/format.h>

#include "base/strings.h"
#include "plan/row_changes.h"

namespace iceblink::plan {
namespace {

// WHERE of DELETE and UPDATE.
Status SetCondition(RowChangeBuilder& builder, const sql::ExprPtr& where, const Env& env) {
  if (!where) return {};
  ASSIGN_OR_RETURN(
      TypedExpr condition,
      builder.analyzer().Condition(*where, builder.ContextOver(builder.target_scope(), env)));
  if (ContainsAggregate(condition.expr) || ContainsWindow(condition.expr))
    return Raise(
        "INVALID_WHERE_CONDITION",
        {{"condition", InDoubleQuotes(condition.text)}, {"expressionList", condition.text}},
        ErrorPosition{1, 0});
  if (!IsDeterministic(condition.expr))
    return Raise("INVALID_NON_DETERMINISTIC_EXPRESSIONS",
                 {{"sqlExprs", InDoubleQuotes(condition.text)}}, ErrorPosition{1, 0});
  builder.plan().condition = condition.expr;
  if (!IsFoldable(condition.expr)) return {};
  // What no column decides is decided before a file is looked at.
  ASSIGN_OR_RETURN(Value value, builder.analyzer().Evaluate(condition.expr));
  builder.plan().condition = MakeBool(!value.is_null() && value.As<bool>());
  return {};
}

// What the clauses of one MERGE see.
struct MergeScopes {
  Scope source;
  Scope both;
  bool evolves = false;  // the source may have fewer columns than the target
};

Result<RowClause> Clause(RowChangeBuilder& builder, const sql::MergeClause& clause,
                         const MergeScopes& scopes, const Env& env) {
  using Match = sql::MergeClause::Match;
  using Action = sql::MergeClause::Action;
  const Scope& scope = clause.match == Match::kMatched      ? scopes.both
                       : clause.match == Match::kNotMatched ? scopes.source
                                                            : builder.target_scope();
  RowClause result;
  if (clause.condition) {
    ASSIGN_OR_RETURN(TypedExpr condition, builder.analyzer().Condition(
                                              *clause.condition, builder.ContextOver(scope, env)));
    result.condition = condition.expr;
  }
  switch (clause.action) {
    case Action::kDelete:
      result.action = RowAction::kDelete;
      break;
    case Action::kUpdate: {
      result.action = RowAction::kUpdate;
      ASSIGN_OR_RETURN(result.values, builder.Updated(clause.assignments, scope, env, &scope));
      break;
    }
    case Action::kUpdateAll: {
      result.action = RowAction::kUpdate;
      ASSIGN_OR_RETURN(
          result.values,
          builder.FromSource(scopes.source, scopes.evolves ? Missing::kKeeps : Missing::kError));
      break;
    }
    case Action::kInsert: {
      result.action = RowAction::kInsert;
      ASSIGN_OR_RETURN(result.values, builder.Inserted(clause.assignments, scopes.source, env));
      break;
    }
    case Action::kInsertAll: {
      result.action = RowAction::kInsert;
      ASSIGN_OR_RETURN(
          result.values,
          builder.FromSource(scopes.source, scopes.evolves ? Missing::kDefault : Missing::kError));
      break;
    }
  }
  return result;
}

}  // namespace

Result<RowLevelPlan> QueryAnalyzer::Delete(const sql::Delete& statement) {
  ASSIGN_OR_RETURN(Env env, WithCtes(statement.ctes, Env()));
  auto target = Target(statement.table, statement.table_position, {}, env);
  if (!target && target.error().message.starts_with("Cannot write to metadata table"))
    return Fail(ErrorCode::kUnsupported, "Cannot delete from a metadata table",
                "UnsupportedOperationException");
  if (!target) return Fail(target.error());
  RowChangeBuilder builder(*this, std::move(*target), statement.alias);
  builder.plan().kind = RowLevelPlan::Kind::kDelete;
  RETURN_IF_ERROR(builder.ScanTarget());
  RETURN_IF_ERROR(SetCondition(builder, statement.where, env));
  builder.plan().matched.push_back({nullptr, RowAction::kDelete, {}});
  builder.Prune();
  builder.Finish();
  return std::move(builder.plan());
}

Result<RowLevelPlan> QueryAnalyzer::Update(const sql::Update& statement) {
  ASSIGN_OR_RETURN(Env env, WithCtes(statement.ctes, Env()));
  ASSIGN_OR_RETURN(TableRef target, Target(statement.table, statement.table_position, {}, env));
  RowChangeBuilder builder(*this, std::move(target), statement.alias);
  builder.plan().kind = RowLevelPlan::Kind::kUpdate;
  RETURN_IF_ERROR(builder.ScanTarget());
  RETURN_IF_ERROR(SetCondition(builder, statement.where, env));
  RowClause clause{nullptr, RowAction::kUpdate, {}};
  ASSIGN_OR_RETURN(clause.values,
                   builder.Updated(statement.assignments, builder.target_scope(), env, nullptr));
  builder.plan().matched.push_back(std::move(clause));
  builder.Prune();
  builder.Finish();
  return std::move(builder.plan());
}

Result<std::vector<Column>> QueryAnalyzer::MergeSource(const sql::Merge& statement) {
  ASSIGN_OR_RETURN(Env env, WithCtes(statement.ctes, Env()));
  ASSIGN_OR_RETURN(Relation source, From(statement.source, env));
  std::vector<Column> columns;
  for (const ScopeColumn* column : VisibleColumns(source.scope)) columns.push_back(column->column);
  return columns;
}

Result<RowLevelPlan> QueryAnalyzer::Merge(const sql::Merge& statement) {
  ASSIGN_OR_RETURN(Env env, WithCtes(statement.ctes, Env()));
  ASSIGN_OR_RETURN(TableRef target, Target(statement.table, statement.table_position, {}, env));
  RowChangeBuilder builder(*this, std::move(target), statement.alias);
  RowLevelPlan& plan = builder.plan();
  plan.kind = RowLevelPlan::Kind::kMerge;
  RETURN_IF_ERROR(builder.ScanTarget());
  ASSIGN_OR_RETURN(Relation source, From(statement.source, env));
  plan.source = source.plan;
  MergeScopes scopes;
  scopes.source = source.scope;
  scopes.evolves = statement.with_schema_evolution &&
                   EqualsIgnoreCase(plan.target.metadata->Property(
                                        "write.spark.auto-schema-evolution.enabled", "true"),
                                    "true");
  if (scopes.evolves && settings().merge_nested_coercion) builder.FillFields();
  scopes.both = builder.target_scope();
  for (const ScopeColumn& column : source.scope.columns) scopes.both.columns.push_back(column);
  ASSIGN_OR_RETURN(TypedExpr condition,
                   Condition(*statement.condition, builder.ContextOver(scopes.both, env)));
  if (!IsDeterministic(condition.expr))
    return Raise("INVALID_NON_DETERMINISTIC_EXPRESSIONS",
                 {{"sqlExprs", InDoubleQuotes(condition.text)}}, ErrorPosition{1, 0});
  plan.condition = condition.expr;
  for (const sql::MergeClause& clause : statement.clauses) {
    ASSIGN_OR_RETURN(RowClause row, Clause(builder, clause, scopes, env));
    switch (clause.match) {
      case sql::MergeClause::Match::kMatched:
        plan.matched.push_back(std::move(row));
        break;
      case sql::MergeClause::Match::kNotMatched:
        plan.not_matched.push_back(std::move(row));
        break;
      case sql::MergeClause::Match::kNotMatchedBySource:
        plan.not_matched_by_source.push_back(std::move(row));
        break;
    }
  }
  builder.Prune();
  builder.Finish();
  return std::move(builder.plan());
}

}  // namespace iceblink::plan
