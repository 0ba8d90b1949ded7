// Views of catalogs and temporary views.
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "engine/table_schema.h"
#include "spec/updates.h"
#include "spec/view_metadata.h"

namespace iceblink::engine {
namespace {

using Scope = sql::CreateView::Scope;

Error ViewNotFound(const sql::Name& name) {
  return FailWith(ErrorCode::kNotFound, "NoSuchViewException", "VIEW_NOT_FOUND", "42P01",
                  "The view " + Join(name, ".") +
                      " cannot be found. Verify the spelling and correctness of the schema and "
                      "catalog.\nIf you did not qualify "
                      "the name with a schema, verify the current_schema() output, or qualify the "
                      "name with the correct schema "
                      "and catalog.\nTo tolerate the error on drop use DROP VIEW IF EXISTS.")
      .value();
}

Error ViewAlreadyExists(const sql::Name& name) {
  return FailWith(ErrorCode::kAlreadyExists, "ViewAlreadyExistsException", "VIEW_ALREADY_EXISTS",
                  "42P07",
                  "Cannot create view " + Join(name, ".") +
                      " because it already exists.\nChoose a different name, drop or replace the "
                      "existing object, or add the "
                      "IF NOT EXISTS clause to tolerate pre-existing objects.")
      .value();
}

tl::unexpected<Error> IcebergAnalysis(std::string message) {
  return Fail(ErrorCode::kAnalysis, std::move(message), "IcebergAnalysisException");
}

Result<StatementResult> CreateTemporary(StatementScope& scope, const sql::CreateView& statement) {
  bool global = statement.scope == Scope::kGlobalTemporary;
  const std::string& name = statement.name.back();
  std::string key = (global ? "global_temp." : "") + Utf8Lower(name);
  auto& views = scope.session.temporary_views;
  if (views.count(key) > 0 && !statement.or_replace) {
    if (statement.if_not_exists) return StatementResult();
    return Fail(TemporaryViewExists(name));
  }
  ASSIGN_OR_RETURN(plan::ViewDefinition definition,
                   scope.analyzer.AnalyzeCreateView(statement, name));
  plan::TemporaryView view;
  view.name = name;
  view.text = statement.query_text;
  for (const sql::ViewColumn& column : statement.columns) view.columns.push_back(column.name);
  views[key] = std::move(view);
  return StatementResult();
}

Result<spec::ViewVersion> VersionOf(StatementScope& scope, const sql::CreateView& statement,
                                    const QualifiedName& name) {
  spec::ViewVersion version;
  version.timestamp_ms = scope.now_ms();
  version.schema_id = -1;
  version.summary = {{"engine-name", "spark"},
                     {"engine-version", kSparkVersion},
                     {"iceberg-version", std::string("Apache Iceberg ") + kIcebergVersion +
                                             " (iceblink " + kVersion + ")"},
                     {"app-id", scope.session.app_id()}};
  version.representations = {{"sql", statement.query_text, "spark"}};
  if (scope.session.current_catalog != name.catalog_name)
    version.default_catalog = scope.session.current_catalog;
  version.default_namespace = scope.session.current_namespace;
  return version;
}

Result<spec::Schema> SchemaOfView(const plan::ViewDefinition& definition,
                                  const sql::CreateView& statement) {
  ASSIGN_OR_RETURN(spec::Schema schema, SchemaOfQuery(definition.columns));
  std::vector<spec::NestedField> fields = schema.fields();
  for (size_t i = 0; i < fields.size() && i < statement.columns.size(); i++)
    fields[i].doc = statement.columns[i].comment;
  return spec::Schema(std::move(fields));
}

std::map<std::string, std::string> ViewProperties(StatementScope& scope,
                                                  const sql::CreateView& statement,
                                                  const plan::ViewDefinition& definition) {
  std::map<std::string, std::string> properties(statement.properties.begin(),
                                                statement.properties.end());
  if (statement.comment) properties["comment"] = *statement.comment;
  properties["owner"] = scope.names.settings().user;
  properties["create_engine_version"] = properties["engine_version"] =
      std::string("Spark ") + kSparkVersion;
  properties["spark.query-column-names"] = Join(definition.query_column_names, ",");
  return properties;
}

Result<StatementResult> CreateInCatalog(StatementScope& scope, const sql::CreateView& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.name));
  catalog::ViewCatalog* views = name.catalog->views();
  if (views == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "Creating a view is not supported by catalog: " + name.catalog_name,
                "UnsupportedOperationException");
  }
  std::string dotted = sql::QuoteNameIfNeeded(name.full());
  ASSIGN_OR_RETURN(plan::ViewDefinition definition,
                   scope.analyzer.AnalyzeCreateView(statement, dotted));
  if (!definition.temporary_views.empty()) {
    std::vector<std::string> names;
    for (const sql::Name& view : definition.temporary_views) names.push_back(Join(view, "."));
    return IcebergAnalysis("Cannot create view " + dotted + " that references temporary view: [" +
                           Join(names, ", ") + "]");
  }
  catalog::TableIdentifier id = name.identifier();
  ASSIGN_OR_RETURN(bool exists, views->ViewExists(id));
  ASSIGN_OR_RETURN(bool is_table, name.catalog->TableExists(id));
  if (is_table || (exists && !statement.or_replace)) {
    if (statement.if_not_exists) return StatementResult();
    return Fail(ViewAlreadyExists(name.rest));
  }
  std::vector<spec::ViewUpdate> updates;
  ASSIGN_OR_RETURN(spec::Schema schema, SchemaOfView(definition, statement));
  ASSIGN_OR_RETURN(spec::ViewVersion version, VersionOf(scope, statement, name));
  if (!exists) {
    ASSIGN_OR_RETURN(std::string location, name.catalog->DefaultTableLocation(id));
    updates.push_back(spec::ViewAssignUuid{NewUuid()});
    updates.push_back(spec::ViewSetLocation{std::move(location)});
  }
  updates.push_back(spec::ViewAddSchema{std::move(schema)});
  updates.push_back(spec::update::AddViewVersion{std::move(version)});
  updates.push_back(spec::update::SetCurrentViewVersion{});
  updates.push_back(spec::ViewSetProperties{ViewProperties(scope, statement, definition)});
  if (!exists) {
    ASSIGN_OR_RETURN(spec::ViewMetadata metadata,
                     spec::ApplyViewUpdates(nullptr, updates, scope.now_ms()));
    RETURN_IF_ERROR(views->CreateView(id, metadata));
    return StatementResult();
  }
  ASSIGN_OR_RETURN(catalog::LoadedView base, views->LoadView(id));
  ASSIGN_OR_RETURN(spec::ViewMetadata metadata,
                   spec::ApplyViewUpdates(base.metadata.get(), updates, scope.now_ms()));
  RETURN_IF_ERROR(views->ReplaceView(id, base, metadata));
  return StatementResult();
}

