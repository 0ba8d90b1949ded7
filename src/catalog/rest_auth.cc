#include "catalog/rest_auth.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/json.h"
#include "base/strings.h"
#include "catalog/properties.h"
#include "catalog/rest_oauth2.h"
#include "io/sigv4.h"

namespace iceblink::catalog::rest {
namespace {

class NoAuth final : public RestAuth {
 public:
  Status Authorize(io::HttpRequest&) override { return {}; }
};

class BasicAuth final : public RestAuth {
 public:
  BasicAuth(const std::string& user, const std::string& password)
      : header_("Basic " + Base64Encode(user + ":" + password)) {}
  Status Authorize(io::HttpRequest& request) override {
    request.headers.emplace_back("Authorization", header_);
    return {};
  }

 private:
  const std::string header_;
};

// "host:port" as it stands in the Host header: without user and default port.
std::string HostOf(std::string_view scheme, std::string_view authority) {
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos)
    authority.remove_prefix(at + 1);
  const std::string_view standard = scheme == "https" ? ":443" : ":80";
  if (authority.ends_with(standard)) authority.remove_suffix(standard.size());
  return std::string(authority);
}

// The request as AWS signatures see it.
io::SigV4Request ToSigned(const io::HttpRequest& request) {
  io::SigV4Request out;
  out.method = request.method;
  out.headers = request.headers;
  const std::string_view url = request.url;
  const size_t host = url.find("://") + 3;
  const size_t path = std::min(url.find_first_of("/?", host), url.size());
  const size_t query = std::min(url.find('?', host), url.size());
  out.path = std::string(url.substr(path, query - path));
  if (query < url.size()) out.query = std::string(url.substr(query + 1));
  out.headers.emplace_back("Host", HostOf(url.substr(0, host - 3), url.substr(host, path - host)));
  return out;
}

class SigV4Auth final : public RestAuth {
 public:
  SigV4Auth(std::unique_ptr<RestAuth> delegate, io::AwsCredentials credentials,
            io::SigV4Scope scope, const Clock& clock)
      : delegate_(std::move(delegate)),
        credentials_(std::move(credentials)),
        scope_(std::move(scope)),
        clock_(clock) {}

  Status Authorize(io::HttpRequest& request) override {
    RETURN_IF_ERROR(delegate_->Authorize(request));
    for (auto& [name, value] : request.headers) {
      if (name == "Authorization") name = "Original-Authorization";
    }
    io::HeaderList more = io::SignSigV4(ToSigned(request), credentials_, scope_,
                                        io::Sha256Hex(request.body), clock_.NowMillis());
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    return {};
  }
  bool Renew() override { return delegate_->Renew(); }

