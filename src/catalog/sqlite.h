// One SQLite database file: statements with text arguments, rows of text.
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

struct sqlite3;

namespace iceblink::catalog {

class SqliteConnection {
 public:
  using Row = std::vector<std::optional<std::string>>;
  using Arguments = std::vector<std::optional<std::string>>;
  struct Options {
    int busy_ms = 30000;
  };

  // `file` is a path, ":memory:" or an SQLite URI; created with its folder when missing.
  static Result<std::unique_ptr<SqliteConnection>> Open(const std::string& file, Options options);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // Rows of a query. Errors: kAlreadyExists for a violated key, kUnavailable when the file stays
  // locked, kIo else.
  Result<std::vector<Row>> Query(const std::string& sql, const Arguments& arguments = {});
  // Number of rows that the statement changed. After an error nothing has changed, unless the error
  // is kIo.
  Result<int> Execute(const std::string& sql, const Arguments& arguments = {});
  // Runs `statements` in one transaction: all or nothing.
  struct Statement {
    std::string sql;
    Arguments arguments;
  };
  Status ExecuteAll(const std::vector<Statement>& statements);

 private:
  explicit SqliteConnection(sqlite3* db) : db_(db) {}
  Result<std::vector<Row>> Run(const std::string& sql, const Arguments& arguments);
  Error LastError(const std::string& doing) const;

  std::mutex mutex_;
  sqlite3* db_;
};

}  // namespace iceblink::catalog
