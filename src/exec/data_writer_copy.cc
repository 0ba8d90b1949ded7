// The COPY functions that feed a DataFileSet: `COPY (query) TO 'iceblink:ID' (FORMAT
// iceblink_ordered | iceblink_parallel | iceblink_batches | iceblink_any_order)`, ID being the
// set's number among the statement's objects.
#include "base/strings.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "exec/data_writer.h"
#include "exec/duckdb_session.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

namespace {

constexpr duckdb::idx_t kBatchRows = 122880;

struct Info : duckdb::CopyFunctionInfo {
  std::shared_ptr<StatementObjects> objects;
};
struct Bind : duckdb::FunctionData {
  std::shared_ptr<StatementObjects> objects;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    auto copy = duckdb::make_uniq<Bind>();
    copy->objects = objects;
    return copy;
  }
  bool Equals(const duckdb::FunctionData&) const override { return false; }
};
struct Global : duckdb::GlobalFunctionData {
  std::shared_ptr<DataFileSet> files;
};
struct Local : duckdb::LocalFunctionData {
  std::unique_ptr<DataFileSet::Sink> sink;  // made at the first row, when the global state is known
};
struct Prepared : duckdb::PreparedBatchData {
  DataFileSet::BatchPtr batch;
};

duckdb::unique_ptr<duckdb::FunctionData> BindCopy(duckdb::ClientContext&,
                                                  duckdb::CopyFunctionBindInput& input,
                                                  const duckdb::vector<std::string>&,
                                                  const duckdb::vector<duckdb::LogicalType>&) {
  auto bind = duckdb::make_uniq<Bind>();
  bind->objects = input.function_info->Cast<Info>().objects;
  return bind;
}

duckdb::unique_ptr<duckdb::GlobalFunctionData> InitGlobal(duckdb::ClientContext&,
                                                          duckdb::FunctionData& bind,
                                                          const std::string& path) {
  auto global = duckdb::make_uniq<Global>();
  auto id = ParseInt64(path.substr(path.rfind(':') + 1));
  if (id) global->files = bind.Cast<Bind>().objects->Find<DataFileSet>(*id);
  if (global->files == nullptr) throw duckdb::InvalidInputException("writer %s is gone", path);
  return global;
}

duckdb::unique_ptr<duckdb::LocalFunctionData> InitLocal(duckdb::ExecutionContext&,
                                                        duckdb::FunctionData&) {
  return duckdb::make_uniq<Local>();
}

void SinkRows(duckdb::ExecutionContext& context, duckdb::FunctionData&,
              duckdb::GlobalFunctionData& global, duckdb::LocalFunctionData& local,
              duckdb::DataChunk& rows) {
  Local& state = local.Cast<Local>();
  if (state.sink == nullptr) {
    state.sink = std::make_unique<DataFileSet::Sink>(*global.Cast<Global>().files, context.client);
  }
  state.sink->Append(rows);
}

void Combine(duckdb::ExecutionContext&, duckdb::FunctionData&, duckdb::GlobalFunctionData&,
             duckdb::LocalFunctionData& local) {
  if (auto& sink = local.Cast<Local>().sink; sink != nullptr) sink->Finish();
}

// The set is closed by its owner, who wants the files.
void Finalize(duckdb::ClientContext&, duckdb::FunctionData&, duckdb::GlobalFunctionData&) {}

duckdb::unique_ptr<duckdb::PreparedBatchData> PrepareBatch(
    duckdb::ClientContext& context, duckdb::FunctionData&, duckdb::GlobalFunctionData& global,
    duckdb::unique_ptr<duckdb::ColumnDataCollection> rows) {
  auto prepared = duckdb::make_uniq<Prepared>();
  prepared->batch = global.Cast<Global>().files->Encode(context, *rows);
  return prepared;
}

void FlushBatch(duckdb::ClientContext&, duckdb::FunctionData&, duckdb::GlobalFunctionData& global,
                duckdb::PreparedBatchData& batch) {
  global.Cast<Global>().files->Append(*batch.Cast<Prepared>().batch);
}

duckdb::idx_t BatchSize(duckdb::ClientContext&, duckdb::FunctionData&) { return kBatchRows; }

using duckdb::CopyFunctionExecutionMode;
CopyFunctionExecutionMode OrderedMode(bool, bool) {
  return CopyFunctionExecutionMode::REGULAR_COPY_TO_FILE;
}
CopyFunctionExecutionMode ParallelMode(bool, bool) {
  return CopyFunctionExecutionMode::PARALLEL_COPY_TO_FILE;
}
// Joins and aggregates give no batches, and no order to keep.
CopyFunctionExecutionMode AnyOrderMode(bool keep_order, bool batches) {
  if (batches) return CopyFunctionExecutionMode::BATCH_COPY_TO_FILE;
  return keep_order ? CopyFunctionExecutionMode::REGULAR_COPY_TO_FILE
                    : CopyFunctionExecutionMode::PARALLEL_COPY_TO_FILE;
}
CopyFunctionExecutionMode BatchMode(bool, bool batches) {
  return batches ? CopyFunctionExecutionMode::BATCH_COPY_TO_FILE
                 : CopyFunctionExecutionMode::REGULAR_COPY_TO_FILE;
}

}  // namespace

void RegisterDataWriter(duckdb::ExtensionLoader& loader,
                        const std::shared_ptr<StatementObjects>& objects) {
  auto info = duckdb::make_shared_ptr<Info>();
  info->objects = objects;
  const std::pair<const char*, duckdb::copy_to_execution_mode_t> kModes[] = {
      {"iceblink_ordered", OrderedMode},
      {"iceblink_parallel", ParallelMode},
      {"iceblink_batches", BatchMode},
      {"iceblink_any_order", AnyOrderMode}};
  for (const auto& [name, mode] : kModes) {
    duckdb::CopyFunction function(name);
    function.copy_to_bind = BindCopy;
    function.copy_to_initialize_local = InitLocal;
    function.copy_to_initialize_global = InitGlobal;
    function.copy_to_sink = SinkRows;
    function.copy_to_combine = Combine;
    function.copy_to_finalize = Finalize;
    function.execution_mode = mode;
    function.prepare_batch = PrepareBatch;
    function.flush_batch = FlushBatch;
    function.desired_batch_size = BatchSize;
    function.extension = "parquet";
    function.function_info = info;
    loader.RegisterFunction(function);
  }
}

}  // namespace iceblink::exec
