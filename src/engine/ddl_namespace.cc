// CREATE, DROP and ALTER NAMESPACE, USE and SET CATALOG.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/statements.h"

namespace iceblink::engine {
namespace {

std::string Owner(const StatementScope& scope) { return scope.names.settings().user; }

// Spark makes a path a URI of Hadoop's: one without a scheme is local.
std::string LocationUri(const std::string& location) {
  return location.starts_with('/') ? "file:" + location : location;
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::CreateNamespace& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
  ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
  if (exists) {
    if (statement.if_not_exists) return StatementResult();
    return Fail(SchemaAlreadyExists(name.rest));
  }
  catalog::Properties properties(statement.properties.begin(), statement.properties.end());
  if (statement.comment) properties["comment"] = *statement.comment;
  if (statement.location) properties["location"] = LocationUri(*statement.location);
  // The Hadoop layout has no place for properties, and Iceberg refuses any.
  const auto& settings = name.catalog->properties();
  auto type = settings.find("type");
  if (type == settings.end() || type->second != "hadoop") properties["owner"] = Owner(scope);
  auto created = name.catalog->CreateNamespace(name.rest, properties);
  if (!created && created.error().code == ErrorCode::kAlreadyExists) {
    if (statement.if_not_exists) return StatementResult();
    return Fail(SchemaAlreadyExists(name.rest));
  }
  RETURN_IF_ERROR(created);
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::DropNamespace& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
  ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
  if (!exists) {
    if (statement.if_exists) return StatementResult();
    return Fail(SchemaNotFound(name.full()));
  }
  // CASCADE is not passed on, as in Iceberg's catalogs: a namespace that holds something stays.
  RETURN_IF_ERROR(name.catalog->DropNamespace(name.rest));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::AlterNamespace& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
  ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
  if (!exists) return Fail(SchemaNotFound(name.full()));
  catalog::Properties set(statement.set.begin(), statement.set.end());
  if (statement.location) set["location"] = LocationUri(*statement.location);
  if (!set.empty()) RETURN_IF_ERROR(name.catalog->SetNamespaceProperties(name.rest, set));
  if (!statement.unset.empty())
    RETURN_IF_ERROR(name.catalog->RemoveNamespaceProperties(name.rest, statement.unset));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::Use& statement) {
  SessionState& session = scope.session;
  if (!statement.is_namespace && statement.name.size() == 1 &&
      session.catalogs.Exists(statement.name.front())) {
    ASSIGN_OR_RETURN(auto catalog, session.catalogs.Get(statement.name.front()));
    session.UseCatalog(statement.name.front());
    return StatementResult();
  }
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
  ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
  if (!exists) return Fail(SchemaNotFound(name.full()));
  session.current_catalog = name.catalog_name;
  session.current_namespace = name.rest;
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::SetCatalog& statement) {
  ASSIGN_OR_RETURN(auto catalog, scope.session.catalogs.Get(statement.name));
  scope.session.UseCatalog(statement.name);
  return StatementResult();
}

}  // namespace iceblink::engine
