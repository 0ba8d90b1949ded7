// The typed logical plan: what a query, an INSERT, a DELETE, an UPDATE or a MERGE means,
// independent of how it is run. SQL text and Connect relations both end here; exec lowers it. Plans
// are immutable values and shared between threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expr/expression.h"
#include "plan/expression.h"
#include "spec/table_metadata.h"
#include "table/metadata_tables.h"

namespace iceblink::plan {

// One output column of a plan.
struct Column {
  ColumnId id = 0;
  std::string name;
  DataType type;
  bool nullable = true;
};

// An expression that makes an output column.
struct NamedExpr {
  Column column;
  ExprPtr expr;
};

// An Iceberg table at one state: what a name in a statement resolved to.
struct TableRef {
  std::string catalog;
  std::vector<std::string> identifier;  // namespace levels and table name, without the catalog
  std::shared_ptr<const spec::TableMetadata> metadata;
  std::string metadata_location;
  std::optional<int64_t> snapshot_id;          // state that is read; absent: no snapshot, no rows
  std::shared_ptr<const spec::Schema> schema;  // schema that rows are read with
  std::optional<std::string> branch;           // branch that reads and writes address; absent: main
  bool time_travel = false;  // read-only: VERSION / TIMESTAMP AS OF, snapshot or tag selector

