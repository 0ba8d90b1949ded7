#include "plan/optimizer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plan/expression_tree.h"
#include "plan/filters.h"

namespace iceblink::plan {
namespace {

// ---- filters
// ----------------------------------------------------------------------------------------------------------

std::unordered_set<ColumnId> IdsOf(const Plan& plan) {
  std::unordered_set<ColumnId> ids;
  for (const Column& column : plan.output) ids.insert(column.id);
  return ids;
}

// Conjuncts whose columns all come from `plan`.
std::vector<ExprPtr> Covered(const std::vector<ExprPtr>& conjuncts, const Plan& plan) {
  std::unordered_set<ColumnId> ids = IdsOf(plan);
  std::vector<ExprPtr> covered;
  for (const ExprPtr& conjunct : conjuncts) {
    std::vector<ColumnId> used;
    CollectColumns(conjunct, used);
    bool all = std::all_of(used.begin(), used.end(), [&](ColumnId id) { return ids.contains(id); });
    if (all && !ContainsSubquery(conjunct)) covered.push_back(conjunct);
  }
  return covered;
}

ExprPtr Substitute(const ExprPtr& expr, const std::unordered_map<ColumnId, ExprPtr>& values) {
  return Transform(expr, [&](const ExprPtr& node) -> ExprPtr {
    const auto* column = node->As<ColumnRef>();
    if (column == nullptr) return nullptr;
    auto it = values.find(column->id);
    return it == values.end() ? nullptr : it->second;
  });
}

class FilterPushdown {
 public:
  explicit FilterPushdown(const SessionSettings& settings) : settings_(settings) {}

  PlanPtr Push(const PlanPtr& plan, std::vector<ExprPtr> conjuncts) const {
    if (const auto* scan = plan->As<TableScan>()) return IntoScan(*plan, *scan, conjuncts);
    Plan copy = *plan;
    if (auto* filter = std::get_if<Filter>(&copy.node)) {
      for (ExprPtr& part : SplitConjuncts(filter->condition)) conjuncts.push_back(std::move(part));
      filter->condition = InSubqueries(filter->condition);
      filter->child = Push(filter->child, std::move(conjuncts));
    } else if (auto* project = std::get_if<Project>(&copy.node)) {
      PushProject(*project, conjuncts);
    } else if (auto* join = std::get_if<Join>(&copy.node)) {
      PushJoin(*join, std::move(conjuncts));
    } else if (auto* set = std::get_if<SetOp>(&copy.node)) {
      set->left = Push(set->left, Renamed(conjuncts, *plan, *set->left));
      set->right = Push(set->right, Renamed(conjuncts, *plan, *set->right));
    } else if (auto* aggregate = std::get_if<Aggregate>(&copy.node)) {
      bool plain = !aggregate->grouping_sets;
      aggregate->child = Push(aggregate->child,
                              plain ? OverGroups(*aggregate, conjuncts) : std::vector<ExprPtr>{});
    } else {
      PushOther(copy, std::move(conjuncts));
    }
    return std::make_shared<const Plan>(std::move(copy));
  }

 private:
  PlanPtr IntoScan(const Plan& plan, const TableScan& scan,
                   const std::vector<ExprPtr>& conjuncts) const {
    TableScan copy = scan;
    ColumnNames names = NamesOf(scan);
    for (const ExprPtr& conjunct : conjuncts)
      if (auto filter = ToIcebergPredicate(conjunct, names, settings_))
        copy.filter = expr::Expression::And(copy.filter, *filter);
    return MakePlan(std::move(copy), plan.output);
  }

  void PushProject(Project& project, const std::vector<ExprPtr>& conjuncts) const {
    std::unordered_map<ColumnId, ExprPtr> values;
    bool stable = true;
    for (NamedExpr& item : project.items) {
      stable = stable && IsDeterministic(item.expr);
      values[item.column.id] = item.expr;
      item.expr = InSubqueries(item.expr);
    }
    std::vector<ExprPtr> below;
    if (stable)
      for (const ExprPtr& conjunct : conjuncts) below.push_back(Substitute(conjunct, values));
    project.child = Push(project.child, std::move(below));
  }

