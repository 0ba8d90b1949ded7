// GROUP BY, grouping sets, HAVING, and taking the aggregates out of a SELECT.
#include <fmt/format.h>

#include "base/strings.h"
#include "plan/select.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

bool SelectBuilder::IsAggregated() const {
  if (select_.group_by || select_.having) return true;
  for (const AliasedExpr& item : items_)
    if (ContainsAggregate(item.value.expr)) return true;
  for (const Key& key : order_)
    if (ContainsAggregate(key.sort.expr)) return true;
  return false;
}

// ---- GROUP BY
// ---------------------------------------------------------------------------------------------------------

Result<uint32_t> SelectBuilder::AddGroup(ExprPtr raw, const std::string& text, ErrorPosition at) {
  for (size_t i = 0; i < group_raw_.size(); ++i)
    if (SameExpr(group_raw_[i], raw)) return static_cast<uint32_t>(i);
  if (raw->type.kind() == TypeKind::kVariant || raw->type.kind() == TypeKind::kCalendarInterval)
    return Raise(
        "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
        {{"sqlExpr", InDoubleQuotes(text)}, {"dataType", InDoubleQuotes(raw->type.SqlString())}},
        at);
  Column column = analyzer_.NewColumn(text, raw->type, raw->nullable);
  if (const auto* reference = raw->As<ColumnRef>())
    column.id = reference->id;  // so that correlated subqueries still find it
  groups_.push_back({column, raw});
  group_raw_.push_back(std::move(raw));
  return static_cast<uint32_t>(groups_.size() - 1);
}

Result<ExprPtr> SelectBuilder::GroupExpr(const sql::Expr& expr) {
  const auto* literal = expr.As<sql::Literal>();
  if (literal != nullptr && literal->type.is_integral() && analyzer_.settings().group_by_ordinal) {
    int64_t index = literal->value.AsInt64();
    if (index < 1 || index > static_cast<int64_t>(items_.size()))
      return Raise("GROUP_BY_POS_OUT_OF_RANGE",
                   {{"index", std::to_string(index)}, {"size", std::to_string(items_.size())}},
                   ToErrorPosition(expr.position));
    const AliasedExpr& item = items_[static_cast<size_t>(index - 1)];
    if (ContainsAggregate(item.value.expr))
      return Raise("GROUP_BY_POS_AGGREGATE",
                   {{"index", std::to_string(index)},
                    {"aggExpr", fmt::format("{} AS {}", item.value.text, item.name)}},
                   ToErrorPosition(expr.position));
    return item.value.expr;
  }
  ExprContext context = Context();
  if (analyzer_.settings().group_by_aliases) context.aliases = &items_;
  ASSIGN_OR_RETURN(TypedExpr typed, analyzer_.Expression(expr, context));
  if (ContainsAggregate(typed.expr))
    return Raise("GROUP_BY_AGGREGATE", {{"sqlExpr", typed.text}}, ToErrorPosition(expr.position));
  return typed.expr;
}

Status SelectBuilder::GroupByAll() {
  for (const AliasedExpr& item : items_) {
    if (ContainsAggregate(item.value.expr)) continue;
    ASSIGN_OR_RETURN(uint32_t index, AddGroup(item.value.expr, item.name, {}));
    (void)index;
  }
  return {};
}

namespace {

using Sets = std::vector<std::vector<uint32_t>>;

std::vector<uint32_t> Union(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<uint32_t> result = a;
  for (uint32_t index : b)
    if (std::find(result.begin(), result.end(), index) == result.end()) result.push_back(index);
  return result;
}

Sets CrossProduct(const Sets& a, const Sets& b) {
  Sets result;
  for (const auto& x : a)
    for (const auto& y : b) result.push_back(Union(x, y));
  return result;
}

}  // namespace

