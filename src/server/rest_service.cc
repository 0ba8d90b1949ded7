#include "server/rest_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "server/rest_errors.h"

namespace iceblink::server {
namespace {

constexpr std::string_view kPrefixSegment = "/{prefix}";

// The bearer token's principal; nothing to do where there are no principals.
Status Authenticate(const RestServer& server, HttpRequest& request) {
  if (server.options.before) return server.options.before(request);
  if (server.options.principals == nullptr) return {};
  const std::string* header = request.Header("authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (header == nullptr || !AsciiLower(header->substr(0, kBearer.size())).starts_with(kBearer))
    return Fail(ErrorCode::kUnauthenticated, "Not authorized: bearer token required",
                "NotAuthorizedException");
  const auto principal = server.options.tokens->Verify(
      Trim(std::string_view(*header).substr(kBearer.size())), server.options.clock->NowMillis());
  if (!principal) return Fail(principal.error());
  if (!server.options.principals->Has(*principal))
    return Fail(ErrorCode::kUnauthenticated, "Invalid token", "NotAuthorizedException");
  request.principal = *principal;
  return {};
}

Result<catalog::Namespace> NamespaceOf(const std::string& text) {
  catalog::Namespace ns = Split(text, '\x1f');
  const bool sound = std::none_of(ns.begin(), ns.end(), [](const std::string& level) {
    return level.empty() || level.find('\0') != std::string::npos || !IsValidUtf8(level);
  });
  if (!sound) return BadRequest(fmt::format("Invalid namespace: {}", Join(ns, ".")));
  return ns;
}

Result<catalog::TableIdentifier> IdentifierOf(const HttpRequest& request) {
  catalog::TableIdentifier id;
  if (const std::string& ns = request.Parameter("namespace"); !ns.empty()) {
    ASSIGN_OR_RETURN(id.ns, NamespaceOf(ns));
  }
  id.name = request.Parameter("table");
  if (id.name.empty()) id.name = request.Parameter("view");
  if (id.name.find('\0') != std::string::npos || !IsValidUtf8(id.name))
    return BadRequest(fmt::format("Invalid name: {}", id.name));
  return id;
}

// Null for the routes that name none.
Result<std::shared_ptr<catalog::Catalog>> CatalogOf(const RestServer& server,
                                                    const RestEndpoint& endpoint,
                                                    const HttpRequest& request) {
  if (endpoint.path.find(kPrefixSegment) == std::string_view::npos)
    return std::shared_ptr<catalog::Catalog>();
  return server.options.catalog_of_prefix(request.Parameter("prefix"));
}

Result<HttpResponse> Run(RestServer& server, const RestEndpoint& endpoint, HttpRequest& request) {
  ASSIGN_OR_RETURN(const auto catalog, CatalogOf(server, endpoint, request));
  ASSIGN_OR_RETURN(catalog::TableIdentifier id, IdentifierOf(request));
  RestCall call{server, request, catalog.get(), std::move(id)};
  if (endpoint.privilege != Privilege::kNone)
    RETURN_IF_ERROR(call.Require(endpoint.privilege, call.ns()));
  return endpoint.handler(call);
}

Result<HttpResponse> Handle(RestServer& server, const RestEndpoint& endpoint,
                            HttpRequest& request) {
  const std::string* key = endpoint.replays ? request.Header("idempotency-key") : nullptr;
  if (key == nullptr) return Run(server, endpoint, request);
  ASSIGN_OR_RETURN(IdempotentAnswers::Outcome outcome,
                   server.answers.Answer(request, *key, server.options.clock->NowMillis(), [&] {
                     auto response = Run(server, endpoint, request);
                     return response ? std::move(*response)
                                     : RestErrorResponse(request, response.error());
                   }));
  if (outcome.is_replay) server.metrics.Count("iceblink_idempotent_replays_total", {});
  return std::move(outcome.response);
}

HttpRoute RouteOf(const std::shared_ptr<RestServer>& server, const RestEndpoint& endpoint,
                  std::string pattern) {
  return {std::string(endpoint.method), std::move(pattern),
          [server, &endpoint](HttpRequest& request) { return Handle(*server, endpoint, request); }};
}

}  // namespace

RestServer::RestServer(RestOptions given) : options(std::move(given)), metrics(*options.metrics) {}

Status RestCall::Require(Privilege privilege, const catalog::Namespace& ns) const {
  const auto& principals = server.options.principals;
  if (principals == nullptr || principals->In(request.principal, ns) >= privilege) return {};
  return Fail(ErrorCode::kForbidden,
              fmt::format("Principal {} may not do this in namespace {}", request.principal,
                          catalog::NamespaceToString(ns)),
              "ForbiddenException");
}

std::string RestCall::Writer() const {
  constexpr size_t kMost = 48;
  if (!request.principal.empty()) return request.principal;
  const std::string* agent = request.Header("x-client-version");
  if (agent == nullptr) agent = request.Header("user-agent");
  return agent == nullptr ? "unknown" : std::string(CodePointPrefix(*agent, kMost));
}

HttpService MakeRestService(std::shared_ptr<RestServer> server) {
  HttpService service;
  for (const RestEndpoint& endpoint : RestEndpoints()) {
    const std::string path(endpoint.path);
    const std::string name = fmt::format("{} {}", endpoint.method, path);
    if (server->options.missing_endpoints.contains(name)) continue;
    service.routes.push_back(RouteOf(server, endpoint, path));
    if (path.find(kPrefixSegment) != std::string::npos)
      service.routes.push_back(RouteOf(server, endpoint, ReplaceAll(path, kPrefixSegment, "")));
  }
  service.before = [server](HttpRequest& request) -> Status {
    // Clients ask for tokens and learn where before they have one.
    const bool open = request.route.ends_with("/v1/oauth/tokens");
    return open ? Status() : Authenticate(*server, request);
  };
  service.error_response = RestErrorResponse;
  return service;
}

}  // namespace iceblink::server
