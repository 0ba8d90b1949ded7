// spark.catalog: each call is the statement that says the same, its rows in the columns that
// clients read by position.
#include <algorithm>

#include "base/strings.h"
#include "engine/session_state.h"
#include "engine/statement_scope.h"
#include "server/errors.h"
#include "server/execution.h"
#include "server/types.h"
#include "sql/parser.h"
#include "sql/printer.h"

namespace iceblink::server {
namespace {

using C = connect::Catalog;
using engine::BooleanColumn;
using engine::ResultColumn;
using engine::StatementResult;
using engine::StringColumn;

StatementResult One(const char* name, Value value) {
  std::vector<ResultColumn> columns = {value.Is<bool>() ? BooleanColumn(name) : StringColumn(name)};
  std::vector<ValueList> rows;
  rows.push_back({std::move(value)});
  return StatementResult(std::move(columns), std::move(rows));
}
StatementResult Nothing() { return StatementResult({}, {}); }

class CatalogCalls {
 public:
  explicit CatalogCalls(engine::Session& session)
      : session_(session), scope_(session.state(), statement_) {}

  Result<StatementResult> Run(const C& call);
  Result<StatementResult> RunOther(const C& call);

 private:
  Result<std::vector<ValueList>> Rows(const std::string& text) {
    ASSIGN_OR_RETURN(StatementResult result, session_.Execute(text));
    return result.All();
  }
  Result<StatementResult> Command(const std::string& text) {
    RETURN_IF_ERROR(Rows(text));
    return Nothing();
  }
  static std::string Like(bool has, const std::string& pattern) {
    return has ? " LIKE " + sql::PrintString(pattern) : "";
  }

  static std::vector<ResultColumn> DatabaseColumns() {
    return {StringColumn("name"), StringColumn("catalog"), StringColumn("description"),
            StringColumn("locationUri")};
  }
  static std::vector<ResultColumn> TableColumns() {
    return {StringColumn("name"),
            StringColumn("catalog"),
            {"namespace", sql::DataType::Array(sql::TypeKind::kString, false), true},
            StringColumn("description"),
            StringColumn("tableType"),
            BooleanColumn("isTemporary")};
  }
  ValueList DatabaseRow(const sql::Name& name) {
    Value location, comment;
    if (auto rows = Rows("DESCRIBE NAMESPACE EXTENDED " + sql::QuoteName(name))) {
      for (const ValueList& row : *rows) {
        if (row[0] == Value("Location")) location = row[1];
        if (row[0] == Value("Comment")) comment = row[1];
      }
    }
    if (location.is_null()) location = Value("");
    return {Value(sql::QuoteNameIfNeeded(name)), Value(session_.state().current_catalog), comment,
            location};
  }
  ValueList TableRow(const std::string& catalog, const sql::Name& ns, const std::string& name,
                     const char* type, bool temporary) {
    ValueList levels;
    for (const std::string& level : ns) levels.push_back(Value(level));
    return {Value(name),
            catalog.empty() ? Value() : Value(catalog),
            ns.empty() ? Value() : Value::Array(std::move(levels)),
            Value(),
            Value(type),
            Value(temporary)};
  }
  // Temporary views by plain name, then the catalogs.
  Result<std::optional<ValueList>> Find(const std::string& text) {
    ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(text));
    if (name.size() == 1) {
      auto view = session_.state().temporary_views.find(Utf8Lower(name[0]));
      if (view != session_.state().temporary_views.end())
        return TableRow({}, {}, view->second.name, "TEMPORARY", true);
    }
    ASSIGN_OR_RETURN(engine::QualifiedName full, scope_.names.Qualify(name));
    ASSIGN_OR_RETURN(auto table, scope_.names.FindTable(name));
    sql::Name ns(full.rest.begin(), full.rest.end() - (full.rest.empty() ? 0 : 1));
    if (table) return TableRow(table->catalog_name, ns, table->id.name, "MANAGED", false);
    if (auto* views = full.catalog->views(); views != nullptr && !full.rest.empty()) {
      ASSIGN_OR_RETURN(bool exists, views->ViewExists(full.identifier()));
      if (exists) return TableRow(full.catalog_name, ns, full.rest.back(), "VIEW", false);
    }
    return std::optional<ValueList>();
  }
  static std::string InDatabase(const std::string& table, bool has, const std::string& database) {
    return has ? database + "." + table : table;
  }

