// A database of the SQL catalog: statements with text arguments, rows of text. SQLite and
// PostgreSQL implement it.
//
// Parameters are written `?` (in order) or `?1`, `?2` (numbered), never both in one statement; all
// are text. Threads: safe from several.
//
// Errors: kAlreadyExists for a violated key, kUnavailable when nothing happened and another try may
// work (no connection, locked), kIo else; after kIo a change may have happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace iceblink::catalog {

class SqlConnection {
 public:
  using Row = std::vector<std::optional<std::string>>;
  using Arguments = std::vector<std::optional<std::string>>;
  struct Statement {
    std::string sql;
    Arguments arguments;
  };

  virtual ~SqlConnection() = default;
  // Rows of a query.
  virtual Result<std::vector<Row>> Query(const std::string& sql, const Arguments& arguments) = 0;
  Result<std::vector<Row>> Query(const std::string& sql) { return Query(sql, {}); }
  // Number of rows that the statement changed.
  virtual Result<int> Execute(const std::string& sql, const Arguments& arguments) = 0;
  Result<int> Execute(const std::string& sql) { return Execute(sql, {}); }
  // Runs `statements` in one transaction: all or nothing.
  virtual Status ExecuteAll(const std::vector<Statement>& statements) = 0;
  // The same, when each changes exactly one row. Otherwise nothing is changed, and the index of the
  // first that did not comes back; one that violates a key counts as such.
  virtual Result<std::optional<size_t>> ExecuteEach(const std::vector<Statement>& statements) = 0;

  virtual Result<bool> HasTable(const std::string& table) = 0;
  virtual Result<bool> HasColumn(const std::string& table, const std::string& column) = 0;
};

}  // namespace iceblink::catalog
