// Bearer tokens: given by the user, or fetched from a token endpoint with client credentials and
// renewed by token exchange.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "catalog/rest_auth.h"

namespace iceblink::catalog::rest {

class OAuth2Auth final : public RestAuth {
 public:
  // kInvalidArgument when neither token nor credential is there.
  static Result<std::unique_ptr<RestAuth>> Make(const Properties& properties,
                                                const std::string& base_uri, io::HttpClient& http,
                                                const Clock& clock);

  Status Authorize(io::HttpRequest& request) override;
  bool Renew() override;

 private:
  struct Token {
    std::string text;
    std::optional<int64_t> renew_at_ms;  // absent: good until refused
  };
  struct Settings {
    std::string token_uri;
    std::string client_id;  // may be empty: a secret alone
    std::string client_secret;
    std::string scope;
    Properties more;  // audience, resource
    bool refresh = true;
    bool exchange = true;
    bool has_credential() const { return !client_secret.empty(); }
  };
  OAuth2Auth(Settings settings, io::HttpClient& http, const Clock& clock)
      : settings_(std::move(settings)), http_(http), clock_(clock) {}

  // Both require the lock.
  Status EnsureToken();
  Status Replace();
  Result<Token> FetchByCredential();
  Result<Token> FetchByExchange(const Token& old);
  Result<Token> Fetch(Properties form, const std::string& authorization);

  const Settings settings_;
  io::HttpClient& http_;
  const Clock& clock_;
  std::mutex mutex_;
  std::optional<Token> token_;
};

}  // namespace iceblink::catalog::rest
