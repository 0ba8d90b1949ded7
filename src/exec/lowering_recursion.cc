// Lowering of recursive unions to DuckDB's, and the function that holds them to their limits.
#include <fmt/format.h>

#include <atomic>

#include "base/strings.h"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "exec/duckdb_types.h"
#include "exec/lowering.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {
namespace {

// Shared by the threads of one run. Limits of -1: none.
struct RecursionLimits {
  int64_t levels = -1;
  int64_t rows = -1;
  std::atomic<int64_t> seen{0};
};

struct LimitsInfo : duckdb::ScalarFunctionInfo {
  explicit LimitsInfo(std::shared_ptr<StatementObjects> objects) : objects(std::move(objects)) {}
  std::shared_ptr<StatementObjects> objects;
};

// ib_recursion(level, limits): the level, when rows of it are allowed.
void RecursionRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                   duckdb::Vector& result) {
  const auto& function = state.expr.Cast<duckdb::BoundFunctionExpression>().function;
  const int64_t id = chunk.data[1].GetValue(0).GetValue<int64_t>();
  const auto limits = function.function_info->Cast<LimitsInfo>().objects->Find<RecursionLimits>(id);
  if (limits == nullptr) throw duckdb::InvalidInputException("recursion %d is gone", id);
  const auto count = static_cast<int64_t>(chunk.size());
  if (limits->rows >= 0 && limits->seen.fetch_add(count) + count > limits->rows)
    ThrowCondition("RECURSION_ROW_LIMIT_EXCEEDED", {{"rowLimit", std::to_string(limits->rows)}});
  duckdb::UnaryExecutor::Execute<int64_t, int64_t>(
      chunk.data[0], result, chunk.size(), [&](int64_t level) {
        if (limits->levels >= 0 && level > limits->levels) {
          ThrowCondition("RECURSION_LEVEL_LIMIT_EXCEEDED",
                         {{"levelLimit", std::to_string(limits->levels)}});
        }
        return level;
      });
}

std::string LoopName(uint32_t loop) { return "loop" + std::to_string(loop); }
std::string Key(size_t i) { return "k" + std::to_string(i); }

}  // namespace

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::RecursiveUnion& node) {
  NeedCoreFunctions();
  auto limits = std::make_shared<RecursionLimits>();
  limits->levels = node.max_levels;
  limits->rows = node.max_rows;
  const int64_t id = objects_.Add(limits);
  ASSIGN_OR_RETURN(const std::string anchor, Query(node.anchor));
  ASSIGN_OR_RETURN(const std::string step, Query(node.step));
  std::vector<std::string> keys, anchor_items, step_items, items;
  for (size_t i = 0; i < plan.output.size(); ++i) {
    const std::string type = TypeSql(plan.output[i].type);
    keys.push_back(Key(i));
    anchor_items.push_back(fmt::format("CAST({} AS {})", Name(node.anchor->output[i].id), type));
    step_items.push_back(fmt::format("CAST({} AS {})", Name(node.step->output[i].id), type));
    items.push_back(Key(i) + " AS " + Name(plan.output[i].id));
  }
  const std::string loop = LoopName(node.loop);
  return fmt::format(
      "SELECT {items} FROM (WITH RECURSIVE {loop}({keys}, lvl) AS ("
      "SELECT {anchor_items}, ib_recursion(CAST(1 AS BIGINT), {id}) FROM ({anchor}) UNION ALL "
      "SELECT {step_items}, ib_recursion(l, {id}) FROM ({step}) "
      "CROSS JOIN (SELECT max(lvl) + 1 AS l FROM {loop})) SELECT * FROM {loop})",
      fmt::arg("items", Join(items, ", ")), fmt::arg("loop", loop),
      fmt::arg("keys", Join(keys, ", ")), fmt::arg("anchor_items", Join(anchor_items, ", ")),
      fmt::arg("step_items", Join(step_items, ", ")), fmt::arg("id", id),
      fmt::arg("anchor", anchor), fmt::arg("step", step));
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::RecursiveRead& node) {
  std::vector<std::string> items;
  for (size_t i = 0; i < plan.output.size(); ++i)
    items.push_back(Key(i) + " AS " + Name(plan.output[i].id));
  return "SELECT " + Join(items, ", ") + " FROM " + LoopName(node.loop);
}

void RegisterRecursionFunction(duckdb::ExtensionLoader& loader,
                               const std::shared_ptr<StatementObjects>& objects) {
  duckdb::ScalarFunction function("ib_recursion",
                                  {duckdb::LogicalType::BIGINT, duckdb::LogicalType::BIGINT},
                                  duckdb::LogicalType::BIGINT, RecursionRows);
  function.function_info = duckdb::make_shared_ptr<LimitsInfo>(objects);
  function.SetStability(duckdb::FunctionStability::VOLATILE);
  function.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(std::move(function));
}

}  // namespace iceblink::exec
