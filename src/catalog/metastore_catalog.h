// Catalog and ViewCatalog over a PointerStore: Iceberg's rules for names, metadata files
// "00007-<uuid>.metadata.json" and compare-and-swap, once for memory and SQL.
//
// A commit whose swap failed without an answer is re-read: pointing at the new file it succeeded,
// at the base it did not, and anything else, or no answer again, is kCommitUnknown with the new
// file kept.
#pragma once

#include <memory>

#include "catalog/catalog.h"
#include "catalog/metadata_cache.h"
#include "catalog/pointer_store.h"

namespace iceblink::catalog {

class MetastoreCatalog : public Catalog, public ViewCatalog {
 public:
  struct Options {
    std::string name;
    Properties properties;
    std::string warehouse;  // without trailing slash
    bool strict_namespaces =
        false;  // a table needs an existing namespace (memory, jdbc.strict-mode)
    bool unique_table_locations =
        false;  // unique-table-location: a random suffix on default locations
    bool supports_views = true;
  };
  // `files` outlives the catalog.
  MetastoreCatalog(Options options, std::unique_ptr<PointerStore> store, io::FileSystem& files)
      : options_(std::move(options)), store_(std::move(store)), files_(files) {}

  const std::string& name() const override { return options_.name; }
  const Properties& properties() const override { return options_.properties; }
  io::FileSystem& file_system() override { return files_; }
  ViewCatalog* views() override { return this; }

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& ns) override;
  Result<Properties> LoadNamespace(const Namespace& ns) override;
  Status CreateNamespace(const Namespace& ns, const Properties& properties) override;
  Status DropNamespace(const Namespace& ns) override;
  Status SetNamespaceProperties(const Namespace& ns, const Properties& properties) override;
  Status RemoveNamespaceProperties(const Namespace& ns,
                                   const std::vector<std::string>& keys) override;

  Result<std::vector<TableIdentifier>> ListTables(const Namespace& ns) override;
  Result<bool> TableExists(const TableIdentifier& id) override;
  Result<LoadedTable> LoadTable(const TableIdentifier& id) override;
  Result<std::string> DefaultTableLocation(const TableIdentifier& id) override;
  Result<LoadedTable> CreateTable(const TableIdentifier& id, spec::TableMetadata metadata) override;
  Result<LoadedTable> CommitTable(const TableIdentifier& id, const LoadedTable& base,
                                  spec::TableMetadata updated) override;
  Status CommitTables(std::vector<TableChange> changes) override;
  Status DropTable(const TableIdentifier& id) override;
  Status RenameTable(const TableIdentifier& from, const TableIdentifier& to) override;
  Result<LoadedTable> RegisterTable(const TableIdentifier& id,
                                    const std::string& metadata_location) override;

  Result<std::vector<TableIdentifier>> ListViews(const Namespace& ns) override;
  Result<bool> ViewExists(const TableIdentifier& id) override;
  Result<LoadedView> LoadView(const TableIdentifier& id) override;
  Result<LoadedView> CreateView(const TableIdentifier& id,
                                const spec::ViewMetadata& metadata) override;
  Result<LoadedView> ReplaceView(const TableIdentifier& id, const LoadedView& base,
                                 const spec::ViewMetadata& updated) override;
  Status DropView(const TableIdentifier& id) override;
  Status RenameView(const TableIdentifier& from, const TableIdentifier& to) override;

 private:
  Status RequireNamespace(const Namespace& ns);
  Status RequireViews() const;
  Status RequireEmpty(const Namespace& ns);
  Result<std::vector<TableIdentifier>> List(const Namespace& ns, PointerKind kind);
  Result<bool> Has(const TableIdentifier& id, PointerKind kind);
  // Location of the metadata file; kNotFound when `id` is no such thing.
  Result<std::string> Locate(const TableIdentifier& id, PointerKind kind);
  // kAlreadyExists when the name is taken, kNotFound when strict and the namespace is missing.
  Status RequireFree(const TableIdentifier& id, PointerKind kind);
  Status InsertPointer(const TableIdentifier& id, PointerKind kind, const std::string& location);
  // The swap and the re-read after an unclear failure. The new file is deleted when it is certain
  // not to be in use.
  Status SwapPointer(const TableIdentifier& id, PointerKind kind, const std::string& from,
                     const std::string& to);
  Status ClassifyFailedSwap(const TableIdentifier& id, const std::string& from,
                            const std::string& to, const Error& error);
  // The metadata file of a change of CommitTables, and the swap that makes it current.
  Result<PointerSwap> WriteChange(TableChange& change);
  // What became of swaps that failed without an answer.
  Status ClassifyFailedSwaps(const std::vector<PointerSwap>& swaps, const Error& error);
  Status Rename(const TableIdentifier& from, const TableIdentifier& to, PointerKind kind);
  Result<std::string> WriteViewFile(const spec::ViewMetadata& metadata, int32_t version);

  Options options_;
  std::unique_ptr<PointerStore> store_;
  io::FileSystem& files_;
  MetadataCache cache_;
};

}  // namespace iceblink::catalog
