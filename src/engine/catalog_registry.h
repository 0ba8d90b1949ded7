// The catalogs of a session by name, made from `spark.sql.catalog.NAME...` when first used.
//
// With no catalog configured there is one, `local`: SQLite in ./warehouse. `spark_catalog` always
// exists; unless configured it lives in memory. Not for several threads at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "engine/configuration.h"

namespace iceblink::engine {

inline constexpr const char* kSessionCatalog = "spark_catalog";
inline constexpr const char* kLocalCatalog = "local";

class CatalogRegistry {
 public:
  // `configuration` outlives the registry.
  explicit CatalogRegistry(const Configuration& configuration) : configuration_(configuration) {}

  // Returns whether a catalog of this name is configured (it may still fail to load).
  bool Exists(const std::string& name) const;
  // Loads the catalog at its first use. kNotFound when the name is not configured.
  Result<std::shared_ptr<catalog::Catalog>> Get(const std::string& name);
  // Takes in a catalog that is open already, under its own name.
  void Put(std::shared_ptr<catalog::Catalog> catalog);
  // spark.sql.defaultCatalog; without any configuration `local`.
  std::string DefaultCatalog() const;
  // Catalogs that have been used, and the session catalog, sorted: what SHOW CATALOGS lists.
  std::vector<std::string> Loaded() const;
  // Every configured name, for completion.
  std::vector<std::string> Names() const;

 private:
  bool NothingConfigured() const;
  catalog::Properties PropertiesOf(const std::string& name) const;
  // The catalog's own go before the session's.
  catalog::Properties WithHadoopSettings(catalog::Properties properties) const;

  const Configuration& configuration_;
  std::map<std::string, std::shared_ptr<catalog::Catalog>> loaded_;
};

}  // namespace iceblink::engine
