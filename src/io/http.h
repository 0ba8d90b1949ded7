// HTTP client over libcurl: one request in, one response out, over connections that are kept.
//
// libcurl is loaded when the first request is sent, so that a process that needs no network does
// not pay for it. Nothing is retried here: whether a request may be sent twice is for the caller to
// know. The error's code says what happened to it:
//   kUnavailable  nothing reached the server (name not found, refused, TLS handshake failed)
//   kIo           the server may have acted: connection broken, response cut, too large or late
//   kInvalidArgument, kUnsupported  a bad URL; libcurl is not installed
// Any HTTP status is a response, not an error. Messages name method, host and path; never headers,
// bodies, user names in URLs or query strings, which may hold secrets.
//
// Threads: Send is safe from several threads at once; each takes a connection of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace iceblink::io {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HeaderList headers;
  std::string body;
  int64_t timeout_ms = 0;           // of the whole request; 0: the client's
  std::function<bool()> cancelled;  // asked about once a second while waiting; may be empty
};

struct HttpResponse {
  int status = 0;
  HeaderList headers;  // names in lower case
  std::string body;    // decompressed

  // The first header of this lower-case name, "" when there is none.
  std::string_view Header(std::string_view name) const;
};

class HttpClient {
 public:
  struct Options {
    int64_t connect_timeout_ms = 10'000;
    int64_t timeout_ms = 120'000;                   // of a whole request
    int64_t stall_ms = 30'000;                      // without a byte moving
    size_t max_response_bytes = size_t{512} << 20;  // of the decompressed body
    size_t max_idle_connections = 16;
    bool decompress = true;  // asks for and undoes gzip
    std::string user_agent = "iceblink";
    // TLS. The system's certificates are trusted unless ca_file is set.
    bool verify_tls = true;
    std::string ca_file;
    std::string client_certificate;  // PEM file
    std::string client_key;          // PEM file
    std::string proxy;               // empty: as the environment says
  };
  HttpClient() : HttpClient(Options()) {}
  explicit HttpClient(Options options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  const Options& options() const { return options_; }

  Result<HttpResponse> Send(const HttpRequest& request);

 private:
  struct Pool;
  const Options options_;
  std::unique_ptr<Pool> pool_;
};

// "https://host:port/path" of a URL: what may be shown.
std::string UrlForMessages(std::string_view url);

}  // namespace iceblink::io
