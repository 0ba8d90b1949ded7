// migrate: Spark's way to turn a table of its session catalog into an Iceberg table in place. Every
// table is an Iceberg table here, so what remains is what Spark says of those.
#include "engine/errors.h"
#include "engine/procedures.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kCatalogClass = "org.apache.iceberg.spark.SparkCatalog";
constexpr std::string_view kPlainSessionCatalogClass =
    "org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog";

tl::unexpected<Error> WrongCatalog(const std::string& name, std::string_view class_name) {
  return IllegalArgument("Cannot migrate a table from a non-Iceberg Spark Session Catalog. Found " +
                         name + " of class " + std::string(class_name) + " as the source catalog.");
}

}  // namespace

Result<ProcedureRows> Migrate(const ProcedureCall& call) {
  if (call.Text("table").empty())
    return IllegalArgument("Cannot handle an empty identifier for argument table");
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(call.Text("table")));
  std::string catalog_name = kSessionCatalog;
  if (name.size() > 1 && call.scope.session.catalogs.Exists(name.front())) {
    catalog_name = name.front();
    name.erase(name.begin());
  }
  if (catalog_name != kSessionCatalog) return WrongCatalog(catalog_name, kCatalogClass);
  if (!call.scope.configuration().IsSet("spark.sql.catalog." + catalog_name))
    return WrongCatalog(catalog_name, kPlainSessionCatalogClass);
  ASSIGN_OR_RETURN(const auto catalog, call.scope.session.catalogs.Get(catalog_name));
  if (name.size() == 1) name.insert(name.begin(), "default");
  const catalog::TableIdentifier id{{name.begin(), name.end() - 1}, name.back()};
  const auto exists = catalog->TableExists(id);
  if (!exists || !*exists) {
    return Fail(ErrorCode::kNotFound, "Cannot find source table '" + id.ToString() + "'",
                "NoSuchTableException");
  }
  return IllegalArgument("Cannot use non-v1 table '" + id.ToString() + "' as a source");
}

}  // namespace iceblink::engine
