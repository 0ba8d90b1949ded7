// RestCatalog: views.
#include <nlohmann/json.hpp>

#include "catalog/errors.h"
#include "catalog/rest_catalog.h"

namespace iceblink::catalog::rest {
namespace {

LoadedView Loaded(LoadViewResult result) {
  return LoadedView{std::move(result.metadata_location), std::move(result.metadata)};
}

spec::ViewSetProperties ChangedProperties(const spec::ViewMetadata& from,
                                          const spec::ViewMetadata& to) {
  spec::ViewSetProperties set;
  for (const auto& [key, value] : to.properties) {
    const auto old = from.properties.find(key);
    if (old == from.properties.end() || old->second != value) set.updates[key] = value;
  }
  return set;
}

// The updates that make the current version of `to` that of a view at `from`.
std::vector<spec::ViewUpdate> VersionUpdates(const spec::ViewMetadata& from,
                                             const spec::ViewMetadata& to) {
  if (to.current_version_id == from.current_version_id) return {};
  if (from.VersionById(to.current_version_id) != nullptr)
    return {spec::update::SetCurrentViewVersion{to.current_version_id}};
  std::vector<spec::ViewUpdate> updates;
  spec::ViewVersion version = to.version();
  if (from.SchemaById(version.schema_id) == nullptr) {
    updates.push_back(spec::ViewAddSchema{to.schema()});
    version.schema_id = spec::update::kLastAdded;
  }
  updates.push_back(spec::update::AddViewVersion{std::move(version)});
  updates.push_back(spec::update::SetCurrentViewVersion{});
  return updates;
}

std::vector<spec::ViewUpdate> UpdatesBetween(const spec::ViewMetadata& from,
                                             const spec::ViewMetadata& to) {
  std::vector<spec::ViewUpdate> updates = VersionUpdates(from, to);
  if (to.location != from.location) updates.push_back(spec::ViewSetLocation{to.location});
  spec::ViewSetProperties set = ChangedProperties(from, to);
  if (!set.updates.empty()) updates.push_back(std::move(set));
  spec::ViewRemoveProperties removed;
  for (const auto& [key, value] : from.properties) {
    if (!to.properties.contains(key)) removed.removals.push_back(key);
  }
  if (!removed.removals.empty()) updates.push_back(std::move(removed));
  return updates;
}

}  // namespace

Result<std::vector<TableIdentifier>> RestCatalog::ListViews(const Namespace& ns) {
  RETURN_IF_ERROR(Require(Endpoint::kListViews));
  RETURN_IF_ERROR(RequireNamespaceName(ns));
  return ListIdentifiers(Subject::kNamespace, NamespacePath(ns, "/views"));
}

Result<bool> RestCatalog::ViewExists(const TableIdentifier& id) {
  if (id.ns.empty()) return false;
  return Exists(Subject::kView, ViewPath(id), Endpoint::kViewExists);
}

Result<LoadedView> RestCatalog::LoadView(const TableIdentifier& id) {
  RETURN_IF_ERROR(Require(Endpoint::kLoadView));
  RETURN_IF_ERROR(RequireViewName(id));
  ASSIGN_OR_RETURN(const Json json,
                   client_->SendForJson({.subject = Subject::kView, .path = ViewPath(id)}));
  ASSIGN_OR_RETURN(LoadViewResult result, LoadViewResultFromJson(json));
  return Loaded(std::move(result));
}

Result<LoadedView> RestCatalog::CreateView(const TableIdentifier& id,
                                           const spec::ViewMetadata& metadata) {
  RETURN_IF_ERROR(Require(Endpoint::kCreateView));
  RETURN_IF_ERROR(RequireViewName(id));
  CreateViewRequest request{id.name, std::nullopt, metadata.schema(), metadata.version(),
                            metadata.properties};
  if (!metadata.location.empty()) request.location = metadata.location;
  ASSIGN_OR_RETURN(const Json json, client_->SendForJson({Subject::kView,
                                                          "POST",
                                                          NamespacePath(id.ns, "/views"),
                                                          {},
                                                          DumpJson(ToJson(request)),
                                                          {}}));
  ASSIGN_OR_RETURN(LoadViewResult result, LoadViewResultFromJson(json));
  return Loaded(std::move(result));
}

Result<LoadedView> RestCatalog::ReplaceView(const TableIdentifier& id, const LoadedView& base,
                                            const spec::ViewMetadata& updated) {
  RETURN_IF_ERROR(Require(Endpoint::kReplaceView));
  CommitViewRequest request{id, base.metadata->uuid, UpdatesBetween(*base.metadata, updated)};
  if (request.updates.empty()) return base;
  ASSIGN_OR_RETURN(
      const Json json,
      client_->SendForJson(
          {Subject::kViewCommit, "POST", ViewPath(id), {}, DumpJson(ToJson(request)), {}}));
  auto result = LoadViewResultFromJson(json);
  if (!result) return CommitStateUnknown(result.error());
  return Loaded(std::move(*result));
}

Status RestCatalog::DropView(const TableIdentifier& id) {
  RETURN_IF_ERROR(Require(Endpoint::kDropView));
  RETURN_IF_ERROR(RequireViewName(id));
  return Delete(Subject::kView, ViewPath(id));
}

Status RestCatalog::RenameView(const TableIdentifier& from, const TableIdentifier& to) {
  RETURN_IF_ERROR(Require(Endpoint::kRenameView));
  return Post(Subject::kView, Path("views/rename"), ToJson(RenameRequest{from, to}));
}

}  // namespace iceblink::catalog::rest
