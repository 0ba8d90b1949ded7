// Tables but for commits and scans.
#include <fmt/format.h>

#include "base/log.h"
#include "catalog/errors.h"
#include "catalog/rest_messages.h"
#include "commit/reachable_files.h"
#include "io/sigv4.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"
#include "server/rest_signing.h"
#include "server/rest_storage.h"

namespace iceblink::server::rest_handlers {
namespace {

bool IsTrue(const std::string* text) { return text != nullptr && EqualsIgnoreCase(*text, "true"); }

std::string Etag(const std::string& location, SnapshotsMode mode) {
  constexpr size_t kDigits = 32;
  const std::string_view form = mode == SnapshotsMode::kAll ? "all" : "refs";
  return fmt::format("\"{}\"",
                     io::Sha256Hex(fmt::format("{}\n{}", location, form)).substr(0, kDigits));
}

// Whether an If-None-Match header names the tag, weak or strong.
bool Names(const std::string& header, const std::string& tag) {
  for (std::string_view part : SplitTrimmed(header, ',')) {
    if (part.starts_with("W/")) part.remove_prefix(2);
    if (part == tag || part == "*") return true;
  }
  return false;
}

Result<SnapshotsMode> ModeOf(const HttpRequest& request) {
  const std::string* text = request.Query("snapshots");
  if (text == nullptr || EqualsIgnoreCase(*text, "all")) return SnapshotsMode::kAll;
  if (EqualsIgnoreCase(*text, "refs")) return SnapshotsMode::kRefs;
  return BadRequest("Invalid snapshots mode: " + *text);
}

// Below the client's own base URI.
std::string SignPath(const RestCall& call) {
  const std::string& prefix = call.request.Parameter("prefix");
  return fmt::format("v1/{}namespaces/{}/tables/{}/sign",
                     prefix.empty() ? "" : io::PercentEncode(prefix) + "/",
                     io::PercentEncode(Join(call.ns(), "\x1f")), io::PercentEncode(call.id.name));
}

// Of the table that call.id names.
catalog::rest::LoadTableResult ResultOf(const RestCall& call, const catalog::LoadedTable& table) {
  catalog::rest::LoadTableResult result;
  result.metadata_location = table.metadata_location;
  result.metadata = table.metadata;
  result.config = StorageSettings(call.catalog->properties());
  const std::string* delegation = call.request.Header("x-iceberg-access-delegation");
  result.credentials =
      VendedCredentials(call.catalog->properties(), table.metadata->location, delegation);
  // Nothing is signed for a table that is not there yet.
  if (result.credentials.empty() && !table.metadata_location.empty())
    result.config.merge(SigningSettings(call.catalog->properties(), SignPath(call), delegation));
  return result;
}

HttpResponse AnswerTable(RestCall& call, const catalog::LoadedTable& table, SnapshotsMode mode) {
  const MetadataTexts::Text text = call.server.texts.Get(table, mode);
  HttpResponse response =
      HttpResponse::Json(catalog::rest::LoadTableResultText(ResultOf(call, table), *text));
  response.headers.emplace_back("ETag", Etag(table.metadata_location, mode));
  return response;
}

Status CheckName(const std::string& name) {
  const bool sound = !name.empty() && name.find('\0') == std::string::npos &&
                     name.find('\x1f') == std::string::npos;
  if (!sound) return BadRequest("Invalid table name: " + (name.empty() ? "(empty)" : name));
  return {};
}

// Error: AlreadyExistsException where a table or a view has the name.
Status RequireFree(const RestCall& call, const catalog::TableIdentifier& id) {
  ASSIGN_OR_RETURN(const bool is_table, call.catalog->TableExists(id));
  if (is_table) return catalog::TableExistsAlready(id);
  if (catalog::ViewCatalog* views = call.catalog->views()) {
    ASSIGN_OR_RETURN(const bool is_view, views->ViewExists(id));
    if (is_view)
      return catalog::AlreadyExists("View with same name already exists: " + id.ToString());
  }
  return {};
}

// Clients that write to local disks may expect the folders of a table: DuckDB makes none.
void MakeLocalFolders(const RestCall& call, const std::string& location) {
  const bool is_local = location.starts_with("file:") || location.find("://") == std::string::npos;
  if (!is_local) return;
  for (const char* folder : {"metadata", "data"})
    (void)call.catalog->file_system().CreateDirectory(io::JoinPath(location, folder));
}

Result<spec::TableMetadata> Stage(RestCall& call, const catalog::TableIdentifier& id,
                                  catalog::rest::CreateTableRequest request) {
  spec::NewTable table;
  table.schema = std::move(request.schema);
  if (request.spec) table.spec = std::move(*request.spec);
  if (request.order) table.sort_order = std::move(*request.order);
  table.location = std::string(StripTrailing(request.location.value_or(""), '/'));
  table.properties = std::move(request.properties);
  return call.catalog->StageTable(id, std::move(table), call.now_ms());
}

}  // namespace

Result<HttpResponse> ListTables(RestCall& call) {
  RETURN_IF_ERROR(RequireNamespace(call, call.ns()));
  ASSIGN_OR_RETURN(auto all, call.catalog->ListTables(call.ns()));
  ASSIGN_OR_RETURN(auto page,
                   CutPage(call.request, std::move(all),
                           [](const auto& id) -> const std::string& { return id.name; }));
  return Answer(
      catalog::rest::ListTablesResponse{std::move(page.elements), std::move(page.next_token)});
}

Result<HttpResponse> CreateTable(RestCall& call) {
  ASSIGN_OR_RETURN(auto request, ReadBody(call, catalog::rest::CreateTableRequestFromJson));
  RETURN_IF_ERROR(CheckName(request.name));
  if (request.stage_create && !call.server.options.supports_stage_create)
    return BadRequest("Staging the creation of a table is not supported");
  const catalog::TableIdentifier& id = call.id;
  call.id.name = request.name;
  RETURN_IF_ERROR(RequireNamespace(call, id.ns));
  RETURN_IF_ERROR(RequireFree(call, id));
  const bool stage = request.stage_create;
  ASSIGN_OR_RETURN(spec::TableMetadata metadata, Stage(call, id, std::move(request)));
  MakeLocalFolders(call, metadata.location);
  if (stage) {
    const catalog::LoadedTable staged{
        {}, std::make_shared<const spec::TableMetadata>(std::move(metadata))};
    return Answer(ResultOf(call, staged));
  }
  ASSIGN_OR_RETURN(const auto table, call.catalog->CreateTable(id, std::move(metadata)));
  return AnswerTable(call, table, SnapshotsMode::kAll);
}

Result<HttpResponse> RegisterTable(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::RegisterRequestFromJson));
  RETURN_IF_ERROR(CheckName(request.name));
  const catalog::TableIdentifier& id = call.id;
  call.id.name = request.name;
  RETURN_IF_ERROR(RequireNamespace(call, id.ns));
  ASSIGN_OR_RETURN(const bool exists, call.catalog->TableExists(id));
  if (!exists || !request.overwrite) {
    RETURN_IF_ERROR(RequireFree(call, id));
    ASSIGN_OR_RETURN(const auto table, call.catalog->RegisterTable(id, request.metadata_location));
    return AnswerTable(call, table, SnapshotsMode::kAll);
  }
  // The old registration goes, and comes back when the new one fails.
  ASSIGN_OR_RETURN(const auto old, call.catalog->LoadTable(id));
  RETURN_IF_ERROR(call.catalog->DropTable(id));
  const auto table = call.catalog->RegisterTable(id, request.metadata_location);
  if (table) return AnswerTable(call, *table, SnapshotsMode::kAll);
  const auto restored = call.catalog->RegisterTable(id, old.metadata_location);
  if (!restored)
    LogError(fmt::format("{} is no longer registered: {}", id.ToString(), old.metadata_location));
  return Fail(table.error());
}