  void PushJoin(Join& join, std::vector<ExprPtr> conjuncts) const {
    bool inner = join.type == JoinType::kInner || join.type == JoinType::kCross ||
                 join.type == JoinType::kLeftSemi;
    std::vector<ExprPtr> on = SplitConjuncts(join.condition);
    if (join.condition) join.condition = InSubqueries(join.condition);
    std::vector<ExprPtr> left, right;
    if (inner || join.type == JoinType::kLeftOuter || join.type == JoinType::kLeftAnti)
      left = Covered(conjuncts, *join.left);
    if (join.type == JoinType::kInner || join.type == JoinType::kCross ||
        join.type == JoinType::kRightOuter)
      right = Covered(conjuncts, *join.right);
    auto add = [&](std::vector<ExprPtr>& side, const PlanPtr& plan) {
      for (ExprPtr& part : Covered(on, *plan)) side.push_back(std::move(part));
    };
    if (inner || join.type == JoinType::kRightOuter) add(left, join.left);
    if (inner || join.type == JoinType::kLeftOuter || join.type == JoinType::kLeftAnti)
      add(right, join.right);
    join.left = Push(join.left, std::move(left));
    join.right = Push(join.right, std::move(right));
  }

  void PushOther(Plan& copy, std::vector<ExprPtr> conjuncts) const {
    if (auto* sort = std::get_if<Sort>(&copy.node))
      sort->child = Push(sort->child, std::move(conjuncts));
    else if (auto* distinct = std::get_if<Distinct>(&copy.node))
      distinct->child = Push(distinct->child, std::move(conjuncts));
    else if (auto* tasks = std::get_if<Repartition>(&copy.node))
      tasks->child = Push(tasks->child, std::move(conjuncts));
    else if (auto* generate = std::get_if<Generate>(&copy.node)) {
      if (generate->child)
        generate->child = Push(generate->child, Covered(conjuncts, *generate->child));
    } else if (auto* window = std::get_if<Window>(&copy.node))
      window->child = Push(window->child, {});
    else if (auto* limit = std::get_if<Limit>(&copy.node))
      limit->child = Push(limit->child, {});
    else if (auto* rounds = std::get_if<RecursiveUnion>(&copy.node))
      rounds->anchor = Push(rounds->anchor, {}), rounds->step = Push(rounds->step, {});
    else if (auto* sample = std::get_if<Sample>(&copy.node))
      sample->child = Push(sample->child, {});
  }

  static std::vector<ExprPtr> Renamed(const std::vector<ExprPtr>& conjuncts, const Plan& from,
                                      const Plan& to) {
    std::unordered_map<ColumnId, ExprPtr> values;
    for (size_t i = 0; i < from.output.size(); ++i)
      values[from.output[i].id] = MakeColumn(to.output[i]);
    std::vector<ExprPtr> renamed;
    for (const ExprPtr& conjunct : conjuncts) renamed.push_back(Substitute(conjunct, values));
    return renamed;
  }

  static std::vector<ExprPtr> OverGroups(const Aggregate& aggregate,
                                         const std::vector<ExprPtr>& conjuncts) {
    std::unordered_map<ColumnId, ExprPtr> values;
    std::vector<Column> columns;
    for (const NamedExpr& group : aggregate.groups) {
      values[group.column.id] = group.expr;
      columns.push_back(group.column);
    }
    Plan only_groups{Values{}, columns};
    std::vector<ExprPtr> result;
    if (aggregate.groups.empty()) return result;
    for (const ExprPtr& conjunct : Covered(conjuncts, only_groups))
      result.push_back(Substitute(conjunct, values));
    return result;
  }

