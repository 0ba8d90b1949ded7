// Statements of Spark SQL and of the Iceberg extensions as written: plain data, one struct a kind.
//
// Nothing here knows tables. Statements of the grammar that Iceblink does not run arrive as UnsupportedStatement with their
// name. Names are as written (case kept, back-quotes removed); keywords and properties keep the order of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sql/ast_expression.h"
#include "sql/ast_query.h"

namespace iceblink::sql {

// --- parts ----------------------------------------------------------------------------------------------------------

// An argument of a transform or a bare column: exactly one alternative.
using TransformArgument = std::variant<Name, Literal>;
// bucket(16, id), days(ts); the name as written. A bare column is `identity`.
struct Transform {
  std::string name;
  std::vector<TransformArgument> args;
  Position position;
  bool operator==(const Transform& other) const { return name == other.name && args == other.args; }
};

struct ColumnPosition {  // FIRST (empty name) or AFTER name
  std::string after;
  bool operator==(const ColumnPosition&) const = default;
};

struct DefaultValue {
  ExprPtr expr;
  std::string text;  // the expression as written
  bool operator==(const DefaultValue& other) const { return SameTree(expr, other.expr); }
};

struct ColumnDefinition {
  Name name;  // one part except in ALTER TABLE ADD COLUMNS
  DataType type;
  bool not_null = false;
  std::optional<DefaultValue> default_value;
  std::optional<DefaultValue> generated;  // GENERATED ALWAYS AS (expr)
  bool identity = false;                  // GENERATED ... AS IDENTITY
  std::optional<std::string> comment;
  std::optional<ColumnPosition> position;  // ALTER only
  bool operator==(const ColumnDefinition&) const = default;
};

// An entry of PARTITIONED BY: a transform, or (Hive style) a new column.
using PartitioningField = std::variant<Transform, ColumnDefinition>;

struct PartitionValue {  // PARTITION (name [= value]); the value is a constant expression
  std::string name;
  ExprPtr value;  // null for a dynamic partition
  bool operator==(const PartitionValue& other) const { return name == other.name && SameTree(value, other.value); }
};
using PartitionSpec = std::vector<PartitionValue>;

struct Assignment {
  Name column;
  ExprPtr value;
  Position position;  // of the column
  bool operator==(const Assignment& other) const { return column == other.column && SameTree(value, other.value); }
};

// --- queries and row changes ----------------------------------------------------------------------------------------

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

// FROM source INSERT INTO a SELECT ... INSERT INTO b SELECT ...; each query already selects from the source.
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

// --- tables ---------------------------------------------------------------------------------------------------------

// CREATE TABLE, REPLACE TABLE, CREATE OR REPLACE TABLE, with or without AS query.
struct CreateTable {
  enum class Mode : uint8_t { kCreate, kReplace, kCreateOrReplace };
  Mode mode = Mode::kCreate;
  Name table;
  bool external = false;
  bool if_not_exists = false;
  std::vector<ColumnDefinition> columns;
  std::optional<std::string> provider;  // USING
  PropertyMap options;                  // OPTIONS
  std::vector<PartitioningField> partitioning;
  std::vector<Name> cluster_by;  // CLUSTER BY (a, b)
  struct Buckets {
    std::vector<std::string> columns;
    std::vector<std::string> sorted_by;
    int64_t count = 0;
    bool operator==(const Buckets&) const = default;
  };
  std::optional<Buckets> buckets;  // CLUSTERED BY ... INTO n BUCKETS
  std::optional<std::string> location;
  std::optional<std::string> comment;
  std::optional<std::string> stored_as;  // STORED AS format
  std::optional<std::string> collation;
  PropertyMap properties;  // TBLPROPERTIES
  std::vector<std::string> constraints;  // text of table and column constraints
  QueryPtr query;  // AS; may be null
  Position table_position;
  bool operator==(const CreateTable&) const;
};

struct CreateTableLike {
  Name table;
  Name source;
  bool if_not_exists = false;
  std::optional<std::string> provider;
  std::optional<std::string> location;
  PropertyMap properties;
  bool operator==(const CreateTableLike&) const = default;
};

struct DropTable {
  Name table;
  bool if_exists = false;
  bool purge = false;
  Position table_position;
  bool operator==(const DropTable& o) const {
    return table == o.table && if_exists == o.if_exists && purge == o.purge;
  }
};

struct AddColumns {
  std::vector<ColumnDefinition> columns;
  bool operator==(const AddColumns&) const = default;
};
struct ReplaceColumns {
  std::vector<ColumnDefinition> columns;
  bool operator==(const ReplaceColumns&) const = default;
};
struct RenameColumn {
  Name column;
  std::string to;
  bool operator==(const RenameColumn&) const = default;
};
struct DropColumns {
  std::vector<Name> columns;
  bool if_exists = false;
  bool operator==(const DropColumns&) const = default;
};
// ALTER COLUMN c action, action on c2 ...: each change sets one or more of the optionals.
struct ColumnChange {
  Name column;
  std::optional<DataType> type;
  std::optional<std::string> comment;
  std::optional<ColumnPosition> position;
  std::optional<bool> not_null;  // SET NOT NULL true, DROP NOT NULL false
  std::optional<DefaultValue> set_default;
  bool drop_default = false;
  Position column_position;
  bool operator==(const ColumnChange&) const;
};
struct AlterColumns {
  std::vector<ColumnChange> changes;
  bool operator==(const AlterColumns&) const = default;
};
struct SetProperties {
  PropertyMap properties;
  bool operator==(const SetProperties&) const = default;
};
struct UnsetProperties {
  std::vector<std::string> keys;
  bool if_exists = false;
  bool operator==(const UnsetProperties&) const = default;
};
struct RenameTo {
  Name to;
  bool operator==(const RenameTo&) const = default;
};
struct SetLocation {
  PartitionSpec partition;
  std::string location;
  bool operator==(const SetLocation&) const = default;
};
struct AddPartitions {
  struct Entry {
    PartitionSpec partition;
    std::optional<std::string> location;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> partitions;
  bool if_not_exists = false;
  bool operator==(const AddPartitions&) const = default;
};
struct DropPartitions {
  std::vector<PartitionSpec> partitions;
  bool if_exists = false;
  bool purge = false;
  bool operator==(const DropPartitions&) const = default;
};
struct RenamePartition {
  PartitionSpec from;
  PartitionSpec to;
  bool operator==(const RenamePartition&) const = default;
};
struct RecoverPartitions {
  bool operator==(const RecoverPartitions&) const = default;
};
struct ClusterBy {  // CLUSTER BY (a, b) or CLUSTER BY NONE
  std::vector<Name> columns;
  bool operator==(const ClusterBy&) const = default;
};

// Iceberg extensions.
struct AddPartitionField {
  Transform transform;
  std::string name;  // AS name; empty when absent
  bool operator==(const AddPartitionField&) const = default;
};
struct DropPartitionField {
  Transform transform;
  bool operator==(const DropPartitionField&) const = default;
};
struct ReplacePartitionField {
  Transform from;
  Transform to;
  std::string name;
  bool operator==(const ReplacePartitionField&) const = default;
};
struct OrderField {
  Transform transform;
  bool descending = false;
  bool nulls_first = true;
  bool operator==(const OrderField&) const = default;
};
struct WriteOrder {
  // WRITE [DISTRIBUTED BY PARTITION] [[LOCALLY] ORDERED BY order | UNORDERED]. `distribution` is the value to set for
  // write.distribution-mode ("none", "hash", "range"); empty leaves it as it is.
  std::string distribution;
  std::vector<OrderField> order;  // empty: unsorted
  bool operator==(const WriteOrder&) const = default;
};
struct SetIdentifierFields {
  std::vector<Name> fields;
  bool operator==(const SetIdentifierFields&) const = default;
};
struct DropIdentifierFields {
  std::vector<Name> fields;
  bool operator==(const DropIdentifierFields&) const = default;
};
// CREATE / REPLACE / CREATE OR REPLACE a BRANCH or TAG.
struct PutRef {
  bool tag = false;
  std::string name;
  bool create = false;
  bool replace = false;
  bool if_not_exists = false;
  std::optional<int64_t> snapshot_id;            // AS OF VERSION
  std::optional<int64_t> max_ref_age_ms;         // RETAIN
  std::optional<int32_t> min_snapshots_to_keep;  // WITH SNAPSHOT RETENTION n SNAPSHOTS
  std::optional<int64_t> max_snapshot_age_ms;
  bool operator==(const PutRef&) const = default;
};
struct DropRef {
  bool tag = false;
  std::string name;
  bool if_exists = false;
  bool operator==(const DropRef&) const = default;
};

using TableChange =
    std::variant<AddColumns, ReplaceColumns, RenameColumn, DropColumns, AlterColumns, SetProperties, UnsetProperties, RenameTo,
                 SetLocation, AddPartitions, DropPartitions, RenamePartition, RecoverPartitions, ClusterBy, AddPartitionField,
                 DropPartitionField, ReplacePartitionField, WriteOrder, SetIdentifierFields, DropIdentifierFields, PutRef,
                 DropRef>;
struct AlterTable {
  Name table;
  TableChange change;
  Position table_position;
  bool operator==(const AlterTable& o) const { return table == o.table && change == o.change; }
};

// --- namespaces and catalogs ----------------------------------------------------------------------------------------

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

// --- views ----------------------------------------------------------------------------------------------------------

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
  std::string schema_mode;  // WITH SCHEMA x: "BINDING", "COMPENSATION", "TYPE EVOLUTION", "EVOLUTION"; empty when absent
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

// --- session --------------------------------------------------------------------------------------------------------

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
  bool operator==(const SetVariable& o) const { return assignments == o.assignments && SameTree(query, o.query); }
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

// --- show and describe ----------------------------------------------------------------------------------------------

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
    return table == o.table && extended == o.extended && partition == o.partition && column == o.column &&
           as_json == o.as_json;
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

// A statement of the grammar that Iceblink does not run: `name` says which, as in "CREATE FUNCTION".
struct UnsupportedStatement {
  std::string name;
  bool operator==(const UnsupportedStatement&) const = default;
};

using StatementNode =
    std::variant<QueryStatement, Insert, MultiInsert, Delete, Update, Merge, Truncate, Call, CreateTable, CreateTableLike, DropTable,
                 AlterTable, CreateNamespace, DropNamespace, AlterNamespace, CommentOn, Use, SetCatalog, CreateView,
                 CreateTempViewUsing, DropView, AlterView, SetConfig, SetTimeZone, Reset, CacheTable, UncacheTable, ClearCache,
                 RefreshTable, AnalyzeTable, DeclareVariable, SetVariable, DropVariable, ExecuteImmediate, ShowTables, ShowTableExtended, ShowViews, ShowNamespaces, ShowCatalogs,
                 ShowCurrentNamespace, ShowColumns, ShowCreateTable, ShowTableProperties, ShowPartitions, ShowFunctions,
                 ShowProcedures, DescribeTable, DescribeNamespace, DescribeFunction, DescribeProcedure, DescribeQuery, Explain,
                 UnsupportedStatement>;

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
