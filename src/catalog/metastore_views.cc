// The views of MetastoreCatalog.
#include <fmt/format.h>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/errors.h"
#include "catalog/metadata_file.h"
#include "catalog/metastore_catalog.h"
#include "spec/view_metadata.h"

namespace iceblink::catalog {
namespace {

std::string PropertyOf(const spec::ViewMetadata& metadata, const std::string& key) {
  const auto it = metadata.properties.find(key);
  return it == metadata.properties.end() ? std::string() : it->second;
}

LoadedView Loaded(std::string location, spec::ViewMetadata metadata) {
  metadata.metadata_file_location = location;
  return LoadedView{std::move(location),
                    std::make_shared<const spec::ViewMetadata>(std::move(metadata))};
}

}  // namespace

Status MetastoreCatalog::RequireViews() const {
  if (options_.supports_views) return {};
  return NotSupported(
      "JDBC catalog is initialized without view support. To auto-migrate the database's schema and "
      "enable view support, "
      "set jdbc.schema-version=V1");
}

Result<std::vector<TableIdentifier>> MetastoreCatalog::ListViews(const Namespace& ns) {
  RETURN_IF_ERROR(RequireViews());
  return List(ns, PointerKind::kView);
}

Result<bool> MetastoreCatalog::ViewExists(const TableIdentifier& id) {
  return Has(id, PointerKind::kView);
}

Result<LoadedView> MetastoreCatalog::LoadView(const TableIdentifier& id) {
  ASSIGN_OR_RETURN(std::string location, Locate(id, PointerKind::kView));
  ASSIGN_OR_RETURN(const std::string text, ReadMetadataText(files_, location));
  ASSIGN_OR_RETURN(spec::ViewMetadata metadata, spec::ParseViewMetadata(text, location));
  return Loaded(std::move(location), std::move(metadata));
}

Result<std::string> MetastoreCatalog::WriteViewFile(const spec::ViewMetadata& metadata,
                                                    int32_t version) {
  ASSIGN_OR_RETURN(const std::string extension,
                   MetadataExtension(PropertyOf(metadata, "write.metadata.compression-codec")));
  const std::string own = PropertyOf(metadata, "write.metadata.path");
  const std::string folder = own.empty() ? io::JoinPath(metadata.location, "metadata") : own;
  std::string location =
      io::JoinPath(folder, fmt::format("{:05}-{}{}", version, NewUuid(), extension));
  RETURN_IF_ERROR(WriteMetadataText(files_, location, spec::SerializeViewMetadata(metadata)));
  return location;
}

Result<LoadedView> MetastoreCatalog::CreateView(const TableIdentifier& id,
                                                const spec::ViewMetadata& metadata) {
  RETURN_IF_ERROR(RequireViews());
  RETURN_IF_ERROR(RequireFree(id, PointerKind::kView));
  ASSIGN_OR_RETURN(const std::string location, WriteViewFile(metadata, 0));
  const Status inserted = InsertPointer(id, PointerKind::kView, location);
  if (!inserted) {
    if (inserted.error().code == ErrorCode::kAlreadyExists) (void)files_.Delete(location);
    return Fail(inserted.error());
  }
  return Loaded(location, metadata);
}

Result<LoadedView> MetastoreCatalog::ReplaceView(const TableIdentifier& id, const LoadedView& base,
                                                 const spec::ViewMetadata& updated) {
  RETURN_IF_ERROR(RequireViews());
  ASSIGN_OR_RETURN(const std::string location,
                   WriteViewFile(updated, MetadataVersion(base.metadata_location) + 1));
  RETURN_IF_ERROR(SwapPointer(id, PointerKind::kView, base.metadata_location, location));
  return Loaded(location, updated);
}

Status MetastoreCatalog::DropView(const TableIdentifier& id) {
  RETURN_IF_ERROR(RequireViews());
  ASSIGN_OR_RETURN(const bool removed, store_->Remove(id, PointerKind::kView));
  if (!removed) return NoSuchView(id);  // its files stay, as a table's do: it can be registered
  return {};
}

Status MetastoreCatalog::RenameView(const TableIdentifier& from, const TableIdentifier& to) {
  RETURN_IF_ERROR(RequireViews());
  return Rename(from, to, PointerKind::kView);
}

}  // namespace iceblink::catalog
