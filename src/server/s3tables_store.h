// S3TablesStore: the table buckets, namespaces and tables of the S3 Tables service, in a database.
//
//   s3tables_buckets(name key, id, created_ms, settings)
//   s3tables_namespaces(bucket, name; key both, id, created_ms)
//   s3tables_tables(bucket, namespace, name; key the three, id unique, created_ms, modified_ms,
//                   version_token, metadata_location or null, warehouse_location, settings)
//
// `settings` is a JSON object: encryption, policies, maintenance ..., one member each. A table's
// version token changes with its metadata location, in one statement: that is the compare and swap
// of a commit, for the control plane and for the Iceberg endpoint alike.
//
// Threads: safe from several; several processes may share the database. Errors: kIo, kUnavailable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/sql_connection.h"

namespace iceblink::server {

struct S3TableBucket {
  std::string name;
  std::string id;
  int64_t created_ms = 0;
  std::string settings = "{}";
};

struct S3TableNamespace {
  std::string bucket;
  std::string name;
  std::string id;
  int64_t created_ms = 0;
};

struct S3Table {
  std::string bucket;
  std::string ns;
  std::string name;
  std::string id;
  int64_t created_ms = 0;
  int64_t modified_ms = 0;
  std::string version_token;
  std::optional<std::string>
      metadata_location;           // none: made without a schema, not committed to yet
  std::string warehouse_location;  // where its files are; no slash at the end
  std::string settings = "{}";
};

class S3TablesStore {
 public:
  // Creates what is missing.
  static Result<std::shared_ptr<S3TablesStore>> Open(
      std::unique_ptr<catalog::SqlConnection> connection);

  // Insert: false when the name is taken (for a table also when its namespace is not there).
  Result<bool> Add(const S3TableBucket& bucket);
  Result<bool> Add(const S3TableNamespace& ns);
  Result<bool> Add(const S3Table& table);

  Result<std::optional<S3TableBucket>> FindBucket(const std::string& name);
  Result<std::optional<S3TableNamespace>> FindNamespace(const std::string& bucket,
                                                        const std::string& name);
  Result<std::optional<S3Table>> FindTable(const std::string& bucket, const std::string& ns,
                                           const std::string& name);
  Result<std::optional<S3Table>> FindTableById(const std::string& bucket, const std::string& id);

  // Sorted by name.
  Result<std::vector<S3TableBucket>> Buckets();
  Result<std::vector<S3TableNamespace>> Namespaces(const std::string& bucket);
  // Of all namespaces when `ns` is empty; sorted by namespace, then name.
  Result<std::vector<S3Table>> Tables(const std::string& bucket, const std::string& ns = {});

  // Remove: false when it is not there or, a bucket or namespace, not empty.
  Result<bool> RemoveBucket(const std::string& name);
  Result<bool> RemoveNamespace(const std::string& bucket, const std::string& name);
  Result<bool> RemoveTable(const S3Table& table);

  // Replaces `from`'s metadata location and version token if its token still is the table's.
  Result<bool> SwapMetadata(const S3Table& from, const std::string& metadata_location,
                            int64_t now_ms);
  // False when it is gone; kAlreadyExists when the new name is taken.
  Result<bool> Rename(const S3Table& from, const std::string& ns, const std::string& name);

  // Replace settings that still are as read.
  Result<bool> SwapSettings(const S3TableBucket& from, const std::string& settings);
  Result<bool> SwapSettings(const S3Table& from, const std::string& settings);

 private:
  explicit S3TablesStore(std::unique_ptr<catalog::SqlConnection> connection)
      : connection_(std::move(connection)) {}
  Result<bool> Insert(const catalog::SqlConnection::Statement& statement);
  Result<bool> ChangesOne(const std::string& sql, catalog::SqlConnection::Arguments arguments);
  Result<std::vector<S3Table>> QueryTables(const std::string& where,
                                           catalog::SqlConnection::Arguments arguments);

  const std::unique_ptr<catalog::SqlConnection> connection_;
};

// Twenty hexadecimal digits that no other version has.
std::string NewVersionToken();

}  // namespace iceblink::server
