#include "plan/plan_printer.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "plan/expression_tree.h"
#include "plan/query_analyzer.h"

namespace iceblink::plan {
namespace {

std::string List(const std::vector<ExprPtr>& exprs) {
  std::vector<std::string> texts;
  for (const ExprPtr& expr : exprs) texts.push_back(PrintExpr(expr));
  return iceblink::Join(texts, ", ");
}

std::string Keys(const std::vector<SortKey>& keys) {
  std::vector<std::string> texts;
  for (const SortKey& key : keys)
    texts.push_back(fmt::format("{} {} NULLS {}", PrintExpr(key.expr),
                                key.ascending ? "ASC" : "DESC",
                                key.nulls_first ? "FIRST" : "LAST"));
  return iceblink::Join(texts, ", ");
}

std::string Items(const std::vector<NamedExpr>& items) {
  std::vector<std::string> texts;
  for (const NamedExpr& item : items)
    texts.push_back(
        fmt::format("{} AS {}#{}", PrintExpr(item.expr), item.column.name, item.column.id));
  return iceblink::Join(texts, ", ");
}

std::string Columns(const std::vector<Column>& columns) {
  std::vector<std::string> texts;
  for (const Column& column : columns)
    texts.push_back(fmt::format("{}#{}", column.name, column.id));
  return iceblink::Join(texts, ", ");
}

constexpr std::string_view kJoinNames[] = {"Inner",    "LeftOuter", "RightOuter", "FullOuter",
                                           "LeftSemi", "LeftAnti",  "Cross"};
constexpr std::string_view kSetNames[] = {"Union", "Intersect", "Except"};

struct NodeText {
  std::string operator()(const TableScan& n) const {
    std::vector<Column> columns;
    for (const ScanColumn& column : n.columns) columns.push_back(column.column);
    std::string filter = n.filter.is_true() ? "" : fmt::format(" filter={}", n.filter.ToString());
    std::string snapshot = n.table.snapshot_id && n.table.time_travel
                               ? fmt::format(" snapshot={}", *n.table.snapshot_id)
                               : "";
    std::string after = n.after_snapshot_id ? fmt::format(" after={}", *n.after_snapshot_id) : "";
    return fmt::format("Scan {} [{}]{}{}{}", n.table.DottedName(), Columns(columns), filter,
                       snapshot, after);
  }
  std::string operator()(const MetadataScan& n) const {
    return fmt::format("MetadataScan {}.{}", n.table.DottedName(),
                       table::MetadataTableName(n.kind));
  }
  std::string operator()(const ChangelogScan& n) const {
    return fmt::format("ChangelogScan {}", n.table.DottedName());
  }
  std::string operator()(const Values& n) const {
    std::vector<std::string> rows;
    for (const auto& row : n.rows) rows.push_back(fmt::format("({})", List(row)));
    return fmt::format("Values {}", iceblink::Join(rows, ", "));
  }
  std::string operator()(const Range& n) const {
    return fmt::format("Range ({}, {}, {})", n.start, n.end, n.step);
  }
  std::string operator()(const FileScan& n) const {
    return fmt::format("FileScan {} [{}]", n.format, iceblink::Join(n.paths, ", "));
  }
  std::string operator()(const Project& n) const {
    return fmt::format("Project [{}]", Items(n.items));
  }
  std::string operator()(const Filter& n) const {
    return fmt::format("Filter {}", PrintExpr(n.condition));
  }
  std::string operator()(const Join& n) const {
    std::string on = n.condition ? fmt::format(" {}", PrintExpr(n.condition)) : "";
    return fmt::format("Join {}{}{}", kJoinNames[static_cast<size_t>(n.type)],
                       n.lateral ? " lateral" : "", on);
  }
  std::string operator()(const Aggregate& n) const {
    std::vector<std::string> sets;
    if (n.grouping_sets)
      for (const auto& set : *n.grouping_sets) {
        std::vector<std::string> indexes;
        for (uint32_t i : set) indexes.push_back(std::to_string(i));
        sets.push_back(fmt::format("({})", iceblink::Join(indexes, ",")));
      }
    std::string text = n.grouping_sets ? fmt::format(" sets [{}]", iceblink::Join(sets, " ")) : "";
    return fmt::format("Aggregate [{}] [{}]{}", Items(n.groups), Items(n.aggregates), text);
  }
  std::string operator()(const Window& n) const {
    return fmt::format("Window [{}]", Items(n.items));
  }
  std::string operator()(const Sort& n) const {
    return fmt::format("{} [{}]", n.global ? "Sort" : "LocalSort", Keys(n.keys));
  }
  std::string operator()(const Limit& n) const {
    std::string limit = n.limit ? std::to_string(*n.limit) : "all";
    return n.offset == 0 ? fmt::format("Limit {}", limit)
                         : fmt::format("Limit {} offset {}", limit, n.offset);
  }
  std::string operator()(const SetOp& n) const {
    return fmt::format("{}{}", kSetNames[static_cast<size_t>(n.kind)], n.all ? " all" : "");
  }
  std::string operator()(const Distinct&) const { return "Distinct"; }
  std::string operator()(const Generate& n) const {
    return fmt::format("Generate {}({}){} [{}]", n.function, List(n.args), n.outer ? " outer" : "",
                       Columns(n.generated));
  }
  std::string operator()(const Sample& n) const {
    return fmt::format("Sample {}", n.fraction.value_or(0));
  }
  std::string operator()(const Repartition& n) const {
    std::string tasks = n.tasks ? std::to_string(*n.tasks) : "";
    return fmt::format("Repartition {}{} [{}]", tasks, n.shuffle ? " shuffle" : "", List(n.by));
  }
  std::string operator()(const RecursiveUnion& n) const {
    return fmt::format("RecursiveUnion {}", n.loop);
  }
  std::string operator()(const RecursiveRead& n) const {
    return fmt::format("RecursiveRead {}", n.loop);
  }
};

void Print(const PlanPtr& plan, int depth, std::string& out) {
  out +=
      std::string(static_cast<size_t>(depth) * 2, ' ') + std::visit(NodeText(), plan->node) + "\n";
  for (const PlanPtr& input : Inputs(*plan)) Print(input, depth + 1, out);
}

std::string SubqueryText(std::string_view name, const PlanPtr& plan) {
  std::string text = PrintPlan(plan);
  return fmt::format("{}{{{}}}", name, ReplaceAll(StripTrailing(text, '\n'), "\n", "; "));
}

}  // namespace

std::string PrintExpr(const ExprPtr& expr) {
  if (!expr) return "-";
  const Expr::Node& node = expr->node;
  if (const auto* n = std::get_if<ColumnRef>(&node)) return fmt::format("{}#{}", n->name, n->id);
  if (const auto* n = std::get_if<LiteralExpr>(&node)) {
    std::string text = LiteralText(n->value, expr->type, "UTC");
    return expr->type.is_string() && !n->value.is_null() ? fmt::format("'{}'", text) : text;
  }
  if (const auto* n = std::get_if<Call>(&node))
    return fmt::format("{}({})", n->function, List(n->args));
  if (const auto* n = std::get_if<Cast>(&node)) {
    static constexpr std::string_view kModes[] = {"cast", "legacy_cast", "try_cast", "store_cast"};
    return fmt::format("{}({} as {})", kModes[static_cast<size_t>(n->mode)], PrintExpr(n->child),
                       expr->type.SimpleString());
  }
  if (const auto* n = std::get_if<Case>(&node)) {
    std::string text = "case";
    for (const auto& [condition, value] : n->branches)
      text += fmt::format(" when {} then {}", PrintExpr(condition), PrintExpr(value));
    return fmt::format("{} else {} end", text, PrintExpr(n->otherwise));
  }
  if (const auto* n = std::get_if<Lambda>(&node)) {
    std::vector<std::string> parameters;
    for (ColumnId id : n->parameters) parameters.push_back(fmt::format("#{}", id));
    return fmt::format("({}) -> {}", iceblink::Join(parameters, ", "), PrintExpr(n->body));
  }
  if (const auto* n = std::get_if<AggregateCall>(&node)) {
    std::string order = n->order_by.empty() ? "" : fmt::format(" order by {}", Keys(n->order_by));
    std::string filter = n->filter ? fmt::format(" filter {}", PrintExpr(n->filter)) : "";
    return fmt::format("{}({}{}){}{}", n->function, n->distinct ? "distinct " : "", List(n->args),
                       order, filter);
  }
  if (const auto* n = std::get_if<WindowCall>(&node))
    return fmt::format("{}({}) over (partition [{}] order [{}])", n->function, List(n->args),
                       List(n->partition_by), Keys(n->order_by));
  if (const auto* n = std::get_if<ScalarSubquery>(&node)) return SubqueryText("scalar", n->plan);
  if (const auto* n = std::get_if<ExistsSubquery>(&node)) return SubqueryText("exists", n->plan);
  const auto& in = std::get<InSubquery>(node);
  return fmt::format("({}) in {}", List(in.values), SubqueryText("", in.plan));
}

std::string PrintPlan(const PlanPtr& plan) {
  std::string out;
  Print(plan, 0, out);
  return out;
}

std::string PrintInsert(const InsertPlan& insert) {
  static constexpr std::string_view kModes[] = {"append", "overwrite by filter",
                                                "overwrite dynamic"};
  std::string filter = insert.mode == InsertMode::kOverwriteByFilter
                           ? fmt::format(" {}", insert.overwrite_filter.ToString())
                           : "";
  return fmt::format("Insert {} {}{}\n{}", insert.target.DottedName(),
                     kModes[static_cast<size_t>(insert.mode)], filter, PrintPlan(insert.source));
}

std::string PrintRowLevel(const RowLevelPlan& plan) {
  static constexpr std::string_view kKinds[] = {"Delete", "Update", "Merge"};
  static constexpr std::string_view kActions[] = {"delete", "update", "insert"};
  std::string out =
      fmt::format("{} {} on {} filter {}{}\n", kKinds[static_cast<size_t>(plan.kind)],
                  plan.target.DottedName(), PrintExpr(plan.condition),
                  plan.target_filter.ToString(), plan.filter_is_exact ? " exact" : "");
  auto clauses = [&](std::string_view name, const std::vector<RowClause>& list) {
    for (const RowClause& clause : list)
      out += fmt::format("  {} if {} {} [{}]\n", name, PrintExpr(clause.condition),
                         kActions[static_cast<size_t>(clause.action)], List(clause.values));
  };
  clauses("matched", plan.matched);
  clauses("not matched", plan.not_matched);
  clauses("by source", plan.not_matched_by_source);
  out += PrintPlan(plan.target_scan);
  if (plan.source) out += PrintPlan(plan.source);
  return out;
}

}  // namespace iceblink::plan
