// Lowering of plan nodes. Scans of tables and files in place have their own files.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/lowering.h"
#include "exec/table_functions.h"

namespace iceblink::exec {

using plan::PlanPtr;

Result<std::string> Lowering::Query(const PlanPtr& plan) {
  for (const auto& [node, sql] : replaced_) {
    if (node == plan.get()) return sql;
  }
  Result<std::string> text =
      std::visit([&](const auto& node) { return Select(*plan, node); }, plan->node);
  const Slice* slice = SliceOf(*plan);
  if (text && slice != nullptr && slice->begin == slice->end)
    return "SELECT * FROM (" + *text + ") WHERE false";
  return text;
}

Result<std::string> Lowering::Columns(const std::vector<plan::Column>& columns) {
  if (columns.empty()) return "0 AS z";  // SELECT needs one column
  std::vector<std::string> names;
  for (const plan::Column& column : columns) names.push_back(Name(column.id));
  return Join(names, ", ");
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::Values& node) {
  constexpr size_t kMaxTextRows = 200;
  int64_t begin = 0, end = static_cast<int64_t>(node.rows.size());
  if (const Slice* slice = SliceOf(plan)) begin = slice->begin, end = slice->end;
  std::vector<std::string> names;
  for (const plan::Column& column : plan.output) names.push_back(Name(column.id));
  bool literals = true;
  for (const auto& row : node.rows) {
    for (const plan::ExprPtr& value : row)
      literals = literals && value->As<plan::LiteralExpr>() != nullptr;
  }
  if (plan.output.empty()) {
    return fmt::format("SELECT 0 AS z FROM range({})", end - begin);
  }
  if (begin >= end || (literals && node.rows.size() > kMaxTextRows)) {
    auto rows = std::make_shared<RowSource>();
    for (const plan::Column& column : plan.output) {
      rows->names.push_back(Name(column.id));
      rows->types.push_back(ToLogicalType(column.type));
    }
    rows->next = LiteralRows(node, begin, end);
    return fmt::format("SELECT * FROM iceblink_rows('values', {})", objects_.Add(rows));
  }
  std::vector<std::string> lines;
  for (int64_t i = begin; i < end; ++i) {
    std::vector<std::string> values;
    for (size_t c = 0; c < node.rows[i].size(); ++c) {
      ASSIGN_OR_RETURN(std::string text, Expression(node.rows[i][c]));
      // The first row fixes the columns' types.
      if (i == begin) text = "CAST(" + text + " AS " + TypeSql(plan.output[c].type) + ")";
      values.push_back(std::move(text));
    }
    lines.push_back("(" + Join(values, ", ") + ")");
  }
  return fmt::format("SELECT * FROM (VALUES {}) AS t({})", Join(lines, ", "), Join(names, ", "));
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::Range& node) {
  plan::Range range = node;
  if (const Slice* slice = SliceOf(plan)) {
    range.start = node.start + slice->begin * node.step;
    range.end = slice->end == RangeCount(node) ? node.end : node.start + slice->end * node.step;
  }
  std::string name = plan.output.empty() ? "z" : Name(plan.output[0].id);
  return fmt::format(
      "SELECT id AS {} FROM iceblink_range(CAST({} AS BIGINT), CAST({} AS BIGINT), CAST({} AS "
      "BIGINT))",
      name, range.start, range.end, range.step);
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Project& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  std::vector<std::string> items;
  for (const plan::NamedExpr& item : node.items) {
    ASSIGN_OR_RETURN(std::string text, Expression(item.expr));
    items.push_back(text + " AS " + Name(item.column.id));
  }
  if (items.empty()) items.push_back("0 AS z");
  return "SELECT " + Join(items, ", ") + " FROM (" + child + ")";
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Filter& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  ASSIGN_OR_RETURN(std::string condition, Expression(node.condition));
  return "SELECT * FROM (" + child + ") WHERE " + condition;
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::Join& node) {
  ASSIGN_OR_RETURN(std::string left, Query(node.left));
  ASSIGN_OR_RETURN(std::string right, Query(node.right));
  std::string condition = "true";
  if (node.condition != nullptr) {
    ASSIGN_OR_RETURN(condition, Expression(node.condition));
  }
  std::string word;
  switch (node.type) {
    case plan::JoinType::kInner:
      word = "INNER";
      break;
    case plan::JoinType::kCross:
      word = "INNER";
      break;
    case plan::JoinType::kLeftOuter:
      word = "LEFT";
      break;
    case plan::JoinType::kRightOuter:
      word = "RIGHT";
      break;
    case plan::JoinType::kFullOuter:
      word = "FULL";
      break;
    case plan::JoinType::kLeftSemi:
      word = "SEMI";
      break;
    case plan::JoinType::kLeftAnti:
      word = "ANTI";
      break;
  }
  ASSIGN_OR_RETURN(std::string columns, Columns(plan.output));
  return fmt::format("SELECT {} FROM ({}) AS {} {} JOIN {}({}) AS {} ON {}", columns, left,
                     FreshName(), word, node.lateral ? "LATERAL " : "", right, FreshName(),
                     condition);
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Window& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  std::vector<std::string> items = {"*"};
  for (const plan::NamedExpr& item : node.items) {
    ASSIGN_OR_RETURN(std::string text, Expression(item.expr));
    items.push_back(text + " AS " + Name(item.column.id));
  }
  return "SELECT " + Join(items, ", ") + " FROM (" + child + ")";
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Sort& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  if (node.keys.empty()) return child;
  ASSIGN_OR_RETURN(std::string keys, Keys(node.keys));
  return "SELECT * FROM (" + child + ") ORDER BY " + keys;
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Limit& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  std::string out = "SELECT * FROM (" + child + ")";
  if (node.limit) out += " LIMIT " + std::to_string(*node.limit);
  if (node.offset > 0) out += " OFFSET " + std::to_string(node.offset);
  return out;
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::SetOp& node) {
  ASSIGN_OR_RETURN(std::string left, Query(node.left));
  ASSIGN_OR_RETURN(std::string right, Query(node.right));
  ASSIGN_OR_RETURN(std::string left_columns, Columns(node.left->output));
  ASSIGN_OR_RETURN(std::string right_columns, Columns(node.right->output));
  ASSIGN_OR_RETURN(std::string columns, Columns(plan.output));
  if (plan.output.empty()) columns = left_columns = right_columns = "z";
  std::string word = node.kind == plan::SetOpKind::kUnion       ? "UNION"
                     : node.kind == plan::SetOpKind::kIntersect ? "INTERSECT"
                                                                : "EXCEPT";
  return fmt::format("SELECT * FROM ((SELECT {} FROM ({})) {}{} (SELECT {} FROM ({}))) AS {}({})",
                     left_columns, left, word, node.all ? " ALL" : "", right_columns, right,
                     FreshName(), columns);
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Distinct& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  return "SELECT DISTINCT * FROM (" + child + ")";
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Sample& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  NeedCoreFunctions();
  std::string out = "SELECT * FROM (" + child + ") ";
  if (node.rows) return out + "USING SAMPLE reservoir(" + std::to_string(*node.rows) + " ROWS)";
  out += fmt::format("USING SAMPLE {} PERCENT (bernoulli", node.fraction.value_or(1.0) * 100);
  if (node.seed) out += ", " + std::to_string(*node.seed & 0x7fffffff);
  return out + ")";
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Repartition& node) {
  return Query(node.child);
}

// ---- generators
// ------------------------------------------------------------------------------------------------------

namespace {

// The lists that a generator's columns come from, each unnested beside the others.
Result<std::vector<std::string>> GeneratedLists(const plan::Generate& node,
                                                const std::vector<std::string>& args) {
  std::vector<std::string> lists;
  if (node.function == "json_tuple") {
    for (size_t i = 1; i < args.size(); ++i)
      lists.push_back("[ib_json_field(" + args[0] + ", " + args[i] + ")]");
    return lists;
  }
  if (node.function == "stack") {
    auto* rows = node.args[0]->As<plan::LiteralExpr>();
    size_t count = rows == nullptr ? 1 : static_cast<size_t>(rows->value.AsInt64());
    size_t width = node.generated.size();
    for (size_t c = 0; c < width; ++c) {
      std::vector<std::string> values;
      for (size_t r = 0; r < count; ++r) {
        size_t at = 1 + r * width + c;
        values.push_back(at < args.size() ? args[at] : "NULL");
      }
      lists.push_back("[" + Join(values, ", ") + "]");
    }
    return lists;
  }
  const plan::DataType& type = node.args[0]->type;
  if (node.function == "posexplode") {
    lists.push_back(type.kind() == sql::TypeKind::kMap ? "range(len(map_keys(" + args[0] + ")))"
                                                       : "range(len(" + args[0] + "))");
  } else if (node.function != "explode" && node.function != "inline") {
    return Fail(ErrorCode::kUnsupported,
                "Generator " + std::string(node.function) + " is not supported yet");
  }
  if (node.function == "inline") {
    for (const std::string& name : StructNames(type.element())) {
      std::string element = "e";
      lists.push_back(fmt::format("list_transform({}, lambda {}: struct_extract({}, {}))", args[0],
                                  element, element, QuoteText(name)));
    }
  } else if (type.kind() == sql::TypeKind::kMap) {
    lists.push_back("map_keys(" + args[0] + ")");
    lists.push_back("map_values(" + args[0] + ")");
  } else {
    lists.push_back(args[0]);
  }
  return lists;
}

}  // namespace

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Generate& node) {
  NeedCoreFunctions();
  std::string child = "SELECT 0 AS z";
  if (node.child != nullptr) {
    ASSIGN_OR_RETURN(child, Query(node.child));
  }
  std::vector<std::string> args;
  for (const plan::ExprPtr& arg : node.args) {
    ASSIGN_OR_RETURN(std::string text, Expression(arg));
    args.push_back(std::move(text));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> lists, GeneratedLists(node, args));
  std::vector<std::string> items = {"*"};
  for (size_t i = 0; i < lists.size() && i < node.generated.size(); ++i) {
    std::string list = lists[i];
    if (node.outer)
      list = fmt::format("CASE WHEN coalesce(len({0}), 0) = 0 THEN [NULL] ELSE {0} END", list);
    items.push_back(fmt::format("CAST(unnest({}) AS {}) AS {}", list,
                                TypeSql(node.generated[i].type), Name(node.generated[i].id)));
  }
  return "SELECT " + Join(items, ", ") + " FROM (" + child + ")";
}

}  // namespace iceblink::exec
