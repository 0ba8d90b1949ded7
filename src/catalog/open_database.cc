#include "catalog/open_database.h"

#include <fmt/format.h>

#include "catalog/postgres.h"
#include "catalog/sqlite.h"

namespace iceblink::catalog {
namespace {

// The file of "jdbc:sqlite:FILE" or "sqlite:///FILE" (SQLAlchemy's form, relative after three
// slashes).
Result<std::string> SqliteFile(const std::string& uri) {
  constexpr std::string_view kJdbc = "jdbc:sqlite:", kSqlAlchemy = "sqlite:///";
  if (uri.starts_with(kJdbc)) {
    std::string file = uri.substr(kJdbc.size());
    return file.empty() ? std::string(":memory:") : file;
  }
  if (uri.starts_with(kSqlAlchemy)) return uri.substr(kSqlAlchemy.size());
  return Fail(ErrorCode::kUnsupported,
              fmt::format("Unsupported JDBC URI: {}: jdbc:sqlite:FILE, sqlite:///FILE and "
                          "jdbc:postgresql://HOST:PORT/DATABASE are built in",
                          uri.substr(0, uri.find_first_of("?@"))));
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> OpenSqlConnection(const std::string& uri,
                                                         const Properties& properties) {
  auto settings = ParsePostgresUri(uri);
  if (!settings) {
    ASSIGN_OR_RETURN(const std::string file, SqliteFile(uri));
    return SqliteConnection::Open(file, {});
  }
  for (const char* key : {"user", "password"}) {
    const auto value = properties.find(std::string("jdbc.") + key);
    if (value != properties.end()) settings->emplace_back(key, value->second);
  }
  return PostgresConnection::Open(std::move(*settings));
}

}  // namespace iceblink::catalog
