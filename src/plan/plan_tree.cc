// Walking plans and copying them with fresh column ids.
#include <unordered_map>

#include "plan/expression_tree.h"

namespace iceblink::plan {

PlanPtr MakePlan(Plan::Node node, std::vector<Column> output) {
  return std::make_shared<const Plan>(Plan{std::move(node), std::move(output)});
}

namespace {

// Visits every input, expression and column definition of a plan node; on a mutable copy for
// rewriting.
template <typename Node, typename OnPlan, typename OnExpr, typename OnColumn>
void VisitNode(Node& node, const OnPlan& on_plan, const OnExpr& on_expr,
               const OnColumn& on_column) {
  auto items = [&](auto& list) {
    for (auto& item : list) {
      on_expr(item.expr);
      on_column(item.column);
    }
  };
  auto one = [&](auto& child) {
    if (child) on_plan(child);
  };
  if (auto* n = std::get_if<TableScan>(&node))
    for (auto& column : n->columns) on_column(column.column);
  if (auto* n = std::get_if<Values>(&node))
    for (auto& row : n->rows)
      for (auto& value : row) on_expr(value);
  if (auto* n = std::get_if<Project>(&node)) one(n->child), items(n->items);
  if (auto* n = std::get_if<Filter>(&node)) one(n->child), on_expr(n->condition);
  if (auto* n = std::get_if<Join>(&node)) {
    one(n->left), one(n->right);
    if (n->condition) on_expr(n->condition);
  }
  if (auto* n = std::get_if<Aggregate>(&node))
    one(n->child), items(n->groups), items(n->aggregates);
  if (auto* n = std::get_if<Window>(&node)) one(n->child), items(n->items);
  if (auto* n = std::get_if<Sort>(&node)) {
    one(n->child);
    for (auto& key : n->keys) on_expr(key.expr);
  }
  if (auto* n = std::get_if<Limit>(&node)) one(n->child);
  if (auto* n = std::get_if<SetOp>(&node)) one(n->left), one(n->right);
  if (auto* n = std::get_if<Distinct>(&node)) one(n->child);
  if (auto* n = std::get_if<Generate>(&node)) {
    one(n->child);
    for (auto& arg : n->args) on_expr(arg);
    for (auto& column : n->generated) on_column(column);
  }
  if (auto* n = std::get_if<Sample>(&node)) one(n->child);
  if (auto* n = std::get_if<RecursiveUnion>(&node)) one(n->anchor), one(n->step);
  if (auto* n = std::get_if<Repartition>(&node)) {
    one(n->child);
    for (auto& expr : n->by) on_expr(expr);
  }
}

constexpr auto kIgnore = [](const auto&) {};

// A copy of a subquery with what `rewrite` makes of its plan and values; null for another
// expression.
template <typename Rewrite>
ExprPtr WithSubqueries(const ExprPtr& node, const Rewrite& rewrite) {
  if (const auto* subquery = node->As<ScalarSubquery>())
    return MakeExpr(ScalarSubquery{rewrite(subquery->plan)}, node->type, node->nullable);
  if (const auto* subquery = node->As<ExistsSubquery>())
    return MakeExpr(ExistsSubquery{rewrite(subquery->plan)}, node->type, node->nullable);
  if (const auto* subquery = node->As<InSubquery>()) {
    InSubquery copy{{}, rewrite(subquery->plan)};
    for (const ExprPtr& value : subquery->values) copy.values.push_back(rewrite(value));
    return MakeExpr(std::move(copy), node->type, node->nullable);
  }
  return nullptr;
}

// Rewrites column ids. Definitions are renamed when first seen, inputs before the nodes that use
// them.
class IdRewriter {
 public:
  explicit IdRewriter(const std::function<ColumnId()>& next_id) : next_id_(next_id) {}

