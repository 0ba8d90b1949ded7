// Catalog: the door to namespaces and tables (Java's Catalog and SupportsNamespaces).
//
//   auto catalog = Catalog::Open("prod", {{"type", "rest"}, {"uri", "http://localhost:8181"}});
//   auto table = catalog->LoadTable({{"shop"}, "orders"});
//
// A handle: copies are the same catalog, safe from several threads; tables and transactions keep it
// alive. Errors carry Iceberg's exception and words: kNotFound NoSuchTableException,
// NoSuchNamespaceException; kAlreadyExists AlreadyExistsException; kNotEmpty
// NamespaceNotEmptyException; kUnauthenticated, kForbidden, kUnavailable of a server; kIo.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iceblink/partitioning.h"
#include "iceblink/table.h"

namespace iceblink {

using Namespace = std::vector<std::string>;  // levels, outermost first
using Properties = std::map<std::string, std::string>;

struct TableIdentifier {
  Namespace ns;
  std::string name;

  // Splits at dots: "a.b.t".
  static TableIdentifier Parse(std::string_view text);
  std::string ToString() const;
  auto operator<=>(const TableIdentifier&) const = default;
};

// What a new table is made of, beside its schema.
struct TableOptions {
  PartitionSpec spec;
  SortOrder sort_order;
  std::string location;   // empty: the catalog decides
  Properties properties;  // "format-version" among them
};

struct CatalogState;

class Catalog {
 public:
  // `properties` are those of Spark's `spark.sql.catalog.NAME.`: "type" = "jdbc" | "hadoop" |
  // "in-memory" | "rest", "uri", "warehouse", and what the store and the server need
  // ("s3.endpoint", "credential" ...). Errors: kInvalidArgument, kUnsupported.
  static Result<Catalog> Open(const std::string& name, const Properties& properties);

  const std::string& name() const;

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent = {}) const;
  Result<bool> NamespaceExists(const Namespace& ns) const;
  Status CreateNamespace(const Namespace& ns, const Properties& properties = {}) const;
  Status DropNamespace(const Namespace& ns) const;
  Result<Properties> LoadNamespaceMetadata(const Namespace& ns) const;
  Status SetProperties(const Namespace& ns, const Properties& properties) const;

  Result<std::vector<TableIdentifier>> ListTables(const Namespace& ns) const;
  Result<bool> TableExists(const TableIdentifier& id) const;
  Result<Table> LoadTable(const TableIdentifier& id) const;
  Result<Table> CreateTable(const TableIdentifier& id, const Schema& schema,
                            const TableOptions& options = {}) const;
  // The table that a metadata file describes.
  Result<Table> RegisterTable(const TableIdentifier& id,
                              const std::string& metadata_location) const;
  // Forgets the table; with `purge` its files are deleted too.
  Status DropTable(const TableIdentifier& id, bool purge = false) const;
  Status RenameTable(const TableIdentifier& from, const TableIdentifier& to) const;

  // The table appears, with everything that the transaction did, when it commits. Replacing keeps
  // history and refs other than main.
  Result<Transaction> NewCreateTableTransaction(const TableIdentifier& id, const Schema& schema,
                                                const TableOptions& options = {}) const;
  Result<Transaction> NewReplaceTableTransaction(const TableIdentifier& id, const Schema& schema,
                                                 const TableOptions& options = {}) const;

  explicit Catalog(std::shared_ptr<CatalogState> state) : state_(std::move(state)) {}
  const std::shared_ptr<CatalogState>& state() const { return state_; }  // for the library itself

 private:
  std::shared_ptr<CatalogState> state_;
};

}  // namespace iceblink