  // Plans of subqueries get their own filters.
  ExprPtr InSubqueries(const ExprPtr& expr) const {
    if (!ContainsSubquery(expr)) return expr;
    return Transform(expr, [&](const ExprPtr& node) -> ExprPtr {
      if (const auto* subquery = node->As<ScalarSubquery>())
        return MakeExpr(ScalarSubquery{Push(subquery->plan, {})}, node->type, node->nullable);
      if (const auto* subquery = node->As<ExistsSubquery>())
        return MakeExpr(ExistsSubquery{Push(subquery->plan, {})}, node->type, node->nullable);
      if (const auto* subquery = node->As<InSubquery>())
        return MakeExpr(InSubquery{subquery->values, Push(subquery->plan, {})}, node->type,
                        node->nullable);
      return nullptr;
    });
  }

  const SessionSettings& settings_;
};

// ---- columns
// ----------------------------------------------------------------------------------------------------------

class ColumnPruning {
 public:
  void Use(const ExprPtr& expr) {
    std::vector<ColumnId> ids;
    CollectColumns(expr, ids);
    used_.insert(ids.begin(), ids.end());
    ForEachNode(expr, [&](const Expr& node) {
      if (const auto* subquery = node.As<ScalarSubquery>()) UseAll(subquery->plan);
      if (const auto* subquery = node.As<ExistsSubquery>()) UseAll(subquery->plan);
      if (const auto* subquery = node.As<InSubquery>()) UseAll(subquery->plan);
      return true;
    });
  }

  // Marks everything that expressions below use, and the output where rows count as a whole.
  void UseAll(const PlanPtr& plan) {
    for (const Column& column : plan->output) used_.insert(column.id);
    UseBelow(plan);
  }

  void UseBelow(const PlanPtr& plan) {
    ForEachExpr(*plan, [&](const ExprPtr& expr) { Use(expr); });
    bool whole_rows = plan->As<SetOp>() || plan->As<Distinct>() || plan->As<RecursiveUnion>();
    for (const PlanPtr& input : Inputs(*plan)) whole_rows ? UseAll(input) : UseBelow(input);
  }

  PlanPtr Prune(const PlanPtr& plan) {
    Plan copy = *plan;
    if (auto* scan = std::get_if<TableScan>(&copy.node)) {
      std::erase_if(scan->columns,
                    [&](const ScanColumn& column) { return !used_.contains(column.column.id); });
      copy.output.clear();
      for (const ScanColumn& column : scan->columns) copy.output.push_back(column.column);
      return std::make_shared<const Plan>(std::move(copy));
    }
    PruneInputs(copy);
    // Nodes that pass their inputs' columns through lose what was dropped below.
    bool passes = copy.As<Filter>() || copy.As<Join>() || copy.As<Window>() || copy.As<Sort>() ||
                  copy.As<Limit>() || copy.As<Generate>() || copy.As<Sample>() ||
                  copy.As<Repartition>();
    if (passes)
      std::erase_if(copy.output,
                    [&](const Column& column) { return dropped_.contains(column.id); });
    return std::make_shared<const Plan>(std::move(copy));
  }

  // Remembers the scan columns that go, before any node is rebuilt.
  void FindDropped(const PlanPtr& plan) {
    if (const auto* scan = plan->As<TableScan>())
      for (const ScanColumn& column : scan->columns)
        if (!used_.contains(column.column.id)) dropped_.insert(column.column.id);
    for (const PlanPtr& input : Inputs(*plan)) FindDropped(input);
    ForEachExpr(*plan, [&](const ExprPtr& expr) {
      ForEachNode(expr, [&](const Expr& node) {
        if (const auto* subquery = node.As<ScalarSubquery>()) FindDropped(subquery->plan);
        if (const auto* subquery = node.As<ExistsSubquery>()) FindDropped(subquery->plan);
        if (const auto* subquery = node.As<InSubquery>()) FindDropped(subquery->plan);
        return true;
      });
    });
  }

