#include "catalog/metastore_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/errors.h"
#include "catalog/metadata_file.h"

namespace iceblink::catalog {
namespace {

// The marker that keeps an empty namespace; never shown.
constexpr const char* kExistsProperty = "exists";
constexpr const char* kLocationProperty = "location";

const char* KindName(PointerKind kind) { return kind == PointerKind::kTable ? "Table" : "View"; }

// A name as one folder: slashes are escaped, and "." and "..", which would lead out of it.
std::string FolderName(const std::string& name) {
  if (name == "." || name == "..") return ReplaceAll(name, ".", "%2E");
  return ReplaceAll(ReplaceAll(name, "%2F", "%252F"), "/", "%2F");
}

std::string DefaultNamespaceLocation(const std::string& warehouse, const Namespace& ns) {
  std::string location = warehouse;
  for (const std::string& level : ns) location += "/" + FolderName(level);
  return location;
}

bool IsLocal(const std::string& path) {
  return path.starts_with("file:") || path.find("://") == std::string::npos;
}

}  // namespace

Status MetastoreCatalog::RequireNamespace(const Namespace& ns) {
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(ns));
  if (!exists) return NoSuchNamespace(ns);
  return {};
}

Result<std::vector<Namespace>> MetastoreCatalog::ListNamespaces(const Namespace& parent) {
  if (!parent.empty()) RETURN_IF_ERROR(RequireNamespace(parent));
  ASSIGN_OR_RETURN(const auto all, store_->AllNamespaces());
  std::set<Namespace> children;
  for (const Namespace& ns : all) {
    if (ns.size() <= parent.size() || !std::equal(parent.begin(), parent.end(), ns.begin()))
      continue;
    children.emplace(ns.begin(), ns.begin() + static_cast<std::ptrdiff_t>(parent.size()) + 1);
  }
  return std::vector<Namespace>(children.begin(), children.end());
}

Result<bool> MetastoreCatalog::NamespaceExists(const Namespace& ns) {
  if (ns.empty()) return true;
  return store_->HasNamespace(ns);
}

Result<Properties> MetastoreCatalog::LoadNamespace(const Namespace& ns) {
  RETURN_IF_ERROR(RequireNamespace(ns));
  ASSIGN_OR_RETURN(Properties properties, store_->FindProperties(ns));
  properties.try_emplace(kLocationProperty, DefaultNamespaceLocation(options_.warehouse, ns));
  properties.erase(kExistsProperty);
  return properties;
}

Status MetastoreCatalog::CreateNamespace(const Namespace& ns, const Properties& properties) {
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(ns));
  if (exists)
    return AlreadyExists(fmt::format("Namespace already exists: {}", NamespaceToString(ns)));
  Properties stored = properties;
  stored[kExistsProperty] = "true";
  return store_->PutProperties(ns, stored);
}

Status MetastoreCatalog::RequireEmpty(const Namespace& ns) {
  const auto refuse = [&](size_t count, std::string_view what) {
    return NotEmpty(fmt::format("Namespace {} is not empty. Contains {} {}.", NamespaceToString(ns),
                                count, what));
  };
  ASSIGN_OR_RETURN(const auto tables, store_->Names(ns, PointerKind::kTable));
  if (!tables.empty()) return refuse(tables.size(), "table(s)");
  ASSIGN_OR_RETURN(const auto views, store_->Names(ns, PointerKind::kView));
  if (!views.empty()) return refuse(views.size(), "view(s)");
  ASSIGN_OR_RETURN(const auto children, ListNamespaces(ns));
  if (!children.empty()) return refuse(children.size(), "child namespace(s)");
  return {};
}

Status MetastoreCatalog::DropNamespace(const Namespace& ns) {
  RETURN_IF_ERROR(RequireNamespace(ns));
  RETURN_IF_ERROR(RequireEmpty(ns));
  return store_->RemoveNamespace(ns);
}

Status MetastoreCatalog::SetNamespaceProperties(const Namespace& ns, const Properties& properties) {
  RETURN_IF_ERROR(RequireNamespace(ns));
  if (properties.contains(kExistsProperty)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot set reserved property: {}", kExistsProperty),
                "IllegalArgumentException");
  }
  return store_->PutProperties(ns, properties);
}

