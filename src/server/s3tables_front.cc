#include "server/s3tables_front.h"

#include "base/strings.h"
#include "catalog/open_database.h"
#include "catalog/properties.h"

namespace iceblink::server {
namespace {

using catalog::Get;

constexpr std::string_view kPrefix = "iceblink.s3tables.";
constexpr std::string_view kMoreKeys = "access-keys.";
constexpr std::string_view kSql[] = {"jdbc", "sql"};

bool IsSqlCatalog(const catalog::Properties& properties) {
  const std::string type = AsciiLower(Get(properties, "type"));
  return type == kSql[0] || type == kSql[1] ||
         Get(properties, "catalog-impl") == "org.apache.iceberg.jdbc.JdbcCatalog";
}

Status ReadKeys(const engine::Settings& own, S3TablesOptions& options) {
  const std::string id = Get(own, "access-key-id"), secret = Get(own, "secret-access-key");
  if (id.empty() != secret.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "iceblink.s3tables.access-key-id and iceblink.s3tables.secret-access-key go together",
        "IllegalArgumentException");
  }
  if (!id.empty()) options.access_keys[id] = secret;
  for (const auto& [key, value] : own) {
    if (key.starts_with(kMoreKeys)) options.access_keys[key.substr(kMoreKeys.size())] = value;
  }
  return {};
}

// The default catalog's ways to its storage, and what is set for S3 Tables over them.
catalog::Properties StorageProperties(const engine::Settings& own,
                                      const catalog::Properties& defaults) {
  catalog::Properties out;
  for (const auto* source : {&own, &defaults}) {
    for (const auto& [key, value] : *source) {
      if (key.starts_with("s3.") || key.starts_with("client.") || key.starts_with("hadoop.") ||
          key == "vended-credentials-enabled")
        out.try_emplace(key, value);
    }
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<S3Tables>> MakeS3Tables(const engine::Configuration& configuration,
                                               const catalog::Properties& defaults) {
  const engine::Settings own = configuration.WithPrefix(kPrefix);
  const bool sql = IsSqlCatalog(defaults);
  std::string uri = Get(own, "uri");
  if (uri.empty() && sql) uri = Get(defaults, "uri");
  std::string warehouse = Get(own, "warehouse");
  if (warehouse.empty() && !Get(defaults, "warehouse").empty())
    warehouse = io::JoinPath(StripTrailing(Get(defaults, "warehouse"), '/'), "s3tables");
  if (catalog::IsFalse(own, "enabled") || uri.empty() || warehouse.empty())
    return std::shared_ptr<S3Tables>();
  S3TablesOptions options;
  RETURN_IF_ERROR(ReadKeys(own, options));
  if (const std::string region = Get(own, "region"); !region.empty()) options.region = region;
  if (const std::string account = Get(own, "account-id"); !account.empty())
    options.account_id = account;
  options.storage_location = warehouse;
  options.storage_properties = StorageProperties(own, defaults);
  ASSIGN_OR_RETURN(auto connection, catalog::OpenSqlConnection(uri, defaults));
  ASSIGN_OR_RETURN(options.store, S3TablesStore::Open(std::move(connection)));
  return std::make_shared<S3Tables>(std::move(options));
}

void MountS3Tables(HttpServer& server, const std::shared_ptr<S3Tables>& tables) {
  server.Mount("", MakeS3TablesService(tables));
  server.Mount("/iceberg", MakeRestService(MakeS3TablesRestServer(tables, server.metrics())));
}

}  // namespace iceblink::server
