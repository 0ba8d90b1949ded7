// RestCatalog: configuration, paths, namespaces and lists.
#include "catalog/rest_catalog.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "catalog/errors.h"
#include "catalog/properties.h"

namespace iceblink::catalog::rest {
Result<std::shared_ptr<Catalog>> RestCatalog::Open(Options options) {
  ASSIGN_OR_RETURN(auto client, RestClient::Make(options.properties, *options.clock));
  std::shared_ptr<RestCatalog> catalog(new RestCatalog(std::move(options), std::move(client)));
  RETURN_IF_ERROR(catalog->Configure());
  return catalog;
}

Status RestCatalog::Configure() {
  Call call{.subject = Subject::kConfig, .path = "v1/config"};
  const std::string warehouse = Get(options_.properties, "warehouse");
  if (!warehouse.empty()) call.query.emplace_back("warehouse", warehouse);
  ASSIGN_OR_RETURN(const Json json, client_->SendForJson(call));
  ASSIGN_OR_RETURN(const ConfigResponse config, ConfigResponseFromJson(json));
  merged_ = config.defaults;
  for (const auto& [key, value] : options_.properties) merged_[key] = value;
  for (const auto& [key, value] : config.overrides) merged_[key] = value;
  endpoints_ = Endpoints(config.endpoints, IsTrue(merged_, "view-endpoints-supported"));
  prefix_ = Get(merged_, "prefix");
  if (!prefix_.empty()) prefix_ += "/";
  separator_ = Get(merged_, "namespace-separator", std::string(kNamespaceSeparator));
  if (config.idempotency_key_lifetime) client_->UseIdempotencyKeys();
  return client_->Reconfigure(merged_);
}

Status RestCatalog::Require(Endpoint endpoint) const {
  if (endpoints_.Has(endpoint)) return {};
  return NotSupported("Server does not support endpoint: " + EndpointName(endpoint));
}

Status RestCatalog::RequireTableName(const TableIdentifier& id) {
  if (!id.ns.empty()) return {};
  return Fail(ErrorCode::kNotFound, "Invalid table identifier: " + id.ToString(),
              "NoSuchTableException");
}

Status RestCatalog::RequireViewName(const TableIdentifier& id) {
  if (!id.ns.empty()) return {};
  return Fail(ErrorCode::kNotFound, "Invalid view identifier: " + id.ToString(),
              "NoSuchViewException");
}

Status RestCatalog::RequireNamespaceName(const Namespace& ns) {
  if (!ns.empty()) return {};
  return Fail(ErrorCode::kNotFound, "Invalid namespace: ", "NoSuchNamespaceException");
}

std::string RestCatalog::Path(const std::string& rest) const { return "v1/" + prefix_ + rest; }

std::string RestCatalog::NamespacePath(const Namespace& ns, const std::string& rest) const {
  return Path("namespaces/" + EncodeNamespace(ns, separator_) + rest);
}

std::string RestCatalog::TablePath(const TableIdentifier& id) const {
  return NamespacePath(id.ns, "/tables/" + EncodeSegment(id.name));
}

std::string RestCatalog::ViewPath(const TableIdentifier& id) const {
  return NamespacePath(id.ns, "/views/" + EncodeSegment(id.name));
}

Status RestCatalog::Post(Subject subject, const std::string& path, const Json& body) {
  RETURN_IF_ERROR(client_->Send({subject, "POST", path, {}, DumpJson(body), {}}));
  return {};
}

Status RestCatalog::Delete(Subject subject, const std::string& path, Query query) {
  RETURN_IF_ERROR(client_->Send({subject, "DELETE", path, std::move(query), {}, {}}));
  return {};
}

Result<bool> RestCatalog::Exists(Subject subject, const std::string& path, Endpoint head) {
  const auto answer =
      client_->Send({subject, endpoints_.Has(head) ? "HEAD" : "GET", path, {}, {}, {}});
  if (answer) return true;
  if (answer.error().code == ErrorCode::kNotFound) return false;
  return Fail(answer.error());
}

Status RestCatalog::EachPage(Call call,
                             const std::function<Result<std::optional<std::string>>(Json)>& page) {
  const std::string size = Get(merged_, "rest-page-size");
  const Query fixed = call.query;
  std::optional<std::string> token;
  if (!size.empty()) token = "";
  do {
    call.query = fixed;
    if (token) call.query.emplace_back("pageToken", *token);
    if (!size.empty()) call.query.emplace_back("pageSize", size);
    ASSIGN_OR_RETURN(Json json, client_->SendForJson(call));
    ASSIGN_OR_RETURN(token, page(std::move(json)));
  } while (token && !token->empty());
  return {};
}

Result<std::vector<Namespace>> RestCatalog::ListNamespaces(const Namespace& parent) {
  RETURN_IF_ERROR(Require(Endpoint::kListNamespaces));
  Call call{.subject = Subject::kNamespace, .path = Path("namespaces")};
  if (!parent.empty()) call.query.emplace_back("parent", NamespaceToParameter(parent, separator_));
  std::vector<Namespace> all;
  RETURN_IF_ERROR(
      EachPage(std::move(call), [&](const Json& json) -> Result<std::optional<std::string>> {
        ASSIGN_OR_RETURN(ListNamespacesResponse answer, ListNamespacesResponseFromJson(json));
        for (Namespace& ns : answer.namespaces) all.push_back(std::move(ns));
        return answer.next_page_token;
      }));
  std::sort(all.begin(), all.end());
  return all;
}

Result<bool> RestCatalog::NamespaceExists(const Namespace& ns) {
  if (ns.empty()) return true;
  return Exists(Subject::kNamespace, NamespacePath(ns), Endpoint::kNamespaceExists);
}

Result<Properties> RestCatalog::LoadNamespace(const Namespace& ns) {
  RETURN_IF_ERROR(Require(Endpoint::kLoadNamespace));
  RETURN_IF_ERROR(RequireNamespaceName(ns));
  ASSIGN_OR_RETURN(const Json json, client_->SendForJson({.subject = Subject::kNamespace,
                                                          .path = NamespacePath(ns)}));
  ASSIGN_OR_RETURN(NamespaceMessage answer, NamespaceMessageFromJson(json));
  return std::move(answer.properties);
}

Status RestCatalog::CreateNamespace(const Namespace& ns, const Properties& properties) {
  RETURN_IF_ERROR(Require(Endpoint::kCreateNamespace));
  return Post(Subject::kNamespace, Path("namespaces"), ToJson(NamespaceMessage{ns, properties}));
}

Status RestCatalog::DropNamespace(const Namespace& ns) {
  RETURN_IF_ERROR(Require(Endpoint::kDropNamespace));
  return Delete(Subject::kDropNamespace, NamespacePath(ns));
}

Status RestCatalog::SetNamespaceProperties(const Namespace& ns, const Properties& properties) {
  RETURN_IF_ERROR(Require(Endpoint::kUpdateProperties));
  return Post(Subject::kNamespace, NamespacePath(ns, "/properties"),
              ToJson(UpdatePropertiesRequest{{}, properties}));
}

Status RestCatalog::RemoveNamespaceProperties(const Namespace& ns,
                                              const std::vector<std::string>& keys) {
  RETURN_IF_ERROR(Require(Endpoint::kUpdateProperties));
  return Post(Subject::kNamespace, NamespacePath(ns, "/properties"),
              ToJson(UpdatePropertiesRequest{keys, {}}));
}

Result<std::vector<TableIdentifier>> RestCatalog::ListIdentifiers(Subject subject,
                                                                  const std::string& path) {
  std::vector<TableIdentifier> all;
  RETURN_IF_ERROR(EachPage({.subject = subject, .path = path},
                           [&](const Json& json) -> Result<std::optional<std::string>> {
                             ASSIGN_OR_RETURN(ListTablesResponse answer,
                                              ListTablesResponseFromJson(json));
                             for (TableIdentifier& id : answer.identifiers)
                               all.push_back(std::move(id));
                             return answer.next_page_token;
                           }));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace iceblink::catalog::rest
