#include "catalog/rest_endpoints.h"

#include <algorithm>

namespace iceblink::catalog::rest {
namespace {

enum class Since : uint8_t { kFirst, kViews, kLater };

struct Row {
  Endpoint endpoint;
  const char* method;
  const char* path;  // below /v1/{prefix}
  Since since;
};

constexpr Row kRows[] = {
    {Endpoint::kListNamespaces, "GET", "/namespaces", Since::kFirst},
    {Endpoint::kCreateNamespace, "POST", "/namespaces", Since::kFirst},
    {Endpoint::kLoadNamespace, "GET", "/namespaces/{namespace}", Since::kFirst},
    {Endpoint::kNamespaceExists, "HEAD", "/namespaces/{namespace}", Since::kLater},
    {Endpoint::kDropNamespace, "DELETE", "/namespaces/{namespace}", Since::kFirst},
    {Endpoint::kUpdateProperties, "POST", "/namespaces/{namespace}/properties", Since::kFirst},
    {Endpoint::kListTables, "GET", "/namespaces/{namespace}/tables", Since::kFirst},
    {Endpoint::kCreateTable, "POST", "/namespaces/{namespace}/tables", Since::kFirst},
    {Endpoint::kLoadTable, "GET", "/namespaces/{namespace}/tables/{table}", Since::kFirst},
    {Endpoint::kTableExists, "HEAD", "/namespaces/{namespace}/tables/{table}", Since::kLater},
    {Endpoint::kUpdateTable, "POST", "/namespaces/{namespace}/tables/{table}", Since::kFirst},
    {Endpoint::kDropTable, "DELETE", "/namespaces/{namespace}/tables/{table}", Since::kFirst},
    {Endpoint::kRegisterTable, "POST", "/namespaces/{namespace}/register", Since::kFirst},
    {Endpoint::kRenameTable, "POST", "/tables/rename", Since::kFirst},
    {Endpoint::kLoadCredentials, "GET", "/namespaces/{namespace}/tables/{table}/credentials",
     Since::kLater},
    {Endpoint::kCommitTransaction, "POST", "/transactions/commit", Since::kFirst},
    {Endpoint::kListViews, "GET", "/namespaces/{namespace}/views", Since::kViews},
    {Endpoint::kLoadView, "GET", "/namespaces/{namespace}/views/{view}", Since::kViews},
    {Endpoint::kViewExists, "HEAD", "/namespaces/{namespace}/views/{view}", Since::kLater},
    {Endpoint::kCreateView, "POST", "/namespaces/{namespace}/views", Since::kViews},
    {Endpoint::kReplaceView, "POST", "/namespaces/{namespace}/views/{view}", Since::kViews},
    {Endpoint::kDropView, "DELETE", "/namespaces/{namespace}/views/{view}", Since::kViews},
    {Endpoint::kRenameView, "POST", "/views/rename", Since::kViews},
};

std::string NameOf(const Row& row) { return std::string(row.method) + " /v1/{prefix}" + row.path; }

}  // namespace

std::string EndpointName(Endpoint endpoint) {
  for (const Row& row : kRows) {
    if (row.endpoint == endpoint) return NameOf(row);
  }
  return {};
}

Endpoints::Endpoints(const std::optional<std::vector<std::string>>& listed, bool views) {
  for (const Row& row : kRows) {
    const bool has = listed
                         ? std::find(listed->begin(), listed->end(), NameOf(row)) != listed->end()
                         : row.since == Since::kFirst || (views && row.since == Since::kViews);
    if (has) available_.insert(row.endpoint);
  }
}

}  // namespace iceblink::catalog::rest
