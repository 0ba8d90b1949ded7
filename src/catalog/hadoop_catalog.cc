#include "catalog/hadoop_catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "catalog/errors.h"
#include "catalog/metadata_file.h"

namespace iceblink::catalog {
namespace {

constexpr const char* kHintFile = "version-hint.text";

bool IsMetadataFile(std::string_view path) {
  return path.ends_with(".metadata.json") || path.ends_with(".metadata.json.gz");
}

}  // namespace

std::string HadoopCatalog::NamespacePath(const Namespace& ns) const {
  return ns.empty() ? warehouse_ : warehouse_ + "/" + Join(ns, "/");
}

std::string HadoopCatalog::TablePath(const TableIdentifier& id) const {
  return NamespacePath(id.ns) + "/" + id.name;
}

Result<bool> HadoopCatalog::IsFolder(const std::string& path) {
  const auto info = files_.Stat(path);
  if (info) return info->is_directory;
  if (info.error().code == ErrorCode::kNotFound) return false;
  return Fail(info.error());
}

Result<bool> HadoopCatalog::IsTableFolder(const std::string& path) {
  bool found = false;
  RETURN_IF_ERROR(files_.List(path + "/metadata", false, [&](const io::FileInfo& info) -> Status {
    found = found || IsMetadataFile(info.path);
    return {};
  }));
  return found;
}

Result<std::vector<std::string>> HadoopCatalog::Subfolders(const std::string& path) {
  std::vector<std::string> folders;
  RETURN_IF_ERROR(files_.List(path, false, [&](const io::FileInfo& info) -> Status {
    if (info.is_directory) folders.push_back(info.path);
    return {};
  }));
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<std::vector<Namespace>> HadoopCatalog::ListNamespaces(const Namespace& parent) {
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(parent));
  if (!exists) return NoSuchNamespace(parent);
  ASSIGN_OR_RETURN(const auto folders, Subfolders(NamespacePath(parent)));
  std::vector<Namespace> children;
  for (const std::string& folder : folders) {
    ASSIGN_OR_RETURN(const bool is_table, IsTableFolder(folder));
    if (is_table) continue;
    children.push_back(parent);
    children.back().emplace_back(io::BaseName(folder));
  }
  return children;
}

Result<bool> HadoopCatalog::NamespaceExists(const Namespace& ns) {
  if (ns.empty()) return true;  // the warehouse, made with the first table
  ASSIGN_OR_RETURN(const bool is_folder, IsFolder(NamespacePath(ns)));
  if (!is_folder) return false;
  ASSIGN_OR_RETURN(const bool is_table, IsTableFolder(NamespacePath(ns)));
  return !is_table;
}

Result<Properties> HadoopCatalog::LoadNamespace(const Namespace& ns) {
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(ns));
  if (!exists || ns.empty()) return NoSuchNamespace(ns);
  return Properties{{"location", NamespacePath(ns)}};
}

Status HadoopCatalog::CreateNamespace(const Namespace& ns, const Properties& properties) {
  if (ns.empty()) return IllegalArgument("Cannot create namespace with invalid name: ");
  if (!properties.empty()) {
    return NotSupported(fmt::format("Cannot create namespace {}: metadata is not supported",
                                    NamespaceToString(ns)));
  }
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(ns));
  if (exists)
    return AlreadyExists(fmt::format("Namespace already exists: {}", NamespaceToString(ns)));
  return files_.CreateDirectory(NamespacePath(ns));
}

Status HadoopCatalog::DropNamespace(const Namespace& ns) {
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(ns));
  if (!exists || ns.empty()) return NoSuchNamespace(ns);
  bool is_empty = true;
  RETURN_IF_ERROR(files_.List(NamespacePath(ns), false, [&](const io::FileInfo&) -> Status {
    is_empty = false;
    return {};
  }));
  if (!is_empty) return NotEmpty(fmt::format("Namespace {} is not empty.", NamespaceToString(ns)));
  return files_.DeleteDirectory(NamespacePath(ns));
}

Status HadoopCatalog::SetNamespaceProperties(const Namespace& ns, const Properties&) {
  return NotSupported(
      fmt::format("Cannot set namespace properties {} : setProperties is not supported",
                  NamespaceToString(ns)));
}

Status HadoopCatalog::RemoveNamespaceProperties(const Namespace& ns,
                                                const std::vector<std::string>&) {
  return NotSupported(fmt::format("Cannot remove properties {} : removeProperties is not supported",
                                  NamespaceToString(ns)));
}

Result<std::vector<TableIdentifier>> HadoopCatalog::ListTables(const Namespace& ns) {
  if (ns.empty()) return IllegalArgument("Missing database in table identifier: ");
  ASSIGN_OR_RETURN(const bool exists, IsFolder(NamespacePath(ns)));
  if (!exists) return NoSuchNamespace(ns);
  ASSIGN_OR_RETURN(const auto folders, Subfolders(NamespacePath(ns)));
  std::vector<TableIdentifier> tables;
  for (const std::string& folder : folders) {
    ASSIGN_OR_RETURN(const bool is_table, IsTableFolder(folder));
    if (is_table) tables.push_back({ns, std::string(io::BaseName(folder))});
  }
  return tables;
}

Result<std::optional<HadoopCatalog::Version>> HadoopCatalog::FileOfVersion(
    const std::string& metadata_folder, int32_t number) {
  for (const char* extension : {".metadata.json", ".gz.metadata.json", ".metadata.json.gz"}) {
    std::string path = fmt::format("{}/v{}{}", metadata_folder, number, extension);
    ASSIGN_OR_RETURN(const bool exists, files_.Exists(path));
    if (exists) return Version{number, std::move(path)};
  }
  return std::optional<Version>();
}

