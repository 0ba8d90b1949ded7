// Queries: CTEs, set operations, ORDER BY and LIMIT above them.
#include <fmt/format.h>

#include <set>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

Result<Env> QueryAnalyzer::WithCtes(const std::vector<sql::Cte>& ctes, const Env& env,
                                    bool recursive) {
  Env inner = env;
  std::set<std::string> seen;
  for (const sql::Cte& cte : ctes) {
    if (!seen.insert(AsciiLower(cte.name)).second)
      return Raise("DUPLICATED_CTE_NAMES", {{"duplicateNames", sql::QuoteIdentifier(cte.name)}});
    inner.ctes = std::make_shared<const CteFrame>(
        CteFrame{&cte, std::make_shared<const Env>(inner), inner.ctes, recursive, nullptr});
  }
  return inner;
}

PlanPtr QueryAnalyzer::CastColumns(const PlanPtr& plan, const std::vector<DataType>& types,
                                   CastMode mode) {
  bool equal = true;
  for (size_t i = 0; i < types.size(); ++i)
    equal = equal && DataType::EqualsIgnoringNullability(plan->output[i].type, types[i]);
  if (equal) return plan;
  Project project{plan, {}};
  std::vector<Column> output;
  for (size_t i = 0; i < types.size(); ++i) {
    const Column& column = plan->output[i];
    ExprPtr value = MakeCast(MakeColumn(column), types[i], mode);
    Column result = NewColumn(column.name, value->type, value->nullable);
    project.items.push_back({result, value});
    output.push_back(result);
  }
  return MakePlan(std::move(project), std::move(output));
}

namespace {

constexpr std::string_view kSetNames[] = {"UNION", "INTERSECT", "EXCEPT"};

std::string Ordinal(size_t n) { return OrdinalWord(n); }

Error Incompatible(std::string_view op, size_t column, const DataType& right,
                   const DataType& left) {
  return MakeError("INCOMPATIBLE_COLUMN_TYPE",
                   {{"operator", std::string(op)},
                    {"columnOrdinalNumber", Ordinal(column + 1)},
                    {"tableOrdinalNumber", "second"},
                    {"dataType1", InDoubleQuotes(right.SqlString())},
                    {"dataType2", InDoubleQuotes(left.SqlString())},
                    {"hint", ""}},
                   ErrorPosition{1, 0});
}

// Columns without names, literals and such take the left side's; NULL on either side is NULL in the
// result.
std::vector<Column> SetColumns(QueryAnalyzer& analyzer, const PlanPtr& left, const PlanPtr& right,
                               SetOpKind kind) {
  std::vector<Column> output;
  for (size_t i = 0; i < left->output.size(); ++i) {
    const Column &a = left->output[i], &b = right->output[i];
    bool nullable = kind == SetOpKind::kUnion       ? a.nullable || b.nullable
                    : kind == SetOpKind::kIntersect ? a.nullable && b.nullable
                                                    : a.nullable;
    output.push_back(analyzer.NewColumn(a.name, a.type, nullable));
  }
  return output;
}

}  // namespace

Result<PlanPtr> QueryAnalyzer::SetOperation(const sql::SetOperation& operation,
                                            const sql::Position& at, const Env& env) {
  auto side = [&](const sql::QueryTermPtr& term) -> Result<PlanPtr> {
    sql::Query query;
    query.body = term;
    return Query(query, env);
  };
  (void)at;
  ASSIGN_OR_RETURN(PlanPtr left, side(operation.left));
  ASSIGN_OR_RETURN(PlanPtr right, side(operation.right));
  std::string_view name = kSetNames[static_cast<size_t>(operation.op)];
  if (left->output.size() != right->output.size())
    return Raise("NUM_COLUMNS_MISMATCH",
                 {{"operator", std::string(name)},
                  {"firstNumColumns", std::to_string(left->output.size())},
                  {"invalidOrdinalNum", "second"},
                  {"invalidNumColumns", std::to_string(right->output.size())}},
                 ErrorPosition{1, 0});
  std::vector<DataType> types;
  for (size_t i = 0; i < left->output.size(); ++i) {
    const DataType &a = left->output[i].type, &b = right->output[i].type;
    auto type = CommonType(a, b, settings_.ansi);
    if (!type) return Fail(Incompatible(name, i, b, a));
    types.push_back(*type);
  }
  left = CastColumns(left, types, cast_mode());
  right = CastColumns(right, types, cast_mode());
  auto kind = static_cast<SetOpKind>(operation.op);
  std::vector<Column> output = SetColumns(*this, left, right, kind);
  return MakePlan(SetOp{kind, operation.all, left, right}, std::move(output));
}

