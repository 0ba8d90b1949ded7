// Statements of Spark SQL and of the Iceberg extensions as written: plain data, one struct a kind.
//
// Nothing here knows tables. Statements of the grammar that Iceblink does not run arrive as
// UnsupportedStatement with their name. Names are as written (case kept, back-quotes removed);
// keywords and properties keep the order of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sql/ast_expression.h"
#include "sql/ast_query.h"
#include "sql/ast_table.h"

namespace iceblink::sql {

// --- queries and row changes ---------------------------------------------------------------------

struct QueryStatement {
  QueryPtr query;
  bool operator==(const QueryStatement& other) const { return SameTree(query, other.query); }
};

struct Insert {
  std::vector<Cte> ctes;  // WITH ... INSERT
  Name table;
  bool overwrite = false;
  PropertyMap options;      // WITH (k = v, ...)
  PartitionSpec partition;  // PARTITION (...)
  bool if_not_exists = false;
  bool by_name = false;
  std::vector<std::string> columns;  // (a, b); empty: by position
  ExprPtr replace_where;             // INSERT INTO t REPLACE WHERE
  QueryPtr query;
  Position table_position;
  bool operator==(const Insert&) const;
};

// FROM source INSERT INTO a SELECT ... INSERT INTO b SELECT ...; each query already selects from
// the source.
struct MultiInsert {
  std::vector<Insert> inserts;
  bool operator==(const MultiInsert&) const = default;
};

struct Delete {
  std::vector<Cte> ctes;
  Name table;
  std::string alias;
  ExprPtr where;  // null: every row
  Position table_position;
  bool operator==(const Delete&) const;
};

struct Update {
  std::vector<Cte> ctes;
  Name table;
  std::string alias;
  std::vector<Assignment> assignments;
  ExprPtr where;
  Position table_position;
  bool operator==(const Update&) const;
};

struct MergeClause {
  enum class Match : uint8_t { kMatched, kNotMatched, kNotMatchedBySource };
  enum class Action : uint8_t { kDelete, kUpdate, kUpdateAll, kInsert, kInsertAll };
  Match match = Match::kMatched;
  Action action = Action::kDelete;
  ExprPtr condition;                    // AND condition; may be null
  std::vector<Assignment> assignments;  // kUpdate; kInsert: column and its value
  bool operator==(const MergeClause&) const;
};
struct Merge {
  std::vector<Cte> ctes;
  Name table;
  std::string alias;
  bool with_schema_evolution = false;
  RelationPtr source;  // Aliased when an alias was given
  ExprPtr condition;
  std::vector<MergeClause> clauses;  // matched, then not matched, then not matched by source
  Position table_position;
  bool operator==(const Merge&) const;
};

struct Truncate {
  Name table;
  PartitionSpec partition;
  bool operator==(const Truncate&) const = default;
};

struct Call {
  Name procedure;
  std::vector<Argument> args;
  Position procedure_position;
  bool operator==(const Call& o) const { return procedure == o.procedure && args == o.args; }
};

// --- namespaces and catalogs ---------------------------------------------------------------------

struct CreateNamespace {
  Name name;
  bool if_not_exists = false;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  PropertyMap properties;
  bool operator==(const CreateNamespace&) const = default;
};
struct DropNamespace {
  Name name;
  bool if_exists = false;
  bool cascade = false;
  bool operator==(const DropNamespace&) const = default;
};
struct AlterNamespace {  // SET or UNSET PROPERTIES, SET LOCATION: one of the three
  Name name;
  PropertyMap set;
  std::vector<std::string> unset;
  std::optional<std::string> location;
  bool operator==(const AlterNamespace&) const = default;
};
struct CommentOn {
  enum class Object : uint8_t { kNamespace, kTable };
  Object object = Object::kTable;
  Name name;
  std::optional<std::string> comment;  // IS NULL removes it
  bool operator==(const CommentOn&) const = default;
};
struct Use {  // USE name, USE NAMESPACE name
  Name name;
  bool is_namespace = false;
  bool operator==(const Use&) const = default;
};
struct SetCatalog {
  std::string name;
  bool operator==(const SetCatalog&) const = default;
};

// --- views ---------------------------------------------------------------------------------------

struct ViewColumn {
  std::string name;
  std::optional<std::string> comment;
  bool operator==(const ViewColumn&) const = default;
};
struct CreateView {
  enum class Scope : uint8_t { kCatalog, kTemporary, kGlobalTemporary };
  Name name;
  Scope scope = Scope::kCatalog;
  bool or_replace = false;
  bool if_not_exists = false;
  std::vector<ViewColumn> columns;
  std::optional<std::string> comment;
  std::string schema_mode;  // WITH SCHEMA x: "BINDING", "COMPENSATION", "TYPE EVOLUTION",
                            // "EVOLUTION"; empty when absent
  PropertyMap properties;
  QueryPtr query;
  std::string query_text;  // as written, what a view stores
  bool operator==(const CreateView&) const;
};
struct CreateTempViewUsing {
  Name name;
  bool global = false;
  bool or_replace = false;
  std::vector<ColumnDefinition> columns;
  std::string provider;
  PropertyMap options;
  bool operator==(const CreateTempViewUsing&) const = default;
};
struct DropView {
  Name name;
  bool if_exists = false;
  bool operator==(const DropView&) const = default;
};
struct AlterViewAs {
  QueryPtr query;
  std::string query_text;
  bool operator==(const AlterViewAs& other) const { return SameTree(query, other.query); }
};
struct AlterViewSchemaMode {
  std::string schema_mode;
  bool operator==(const AlterViewSchemaMode&) const = default;
};
struct AlterView {
  Name name;
  std::variant<AlterViewAs, AlterViewSchemaMode, SetProperties, UnsetProperties, RenameTo> change;
  bool operator==(const AlterView&) const = default;
};

// --- session -------------------------------------------------------------------------------------

// SET (all), SET -v, SET key, SET key = value. Key and value are trimmed raw text.
struct SetConfig {
  std::optional<std::string> key;
  std::optional<std::string> value;
  bool verbose = false;  // SET -v
  bool operator==(const SetConfig&) const = default;
};
struct SetTimeZone {
  std::string zone;                // '+01:00', 'Europe/Paris'; LOCAL arrives as "LOCAL"
  std::optional<Interval> offset;  // SET TIME ZONE INTERVAL ...
  bool operator==(const SetTimeZone&) const = default;
};
struct Reset {
  std::optional<std::string> key;
  bool operator==(const Reset&) const = default;
};
struct CacheTable {
  Name table;
  bool lazy = false;
  PropertyMap options;
  QueryPtr query;  // may be null
  bool operator==(const CacheTable&) const;
};
struct UncacheTable {
  Name table;
  bool if_exists = false;
  bool operator==(const UncacheTable&) const = default;
};
struct ClearCache {
  bool operator==(const ClearCache&) const = default;
};
struct RefreshTable {
  Name table;
  bool operator==(const RefreshTable&) const = default;
};
struct AnalyzeTable {
  Name table;
  PartitionSpec partition;
  std::string mode;  // NOSCAN or empty
  std::vector<std::string> columns;
  bool all_columns = false;
  bool operator==(const AnalyzeTable&) const = default;
};

// DECLARE [OR REPLACE] VARIABLE names [type] [DEFAULT expr].
struct DeclareVariable {
  std::vector<Name> names;
  bool or_replace = false;
  std::optional<DataType> type;
  std::optional<DefaultValue> value;
  bool operator==(const DeclareVariable&) const = default;
};
// SET VARIABLE a = expr, ...; or SET VARIABLE (a, b) = (query): then assignments hold no values.
struct SetVariable {
  std::vector<Assignment> assignments;
  QueryPtr query;  // may be null
  bool operator==(const SetVariable& o) const {
    return assignments == o.assignments && SameTree(query, o.query);
  }
};
struct DropVariable {
  Name name;
  bool if_exists = false;
  bool operator==(const DropVariable&) const = default;
};
// EXECUTE IMMEDIATE text [INTO targets] [USING values].
struct ExecuteImmediate {
  ExprPtr text;
  std::vector<Name> into;
  std::vector<NamedExpr> arguments;
  bool operator==(const ExecuteImmediate& o) const {
    return SameTree(text, o.text) && into == o.into && arguments == o.arguments;
  }
};

// --- show and describe ---------------------------------------------------------------------------

struct ShowTables {
  Name in;  // empty: the current namespace
  std::optional<std::string> pattern;
  bool operator==(const ShowTables&) const = default;
};
struct ShowTableExtended {
  Name in;
  std::string pattern;
  PartitionSpec partition;
  bool operator==(const ShowTableExtended&) const = default;
};
struct ShowViews {
  Name in;
  std::optional<std::string> pattern;
  bool operator==(const ShowViews&) const = default;
};
struct ShowNamespaces {
  Name in;
  std::optional<std::string> pattern;
  bool operator==(const ShowNamespaces&) const = default;
};
struct ShowCatalogs {
  std::optional<std::string> pattern;
  bool operator==(const ShowCatalogs&) const = default;
};
struct ShowCurrentNamespace {
  bool operator==(const ShowCurrentNamespace&) const = default;
};
struct ShowColumns {
  Name table;
  Name in;  // SHOW COLUMNS IN t IN namespace
  bool operator==(const ShowColumns&) const = default;
};
struct ShowCreateTable {
  Name table;
  bool as_serde = false;
  bool operator==(const ShowCreateTable&) const = default;
};
struct ShowTableProperties {
  Name table;
  std::optional<std::string> key;
  bool operator==(const ShowTableProperties&) const = default;
};
struct ShowPartitions {
  Name table;
  PartitionSpec partition;
  bool operator==(const ShowPartitions&) const = default;
};
struct ShowFunctions {
  std::string scope;  // USER, SYSTEM, ALL; empty when absent
  Name in;
  std::optional<std::string> pattern;
  bool operator==(const ShowFunctions&) const = default;
};
struct ShowProcedures {
  Name in;
  bool operator==(const ShowProcedures&) const = default;
};
struct DescribeTable {
  Name table;
  bool extended = false;
  PartitionSpec partition;
  Name column;  // DESCRIBE t c
  bool as_json = false;
  Position table_position;
  bool operator==(const DescribeTable& o) const {
    return table == o.table && extended == o.extended && partition == o.partition &&
           column == o.column && as_json == o.as_json;
  }
};
struct DescribeNamespace {
  Name name;
  bool extended = false;
  bool operator==(const DescribeNamespace&) const = default;
};
struct DescribeFunction {
  Name name;
  bool extended = false;
  bool operator==(const DescribeFunction&) const = default;
};
struct DescribeProcedure {
  Name name;
  bool operator==(const DescribeProcedure&) const = default;
};
struct DescribeQuery {
  QueryPtr query;
  bool operator==(const DescribeQuery& other) const { return SameTree(query, other.query); }
};

struct Statement;
struct Explain {
  enum class Mode : uint8_t { kSimple, kLogical, kExtended, kFormatted, kCodegen, kCost };
  Mode mode = Mode::kSimple;
  std::shared_ptr<const Statement> statement;
  bool operator==(const Explain&) const;
};

// A statement of the grammar that Iceblink does not run: `name` says which, as in "CREATE
// FUNCTION".
struct UnsupportedStatement {
  std::string name;
  bool operator==(const UnsupportedStatement&) const = default;
};

using StatementNode =
    std::variant<QueryStatement, Insert, MultiInsert, Delete, Update, Merge, Truncate, Call,
                 CreateTable, CreateTableLike, DropTable, AlterTable, CreateNamespace,
                 DropNamespace, AlterNamespace, CommentOn, Use, SetCatalog, CreateView,
                 CreateTempViewUsing, DropView, AlterView, SetConfig, SetTimeZone, Reset,
                 CacheTable, UncacheTable, ClearCache, RefreshTable, AnalyzeTable, DeclareVariable,
                 SetVariable, DropVariable, ExecuteImmediate, ShowTables, ShowTableExtended,
                 ShowViews, ShowNamespaces, ShowCatalogs, ShowCurrentNamespace, ShowColumns,
                 ShowCreateTable, ShowTableProperties, ShowPartitions, ShowFunctions,
                 ShowProcedures, DescribeTable, DescribeNamespace, DescribeFunction,
                 DescribeProcedure, DescribeQuery, Explain, UnsupportedStatement>;

struct Statement {
  StatementNode node;
  std::string text;  // as given, for error contexts and views

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
  bool operator==(const Statement& other) const { return node == other.node; }
};

}  // namespace iceblink::sql
