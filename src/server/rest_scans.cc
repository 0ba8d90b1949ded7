// Server-side scan planning.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "catalog/rest_scan_messages.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"
#include "table/scan.h"

namespace iceblink::server::rest_handlers {
namespace {

using catalog::rest::PlanTableScanRequest;

constexpr size_t kTasksInPage = 1000;

std::string ScopeOf(const RestCall& call) {
  return call.catalog->name() + '\n' + Join(call.ns(), "\x1f") + '\n' + call.id.name;
}

tl::unexpected<Error> NoSuchSnapshot(int64_t id) {
  return BadRequest(fmt::format("Cannot find snapshot with ID {}", id));
}

// Ids of the named columns and of what is inside of them.
Result<std::set<int32_t>> FieldIds(const spec::Schema& schema,
                                   const std::vector<std::string>& names, bool case_sensitive) {
  std::set<int32_t> ids;
  for (const std::string& name : names) {
    const spec::NestedField* field = schema.FindField(name, case_sensitive);
    if (field == nullptr) return BadRequest("Cannot find field '" + name + "' in the schema");
    ids.insert(field->id);
  }
  return ids;
}

Result<table::ScanRequest> ScanOf(const PlanTableScanRequest& request,
                                  const spec::TableMetadataPtr& metadata) {
  table::ScanRequest scan;
  scan.metadata = metadata;
  scan.case_sensitive = request.case_sensitive;
  scan.filter = request.filter;
  scan.snapshot_id = request.end_snapshot_id ? request.end_snapshot_id : request.snapshot_id;
  if (!scan.snapshot_id) scan.snapshot_id = metadata->current_snapshot_id;
  scan.after_snapshot_id = request.start_snapshot_id;
  for (const auto& id : {scan.snapshot_id, scan.after_snapshot_id}) {
    if (id && metadata->SnapshotById(*id) == nullptr) return NoSuchSnapshot(*id);
  }
  if (request.use_snapshot_schema && scan.snapshot_id)
    scan.schema = metadata->SchemaOfSnapshot(*metadata->SnapshotById(*scan.snapshot_id));
  const spec::Schema& schema = scan.schema ? *scan.schema : metadata->schema();
  RETURN_IF_ERROR(expr::Bind(scan.filter, schema, scan.case_sensitive));
  RETURN_IF_ERROR(FieldIds(schema, request.select, request.case_sensitive));
  ASSIGN_OR_RETURN(auto stats, FieldIds(schema, request.stats_fields, request.case_sensitive));
  scan.stats = table::StatsSelection::Of(std::move(stats));
  return scan;
}

// Writes tasks as pages: members of a ScanTasks object.
class PageWriter {
 public:
  PageWriter(spec::TableMetadataPtr metadata, const ScanPlans::Sink& sink)
      : metadata_(std::move(metadata)), sink_(sink) {}

  Status Add(const table::FileScanTask& task) {
    Json json = {{"data-file", File(task.file)}};
    if (!task.deletes.empty()) {
      Json references = Json::array();
      for (const auto& file : task.deletes) references.push_back(Reference(*file));
      json["delete-file-references"] = std::move(references);
    }
    json["residual-filter"] = catalog::rest::ToJson(task.residual);
    tasks_.push_back(std::move(json));
    return tasks_.size() < kTasksInPage ? Status() : Flush();
  }

  Status Flush() {
    if (tasks_.empty()) return {};
    std::string page =
        "\"delete-files\":" + DumpJson(deletes_) + ",\"file-scan-tasks\":" + DumpJson(tasks_);
    deletes_ = Json::array();
    tasks_ = Json::array();
    by_delete_.clear();
    if (sink_(std::move(page))) return {};
    return Fail(ErrorCode::kUnavailable, "The plan was cancelled");
  }