namespace {

// LIMIT and OFFSET: a constant that is not negative.
Result<int64_t> LimitValue(QueryAnalyzer& analyzer, const sql::Expr& expr, std::string_view what,
                           const Env& env) {
  ExprContext context;
  Scope none;
  context.env = &env;
  context.scope = &none;
  ASSIGN_OR_RETURN(TypedExpr typed, analyzer.Expression(expr, context));
  ErrorPosition at = ToErrorPosition(expr.position);
  if (!IsFoldable(typed.expr))
    return Raise("INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE",
                 {{"expr", InDoubleQuotes(typed.text)}, {"name", std::string(what)}}, at);
  if (!typed.expr->type.is_integral() || typed.expr->type.kind() == TypeKind::kBigInt)
    return Raise("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
                 {{"expr", InDoubleQuotes(typed.text)},
                  {"name", std::string(what)},
                  {"dataType", InDoubleQuotes(typed.expr->type.SqlString())}},
                 at);
  ASSIGN_OR_RETURN(Value value, analyzer.Evaluate(typed.expr));
  if (value.is_null())
    return Raise("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL",
                 {{"expr", InDoubleQuotes(typed.text)}, {"name", std::string(what)}}, at);
  if (value.AsInt64() < 0)
    return Raise("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                 {{"expr", InDoubleQuotes(typed.text)},
                  {"name", std::string(what)},
                  {"v", std::to_string(value.AsInt64())}},
                 at);
  return value.AsInt64();
}

// ORDER BY over a query that has no columns beyond its output.
Result<PlanPtr> SortOutput(QueryAnalyzer& analyzer, PlanPtr plan,
                           const std::vector<sql::SortItem>& items, bool global, const Env& env) {
  Scope scope = ScopeOf(plan->output, {});
  scope.outer = env.outer;
  ExprContext context;
  context.env = &env;
  context.scope = &scope;
  std::vector<SortKey> keys;
  for (const sql::SortItem& item : items) {
    const auto* literal = item.expr->As<sql::Literal>();
    if (literal != nullptr && literal->type.is_integral() && analyzer.settings().order_by_ordinal) {
      int64_t index = literal->value.AsInt64();
      if (index < 1 || index > static_cast<int64_t>(plan->output.size()))
        return Raise(
            "ORDER_BY_POS_OUT_OF_RANGE",
            {{"index", std::to_string(index)}, {"size", std::to_string(plan->output.size())}},
            ToErrorPosition(item.expr->position));
      keys.push_back({MakeColumn(plan->output[static_cast<size_t>(index - 1)]), !item.descending,
                      item.nulls_first()});
      continue;
    }
    const auto* column = item.expr->As<sql::NamedColumn>();
    if (column != nullptr && column->parts.size() == 1 &&
        EqualsIgnoreCase(column->parts[0], "all") && items.size() == 1) {
      for (const Column& output : plan->output)
        keys.push_back({MakeColumn(output), !item.descending, item.nulls_first()});
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<SortKey> one, analyzer.SortKeys({item}, context, nullptr));
    keys.push_back(std::move(one[0]));
  }
  std::vector<Column> output = plan->output;
  return MakePlan(Sort{std::move(plan), std::move(keys), global}, std::move(output));
}

}  // namespace

Result<PlanPtr> QueryAnalyzer::Query(const sql::Query& query, const Env& outer) {
  ASSIGN_OR_RETURN(Env env, WithCtes(query.ctes, outer, query.recursive));
  PlanPtr plan;
  const sql::QueryTerm& body = *query.body;
  if (const auto* select = std::get_if<sql::Select>(&body.node)) {
    ASSIGN_OR_RETURN(plan, Select(*select, &query, env));
  } else {
    if (const auto* operation = std::get_if<sql::SetOperation>(&body.node)) {
      ASSIGN_OR_RETURN(plan, SetOperation(*operation, body.position, env));
    } else if (const auto* relation = std::get_if<sql::RelationPtr>(&body.node)) {
      if (const auto* table = (*relation)->As<sql::InlineTable>()) {
        ASSIGN_OR_RETURN(Relation rows, InlineTable(*table, (*relation)->position, env));
        plan = std::move(rows.plan);
      } else {
        sql::Select all;
        all.items.push_back({sql::MakeExpr(sql::Star{}), {}, {}});
        all.from = *relation;
        ASSIGN_OR_RETURN(plan, Select(all, nullptr, env));
      }
    } else {
      ASSIGN_OR_RETURN(plan, Query(*std::get<sql::QueryPtr>(body.node), env));
    }
    if (!query.order_by.empty()) {
      ASSIGN_OR_RETURN(plan, SortOutput(*this, std::move(plan), query.order_by, true, env));
    }
    if (!query.sort_by.empty()) {
      ASSIGN_OR_RETURN(plan, SortOutput(*this, std::move(plan), query.sort_by, false, env));
    }
  }
  if (query.limit || query.offset) {
    Limit limit;
    if (query.limit) {
      ASSIGN_OR_RETURN(limit.limit, LimitValue(*this, *query.limit, "limit", env));
    }
    if (query.offset) {
      ASSIGN_OR_RETURN(limit.offset, LimitValue(*this, *query.offset, "offset", env));
    }
    limit.child = plan;
    std::vector<Column> output = plan->output;
    plan = MakePlan(std::move(limit), std::move(output));
  }
  return plan;
}

}  // namespace iceblink::plan
