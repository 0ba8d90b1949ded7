#include "catalog/postgres.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "base/strings.h"
#include "catalog/postgres_library.h"

namespace iceblink::catalog {
namespace {

constexpr size_t kMaxIdle = 8;
constexpr Oid kText = 25;  // the type of every parameter

using ResultPtr = std::unique_ptr<PGresult, void (*)(PGresult*)>;

const PostgresLibrary& Pq() { return **PostgresLibrary::Get(); }  // once a connection was made

// "?" and "?1" of our statements as "$1".
std::string Numbered(std::string_view sql) {
  std::string out;
  int next = 1;
  for (size_t i = 0; i < sql.size(); i++) {
    if (sql[i] != '?') {
      out += sql[i];
      continue;
    }
    out += '$';
    const bool has_number = i + 1 < sql.size() && sql[i + 1] >= '0' && sql[i + 1] <= '9';
    if (!has_number) out += std::to_string(next++);
  }
  return out;
}

// What an SQLSTATE says about repeating.
ErrorCode CodeOfState(std::string_view state) {
  if (state == "23505" || state == "42P07") return ErrorCode::kAlreadyExists;
  const bool passing = state == "40001" || state == "40P01" || state == "55P03" ||
                       state == "53300" || state.starts_with("57P");
  return passing ? ErrorCode::kUnavailable : ErrorCode::kIo;
}

std::string FirstLine(const char* text) {
  const std::string_view all(text == nullptr ? "" : text);
  return std::string(Trim(all.substr(0, all.find('\n'))));
}

Error ResultError(PGconn* connection, const PGresult* result, const std::string& sql) {
  const char* state =
      result == nullptr ? nullptr : Pq().result_error_field(result, PG_DIAG_SQLSTATE);
  const bool answered = state != nullptr;  // else the connection broke, and nobody knows
  const std::string why =
      FirstLine(answered ? Pq().result_error_message(result) : Pq().error_message(connection));
  return Error::Make(answered ? CodeOfState(state) : ErrorCode::kIo,
                     fmt::format("Failed to execute: {}: {}", sql, why), "UncheckedSQLException");
}

// Whether the server has closed the connection, or said something, while it was idle.
bool WasLeft(PGconn* connection) {
  pollfd socket{Pq().socket(connection), POLLIN, 0};
  return poll(&socket, 1, 0) != 0;
}

// Of two sessions that create a table at once PostgreSQL refuses one, IF NOT EXISTS or not.
bool LostRaceToCreate(const std::string& sql, const Error& error) {
  return error.code == ErrorCode::kAlreadyExists && sql.starts_with("CREATE TABLE IF NOT EXISTS");
}

std::string SettingOf(const PostgresConnection::Settings& settings, std::string_view key) {
  for (const auto& [name, value] : settings) {
    if (name == key) return value;
  }
  return {};
}

}  // namespace

// A connection for the time of one call.
class PostgresConnection::Lease {
 public:
  Lease(PostgresConnection& owner, PGconn* connection) : owner_(owner), connection_(connection) {}
  ~Lease() { owner_.GiveBack(connection_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  PGconn* get() const { return connection_; }

 private:
  PostgresConnection& owner_;
  PGconn* const connection_;
};

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(Settings settings) {
  RETURN_IF_ERROR(PostgresLibrary::Get());
  std::unique_ptr<PostgresConnection> database(new PostgresConnection(std::move(settings)));
  ASSIGN_OR_RETURN(PGconn * first, database->Connect());
  database->GiveBack(first);
  return database;
}

PostgresConnection::~PostgresConnection() {
  for (PGconn* connection : idle_) Pq().finish(connection);
}

Result<PGconn*> PostgresConnection::Connect() {
  std::vector<const char*> keys = {"connect_timeout", "application_name", "client_encoding"};
  std::vector<const char*> values = {"10", "iceblink", "UTF8"};
  for (const auto& [key, value] : settings_) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* connection = Pq().connect(keys.data(), values.data(), 0);
  if (connection != nullptr && Pq().status(connection) == CONNECTION_OK) {
    Pq().set_notice_processor(connection, [](void*, const char*) {}, nullptr);  // not on stderr
    return connection;
  }
  const std::string why = FirstLine(connection == nullptr ? "" : Pq().error_message(connection));
  if (connection != nullptr) Pq().finish(connection);
  return Fail(ErrorCode::kUnavailable,
              fmt::format("Cannot connect to PostgreSQL database {} at {}: {}",
                          SettingOf(settings_, "dbname"), SettingOf(settings_, "host"), why),
              "UncheckedSQLException");
}

Result<PGconn*> PostgresConnection::Take() {
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      PGconn* connection = idle_.back();
      idle_.pop_back();
      if (!WasLeft(connection)) return connection;
      Pq().finish(connection);
    }
  }
  return Connect();
}

void PostgresConnection::GiveBack(PGconn* connection) {
  const bool sound = Pq().status(connection) == CONNECTION_OK &&
                     Pq().transaction_status(connection) == PQTRANS_IDLE;
  const std::lock_guard lock(mutex_);
  if (sound && idle_.size() < kMaxIdle) {
    idle_.push_back(connection);
    return;
  }
  Pq().finish(connection);
  if (sound) return;
  // What broke one connection broke, mostly, all of them.
  for (PGconn* other : idle_) Pq().finish(other);
  idle_.clear();
}

Result<PostgresConnection::Answer> PostgresConnection::Run(PGconn* connection,
                                                           const std::string& sql,
                                                           const Arguments& arguments) {
  const std::vector<Oid> types(arguments.size(), kText);
  std::vector<const char*> values;
  for (const auto& argument : arguments) {
    if (argument && argument->find('\0') != std::string::npos)
      return Fail(ErrorCode::kIo, "Failed to execute: text with a zero byte",
                  "UncheckedSQLException");
    values.push_back(argument ? argument->c_str() : nullptr);
  }
  const ResultPtr result(
      Pq().execute(connection, Numbered(sql).c_str(), static_cast<int>(values.size()), types.data(),
                   values.data(), nullptr, nullptr, 0),
      Pq().clear);
  const ExecStatusType status = Pq().result_status(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    return Fail(ResultError(connection, result.get(), sql));
  Answer answer;
  answer.changed = ParseInt32(Pq().changed(result.get())).value_or(0);
  const int rows = Pq().row_count(result.get()), columns = Pq().column_count(result.get());
  for (int r = 0; r < rows; r++) {
    Row& row = answer.rows.emplace_back(static_cast<size_t>(columns));
    for (int c = 0; c < columns; c++) {
      if (Pq().is_null(result.get(), r, c)) continue;
      row[static_cast<size_t>(c)].emplace(Pq().value(result.get(), r, c),
                                          static_cast<size_t>(Pq().length(result.get(), r, c)));
    }
  }
  return answer;
}

Result<PostgresConnection::Answer> PostgresConnection::RunAlone(const std::string& sql,
                                                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(PGconn * connection, Take());
  const Lease lease(*this, connection);
  auto answer = Run(lease.get(), sql, arguments);
  if (!answer && LostRaceToCreate(sql, answer.error())) answer = Run(lease.get(), sql, arguments);
  return answer;
}

Result<std::vector<SqlConnection::Row>> PostgresConnection::Query(const std::string& sql,
                                                                  const Arguments& arguments) {
  auto answer = RunAlone(sql, arguments);
  // A connection that broke while it was idle: a query may be asked twice.
  if (!answer && answer.error().code == ErrorCode::kIo) answer = RunAlone(sql, arguments);
  if (!answer) return Fail(std::move(answer).error());
  return std::move(answer->rows);
}

Result<int> PostgresConnection::Execute(const std::string& sql, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Answer answer, RunAlone(sql, arguments));
  return answer.changed;
}

Status PostgresConnection::ExecuteAll(const std::vector<Statement>& statements) {
  return ExecuteAll(statements, true);
}

Status PostgresConnection::ExecuteAll(const std::vector<Statement>& statements,
                                      bool may_lose_race) {
  ASSIGN_OR_RETURN(PGconn * connection, Take());
  const Lease lease(*this, connection);
  RETURN_IF_ERROR(Run(lease.get(), "BEGIN", {}));
  for (const Statement& statement : statements) {
    const auto done = Run(lease.get(), statement.sql, statement.arguments);
    if (done) continue;
    (void)Run(lease.get(), "ROLLBACK", {});
    if (may_lose_race && LostRaceToCreate(statement.sql, done.error()))
      return ExecuteAll(statements, false);
    return Fail(done.error());
  }
  RETURN_IF_ERROR(Run(lease.get(), "COMMIT", {}));
  return {};
}

Result<std::optional<size_t>> PostgresConnection::ExecuteEach(
    const std::vector<Statement>& statements) {
  ASSIGN_OR_RETURN(PGconn * connection, Take());
  const Lease lease(*this, connection);
  RETURN_IF_ERROR(Run(lease.get(), "BEGIN", {}));
  for (size_t i = 0; i < statements.size(); i++) {
    const auto done = Run(lease.get(), statements[i].sql, statements[i].arguments);
    if (done && done->changed == 1) continue;
    (void)Run(lease.get(), "ROLLBACK", {});
    if (done || done.error().code == ErrorCode::kAlreadyExists) return std::optional(i);
    return Fail(done.error());
  }
  RETURN_IF_ERROR(Run(lease.get(), "COMMIT", {}));
  return std::optional<size_t>();
}

Result<bool> PostgresConnection::HasTable(const std::string& table) {
  ASSIGN_OR_RETURN(const auto rows,
                   Query("SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = ? AND schemaname = "
                         "ANY (current_schemas(false))",
                         {table}));
  return !rows.empty();
}

Result<bool> PostgresConnection::HasColumn(const std::string& table, const std::string& column) {
  ASSIGN_OR_RETURN(
      const auto rows,
      Query("SELECT 1 FROM information_schema.columns WHERE table_name = ? AND column_name = ? AND "
            "table_schema = ANY (current_schemas(false))",
            {table, column}));
  return !rows.empty();
}

std::optional<PostgresConnection::Settings> ParsePostgresUri(std::string_view uri) {
  constexpr std::string_view kJdbc = "jdbc:";
  if (uri.starts_with(kJdbc)) uri.remove_prefix(kJdbc.size());
  const size_t scheme = uri.find(':');
  if (scheme == std::string_view::npos || !uri.starts_with("postgres")) return std::nullopt;
  PostgresConnection::Settings settings;
  const auto set = [&](const char* key, std::string_view text) {
    if (!text.empty()) settings.emplace_back(key, FormUrlDecode(ReplaceAll(text, "+", "%2B")));
  };
  std::string_view rest = uri.substr(scheme + 1);
  const bool has_host = rest.starts_with("//");  // else all is the database's name
  if (has_host) rest.remove_prefix(2);
  const size_t query = std::min(rest.find('?'), rest.size());
  const std::string_view parameters = query < rest.size() ? rest.substr(query + 1) : "";
  rest = rest.substr(0, query);
  const size_t slash = has_host ? std::min(rest.find('/'), rest.size()) : 0;
  std::string_view authority = rest.substr(0, slash);
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    set("user", user.substr(0, user.find(':')));
    if (user.find(':') != std::string_view::npos) set("password", user.substr(user.find(':') + 1));
    authority.remove_prefix(at + 1);
  }
  const size_t colon = std::min(authority.rfind(':'), authority.size());
  set("host", authority.substr(0, colon));
  if (colon < authority.size()) set("port", authority.substr(colon + 1));
  if (slash < rest.size()) set("dbname", rest.substr(slash + (has_host ? 1 : 0)));
  for (const std::string& pair : Split(parameters, '&')) {
    const size_t equal = pair.find('=');
    if (equal == std::string::npos) continue;
    const std::string key = pair.substr(0, equal);
    set(key == "currentSchema" ? "options" : key.c_str(),
        key == "currentSchema" ? "-csearch_path=" + pair.substr(equal + 1)
                               : pair.substr(equal + 1));
  }
  return settings;
}

}  // namespace iceblink::catalog
