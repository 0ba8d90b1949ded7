// The handlers of the REST catalog's endpoints, by file. Each takes a call and answers it; errors
// go back as they are and are put in words by rest_errors.
#pragma once

#include "server/rest_service.h"

namespace iceblink::server::rest_handlers {

// rest_config.cc
Result<HttpResponse> GetConfig(RestCall& call);
Result<HttpResponse> GetToken(RestCall& call);

// What handlers of tables and views ask first; in rest_namespaces.cc. Error:
// NoSuchNamespaceException.
Status RequireNamespace(const RestCall& call, const catalog::Namespace& ns);

// rest_namespaces.cc
Result<HttpResponse> ListNamespaces(RestCall& call);
Result<HttpResponse> CreateNamespace(RestCall& call);
Result<HttpResponse> LoadNamespace(RestCall& call);
Result<HttpResponse> NamespaceExists(RestCall& call);
Result<HttpResponse> DropNamespace(RestCall& call);
Result<HttpResponse> UpdateProperties(RestCall& call);
Result<HttpResponse> ListFunctions(RestCall& call);
Result<HttpResponse> LoadFunction(RestCall& call);

// rest_tables.cc
Result<HttpResponse> ListTables(RestCall& call);
Result<HttpResponse> CreateTable(RestCall& call);
Result<HttpResponse> RegisterTable(RestCall& call);
Result<HttpResponse> LoadTable(RestCall& call);
Result<HttpResponse> TableExists(RestCall& call);
Result<HttpResponse> DropTable(RestCall& call);
Result<HttpResponse> UnregisterTable(RestCall& call);
Result<HttpResponse> RenameTable(RestCall& call);
Result<HttpResponse> LoadCredentials(RestCall& call);
Result<HttpResponse> ReportMetrics(RestCall& call);

// What a commit answers; in rest_tables.cc, which knows texts and ETags.
HttpResponse AnswerCommit(RestCall& call, const catalog::LoadedTable& table);

// rest_signing.cc
Result<HttpResponse> SignRequest(RestCall& call);

// rest_commits.cc
Result<HttpResponse> UpdateTable(RestCall& call);
Result<HttpResponse> CommitTransaction(RestCall& call);

// rest_scans.cc
Result<HttpResponse> PlanTableScan(RestCall& call);
Result<HttpResponse> FetchPlanningResult(RestCall& call);
Result<HttpResponse> CancelPlanning(RestCall& call);
Result<HttpResponse> FetchScanTasks(RestCall& call);

// rest_views.cc
Result<HttpResponse> ListViews(RestCall& call);
Result<HttpResponse> CreateView(RestCall& call);
Result<HttpResponse> LoadView(RestCall& call);
Result<HttpResponse> ReplaceView(RestCall& call);
Result<HttpResponse> DropView(RestCall& call);
Result<HttpResponse> ViewExists(RestCall& call);
Result<HttpResponse> RenameView(RestCall& call);
Result<HttpResponse> RegisterView(RestCall& call);

}  // namespace iceblink::server::rest_handlers