 private:
  const std::unique_ptr<RestAuth> delegate_;
  const io::AwsCredentials credentials_;
  const io::SigV4Scope scope_;
  const Clock& clock_;
};

// The property, or else the environment variable.
std::string GetOrEnvironment(const Properties& properties, const std::string& key,
                             const char* variable) {
  const std::string value = Get(properties, key);
  if (!value.empty()) return value;
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

using Made = Result<std::unique_ptr<RestAuth>>;

// What the makers below need.
struct Context {
  const Properties& properties;
  const std::string& base_uri;
  io::HttpClient& http;
  const Clock& clock;
};

Made MakeOfType(const Context& context, const std::string& type);

Made MakeNone(const Context&) { return std::make_unique<NoAuth>(); }

Made MakeBasic(const Context& context) {
  const std::string user = Get(context.properties, "rest.auth.basic.username");
  const std::string password = Get(context.properties, "rest.auth.basic.password");
  if (user.empty() || password.empty()) {
    return IllegalArgument(fmt::format("Invalid {}: missing required property rest.auth.basic.{}",
                                       user.empty() ? "username" : "password",
                                       user.empty() ? "username" : "password"));
  }
  return std::make_unique<BasicAuth>(user, password);
}

Made MakeOAuth2(const Context& context) {
  return OAuth2Auth::Make(context.properties, context.base_uri, context.http, context.clock);
}

Made MakeSigV4(const Context& context) {
  const Properties& properties = context.properties;
  io::AwsCredentials credentials;
  credentials.access_key_id =
      GetOrEnvironment(properties, "rest.access-key-id", "AWS_ACCESS_KEY_ID");
  credentials.secret_access_key =
      GetOrEnvironment(properties, "rest.secret-access-key", "AWS_SECRET_ACCESS_KEY");
  credentials.session_token =
      properties.contains("rest.access-key-id")
          ? Get(properties, "rest.session-token")
          : GetOrEnvironment(properties, "rest.session-token", "AWS_SESSION_TOKEN");
  if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
    return IllegalArgument(
        "Cannot sign requests: set rest.access-key-id and rest.secret-access-key, or "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  io::SigV4Scope scope;
  scope.region = GetOrEnvironment(properties, "rest.signing-region", "AWS_REGION");
  if (scope.region.empty())
    scope.region = GetOrEnvironment(properties, "client.region", "AWS_DEFAULT_REGION");
  if (scope.region.empty())
    return IllegalArgument("Cannot sign requests: set rest.signing-region or AWS_REGION");
  scope.service = Get(properties, "rest.signing-name", "execute-api");
  const std::string delegate_type = Get(properties, "rest.auth.sigv4.delegate-auth-type");
  const bool has_token = properties.contains("token") || properties.contains("credential");
  ASSIGN_OR_RETURN(auto delegate, MakeOfType(context, !delegate_type.empty() ? delegate_type
                                                      : has_token            ? "oauth2"
                                                                             : "none"));
  return std::make_unique<SigV4Auth>(std::move(delegate), std::move(credentials), std::move(scope),
                                     context.clock);
}

struct Kind {
  std::string_view type;
  std::string_view implementation;  // Java's class, which may be given instead
  Made (*make)(const Context&);
};
constexpr Kind kKinds[] = {
    {"none", "org.apache.iceberg.rest.auth.NoopAuthManager", MakeNone},
    {"basic", "org.apache.iceberg.rest.auth.BasicAuthManager", MakeBasic},
    {"oauth2", "org.apache.iceberg.rest.auth.OAuth2Manager", MakeOAuth2},
    {"sigv4", "org.apache.iceberg.aws.RESTSigV4AuthManager", MakeSigV4},
};

Made MakeOfType(const Context& context, const std::string& type) {
  for (const Kind& kind : kKinds) {
    if (EqualsIgnoreCase(kind.type, type) || kind.implementation == type) return kind.make(context);
  }
  return IllegalArgument("Cannot initialize AuthManager implementation " + type +
                         ": none, basic, oauth2 and sigv4 are built in");
}

std::string TypeOf(const Properties& properties) {
  if (IsTrue(properties, "rest.sigv4-enabled")) return "sigv4";
  const std::string type = Get(properties, "rest.auth.type");
  if (!type.empty()) return type;
  const bool has_token = properties.contains("token") || properties.contains("credential");
  return has_token ? "oauth2" : "none";
}

}  // namespace

Made MakeRestAuth(const Properties& properties, const std::string& base_uri, io::HttpClient& http,
                  const Clock& clock) {
  return MakeOfType(Context{properties, base_uri, http, clock}, TypeOf(properties));
}

bool IsSecretProperty(std::string_view key) {
  const std::string name = AsciiLower(key);
  constexpr std::string_view kParts[] = {"credential", "password",   "secret",        "token",
                                         "access-key", "access_key", "authorization", "account-key",
                                         "sas-",       "private"};
  constexpr std::string_view kHarmless[] = {"token-refresh-enabled", "token-exchange-enabled",
                                            "token-expires-in-ms", "credentials-provider"};
  for (const std::string_view harmless : kHarmless) {
    if (name.ends_with(harmless)) return false;
  }
  for (const std::string_view part : kParts) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

std::optional<int64_t> JwtExpiryMillis(std::string_view token) {
  const std::vector<std::string> parts = Split(token, '.');
  if (parts.size() != 3) return std::nullopt;
  const auto payload = Base64Decode(parts[1]);
  if (!payload) return std::nullopt;
  const auto json = ParseJson(*payload, "token");
  if (!json) return std::nullopt;
  const auto expiry = json::FindLong(*json, "exp");
  if (!expiry || !*expiry) return std::nullopt;
  return **expiry * 1000;
}

}  // namespace iceblink::catalog::rest