 private:
  Json File(const spec::DataFile& file) const {
    return catalog::rest::ContentFileToJson(file, *metadata_->SpecById(file.spec_id),
                                            metadata_->schema());
  }
  // Index of the file in this page's delete files.
  size_t Reference(const table::DeleteFile& file) {
    const auto [at, is_new] = by_delete_.try_emplace(&file, by_delete_.size());
    if (is_new) deletes_.push_back(File(file.file));
    return at->second;
  }

  spec::TableMetadataPtr metadata_;
  const ScanPlans::Sink& sink_;
  Json tasks_ = Json::array();
  Json deletes_ = Json::array();
  std::map<const table::DeleteFile*, size_t> by_delete_;
};

std::string_view StatusName(ScanPlans::Status status) {
  switch (status) {
    case ScanPlans::Status::kSubmitted:
      return "submitted";
    case ScanPlans::Status::kCompleted:
      return "completed";
    case ScanPlans::Status::kFailed:
      return "failed";
    case ScanPlans::Status::kCancelled:
      return "cancelled";
  }
  return "";
}

// A planning result; `with_id` as POST has it.
HttpResponse AnswerPlan(const HttpRequest& request, const ScanPlans::Plan& plan, bool with_id) {
  std::string body = fmt::format("{{\"status\":\"{}\"", StatusName(plan.status));
  if (with_id) body += fmt::format(",\"plan-id\":\"{}\"", plan.id);
  if (plan.status == ScanPlans::Status::kFailed) {
    body += "," + RestErrorResponse(request, *plan.error).body.substr(1);
    return HttpResponse::Json(std::move(body));
  }
  if (plan.status == ScanPlans::Status::kCompleted) {
    body += "," + (plan.pages.empty() ? "\"file-scan-tasks\":[]" : plan.pages.front());
    Json tokens = Json::array();
    for (size_t page = 1; page < plan.pages.size(); ++page)
      tokens.push_back(ScanPlans::Token(plan.id, page));
    if (!tokens.empty()) body += ",\"plan-tasks\":" + DumpJson(tokens);
  }
  return HttpResponse::Json(body + "}");
}

}  // namespace

Result<HttpResponse> PlanTableScan(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request, ReadBody(call, catalog::rest::PlanTableScanRequestFromJson));
  ASSIGN_OR_RETURN(const auto table, call.catalog->LoadTable(call.id));
  ASSIGN_OR_RETURN(table::ScanRequest scan, ScanOf(request, table.metadata));
  ASSIGN_OR_RETURN(auto catalog,
                   call.server.options.catalog_of_prefix(call.request.Parameter("prefix")));
  const auto work = [catalog = std::move(catalog),
                     scan = std::move(scan)](const ScanPlans::Sink& sink) -> Status {
    const table::ReadContext context{&catalog->file_system(), nullptr};
    PageWriter writer(scan.metadata, sink);
    RETURN_IF_ERROR(table::PlanFiles(context, scan,
                                     [&](table::FileScanTask&& task) { return writer.Add(task); }));
    return writer.Flush();
  };
  const auto plan = call.server.plans.Start(ScopeOf(call), work, call.now_ms());
  return AnswerPlan(call.request, plan, true);
}

Result<HttpResponse> FetchPlanningResult(RestCall& call) {
  ASSIGN_OR_RETURN(const auto plan,
                   call.server.plans.Find(ScopeOf(call), call.request.Parameter("plan-id")));
  return AnswerPlan(call.request, plan, false);
}

Result<HttpResponse> CancelPlanning(RestCall& call) {
  RETURN_IF_ERROR(call.server.plans.Cancel(ScopeOf(call), call.request.Parameter("plan-id")));
  return HttpResponse::Empty();
}

Result<HttpResponse> FetchScanTasks(RestCall& call) {
  ASSIGN_OR_RETURN(const std::string token, ReadBody(call, [](const Json& json) {
                     return json::GetString(json, "plan-task");
                   }));
  ASSIGN_OR_RETURN(const std::string page, call.server.plans.Page(ScopeOf(call), token));
  return HttpResponse::Json("{" + page + "}");
}

}  // namespace iceblink::server::rest_handlers
