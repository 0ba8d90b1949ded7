// The HTTP door of `iceblink serve`: the REST catalog over the configured catalogs, health and
// metrics, made from settings.
//
//   iceblink.http.access-log             stderr (default), off, or a file that is appended to
//   iceblink.http.max-body-bytes         67108864
//   iceblink.http.request-timeout-ms     30000, to receive a request
//   iceblink.http.max-connections        512
//   iceblink.http.tls.certificate, .key  PEM files; both or none
//   iceblink.rest.catalog                the catalog without prefix (default: the session's)
//   iceblink.rest.principals-file        who may do what; none: everybody everything
//   iceblink.rest.token-key              key of the tokens' signatures, shared by instances
//
// Other services are mounted on `server()` before Start.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "engine/catalog_registry.h"
#include "engine/configuration.h"
#include "server/http_server.h"
#include "server/rest_service.h"

namespace iceblink::server {

// Catalogs by name, opened when first asked for. Safe from several threads.
class ServedCatalogs {
 public:
  explicit ServedCatalogs(engine::Settings settings)
      : configuration_(std::move(settings)), registry_(configuration_) {}

  const engine::Configuration& configuration() const { return configuration_; }
  // The catalog that a path without prefix means.
  std::string DefaultName() const;
  // kNotFound, NoSuchCatalogException when there is none of this name.
  Result<std::shared_ptr<catalog::Catalog>> Get(const std::string& name);
  // The name of the catalog that is called so or whose warehouse this is; "" (the default one) when
  // none is: clients put anything here.
  std::string NameOfWarehouse(const std::string& warehouse) const;

 private:
  engine::Configuration configuration_;
  std::mutex mutex_;
  engine::CatalogRegistry registry_;
};

class HttpFront {
 public:
  // Errors: kInvalidArgument for a setting that cannot be, and those of the principals file.
  static Result<std::unique_ptr<HttpFront>> Create(const engine::Settings& settings);

  HttpServer& server() { return *server_; }
  ServedCatalogs& catalogs() { return *catalogs_; }
  // Opens the default catalog, so that its mistakes show before the first request; then listens.
  // Returns the port.
  Result<int> Start(const std::string& address);
  void Stop();
  bool is_tls() const { return is_tls_; }

 private:
  HttpFront() = default;
  void MountPages();

  std::shared_ptr<ServedCatalogs> catalogs_;
  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<RestServer> rest_;
  bool is_tls_ = false;
  std::atomic<bool> ready_ = false;
};

}  // namespace iceblink::server