Status MetastoreCatalog::RemoveNamespaceProperties(const Namespace& ns,
                                                   const std::vector<std::string>& keys) {
  RETURN_IF_ERROR(RequireNamespace(ns));
  std::vector<std::string> removable = keys;
  std::erase(removable, kExistsProperty);
  return store_->RemoveProperties(ns, removable);
}

Result<std::vector<TableIdentifier>> MetastoreCatalog::List(const Namespace& ns, PointerKind kind) {
  RETURN_IF_ERROR(RequireNamespace(ns));
  ASSIGN_OR_RETURN(const auto names, store_->Names(ns, kind));
  std::vector<TableIdentifier> ids;
  ids.reserve(names.size());
  for (const std::string& name : names) ids.push_back({ns, name});
  return ids;
}

Result<bool> MetastoreCatalog::Has(const TableIdentifier& id, PointerKind kind) {
  ASSIGN_OR_RETURN(const auto pointer, store_->Find(id));
  return pointer && pointer->kind == kind;
}

Result<std::string> MetastoreCatalog::Locate(const TableIdentifier& id, PointerKind kind) {
  ASSIGN_OR_RETURN(const auto pointer, store_->Find(id));
  if (pointer && pointer->kind == kind) return pointer->metadata_location;
  if (kind == PointerKind::kTable) return NoSuchTable(id);
  return NoSuchView(id);
}

Result<std::vector<TableIdentifier>> MetastoreCatalog::ListTables(const Namespace& ns) {
  return List(ns, PointerKind::kTable);
}

Result<bool> MetastoreCatalog::TableExists(const TableIdentifier& id) {
  return Has(id, PointerKind::kTable);
}

Result<LoadedTable> MetastoreCatalog::LoadTable(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(std::string location, Locate(id, PointerKind::kTable));
  spec::TableMetadataPtr metadata = cache_.Find(location);
  // Where a look costs nothing a file that somebody deleted is noticed: reading it says so.
  if (metadata == nullptr || (IsLocal(location) && !files_.Exists(location).value_or(true))) {
    ASSIGN_OR_RETURN(metadata, ReadTableMetadata(files_, location));
    cache_.Insert(location, metadata);
  }
  return LoadedTable{std::move(location), std::move(metadata)};
}

Result<std::string> MetastoreCatalog::DefaultTableLocation(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const Properties properties, store_->FindProperties(id.ns));
  const auto own = properties.find(kLocationProperty);
  const std::string folder = own == properties.end()
                                 ? DefaultNamespaceLocation(options_.warehouse, id.ns)
                                 : std::string(StripTrailing(own->second, '/'));
  return folder + "/" + FolderName(id.name) +
         (options_.unique_table_locations ? "-" + NewUuid() : "");
}

Status MetastoreCatalog::RequireFree(const TableIdentifier& id, PointerKind kind) {
  ASSIGN_OR_RETURN(const auto pointer, store_->Find(id));
  if (pointer && pointer->kind == kind) {
    return AlreadyExists(fmt::format("{} already exists: {}", KindName(kind), id.ToString()));
  }
  if (pointer) {
    return AlreadyExists(fmt::format("{} with same name already exists: {}",
                                     KindName(pointer->kind), id.ToString()));
  }
  if (!options_.strict_namespaces) return {};
  ASSIGN_OR_RETURN(const bool exists, NamespaceExists(id.ns));
  if (exists) return {};
  return Fail(ErrorCode::kNotFound,
              fmt::format("Cannot create {} {} in catalog {}. Namespace {} does not exist",
                          AsciiLower(KindName(kind)), id.ToString(), options_.name,
                          NamespaceToString(id.ns)),
              "NoSuchNamespaceException");
}

Status MetastoreCatalog::InsertPointer(const TableIdentifier& id, PointerKind kind,
                                       const std::string& location) {
  ASSIGN_OR_RETURN(const bool inserted, store_->Insert(id, {kind, location}));
  if (!inserted)
    return AlreadyExists(fmt::format("{} already exists: {}", KindName(kind), id.ToString()));
  return {};
}

