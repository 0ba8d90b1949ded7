// Requests to one REST catalog: paths below its base, JSON bodies, authentication, and the rules of
// when a request may be sent again.
//
//   429                  always again: the server did nothing
//   401, 419             once again, when the authentication has something newer
//   502, 503, 504, or a broken connection
//                        again when repeating does no harm: reads, deletes, and every change that
//                        carries an Idempotency-Key (which the client adds once the server has
//                        announced idempotency-key-lifetime)
//
// A wait follows Retry-After when the server says so, else it grows from 100 ms with some chance in
// it. What is left for the caller of a commit: kCommitUnknown when the server may have acted.
//
// Threads: safe from several once set up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "catalog/rest_auth.h"
#include "catalog/rest_errors.h"
#include "io/http.h"

namespace iceblink::catalog::rest {

using Query = std::vector<std::pair<std::string, std::string>>;

struct Call {
  Subject subject = Subject::kOther;
  std::string method = "GET";
  std::string path;  // encoded, below the base: "v1/config"
  Query query;       // not encoded
  std::string body;  // JSON; "" for none
  io::HeaderList headers;
};

class RestClient {
 public:
  struct Options {
    std::string uri;         // base, without trailing slash
    io::HeaderList headers;  // of every request
    int max_retries = 5;     // rest.client.max-retries
    int64_t retry_wait_ms = 100;
    io::HttpClient::Options http;
  };
  // `clock` outlives the client.
  static Result<std::unique_ptr<RestClient>> Make(const Properties& properties,
                                                  const Clock& clock = SystemClock());

  const std::string& uri() const { return options_.uri; }
  // The server keeps the answers of changes by key; not safe beside other calls.
  void UseIdempotencyKeys() { idempotency_keys_ = true; }
  // Takes over what the server says about its address, headers and authentication; not safe beside
  // other calls.
  Status Reconfigure(const Properties& properties);

  // The response when its status is 2xx or 304, else its error.
  Result<io::HttpResponse> Send(const Call& call);
  // Its body, which must be JSON.
  Result<Json> SendForJson(const Call& call);

 private:
  RestClient(Options options, Properties properties, const Clock& clock);
  io::HttpRequest Prepare(const Call& call) const;
  Result<io::HttpResponse> SendOnce(const io::HttpRequest& prepared);
  // How long to wait before the next attempt; nothing when there is to be none.
  std::optional<int64_t> WaitBeforeRetry(const Call& call, bool keyed,
                                         const Result<io::HttpResponse>& answer, int attempt) const;

  Options options_;
  Properties properties_;  // those that Reconfigure looks at
  const Clock& clock_;
  std::unique_ptr<io::HttpClient> http_;
  std::unique_ptr<RestAuth> auth_;
  bool idempotency_keys_ = false;
};

// A version 7 UUID: time first, then chance.
std::string NewIdempotencyKey(int64_t now_ms);

}  // namespace iceblink::catalog::rest
