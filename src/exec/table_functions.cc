#include "exec/table_functions.h"

#include <atomic>
#include <mutex>

#include "duckdb/main/extension/extension_loader.hpp"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

int64_t RangeCount(const plan::Range& range) {
  Int128 span = static_cast<Int128>(range.end) - range.start;
  if (range.step == 0 || (span > 0) != (range.step > 0) || span == 0) return 0;
  Int128 step = range.step;
  return static_cast<int64_t>((span + step - (step > 0 ? 1 : -1)) / step);
}

std::function<Result<std::vector<ValueList>>()> LiteralRows(const plan::Values& values,
                                                            int64_t begin, int64_t end) {
  constexpr int64_t kBatch = STANDARD_VECTOR_SIZE;
  return [&values, at = begin, end]() mutable -> Result<std::vector<ValueList>> {
    std::vector<ValueList> out;
    for (int64_t last = std::min(end, at + kBatch); at < last; ++at) {
      ValueList row;
      for (const plan::ExprPtr& expr : values.rows[at])
        row.push_back(expr->As<plan::LiteralExpr>()->value);
      out.push_back(std::move(row));
    }
    return out;
  };
}

namespace {

struct ObjectsInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<StatementObjects> objects;
};

// ---- iceblink_rows
// ---------------------------------------------------------------------------------------------------

struct RowsBind : duckdb::TableFunctionData {
  std::shared_ptr<RowSource> source;
};
struct RowsState : duckdb::GlobalTableFunctionState {
  std::vector<ValueList> rows;
  size_t at = 0;
  std::vector<duckdb::column_t> columns;
};

duckdb::unique_ptr<duckdb::FunctionData> BindRows(duckdb::ClientContext&,
                                                  duckdb::TableFunctionBindInput& input,
                                                  duckdb::vector<LogicalType>& types,
                                                  duckdb::vector<std::string>& names) {
  auto bind = duckdb::make_uniq<RowsBind>();
  bind->source =
      input.info->Cast<ObjectsInfo>().objects->Find<RowSource>(input.inputs[1].GetValue<int64_t>());
  if (bind->source == nullptr) throw duckdb::InvalidInputException("rows are gone");
  types.assign(bind->source->types.begin(), bind->source->types.end());
  names.assign(bind->source->names.begin(), bind->source->names.end());
  return bind;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitRows(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<RowsState>();
  state->columns.assign(input.column_ids.begin(), input.column_ids.end());
  return state;
}

void ScanRows(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
              duckdb::DataChunk& output) {
  RowSource& source = *input.bind_data->Cast<RowsBind>().source;
  RowsState& state = input.global_state->Cast<RowsState>();
  if (state.at == state.rows.size()) {
    state.rows = OrThrow(source.next());
    state.at = 0;
  }
  size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, state.rows.size() - state.at);
  for (size_t c = 0; c < state.columns.size(); ++c) {
    if (state.columns[c] >= source.types.size()) continue;  // the row id of a column-less scan
    for (size_t i = 0; i < count; ++i) {
      output.data[c].SetValue(
          i, ToDuckDb(state.rows[state.at + i][state.columns[c]], source.types[state.columns[c]]));
    }
  }
  state.at += count;
  output.SetCardinality(count);
}

// ---- iceblink_range
// --------------------------------------------------------------------------------------------------

struct RangeBind : duckdb::TableFunctionData {
  int64_t start = 0, step = 1;
  int64_t count = 0;
};
struct RangeState : duckdb::GlobalTableFunctionState {
  std::atomic<int64_t> next{0};
  int64_t count = 0;
  bool wants_id = true;
  duckdb::idx_t MaxThreads() const override {
    return static_cast<duckdb::idx_t>(count / kMorsel + 1);
  }
  static constexpr int64_t kMorsel = 60 * STANDARD_VECTOR_SIZE;
};
struct RangeLocal : duckdb::LocalTableFunctionState {
  int64_t at = 0, end = 0;
  duckdb::idx_t batch = 0;
};

duckdb::unique_ptr<duckdb::FunctionData> BindRange(duckdb::ClientContext&,
                                                   duckdb::TableFunctionBindInput& input,
                                                   duckdb::vector<LogicalType>& types,
                                                   duckdb::vector<std::string>& names) {
  plan::Range range;
  range.start = input.inputs[0].GetValue<int64_t>();
  range.end = input.inputs[1].GetValue<int64_t>();
  range.step = input.inputs[2].GetValue<int64_t>();
  auto bind = duckdb::make_uniq<RangeBind>();
  bind->start = range.start;
  bind->step = range.step;
  bind->count = RangeCount(range);
  types = {LogicalType::BIGINT};
  names = {"id"};
  return bind;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitRange(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<RangeState>();
  state->count = input.bind_data->Cast<RangeBind>().count;
  state->wants_id = !input.column_ids.empty() && input.column_ids[0] == 0;
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitRangeLocal(
    duckdb::ExecutionContext&, duckdb::TableFunctionInitInput&, duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<RangeLocal>();
}

void ScanRange(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
               duckdb::DataChunk& output) {
  const RangeBind& bind = input.bind_data->Cast<RangeBind>();
  RangeState& state = input.global_state->Cast<RangeState>();
  RangeLocal& local = input.local_state->Cast<RangeLocal>();
  if (local.at == local.end) {
    local.at = state.next.fetch_add(RangeState::kMorsel);
    local.end = std::min(bind.count, local.at + RangeState::kMorsel);
    if (local.at >= bind.count) {
      local.at = local.end = bind.count;
      return;
    }
    local.batch = static_cast<duckdb::idx_t>(local.at / RangeState::kMorsel);
  }
  int64_t count = std::min<int64_t>(STANDARD_VECTOR_SIZE, local.end - local.at);
  if (state.wants_id) output.data[0].Sequence(bind.start + local.at * bind.step, bind.step, count);
  local.at += count;
  output.SetCardinality(count);
}

duckdb::OperatorPartitionData RangePartition(duckdb::ClientContext&,
                                             duckdb::TableFunctionGetPartitionInput& input) {
  return duckdb::OperatorPartitionData(input.local_state->Cast<RangeLocal>().batch);
}

duckdb::unique_ptr<duckdb::NodeStatistics> RangeCardinality(duckdb::ClientContext&,
                                                            const duckdb::FunctionData* data) {
  auto count = static_cast<duckdb::idx_t>(data->Cast<RangeBind>().count);
  return duckdb::make_uniq<duckdb::NodeStatistics>(count, count);
}

}  // namespace

void RegisterTableFunctions(duckdb::ExtensionLoader& loader,
                            const std::shared_ptr<StatementObjects>& objects) {
  auto info = duckdb::make_shared_ptr<ObjectsInfo>();
  info->objects = objects;
  duckdb::TableFunction rows("iceblink_rows", {LogicalType::VARCHAR, LogicalType::BIGINT}, ScanRows,
                             BindRows, InitRows);
  rows.projection_pushdown = true;
  rows.function_info = info;
  loader.RegisterFunction(rows);
  duckdb::TableFunction range("iceblink_range",
                              {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT},
                              ScanRange, BindRange, InitRange, InitRangeLocal);
  range.projection_pushdown = true;
  range.cardinality = RangeCardinality;
  range.get_partition_data = RangePartition;
  loader.RegisterFunction(range);
}

}  // namespace iceblink::exec
