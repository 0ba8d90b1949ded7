// Catalog: which tables, views and namespaces exist, and the one atomic step of a commit.
//
// A catalog maps an identifier to the location of a metadata file. CommitTable writes the next
// metadata file and swaps the pointer if it still is what the caller read; everything else about a
// commit happens above. Implementations: memory, SQL (Iceberg's JDBC layout), Hadoop (folders),
// REST. All of them pass catalog_conformance_test.cc.
//
// Ownership: a catalog owns its connection and shares its file system; returned metadata is
// immutable and shared. Threads: every method is safe from several threads; several processes may
// share a catalog's store.
//
// Errors in Iceberg's words, `exception` as Java names it: kNotFound NoSuchTableException "Table
// does not exist: a.t", NoSuchNamespaceException "Namespace does not exist: a", NoSuchViewException
// "View does not exist: a.v"; kAlreadyExists AlreadyExistsException; kNotEmpty
// NamespaceNotEmptyException; kConflict CommitFailedException; kCommitUnknown
// CommitStateUnknownException; kUnsupported UnsupportedOperationException; kIo when the store
// fails.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "spec/table_metadata.h"

namespace iceblink::spec {
struct NewTable;
struct ViewMetadata;
}  // namespace iceblink::spec

namespace iceblink::catalog {

using Namespace = std::vector<std::string>;  // levels, outermost first; empty is the root
using Properties = std::map<std::string, std::string>;

// Levels joined with dots: the form of error messages and of the SQL catalog's rows.
std::string NamespaceToString(const Namespace& ns);

struct TableIdentifier {
  Namespace ns;
  std::string name;

  std::string ToString() const;  // "a.b.t"
  auto operator<=>(const TableIdentifier&) const = default;
};

struct LoadedTable {
  std::string metadata_location;
  spec::TableMetadataPtr metadata;  // its metadata_file_location is metadata_location
};

struct LoadedView {
  std::string metadata_location;
  std::shared_ptr<const spec::ViewMetadata> metadata;
};

// One table's part of a commit over several. A base without metadata creates the table.
struct TableChange {
  TableIdentifier id;
  LoadedTable base;
  spec::TableMetadata updated;
};

// The views of a catalog that keeps them. Owned by the catalog; same promises.
class ViewCatalog {
 public:
  virtual ~ViewCatalog() = default;
  virtual Result<std::vector<TableIdentifier>> ListViews(const Namespace& ns) = 0;
  virtual Result<bool> ViewExists(const TableIdentifier& id) = 0;
  virtual Result<LoadedView> LoadView(const TableIdentifier& id) = 0;
  // kAlreadyExists when a view or table of this name exists.
  virtual Result<LoadedView> CreateView(const TableIdentifier& id,
                                        const spec::ViewMetadata& metadata) = 0;
  // Compare and swap, as CommitTable.
  virtual Result<LoadedView> ReplaceView(const TableIdentifier& id, const LoadedView& base,
                                         const spec::ViewMetadata& updated) = 0;
  virtual Status DropView(const TableIdentifier& id) = 0;
  virtual Status RenameView(const TableIdentifier& from, const TableIdentifier& to) = 0;
};

class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual const std::string& name() const = 0;
  // As given at creation, without the spark.sql.catalog.<name> prefix.
  virtual const Properties& properties() const = 0;
  // Where this catalog's metadata files lie and, as far as the locations say, its data.
  virtual io::FileSystem& file_system() = 0;

  // Direct children of `parent`, each as full path, sorted. kNotFound when `parent` does not exist.
  virtual Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
  virtual Result<bool> NamespaceExists(const Namespace& ns) = 0;
  // The namespace's properties.
  virtual Result<Properties> LoadNamespace(const Namespace& ns) = 0;
  virtual Status CreateNamespace(const Namespace& ns, const Properties& properties) = 0;
  // kNotFound when missing, kNotEmpty when tables, views or child namespaces remain.
  virtual Status DropNamespace(const Namespace& ns) = 0;
  virtual Status SetNamespaceProperties(const Namespace& ns, const Properties& properties) = 0;
  virtual Status RemoveNamespaceProperties(const Namespace& ns,
                                           const std::vector<std::string>& keys) = 0;

  // Tables of this namespace alone, sorted.
  virtual Result<std::vector<TableIdentifier>> ListTables(const Namespace& ns) = 0;
  virtual Result<bool> TableExists(const TableIdentifier& id) = 0;
  virtual Result<LoadedTable> LoadTable(const TableIdentifier& id) = 0;

  // Where a new table without LOCATION goes; empty when the catalog decides as it creates it
  // (REST).
  virtual Result<std::string> DefaultTableLocation(const TableIdentifier& id) = 0;
  // The metadata of a table that a later CreateTable makes, so that its files can be written
  // before: `table` with fresh ids, and a location of the catalog's choice where it has none.
  // Writes nothing.
  virtual Result<spec::TableMetadata> StageTable(const TableIdentifier& id, spec::NewTable table,
                                                 int64_t now_ms);
  // Writes the first metadata file of `metadata` (its location is set) and registers it.
  virtual Result<LoadedTable> CreateTable(const TableIdentifier& id,
                                          spec::TableMetadata metadata) = 0;
  // Writes `updated` as the next metadata file, its log extended by `base`, and swaps the pointer
  // if it still is base.metadata_location. Lost to another writer: kConflict, retryable. When the
  // outcome cannot be known (the store failed while swapping): kCommitUnknown, and the new file is
  // kept; on every other error the new file is deleted. Afterwards old metadata files are deleted
  // as write.metadata.delete-after-commit.enabled asks.
  virtual Result<LoadedTable> CommitTable(const TableIdentifier& id, const LoadedTable& base,
                                          spec::TableMetadata updated) = 0;
  // Commits every change or none, each as CommitTable does. kUnsupported where the catalog cannot.
  virtual Status CommitTables(std::vector<TableChange> changes);
  // Whether a load costs a round trip over a network: callers that can do without it save it.
  virtual bool is_remote() const { return false; }
  // Forgets the table; files stay (Hadoop: deletes its folder, which is its registration). Purging
  // is the caller's.
  virtual Status DropTable(const TableIdentifier& id) = 0;
  virtual Status RenameTable(const TableIdentifier& from, const TableIdentifier& to) = 0;
  // DropTable for DROP TABLE ... PURGE. True when the catalog deletes the files by itself; false
  // leaves them to the caller.
  virtual Result<bool> DropAndPurgeTable(const TableIdentifier& id);
  // Makes an existing metadata file a table.
  virtual Result<LoadedTable> RegisterTable(const TableIdentifier& id,
                                            const std::string& metadata_location) = 0;

  // Null when the catalog keeps no views.
  virtual ViewCatalog* views() { return nullptr; }
};

// Makes a catalog from Spark-style properties (keys without the spark.sql.catalog.<name> prefix):
// `type` = jdbc (sql), hadoop, memory (in-memory), rest; `uri` = jdbc:sqlite:FILE, sqlite:///FILE,
// jdbc:postgresql://HOST:PORT/DATABASE, http://HOST:PORT; `warehouse`. `files` outlives the
// catalog. kUnsupported names a known type that is not built in (hive, glue, nessie, bigquery,
// catalog-impl); kInvalidArgument otherwise.
Result<std::shared_ptr<Catalog>> MakeCatalog(const std::string& name, const Properties& properties,
                                             io::FileSystem& files = io::DefaultFileSystem());

}  // namespace iceblink::catalog