Result<LoadedTable> MetastoreCatalog::CreateTable(const TableIdentifier& id,
                                                  spec::TableMetadata metadata) {
  RETURN_IF_ERROR(RequireFree(id, PointerKind::kTable));
  ASSIGN_OR_RETURN(const std::string location, NewMetadataLocation(metadata, 0));
  RETURN_IF_ERROR(WriteTableMetadata(files_, location, metadata));
  const Status inserted = InsertPointer(id, PointerKind::kTable, location);
  if (!inserted) {
    if (inserted.error().code == ErrorCode::kAlreadyExists) (void)files_.Delete(location);
    return Fail(inserted.error());
  }
  metadata.metadata_file_location = location;
  return LoadedTable{location, std::make_shared<const spec::TableMetadata>(std::move(metadata))};
}

Result<LoadedTable> MetastoreCatalog::CommitTable(const TableIdentifier& id,
                                                  const LoadedTable& base,
                                                  spec::TableMetadata updated) {
  LogPreviousFile(*base.metadata, base.metadata_location, updated);
  ASSIGN_OR_RETURN(const std::string location,
                   NewMetadataLocation(updated, MetadataVersion(base.metadata_location) + 1));
  RETURN_IF_ERROR(WriteTableMetadata(files_, location, updated));
  RETURN_IF_ERROR(SwapPointer(id, PointerKind::kTable, base.metadata_location, location));
  DeleteRemovedMetadataFiles(files_, *base.metadata, updated);
  updated.metadata_file_location = location;
  auto committed = std::make_shared<const spec::TableMetadata>(std::move(updated));
  cache_.Insert(location, committed);
  return LoadedTable{location, std::move(committed)};
}

Status MetastoreCatalog::SwapPointer(const TableIdentifier& id, PointerKind kind,
                                     const std::string& from, const std::string& to) {
  const auto swapped = store_->Swap(id, kind, from, to);
  if (!swapped) return ClassifyFailedSwap(id, from, to, swapped.error());
  if (*swapped) return {};
  (void)files_.Delete(to);
  ASSIGN_OR_RETURN(const std::string current, Locate(id, kind));
  return CommitFailed(fmt::format("Cannot commit {}: metadata location {} has changed from {}",
                                  id.ToString(), from, current));
}

Status MetastoreCatalog::ClassifyFailedSwap(const TableIdentifier& id, const std::string& from,
                                            const std::string& to, const Error& error) {
  const auto pointer = store_->Find(id);
  if (!pointer || !*pointer) return CommitStateUnknown(error);
  const std::string& current = (*pointer)->metadata_location;
  if (current == to) return {};
  if (current != from) return CommitStateUnknown(error);
  (void)files_.Delete(to);
  if (error.code == ErrorCode::kUnavailable) return CommitFailed(error.message);
  return Fail(error);
}

Status MetastoreCatalog::DropTable(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(const bool removed, store_->Remove(id, PointerKind::kTable));
  if (!removed) return NoSuchTable(id);
  return {};
}

Status MetastoreCatalog::Rename(const TableIdentifier& from, const TableIdentifier& to,
                                PointerKind kind) {
  RETURN_IF_ERROR(Locate(from, kind));
  if (from == to) return {};
  RETURN_IF_ERROR(RequireNamespace(to.ns));
  ASSIGN_OR_RETURN(const auto taken, store_->Find(to));
  const bool is_plain = kind == PointerKind::kTable && taken && taken->kind == PointerKind::kTable;
  if (is_plain) return TableExistsAlready(to);
  if (taken) {
    return AlreadyExists(fmt::format("Cannot rename {} to {}. {} already exists", from.ToString(),
                                     to.ToString(), KindName(taken->kind)));
  }
  ASSIGN_OR_RETURN(const bool renamed, store_->Rename(from, to, kind));
  if (renamed) return {};
  RETURN_IF_ERROR(Locate(from, kind));
  return CommitFailed(fmt::format("Cannot rename {} to {}", from.ToString(), to.ToString()));
}

Status MetastoreCatalog::RenameTable(const TableIdentifier& from, const TableIdentifier& to) {
  return Rename(from, to, PointerKind::kTable);
}

Result<LoadedTable> MetastoreCatalog::RegisterTable(const TableIdentifier& id,
                                                    const std::string& metadata_location) {
  RETURN_IF_ERROR(RequireFree(id, PointerKind::kTable));
  ASSIGN_OR_RETURN(auto metadata, ReadTableMetadata(files_, metadata_location));
  RETURN_IF_ERROR(InsertPointer(id, PointerKind::kTable, metadata_location));
  return LoadedTable{metadata_location, std::move(metadata)};
}

}  // namespace iceblink::catalog
