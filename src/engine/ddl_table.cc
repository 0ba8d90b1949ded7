// CREATE, REPLACE and DROP TABLE, with and without AS SELECT.
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "commit/reachable_files.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "engine/table_schema.h"
#include "engine/table_write.h"
#include "spec/updates.h"

namespace iceblink::engine {
namespace {

using Mode = sql::CreateTable::Mode;

// The table that a statement asks for, and the query that fills it (null: none).
struct TableRequest {
  QualifiedName name;
  spec::NewTable table;
  plan::PlanPtr query;
};

Result<std::string> FormatOfProvider(const std::optional<std::string>& provider) {
  std::string name = AsciiLower(provider.value_or("iceberg"));
  if (name == "iceberg") return std::string();
  if (name == "parquet" || name == "avro" || name == "orc") return name;
  return Fail(ErrorCode::kInvalidArgument, "Unsupported format in USING: " + *provider,
              "IllegalArgumentException");
}

Status RefuseClauses(const sql::CreateTable& statement, const QualifiedName& name) {
  if (!statement.constraints.empty()) {
    return FailWith(ErrorCode::kUnsupported, "AnalysisException",
                    "UNSUPPORTED_FEATURE.TABLE_OPERATION", "0A000",
                    "The feature is not supported: Table " + sql::QuoteName(name.full()) +
                        " does not support table constraint. Please check the current catalog and "
                        "namespace to make sure "
                        "the qualified table name is expected, and also check the catalog "
                        "implementation which is "
                        "configured by \"spark.sql.catalog\".");
  }
  const std::string& catalog = name.catalog_name;
  if (statement.stored_as)
    return Fail(UnsupportedStatement(catalog, "STORED AS " + *statement.stored_as));
  if (statement.collation) return Fail(UnsupportedStatement(catalog, "DEFAULT COLLATION"));
  return {};
}

Result<std::map<std::string, std::string>> PropertiesOf(const StatementScope& scope,
                                                        const sql::CreateTable& statement,
                                                        const catalog::Catalog& catalog) {
  std::map<std::string, std::string> properties;
  for (const auto& [key, value] : catalog.properties()) {
    constexpr std::string_view kDefault = "table-default.";
    if (key.starts_with(kDefault)) properties[key.substr(kDefault.size())] = value;
  }
  properties["write.parquet.compression-codec"] = "zstd";
  properties["owner"] = scope.names.settings().user;
  for (const auto& [key, value] : statement.options) {
    properties[key] = value;
    properties["option." + key] = value;
  }
  ASSIGN_OR_RETURN(std::string format, FormatOfProvider(statement.provider));
  if (!format.empty()) properties["write.format.default"] = format;
  for (const auto& [key, value] : statement.properties) properties[key] = value;
  if (statement.comment) properties["comment"] = *statement.comment;
  for (const auto& [key, value] : catalog.properties()) {
    constexpr std::string_view kOverride = "table-override.";
    if (key.starts_with(kOverride)) properties[key.substr(kOverride.size())] = value;
  }
  properties.erase("location");
  properties.erase("provider");
  return properties;
}

std::string LocationOf(const sql::CreateTable& statement) {
  if (statement.location) return std::string(StripTrailing(*statement.location, '/'));
  for (const auto& [key, value] : statement.properties) {
    if (key == "location") return std::string(StripTrailing(value, '/'));
  }
  return {};
}

Result<TableRequest> Analyze(StatementScope& scope, const sql::CreateTable& statement,
                             QualifiedName name) {
  TableRequest request;
  request.name = std::move(name);
  RETURN_IF_ERROR(RefuseClauses(statement, request.name));
  std::vector<sql::ColumnDefinition> columns = statement.columns;
  for (sql::ColumnDefinition& column : PartitionColumns(statement))
    columns.push_back(std::move(column));
  if (statement.query != nullptr) {
    ASSIGN_OR_RETURN(request.query, scope.analyzer.AnalyzeCreateTableAs(statement));
    ASSIGN_OR_RETURN(request.table.schema, SchemaOfQuery(request.query->output));
  } else {
    ASSIGN_OR_RETURN(request.table.schema,
                     SchemaOfColumns(columns, sql::QuoteName(request.name.full())));
  }
  ASSIGN_OR_RETURN(request.table.spec, SpecOfPartitioning(statement, request.table.schema));
  ASSIGN_OR_RETURN(request.table.properties, PropertiesOf(scope, statement, *request.name.catalog));
  request.table.location = LocationOf(statement);
  request.table.uuid = NewUuid();
  return request;
}

// Writes the query's rows and commits them with the table. A replaced table is overwritten, a new
// one appended to.
Status FillAndCommit(StatementScope& scope, const TableRequest& request,
                     commit::Transaction transaction, commit::ChangeKind kind) {
  commit::SnapshotChange change;
  if (request.query != nullptr) {
    auto metadata = std::make_shared<const spec::TableMetadata>(transaction.metadata());
    scope.session.Reach(request.name.catalog, *metadata);
    exec::WriteSpec write = MakeWriteSpec(scope, metadata);
    ASSIGN_OR_RETURN(exec::WrittenFiles written,
                     scope.executor().Write(request.query, write, scope.context()));
    change.kind = kind;
    change.added_files = std::move(written.data_files);
    change.summary = WriteSummary(scope.session);
    if (kind == commit::ChangeKind::kOverwrite) change.row_filter = expr::Expression::True();
    transaction.Add(change);
  }
  auto outcome = transaction.Commit();
  if (!outcome) {
    DiscardFiles(*request.name.catalog, outcome.error(), change.added_files);
    return Fail(std::move(outcome).error());
  }
  return {};
}

// As Spark names them: without the catalog.
Error AlreadyExists(const QualifiedName& name) { return TableAlreadyExists(name.rest); }

Status CreateNew(StatementScope& scope, TableRequest request, commit::ChangeKind kind,
                 bool if_not_exists) {
  catalog::TableIdentifier id = request.name.identifier();
  if (request.query == nullptr) {
    if (request.table.location.empty()) {
      ASSIGN_OR_RETURN(request.table.location, request.name.catalog->DefaultTableLocation(id));
    }
    ASSIGN_OR_RETURN(spec::TableMetadata initial,
                     spec::NewTableMetadata(request.table, scope.now_ms()));
    auto created = request.name.catalog->CreateTable(id, std::move(initial));
    if (created) return {};
    if (created.error().code != ErrorCode::kAlreadyExists) return Fail(std::move(created).error());
    if (if_not_exists) return {};
    return Fail(AlreadyExists(request.name));
  }
  ASSIGN_OR_RETURN(spec::TableMetadata initial,
                   request.name.catalog->StageTable(id, request.table, scope.now_ms()));
  auto transaction = commit::Transaction::ForCreate(*request.name.catalog, id, std::move(initial),
                                                    TransactionOptions(scope));
  return FillAndCommit(scope, request, std::move(transaction), kind);
}

Status ReplaceExisting(StatementScope& scope, const TableRequest& request,
                       catalog::LoadedTable base) {
  ASSIGN_OR_RETURN(
      commit::Transaction transaction,
      commit::Transaction::ForReplace(*request.name.catalog, request.name.identifier(),
                                      std::move(base), request.table, TransactionOptions(scope)));
  return FillAndCommit(scope, request, std::move(transaction), commit::ChangeKind::kOverwrite);
}

Error CannotReplaceMissing(const QualifiedName& name) {
  return TableNotFound(name.rest, "CannotReplaceMissingTableException");
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::CreateTable& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
  ASSIGN_OR_RETURN(std::optional<TableHandle> existing, scope.names.FindTable(statement.table));
  bool create = statement.mode == Mode::kCreate;
  if (create && existing) {
    if (statement.if_not_exists) return StatementResult();
    return Fail(AlreadyExists(name));
  }
  if (create && name.catalog->views() != nullptr) {
    ASSIGN_OR_RETURN(bool is_view, name.catalog->views()->ViewExists(name.identifier()));
    if (is_view) {
      Error error = AlreadyExists(name);  // for once the name is not quoted
      error.message = ReplaceAll(error.message, sql::QuoteName(name.rest), Join(name.rest, "."));
      return Fail(std::move(error));
    }
  }
  ASSIGN_OR_RETURN(TableRequest request, Analyze(scope, statement, std::move(name)));
  if (statement.mode == Mode::kReplace && !existing)
    return Fail(CannotReplaceMissing(request.name));
  if (existing) {
    RETURN_IF_ERROR(ReplaceExisting(scope, request, std::move(existing->loaded)));
  } else {
    auto kind = create ? commit::ChangeKind::kMergeAppend : commit::ChangeKind::kOverwrite;
    RETURN_IF_ERROR(CreateNew(scope, std::move(request), kind, statement.if_not_exists));
  }
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::CreateTableLike&) {
  return Fail(UnsupportedStatement(scope.session.current_catalog, "CREATE TABLE LIKE"));
}

Result<StatementResult> Run(StatementScope& scope, const sql::DropTable& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
  ASSIGN_OR_RETURN(std::optional<TableHandle> table, scope.names.FindTable(statement.table));
  if (!table) {
    if (statement.if_exists) return StatementResult();
    return Fail(TableNotFound(name.full(), "NoSuchTableException"));
  }
  if (statement.purge &&
      !EqualsIgnoreCase(table->metadata().Property("gc.enabled", "true"), "true")) {
    return Validation(
        "Cannot purge table: GC is disabled (deleting files may corrupt other tables)");
  }
  if (!statement.purge) {
    RETURN_IF_ERROR(table->catalog->DropTable(table->id));
    return StatementResult();
  }
  ASSIGN_OR_RETURN(const bool purged, table->catalog->DropAndPurgeTable(table->id));
  if (!purged)
    RETURN_IF_ERROR(commit::PurgeTable(table->catalog->file_system(), table->metadata()));
  return StatementResult();
}

}  // namespace iceblink::engine
