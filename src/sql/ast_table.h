// Statements that make, drop and alter tables, those of the Iceberg extensions included, and the
// parts they share with others. See ast.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sql/ast_expression.h"
#include "sql/ast_query.h"

namespace iceblink::sql {

// --- parts ---------------------------------------------------------------------------------------

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
  bool operator==(const PartitionValue& other) const {
    return name == other.name && SameTree(value, other.value);
  }
};
using PartitionSpec = std::vector<PartitionValue>;

struct Assignment {
  Name column;
  ExprPtr value;
  Position position;  // of the column
  bool operator==(const Assignment& other) const {
    return column == other.column && SameTree(value, other.value);
  }
};

// --- tables --------------------------------------------------------------------------------------

struct Buckets {
  std::vector<std::string> columns;
  std::vector<std::string> sorted_by;
  int64_t count = 0;
  bool operator==(const Buckets&) const = default;
};

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
  std::vector<Name> cluster_by;    // CLUSTER BY (a, b)
  std::optional<Buckets> buckets;  // CLUSTERED BY ... INTO n BUCKETS
  std::optional<std::string> location;
  std::optional<std::string> comment;
  std::optional<std::string> stored_as;  // STORED AS format
  std::optional<std::string> collation;
  PropertyMap properties;                // TBLPROPERTIES
  std::vector<std::string> constraints;  // text of table and column constraints
  QueryPtr query;                        // AS; may be null
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
  // WRITE [DISTRIBUTED BY PARTITION] [[LOCALLY] ORDERED BY order | UNORDERED]. `distribution` is
  // the value to set for write.distribution-mode ("none", "hash", "range"); empty leaves it as it
  // is.
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
    std::variant<AddColumns, ReplaceColumns, RenameColumn, DropColumns, AlterColumns, SetProperties,
                 UnsetProperties, RenameTo, SetLocation, AddPartitions, DropPartitions,
                 RenamePartition, RecoverPartitions, ClusterBy, AddPartitionField,
                 DropPartitionField, ReplacePartitionField, WriteOrder, SetIdentifierFields,
                 DropIdentifierFields, PutRef, DropRef>;
struct AlterTable {
  Name table;
  TableChange change;
  Position table_position;
  bool operator==(const AlterTable& o) const { return table == o.table && change == o.change; }
};

}  // namespace iceblink::sql
