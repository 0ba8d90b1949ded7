// The table of endpoints, in the order of the OpenAPI document.
#include "server/rest_handlers.h"

namespace iceblink::server {

const std::vector<RestEndpoint>& RestEndpoints() {
  using namespace rest_handlers;
  using enum Privilege;
#define NAMESPACES "/v1/{prefix}/namespaces"
#define NAMESPACE NAMESPACES "/{namespace}"
#define TABLE NAMESPACE "/tables/{table}"
#define VIEW NAMESPACE "/views/{view}"
  static const std::vector<RestEndpoint> kEndpoints = {
      {"GET", "/v1/config", GetConfig, kNone, false, false},
      {"POST", "/v1/oauth/tokens", GetToken, kNone, false, false},
      {"GET", NAMESPACES, ListNamespaces},
      {"POST", NAMESPACES, CreateNamespace, kNone, true},
      {"GET", NAMESPACE, LoadNamespace, kRead},
      {"HEAD", NAMESPACE, NamespaceExists, kRead},
      {"DELETE", NAMESPACE, DropNamespace, kManage, true},
      {"POST", NAMESPACE "/properties", UpdateProperties, kManage, true},
      {"GET", NAMESPACE "/tables", ListTables, kRead},
      {"POST", NAMESPACE "/tables", CreateTable, kManage, true},
      {"GET", NAMESPACE "/functions", ListFunctions, kRead},
      {"GET", NAMESPACE "/functions/{function}", LoadFunction, kRead},
      {"POST", TABLE "/plan", PlanTableScan, kRead, true},
      {"GET", TABLE "/plan/{plan-id}", FetchPlanningResult, kRead},
      {"DELETE", TABLE "/plan/{plan-id}", CancelPlanning, kRead, true},
      {"POST", TABLE "/tasks", FetchScanTasks, kRead, true},
      {"POST", NAMESPACE "/register", RegisterTable, kManage, true},
      {"GET", TABLE, LoadTable, kRead},
      {"POST", TABLE, UpdateTable, kWrite, true},
      {"DELETE", TABLE, DropTable, kManage, true},
      {"HEAD", TABLE, TableExists, kRead},
      {"POST", TABLE "/unregister", UnregisterTable, kManage, true},
      {"GET", TABLE "/credentials", LoadCredentials, kRead},
      {"POST", TABLE "/sign", SignRequest, kRead},
      {"POST", "/v1/{prefix}/tables/rename", RenameTable, kNone, true},
      {"POST", TABLE "/metrics", ReportMetrics, kRead},
      {"POST", "/v1/{prefix}/transactions/commit", CommitTransaction, kNone, true},
      {"GET", NAMESPACE "/views", ListViews, kRead},
      {"POST", NAMESPACE "/views", CreateView, kManage, true},
      {"GET", VIEW, LoadView, kRead},
      {"POST", VIEW, ReplaceView, kWrite, true},
      {"DELETE", VIEW, DropView, kManage, true},
      {"HEAD", VIEW, ViewExists, kRead},
      {"POST", "/v1/{prefix}/views/rename", RenameView, kNone, true},
      {"POST", NAMESPACE "/register-view", RegisterView, kManage, true},
  };
#undef NAMESPACES
#undef NAMESPACE
#undef TABLE
#undef VIEW
  return kEndpoints;
}

}  // namespace iceblink::server
