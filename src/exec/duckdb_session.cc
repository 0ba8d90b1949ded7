#include "exec/duckdb_session.h"

#include <chrono>
#include <thread>

#include "duckdb/main/client_config.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/main/extension_helper.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

Error DuckDbSession::Decode(duckdb::ErrorData error) {
  return DecodeError(std::move(error), &invalidated_);
}

void DuckDbSession::EndStatement() {
  objects_->Clear();
  read_ahead_.Clear();
}

Status DuckDbSession::Open() {
  duckdb::DBConfig config;
  config.options.load_extensions = false;
  if (options_.threads > 0) config.options.maximum_threads = options_.threads;
  if (options_.memory_limit > 0) config.options.maximum_memory = options_.memory_limit;
  if (!options_.temp_directory.empty())
    config.options.temporary_directory = options_.temp_directory;
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  auto database = std::make_unique<duckdb::DuckDB>(nullptr, &config);
  database->GetFileSystem().RegisterSubSystem(MakeDuckDbFileSystem(files(), read_ahead_));
  auto connection = std::make_unique<duckdb::Connection>(*database);
  connection->BeginTransaction();
  duckdb::ExtensionLoader loader(*database->instance, "iceblink");
  RegisterScalarFunctions(loader, objects_);
  RegisterTableFunctions(loader, objects_);
  connection->Commit();
  std::lock_guard lock(interrupt_mutex_);
  connection_ = std::move(connection);
  database_ = std::move(database);
  loaded_ = {};
  invalidated_ = false;
  return {};
}

Status DuckDbSession::Load(const char* extension, bool* loaded) {
  if (*loaded) return {};
  if (duckdb::ExtensionHelper::LoadExtension(*database_, extension) !=
      duckdb::ExtensionLoadResult::LOADED_EXTENSION) {
    return Fail(ErrorCode::kInternal, std::string("DuckDB lacks its extension ") + extension);
  }
  *loaded = true;
  return {};
}

Status DuckDbSession::Prepare(const Extensions& extensions) {
  return Guarded([&]() -> Status {
    if (invalidated_) {
      std::lock_guard lock(interrupt_mutex_);
      connection_.reset();
      database_.reset();
    }
    if (database_ == nullptr) RETURN_IF_ERROR(Open());
    if (extensions.core_functions || extensions.parquet) {
      RETURN_IF_ERROR(Load("core_functions", &loaded_.core_functions));
    }
    if (extensions.json) RETURN_IF_ERROR(Load("json", &loaded_.json));
    if (extensions.parquet && !loaded_.parquet) {
      RETURN_IF_ERROR(Load("parquet", &loaded_.parquet));
      connection_->BeginTransaction();
      duckdb::ExtensionLoader loader(*database_->instance, "iceblink");
      RegisterIcebergScan(loader, objects_);
      RegisterDataWriter(loader, objects_);
      connection_->Commit();
    }
    return {};
  });
}

Result<duckdb::unique_ptr<duckdb::QueryResult>> DuckDbSession::Stream(const std::string& sql) {
  return Guarded([&]() -> Result<duckdb::unique_ptr<duckdb::QueryResult>> {
    auto result = connection_->SendQuery(sql);
    if (result->HasError()) return Fail(Decode(result->GetErrorObject()));
    return result;
  });
}

Result<duckdb::unique_ptr<duckdb::QueryResult>> DuckDbSession::Run(
    const std::string& sql, const std::function<void(double)>& on_progress) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kIdle = std::chrono::microseconds(100);
  return Guarded([&]() -> Result<duckdb::unique_ptr<duckdb::QueryResult>> {
    if (!on_progress) {
      duckdb::unique_ptr<duckdb::QueryResult> result = connection_->Query(sql);
      if (result->HasError()) return Fail(Decode(result->GetErrorObject()));
      return result;
    }
    auto& client = duckdb::ClientConfig::GetConfig(*connection_->context);
    client.enable_progress_bar = true;
    client.print_progress_bar = false;
    client.wait_time = 0;
    auto pending = connection_->PendingQuery(sql);
    if (pending->HasError()) return Fail(Decode(pending->GetErrorObject()));
    auto last = Clock::now();
    while (true) {
      auto state = pending->ExecuteTask();
      if (duckdb::PendingQueryResult::IsResultReady(state)) break;
      // The other threads have all there is to do; DuckDB would ask again at once and take a core
      // for that.
      if (state == duckdb::PendingExecutionResult::BLOCKED) pending->WaitForTask();
      if (state == duckdb::PendingExecutionResult::NO_TASKS_AVAILABLE)
        std::this_thread::sleep_for(kIdle);
      if (Clock::now() - last < std::chrono::milliseconds(200)) continue;
      last = Clock::now();
      double percent = connection_->GetQueryProgress();
      if (percent >= 0) on_progress(percent / 100);
    }
    if (pending->HasError()) return Fail(Decode(pending->GetErrorObject()));
    auto result = pending->Execute();
    if (result->HasError()) return Fail(Decode(result->GetErrorObject()));
    return result;
  });
}

Result<duckdb::unique_ptr<duckdb::QueryResult>> DuckDbSession::RunAside(const std::string& sql) {
  return Guarded([&]() -> Result<duckdb::unique_ptr<duckdb::QueryResult>> {
    duckdb::Connection connection(*database_);
    duckdb::unique_ptr<duckdb::QueryResult> result = connection.Query(sql);
    if (result->HasError()) return Fail(Decode(result->GetErrorObject()));
    return result;
  });
}

Result<duckdb::unique_ptr<duckdb::DataChunk>> DuckDbSession::Fetch(duckdb::QueryResult& result) {
  return Guarded([&]() -> Result<duckdb::unique_ptr<duckdb::DataChunk>> {
    duckdb::unique_ptr<duckdb::DataChunk> chunk;
    duckdb::ErrorData error;
    if (!result.TryFetch(chunk, error)) return Fail(Decode(std::move(error)));
    if (chunk != nullptr && chunk->size() == 0) chunk.reset();
    return chunk;
  });
}

Status DuckDbSession::InTransaction(const std::function<Status(duckdb::ClientContext&)>& body) {
  return Guarded([&]() -> Status {
    connection_->BeginTransaction();
    Status status = Guarded([&] { return body(*connection_->context); });
    if (status) {
      connection_->Commit();
    } else {
      connection_->Rollback();
    }
    return status;
  });
}

void DuckDbSession::Interrupt() {
  std::lock_guard lock(interrupt_mutex_);
  if (connection_ != nullptr) connection_->Interrupt();
}

}  // namespace iceblink::exec