  ExprPtr PruneSubqueries(const ExprPtr& expr) {
    if (!expr || !ContainsSubquery(expr)) return expr;
    return Transform(expr, [&](const ExprPtr& node) -> ExprPtr {
      if (const auto* subquery = node->As<ScalarSubquery>())
        return MakeExpr(ScalarSubquery{Prune(subquery->plan)}, node->type, node->nullable);
      if (const auto* subquery = node->As<ExistsSubquery>())
        return MakeExpr(ExistsSubquery{Prune(subquery->plan)}, node->type, node->nullable);
      if (const auto* subquery = node->As<InSubquery>())
        return MakeExpr(InSubquery{subquery->values, Prune(subquery->plan)}, node->type,
                        node->nullable);
      return nullptr;
    });
  }

 private:
  void PruneInputs(Plan& copy) {
    auto items = [&](std::vector<NamedExpr>& list) {
      for (NamedExpr& item : list) item.expr = PruneSubqueries(item.expr);
    };
    auto child = [&](auto& node) {
      if (node.child) node.child = Prune(node.child);
    };
    if (auto* n = std::get_if<Project>(&copy.node)) child(*n), items(n->items);
    if (auto* n = std::get_if<Filter>(&copy.node))
      child(*n), n->condition = PruneSubqueries(n->condition);
    if (auto* n = std::get_if<Join>(&copy.node)) {
      n->left = Prune(n->left);
      n->right = Prune(n->right);
      n->condition = PruneSubqueries(n->condition);
    }
    if (auto* n = std::get_if<Aggregate>(&copy.node))
      child(*n), items(n->groups), items(n->aggregates);
    if (auto* n = std::get_if<Window>(&copy.node)) child(*n), items(n->items);
    if (auto* n = std::get_if<Sort>(&copy.node)) child(*n);
    if (auto* n = std::get_if<Limit>(&copy.node)) child(*n);
    if (auto* n = std::get_if<SetOp>(&copy.node))
      n->left = Prune(n->left), n->right = Prune(n->right);
    if (auto* n = std::get_if<RecursiveUnion>(&copy.node))
      n->anchor = Prune(n->anchor), n->step = Prune(n->step);
    if (auto* n = std::get_if<Distinct>(&copy.node)) child(*n);
    if (auto* n = std::get_if<Generate>(&copy.node)) child(*n);
    if (auto* n = std::get_if<Sample>(&copy.node)) child(*n);
    if (auto* n = std::get_if<Repartition>(&copy.node)) child(*n);
  }

  std::unordered_set<ColumnId> used_;
  std::unordered_set<ColumnId> dropped_;
};

}  // namespace

PlanPtr Optimize(const PlanPtr& plan, const std::vector<ExprPtr>& used_by,
                 const SessionSettings& settings) {
  PlanPtr filtered = FilterPushdown(settings).Push(plan, {});
  ColumnPruning pruning;
  if (used_by.empty()) {
    pruning.UseAll(filtered);
  } else {
    for (const ExprPtr& expr : used_by) pruning.Use(expr);
    pruning.UseBelow(filtered);
  }
  pruning.FindDropped(filtered);
  return pruning.Prune(filtered);
}

ExprPtr OptimizeSubqueries(const ExprPtr& expr, const SessionSettings& settings) {
  if (!expr || !ContainsSubquery(expr)) return expr;
  return Transform(expr, [&](const ExprPtr& node) -> ExprPtr {
    if (const auto* subquery = node->As<ScalarSubquery>())
      return MakeExpr(ScalarSubquery{Optimize(subquery->plan, settings)}, node->type,
                      node->nullable);
    if (const auto* subquery = node->As<ExistsSubquery>())
      return MakeExpr(ExistsSubquery{Optimize(subquery->plan, settings)}, node->type,
                      node->nullable);
    if (const auto* subquery = node->As<InSubquery>())
      return MakeExpr(InSubquery{subquery->values, Optimize(subquery->plan, settings)}, node->type,
                      node->nullable);
    return nullptr;
  });
}

PlanPtr Optimize(const PlanPtr& plan, const SessionSettings& settings) {
  return Optimize(plan, {}, settings);
}

}  // namespace iceblink::plan
