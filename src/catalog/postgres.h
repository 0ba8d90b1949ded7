// A PostgreSQL database, over libpq, which is loaded when the first connection is made.
//
// Connections are kept: as many as there are threads at once, up to eight idle. One that broke is
// replaced before the next statement. Threads: safe from several.
#pragma once

#include <memory>
#include <mutex>

#include "catalog/sql_connection.h"

struct pg_conn;

namespace iceblink::catalog {

class PostgresConnection final : public SqlConnection {
 public:
  using SqlConnection::Execute, SqlConnection::Query;

  // libpq's connection keywords and their values: host, port, dbname, user, password, sslmode ...
  using Settings = std::vector<std::pair<std::string, std::string>>;

  // Connects once, to report what is wrong. Messages name host and database, never the password.
  static Result<std::unique_ptr<PostgresConnection>> Open(Settings settings);
  ~PostgresConnection() override;

  Result<std::vector<Row>> Query(const std::string& sql, const Arguments& arguments) override;
  Result<int> Execute(const std::string& sql, const Arguments& arguments) override;
  Status ExecuteAll(const std::vector<Statement>& statements) override;
  Result<std::optional<size_t>> ExecuteEach(const std::vector<Statement>& statements) override;
  Result<bool> HasTable(const std::string& table) override;
  Result<bool> HasColumn(const std::string& table, const std::string& column) override;

 private:
  class Lease;
  struct Answer {
    std::vector<Row> rows;
    int changed = 0;
  };
  explicit PostgresConnection(Settings settings) : settings_(std::move(settings)) {}
  Result<pg_conn*> Connect();
  Result<pg_conn*> Take();
  void GiveBack(pg_conn* connection);
  Result<Answer> Run(pg_conn* connection, const std::string& sql, const Arguments& arguments);
  Status ExecuteAll(const std::vector<Statement>& statements, bool may_lose_race);
  Result<Answer> RunAlone(const std::string& sql, const Arguments& arguments);

  const Settings settings_;
  std::mutex mutex_;
  std::vector<pg_conn*> idle_;
};

// The settings of "jdbc:postgresql://host:port/database?key=value", also without "jdbc:" and with a
// user and password before the host; nothing when it is no such URI.
std::optional<PostgresConnection::Settings> ParsePostgresUri(std::string_view uri);

}  // namespace iceblink::catalog
