// One SQLite database file.
//
// Several processes and threads may use the file; a statement waits up to Options::busy_ms for
// another writer. The journal mode is left as the file has it (rollback or WAL). A connection
// serializes its threads with a mutex.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/sql_connection.h"

struct sqlite3;

namespace iceblink::catalog {

class SqliteConnection final : public SqlConnection {
 public:
  using SqlConnection::Execute, SqlConnection::Query;
  struct Options {
    int busy_ms = 30000;
  };

  // `file` is a path, ":memory:" or an SQLite URI; created with its folder when missing.
  static Result<std::unique_ptr<SqliteConnection>> Open(const std::string& file, Options options);
  ~SqliteConnection() override;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  Result<std::vector<Row>> Query(const std::string& sql, const Arguments& arguments) override;
  Result<int> Execute(const std::string& sql, const Arguments& arguments) override;
  Status ExecuteAll(const std::vector<Statement>& statements) override;
  Result<std::optional<size_t>> ExecuteEach(const std::vector<Statement>& statements) override;
  Result<bool> HasTable(const std::string& table) override;
  Result<bool> HasColumn(const std::string& table, const std::string& column) override;

 private:
  explicit SqliteConnection(sqlite3* db) : db_(db) {}
  Result<std::vector<Row>> Run(const std::string& sql, const Arguments& arguments);
  Status CommitOrRollBack();
  Error LastError(const std::string& doing) const;

  std::mutex mutex_;
  sqlite3* db_;
};

}  // namespace iceblink::catalog
