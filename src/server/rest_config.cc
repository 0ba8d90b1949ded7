// GET /v1/config and the token endpoint.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/log.h"
#include "base/strings.h"
#include "catalog/properties.h"
#include "catalog/rest_messages.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"
#include "server/rest_storage.h"

namespace iceblink::server::rest_handlers {
namespace {

using catalog::Get;

constexpr std::string_view kAccessToken = "urn:ietf:params:oauth:token-type:access_token";
constexpr std::string_view kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

HttpResponse OAuthFailure(int status, std::string error, std::string description) {
  HttpResponse response = HttpResponse::Json(
      DumpJson(ToJson(catalog::rest::OAuthError{std::move(error), std::move(description)})),
      status);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

using Form = std::map<std::string, std::string>;

// The form's fields, and client_id and client_secret of a Basic header.
Form FormOf(const HttpRequest& request) {
  Form form;
  for (auto& [key, value] : ParseQuery(request.body)) form[key] = std::move(value);
  const std::string* header = request.Header("authorization");
  constexpr std::string_view kBasic = "basic ";
  if (header == nullptr || AsciiLower(header->substr(0, kBasic.size())) != kBasic) return form;
  const std::string pair = Base64Decode(header->substr(kBasic.size())).value_or("");
  const size_t colon = std::min(pair.find(':'), pair.size());
  form["client_id"] = FormUrlDecode(pair.substr(0, colon));
  form["client_secret"] = FormUrlDecode(pair.substr(std::min(colon + 1, pair.size())));
  return form;
}

HttpResponse Granted(const RestCall& call, const Form& form, const std::string& principal) {
  catalog::rest::OAuthTokenResponse token;
  token.access_token = call.server.options.tokens->Issue(principal, call.now_ms());
  token.expires_in = TokenIssuer::kLifetimeSeconds;
  token.issued_token_type = kAccessToken;
  token.scope = Get(form, "scope").empty() ? "catalog" : Get(form, "scope");
  HttpResponse response = Answer(token);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

// A client's own credentials.
HttpResponse GrantToClient(const RestCall& call, const Form& form) {
  const auto principal = call.server.options.principals->Authenticate(Get(form, "client_id"),
                                                                      Get(form, "client_secret"));
  if (!principal) return OAuthFailure(401, "invalid_client", principal.error().message);
  return Granted(call, form, *principal);
}

// A token of ours for a fresh one. Foreign subject tokens are refused: nothing here can check them.
HttpResponse GrantForToken(const RestCall& call, const Form& form) {
  const std::string& subject = Get(form, "subject_token");
  if (subject.empty()) return OAuthFailure(400, "invalid_request", "subject_token is missing");
  const auto principal = call.server.options.tokens->Verify(subject, call.now_ms());
  if (!principal || !call.server.options.principals->Has(*principal))
    return OAuthFailure(400, "invalid_grant", "The subject token is invalid or expired");
  return Granted(call, form, *principal);
}

}  // namespace

Result<HttpResponse> GetConfig(RestCall& call) {
  const RestOptions& options = call.server.options;
  const std::string* warehouse = call.request.Query("warehouse");
  ASSIGN_OR_RETURN(
      const std::string prefix,
      options.prefix_of_warehouse(warehouse == nullptr ? std::nullopt : std::optional(*warehouse)));
  ASSIGN_OR_RETURN(const auto catalog, options.catalog_of_prefix(prefix));
  catalog::rest::ConfigResponse config;
  if (!prefix.empty()) config.overrides["prefix"] = catalog::rest::EncodeSegment(prefix);
  config.defaults = StorageSettings(catalog->properties());
  if (!options.advertise_endpoints) return Answer(config);
  config.idempotency_key_lifetime = IdempotentAnswers::kLifetimeText;
  config.endpoints.emplace();
  for (const RestEndpoint& endpoint : RestEndpoints()) {
    std::string name = fmt::format("{} {}", endpoint.method, endpoint.path);
    if (endpoint.advertised && !options.missing_endpoints.contains(name))
      config.endpoints->push_back(std::move(name));
  }
  return Answer(config);
}

Result<HttpResponse> GetToken(RestCall& call) {
  if (call.server.options.principals == nullptr)
    return OAuthFailure(400, "unauthorized_client", "This server has no principals");
  const Form form = FormOf(call.request);
  const std::string grant = Get(form, "grant_type");
  if (grant == "client_credentials") return GrantToClient(call, form);
  if (grant == kTokenExchange) return GrantForToken(call, form);
  return OAuthFailure(400, "unsupported_grant_type",
                      "grant_type must be client_credentials or token exchange");
}

}  // namespace iceblink::server::rest_handlers
