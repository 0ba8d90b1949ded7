// DESCRIBE of tables, columns, namespaces, functions and procedures; SHOW CREATE TABLE.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "engine/table_description.h"
#include "engine/table_selection.h"
#include "engine/transforms.h"
#include "plan/analyzer.h"
#include "plan/functions.h"
#include "plan/procedures.h"
#include "plan/types.h"
#include "spec/view_metadata.h"
#include "sql/parser.h"
#include "table/metadata_columns.h"
#include "table/metadata_tables.h"

namespace iceblink::engine {
namespace {

using Rows = std::vector<ValueList>;

const std::vector<ResultColumn>& DescribeColumns() {
  static const std::vector<ResultColumn> kColumns{
      StringColumn("col_name"), StringColumn("data_type"), StringColumn("comment")};
  return kColumns;
}

ValueList Row(std::string a, std::string b = {}, std::string c = {}) {
  return {Value(std::move(a)), Value(std::move(b)), Value(std::move(c))};
}

Status AppendSchema(const spec::Schema& schema, Rows& rows) {
  for (const spec::NestedField& field : schema.fields()) {
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field.type));
    rows.push_back(
        {Value(field.name), Value(type.SimpleString()), field.doc ? Value(*field.doc) : Value()});
  }
  return {};
}

void AppendPartitioning(const spec::TableMetadata& metadata, Rows& rows) {
  std::vector<std::string> parts = DescribePartitioning(metadata.spec(), metadata.schema());
  if (parts.empty()) return;
  bool identity_only = true;
  for (const spec::PartitionField& field : metadata.spec().fields)
    identity_only &= field.transform.is_identity();
  if (identity_only) {
    rows.push_back(Row("# Partition Information"));
    rows.push_back(Row("# col_name", "data_type", "comment"));
    for (const spec::PartitionField& field : metadata.spec().fields) {
      const spec::NestedField* column = metadata.schema().FindField(field.source_id);
      auto type = plan::ToSparkType(column->type);
      rows.push_back({Value(metadata.schema().FullName(field.source_id)),
                      Value(type ? type->SimpleString() : ""),
                      column->doc ? Value(*column->doc) : Value()});
    }
    return;
  }
  rows.push_back(Row(""));
  rows.push_back(Row("# Partitioning"));
  for (size_t i = 0; i < parts.size(); i++)
    rows.push_back(Row("Part " + std::to_string(i), parts[i]));
}

Status AppendMetadataColumns(const spec::TableMetadata& metadata, Rows& rows) {
  rows.push_back(Row(""));
  rows.push_back(Row("# Metadata Columns"));
  ASSIGN_OR_RETURN(std::vector<spec::NestedField> columns, table::MetadataColumns(metadata));
  // Spark lists them as Iceberg's Spark table declares them.
  static constexpr std::string_view kOrder[] = {"_spec_id",
                                                "_partition",
                                                "_file",
                                                "_pos",
                                                "_deleted",
                                                "_row_id",
                                                "_last_updated_sequence_number"};
  for (std::string_view name : kOrder) {
    for (const spec::NestedField& column : columns) {
      if (column.name != name) continue;
      ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(column.type));
      rows.push_back(Row(column.name, type.SimpleString()));
    }
  }
  return {};
}

// Rows and bytes by the summary, as Spark estimates them: rows times the default width of a row.
std::string Statistics(const spec::TableMetadata& metadata) {
  const spec::Snapshot* snapshot = metadata.CurrentSnapshot();
  if (snapshot == nullptr) return "0 bytes, 0 rows";
  auto total = [&](const char* key) {
    auto at = snapshot->summary.find(key);
    return at == snapshot->summary.end() ? std::string("0") : at->second;
  };
  return total("total-files-size") + " bytes, " + total("total-records") + " rows";
}

void AppendDetails(const plan::TableRef& table, Rows& rows) {
  const spec::TableMetadata& metadata = *table.metadata;
  rows.push_back(Row(""));
  rows.push_back(Row("# Detailed Table Information"));
  rows.push_back(Row("Name", table.DottedName()));
  rows.push_back(Row("Type", "MANAGED"));
  if (std::string comment = metadata.Property("comment"); !comment.empty())
    rows.push_back(Row("Comment", comment));
  rows.push_back(Row("Location", metadata.location));
  rows.push_back(Row("Provider", "iceberg"));
  if (std::string owner = metadata.Property("owner"); !owner.empty())
    rows.push_back(Row("Owner", owner));
  std::vector<std::string> properties;
  for (const auto& [key, value] : VisibleProperties(metadata, table.snapshot_id))
    properties.push_back(key + "=" + value);
  rows.push_back(Row("Table Properties", "[" + Join(properties, ",") + "]"));
  rows.push_back({Value("Statistics"), Value(Statistics(metadata)), Value()});
}

