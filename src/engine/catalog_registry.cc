#include "engine/catalog_registry.h"

#include <filesystem>
#include <set>

#include "engine/errors.h"

namespace iceblink::engine {
namespace {

constexpr char kPrefix[] = "spark.sql.catalog.";

// Folders that SQLite does not make itself.
void CreateWarehouseFolder(const std::string& path) {
  std::error_code ignored;  // the catalog reports what it cannot open
  std::filesystem::create_directories(path, ignored);
}

std::string AbsolutePath(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

bool CatalogRegistry::NothingConfigured() const {
  for (const auto& [key, value] : configuration_.WithPrefix(kPrefix)) {
    if (key.find('.') == std::string::npos) return false;
  }
  return true;
}

bool CatalogRegistry::Exists(const std::string& name) const {
  if (name == kSessionCatalog || loaded_.count(name) > 0) return true;
  if (configuration_.IsSet(kPrefix + name)) return true;
  return name == kLocalCatalog && NothingConfigured();
}

catalog::Properties CatalogRegistry::PropertiesOf(const std::string& name) const {
  if (configuration_.IsSet(kPrefix + name)) return configuration_.WithPrefix(kPrefix + name + ".");
  if (name == kLocalCatalog) {
    std::string warehouse = AbsolutePath("warehouse");
    CreateWarehouseFolder(warehouse);
    return {{"type", "jdbc"},
            {"uri", "jdbc:sqlite:" + warehouse + "/catalog.db"},
            {"warehouse", warehouse},
            {"jdbc.schema-version", "V1"}};
  }
  return {{"type", "in-memory"},
          {"warehouse",
           AbsolutePath(configuration_.Get("spark.sql.warehouse.dir", "spark-warehouse"))}};
}

catalog::Properties CatalogRegistry::WithHadoopSettings(catalog::Properties properties) const {
  for (const auto& [key, value] : configuration_.WithPrefix("spark.hadoop."))
    properties.try_emplace("hadoop." + key, value);
  return properties;
}

Result<std::shared_ptr<catalog::Catalog>> CatalogRegistry::Get(const std::string& name) {
  if (auto at = loaded_.find(name); at != loaded_.end()) return at->second;
  if (!Exists(name)) {
    return FailWith(ErrorCode::kNotFound, "CatalogNotFoundException", "CATALOG_NOT_FOUND", "42P08",
                    "The catalog " + sql::QuoteIdentifier(name) +
                        " not found. Consider to set the SQL config \"" + kPrefix + name +
                        "\" to a catalog plugin.");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<catalog::Catalog> made,
                   catalog::MakeCatalog(name, WithHadoopSettings(PropertiesOf(name))));
  if (name == kSessionCatalog) {
    ASSIGN_OR_RETURN(bool exists, made->NamespaceExists({"default"}));
    if (!exists) RETURN_IF_ERROR(made->CreateNamespace({"default"}, {}));
  }
  loaded_.emplace(name, made);
  return made;
}

void CatalogRegistry::Put(std::shared_ptr<catalog::Catalog> catalog) {
  std::string name = catalog->name();
  loaded_[std::move(name)] = std::move(catalog);
}

std::string CatalogRegistry::DefaultCatalog() const {
  if (configuration_.IsSet("spark.sql.defaultCatalog"))
    return configuration_.Get("spark.sql.defaultCatalog", "");
  return NothingConfigured() ? kLocalCatalog : kSessionCatalog;
}

std::vector<std::string> CatalogRegistry::Loaded() const {
  std::set<std::string> names{kSessionCatalog};
  for (const auto& [name, catalog] : loaded_) names.insert(name);
  if (NothingConfigured()) names.insert(kLocalCatalog);
  return {names.begin(), names.end()};
}

std::vector<std::string> CatalogRegistry::Names() const {
  std::set<std::string> names{kSessionCatalog};
  for (const auto& [key, value] : configuration_.WithPrefix(kPrefix)) {
    if (key.find('.') == std::string::npos) names.insert(key);
  }
  if (NothingConfigured()) names.insert(kLocalCatalog);
  return {names.begin(), names.end()};
}

}  // namespace iceblink::engine
