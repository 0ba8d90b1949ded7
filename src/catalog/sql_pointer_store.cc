#include "catalog/sql_pointer_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "catalog/errors.h"

namespace iceblink::catalog {
namespace {

constexpr const char* kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name "
    "VARCHAR(255) NOT NULL, "
    "metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type "
    "VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";

constexpr const char* kCreateProperties =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key "
    "VARCHAR(255), "
    "property_value VARCHAR(1000), PRIMARY KEY (catalog_name, namespace, property_key))";

constexpr const char* kById = " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?";

const char* TypeName(PointerKind kind) { return kind == PointerKind::kTable ? "TABLE" : "VIEW"; }

// A namespace as its rows have it: levels joined by dots, as Java and PyIceberg write them. A dot
// or backslash inside of a level, which those cannot tell apart, gets a backslash before it.
std::string StoredNamespace(const Namespace& ns) {
  std::string text;
  for (const std::string& level : ns) {
    if (!text.empty()) text += '.';
    for (const char c : level) {
      if (c == '.' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

Namespace NamespaceOf(const std::string& text) {
  if (text.empty()) return {};
  Namespace ns(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.')
      ns.emplace_back();
    else if (text[i] == '\\' && i + 1 < text.size())
      ns.back() += text[++i];
    else
      ns.back() += text[i];
  }
  return ns;
}

}  // namespace

Result<std::unique_ptr<SqlPointerStore>> SqlPointerStore::Open(
    std::unique_ptr<SqlConnection> connection, Options options) {
  std::unique_ptr<SqlPointerStore> store(
      new SqlPointerStore(std::move(connection), options.catalog_name));
  RETURN_IF_ERROR(store->PrepareSchema(options));
  return store;
}

Result<std::vector<SqlConnection::Statement>> SqlPointerStore::MissingTables() {
  std::vector<SqlConnection::Statement> missing;
  for (const auto& [name, sql] : {std::pair{"iceberg_tables", kCreateTables},
                                  std::pair{"iceberg_namespace_properties", kCreateProperties}}) {
    ASSIGN_OR_RETURN(const bool exists, connection_->HasTable(name));
    if (!exists) missing.push_back({sql, {}});
  }
  return missing;
}

// Another process may do the same in the same instant, which PostgreSQL refuses even with IF NOT
// EXISTS: what counts is what is there in the end.
Status SqlPointerStore::PrepareSchema(const Options& options) {
  // Look first: a catalog that exists is opened without a write. Both tables come in one
  // transaction, as each costs a sync.
  ASSIGN_OR_RETURN(const auto missing, MissingTables());
  if (!missing.empty() && options.create_tables) {
    const Status created = connection_->ExecuteAll(missing);
    if (!created) {
      ASSIGN_OR_RETURN(const auto still_missing, MissingTables());
      if (!still_missing.empty()) return created;
    }
  }
  ASSIGN_OR_RETURN(has_type_, connection_->HasColumn("iceberg_tables", "iceberg_type"));
  if (has_type_ || !options.upgrade_to_v1) return {};
  const auto added =
      connection_->Execute("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)");
  ASSIGN_OR_RETURN(has_type_, connection_->HasColumn("iceberg_tables", "iceberg_type"));
  if (!has_type_ && !added) return Fail(added.error());
  return {};
}

std::string SqlPointerStore::KindFilter(PointerKind kind) const {
  if (!has_type_) return kind == PointerKind::kTable ? "" : " AND 1 = 0";
  return kind == PointerKind::kTable ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)"
                                     : " AND iceberg_type = 'VIEW'";
}

Result<std::optional<Pointer>> SqlPointerStore::Find(const TableIdentifier& id) {
  const std::string type = has_type_ ? "iceberg_type" : "NULL";
  ASSIGN_OR_RETURN(
      const auto rows,
      connection_->Query("SELECT metadata_location, " + type + " FROM iceberg_tables" + kById,
                         {catalog_name_, StoredNamespace(id.ns), id.name}));
  if (rows.empty()) return std::optional<Pointer>();
  const PointerKind kind = rows[0][1] == "VIEW" ? PointerKind::kView : PointerKind::kTable;
  return Pointer{kind, rows[0][0].value_or("")};
}

SqlConnection::Statement SqlPointerStore::InsertStatement(const TableIdentifier& id,
                                                          const Pointer& pointer) const {
  const std::string columns = "catalog_name, table_namespace, table_name, metadata_location";
  SqlConnection::Arguments arguments{catalog_name_, StoredNamespace(id.ns), id.name,
                                     pointer.metadata_location};
  if (!has_type_)
    return {"INSERT INTO iceberg_tables (" + columns + ") VALUES (?, ?, ?, ?)", arguments};
  arguments.emplace_back(TypeName(pointer.kind));
  return {"INSERT INTO iceberg_tables (" + columns + ", iceberg_type) VALUES (?, ?, ?, ?, ?)",
          arguments};
}

Result<bool> SqlPointerStore::Insert(const TableIdentifier& id, const Pointer& pointer) {
  const SqlConnection::Statement insert = InsertStatement(id, pointer);
  const auto done = connection_->Execute(insert.sql, insert.arguments);
  if (done) return true;
  if (done.error().code == ErrorCode::kAlreadyExists) return false;
  return Fail(done.error());
}

SqlConnection::Statement SqlPointerStore::SwapStatement(const TableIdentifier& id, PointerKind kind,
                                                        const std::string& from,
                                                        const std::string& to) const {
  return {std::string("UPDATE iceberg_tables SET metadata_location = ?, "
                      "previous_metadata_location = ?") +
              kById + " AND metadata_location = ?" + KindFilter(kind),
          {to, from, catalog_name_, StoredNamespace(id.ns), id.name, from}};
}

Result<bool> SqlPointerStore::Swap(const TableIdentifier& id, PointerKind kind,
                                   const std::string& from, const std::string& to) {
  const SqlConnection::Statement swap = SwapStatement(id, kind, from, to);
  ASSIGN_OR_RETURN(const int changed, connection_->Execute(swap.sql, swap.arguments));
  return changed == 1;
}

Result<std::optional<size_t>> SqlPointerStore::SwapAll(const std::vector<PointerSwap>& swaps) {
  std::vector<SqlConnection::Statement> statements;
  for (const PointerSwap& swap : swaps) {
    statements.push_back(swap.from
                             ? SwapStatement(swap.id, PointerKind::kTable, *swap.from, swap.to)
                             : InsertStatement(swap.id, {PointerKind::kTable, swap.to}));
  }
  return connection_->ExecuteEach(statements);
}

Result<bool> SqlPointerStore::Remove(const TableIdentifier& id, PointerKind kind) {
  ASSIGN_OR_RETURN(
      const int changed,
      connection_->Execute(std::string("DELETE FROM iceberg_tables") + kById + KindFilter(kind),
                           {catalog_name_, StoredNamespace(id.ns), id.name}));
  return changed == 1;
}

Result<bool> SqlPointerStore::Rename(const TableIdentifier& from, const TableIdentifier& to,
                                     PointerKind kind) {
  const auto changed = connection_->Execute(
      std::string("UPDATE iceberg_tables SET table_namespace = ?, table_name = ?") + kById +
          KindFilter(kind),
      {StoredNamespace(to.ns), to.name, catalog_name_, StoredNamespace(from.ns), from.name});
  if (changed) return *changed == 1;
  if (changed.error().code == ErrorCode::kAlreadyExists) return TableExistsAlready(to);
  return Fail(changed.error());
}

Result<std::vector<std::string>> SqlPointerStore::Names(const Namespace& ns, PointerKind kind) {
  ASSIGN_OR_RETURN(
      const auto rows,
      connection_->Query(
          "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?" +
              KindFilter(kind),
          {catalog_name_, StoredNamespace(ns)}));
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row[0].value_or(""));
  std::sort(names.begin(), names.end());  // by bytes, whatever the database's collation
  return names;
}

Result<bool> SqlPointerStore::HasNamespace(const Namespace& ns) {
  // Not LIKE: it would fold case and read % and _ in names as wildcards.
  const std::string text = StoredNamespace(ns);
  for (const auto& [table, column] : {std::pair{"iceberg_namespace_properties", "namespace"},
                                      std::pair{"iceberg_tables", "table_namespace"}}) {
    ASSIGN_OR_RETURN(
        const auto rows,
        connection_->Query(fmt::format("SELECT 1 FROM {0} WHERE catalog_name = ?1 AND ({1} = ?2 OR "
                                       "substr({1}, 1, length(?2) + 1) = ?2 || '.') LIMIT 1",
                                       table, column),
                           {catalog_name_, text}));
    if (!rows.empty()) return true;
  }
  return false;
}

Result<std::vector<Namespace>> SqlPointerStore::AllNamespaces() {
  ASSIGN_OR_RETURN(const auto rows,
                   connection_->Query(
                       "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1 "
                       "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?1",
                       {catalog_name_}));
  std::vector<Namespace> all;
  for (const auto& row : rows) all.push_back(NamespaceOf(row[0].value_or("")));
  return all;
}

Result<Properties> SqlPointerStore::FindProperties(const Namespace& ns) {
  ASSIGN_OR_RETURN(
      const auto rows,
      connection_->Query("SELECT property_key, property_value FROM iceberg_namespace_properties "
                         "WHERE catalog_name = ? AND namespace = ?",
                         {catalog_name_, StoredNamespace(ns)}));
  Properties properties;
  for (const auto& row : rows) properties[row[0].value_or("")] = row[1].value_or("");
  return properties;
}

Status SqlPointerStore::PutProperties(const Namespace& ns, const Properties& properties) {
  std::vector<SqlConnection::Statement> statements;
  for (const auto& [key, value] : properties) {
    statements.push_back(
        {"INSERT INTO iceberg_namespace_properties "
         "(catalog_name, namespace, property_key, property_value) VALUES (?, ?, ?, ?) "
         "ON CONFLICT (catalog_name, namespace, property_key) "
         "DO UPDATE SET property_value = excluded.property_value",
         {catalog_name_, StoredNamespace(ns), key, value}});
  }
  return connection_->ExecuteAll(statements);
}

Status SqlPointerStore::RemoveProperties(const Namespace& ns,
                                         const std::vector<std::string>& keys) {
  std::vector<SqlConnection::Statement> statements;
  for (const std::string& key : keys) {
    statements.push_back(
        {"DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ? "
         "AND property_key = ?",
         {catalog_name_, StoredNamespace(ns), key}});
  }
  return connection_->ExecuteAll(statements);
}

Status SqlPointerStore::RemoveNamespace(const Namespace& ns) {
  RETURN_IF_ERROR(connection_->Execute(
      "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?",
      {catalog_name_, StoredNamespace(ns)}));
  return {};
}

}  // namespace iceblink::catalog