Result<StatementResult> DescribeData(const plan::TableRef& table, bool extended, bool selected) {
  Rows rows;
  RETURN_IF_ERROR(AppendSchema(*table.schema, rows));
  if (!selected) AppendPartitioning(*table.metadata, rows);
  if (extended) {
    RETURN_IF_ERROR(AppendMetadataColumns(*table.metadata, rows));
    AppendDetails(table, rows);
  }
  return StatementResult(DescribeColumns(), std::move(rows));
}

Result<StatementResult> DescribeMetadataTable(const plan::MetadataTable& table) {
  ASSIGN_OR_RETURN(spec::Schema schema,
                   table::MetadataTableSchema(table.kind, *table.table.metadata));
  Rows rows;
  RETURN_IF_ERROR(AppendSchema(schema, rows));
  // position_deletes is partitioned as the table is, by fields of its column `partition`.
  const spec::NestedField* partition = schema.FindField("partition");
  if (table.kind == table::MetadataTableKind::kPositionDeletes && partition != nullptr) {
    rows.push_back(Row("# Partition Information"));
    rows.push_back(Row("# col_name", "data_type", "comment"));
    for (const spec::NestedField& field : partition->type.AsStruct().fields) {
      ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field.type));
      rows.push_back({Value("partition." + field.name), Value(type.SimpleString()), Value()});
    }
  }
  return StatementResult(DescribeColumns(), std::move(rows));
}

Result<StatementResult> DescribePlan(const std::vector<plan::Column>& columns) {
  Rows rows;
  for (const plan::Column& column : columns) {
    rows.push_back({Value(column.name), Value(column.type.SimpleString()), Value()});
  }
  return StatementResult(DescribeColumns(), std::move(rows));
}

Result<StatementResult> DescribeView(StatementScope& scope, const plan::CatalogView& view,
                                     bool extended) {
  Rows rows;
  ASSIGN_OR_RETURN(auto catalog, scope.session.catalogs.Get(view.catalog));
  catalog::TableIdentifier id{{view.identifier.begin(), view.identifier.end() - 1},
                              view.identifier.back()};
  ASSIGN_OR_RETURN(catalog::LoadedView loaded, catalog->views()->LoadView(id));
  RETURN_IF_ERROR(AppendSchema(loaded.metadata->schema(), rows));
  for (ValueList& row : rows) {
    if (row[2].is_null()) row[2] = Value("");
  }
  if (extended) {
    const auto& properties = loaded.metadata->properties;
    auto comment = properties.find("comment");
    rows.push_back(Row(""));
    rows.push_back(Row("# Detailed View Information"));
    rows.push_back(Row("Comment", comment == properties.end() ? "" : comment->second));
    rows.push_back(Row("View Catalog and Namespace", view.catalog + "." + Join(id.ns, ".")));
    rows.push_back(
        Row("View Query Output Columns", "[" + Join(view.query_column_names, ", ") + "]"));
    std::vector<std::string> shown;
    for (const auto& [key, value] : VisibleViewProperties(*loaded.metadata))
      shown.push_back("'" + key + "' = '" + value + "'");
    rows.push_back(Row("View Properties", "[" + Join(shown, ", ") + "]"));
    rows.push_back(Row("Created By", "Spark " + std::string(kSparkVersion)));
  }
  return StatementResult(DescribeColumns(), std::move(rows));
}

Status UnresolvedColumn(const sql::Name& name, const spec::Schema& schema) {
  std::vector<sql::Name> columns;
  for (const spec::NestedField& field : schema.fields()) columns.push_back({field.name});
  return Fail(plan::UnresolvedColumnError(name, columns, true, sql::Position{}));
}

Result<StatementResult> DescribeColumn(const plan::TableRef& table, const sql::Name& name) {
  if (name.size() > 1 && table.schema->FindField(name.front(), false) != nullptr) {
    Error error =
        Error::Make(ErrorCode::kUnsupported,
                    "DESC TABLE COLUMN does not support nested column: " + Join(name, ".") + ".",
                    "AnalysisException");
    error.condition = "_LEGACY_ERROR_TEMP_1060";
    return Fail(std::move(error));
  }
  const spec::NestedField* field = table.schema->FindField(name.back(), false);
  if (field == nullptr || name.size() > 1)
    return Fail(UnresolvedColumn(name, *table.schema).error());
  ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field->type));
  return StatementResult({StringColumn("info_name"), StringColumn("info_value")},
                         {{Value("col_name"), Value(field->name)},
                          {Value("data_type"), Value(type.SimpleString())},
                          {Value("comment"), Value(field->doc.value_or("NULL"))}});
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::DescribeTable& statement) {
  ASSIGN_OR_RETURN(auto relation, scope.names.Resolve({statement.table, {}, {}, {}, false}));
  if (!relation)
    return Fail(TableNotFound(statement.table, "ExtendedAnalysisException", "; line 1 pos 9;"));
  if (statement.as_json) return Fail(NotSupportedForV2("DESCRIBE TABLE AS JSON"));
  if (const auto* view = std::get_if<plan::CatalogView>(&*relation))
    return DescribeView(scope, *view, statement.extended);
  if (const auto* metadata = std::get_if<plan::MetadataTable>(&*relation)) {
    return DescribeMetadataTable(*metadata);
  }
  if (const auto* data = std::get_if<plan::DataTable>(&*relation)) {
    if (!statement.column.empty()) return DescribeColumn(data->table, statement.column);
    ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
    return DescribeData(data->table, statement.extended, name.rest != data->table.identifier);
  }
  if (std::holds_alternative<plan::TemporaryView>(*relation)) {
    ASSIGN_OR_RETURN(sql::QueryPtr query,
                     sql::ParseQuery("SELECT * FROM " + sql::QuoteName(statement.table)));
    ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*query));
    return DescribePlan(plan->output);
  }
  return Fail(UnsupportedFeature("DESCRIBE " + sql::QuoteNameIfNeeded(statement.table)));
}

