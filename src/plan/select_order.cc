// ORDER BY, SORT BY, hints and the final projection of a SELECT.
#include <fmt/format.h>

#include "base/strings.h"
#include "plan/select.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

Result<ExprPtr> SelectBuilder::OrderExpr(const sql::SortItem& item, std::string* text) {
  const auto* literal = item.expr->As<sql::Literal>();
  if (literal != nullptr && literal->type.is_integral() && analyzer_.settings().order_by_ordinal) {
    int64_t index = literal->value.AsInt64();
    if (index < 1 || index > static_cast<int64_t>(items_.size()))
      return Raise("ORDER_BY_POS_OUT_OF_RANGE",
                   {{"index", std::to_string(index)}, {"size", std::to_string(items_.size())}},
                   ToErrorPosition(item.expr->position));
    const AliasedExpr& target = items_[static_cast<size_t>(index - 1)];
    *text = target.name;
    return target.value.expr;
  }
  ExprContext context = Context();
  context.aliases = &items_;
  context.aliases_first = true;
  ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(*item.expr, context));
  *text = typed.text;
  return typed.expr;
}

Status SelectBuilder::OrderKeys(const std::vector<sql::SortItem>& items, std::vector<Key>& keys) {
  for (const sql::SortItem& item : items) {
    const auto* column = item.expr->As<sql::NamedColumn>();
    if (column != nullptr && column->parts.size() == 1 &&
        EqualsIgnoreCase(column->parts[0], "all") && items.size() == 1) {
      for (const AliasedExpr& output : items_)
        keys.push_back({{output.value.expr, !item.descending, item.nulls_first()}, output.name});
      continue;
    }
    std::string text;
    ASSIGN_OR_RETURN(ExprPtr expr, OrderExpr(item, &text));
    if (!IsOrderable(expr->type))
      return Raise("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                   {{"sqlExpr", InDoubleQuotes(fmt::format("{} {} NULLS {}", text,
                                                           item.descending ? "DESC" : "ASC",
                                                           item.nulls_first() ? "FIRST" : "LAST"))},
                    {"functionName", "`sortorder`"},
                    {"dataType", InDoubleQuotes(expr->type.SqlString())}},
                   ToErrorPosition(item.expr->position));
    keys.push_back({{expr, !item.descending, item.nulls_first()}, std::move(text)});
  }
  return {};
}

// ---- hints
// ------------------------------------------------------------------------------------------------------------

Status SelectBuilder::Hints(PlanPtr& plan) {
  for (auto hint = select_.hints.rbegin(); hint != select_.hints.rend(); ++hint) {
    std::string name = AsciiUpper(hint->name);
    bool coalesce = name == "COALESCE";
    if (!coalesce && name != "REPARTITION" && name != "REPARTITION_BY_RANGE" && name != "REBALANCE")
      continue;
    Repartition repartition{plan, std::nullopt, !coalesce, {}};
    for (const sql::ExprPtr& parameter : hint->parameters) {
      const auto* literal = parameter->As<sql::Literal>();
      if (literal != nullptr && literal->type.is_integral()) {
        repartition.tasks = static_cast<int32_t>(literal->value.AsInt64());
        continue;
      }
      Scope scope = ScopeOf(plan->output, {});
      ExprContext context = Context();
      context.scope = &scope;
      ASSIGN_OR_RETURN(TypedExpr by, analyzer_.Expression(*parameter, context));
      repartition.by.push_back(by.expr);
    }
    std::vector<Column> output = plan->output;
    plan = MakePlan(std::move(repartition), std::move(output));
  }
  return {};
}

Status SelectBuilder::Distribute(PlanPtr& plan) {
  if (around_ == nullptr) return {};
  Scope scope = ScopeOf(plan->output, {});
  ExprContext context = Context();
  context.scope = &scope;
  auto partition = [&](const std::vector<sql::ExprPtr>& exprs, bool sort) -> Status {
    if (exprs.empty()) return {};
    Repartition repartition{plan, std::nullopt, true, {}};
    std::vector<SortKey> keys;
    for (const sql::ExprPtr& expr : exprs) {
      ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(*expr, context));
      repartition.by.push_back(typed.expr);
      keys.push_back({typed.expr, true, true});
    }
    std::vector<Column> output = plan->output;
    plan = MakePlan(std::move(repartition), output);
    if (sort) plan = MakePlan(Sort{plan, std::move(keys), false}, std::move(output));
    return {};
  };
  RETURN_IF_ERROR(partition(around_->distribute_by, false));
  return partition(around_->cluster_by, true);
}

// ---- projection
// -------------------------------------------------------------------------------------------------------

Result<PlanPtr> SelectBuilder::Project() {
  plan::Project project{plan_, {}};
  std::vector<Column> output;
  for (const AliasedExpr& item : items_) {
    Column column =
        analyzer_.NewColumn(item.name, item.value.expr->type, item.value.expr->nullable);
    if (select_.distinct && column.type.kind() == TypeKind::kVariant)
      return Raise(
          "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE",
          {{"colName", sql::QuoteIdentifier(column.name)}, {"dataType", InDoubleQuotes("VARIANT")}},
          ErrorPosition{1, 0});
    if (const auto* from = item.value.expr->As<ColumnRef>();
        from != nullptr && from->name == item.name)
      analyzer_.PassesThrough(column.id, from->id);
    project.items.push_back({column, item.value.expr});
    output.push_back(std::move(column));
  }
  std::vector<Column> with_hidden = output;
  auto sort_keys = [&](const std::vector<Key>& keys) -> Result<std::vector<SortKey>> {
    std::vector<SortKey> result;
    for (const Key& key : keys) {
      size_t found = 0;
      while (found < project.items.size() && !SameExpr(project.items[found].expr, key.sort.expr))
        ++found;
      if (found == project.items.size()) {
        if (select_.distinct)
          return Fail(UnresolvedColumn({key.text}, ScopeOf(output, {}), ErrorPosition{1, 0}));
        Column column = analyzer_.NewColumn(key.text, key.sort.expr->type, key.sort.expr->nullable);
        project.items.push_back({column, key.sort.expr});
        with_hidden.push_back(std::move(column));
      }
      result.push_back(
          {MakeColumn(project.items[found].column), key.sort.ascending, key.sort.nulls_first});
    }
    return result;
  };
  ASSIGN_OR_RETURN(std::vector<SortKey> order, sort_keys(order_));
  ASSIGN_OR_RETURN(std::vector<SortKey> local, sort_keys(sort_));
  PlanPtr plan = MakePlan(std::move(project), with_hidden);
  RETURN_IF_ERROR(Hints(plan));
  if (select_.distinct) plan = MakePlan(Distinct{plan}, output);
  RETURN_IF_ERROR(Distribute(plan));
  if (!local.empty()) plan = MakePlan(Sort{plan, std::move(local), false}, with_hidden);
  if (!order.empty()) plan = MakePlan(Sort{plan, std::move(order), true}, with_hidden);
  if (with_hidden.size() == output.size()) return plan;
  plan::Project visible{plan, {}};
  std::vector<Column> shown;
  for (const Column& column : output) {
    Column result = analyzer_.NewColumn(column.name, column.type, column.nullable);
    analyzer_.PassesThrough(result.id, column.id);
    visible.items.push_back({result, MakeColumn(column)});
    shown.push_back(std::move(result));
  }
  return MakePlan(std::move(visible), std::move(shown));
}

}  // namespace iceblink::plan