Result<SelectBuilder::Sets> SelectBuilder::ElementSets(const sql::GroupingElement& element) {
  if (element.analytics) return AnalyticsSets(*element.analytics);
  std::vector<uint32_t> set;
  for (const sql::ExprPtr& expr : element.exprs) {
    ASSIGN_OR_RETURN(ExprPtr raw, GroupExpr(*expr));
    std::string text =
        raw->As<ColumnRef>() ? raw->As<ColumnRef>()->name : fmt::format("g{}", groups_.size());
    ASSIGN_OR_RETURN(uint32_t index,
                     AddGroup(std::move(raw), text, ToErrorPosition(expr->position)));
    set = Union(set, {index});
  }
  return Sets{set};
}

Result<SelectBuilder::Sets> SelectBuilder::AnalyticsSets(const sql::GroupingAnalytics& analytics) {
  std::vector<Sets> parts;
  for (const sql::GroupingElement& element : analytics.elements) {
    ASSIGN_OR_RETURN(Sets sets, ElementSets(element));
    parts.push_back(std::move(sets));
  }
  Sets result;
  switch (analytics.kind) {
    case sql::GroupingAnalytics::Kind::kGroupingSets:
      for (const Sets& part : parts) result.insert(result.end(), part.begin(), part.end());
      break;
    case sql::GroupingAnalytics::Kind::kRollup:
      for (size_t kept = parts.size() + 1; kept-- > 0;) {
        std::vector<uint32_t> set;
        for (size_t i = 0; i < kept; ++i) set = Union(set, parts[i][0]);
        result.push_back(std::move(set));
      }
      break;
    case sql::GroupingAnalytics::Kind::kCube:
      for (size_t mask = size_t{1} << parts.size(); mask-- > 0;) {
        std::vector<uint32_t> set;
        for (size_t i = 0; i < parts.size(); ++i)
          if (mask & (size_t{1} << (parts.size() - 1 - i))) set = Union(set, parts[i][0]);
        result.push_back(std::move(set));
      }
      break;
  }
  return result;
}

Status SelectBuilder::GroupBy() {
  if (!select_.group_by) return {};
  const sql::GroupBy& group_by = *select_.group_by;
  if (group_by.elements.size() == 1 && !group_by.trailing &&
      group_by.elements[0].exprs.size() == 1) {
    const auto* column = group_by.elements[0].exprs[0]->As<sql::NamedColumn>();
    if (column != nullptr && column->parts.size() == 1 &&
        EqualsIgnoreCase(column->parts[0], "all")) {
      ASSIGN_OR_RETURN(auto match, analyzer_.names().Find(scope_, column->parts, {}));
      if (!match) return GroupByAll();
    }
  }
  Sets sets = {{}};
  bool analytics = group_by.trailing.has_value();
  for (const sql::GroupingElement& element : group_by.elements) {
    analytics = analytics || element.analytics != nullptr;
    ASSIGN_OR_RETURN(Sets part, ElementSets(element));
    sets = CrossProduct(sets, part);
  }
  if (group_by.trailing) {
    sql::GroupingAnalytics trailing = *group_by.trailing;
    if (trailing.kind != sql::GroupingAnalytics::Kind::kGroupingSets)
      trailing.elements = group_by.elements;
    ASSIGN_OR_RETURN(sets, AnalyticsSets(trailing));
  }
  if (analytics) {
    sets_ = std::move(sets);
    for (NamedExpr& group : groups_) group.column.nullable = true;
  }
  return {};
}

// ---- aggregates
// -------------------------------------------------------------------------------------------------------

ExprPtr SelectBuilder::GroupingCall(const Expr& node) {
  const auto& aggregate = std::get<AggregateCall>(node.node);
  std::vector<ExprPtr> args;
  if (aggregate.function == "grouping_id" && aggregate.args.empty())
    for (const NamedExpr& group : groups_) args.push_back(MakeColumn(group.column));
  for (const ExprPtr& arg : aggregate.args)
    for (size_t i = 0; i < group_raw_.size(); ++i)
      if (SameExpr(group_raw_[i], arg)) args.push_back(MakeColumn(groups_[i].column));
  return MakeCall(aggregate.function, std::move(args), node.type, false);
}

