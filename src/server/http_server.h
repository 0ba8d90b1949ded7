// HttpServer: HTTP/1.1 for the REST catalog, the S3 Tables control plane and the pages beside them.
//
// A protocol is an HttpService: a table of routes and two functions, mounted below a path. The
// server finds the route, runs `before` (authentication), then the handler, and turns an Error into
// the protocol's own body. Nothing of a protocol is known here.
//
//   HttpServer server(options);
//   server.Mount("", MakeRestService(...));
//   server.Mount("/iceberg", MakeS3TablesCatalog(...));
//   server.Start("127.0.0.1:8181");
//
// Paths are matched as they were sent, segment by segment, and each parameter is decoded by itself
// ('+' is a space, as Java's clients encode it): %2F, %1F and dots inside of a name survive. Of two
// patterns the one with a literal where the other has a parameter goes first.
//
// Limits: a request's size, the time it may take to arrive and the number of connections are
// bounded. Every answered request is counted (http_metrics.h) and logged by method, path and
// status: no query, header or body is ever written. The protocol itself is cpp-httplib's.
//
// Threads: one for each connection, so handlers run at once and must be safe from several threads.
// Mount before Start; Start and Stop from one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/http_metrics.h"

namespace iceblink::server {

struct HttpRequest {
  std::string method;                          // as sent: "GET"
  std::string target;                          // as sent: "/v1/a%1Fb/tables?pageSize=2"
  std::map<std::string, std::string> headers;  // names in lower case; repeated ones joined by ", "
  std::string body;
  std::string peer;  // address of the client, without port
  bool is_tls = false;

  // Made of the target.
  std::string_view raw_path() const;                       // "/v1/a%1Fb/tables"
  std::string_view raw_query() const;                      // "pageSize=2"
  std::vector<std::pair<std::string, std::string>> query;  // decoded

  // Set by the dispatch.
  std::string mount;                              // "" or "/iceberg"
  std::string route;                              // the pattern that matched, with its mount
  std::map<std::string, std::string> parameters;  // of the pattern, decoded
  // Set by HttpService::before: who asks; empty where nobody needs to say.
  std::string principal;

  // Null when absent. `name` of a header is in lower case.
  const std::string* Header(std::string_view name) const;
  const std::string* Query(std::string_view name) const;
  // A parameter of the route's pattern; empty when the pattern has none of this name.
  const std::string& Parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";             // not sent where there is no body
  std::vector<std::pair<std::string, std::string>> headers;  // beside type and length

  static HttpResponse Json(std::string body, int status = 200) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }
  static HttpResponse Empty(int status = 204) { return Json({}, status); }
};

using HttpHandler = std::function<Result<HttpResponse>(HttpRequest&)>;

struct HttpRoute {
  std::string method;   // HEAD is a route of its own
  std::string pattern;  // "/v1/{prefix}/namespaces/{namespace}": {x} is one segment of any text
  HttpHandler handler;
};

struct HttpService {
  std::vector<HttpRoute> routes;
  // Runs before the handler of every route: may refuse, may set `principal`. Optional.
  std::function<Status(HttpRequest&)> before;
  // The protocol's words for an error, also for a path without route (kNotFound, exception
  // "NoSuchRouteException") or a method without one (kUnsupported, "MethodNotAllowedException").
  // Without it errors are plain text, and paths without route are another service's of the mount.
  std::function<HttpResponse(const HttpRequest&, const Error&)> error_response;
};

struct HttpOptions {
  size_t max_body_bytes = 64 << 20;
  int request_timeout_ms = 30'000;  // to receive one request, and to send one answer
  int idle_timeout_ms = 5'000;      // between requests of a connection; Stop waits no longer
  size_t max_connections = 512;
  std::string tls_certificate_file;  // PEM with the chain; empty: no TLS
  std::string tls_key_file;
  std::function<void(const std::string& line)> access_log;  // optional; safe from several threads
};

class HttpServer {
 public:
  explicit HttpServer(HttpOptions options = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Adds the service's routes below `path`, which is empty or begins with a slash and ends without.
  void Mount(const std::string& path, HttpService service);
  // Listens on "host:port" (port 0: any that is free; "[::1]:8181" for IPv6). Returns the port.
  Result<int> Start(const std::string& address);
  // Takes no more requests, lets those that run end, and returns.
  void Stop();

  // Counters that handlers may add to.
  HttpMetrics& metrics();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "a=1&b=x+y" as pairs, decoded as forms are.
std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view text);

}  // namespace iceblink::server
