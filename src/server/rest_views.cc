// Views.
#include <fmt/format.h>

#include "base/uuid.h"
#include "catalog/errors.h"
#include "catalog/metadata_file.h"
#include "catalog/rest_messages.h"
#include "commit/retry.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"
#include "spec/view_metadata.h"

namespace iceblink::server::rest_handlers {
namespace {

Result<catalog::ViewCatalog*> ViewsOf(const RestCall& call) {
  catalog::ViewCatalog* views = call.catalog->views();
  if (views == nullptr)
    return catalog::NotSupported(fmt::format("Catalog {} keeps no views", call.catalog->name()));
  return views;
}

HttpResponse AnswerView(const catalog::LoadedView& view) {
  return Answer(catalog::rest::LoadViewResult{view.metadata_location, view.metadata, {}});
}

// Error: AlreadyExistsException where a view or a table has the name.
Status RequireFree(const RestCall& call, catalog::ViewCatalog& views,
                   const catalog::TableIdentifier& id) {
  ASSIGN_OR_RETURN(const bool is_view, views.ViewExists(id));
  if (is_view) return catalog::AlreadyExists("View already exists: " + id.ToString());
  ASSIGN_OR_RETURN(const bool is_table, call.catalog->TableExists(id));
  if (is_table)
    return catalog::AlreadyExists("Table with same name already exists: " + id.ToString());
  return {};
}

Result<catalog::LoadedView> Replace(RestCall& call, catalog::ViewCatalog& views,
                                    const catalog::rest::CommitViewRequest& request,
                                    bool& is_final) {
  ASSIGN_OR_RETURN(const catalog::LoadedView base, views.LoadView(call.id));
  if (request.required_uuid && !EqualsIgnoreCase(*request.required_uuid, base.metadata->uuid)) {
    is_final = true;
    return catalog::CommitFailed(
        fmt::format("Requirement failed: view UUID does not match: expected {} != {}",
                    base.metadata->uuid, *request.required_uuid));
  }
  auto updated = spec::ApplyViewUpdates(base.metadata.get(), request.updates, call.now_ms());
  if (!updated) {
    is_final = true;
    return Fail(updated.error());
  }
  if (*updated == *base.metadata) return base;
  return views.ReplaceView(call.id, base, *updated);
}

}  // namespace

Result<HttpResponse> ListViews(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  RETURN_IF_ERROR(RequireNamespace(call, call.ns()));
  ASSIGN_OR_RETURN(auto all, views->ListViews(call.ns()));
  ASSIGN_OR_RETURN(auto page,
                   CutPage(call.request, std::move(all),
                           [](const auto& id) -> const std::string& { return id.name; }));
  return Answer(
      catalog::rest::ListTablesResponse{std::move(page.elements), std::move(page.next_token)});
}

Result<HttpResponse> CreateView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(auto request, ReadBody(call, catalog::rest::CreateViewRequestFromJson));
  if (request.name.empty()) return BadRequest("Invalid view name: (empty)");
  const catalog::TableIdentifier id{call.ns(), request.name};
  RETURN_IF_ERROR(RequireNamespace(call, id.ns));
  RETURN_IF_ERROR(RequireFree(call, *views, id));
  std::string location(StripTrailing(request.location.value_or(""), '/'));
  if (location.empty()) {
    ASSIGN_OR_RETURN(location, call.catalog->DefaultTableLocation(id));
  }
  request.version.schema_id = spec::update::kLastAdded;
  const std::vector<spec::ViewUpdate> updates = {
      spec::ViewAssignUuid{NewUuid()},
      spec::ViewSetLocation{std::move(location)},
      spec::ViewAddSchema{std::move(request.schema)},
      spec::update::AddViewVersion{std::move(request.version)},
      spec::update::SetCurrentViewVersion{},
      spec::ViewSetProperties{std::move(request.properties)},
  };
  ASSIGN_OR_RETURN(const spec::ViewMetadata metadata,
                   spec::ApplyViewUpdates(nullptr, updates, call.now_ms()));
  ASSIGN_OR_RETURN(const auto view, views->CreateView(id, metadata));
  return AnswerView(view);
}

Result<HttpResponse> LoadView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(const auto view, views->LoadView(call.id));
  return AnswerView(view);
}

Result<HttpResponse> ReplaceView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::CommitViewRequestFromJson));
  commit::RetryLoop loop({}, *call.server.options.clock);
  while (true) {
    bool is_final = false;
    const auto view = Replace(call, *views, request, is_final);
    if (view) return AnswerView(*view);
    const bool lost = view.error().code == ErrorCode::kConflict && view.error().retryable;
    if (is_final || !lost || !loop.WaitForNext()) return Fail(view.error());
  }
}

Result<HttpResponse> DropView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  RETURN_IF_ERROR(views->DropView(call.id));
  return HttpResponse::Empty();
}

Result<HttpResponse> ViewExists(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(const bool exists, views->ViewExists(call.id));
  if (!exists) return catalog::NoSuchView(call.id);
  return HttpResponse::Empty();
}

Result<HttpResponse> RenameView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::RenameRequestFromJson));
  RETURN_IF_ERROR(call.Require(Privilege::kManage, request.source.ns));
  RETURN_IF_ERROR(call.Require(Privilege::kManage, request.destination.ns));
  RETURN_IF_ERROR(views->RenameView(request.source, request.destination));
  return HttpResponse::Empty();
}

Result<HttpResponse> RegisterView(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::ViewCatalog* const views, ViewsOf(call));
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::RegisterRequestFromJson));
  const catalog::TableIdentifier id{call.ns(), request.name};
  RETURN_IF_ERROR(RequireNamespace(call, id.ns));
  RETURN_IF_ERROR(RequireFree(call, *views, id));
  ASSIGN_OR_RETURN(const std::string text, catalog::ReadMetadataText(call.catalog->file_system(),
                                                                     request.metadata_location));
  ASSIGN_OR_RETURN(const spec::ViewMetadata metadata,
                   spec::ParseViewMetadata(text, request.metadata_location));
  ASSIGN_OR_RETURN(const auto view, views->CreateView(id, metadata));
  return AnswerView(view);
}

}  // namespace iceblink::server::rest_handlers