Result<std::optional<HadoopCatalog::Version>> HadoopCatalog::FindNewestByListing(
    const std::string& metadata_folder) {
  std::optional<Version> newest;
  RETURN_IF_ERROR(files_.List(metadata_folder, false, [&](const io::FileInfo& info) -> Status {
    const bool is_version = IsMetadataFile(info.path) && io::BaseName(info.path).starts_with('v');
    const int32_t number = is_version ? MetadataVersion(info.path) : -1;
    if (number > 0 && (!newest || number > newest->number)) newest = Version{number, info.path};
    return {};
  }));
  return newest;
}

Result<std::optional<HadoopCatalog::Version>> HadoopCatalog::FindVersion(
    const std::string& metadata_folder) {
  const auto hint = files_.ReadAll(io::JoinPath(metadata_folder, kHintFile));
  const auto hinted = hint ? ParseInt32(Trim(*hint)) : std::nullopt;
  std::optional<Version> found;
  if (hinted) {
    ASSIGN_OR_RETURN(found, FileOfVersion(metadata_folder, *hinted));
  }
  if (!found) return FindNewestByListing(metadata_folder);
  for (;;) {
    ASSIGN_OR_RETURN(auto next, FileOfVersion(metadata_folder, found->number + 1));
    if (!next) return found;
    found = std::move(next);
  }
}

Result<bool> HadoopCatalog::TableExists(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const auto version, FindVersion(TablePath(id) + "/metadata"));
  return version.has_value();
}

Result<LoadedTable> HadoopCatalog::LoadTable(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const auto version, FindVersion(TablePath(id) + "/metadata"));
  if (!version) return NoSuchTable(id);
  ASSIGN_OR_RETURN(auto metadata, ReadTableMetadata(files_, version->path));
  return LoadedTable{version->path, std::move(metadata)};
}

Result<std::string> HadoopCatalog::DefaultTableLocation(const TableIdentifier& id) {
  return TablePath(id);
}

Result<LoadedTable> HadoopCatalog::CreateTable(const TableIdentifier& id,
                                               spec::TableMetadata metadata) {
  if (io::LocalPath(metadata.location) != io::LocalPath(TablePath(id))) {
    return IllegalArgument(
        fmt::format("Cannot set a custom location for a path-based table. Expected {} but got {}",
                    TablePath(id), metadata.location));
  }
  ASSIGN_OR_RETURN(const bool exists, TableExists(id));
  if (exists) return TableExistsAlready(id);
  auto created = WriteVersion(id, 1, std::move(metadata));
  if (!created && created.error().code == ErrorCode::kConflict) return TableExistsAlready(id);
  return created;
}

Result<LoadedTable> HadoopCatalog::CommitTable(const TableIdentifier& id, const LoadedTable& base,
                                               spec::TableMetadata updated) {
  if (updated.location != base.metadata->location) {
    return IllegalArgument("Hadoop path-based tables cannot be relocated");
  }
  if (!updated.Property("write.metadata.path").empty()) {
    return IllegalArgument("Hadoop path-based tables cannot relocate metadata");
  }
  // The write alone would not notice a base so old that the version after it has been cleaned up.
  ASSIGN_OR_RETURN(const auto current, FindVersion(TablePath(id) + "/metadata"));
  if (!current) return NoSuchTable(id);
  if (current->path != base.metadata_location) {
    return CommitFailed("Cannot commit changes based on stale table metadata");
  }
  LogPreviousFile(*base.metadata, base.metadata_location, updated);
  ASSIGN_OR_RETURN(LoadedTable committed,
                   WriteVersion(id, current->number + 1, std::move(updated)));
  DeleteRemovedMetadataFiles(files_, *base.metadata, *committed.metadata);
  return committed;
}

Result<LoadedTable> HadoopCatalog::WriteVersion(const TableIdentifier& id, int32_t number,
                                                spec::TableMetadata metadata) {
  const std::string folder = TablePath(id) + "/metadata";
  ASSIGN_OR_RETURN(const std::string extension,
                   MetadataExtension(metadata.Property("write.metadata.compression-codec")));
  const std::string path = fmt::format("{}/v{}{}", folder, number, extension);
  const Status written = WriteTableMetadata(files_, path, metadata, io::WriteMode::kCreateNew);
  if (!written) {
    const Error& error = written.error();
    if (error.code == ErrorCode::kAlreadyExists)
      return CommitFailed(fmt::format("Version {} already exists: {}", number, path));
    if (error.code == ErrorCode::kCommitUnknown) return CommitStateUnknown(error);
    return Fail(error);
  }
  const Status hinted = files_.WriteAll(io::JoinPath(folder, kHintFile), std::to_string(number),
                                        io::WriteMode::kReplace);
  if (!hinted) LogWarn(fmt::format("Failed to update version hint: {}", hinted.error().message));
  metadata.metadata_file_location = path;
  return LoadedTable{path, std::make_shared<const spec::TableMetadata>(std::move(metadata))};
}

Status HadoopCatalog::DropTable(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const bool exists, TableExists(id));
  if (!exists) return NoSuchTable(id);
  return files_.DeleteDirectory(TablePath(id));
}

Status HadoopCatalog::RenameTable(const TableIdentifier&, const TableIdentifier&) {
  return NotSupported("Cannot rename Hadoop tables");
}

Result<LoadedTable> HadoopCatalog::RegisterTable(const TableIdentifier& id,
                                                 const std::string& metadata_location) {
  ASSIGN_OR_RETURN(const bool exists, TableExists(id));
  if (exists) return TableExistsAlready(id);
  ASSIGN_OR_RETURN(const auto metadata, ReadTableMetadata(files_, metadata_location));
  return WriteVersion(id, 1, *metadata);
}

}  // namespace iceblink::catalog