  PlanPtr Rewrite(const PlanPtr& plan) {
    if (auto it = plans_.find(plan.get()); it != plans_.end()) return it->second;
    Plan copy = *plan;
    VisitNode(
        copy.node, [&](PlanPtr& input) { input = Rewrite(input); }, [](ExprPtr&) {},
        [](Column&) {});
    VisitNode(
        copy.node, [](PlanPtr&) {}, [&](ExprPtr& expr) { expr = Rewrite(expr); },
        [&](Column& column) { column.id = Renamed(column.id); });
    for (Column& column : copy.output) column.id = Renamed(column.id);
    return plans_[plan.get()] = std::make_shared<const Plan>(std::move(copy));
  }

 private:
  // A column that a node defines gets a new id once; one that passes through keeps the id its
  // definition got.
  ColumnId Renamed(ColumnId id) {
    auto [it, fresh] = ids_.try_emplace(id, 0);
    if (fresh) it->second = next_id_();
    return it->second;
  }

  ExprPtr Rewrite(const ExprPtr& expr) {
    return Transform(expr, [&](const ExprPtr& node) -> ExprPtr {
      if (const auto* column = node->As<ColumnRef>()) {
        auto it = ids_.find(column->id);
        if (it == ids_.end()) return node;  // from outside
        return MakeExpr(ColumnRef{it->second, column->name}, node->type, node->nullable);
      }
      if (const auto* lambda = node->As<Lambda>()) {
        Lambda copy = *lambda;
        for (ColumnId& id : copy.parameters) id = Renamed(id);
        copy.body = Rewrite(copy.body);
        return MakeExpr(std::move(copy), node->type, node->nullable);
      }
      return WithSubqueries(node, [this](const auto& part) { return Rewrite(part); });
    });
  }

  const std::function<ColumnId()>& next_id_;
  std::unordered_map<ColumnId, ColumnId> ids_;
  std::unordered_map<const Plan*, PlanPtr> plans_;
};

// Copies a plan with other states of its tables.
class TableRewriter {
 public:
  explicit TableRewriter(const std::function<Result<PlanPtr>(const PlanPtr&)>& replace)
      : replace_(replace) {}

  PlanPtr Rewrite(const PlanPtr& plan) {
    if (!status_) return plan;
    if (plan->As<TableScan>() != nullptr || plan->As<MetadataScan>() != nullptr) {
      Result<PlanPtr> other = replace_(plan);
      if (!other) status_ = Fail(std::move(other).error());
      return other ? *std::move(other) : plan;
    }
    Plan copy = *plan;
    VisitNode(
        copy.node, [&](PlanPtr& input) { input = Rewrite(input); },
        [&](ExprPtr& expr) { expr = Rewrite(expr); }, [](Column&) {});
    return std::make_shared<const Plan>(std::move(copy));
  }
  const Status& status() const { return status_; }

 private:
  ExprPtr Rewrite(const ExprPtr& expr) {
    return Transform(expr, [&](const ExprPtr& node) {
      return WithSubqueries(node, [this](const auto& part) { return Rewrite(part); });
    });
  }

  const std::function<Result<PlanPtr>(const PlanPtr&)>& replace_;
  Status status_;
};

}  // namespace

Result<PlanPtr> WithScans(const PlanPtr& plan,
                          const std::function<Result<PlanPtr>(const PlanPtr&)>& replace) {
  TableRewriter rewriter(replace);
  PlanPtr copy = rewriter.Rewrite(plan);
  if (!rewriter.status()) return Fail(rewriter.status().error());
  return copy;
}

std::vector<PlanPtr> Inputs(const Plan& plan) {
  std::vector<PlanPtr> inputs;
  VisitNode(plan.node, [&](const PlanPtr& input) { inputs.push_back(input); }, kIgnore, kIgnore);
  return inputs;
}

void ForEachExpr(const Plan& plan, const std::function<void(const ExprPtr&)>& visit) {
  VisitNode(plan.node, kIgnore, visit, kIgnore);
}

PlanPtr WithFreshIds(const PlanPtr& plan, const std::function<ColumnId()>& next_id) {
  return IdRewriter(next_id).Rewrite(plan);
}

}  // namespace iceblink::plan