// Properties that describe the view itself and are not for users.
constexpr std::string_view kReservedViewProperties[] = {"provider", "location", "format-version",
                                                        "spark.query-column-names"};

Status CheckViewProperty(const std::string& key, std::string_view verb) {
  for (std::string_view reserved : kReservedViewProperties) {
    if (reserved == key)
      return IcebergAnalysis("Cannot " + std::string(verb) + " reserved property: '" + key + "'");
  }
  return {};
}

struct ViewHandle {
  QualifiedName name;
  catalog::ViewCatalog* views = nullptr;
  catalog::LoadedView loaded;
};

Status Change(StatementScope&, const ViewHandle&, const sql::AlterViewAs&) {
  return Fail(ErrorCode::kUnsupported,
              "ALTER VIEW <viewName> AS is not supported. Use CREATE OR REPLACE VIEW instead;",
              "ExtendedAnalysisException");
}
Status Change(StatementScope& scope, const ViewHandle&, const sql::AlterViewSchemaMode&) {
  return Fail(UnsupportedStatement(scope.session.current_catalog, "ALTER VIEW ... WITH SCHEMA"));
}

Status ReplaceProperties(StatementScope& scope, const ViewHandle& view,
                         std::vector<spec::ViewUpdate> updates) {
  ASSIGN_OR_RETURN(spec::ViewMetadata metadata,
                   spec::ApplyViewUpdates(view.loaded.metadata.get(), updates, scope.now_ms()));
  RETURN_IF_ERROR(view.views->ReplaceView(view.name.identifier(), view.loaded, metadata));
  return {};
}

Status Change(StatementScope& scope, const ViewHandle& view, const sql::SetProperties& change) {
  spec::ViewSetProperties set;
  for (const auto& [key, value] : change.properties) {
    RETURN_IF_ERROR(CheckViewProperty(key, "set"));
    set.updates[key] = value;
  }
  return ReplaceProperties(scope, view, {std::move(set)});
}