Result<ExprPtr> SelectBuilder::WithoutAggregates(const ExprPtr& raw, const std::string& text) {
  std::optional<Error> error;
  auto add = [&](const ExprPtr& node) {
    for (size_t i = 0; i < aggregate_raw_.size(); ++i)
      if (SameExpr(aggregate_raw_[i], node)) return MakeColumn(aggregates_[i].column);
    const auto& aggregate = std::get<AggregateCall>(node->node);
    bool grouping = aggregate.function == "grouping" || aggregate.function == "grouping_id";
    ExprPtr expr = grouping ? GroupingCall(*node) : node;
    Column column =
        analyzer_.NewColumn(std::string(aggregate.function), node->type, node->nullable);
    aggregate_raw_.push_back(node);
    aggregates_.push_back({column, expr});
    return MakeColumn(column);
  };
  ExprPtr result = Transform(raw, [&](const ExprPtr& node) -> ExprPtr {
    if (!node->As<LiteralExpr>())
      for (size_t i = 0; i < group_raw_.size(); ++i)
        if (SameExpr(group_raw_[i], node)) return MakeColumn(groups_[i].column);
    if (node->As<AggregateCall>()) return add(node);
    const auto* column = node->As<ColumnRef>();
    if (column == nullptr || !input_ids_.contains(column->id) || error) return nullptr;
    if (!select_.group_by) {
      error = MakeError("MISSING_GROUP_BY", {}, ErrorPosition{1, 0});
    } else {
      error =
          MakeError("MISSING_AGGREGATION",
                    {{"expression", InDoubleQuotes(text)},
                     {"expressionAnyValue", InDoubleQuotes(fmt::format("any_value({})", text))}},
                    ErrorPosition{1, 0});
    }
    return nullptr;
  });
  if (error) return Fail(*error);
  return result;
}

Status SelectBuilder::Having() {
  if (!select_.having) return {};
  auto attempt = [&](bool aliases_first) -> Result<ExprPtr> {
    ExprContext context = Context();
    context.aliases = &items_;
    context.aliases_first = aliases_first;
    ASSIGN_OR_RETURN(TypedExpr condition, analyzer_.Condition(*select_.having, context));
    return WithoutAggregates(condition.expr, condition.text);
  };
  // Columns of the input win where they are grouped; else the select list's names count.
  auto result = attempt(false);
  if (!result && (result.error().condition == "MISSING_AGGREGATION" ||
                  result.error().condition == "MISSING_GROUP_BY")) {
    if (auto second = attempt(true)) result = std::move(second);
  }
  ASSIGN_OR_RETURN(having_, std::move(result));
  return {};
}

Status SelectBuilder::BuildAggregate() {
  std::vector<AliasedExpr> raw_items = items_;
  for (AliasedExpr& item : items_) {
    ASSIGN_OR_RETURN(item.value.expr, WithoutAggregates(item.value.expr, item.value.text));
  }
  for (std::vector<Key>* keys : {&order_, &sort_})
    for (Key& key : *keys) {
      ASSIGN_OR_RETURN(key.sort.expr, WithoutAggregates(key.sort.expr, key.text));
    }
  for (Generator& generator : generators_)
    for (ExprPtr& arg : generator.args) {
      ASSIGN_OR_RETURN(arg, WithoutAggregates(arg, std::string(generator.function)));
    }
  std::swap(items_, raw_items);
  RETURN_IF_ERROR(Having());
  std::swap(items_, raw_items);
  std::vector<Column> output;
  for (const NamedExpr& group : groups_) output.push_back(group.column);
  for (const NamedExpr& aggregate : aggregates_) output.push_back(aggregate.column);
  plan_ = MakePlan(Aggregate{plan_, groups_, aggregates_, sets_}, output);
  if (having_) plan_ = MakePlan(Filter{plan_, having_}, std::move(output));
  return {};
}

}  // namespace iceblink::plan
