// The Iceberg REST catalog as an HttpService: every endpoint of the OpenAPI document over any
// catalog::Catalog.
//
//   auto rest = std::make_shared<RestServer>(options);
//   http.Mount("", MakeRestService(rest));
//
// A request goes through a table of endpoints (rest_endpoints.cc): the route, who may call it, and
// a handler, one file of handlers per kind of object (rest_namespaces.cc, rest_tables.cc ...).
// Answers and errors have the document's words; error types are Java's class names, by which
// clients decide.
//
// Commits are applied here as Java's CatalogHandlers does: requirements are checked against the
// newest metadata, a lost swap is tried again while they hold, anything else is the client's.
//
// A RestServer is shared by all connections; every method is safe from several threads.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/rest_messages.h"
#include "server/http_server.h"
#include "server/rest_idempotency.h"
#include "server/rest_metadata_texts.h"
#include "server/rest_principals.h"
#include "server/rest_scan_plans.h"

namespace iceblink::server {

struct RestOptions {
  // The catalog of a path's prefix, "" where the path has none. kNotFound when there is none.
  std::function<Result<std::shared_ptr<catalog::Catalog>>(const std::string& prefix)>
      catalog_of_prefix;
  // The prefix that GET /v1/config hands to a client that asked for this warehouse; "" for none.
  // Error: kNotFound, NoSuchWarehouseException.
  std::function<Result<std::string>(const std::optional<std::string>& warehouse)>
      prefix_of_warehouse;
  // Runs before every handler: authentication of a protocol's own. Without it the bearer token is
  // checked when there are principals.
  std::function<Status(HttpRequest&)> before;

  // What a service leaves out: the document's form, "POST /v1/{prefix}/views/rename".
  std::set<std::string> missing_endpoints;
  bool advertise_endpoints = true;    // the config answer's `endpoints`
  bool supports_stage_create = true;  // false: 400
  bool supports_drop_without_purge = true;

  std::shared_ptr<const Principals> principals;  // null: everybody may do everything
  std::shared_ptr<TokenIssuer> tokens;           // with principals
  HttpMetrics* metrics = nullptr;                // outlives the server; required
  const Clock* clock = &SystemClock();
};

struct RestServer {
  explicit RestServer(RestOptions given);

  const RestOptions options;
  HttpMetrics& metrics;
  IdempotentAnswers answers;
  MetadataTexts texts;
  ScanPlans plans;
  // Commits to one table take turns inside of this process, so that they do not lose to each other.
  std::array<std::mutex, 64> commit_turns;
};

// One request at its handler.
struct RestCall {
  RestServer& server;
  HttpRequest& request;
  catalog::Catalog* catalog;    // of the prefix; null where the route has none
  catalog::TableIdentifier id;  // {namespace} and {table} or {view}, as far as the route has them

  const catalog::Namespace& ns() const { return id.ns; }
  int64_t now_ms() const { return server.options.clock->NowMillis(); }
  // Error: ForbiddenException unless the caller holds `privilege` in `ns`.
  Status Require(Privilege privilege, const catalog::Namespace& ns) const;
  // What metrics and logs call the writer: the principal, or the client's own name.
  std::string Writer() const;
};

using RestHandler = Result<HttpResponse> (*)(RestCall&);

struct RestEndpoint {
  std::string_view method;
  std::string_view path;  // the document's, with {prefix}
  RestHandler handler;
  Privilege privilege = Privilege::kNone;  // in {namespace}; kNone: the handler decides
  bool replays = false;                    // takes an Idempotency-Key
  bool advertised = true;
};
// In the order of the document.
const std::vector<RestEndpoint>& RestEndpoints();

// Routes with and without the prefix. `server` is kept by the service.
HttpService MakeRestService(std::shared_ptr<RestServer> server);

}  // namespace iceblink::server
