// PointerStore on a database (SQLite, PostgreSQL), in exactly the tables of Iceberg's JdbcCatalog
// (PyIceberg's SqlCatalog uses the same):
//
//   iceberg_tables(catalog_name, table_namespace, table_name, metadata_location,
//   previous_metadata_location[, iceberg_type])
//     key catalog_name, table_namespace, table_name; iceberg_type (schema V1): TABLE, VIEW or NULL
//     for a table
//   iceberg_namespace_properties(catalog_name, namespace, property_key, property_value)
//     key the first three
//
// Namespace levels are joined with dots; a namespace exists when a row of either table names it or
// one below it. A new database gets schema V1; one of V0 stays so until jdbc.schema-version=V1 asks
// for it.
#pragma once

#include "catalog/pointer_store.h"
#include "catalog/sql_connection.h"

namespace iceblink::catalog {

class SqlPointerStore final : public PointerStore {
 public:
  struct Options {
    std::string catalog_name;
    bool create_tables = true;   // jdbc.init-catalog-tables
    bool upgrade_to_v1 = false;  // jdbc.schema-version=V1
  };
  static Result<std::unique_ptr<SqlPointerStore>> Open(std::unique_ptr<SqlConnection> connection,
                                                       Options options);

  // False for schema V0.
  bool supports_views() const { return has_type_; }

  Result<std::optional<Pointer>> Find(const TableIdentifier& id) override;
  Result<bool> Insert(const TableIdentifier& id, const Pointer& pointer) override;
  Result<bool> Swap(const TableIdentifier& id, PointerKind kind, const std::string& from,
                    const std::string& to) override;
  Result<std::optional<size_t>> SwapAll(const std::vector<PointerSwap>& swaps) override;
  Result<bool> Remove(const TableIdentifier& id, PointerKind kind) override;
  Result<bool> Rename(const TableIdentifier& from, const TableIdentifier& to,
                      PointerKind kind) override;
  Result<std::vector<std::string>> Names(const Namespace& ns, PointerKind kind) override;
  Result<bool> HasNamespace(const Namespace& ns) override;
  Result<std::vector<Namespace>> AllNamespaces() override;
  Result<Properties> FindProperties(const Namespace& ns) override;
  Status PutProperties(const Namespace& ns, const Properties& properties) override;
  Status RemoveProperties(const Namespace& ns, const std::vector<std::string>& keys) override;
  Status RemoveNamespace(const Namespace& ns) override;

 private:
  SqlPointerStore(std::unique_ptr<SqlConnection> connection, std::string catalog_name)
      : connection_(std::move(connection)), catalog_name_(std::move(catalog_name)) {}
  Result<std::vector<SqlConnection::Statement>> MissingTables();
  Status PrepareSchema(const Options& options);
  SqlConnection::Statement InsertStatement(const TableIdentifier& id, const Pointer& pointer) const;
  SqlConnection::Statement SwapStatement(const TableIdentifier& id, PointerKind kind,
                                         const std::string& from, const std::string& to) const;
  // " AND ..." that keeps rows of this kind.
  std::string KindFilter(PointerKind kind) const;

  std::unique_ptr<SqlConnection> connection_;
  std::string catalog_name_;
  bool has_type_ = false;
};

}  // namespace iceblink::catalog