  Result<StatementResult> ListDatabases(const connect::ListDatabases& call);
  Result<StatementResult> ListTables(const connect::ListTables& call);
  Result<StatementResult> ListColumns(const connect::ListColumns& call);
  Result<StatementResult> GetTable(const connect::GetTable& call);
  Result<StatementResult> DropView(const std::string& name, bool global);
  Result<bool> DatabaseExists(const std::string& name);
  Result<StatementResult> CreateTable(const std::string& name, const std::string& source,
                                      const std::string& path, const std::string& comment,
                                      const connect::DataType* schema);

  engine::Session& session_;
  sql::Statement statement_;
  engine::StatementScope scope_;
};

Result<StatementResult> CatalogCalls::ListDatabases(const connect::ListDatabases& call) {
  ASSIGN_OR_RETURN(std::vector<ValueList> found,
                   Rows("SHOW NAMESPACES" + Like(call.has_pattern(), call.pattern())));
  std::vector<ValueList> rows;
  for (const ValueList& row : found) {
    ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(row[0].As<std::string>()));
    rows.push_back(DatabaseRow(name));
  }
  return StatementResult(DatabaseColumns(), std::move(rows));
}

Result<StatementResult> CatalogCalls::ListTables(const connect::ListTables& call) {
  std::string in = call.has_db_name() ? " IN " + call.db_name() : "";
  ASSIGN_OR_RETURN(std::vector<ValueList> found,
                   Rows("SHOW TABLES" + in + Like(call.has_pattern(), call.pattern())));
  std::vector<ValueList> rows;
  for (const ValueList& row : found) {
    bool temporary = row[2].Is<bool>() && row[2].As<bool>();
    sql::Name ns;
    if (row[0].Is<std::string>() && !row[0].As<std::string>().empty()) {
      ASSIGN_OR_RETURN(ns, sql::ParseMultipartIdentifier(row[0].As<std::string>()));
    }
    rows.push_back(TableRow(temporary ? "" : session_.state().current_catalog, ns,
                            row[1].As<std::string>(), temporary ? "TEMPORARY" : "MANAGED",
                            temporary));
  }
  return StatementResult(TableColumns(), std::move(rows));
}

Result<StatementResult> CatalogCalls::ListColumns(const connect::ListColumns& call) {
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(InDatabase(
                                       call.table_name(), call.has_db_name(), call.db_name())));
  sql::Select select;
  select.items.push_back(AllColumns());
  select.from = MakeRelation(sql::TableName{name, {}, {}});
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns,
                   Describe(session_, QueryOf(std::move(select))));
  std::set<std::string> partitions;
  ASSIGN_OR_RETURN(auto table, scope_.names.FindTable(name));
  if (table) {
    for (const auto& field : table->metadata().spec().fields)
      if (const auto* source = table->metadata().schema().FindField(field.source_id))
        partitions.insert(source->name);
  }
  std::vector<ValueList> rows;
  for (const plan::Column& column : columns)
    rows.push_back({Value(column.name), Value(), Value(column.type.SimpleString()),
                    Value(column.nullable), Value(partitions.count(column.name) > 0), Value(false),
                    Value(false)});
  return StatementResult(
      {StringColumn("name"), StringColumn("description"), StringColumn("dataType"),
       BooleanColumn("nullable"), BooleanColumn("isPartition"), BooleanColumn("isBucket"),
       BooleanColumn("isCluster")},
      std::move(rows));
}

Result<StatementResult> CatalogCalls::GetTable(const connect::GetTable& call) {
  std::string name = InDatabase(call.table_name(), call.has_db_name(), call.db_name());
  ASSIGN_OR_RETURN(auto found, Find(name));
  if (!found) {
    RETURN_IF_ERROR(Rows("DESCRIBE TABLE " + name));  // the error that says so
    return Nothing();
  }
  std::vector<ValueList> rows;
  rows.push_back(std::move(*found));
  return StatementResult(TableColumns(), std::move(rows));
}

Result<StatementResult> CatalogCalls::DropView(const std::string& name, bool global) {
  std::string key = (global ? "global_temp." : "") + Utf8Lower(name);
  return One("value", Value(session_.state().temporary_views.erase(key) > 0));
}

Result<bool> CatalogCalls::DatabaseExists(const std::string& text) {
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(text));
  ASSIGN_OR_RETURN(engine::QualifiedName full, scope_.names.QualifyNamespace(name));
  return full.catalog->NamespaceExists(full.rest);
}

