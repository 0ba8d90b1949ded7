// Namespaces, and the functions that no catalog here keeps.
#include <fmt/format.h>

#include <set>

#include "catalog/errors.h"
#include "catalog/rest_messages.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"

namespace iceblink::server::rest_handlers {
namespace {

std::string Key(const catalog::Namespace& ns) { return Join(ns, "\x1f"); }

Status CheckLevels(const catalog::Namespace& ns) {
  if (ns.empty()) return BadRequest("Invalid namespace: (empty)");
  for (const std::string& level : ns) {
    if (level.empty() || level.find('\x1f') != std::string::npos ||
        level.find('\0') != std::string::npos)
      return BadRequest(fmt::format("Invalid namespace: {}", catalog::NamespaceToString(ns)));
  }
  return {};
}

}  // namespace

Status RequireNamespace(const RestCall& call, const catalog::Namespace& ns) {
  ASSIGN_OR_RETURN(const bool exists, call.catalog->NamespaceExists(ns));
  if (!exists) return catalog::NoSuchNamespace(ns);
  return {};
}

Result<HttpResponse> ListNamespaces(RestCall& call) {
  catalog::Namespace parent;
  if (const std::string* text = call.request.Query("parent"); text != nullptr && !text->empty())
    parent = Split(*text, '\x1f');
  ASSIGN_OR_RETURN(auto all, call.catalog->ListNamespaces(parent));
  if (const auto& principals = call.server.options.principals) {
    std::erase_if(all, [&](const catalog::Namespace& ns) {
      return !principals->CanSee(call.request.principal, ns);
    });
  }
  ASSIGN_OR_RETURN(auto page, CutPage(call.request, std::move(all), Key));
  return Answer(
      catalog::rest::ListNamespacesResponse{std::move(page.elements), std::move(page.next_token)});
}

Result<HttpResponse> CreateNamespace(RestCall& call) {
  ASSIGN_OR_RETURN(catalog::rest::NamespaceMessage message,
                   ReadBody(call, catalog::rest::NamespaceMessageFromJson));
  RETURN_IF_ERROR(CheckLevels(message.ns));
  RETURN_IF_ERROR(call.Require(Privilege::kManage, message.ns));
  RETURN_IF_ERROR(call.catalog->CreateNamespace(message.ns, message.properties));
  ASSIGN_OR_RETURN(message.properties, call.catalog->LoadNamespace(message.ns));
  return Answer(message);
}

Result<HttpResponse> LoadNamespace(RestCall& call) {
  catalog::rest::NamespaceMessage message{call.ns(), {}};
  ASSIGN_OR_RETURN(message.properties, call.catalog->LoadNamespace(call.ns()));
  return Answer(message);
}

Result<HttpResponse> NamespaceExists(RestCall& call) {
  RETURN_IF_ERROR(RequireNamespace(call, call.ns()));
  return HttpResponse::Empty();
}

Result<HttpResponse> DropNamespace(RestCall& call) {
  RETURN_IF_ERROR(call.catalog->DropNamespace(call.ns()));
  return HttpResponse::Empty();
}

Result<HttpResponse> UpdateProperties(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ReadBody(call, catalog::rest::UpdatePropertiesRequestFromJson));
  std::set<std::string> both;
  const std::set<std::string> removals(request.removals.begin(), request.removals.end());
  for (const std::string& key : removals) {
    if (request.updates.contains(key)) both.insert(key);
  }
  if (!both.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid namespace update, cannot simultaneously set and remove keys: "
                            "[{}]",
                            Join(both, ", ")),
                "UnprocessableEntityException");
  }
  ASSIGN_OR_RETURN(const auto before, call.catalog->LoadNamespace(call.ns()));
  if (!request.updates.empty())
    RETURN_IF_ERROR(call.catalog->SetNamespaceProperties(call.ns(), request.updates));
  if (!removals.empty())
    RETURN_IF_ERROR(
        call.catalog->RemoveNamespaceProperties(call.ns(), {removals.begin(), removals.end()}));
  catalog::rest::UpdatePropertiesResponse response;
  for (const auto& [key, value] : request.updates) response.updated.push_back(key);
  for (const std::string& key : removals)
    (before.contains(key) ? response.removed : response.missing).push_back(key);
  return Answer(response);
}

Result<HttpResponse> ListFunctions(RestCall& call) {
  RETURN_IF_ERROR(RequireNamespace(call, call.ns()));
  return Answer(catalog::rest::ListTablesResponse{});
}

Result<HttpResponse> LoadFunction(RestCall& call) {
  RETURN_IF_ERROR(RequireNamespace(call, call.ns()));
  return Fail(ErrorCode::kNotFound,
              fmt::format("Function does not exist: {}.{}", catalog::NamespaceToString(call.ns()),
                          call.request.Parameter("function")),
              "NoSuchFunctionException");
}

}  // namespace iceblink::server::rest_handlers