Status Change(StatementScope& scope, const ViewHandle& view, const sql::UnsetProperties& change) {
  spec::ViewRemoveProperties remove;
  for (const std::string& key : change.keys) {
    RETURN_IF_ERROR(CheckViewProperty(key, "unset"));
    if (view.loaded.metadata->properties.count(key) == 0) {
      if (change.if_exists) continue;
      return IcebergAnalysis("Cannot remove property that is not set: '" + key + "'");
    }
    remove.removals.push_back(key);
  }
  return ReplaceProperties(scope, view, {std::move(remove)});
}

Status Change(StatementScope& scope, const ViewHandle& view, const sql::RenameTo& change) {
  ASSIGN_OR_RETURN(QualifiedName to, scope.names.Qualify(change.to));
  if (change.to.size() == 1) {
    to = view.name;
    to.rest.back() = change.to.back();
  }
  if (to.catalog_name != view.name.catalog_name) {
    return IcebergAnalysis("Cannot move view between catalogs: from=" + view.name.catalog_name +
                           " and to=" + to.catalog_name);
  }
  return view.views->RenameView(view.name.identifier(), to.identifier());
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::CreateView& statement) {
  return statement.scope == Scope::kCatalog ? CreateInCatalog(scope, statement)
                                            : CreateTemporary(scope, statement);
}

// A view over files in place: CREATE TEMPORARY VIEW v USING csv OPTIONS (path ...).
Result<StatementResult> Run(StatementScope& scope, const sql::CreateTempViewUsing& statement) {
  plan::FileScan scan;
  scan.format = AsciiLower(statement.provider);
  for (const auto& [key, value] : statement.options) {
    std::string name = AsciiLower(key);
    if (name == "path")
      scan.paths.push_back(value);
    else
      scan.options[name] = value;
  }
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, scope.names.DescribeFiles(scan));
  plan::ColumnId id = 1;
  for (plan::Column& column : columns) column.id = id++;
  for (size_t i = 0; i < statement.columns.size() && i < columns.size(); i++) {
    columns[i].name = statement.columns[i].name.back();
    columns[i].type = statement.columns[i].type;
  }
  plan::Plan plan;
  plan.node = std::move(scan);
  plan.output = std::move(columns);
  plan::TemporaryView view;
  view.name = statement.name.back();
  view.plan = std::make_shared<const plan::Plan>(std::move(plan));
  std::string key = (statement.global ? "global_temp." : "") + Utf8Lower(view.name);
  if (scope.session.temporary_views.count(key) > 0 && !statement.or_replace) {
    return Fail(TemporaryViewExists(view.name));
  }
  scope.session.temporary_views[key] = std::move(view);
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::DropView& statement) {
  if (statement.name.size() == 1 &&
      scope.session.temporary_views.erase(Utf8Lower(statement.name.front())) > 0) {
    return StatementResult();
  }
  if (statement.name.size() == 2 && EqualsIgnoreCase(statement.name.front(), "global_temp")) {
    if (scope.session.temporary_views.erase("global_temp." + Utf8Lower(statement.name.back())) > 0)
      return StatementResult();
  }
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.name));
  bool exists = false;
  if (name.catalog->views() != nullptr) {
    ASSIGN_OR_RETURN(exists, name.catalog->views()->ViewExists(name.identifier()));
  }
  if (!exists) {
    if (statement.if_exists) return StatementResult();
    return Fail(ViewNotFound(name.rest));
  }
  RETURN_IF_ERROR(name.catalog->views()->DropView(name.identifier()));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::AlterView& statement) {
  ViewHandle view;
  ASSIGN_OR_RETURN(view.name, scope.names.Qualify(statement.name));
  view.views = view.name.catalog->views();
  if (view.views == nullptr) return Fail(ViewNotFound(view.name.rest));
  auto loaded = view.views->LoadView(view.name.identifier());
  if (!loaded) {
    if (loaded.error().code != ErrorCode::kNotFound) return Fail(std::move(loaded).error());
    return Fail(TableNotFound(view.name.full(), "ExtendedAnalysisException", "; line 1 pos 11;"));
  }
  view.loaded = std::move(*loaded);
  RETURN_IF_ERROR(std::visit([&](const auto& change) { return Change(scope, view, change); },
                             statement.change));
  return StatementResult();
}

}  // namespace iceblink::engine
