#include "base/strings.h"
#include "sql/printer.h"
#include "sql/printer_parts.h"

namespace iceblink::sql {

namespace {

std::string PrintElements(const std::vector<GroupingElement>& elements);

std::string PrintElement(const GroupingElement& element) {
  if (element.is_set) return "(" + PrintExpressions(element.exprs) + ")";
  if (!element.analytics) return PrintExpressions(element.exprs);
  constexpr std::string_view kKinds[] = {"ROLLUP", "CUBE", "GROUPING SETS"};
  return std::string(kKinds[static_cast<size_t>(element.analytics->kind)]) + " (" +
         PrintElements(element.analytics->elements) + ")";
}

std::string PrintElements(const std::vector<GroupingElement>& elements) {
  return PrintList(elements, PrintElement);
}

std::string PrintGroupBy(const GroupBy& group_by) {
  std::string out = " GROUP BY " + PrintElements(group_by.elements);
  if (!group_by.trailing) return out;
  switch (group_by.trailing->kind) {
    case GroupingAnalytics::Kind::kRollup:
      return out + " WITH ROLLUP";
    case GroupingAnalytics::Kind::kCube:
      return out + " WITH CUBE";
    case GroupingAnalytics::Kind::kGroupingSets:
      return out + " GROUPING SETS (" + PrintElements(group_by.trailing->elements) + ")";
  }
  return out;
}

std::string PrintWindows(const std::vector<NamedWindow>& windows) {
  if (windows.empty()) return "";
  return " WINDOW " + PrintList(windows, [](const NamedWindow& window) {
           return PrintIdentifier(window.name) + " AS " + PrintWindow(window.spec);
         });
}

std::string PrintHint(const Hint& hint) {
  return PrintIdentifier(hint.name) +
         (hint.parameters.empty() ? "" : "(" + PrintExpressions(hint.parameters) + ")");
}

std::string PrintSelect(const Select& select) {
  std::string out = "SELECT ";
  if (!select.hints.empty()) out += "/*+ " + PrintList(select.hints, PrintHint) + " */ ";
  if (select.distinct) out += "DISTINCT ";
  out += PrintList(select.items, PrintNamed);
  if (select.from) {
    const std::string from = PrintRelation(*select.from);
    const bool bare_view = from.starts_with("LATERAL VIEW");
    out += (bare_view ? " " : " FROM ") + from;
  }
  if (select.where) out += " WHERE " + PrintExpression(*select.where);
  if (select.group_by) out += PrintGroupBy(*select.group_by);
  if (select.having) out += " HAVING " + PrintExpression(*select.having);
  return out + PrintWindows(select.windows);
}

std::string PrintTerm(const QueryTerm& term) {
  if (const auto* select = std::get_if<Select>(&term.node)) return PrintSelect(*select);
  if (const auto* query = std::get_if<QueryPtr>(&term.node)) return "(" + PrintQuery(**query) + ")";
  if (const auto* relation = std::get_if<RelationPtr>(&term.node)) {
    const bool table = (*relation)->As<TableName>() != nullptr;
    return (table ? "TABLE " : "") + PrintRelation(**relation);
  }
  const auto& set = std::get<SetOperation>(term.node);
  constexpr std::string_view kOperators[] = {" UNION ", " INTERSECT ", " EXCEPT "};
  // Only a pipe puts a looser operator under INTERSECT.
  const auto* left = std::get_if<SetOperation>(&set.left->node);
  const bool grouped =
      left && set.op == SetOperator::kIntersect && left->op != SetOperator::kIntersect;
  const std::string left_text = grouped ? "(" + PrintTerm(*set.left) + ")" : PrintTerm(*set.left);
  return left_text + std::string(kOperators[static_cast<size_t>(set.op)]) +
         (set.all ? "ALL " : "") + PrintTerm(*set.right);
}

std::string PrintUnpivotSet(const Unpivot::Set& set, bool multi_value) {
  std::string out = multi_value ? "(" + PrintNames(set.columns) + ")" : PrintNames(set.columns);
  return set.alias.empty() ? out : out + " AS " + PrintIdentifier(set.alias);
}

class RelationPrinter {
 public:
  std::string operator()(const TableName& n) const {
    std::string out = PrintName(n.name);
    if (n.time_travel && n.time_travel->version)
      out += " VERSION AS OF " + PrintString(*n.time_travel->version);
    if (n.time_travel && n.time_travel->timestamp)
      out += " TIMESTAMP AS OF " + PrintOperand(*n.time_travel->timestamp, 5);
    return n.options.empty() ? out : out + " WITH " + PrintProperties(n.options);
  }
  std::string operator()(const InlineTable& n) const {
    return "VALUES " + PrintExpressions(n.rows);
  }
  std::string operator()(const TableFunction& n) const {
    return PrintName(n.name) + "(" + PrintArguments(n.args) + ")";
  }
  std::string operator()(const GivenRows& n) const {
    return "/* " + std::to_string(n.rows->size()) + " rows of " + n.schema.SqlString() + " */";
  }
  std::string operator()(const Subquery& n) const { return "(" + PrintQuery(*n.query) + ")"; }
  std::string operator()(const Aliased& n) const {
    const bool grouped = n.child->As<Join>() || n.child->As<Aliased>() ||
                         n.child->As<LateralView>() || n.child->As<Pivot>();
    std::string out = grouped ? "(" + PrintRelation(*n.child) + ")" : PrintRelation(*n.child);
    out += " AS " + PrintIdentifier(n.alias);
    return n.columns.empty() ? out : out + "(" + PrintIdentifiers(n.columns) + ")";
  }
  std::string operator()(const Sampled& n) const;
  std::string operator()(const Join& n) const;
  std::string operator()(const LateralView& n) const {
    std::string out = n.child ? PrintRelation(*n.child) + " " : "";
    out += std::string("LATERAL VIEW ") + (n.outer ? "OUTER " : "") + PrintName(n.generator.name) +
           "(" + PrintArguments(n.generator.args) + ") " + PrintIdentifier(n.alias);
    return n.columns.empty() ? out : out + " AS " + PrintIdentifiers(n.columns);
  }
  std::string operator()(const Pivot& n) const {
    const std::string columns = n.columns.size() == 1 ? PrintIdentifier(n.columns[0])
                                                      : "(" + PrintIdentifiers(n.columns) + ")";
    return PrintRelation(*n.child) + " PIVOT (" + PrintList(n.aggregates, PrintNamed) + " FOR " +
           columns + " IN (" + PrintList(n.values, PrintNamed) + "))";
  }
  std::string operator()(const Unpivot& n) const {
    const std::string values = PrintIdentifiers(n.value_columns);
    return PrintRelation(*n.child) + " UNPIVOT " + (n.include_nulls ? "INCLUDE NULLS " : "") + "(" +
           (n.multi_value ? "(" + values + ")" : values) + " FOR " +
           PrintIdentifier(n.name_column) + " IN (" +
           PrintList(n.sets,
                     [&](const Unpivot::Set& set) { return PrintUnpivotSet(set, n.multi_value); }) +
           "))";
  }
};

std::string RelationPrinter::operator()(const Sampled& n) const {
  const bool grouped = n.child->As<Join>() || n.child->As<Aliased>();
  std::string out =
      (grouped ? "(" + PrintRelation(*n.child) + ")" : PrintRelation(*n.child)) + " TABLESAMPLE (";
  switch (n.kind) {
    case Sampled::Kind::kPercent: {
      std::string percent = std::to_string(n.percent);
      out += percent + " PERCENT";
      break;
    }
    case Sampled::Kind::kRows:
      out += PrintExpression(*n.rows) + " ROWS";
      break;
    case Sampled::Kind::kBytes:
      out += PrintExpression(*n.rows);
      break;
    case Sampled::Kind::kBucket:
      out += "BUCKET " + std::to_string(n.bucket) + " OUT OF " + std::to_string(n.buckets);
      break;
  }
  out += ")";
  return n.seed ? out + " REPEATABLE (" + std::to_string(*n.seed) + ")" : out;
}

std::string RelationPrinter::operator()(const Join& n) const {
  constexpr std::string_view kTypes[] = {"JOIN",          "CROSS JOIN", "LEFT JOIN",
                                         "RIGHT JOIN",    "FULL JOIN",  "LEFT SEMI JOIN",
                                         "LEFT ANTI JOIN"};
  const auto* right_join = n.right->As<Join>();
  // The right side of a comma may be a join; elsewhere a join there was in parentheses.
  const bool grouped =
      (right_join && (!n.comma || right_join->comma)) || n.right->As<LateralView>();
  std::string out = PrintRelation(*n.left);
  out += n.comma ? ", "
                 : " " + std::string(n.natural ? "NATURAL " : "") +
                       std::string(kTypes[static_cast<size_t>(n.type)]) + " ";
  out += std::string(n.lateral ? "LATERAL " : "") +
         (grouped ? "(" + PrintRelation(*n.right) + ")" : PrintRelation(*n.right));
  if (n.condition) out += " ON " + PrintExpression(*n.condition);
  if (!n.using_columns.empty()) out += " USING (" + PrintIdentifiers(n.using_columns) + ")";
  return out;
}

}  // namespace

std::string PrintRelation(const Relation& relation) {
  return std::visit(RelationPrinter(), relation.node);
}

std::string PrintCtes(const std::vector<Cte>& ctes, bool recursive) {
  if (ctes.empty()) return "";
  return std::string("WITH ") + (recursive ? "RECURSIVE " : "") +
         PrintList(ctes,
                   [](const Cte& cte) {
                     std::string out = PrintIdentifier(cte.name);
                     if (!cte.columns.empty()) out += " (" + PrintIdentifiers(cte.columns) + ")";
                     if (cte.max_level)
                       out += " MAX RECURSION LEVEL " + std::to_string(*cte.max_level);
                     return out + " AS (" + PrintQuery(*cte.query) + ")";
                   }) +
         " ";
}

std::string PrintQuery(const Query& query) {
  std::string out = PrintCtes(query.ctes, query.recursive) + PrintTerm(*query.body);
  if (!query.order_by.empty()) out += " ORDER BY " + PrintSortItems(query.order_by);
  if (!query.cluster_by.empty()) out += " CLUSTER BY " + PrintExpressions(query.cluster_by);
  if (!query.distribute_by.empty())
    out += " DISTRIBUTE BY " + PrintExpressions(query.distribute_by);
  if (!query.sort_by.empty()) out += " SORT BY " + PrintSortItems(query.sort_by);
  out += PrintWindows(query.windows);
  if (query.limit) out += " LIMIT " + PrintExpression(*query.limit);
  if (query.offset) out += " OFFSET " + PrintExpression(*query.offset);
  return out;
}

}  // namespace iceblink::sql