Result<StatementResult> CatalogCalls::CreateTable(const std::string& name,
                                                  const std::string& source,
                                                  const std::string& path,
                                                  const std::string& comment,
                                                  const connect::DataType* schema) {
  sql::CreateTable create;
  ASSIGN_OR_RETURN(create.table, sql::ParseMultipartIdentifier(name));
  if (!source.empty()) create.provider = source;
  if (!path.empty()) create.location = path;
  if (!comment.empty()) create.comment = comment;
  if (schema != nullptr) {
    ASSIGN_OR_RETURN(sql::DataType type, FromMessage(*schema));
    if (type.kind() == sql::TypeKind::kStruct)
      for (const sql::StructField& field : type.fields()) {
        sql::ColumnDefinition column;
        column.name = {field.name};
        column.type = field.type;
        column.not_null = !field.nullable;
        create.columns.push_back(std::move(column));
      }
  }
  RETURN_IF_ERROR(session_.Execute(sql::Statement{std::move(create), {}}));
  return Nothing();
}

// Functions, temporary views and the cache, which has nothing to do.
Result<StatementResult> CatalogCalls::RunOther(const C& call) {
  switch (call.cat_type_case()) {
    case C::kDropTempView:
      return DropView(call.drop_temp_view().view_name(), false);
    case C::kDropGlobalTempView:
      return DropView(call.drop_global_temp_view().view_name(), true);
    case C::kFunctionExists: {
      auto rows = Rows("DESCRIBE FUNCTION " + call.function_exists().function_name());
      return One("value", Value(rows.has_value()));
    }
    case C::kIsCached:
      return One("value", Value(false));
    case C::kCacheTable:
      return Command("CACHE TABLE " + call.cache_table().table_name());
    case C::kUncacheTable:
      return Command("UNCACHE TABLE " + call.uncache_table().table_name());
    case C::kClearCache:
      return Command("CLEAR CACHE");
    case C::kRefreshTable:
      return Command("REFRESH TABLE " + call.refresh_table().table_name());
    case C::kRefreshByPath:
      return Nothing();
    default:
      break;
  }
  const auto* field =
      call.GetDescriptor()->FindFieldByNumber(static_cast<int>(call.cat_type_case()));
  return Fail(
      NotSupported(field == nullptr ? "this catalog call" : "the catalog call " + field->name()));
}

Result<StatementResult> CatalogCalls::Run(const C& call) {
  switch (call.cat_type_case()) {
    case C::kCurrentDatabase:
      return One("value", Value(sql::QuoteNameIfNeeded(session_.state().current_namespace)));
    case C::kSetCurrentDatabase:
      return Command("USE " + call.set_current_database().db_name());
    case C::kCurrentCatalog:
      return One("value", Value(session_.state().current_catalog));
    case C::kSetCurrentCatalog:
      return Command("SET CATALOG " +
                     sql::QuoteIdentifier(call.set_current_catalog().catalog_name()));
    case C::kListCatalogs: {
      const auto& list = call.list_catalogs();
      ASSIGN_OR_RETURN(std::vector<ValueList> rows,
                       Rows("SHOW CATALOGS" + Like(list.has_pattern(), list.pattern())));
      for (ValueList& row : rows) row.push_back(Value());
      return StatementResult({StringColumn("name"), StringColumn("description")}, std::move(rows));
    }
    case C::kListDatabases:
      return ListDatabases(call.list_databases());
    case C::kGetDatabase: {
      ASSIGN_OR_RETURN(sql::Name name,
                       sql::ParseMultipartIdentifier(call.get_database().db_name()));
      RETURN_IF_ERROR(Rows("DESCRIBE NAMESPACE " + sql::QuoteName(name)));
      std::vector<ValueList> rows;
      rows.push_back(DatabaseRow(name));
      return StatementResult(DatabaseColumns(), std::move(rows));
    }
    case C::kDatabaseExists: {
      ASSIGN_OR_RETURN(bool exists, DatabaseExists(call.database_exists().db_name()));
      return One("value", Value(exists));
    }
    case C::kListTables:
      return ListTables(call.list_tables());
    case C::kGetTable:
      return GetTable(call.get_table());
    case C::kTableExists: {
      const auto& table = call.table_exists();
      ASSIGN_OR_RETURN(auto found,
                       Find(InDatabase(table.table_name(), table.has_db_name(), table.db_name())));
      return One("value", Value(found.has_value()));
    }
    case C::kListColumns:
      return ListColumns(call.list_columns());
    case C::kCreateTable: {
      const auto& t = call.create_table();
      return CreateTable(t.table_name(), t.source(), t.path(), t.description(),
                         t.has_schema() ? &t.schema() : nullptr);
    }
    case C::kCreateExternalTable: {
      const auto& t = call.create_external_table();
      return CreateTable(t.table_name(), t.source(), t.path(), {},
                         t.has_schema() ? &t.schema() : nullptr);
    }
    default:
      return RunOther(call);
  }
}

}  // namespace

Result<StatementResult> Execution::RunCatalog(const C& call) {
  return CatalogCalls(*engine_).Run(call);
}

}  // namespace iceblink::server
