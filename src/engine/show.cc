// SHOW statements.
#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "engine/table_description.h"
#include "plan/functions.h"
#include "plan/procedures.h"
#include "spec/view_metadata.h"

namespace iceblink::engine {
namespace {

bool Matches(const std::string& name, const std::optional<std::string>& pattern) {
  return !pattern || MatchesShowPattern(name, *pattern);
}

std::vector<std::string> TemporaryViewNames(const StatementScope& scope) {
  std::vector<std::string> names;
  for (const auto& [key, view] : scope.session.temporary_views) {
    if (!key.starts_with("global_temp.")) names.push_back(view.name);
  }
  return names;
}

std::vector<ResultColumn> RelationColumns(std::string name_column) {
  return {StringColumn("namespace"), StringColumn(std::move(name_column)),
          BooleanColumn("isTemporary")};
}

// Temporary views are listed with every namespace, under no name.
void AppendTemporary(const StatementScope& scope, const std::optional<std::string>& pattern,
                     std::vector<ValueList>& rows) {
  for (const std::string& name : TemporaryViewNames(scope)) {
    if (Matches(name, pattern)) rows.push_back({Value(""), Value(name), Value(true)});
  }
}

std::string QuotedNamespace(const catalog::Namespace& ns) { return sql::QuoteNameIfNeeded(ns); }

Result<std::vector<ValueList>> TableRows(StatementScope& scope, const QualifiedName& ns,
                                         const std::optional<std::string>& pattern) {
  std::vector<ValueList> rows;
  ASSIGN_OR_RETURN(std::vector<catalog::TableIdentifier> tables, ns.catalog->ListTables(ns.rest));
  for (const catalog::TableIdentifier& table : tables) {
    if (Matches(table.name, pattern))
      rows.push_back({Value(QuotedNamespace(table.ns)), Value(table.name), Value(false)});
  }
  AppendTemporary(scope, pattern, rows);
  return rows;
}

std::string TableInformation(const std::string& catalog, const catalog::TableIdentifier& id,
                             const spec::TableMetadata& metadata) {
  std::string text = "Catalog: " + catalog + "\nNamespace: " + QuotedNamespace(id.ns) +
                     "\nTable: " + id.name + "\nType: MANAGED\n";
  if (std::string comment = metadata.Property("comment"); !comment.empty())
    text += "Comment: " + comment + "\n";
  text += "Location: " + metadata.location + "\nProvider: iceberg\n";
  if (std::string owner = metadata.Property("owner"); !owner.empty())
    text += "Owner: " + owner + "\n";
  std::vector<std::string> properties;
  for (const auto& [key, value] : VisibleProperties(metadata, metadata.current_snapshot_id)) {
    properties.push_back(key + "=" + value);
  }
  // Spark prints the text of the properties character by character; what is read is the text.
  std::string joined = "[" + Join(properties, ",") + "]", spread;
  for (char c : joined) spread += (spread.empty() ? "" : ",") + std::string(1, c);
  return text + "Table Properties: [" + spread + "]\nSchema: " + SchemaTree(metadata.schema()) +
         "\n";
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::ShowTables& statement) {
  ASSIGN_OR_RETURN(QualifiedName ns, scope.names.QualifyNamespace(statement.in));
  ASSIGN_OR_RETURN(std::vector<ValueList> rows, TableRows(scope, ns, statement.pattern));
  return StatementResult(RelationColumns("tableName"), std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowTableExtended& statement) {
  ASSIGN_OR_RETURN(QualifiedName ns, scope.names.QualifyNamespace(statement.in));
  ASSIGN_OR_RETURN(std::vector<catalog::TableIdentifier> tables, ns.catalog->ListTables(ns.rest));
  std::vector<ValueList> rows;
  for (const catalog::TableIdentifier& id : tables) {
    if (!MatchesShowPattern(id.name, statement.pattern)) continue;
    ASSIGN_OR_RETURN(catalog::LoadedTable loaded, ns.catalog->LoadTable(id));
    rows.push_back({Value(QuotedNamespace(id.ns)), Value(id.name), Value(false),
                    Value(TableInformation(ns.catalog_name, id, *loaded.metadata))});
  }
  std::vector<ResultColumn> columns = RelationColumns("tableName");
  columns.push_back(StringColumn("information"));
  return StatementResult(std::move(columns), std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowViews& statement) {
  ASSIGN_OR_RETURN(QualifiedName ns, scope.names.QualifyNamespace(statement.in));
  std::vector<ValueList> rows;
  if (ns.catalog->views() != nullptr) {
    ASSIGN_OR_RETURN(std::vector<catalog::TableIdentifier> views,
                     ns.catalog->views()->ListViews(ns.rest));
    for (const catalog::TableIdentifier& view : views) {
      if (Matches(view.name, statement.pattern)) {
        rows.push_back({Value(QuotedNamespace(view.ns)), Value(view.name), Value(false)});
      }
    }
  }
  AppendTemporary(scope, statement.pattern, rows);
  return StatementResult(RelationColumns("viewName"), std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowNamespaces& statement) {
  QualifiedName parent;
  if (statement.in.empty()) {
    parent.catalog_name = scope.session.current_catalog;
    ASSIGN_OR_RETURN(parent.catalog, scope.session.catalogs.Get(parent.catalog_name));
  } else {
    ASSIGN_OR_RETURN(parent, scope.names.QualifyNamespace(statement.in));
  }
  ASSIGN_OR_RETURN(std::vector<catalog::Namespace> children,
                   parent.catalog->ListNamespaces(parent.rest));
  std::vector<ValueList> rows;
  for (const catalog::Namespace& child : children) {
    std::string name = QuotedNamespace(child);
    if (Matches(name, statement.pattern)) rows.push_back({Value(std::move(name))});
  }
  return StatementResult({StringColumn("namespace")}, std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowCatalogs& statement) {
  std::vector<ValueList> rows;
  for (const std::string& name : scope.session.catalogs.Loaded()) {
    if (Matches(name, statement.pattern)) rows.push_back({Value(name)});
  }
  return StatementResult({StringColumn("catalog")}, std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowCurrentNamespace&) {
  return StatementResult({StringColumn("catalog"), StringColumn("namespace")},
                         {{Value(scope.session.current_catalog),
                           Value(QuotedNamespace(scope.session.current_namespace))}});
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowColumns& statement) {
  sql::Name name = statement.table;
  if (!statement.in.empty() && name.size() == 1)
    name.insert(name.begin(), statement.in.begin(), statement.in.end());
  ASSIGN_OR_RETURN(TableHandle table, scope.names.GetTable(name));
  // Spark compares the namespace as given with the table's own, which has no catalog in front.
  if (!statement.in.empty() && statement.in != table.id.ns) {
    return FailWith(ErrorCode::kAnalysis, "AnalysisException",
                    "SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", "42K05",
                    "SHOW COLUMNS with conflicting namespaces: " + sql::QuoteName(statement.in) +
                        " != " + sql::QuoteName(table.id.ns) + ".");
  }
  std::vector<ValueList> rows;
  for (const spec::NestedField& field : table.metadata().schema().fields())
    rows.push_back({Value(field.name)});
  return StatementResult({StringColumn("col_name")}, std::move(rows));
}

namespace {

Result<std::map<std::string, std::string>> PropertiesToShow(StatementScope& scope,
                                                            const sql::Name& name) {
  ASSIGN_OR_RETURN(std::optional<TableHandle> table, scope.names.FindTable(name));
  if (table) return VisibleProperties(table->metadata(), table->metadata().current_snapshot_id);
  ASSIGN_OR_RETURN(QualifiedName qualified, scope.names.Qualify(name));
  if (qualified.catalog->views() != nullptr) {
    if (auto view = qualified.catalog->views()->LoadView(qualified.identifier())) {
      return VisibleViewProperties(*view->metadata);
    }
  }
  return Fail(TableNotFound(name, "ExtendedAnalysisException", "; line 1 pos 19;"));
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::ShowTableProperties& statement) {
  ASSIGN_OR_RETURN(auto properties, PropertiesToShow(scope, statement.table));
  std::vector<ResultColumn> columns{StringColumn("key"), StringColumn("value")};
  if (statement.key) {
    auto at = properties.find(*statement.key);
    if (at != properties.end())
      return StatementResult(std::move(columns), {{Value(at->first), Value(at->second)}});
    sql::Name full = statement.table;
    ASSIGN_OR_RETURN(QualifiedName qualified, scope.names.Qualify(statement.table));
    std::string text = "Table " + sql::QuoteNameIfNeeded(qualified.full()) +
                       " does not have property: " + *statement.key;
    return StatementResult(std::move(columns), {{Value(*statement.key), Value(std::move(text))}});
  }
  std::vector<ValueList> rows;
  if (properties.count("provider") > 0) {  // a view's: the reserved ones come first
    for (const char* key : {"location", "provider"}) {
      rows.push_back({Value(key), Value(properties[key])});
      properties.erase(key);
    }
  }
  for (const auto& [key, value] : properties) rows.push_back({Value(key), Value(value)});
  return StatementResult(std::move(columns), std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowPartitions& statement) {
  ASSIGN_OR_RETURN(TableHandle table, scope.names.GetTable(statement.table));
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
  return Fail(NoPartitionManagement(sql::QuoteName(name.full()), "; line 1 pos 16;"));
}

Result<StatementResult> Run(StatementScope&, const sql::ShowFunctions& statement) {
  std::set<std::string> names;
  for (auto rows : {plan::ScalarFunctions(), plan::AggregateFunctions(), plan::WindowFunctions(),
                    plan::GeneratorFunctions()}) {
    for (const plan::FunctionRow& row : rows) names.emplace(row.name);
  }
  std::vector<ValueList> rows;
  for (const std::string& name : names) {
    if (Matches(name, statement.pattern)) rows.push_back({Value(name)});
  }
  return StatementResult({StringColumn("function")}, std::move(rows));
}

Result<StatementResult> Run(StatementScope& scope, const sql::ShowProcedures& statement) {
  ASSIGN_OR_RETURN(QualifiedName in, scope.names.QualifyNamespace(statement.in));
  std::vector<ValueList> rows;
  if (in.rest.size() == 1 && EqualsIgnoreCase(in.rest.front(), "system")) {
    for (const plan::Procedure& procedure : plan::Procedures()) {
      rows.push_back({Value(in.catalog_name), Value::Array({Value("system")}), Value("system"),
                      Value(std::string(procedure.name))});
    }
    std::sort(rows.begin(), rows.end(),
              [](const ValueList& a, const ValueList& b) { return CompareValues(a[3], b[3]) < 0; });
  }
  return StatementResult({StringColumn("catalog"),
                          {"namespace", sql::DataType::Array(sql::TypeKind::kString)},
                          StringColumn("schema"),
                          StringColumn("procedure_name")},
                         std::move(rows));
}

}  // namespace iceblink::engine
