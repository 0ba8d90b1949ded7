// One DELETE, UPDATE or MERGE.
//
//   1  the source of a MERGE is evaluated once, into a temporary table; the ranges and sets of its
//      join keys prune the target's files
//   2  one pass over the target makes the table of actions: f file, p position, s source row,
//      a clause that applies; with the new values of updated rows where they are few
//   3  a target row that two source rows match is an error
//   4  merge-on-read: positions of acted rows become deletes, updated rows are written anew
//      copy-on-write: the files that actions touch are written again. With new values at hand that
//      is a scan without the acted rows, followed by the updated ones; else the files are joined
//      with the actions and the source
//   5  source rows that matched nothing are inserted in the same files
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/iceberg_scan.h"
#include "exec/lowering.h"
#include "io/deletion_vector.h"
#include "plan/row_changes.h"

namespace iceblink::exec {

inline constexpr const char* kSource = "iceblink_source";
inline constexpr const char* kActions = "iceblink_actions";
inline constexpr const char* kInserted = "iceblink_inserted";
inline constexpr int kBySource = 1000;  // clause numbers of NOT MATCHED BY SOURCE start here

class RowLevelRun {
 public:
  RowLevelRun(DuckDbSession& session, const plan::RowLevelPlan& plan, bool copy_on_write,
              const WriteSpec& write, const StatementContext& context)
      : session_(session),
        plan_(plan),
        copy_on_write_(copy_on_write),
        write_(write),
        context_(context),
        lowering_(context, session) {}

  Result<RowLevelOutcome> Run();

 private:
  bool merges() const { return plan_.kind == plan::RowLevelPlan::Kind::kMerge; }
  const plan::TableScan& target() const { return *plan_.target_scan->As<plan::TableScan>(); }

  Status PrepareSource();
  Status PlanTarget();
  Status ChoosePass();
  Status CollectActions();
  Status AddBySourceActions();
  Status CheckCardinality();
  Status CountActions();
  Result<std::string> ClauseNumber(const std::vector<plan::RowClause>& clauses, int first);
  Result<std::vector<std::string>> NewValues(const std::vector<plan::RowClause>& clauses, int first,
                                             bool keep_target);
  Result<std::string> InsertedRows();
  Result<std::string> JoinedRows();
  Result<std::string> KeptRows();
  Result<std::shared_ptr<PlannedScan>> RewriteFiles(const std::vector<int64_t>& files);
  Result<std::string> UpdatedRows();
  Status WriteRows(std::vector<std::string> queries);
  Status WritePositions();
  Result<std::vector<int64_t>> TouchedFiles();
  Result<std::map<int64_t, io::PositionBitmap>> ActedPositions();
  WriteSpec RowsSpec() const;
  std::vector<std::string> ValueNames() const;
  std::string UpdateClauses() const;
  bool updates() const { return UpdateClauses() != "-1"; }
  Result<std::vector<ValueList>> Fetch(const std::string& sql);

  DuckDbSession& session_;
  const plan::RowLevelPlan& plan_;
  const bool copy_on_write_;
  const WriteSpec& write_;
  const StatementContext& context_;
  Lowering lowering_;
  std::shared_ptr<PlannedScan> scan_;
  std::string target_sql_;
  std::optional<std::string> row_id_, sequence_;  // names of the lineage columns, version 3
  bool few_ = true;          // acted rows are few, or need no values: no join to rewrite files
  bool with_values_ = true;  // the actions hold the new values of updated rows
  RowLevelOutcome outcome_;
};

}  // namespace iceblink::exec
