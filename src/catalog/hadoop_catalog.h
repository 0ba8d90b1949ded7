// Catalog of folders: <warehouse>/<level>/.../<table>/metadata/v<N>.metadata.json, N from 1, and
// version-hint.text with the newest N, as Iceberg's HadoopCatalog.
//
// A folder with metadata files below "metadata" is a table, any other folder a namespace;
// namespaces have no properties. A commit creates v<N+1>, whole and exactly once: of two writers
// one wins. The hint is written afterwards and may lag; readers look for higher versions from
// there, and list the folder when it is missing.
#pragma once

#include <optional>

#include "catalog/catalog.h"

namespace iceblink::catalog {

class HadoopCatalog final : public Catalog {
 public:
  // `warehouse` without trailing slash; `files` outlives the catalog; its kCreateNew is what
  // commits stand on.
  HadoopCatalog(std::string name, Properties properties, std::string warehouse,
                io::FileSystem& files)
      : name_(std::move(name)),
        properties_(std::move(properties)),
        warehouse_(std::move(warehouse)),
        files_(files) {}

  const std::string& name() const override { return name_; }
  const Properties& properties() const override { return properties_; }
  io::FileSystem& file_system() override { return files_; }

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
  Status DropTable(const TableIdentifier& id) override;
  // The table's folder is gone with it, so nothing is left to read what to delete from.
  Result<bool> DropAndPurgeTable(const TableIdentifier& id) override {
    RETURN_IF_ERROR(DropTable(id));
    return true;
  }
  Status RenameTable(const TableIdentifier& from, const TableIdentifier& to) override;
  Result<LoadedTable> RegisterTable(const TableIdentifier& id,
                                    const std::string& metadata_location) override;

 private:
  struct Version {
    int32_t number = 0;
    std::string path;
  };
  std::string NamespacePath(const Namespace& ns) const;
  std::string TablePath(const TableIdentifier& id) const;
  Result<bool> IsFolder(const std::string& path);
  Result<bool> IsTableFolder(const std::string& path);
  // Paths of the folders directly in `path`.
  Result<std::vector<std::string>> Subfolders(const std::string& path);
  // The newest version of the table, or nothing when there is none.
  Result<std::optional<Version>> FindVersion(const std::string& metadata_folder);
  Result<std::optional<Version>> FindNewestByListing(const std::string& metadata_folder);
  // The file of this version in any of its spellings.
  Result<std::optional<Version>> FileOfVersion(const std::string& metadata_folder, int32_t number);
  // Creates its file; kConflict when the version exists.
  Result<LoadedTable> WriteVersion(const TableIdentifier& id, int32_t number,
                                   spec::TableMetadata metadata);

  std::string name_;
  Properties properties_;
  std::string warehouse_;
  io::FileSystem& files_;
};

}  // namespace iceblink::catalog
