// Resolver: what the analyzer asks of the session - names of tables and views, settings, files in
// place, constants.
//
// The engine implements it. One Resolver serves one statement on one thread; what it returns must
// stay the same for the whole statement (a table named twice is seen in one state).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "plan/logical_plan.h"
#include "plan/types.h"
#include "sql/identifier.h"

namespace iceblink::plan {

// Settings that decide what a statement means.
struct SessionSettings {
  bool ansi = true;               // spark.sql.ansi.enabled
  bool case_sensitive = false;    // spark.sql.caseSensitive
  std::string time_zone = "UTC";  // spark.sql.session.timeZone
  StoreAssignmentPolicy store_assignment = StoreAssignmentPolicy::kAnsi;
  std::string current_catalog = "spark_catalog";
  sql::Name current_namespace = {"default"};
  std::string user = "iceblink";
  int64_t now_micros = 0;  // current_timestamp of the statement
  int32_t default_parallelism = 1;
  bool group_by_ordinal = true;
  bool group_by_aliases = true;
  bool order_by_ordinal = true;
  bool merge_nested_coercion = false;        // spark.sql.mergeNestedTypeCoercion.enabled
  int64_t recursion_levels = 100;            // spark.sql.cteRecursionLevelLimit; -1: none
  int64_t recursion_rows = 1'000'000;        // spark.sql.cteRecursionRowLimit; -1: none
  bool dynamic_partition_overwrite = false;  // spark.sql.sources.partitionOverwriteMode=dynamic
};

// A name as a statement gives it. Option keys are in lower case.
struct RelationRequest {
  sql::Name name;
  std::optional<std::string> version;          // VERSION AS OF: snapshot id or reference, as text
  std::optional<int64_t> timestamp_micros;     // TIMESTAMP AS OF, evaluated
  std::map<std::string, std::string> options;  // WITH (...); read options
  bool for_write = false;                      // target of INSERT, DELETE, UPDATE, MERGE
};

struct DataTable {
  TableRef table;
  std::optional<int64_t>
      after_snapshot_id;  // incremental append scan (start-snapshot-id option), exclusive
};
struct MetadataTable {
  TableRef table;
  table::MetadataTableKind kind;
};
struct ChangelogTable {  // t.changes: the changes after `after_snapshot_id` up to table.snapshot_id
  TableRef table;
  std::optional<int64_t> after_snapshot_id;
};
struct TemporaryView {
  std::string name;
  PlanPtr plan;                      // as analyzed at creation, or
  std::string text;                  // a query's text, analyzed anew at each use
  std::vector<std::string> columns;  // names of the view's columns; empty: the query's own
};
struct CatalogView {
  std::string catalog;
  sql::Name identifier;
  std::string text;
  std::string default_catalog;  // completes names of one part; empty: `catalog`
  sql::Name default_namespace;
  std::vector<Column> columns;  // of the view's schema; ids are ignored
  std::vector<std::string>
      query_column_names;  // the query's own names at creation; empty: by position
};

using ResolvedRelation =
    std::variant<DataTable, MetadataTable, ChangelogTable, TemporaryView, CatalogView>;

class Resolver {
 public:
  virtual ~Resolver() = default;

  virtual const SessionSettings& settings() const = 0;

  // Returns what the name stands for: temporary views first, then the catalogs with the current
  // catalog and namespace completing the name; nothing when there is no such relation. Errors are
  // those of Iceberg (time travel, selectors).
  virtual Result<std::optional<ResolvedRelation>> Resolve(const RelationRequest& request) = 0;

  // Whether `name` is a registered catalog.
  virtual bool IsCatalog(const std::string& name) = 0;

  // Returns the value of an expression without columns. The analyzer folds simple ones itself.
  virtual Result<Value> Evaluate(const ExprPtr& expr) = 0;

  // Returns the columns of files in place (names, types, nullability).
  virtual Result<std::vector<Column>> DescribeFiles(const FileScan& scan) = 0;

  // Returns a session variable (DECLARE VARIABLE) as a literal or cast of one; null when there is
  // none.
  virtual ExprPtr FindVariable(const sql::Name& name) = 0;
};

}  // namespace iceblink::plan