namespace {

Result<StatementResult> ShowCreateView(StatementScope& scope, const sql::Name& name) {
  ASSIGN_OR_RETURN(QualifiedName qualified, scope.names.Qualify(name));
  catalog::ViewCatalog* views = qualified.catalog->views();
  Result<catalog::LoadedView> view = Fail(TableNotFound(name));
  if (views != nullptr) view = views->LoadView(qualified.identifier());
  if (!view) return Fail(TableNotFound(name, "ExtendedAnalysisException", "; line 1 pos 18;"));
  std::string text = CreateViewText(sql::QuoteNameIfNeeded(qualified.full()), *view->metadata);
  return StatementResult({StringColumn("createtab_stmt")}, {{Value(std::move(text))}});
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::ShowCreateTable& statement) {
  ASSIGN_OR_RETURN(std::optional<TableHandle> table, scope.names.FindTable(statement.table));
  if (!table) return ShowCreateView(scope, statement.table);
  if (statement.as_serde) return Fail(NotSupportedForV2("SHOW CREATE TABLE AS SERDE"));
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
  return StatementResult(
      {StringColumn("createtab_stmt")},
      {{Value(CreateTableText(sql::QuoteNameIfNeeded(name.full()), table->metadata()))}});
}

Result<StatementResult> Run(StatementScope& scope, const sql::DescribeNamespace& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
  ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
  if (!exists) return Fail(SchemaNotFound(name.full()));
  ASSIGN_OR_RETURN(catalog::Properties properties, name.catalog->LoadNamespace(name.rest));
  Rows rows{{Value("Catalog Name"), Value(name.catalog_name)},
            {Value("Namespace Name"), Value(name.rest.empty() ? "" : name.rest.back())}};
  static constexpr std::pair<std::string_view, std::string_view> kReserved[] = {
      {"comment", "Comment"}, {"location", "Location"}, {"owner", "Owner"}};
  for (const auto& [key, title] : kReserved) {
    auto at = properties.find(std::string(key));
    if (at == properties.end()) continue;
    rows.push_back({Value(std::string(title)), Value(at->second)});
    properties.erase(at);
  }
  if (statement.extended) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : properties) pairs.push_back("(" + key + "," + value + ")");
    rows.push_back(
        {Value("Properties"), Value(pairs.empty() ? "" : "(" + Join(pairs, ", ") + ")")});
  }
  return StatementResult({StringColumn("info_name"), StringColumn("info_value")}, std::move(rows));
}

Result<StatementResult> Run(StatementScope&, const sql::DescribeFunction& statement) {
  std::string name = AsciiLower(statement.name.back());
  if (plan::FindFunction(name) != nullptr) {
    return StatementResult({StringColumn("function_desc")}, {{Value("Function: " + name)}});
  }
  return FailWith(
      ErrorCode::kAnalysis, "ExtendedAnalysisException", "UNRESOLVED_ROUTINE", "42883",
      "Cannot resolve routine " + sql::QuoteName(statement.name) +
          " on search path [`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`].");
}

Result<StatementResult> Run(StatementScope&, const sql::DescribeProcedure& statement) {
  const plan::Procedure* procedure = plan::FindProcedure(statement.name.back());
  if (procedure == nullptr) {
    return FailWith(ErrorCode::kAnalysis, "AnalysisException", "FAILED_TO_LOAD_ROUTINE", "38000",
                    "Failed to load routine " + sql::QuoteName(statement.name) + ".");
  }
  std::string implementation;
  for (const std::string& word : Split(procedure->name, '_')) {
    implementation += AsciiUpper(word.substr(0, 1)) + word.substr(1);
  }
  if (implementation == "ExpireSnapshots")
    implementation = "ExpireSnapshot";  // named so in Iceberg
  return StatementResult({StringColumn("procedure_desc")},
                         {{Value("Procedure:   " + std::string(procedure->name))},
                          {Value("Description: " + implementation + "Procedure")}});
}

}  // namespace iceblink::engine
