// groupBy, rollup, cube, pivot, and the functions of DataFrame.na.
#include <algorithm>

#include "base/strings.h"
#include "server/errors.h"
#include "server/translator.h"

namespace iceblink::server {

using sql::ExprPtr;
using sql::TypeKind;
using A = connect::Aggregate;

Result<sql::GroupBy> PlanTranslator::Groups(const A& aggregate,
                                            std::vector<sql::NamedExpr>& items) {
  sql::GroupBy out;
  std::vector<sql::GroupingElement> elements;
  for (const auto& expression : aggregate.grouping_expressions()) {
    ASSIGN_OR_RETURN(sql::NamedExpr item, Item(expression));
    elements.push_back({{item.expr}, false, nullptr});
    items.push_back(std::move(item));
  }
  using Kind = sql::GroupingAnalytics::Kind;
  auto analytics = [&](Kind kind, std::vector<sql::GroupingElement> parts) {
    sql::GroupingElement all;
    all.analytics = std::make_shared<const sql::GroupingAnalytics>(
        sql::GroupingAnalytics{kind, std::move(parts)});
    out.elements.push_back(std::move(all));
  };
  switch (aggregate.group_type()) {
    case A::GROUP_TYPE_ROLLUP:
      analytics(Kind::kRollup, std::move(elements));
      break;
    case A::GROUP_TYPE_CUBE:
      analytics(Kind::kCube, std::move(elements));
      break;
    case A::GROUP_TYPE_GROUPING_SETS: {
      std::vector<sql::GroupingElement> sets;
      for (const auto& set : aggregate.grouping_sets()) {
        sql::GroupingElement element;
        element.is_set = true;
        ASSIGN_OR_RETURN(element.exprs, Expressions(set.grouping_set()));
        sets.push_back(std::move(element));
      }
      analytics(Kind::kGroupingSets, std::move(sets));
      break;
    }
    default:
      out.elements = std::move(elements);
      break;
  }
  return out;
}

Result<PlanTranslator::Built> PlanTranslator::Aggregated(const A& aggregate) {
  if (aggregate.group_type() == A::GROUP_TYPE_PIVOT) return Pivoted(aggregate);
  sql::Select select;
  select.position = kNoPlace;
  ASSIGN_OR_RETURN(select.from, Source(aggregate.input()));
  ASSIGN_OR_RETURN(sql::GroupBy groups, Groups(aggregate, select.items));
  ASSIGN_OR_RETURN(std::vector<sql::NamedExpr> aggregates,
                   Items(aggregate.aggregate_expressions()));
  for (sql::NamedExpr& item : aggregates) select.items.push_back(std::move(item));
  if (!groups.elements.empty()) select.group_by = std::move(groups);
  return Built{QueryOf(std::move(select)), {}};
}

namespace {

// The name of a pivot's column is its value as text.
std::string LabelOf(const Value& value) {
  if (value.is_null()) return "null";
  if (value.Is<std::string>()) return value.As<std::string>();
  if (value.Is<bool>()) return value.As<bool>() ? "true" : "false";
  if (value.Is<int32_t>() || value.Is<int64_t>()) return std::to_string(value.AsInt64());
  return {};
}

}  // namespace

// One filtered aggregate a value of the pivot column.
Result<PlanTranslator::Built> PlanTranslator::Pivoted(const A& aggregate) {
  ASSIGN_OR_RETURN(ExprPtr column, Expression(aggregate.pivot().col()));
  std::vector<sql::Literal> values;
  for (const auto& literal : aggregate.pivot().values()) {
    ASSIGN_OR_RETURN(ExprPtr value, Literal(literal));
    if (const auto* constant = value->As<sql::Literal>()) values.push_back(*constant);
  }
  if (values.empty()) {
    sql::Select distinct;
    distinct.distinct = true;
    ASSIGN_OR_RETURN(distinct.from, Source(aggregate.input()));
    distinct.items.push_back({column, "v", {}});
    sql::Query query = QueryOf(std::move(distinct));
    query.order_by.push_back({ColumnNamed("v"), false, sql::NullOrder::kDefault});
    ASSIGN_OR_RETURN(std::vector<plan::Column> columns, session_.describe(query));
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, session_.rows(query));
    for (ValueList& row : rows) values.push_back({std::move(row[0]), columns[0].type});
  }
  sql::Select select;
  select.position = kNoPlace;
  ASSIGN_OR_RETURN(select.from, Source(aggregate.input()));
  for (const auto& expression : aggregate.grouping_expressions()) {
    ASSIGN_OR_RETURN(sql::NamedExpr item, Item(expression));
    if (!select.group_by) select.group_by.emplace();
    select.group_by->elements.push_back({{item.expr}, false, nullptr});
    select.items.push_back(std::move(item));
  }
  ASSIGN_OR_RETURN(std::vector<sql::NamedExpr> aggregates,
                   Items(aggregate.aggregate_expressions()));
  std::vector<std::string> names;
  if (aggregates.size() > 1) {
    sql::Select named = select;
    named.items = aggregates;
    ASSIGN_OR_RETURN(std::vector<plan::Column> described, session_.describe(QueryOf(named)));
    for (const plan::Column& column : described) names.push_back(column.name);
  }
  for (const sql::Literal& value : values) {
    for (size_t i = 0; i < aggregates.size(); ++i) {
      const sql::NamedExpr& item = aggregates[i];
      const auto* call = item.expr->As<sql::FunctionCall>();
      if (call == nullptr)
        return Fail(NotSupported("a pivot of an expression that is no aggregate function"));
      sql::FunctionCall filtered = *call;
      filtered.filter =
          MakeNode(sql::BinaryOp{sql::BinaryOperator::kNullSafeEq, column, MakeNode(value)});
      std::string label = LabelOf(value.value);
      if (aggregates.size() > 1) label += "_" + names[i];
      select.items.push_back({MakeNode(std::move(filtered)), std::move(label), {}});
    }
  }
  return Built{QueryOf(std::move(select)), {}};
}

