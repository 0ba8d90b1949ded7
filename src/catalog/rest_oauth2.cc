#include "catalog/rest_oauth2.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/strings.h"
#include "catalog/properties.h"
#include "catalog/rest_messages.h"

namespace iceblink::catalog::rest {
namespace {

constexpr const char* kExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr const char* kAccessTokenType = "urn:ietf:params:oauth:token-type:access_token";
constexpr int64_t kMaxLeadMs = 300'000;  // renew at most so long before the token expires

// Java takes a tenth of the life before the end, five minutes at most.
int64_t RenewAt(int64_t now_ms, int64_t expires_ms) {
  return expires_ms - std::min((expires_ms - now_ms) / 10, kMaxLeadMs);
}

std::string TokenUri(const Properties& properties, const std::string& base_uri) {
  const std::string uri = Get(properties, "oauth2-server-uri", "v1/oauth/tokens");
  if (uri.find("://") != std::string::npos) return uri;
  return std::string(StripTrailing(base_uri, '/')) + (uri.starts_with("/") ? "" : "/") + uri;
}

std::string FormText(const Properties& form) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : form)
    pairs.push_back(FormUrlEncode(key) + "=" + FormUrlEncode(value));
  return Join(pairs, "&");
}

// The words of the token endpoint's refusal, in Java's wrapping.
Error Refusal(const io::HttpResponse& response) {
  const auto json = ParseJson(response.body, "token response");
  if (json) {
    if (const auto error = OAuthErrorFromJson(*json)) {
      const std::string words = error->error + ": " + error->description;
      if (error->error == "invalid_client" || response.status == 401)
        return Error::Make(ErrorCode::kUnauthenticated, "Not authorized: " + words,
                           "NotAuthorizedException");
      return Error::Make(ErrorCode::kInvalidArgument, "Malformed request: " + words,
                         "BadRequestException");
    }
    if (const auto error = ErrorMessageFromJson(*json)) {
      return Error::Make(ErrorCode::kUnauthenticated, "Not authorized: " + error->message,
                         "NotAuthorizedException");
    }
  }
  const ErrorCode code = response.status >= 500 || response.status == 429
                             ? ErrorCode::kUnavailable
                             : ErrorCode::kUnauthenticated;
  return Error::Make(
      code, fmt::format("Unable to process: the token endpoint answered {}", response.status),
      "RESTException");
}

}  // namespace

Result<std::unique_ptr<RestAuth>> OAuth2Auth::Make(const Properties& properties,
                                                   const std::string& base_uri,
                                                   io::HttpClient& http, const Clock& clock) {
  Settings settings;
  settings.token_uri = TokenUri(properties, base_uri);
  const std::string credential = Get(properties, "credential");
  const size_t colon = credential.find(':');
  if (colon == std::string::npos) {
    settings.client_secret = credential;
  } else {
    settings.client_id = credential.substr(0, colon);
    settings.client_secret = credential.substr(colon + 1);
  }
  settings.scope = Get(properties, "scope", "catalog");
  for (const char* key : {"audience", "resource"}) {
    if (properties.contains(key)) settings.more[key] = properties.at(key);
  }
  settings.refresh = !IsFalse(properties, "token-refresh-enabled");
  settings.exchange = !IsFalse(properties, "token-exchange-enabled");
  const std::string token = Get(properties, "token");
  if (token.empty() && !settings.has_credential()) {
    return Fail(ErrorCode::kInvalidArgument,
                "Cannot authenticate with oauth2: set token or credential",
                "IllegalArgumentException");
  }
  std::unique_ptr<OAuth2Auth> auth(new OAuth2Auth(std::move(settings), http, clock));
  if (!token.empty()) {
    auth->token_ = Token{token, std::nullopt};
    const auto expires = JwtExpiryMillis(token);
    if (expires) auth->token_->renew_at_ms = RenewAt(clock.NowMillis(), *expires);
  }
  return auth;
}

Status OAuth2Auth::Authorize(io::HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(EnsureToken());
  request.headers.emplace_back("Authorization", "Bearer " + token_->text);
  return {};
}

Status OAuth2Auth::EnsureToken() {
  if (!token_) return Replace();
  const bool due =
      settings_.refresh && token_->renew_at_ms && clock_.NowMillis() >= *token_->renew_at_ms;
  if (!due || Replace()) return {};
  // The old token may still be good, and the server will say if not. Ask again a little later.
  token_->renew_at_ms = clock_.NowMillis() + 10'000;
  return {};
}

Status OAuth2Auth::Replace() {
  if (token_ && settings_.exchange) {
    if (auto fresh = FetchByExchange(*token_)) {
      token_ = std::move(*fresh);
      return {};
    }
  }
  if (!settings_.has_credential())
    return Fail(ErrorCode::kUnauthenticated, "Not authorized: the token has expired",
                "NotAuthorizedException");
  ASSIGN_OR_RETURN(token_, FetchByCredential());
  return {};
}

bool OAuth2Auth::Renew() {
  const std::lock_guard lock(mutex_);
  if (!settings_.has_credential()) return false;
  auto fresh = FetchByCredential();
  if (!fresh) return false;
  token_ = std::move(*fresh);
  return true;
}

Result<OAuth2Auth::Token> OAuth2Auth::FetchByCredential() {
  Properties form = settings_.more;
  form["grant_type"] = "client_credentials";
  if (!settings_.client_id.empty()) form["client_id"] = settings_.client_id;
  form["client_secret"] = settings_.client_secret;
  form["scope"] = settings_.scope;
  return Fetch(std::move(form), {});
}

Result<OAuth2Auth::Token> OAuth2Auth::FetchByExchange(const Token& old) {
  Properties form = settings_.more;
  form["grant_type"] = kExchangeGrant;
  form["scope"] = settings_.scope;
  form["subject_token"] = old.text;
  form["subject_token_type"] = kAccessTokenType;
  return Fetch(std::move(form), "Bearer " + old.text);
}

Result<OAuth2Auth::Token> OAuth2Auth::Fetch(Properties form, const std::string& authorization) {
  io::HttpRequest request;
  request.method = "POST";
  request.url = settings_.token_uri;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                     {"Accept", "application/json"}};
  if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
  request.body = FormText(form);
  auto response = http_.Send(request);
  if (!response)  // the request proper was not sent, whatever became of this one
    return Fail(ErrorCode::kUnavailable, response.error().message, "RESTException");
  if (response->status != 200) return Fail(Refusal(*response));
  ASSIGN_OR_RETURN(const Json json, ParseJson(response->body, "token response"));
  ASSIGN_OR_RETURN(OAuthTokenResponse answer, OAuthTokenResponseFromJson(json));
  Token token{std::move(answer.access_token), std::nullopt};
  const int64_t now = clock_.NowMillis();
  const auto expires = answer.expires_in ? std::optional(now + *answer.expires_in * 1000)
                                         : JwtExpiryMillis(token.text);
  if (expires) token.renew_at_ms = RenewAt(now, *expires);
  return token;
}

}  // namespace iceblink::catalog::rest
