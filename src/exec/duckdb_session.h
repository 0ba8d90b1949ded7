// The DuckDB instance of one Executor: opened at the first statement with nothing but the built-in
// core, extended on demand (core functions, Parquet, JSON are linked into the library but cost
// start-up time), reopened after an internal error. Exec-internal: includes DuckDB.
//
// Threads: one statement at a time; Interrupt from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "duckdb.hpp"
#include "exec/executor.h"
#include "exec/read_ahead.h"
#include "exec/statement_objects.h"
#include "table/manifest_cache.h"

namespace iceblink::exec {

// Parts of DuckDB that a statement's text needs.
struct Extensions {
  bool core_functions = false;
  bool parquet = false;
  bool json = false;
};

class DuckDbSession {
 public:
  explicit DuckDbSession(ExecutorOptions options) : options_(std::move(options)) {}

  // Opens or reopens the instance where needed and loads the extensions.
  Status Prepare(const Extensions& extensions);

  // Starts `sql`; rows stream from the result while it runs.
  Result<duckdb::unique_ptr<duckdb::QueryResult>> Stream(const std::string& sql);
  // Runs `sql` to its end; `on_progress` (may be empty) hears the fraction done.
  Result<duckdb::unique_ptr<duckdb::QueryResult>> Run(
      const std::string& sql, const std::function<void(double)>& on_progress = {});
  // Runs `sql` on a connection of its own, also while a statement runs: reads of delete files and
  // the like.
  Result<duckdb::unique_ptr<duckdb::QueryResult>> RunAside(const std::string& sql);
  // Returns the next chunk, or null at the end.
  Result<duckdb::unique_ptr<duckdb::DataChunk>> Fetch(duckdb::QueryResult& result);

  // Runs `body` within a transaction on the session's connection, for code that needs a
  // ClientContext.
  Status InTransaction(const std::function<Status(duckdb::ClientContext&)>& body);

  StatementObjects& objects() { return *objects_; }
  ReadAhead& read_ahead() { return read_ahead_; }
  // Forgets what the statement's text referred to and what was fetched ahead for it.
  void EndStatement();
  // Where data and metadata are.
  io::FileSystem& files() {
    return options_.files != nullptr ? *options_.files : io::DefaultFileSystem();
  }
  // Where metadata is read from, with a cache of manifests.
  table::ReadContext reading() { return {&files(), &manifests_}; }
  // Requires Prepare.
  duckdb::Connection& connection() { return *connection_; }
  void Interrupt();

 private:
  Status Open();
  Status Load(const char* extension, bool* loaded);
  Error Decode(duckdb::ErrorData error);

  ExecutorOptions options_;
  ReadAhead read_ahead_{files()};
  std::shared_ptr<StatementObjects> objects_ = std::make_shared<StatementObjects>();
  std::unique_ptr<duckdb::DuckDB> database_;
  std::unique_ptr<duckdb::Connection> connection_;
  std::mutex interrupt_mutex_;  // guards connection_ against Interrupt
  Extensions loaded_;
  table::ManifestCache manifests_;
  bool invalidated_ = false;
};

// Register what the room adds to a fresh instance.
void RegisterScalarFunctions(duckdb::ExtensionLoader& loader,
                             const std::shared_ptr<StatementObjects>& objects);
void RegisterTableFunctions(duckdb::ExtensionLoader& loader,
                            const std::shared_ptr<StatementObjects>& objects);
// Needs Parquet to be loaded.
void RegisterIcebergScan(duckdb::ExtensionLoader& loader,
                         const std::shared_ptr<StatementObjects>& objects);
void RegisterDataWriter(duckdb::ExtensionLoader& loader,
                        const std::shared_ptr<StatementObjects>& objects);

}  // namespace iceblink::exec