Result<HttpResponse> LoadTable(RestCall& call) {
  ASSIGN_OR_RETURN(const SnapshotsMode mode, ModeOf(call.request));
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  const std::string* seen = call.request.Header("if-none-match");
  const std::string tag = Etag(table.metadata_location, mode);
  if (seen != nullptr && Names(*seen, tag)) {
    HttpResponse unchanged = HttpResponse::Empty(304);
    unchanged.headers.emplace_back("ETag", tag);
    return unchanged;
  }
  return AnswerTable(call, table, mode);
}

HttpResponse AnswerCommit(RestCall& call, const catalog::LoadedTable& table) {
  return AnswerTable(call, table, SnapshotsMode::kAll);
}

Result<HttpResponse> TableExists(RestCall& call) {
  ASSIGN_OR_RETURN(const bool exists, call.catalog->TableExists(call.id));
  if (!exists) return catalog::NoSuchTable(call.id);
  return HttpResponse::Empty();
}

Result<HttpResponse> DropTable(RestCall& call) {
  if (!IsTrue(call.request.Query("purgeRequested"))) {
    if (!call.server.options.supports_drop_without_purge)
      return BadRequest("Dropping a table without purge is not supported");
    RETURN_IF_ERROR(call.catalog->DropTable(call.id));
    return HttpResponse::Empty();
  }
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  RETURN_IF_ERROR(commit::CheckGcEnabled(*table.metadata, "purge table"));
  ASSIGN_OR_RETURN(const bool purged, call.catalog->DropAndPurgeTable(call.id));
  if (!purged) RETURN_IF_ERROR(commit::PurgeTable(call.catalog->file_system(), *table.metadata));
  return HttpResponse::Empty();
}

Result<HttpResponse> UnregisterTable(RestCall& call) {
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  RETURN_IF_ERROR(call.catalog->DropTable(call.id));
  catalog::rest::LoadTableResult result;
  result.metadata_location = table.metadata_location;
  result.metadata = table.metadata;
  return HttpResponse::Json(DumpJson(CommitTableResponseToJson(result)));
}

Result<HttpResponse> RenameTable(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::RenameRequestFromJson));
  RETURN_IF_ERROR(CheckName(request.destination.name));
  RETURN_IF_ERROR(call.Require(Privilege::kManage, request.source.ns));
  RETURN_IF_ERROR(call.Require(Privilege::kManage, request.destination.ns));
  RETURN_IF_ERROR(call.catalog->RenameTable(request.source, request.destination));
  return HttpResponse::Empty();
}

Result<HttpResponse> LoadCredentials(RestCall& call) {
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  const std::string asked = "vended-credentials";
  return Answer(catalog::rest::LoadCredentialsResponse{
      VendedCredentials(call.catalog->properties(), table.metadata->location, &asked)});
}

Result<HttpResponse> ReportMetrics(RestCall& call) {
  ASSIGN_OR_RETURN(const std::string type, ReadBody(call, [](const Json& json) {
                     return json::GetString(json, "report-type");
                   }));
  if (type != "scan-report" && type != "commit-report")
    return BadRequest("Invalid report type: " + type);
  ASSIGN_OR_RETURN(const bool exists, call.catalog->TableExists(call.id));
  if (!exists) return catalog::NoSuchTable(call.id);
  call.server.metrics.Count("iceblink_reports_total", {{"type", type}});
  return HttpResponse::Empty();
}

}  // namespace iceblink::server::rest_handlers
