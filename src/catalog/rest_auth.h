// How requests to a REST catalog prove who sends them: nothing, basic, OAuth2 (a given token,
// client credentials, token exchange), AWS signatures over any of these.
//
// Made from a catalog's properties, with Java's names: rest.auth.type (none, basic, oauth2, sigv4),
// rest.auth.basic.username, .password, credential, token, scope, audience, resource,
// oauth2-server-uri, token-refresh-enabled, token-exchange-enabled, rest.sigv4-enabled,
// rest.signing-name, rest.signing-region, rest.access-key-id, rest.secret-access-key,
// rest.session-token, rest.auth.sigv4.delegate-auth-type.
//
// A token is fetched when first needed, and again shortly before it expires or when the server has
// refused it. Secrets go into requests and nowhere else: no message names one. Threads: safe from
// several.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "io/http.h"

namespace iceblink::catalog::rest {

class RestAuth {
 public:
  virtual ~RestAuth() = default;
  // Adds what proves the sender; all other headers and the body are there already. May fetch a
  // token: kUnauthenticated NotAuthorizedException, kInvalidArgument BadRequestException, or the
  // client's errors.
  virtual Status Authorize(io::HttpRequest& request) = 0;
  // The server refused a request (401, 419). True when the next one will carry something newer.
  virtual bool Renew() { return false; }
};

// `base_uri` is where relative token URIs start. `http` and `clock` outlive the result.
// kInvalidArgument IllegalArgumentException on missing or unknown settings.
Result<std::unique_ptr<RestAuth>> MakeRestAuth(const Properties& properties,
                                               const std::string& base_uri, io::HttpClient& http,
                                               const Clock& clock = SystemClock());

// Whether the property's value is a secret, which must not be shown: credential, token, passwords,
// keys, header.Authorization ...
bool IsSecretProperty(std::string_view key);

// The moment, in milliseconds since the epoch, at which a JSON Web Token expires; nothing when the
// text is no such token or does not say.
std::optional<int64_t> JwtExpiryMillis(std::string_view token);

}  // namespace iceblink::catalog::rest
