#include "catalog/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

namespace iceblink::catalog {
namespace {

using StatementPtr = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

void MakeParentFolder(const std::string& file) {
  if (file.starts_with(':') || file.starts_with("file:")) return;
  const auto parent = std::filesystem::path(file).parent_path();
  std::error_code ignored;  // opening the file reports what matters
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
}

}  // namespace

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::Open(const std::string& file,
                                                                 Options options) {
  MakeParentFolder(file);
  sqlite3* db = nullptr;
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(file.c_str(), &db, kFlags, nullptr);
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(db));
  if (code != SQLITE_OK) {
    return Fail(ErrorCode::kIo,
                fmt::format("Cannot open SQLite database {}: {}", file, sqlite3_errmsg(db)),
                "UncheckedSQLException");
  }
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, options.busy_ms);
  return connection;
}

SqliteConnection::~SqliteConnection() { sqlite3_close_v2(db_); }

Error SqliteConnection::LastError(const std::string& doing) const {
  const int code = sqlite3_errcode(db_) & 0xff;
  const ErrorCode kind = code == SQLITE_CONSTRAINT                      ? ErrorCode::kAlreadyExists
                         : code == SQLITE_BUSY || code == SQLITE_LOCKED ? ErrorCode::kUnavailable
                                                                        : ErrorCode::kIo;
  return Error::Make(kind, fmt::format("Failed to execute: {}: {}", doing, sqlite3_errmsg(db_)),
                     "UncheckedSQLException");
}

Result<std::vector<SqliteConnection::Row>> SqliteConnection::Run(const std::string& sql,
                                                                 const Arguments& arguments) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK) {
    return Fail(LastError(sql));
  }
  const StatementPtr statement(raw, sqlite3_finalize);
  for (size_t i = 0; i < arguments.size(); i++) {
    if (!arguments[i]) continue;  // parameters start as NULL
    sqlite3_bind_text(raw, static_cast<int>(i) + 1, arguments[i]->data(),
                      static_cast<int>(arguments[i]->size()), SQLITE_STATIC);
  }
  std::vector<Row> rows;
  int code = 0;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    Row& row = rows.emplace_back(static_cast<size_t>(sqlite3_column_count(raw)));
    for (size_t i = 0; i < row.size(); i++) {
      const auto column = static_cast<int>(i);
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, column));
      if (text != nullptr)
        row[i].emplace(text, static_cast<size_t>(sqlite3_column_bytes(raw, column)));
    }
  }
  if (code != SQLITE_DONE) return Fail(LastError(sql));
  return rows;
}

Result<std::vector<SqliteConnection::Row>> SqliteConnection::Query(const std::string& sql,
                                                                   const Arguments& arguments) {
  const std::lock_guard lock(mutex_);
  return Run(sql, arguments);
}

Result<int> SqliteConnection::Execute(const std::string& sql, const Arguments& arguments) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(Run(sql, arguments));
  return sqlite3_changes(db_);
}

Status SqliteConnection::ExecuteAll(const std::vector<Statement>& statements) {
  const std::lock_guard lock(mutex_);
  // Immediate: the write lock is taken before anything is read, so it cannot be refused halfway.
  RETURN_IF_ERROR(Run("BEGIN IMMEDIATE", {}));
  for (const Statement& statement : statements) {
    const auto done = Run(statement.sql, statement.arguments);
    if (done) continue;
    (void)Run("ROLLBACK", {});
    return Fail(done.error());
  }
  return CommitOrRollBack();
}

Status SqliteConnection::CommitOrRollBack() {
  const auto committed = Run("COMMIT", {});
  if (committed) return {};
  (void)Run("ROLLBACK", {});
  return Fail(committed.error());
}

Result<std::optional<size_t>> SqliteConnection::ExecuteEach(
    const std::vector<Statement>& statements) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(Run("BEGIN IMMEDIATE", {}));
  for (size_t i = 0; i < statements.size(); i++) {
    const auto done = Run(statements[i].sql, statements[i].arguments);
    if (done && sqlite3_changes(db_) == 1) continue;
    (void)Run("ROLLBACK", {});
    if (done || done.error().code == ErrorCode::kAlreadyExists) return std::optional(i);
    return Fail(done.error());
  }
  RETURN_IF_ERROR(CommitOrRollBack());
  return std::optional<size_t>();
}

Result<bool> SqliteConnection::HasTable(const std::string& table) {
  ASSIGN_OR_RETURN(const auto rows,
                   Query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", {table}));
  return !rows.empty();
}

Result<bool> SqliteConnection::HasColumn(const std::string& table, const std::string& column) {
  ASSIGN_OR_RETURN(const auto rows,
                   Query("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", {table, column}));
  return !rows.empty();
}

}  // namespace iceblink::catalog