// ---- DataFrame.na
// -----------------------------------------------------------------------------------------------------

namespace {

template <typename Names>
bool Selected(const Names& names, const std::string& column) {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& name) { return EqualsIgnoreCase(name, column); });
}

// Whether fillna and replace touch a column of this type with a value of that type.
bool Fits(const sql::DataType& column, const sql::Expr& value) {
  const auto* literal = value.As<sql::Literal>();
  if (literal == nullptr) return false;
  if (literal->type.is_void()) return true;
  if (literal->type.is_numeric()) return column.is_numeric();
  if (literal->type.is_string()) return column.is_string();
  return literal->type.kind() == column.kind();
}

ExprPtr Coalesce(const plan::Column& column, const ExprPtr& value) {
  sql::FunctionCall call;
  call.name = {"coalesce"};
  ExprPtr name = ColumnNamed(column.name);
  if (column.type.kind() == TypeKind::kDouble || column.type.kind() == TypeKind::kFloat) {
    sql::FunctionCall nan;  // NaN counts as absent
    nan.name = {"nanvl"};
    nan.args = {{{}, name},
                {{},
                 MakeNode(sql::Cast{MakeNode(sql::Literal{Value(), sql::DataType()}), column.type,
                                    false})}};
    name = MakeNode(std::move(nan));
  }
  call.args = {{{}, std::move(name)}, {{}, MakeNode(sql::Cast{value, column.type, false})}};
  return MakeNode(std::move(call));
}

}  // namespace

Result<PlanTranslator::Built> PlanTranslator::FillNa(const connect::NAFill& node) {
  ASSIGN_OR_RETURN(sql::QueryPtr input, Query(node.input()));
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, session_.describe(*input));
  sql::StarEdit edit;
  for (const plan::Column& column : columns) {
    for (int i = 0; i < node.values_size(); ++i) {
      bool all = node.cols().empty();
      bool named = node.values_size() == 1
                       ? Selected(node.cols(), column.name)
                       : i < node.cols_size() && EqualsIgnoreCase(node.cols(i), column.name);
      ASSIGN_OR_RETURN(ExprPtr value, Literal(node.values(i)));
      if ((all || named) && Fits(column.type, *value))
        edit.put.push_back({Coalesce(column, value), column.name, {}});
    }
  }
  return Edited(node.input(), std::move(edit));
}

Result<PlanTranslator::Built> PlanTranslator::DropNa(const connect::NADrop& node) {
  ASSIGN_OR_RETURN(sql::QueryPtr input, Query(node.input()));
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, session_.describe(*input));
  ExprPtr present;  // how many columns are neither NULL nor NaN
  int32_t count = 0;
  for (const plan::Column& column : columns) {
    if (!node.cols().empty() && !Selected(node.cols(), column.name)) continue;
    ++count;
    ExprPtr test = MakeNode(sql::IsNull{ColumnNamed(column.name), true});
    if (column.type.kind() == TypeKind::kDouble || column.type.kind() == TypeKind::kFloat) {
      sql::FunctionCall nan;
      nan.name = {"isnan"};
      nan.args = {{{}, ColumnNamed(column.name)}};
      test = MakeNode(sql::BinaryOp{
          sql::BinaryOperator::kAnd, test,
          MakeNode(sql::UnaryOp{sql::UnaryOperator::kNot, MakeNode(std::move(nan))})});
    }
    ExprPtr one = MakeNode(sql::Case{nullptr, {{test, IntLiteral(1)}}, IntLiteral(0)});
    present = present ? MakeNode(sql::BinaryOp{sql::BinaryOperator::kAdd, present, one}) : one;
  }
  ASSIGN_OR_RETURN(sql::Select select, SelectFrom(node.input()));
  int32_t least = node.has_min_non_nulls() ? node.min_non_nulls() : count;
  if (present)
    select.where = MakeNode(sql::BinaryOp{sql::BinaryOperator::kGtEq, present, IntLiteral(least)});
  return Built{QueryOf(std::move(select)), {}};
}

Result<PlanTranslator::Built> PlanTranslator::ReplaceValues(const connect::NAReplace& node) {
  ASSIGN_OR_RETURN(sql::QueryPtr input, Query(node.input()));
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, session_.describe(*input));
  sql::StarEdit edit;
  for (const plan::Column& column : columns) {
    if (!node.cols().empty() && !Selected(node.cols(), column.name)) continue;
    sql::Case replaced;
    for (const auto& replacement : node.replacements()) {
      ASSIGN_OR_RETURN(ExprPtr from, Literal(replacement.old_value()));
      ASSIGN_OR_RETURN(ExprPtr to, Literal(replacement.new_value()));
      if (!Fits(column.type, *from) && !from->As<sql::Literal>()->type.is_void()) continue;
      ExprPtr same =
          MakeNode(sql::BinaryOp{sql::BinaryOperator::kNullSafeEq, ColumnNamed(column.name), from});
      replaced.whens.push_back(
          {std::move(same), MakeNode(sql::Cast{std::move(to), column.type, false})});
    }
    if (replaced.whens.empty()) continue;
    replaced.otherwise = ColumnNamed(column.name);
    edit.put.push_back({MakeNode(std::move(replaced)), column.name, {}});
  }
  return Edited(node.input(), std::move(edit));
}

}  // namespace iceblink::server
