#include "server/s3tables_store.h"

#include <array>

#include "base/strings.h"
#include "base/uuid.h"

namespace iceblink::server {
namespace {

using Row = catalog::SqlConnection::Row;

struct TableDefinition {
  const char* name;
  const char* columns;
};
constexpr std::array kTables = {
    TableDefinition{"s3tables_buckets",
                    "name VARCHAR(63) NOT NULL PRIMARY KEY, id VARCHAR(36) NOT NULL, "
                    "created_ms BIGINT NOT NULL, settings TEXT NOT NULL"},
    TableDefinition{"s3tables_namespaces",
                    "bucket VARCHAR(63) NOT NULL, name VARCHAR(255) NOT NULL, "
                    "id VARCHAR(36) NOT NULL, created_ms BIGINT NOT NULL, "
                    "PRIMARY KEY (bucket, name)"},
    TableDefinition{"s3tables_tables",
                    "bucket VARCHAR(63) NOT NULL, namespace VARCHAR(255) NOT NULL, "
                    "name VARCHAR(255) NOT NULL, id VARCHAR(36) NOT NULL UNIQUE, "
                    "created_ms BIGINT NOT NULL, modified_ms BIGINT NOT NULL, "
                    "version_token VARCHAR(64) NOT NULL, metadata_location TEXT, "
                    "warehouse_location TEXT NOT NULL, settings TEXT NOT NULL, "
                    "PRIMARY KEY (bucket, namespace, name)"},
};

std::string Text(const Row& row, size_t i) { return row[i].value_or(""); }
int64_t Number(const Row& row, size_t i) { return ParseInt64(Text(row, i)).value_or(0); }

S3TableBucket BucketOf(const Row& row) {
  return {Text(row, 0), Text(row, 1), Number(row, 2), Text(row, 3)};
}
S3TableNamespace NamespaceOf(const Row& row) {
  return {Text(row, 0), Text(row, 1), Text(row, 2), Number(row, 3)};
}
S3Table TableOf(const Row& row) {
  return {Text(row, 0),   Text(row, 1), Text(row, 2), Text(row, 3), Number(row, 4),
          Number(row, 5), Text(row, 6), row[7],       Text(row, 8), Text(row, 9)};
}

template <typename T>
std::optional<T> First(std::vector<T> rows) {
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

template <typename T>
Result<std::vector<T>> All(Result<std::vector<Row>> rows, T (*make)(const Row&)) {
  if (!rows) return Fail(rows.error());
  std::vector<T> out;
  for (const Row& row : *rows) out.push_back(make(row));
  return out;
}

}  // namespace

std::string NewVersionToken() { return ReplaceAll(NewUuid(), "-", "").substr(0, 20); }

Result<std::shared_ptr<S3TablesStore>> S3TablesStore::Open(
    std::unique_ptr<catalog::SqlConnection> connection) {
  for (const TableDefinition& table : kTables) {
    ASSIGN_OR_RETURN(const bool exists, connection->HasTable(table.name));
    if (exists) continue;
    RETURN_IF_ERROR(connection->Execute(std::string("CREATE TABLE IF NOT EXISTS ") + table.name +
                                        " (" + table.columns + ")"));
  }
  return std::shared_ptr<S3TablesStore>(new S3TablesStore(std::move(connection)));
}

Result<bool> S3TablesStore::Insert(const catalog::SqlConnection::Statement& statement) {
  const auto changed = connection_->Execute(statement.sql, statement.arguments);
  if (changed) return *changed == 1;
  if (changed.error().code == ErrorCode::kAlreadyExists) return false;
  return Fail(changed.error());
}

Result<bool> S3TablesStore::ChangesOne(const std::string& sql,
                                       catalog::SqlConnection::Arguments arguments) {
  ASSIGN_OR_RETURN(const int changed, connection_->Execute(sql, arguments));
  return changed == 1;
}

Result<bool> S3TablesStore::Add(const S3TableBucket& bucket) {
  return Insert(
      {"INSERT INTO s3tables_buckets (name, id, created_ms, settings) VALUES (?, ?, "
       "CAST(? AS BIGINT), ?)",
       {bucket.name, bucket.id, std::to_string(bucket.created_ms), bucket.settings}});
}

Result<bool> S3TablesStore::Add(const S3TableNamespace& ns) {
  return Insert(
      {"INSERT INTO s3tables_namespaces (bucket, name, id, created_ms) SELECT name, "
       "CAST(?2 AS VARCHAR), CAST(?3 AS VARCHAR), CAST(?4 AS BIGINT) FROM "
       "s3tables_buckets WHERE name = ?1",
       {ns.bucket, ns.name, ns.id, std::to_string(ns.created_ms)}});
}

Result<bool> S3TablesStore::Add(const S3Table& table) {
  return Insert(
      {"INSERT INTO s3tables_tables (bucket, namespace, name, id, created_ms, modified_ms, "
       "version_token, metadata_location, warehouse_location, settings) SELECT bucket, name, "
       "CAST(?3 AS VARCHAR), CAST(?4 AS VARCHAR), CAST(?5 AS BIGINT), CAST(?5 AS BIGINT), "
       "CAST(?6 AS VARCHAR), CAST(?7 AS VARCHAR), CAST(?8 AS VARCHAR), CAST(?9 AS VARCHAR) FROM "
       "s3tables_namespaces WHERE bucket = ?1 AND name = ?2",
       {table.bucket, table.ns, table.name, table.id, std::to_string(table.created_ms),
        table.version_token, table.metadata_location, table.warehouse_location, table.settings}});
}

Result<std::optional<S3TableBucket>> S3TablesStore::FindBucket(const std::string& name) {
  ASSIGN_OR_RETURN(auto rows, All(connection_->Query("SELECT name, id, created_ms, settings FROM "
                                                     "s3tables_buckets WHERE name = ?",
                                                     {name}),
                                  BucketOf));
  return First(std::move(rows));
}

Result<std::vector<S3TableBucket>> S3TablesStore::Buckets() {
  return All(connection_->Query(
                 "SELECT name, id, created_ms, settings FROM s3tables_buckets ORDER BY name"),
             BucketOf);
}

Result<std::optional<S3TableNamespace>> S3TablesStore::FindNamespace(const std::string& bucket,
                                                                     const std::string& name) {
  ASSIGN_OR_RETURN(auto rows,
                   All(connection_->Query("SELECT bucket, name, id, created_ms FROM "
                                          "s3tables_namespaces WHERE bucket = ? AND name = ?",
                                          {bucket, name}),
                       NamespaceOf));
  return First(std::move(rows));
}

Result<std::vector<S3TableNamespace>> S3TablesStore::Namespaces(const std::string& bucket) {
  return All(connection_->Query("SELECT bucket, name, id, created_ms FROM s3tables_namespaces "
                                "WHERE bucket = ? ORDER BY name",
                                {bucket}),
             NamespaceOf);
}

Result<std::vector<S3Table>> S3TablesStore::QueryTables(
    const std::string& where, catalog::SqlConnection::Arguments arguments) {
  return All(connection_->Query("SELECT bucket, namespace, name, id, created_ms, modified_ms, "
                                "version_token, metadata_location, warehouse_location, settings "
                                "FROM s3tables_tables WHERE " +
                                    where + " ORDER BY namespace, name",
                                arguments),
             TableOf);
}

Result<std::optional<S3Table>> S3TablesStore::FindTable(const std::string& bucket,
                                                        const std::string& ns,
                                                        const std::string& name) {
  ASSIGN_OR_RETURN(auto rows,
                   QueryTables("bucket = ? AND namespace = ? AND name = ?", {bucket, ns, name}));
  return First(std::move(rows));
}

Result<std::optional<S3Table>> S3TablesStore::FindTableById(const std::string& bucket,
                                                            const std::string& id) {
  ASSIGN_OR_RETURN(auto rows, QueryTables("bucket = ? AND id = ?", {bucket, id}));
  return First(std::move(rows));
}

Result<std::vector<S3Table>> S3TablesStore::Tables(const std::string& bucket,
                                                   const std::string& ns) {
  if (ns.empty()) return QueryTables("bucket = ?", {bucket});
  return QueryTables("bucket = ? AND namespace = ?", {bucket, ns});
}

Result<bool> S3TablesStore::RemoveBucket(const std::string& name) {
  return ChangesOne(
      "DELETE FROM s3tables_buckets WHERE name = ?1 AND NOT EXISTS (SELECT 1 FROM "
      "s3tables_namespaces n WHERE n.bucket = ?1)",
      {name});
}

Result<bool> S3TablesStore::RemoveNamespace(const std::string& bucket, const std::string& name) {
  return ChangesOne(
      "DELETE FROM s3tables_namespaces WHERE bucket = ?1 AND name = ?2 AND NOT EXISTS (SELECT 1 "
      "FROM s3tables_tables t WHERE t.bucket = ?1 AND t.namespace = ?2)",
      {bucket, name});
}

Result<bool> S3TablesStore::RemoveTable(const S3Table& table) {
  return ChangesOne("DELETE FROM s3tables_tables WHERE id = ? AND version_token = ?",
                    {table.id, table.version_token});
}

Result<bool> S3TablesStore::SwapMetadata(const S3Table& from, const std::string& metadata_location,
                                         int64_t now_ms) {
  return ChangesOne(
      "UPDATE s3tables_tables SET metadata_location = ?, version_token = ?, modified_ms = CAST(? "
      "AS BIGINT) WHERE id = ? AND version_token = ?",
      {metadata_location, NewVersionToken(), std::to_string(now_ms), from.id, from.version_token});
}

Result<bool> S3TablesStore::Rename(const S3Table& from, const std::string& ns,
                                   const std::string& name) {
  return ChangesOne("UPDATE s3tables_tables SET namespace = ?, name = ? WHERE id = ?",
                    {ns, name, from.id});
}

Result<bool> S3TablesStore::SwapSettings(const S3TableBucket& from, const std::string& settings) {
  return ChangesOne("UPDATE s3tables_buckets SET settings = ? WHERE name = ? AND settings = ?",
                    {settings, from.name, from.settings});
}

Result<bool> S3TablesStore::SwapSettings(const S3Table& from, const std::string& settings) {
  return ChangesOne("UPDATE s3tables_tables SET settings = ? WHERE id = ? AND settings = ?",
                    {settings, from.id, from.settings});
}

}  // namespace iceblink::server