  // `demo`.`db`.`t`, and demo.db.t
  std::string QuotedName() const;
  std::string DottedName() const;
};

// A column of a TableScan: a schema field, or a metadata column by its reserved field id (`_file`,
// `_pos`, `_spec_id`,
// `_partition`, `_deleted`, `_row_id`, `_last_updated_sequence_number`; ids in
// table/metadata_columns.h).
struct ScanColumn {
  Column column;
  int32_t field_id = 0;
};

struct TableScan {
  TableRef table;
  std::vector<ScanColumn> columns;  // what the scan yields, in the order of the plan's output
  expr::Expression filter;          // prunes files; rows are filtered again above
  std::optional<int64_t>
      after_snapshot_id;  // incremental append scan: only files added after it (exclusive)
  std::map<std::string, std::string> options;
  // Reads these data files alone (compaction of a group of files); null: all that the filter
  // leaves.
  std::shared_ptr<const std::set<std::string>> only_files;
};

struct MetadataScan {  // yields the metadata table's columns in the order of its schema
  TableRef table;
  table::MetadataTableKind kind;
};

// The changelog of a table (`t.changes`): its columns, then _change_type, _change_ordinal,
// _commit_snapshot_id, for the snapshots after `after_snapshot_id` (exclusive; absent: from the
// first) up to table.snapshot_id.
struct ChangelogScan {
  TableRef table;
  std::optional<int64_t> after_snapshot_id;
};

// Rows given in the statement (VALUES) or computed by the engine (SHOW, CALL). Each row has one
// expression per column.
struct Values {
  std::vector<std::vector<ExprPtr>> rows;
};

struct Range {
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;
  std::optional<int32_t> slices;  // numSlices argument; absent: the session's default parallelism
};

// Files in place: csv.`path`, USING csv OPTIONS (path ...).
struct FileScan {
  std::string format;  // "csv", "parquet", "json"
  std::vector<std::string> paths;
  std::map<std::string, std::string> options;  // Spark's option names, lower case
};

struct Project {
  PlanPtr child;
  std::vector<NamedExpr> items;
};
struct Filter {
  PlanPtr child;
  ExprPtr condition;
};

enum class JoinType : uint8_t {
  kInner,
  kLeftOuter,
  kRightOuter,
  kFullOuter,
  kLeftSemi,
  kLeftAnti,
  kCross
};
struct Join {
  PlanPtr left;
  PlanPtr right;
  JoinType type = JoinType::kInner;
  ExprPtr condition;     // null: none
  bool lateral = false;  // right may refer to columns of left
};

struct Aggregate {
  PlanPtr child;
  std::vector<NamedExpr> groups;  // grouping columns; a group that is a plain column keeps its id
  std::vector<NamedExpr>
      aggregates;  // each expr is an AggregateCall, or a "grouping"/"grouping_id" Call over groups
  std::optional<std::vector<std::vector<uint32_t>>> grouping_sets;  // indexes into groups
};

struct Window {  // yields the child's columns and then the items
  PlanPtr child;
  std::vector<NamedExpr> items;  // each expr is a WindowCall
};

struct Sort {
  PlanPtr child;
  std::vector<SortKey> keys;
  bool global = true;  // false: SORT BY
};
struct Limit {
  PlanPtr child;
  std::optional<int64_t> limit;
  int64_t offset = 0;
};

enum class SetOpKind : uint8_t { kUnion, kIntersect, kExcept };
struct SetOp {  // both sides have equal column types
  SetOpKind kind = SetOpKind::kUnion;
  bool all = false;
  PlanPtr left;
  PlanPtr right;
};
struct Distinct {
  PlanPtr child;
};

// explode and its kin: yields the child's columns and then the generated ones.
struct Generate {
  PlanPtr child;              // null: one row without columns
  std::string_view function;  // "explode", "posexplode", "inline", "stack", "json_tuple"
  std::vector<ExprPtr> args;
  bool outer = false;
  std::vector<Column> generated;
};

struct Sample {
  PlanPtr child;
  std::optional<double> fraction;
  std::optional<int64_t> rows;
  std::optional<int64_t> seed;
};

// COALESCE / REPARTITION hints: leaves rows alone, fixes the number of writing tasks.
struct Repartition {
  PlanPtr child;
  std::optional<int32_t> tasks;
  bool shuffle = false;
  std::vector<ExprPtr> by;
};

// Recursion: the anchor's rows, then round by round what `step` makes of the rows of the round
// before. Both have the output's types.
struct RecursiveUnion {
  uint32_t loop = 0;  // which RecursiveRead reads it
  PlanPtr anchor;
  PlanPtr step;
  int64_t max_levels = -1;  // rounds with rows, the anchor's included; -1: any number
  int64_t max_rows = -1;    // of all rounds; -1: any number
};
// Within a step: the rows of the round before, in the order of the union's columns.
struct RecursiveRead {
  uint32_t loop = 0;
};

struct Plan {
  using Node = std::variant<TableScan, MetadataScan, ChangelogScan, Values, Range, FileScan,
                            Project, Filter, Join, Aggregate, Window, Sort, Limit, SetOp, Distinct,
                            Generate, Sample, Repartition, RecursiveUnion, RecursiveRead>;
  Node node;
  std::vector<Column> output;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

// ---- statements that change rows
// -------------------------------------------------------------------------------------

enum class InsertMode : uint8_t {
  kAppend,
  kOverwriteByFilter,  // static INSERT OVERWRITE, REPLACE WHERE: rows matching `overwrite_filter`
                       // go
  kOverwriteDynamic,   // every partition that receives a row is replaced
};

struct InsertPlan {
  TableRef target;
  PlanPtr source;  // one column per field of target.schema, in its order, types equal to the
                   // fields' Spark types
  InsertMode mode = InsertMode::kAppend;
  expr::Expression overwrite_filter;  // kOverwriteByFilter only
};

enum class RowAction : uint8_t { kDelete, kUpdate, kInsert };
struct RowClause {
  ExprPtr condition;  // null: always. Columns: matched: target and source; not matched: source; by
                      // source: target
  RowAction action = RowAction::kDelete;
  std::vector<ExprPtr>
      values;  // kUpdate, kInsert: one per field of the target schema, store-assigned
};

// DELETE, UPDATE and MERGE. DELETE and UPDATE have no source and one matched clause; their
// condition is the WHERE.
struct RowLevelPlan {
  enum class Kind : uint8_t { kDelete, kUpdate, kMerge };
  Kind kind = Kind::kDelete;
  TableRef target;
  PlanPtr target_scan;  // a TableScan of all fields in schema order, then _file, _pos, _spec_id
                        // (and lineage in v3)
  PlanPtr source;       // kMerge only
  ExprPtr condition;    // over target_scan and source columns; null: always true
  std::vector<RowClause> matched;
  std::vector<RowClause> not_matched;            // kInsert only
  std::vector<RowClause> not_matched_by_source;  // kDelete, kUpdate
  // The part of `condition` that speaks of the target alone, as an Iceberg filter: prunes the scan
  // and is the conflict detection filter of the commit; true when there is none.
  expr::Expression target_filter;
  // Whether target_filter says exactly what `condition` says, so that DELETE may try to drop whole
  // files by metadata.
  bool filter_is_exact = false;
};

}  // namespace iceblink::plan
