// MakeCatalog: from Spark-style properties to an implementation.
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "catalog/catalog.h"
#include "catalog/hadoop_catalog.h"
#include "catalog/memory_pointer_store.h"
#include "catalog/metastore_catalog.h"
#include "catalog/open_database.h"
#include "catalog/properties.h"
#include "catalog/rest_catalog.h"
#include "catalog/s3tables_catalog.h"
#include "catalog/s3tables_pointer_store.h"
#include "catalog/sql_pointer_store.h"
#include "io/catalog_file_system.h"

namespace iceblink::catalog {
namespace {

MetastoreCatalog::Options MetastoreOptions(const std::string& name, const Properties& properties) {
  MetastoreCatalog::Options options;
  options.name = name;
  options.properties = properties;
  options.warehouse = StripTrailing(Get(properties, "warehouse"), '/');
  options.unique_table_locations = IsTrue(properties, "unique-table-location");
  return options;
}

Result<std::shared_ptr<Catalog>> MakeMemory(const std::string& name, const Properties& properties,
                                            io::CatalogFileSystem& files) {
  MetastoreCatalog::Options options = MetastoreOptions(name, properties);
  if (options.warehouse.empty()) options.warehouse = "memory://" + name;
  options.strict_namespaces = true;
  return std::make_shared<MetastoreCatalog>(std::move(options),
                                            std::make_unique<MemoryPointerStore>(), files);
}

Result<std::shared_ptr<Catalog>> MakeSql(const std::string& name, const Properties& properties,
                                         io::CatalogFileSystem& files) {
  const std::string uri = Get(properties, "uri");
  if (uri.empty())
    return Fail(ErrorCode::kInvalidArgument, "JDBC connection URI is required",
                "NullPointerException");
  MetastoreCatalog::Options options = MetastoreOptions(name, properties);
  if (options.warehouse.empty()) {
    return IllegalArgument(
        "Cannot initialize JDBCCatalog because warehousePath must not be null or empty");
  }
  options.strict_namespaces = IsTrue(properties, "jdbc.strict-mode");
  ASSIGN_OR_RETURN(auto connection, OpenSqlConnection(uri, properties));
  SqlPointerStore::Options store_options;
  store_options.catalog_name = name;
  store_options.create_tables = !IsFalse(properties, "jdbc.init-catalog-tables");
  store_options.upgrade_to_v1 = EqualsIgnoreCase(Get(properties, "jdbc.schema-version"), "V1");
  ASSIGN_OR_RETURN(auto store, SqlPointerStore::Open(std::move(connection), store_options));
  options.supports_views = store->supports_views();
  return std::make_shared<MetastoreCatalog>(std::move(options), std::move(store), files);
}

Result<std::shared_ptr<Catalog>> MakeHadoop(const std::string& name, const Properties& properties,
                                            io::CatalogFileSystem& files) {
  const std::string warehouse(StripTrailing(Get(properties, "warehouse"), '/'));
  if (warehouse.empty()) {
    return IllegalArgument(
        "Cannot initialize HadoopCatalog because warehousePath must not be null or empty");
  }
  return std::make_shared<HadoopCatalog>(name, properties, warehouse, files);
}

Result<std::shared_ptr<Catalog>> MakeRest(const std::string& name, const Properties& properties,
                                          io::CatalogFileSystem& files) {
  rest::RestCatalog::Options options;
  options.name = name;
  options.properties = properties;
  options.files = &files;
  options.set_credentials = [&files](const std::string& prefix, const Properties& vended,
                                     std::optional<int64_t> expires_ms,
                                     std::function<void()> renew) {
    std::optional<io::CatalogFileSystem::Renewal> renewal;
    if (expires_ms) renewal = {*expires_ms, std::move(renew)};
    files.SetCredentials(prefix, vended, std::move(renewal));
  };
  return rest::RestCatalog::Open(std::move(options));
}

Result<std::shared_ptr<Catalog>> MakeS3Tables(const std::string& name, const Properties& properties,
                                              io::CatalogFileSystem& files) {
  ASSIGN_OR_RETURN(auto service, S3TablesPointerStore::ReadOptions(properties));
  auto store = std::make_unique<S3TablesPointerStore>(std::move(service));
  S3TablesPointerStore& places = *store;  // lives as long as the catalog
  MetastoreCatalog::Options options = MetastoreOptions(name, properties);
  options.strict_namespaces = true;
  options.supports_views = false;
  return std::make_shared<S3TablesCatalog>(
      std::move(options), std::move(store), files,
      [&places](const TableIdentifier& id) { return places.StorageOf(id); });
}

// A value of `type`, its class in Iceberg, and how it is made; null where Iceblink has none.
struct Kind {
  std::string_view type;
  std::string_view implementation;
  Result<std::shared_ptr<Catalog>> (*make)(const std::string&, const Properties&,
                                           io::CatalogFileSystem&);
};
constexpr std::array kKinds = {
    Kind{"jdbc", "org.apache.iceberg.jdbc.JdbcCatalog", MakeSql},
    Kind{"sql", "", MakeSql},
    Kind{"hadoop", "org.apache.iceberg.hadoop.HadoopCatalog", MakeHadoop},
    Kind{"memory", "org.apache.iceberg.inmemory.InMemoryCatalog", MakeMemory},
    Kind{"in-memory", "", MakeMemory},
    Kind{"rest", "org.apache.iceberg.rest.RESTCatalog", MakeRest},
    Kind{"s3tables", "software.amazon.s3tables.iceberg.S3TablesCatalog", MakeS3Tables},
    Kind{"hive", "org.apache.iceberg.hive.HiveCatalog", nullptr},
    Kind{"glue", "org.apache.iceberg.aws.glue.GlueCatalog", nullptr},
    Kind{"nessie", "org.apache.iceberg.nessie.NessieCatalog", nullptr},
    Kind{"bigquery", "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog", nullptr},
};

// A catalog and the file system that it refers to.
struct Held {
  std::unique_ptr<io::CatalogFileSystem> files;
  std::shared_ptr<Catalog> catalog;
};

Result<std::shared_ptr<Catalog>> MakeWithFiles(const Kind& kind, const std::string& name,
                                               const Properties& properties,
                                               io::FileSystem& fallback) {
  auto held = std::make_shared<Held>();
  held->files = std::make_unique<io::CatalogFileSystem>(properties, fallback);
  ASSIGN_OR_RETURN(held->catalog, kind.make(name, properties, *held->files));
  held->files->SetProperties(held->catalog->properties());  // with what a server added
  return std::shared_ptr<Catalog>(held, held->catalog.get());
}

}  // namespace

Result<std::shared_ptr<Catalog>> MakeCatalog(const std::string& name, const Properties& properties,
                                             io::FileSystem& files) {
  const std::string implementation = Get(properties, "catalog-impl");
  const std::string given = Get(properties, "type");
  if (!given.empty() && !implementation.empty()) {
    return IllegalArgument(
        fmt::format("Cannot create catalog {}, both type and catalog-impl are set: type={}, "
                    "catalog-impl={}",
                    name, given, implementation));
  }
  const std::string type = given.empty() && implementation.empty() ? "hive" : AsciiLower(given);
  for (const Kind& kind : kKinds) {
    const bool matches =
        implementation.empty() ? kind.type == type : kind.implementation == implementation;
    if (!matches) continue;
    if (kind.make != nullptr) return MakeWithFiles(kind, name, properties, files);
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "Cannot create catalog {}: type {} is not built in (jdbc, hadoop, memory, rest are)",
            name, kind.type),
        "UnsupportedOperationException");
  }
  if (!implementation.empty()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("Cannot create catalog {}: catalog-impl {} cannot be loaded", name,
                            implementation),
                "UnsupportedOperationException");
  }
  return Fail(ErrorCode::kUnsupported, fmt::format("Unknown catalog type: {}", given),
              "UnsupportedOperationException");
}

}  // namespace iceblink::catalog
