// DELETE, UPDATE and MERGE.
//
//   1  the source of a MERGE is evaluated once, into a temporary table; the ranges and sets of its
//   join keys prune the
//      target's files
//   2  one pass over the target makes the table of actions: f file, p position, s source row, a
//   clause that applies 3  a target row that two source rows match is an error 4  copy-on-write:
//   the files that actions touch are read again and written without what is deleted, with what is
//   updated
//      merge-on-read: positions of acted rows become deletes, updated rows are written anew
//   5  source rows that matched nothing are inserted in the same files
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/delete_writer.h"
#include "exec/duckdb_types.h"
#include "exec/executor_state.h"
#include "exec/iceberg_scan.h"
#include "exec/join_keys.h"
#include "exec/lowering.h"
#include "exec/spark_error.h"
#include "exec/table_writing.h"
#include "io/file_system.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

namespace {

using plan::RowAction;
using plan::RowLevelPlan;

constexpr const char* kSource = "iceblink_source";
constexpr const char* kActions = "iceblink_actions";
constexpr int kBySource = 1000;  // clause numbers of NOT MATCHED BY SOURCE start here

class RowLevelRun {
 public:
  RowLevelRun(DuckDbSession& session, const RowLevelPlan& plan, bool copy_on_write,
              const WriteSpec& write, const StatementContext& context)
      : session_(session),
        plan_(plan),
        copy_on_write_(copy_on_write),
        write_(write),
        context_(context),
        lowering_(context, session) {}

  Result<RowLevelOutcome> Run();

 private:
  bool merges() const { return plan_.kind == RowLevelPlan::Kind::kMerge; }
  const plan::TableScan& target() const { return *plan_.target_scan->As<plan::TableScan>(); }

  Status PrepareSource();
  Status PlanTarget();
  Status CollectActions();
  Status AddBySourceActions();
  Status CheckCardinality();
  Status CountActions();
  Result<std::string> ClauseNumber(const std::vector<plan::RowClause>& clauses, int first);
  Result<std::vector<std::string>> NewValues(const std::vector<plan::RowClause>& clauses, int first,
                                             bool keep_target);
  Result<std::string> InsertedRows();
  Result<std::string> RewrittenRows();
  Result<std::string> UpdatedRows();
  Status WriteRows(std::vector<std::string> queries);
  Status WritePositions();
  Result<std::vector<int64_t>> TouchedFiles();
  void RemoveRewritten(const std::vector<int64_t>& files);
  WriteSpec RowsSpec() const;
  std::vector<std::string> ValueNames() const;
  std::string UpdateClauses() const;
  Result<std::vector<ValueList>> Fetch(const std::string& sql);

  DuckDbSession& session_;
  const RowLevelPlan& plan_;
  const bool copy_on_write_;
  const WriteSpec& write_;
  const StatementContext& context_;
  Lowering lowering_;
  std::shared_ptr<PlannedScan> scan_;
  std::string target_sql_;
  std::optional<std::string> row_id_, sequence_;  // names of the lineage columns, version 3
  RowLevelOutcome outcome_;
};

Result<std::vector<ValueList>> RowLevelRun::Fetch(const std::string& sql) {
  ASSIGN_OR_RETURN(auto result, session_.Run(sql));
  std::vector<ValueList> rows;
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session_.Fetch(*result));
    if (chunk == nullptr) return rows;
    rows.resize(rows.size() + chunk->size());
    for (auto& column : chunk->data) AppendColumn(column, chunk->size(), &rows);
  }
}

Status RowLevelRun::PrepareSource() {
  if (!merges()) return {};
  ASSIGN_OR_RETURN(std::string sql, lowering_.Query(plan_.source));
  RETURN_IF_ERROR(session_.Prepare(lowering_.extensions()));
  ASSIGN_OR_RETURN(auto created, session_.Run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS {}",
                                                          kSource, sql)));
  return {};
}

Status RowLevelRun::PlanTarget() {
  plan::TableScan scan = target();
  if (merges() && plan_.not_matched_by_source.empty()) {
    ASSIGN_OR_RETURN(expr::Expression keys, JoinKeyFilter(session_, lowering_, plan_, kSource));
    scan.filter = expr::Expression::And(scan.filter, keys);
  }
  ASSIGN_OR_RETURN(scan_, PlanScan(session_, scan));
  RETURN_IF_ERROR(LoadDeletes(session_, *scan_));
  ASSIGN_OR_RETURN(target_sql_, ScanSelectSql(session_, scan, scan_, true));
  outcome_.scanned = plan_.target.snapshot_id.has_value();
  for (const plan::ScanColumn& column : scan.columns) {
    if (write_.metadata->format_version < 3) break;
    if (column.field_id == table::kRowIdId) row_id_ = Lowering::Name(column.column.id);
    if (column.field_id == table::kLastUpdatedSequenceId)
      sequence_ = Lowering::Name(column.column.id);
  }
  return {};
}

// The number of the first clause whose condition holds, NULL when none does.
Result<std::string> RowLevelRun::ClauseNumber(const std::vector<plan::RowClause>& clauses,
                                              int first) {
  std::string out = "CASE";
  for (size_t i = 0; i < clauses.size(); ++i) {
    std::string condition = "true";
    if (clauses[i].condition != nullptr) {
      ASSIGN_OR_RETURN(condition, lowering_.Expression(clauses[i].condition));
    }
    out += fmt::format(" WHEN {} THEN {}", condition, first + static_cast<int>(i));
  }
  return clauses.empty() ? "CAST(NULL AS INTEGER)" : "CAST(" + out + " END AS INTEGER)";
}

// Per field of the table the value that clause `a` gives; without one the target's own, or NULL.
Result<std::vector<std::string>> RowLevelRun::NewValues(const std::vector<plan::RowClause>& clauses,
                                                        int first, bool keep_target) {
  std::vector<std::string> out;
  const auto& fields = plan_.target.schema->fields();
  for (size_t k = 0; k < fields.size(); ++k) {
    const plan::Column& column = plan_.target_scan->output[k];
    std::string text = "CASE";
    for (size_t i = 0; i < clauses.size(); ++i) {
      if (clauses[i].values.empty()) continue;
      ASSIGN_OR_RETURN(std::string value, lowering_.Expression(clauses[i].values[k]));
      if (keep_target && value == Lowering::Name(column.id)) continue;  // as the row has it
      text += fmt::format(" WHEN a = {} THEN {}", first + static_cast<int>(i), value);
    }
    std::string rest = keep_target ? Lowering::Name(column.id) : "NULL";
    out.push_back(text == "CASE"
                      ? rest
                      : "CAST(" + text + " ELSE " + rest + " END AS " + TypeSql(column.type) + ")");
  }
  return out;
}

std::vector<std::string> RowLevelRun::ValueNames() const {
  std::vector<std::string> out;
  for (size_t k = 0; k < plan_.target.schema->fields().size(); ++k)
    out.push_back("n" + std::to_string(k));
  return out;
}

// The clause numbers that update, for IN (...); -1 when there are none.
std::string RowLevelRun::UpdateClauses() const {
  std::vector<std::string> out = {"-1"};
  auto add = [&](const std::vector<plan::RowClause>& clauses, int first) {
    for (size_t i = 0; i < clauses.size(); ++i) {
      if (clauses[i].action == RowAction::kUpdate)
        out.push_back(std::to_string(first + static_cast<int>(i)));
    }
  };
  add(plan_.matched, 0);
  add(plan_.not_matched_by_source, kBySource);
  return Join(out, ", ");
}

Status RowLevelRun::CollectActions() {
  std::string condition = "true";
  if (plan_.condition != nullptr) {
    ASSIGN_OR_RETURN(condition, lowering_.Expression(plan_.condition));
  }
  ASSIGN_OR_RETURN(std::string clause, ClauseNumber(plan_.matched, 0));
  std::string from =
      merges() ? fmt::format("({}) AS t INNER JOIN (SELECT *, rowid AS s FROM {}) AS x ON {}",
                             target_sql_, kSource, condition)
               : fmt::format("(SELECT *, CAST(NULL AS BIGINT) AS s FROM ({})) WHERE {}",
                             target_sql_, condition);
  std::vector<std::string> items = {"f", "p", "s", "a"};
  if (!copy_on_write_) {
    ASSIGN_OR_RETURN(std::vector<std::string> values, NewValues(plan_.matched, 0, true));
    std::vector<std::string> names = ValueNames();
    for (size_t k = 0; k < values.size(); ++k) items.push_back(values[k] + " AS " + names[k]);
    if (row_id_) items.push_back(*row_id_ + " AS r");
  }
  std::string inner = fmt::format("SELECT *, {} AS a FROM {}", clause, from);
  Extensions needed = lowering_.extensions();
  needed.parquet = needed.core_functions = true;
  RETURN_IF_ERROR(session_.Prepare(needed));
  ASSIGN_OR_RETURN(
      auto created,
      session_.Run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS SELECT {} FROM ({})", kActions,
                               Join(items, ", "), inner),
                   context_.on_progress));
  return {};
}

// Target rows that no source row matches.
Status RowLevelRun::AddBySourceActions() {
  if (plan_.not_matched_by_source.empty()) return {};
  ASSIGN_OR_RETURN(std::string clause, ClauseNumber(plan_.not_matched_by_source, kBySource));
  std::vector<std::string> items = {"f", "p", "NULL", "a"};
  if (!copy_on_write_) {
    ASSIGN_OR_RETURN(std::vector<std::string> values,
                     NewValues(plan_.not_matched_by_source, kBySource, true));
    items.insert(items.end(), values.begin(), values.end());
    if (row_id_) items.push_back(*row_id_);
  }
  std::string sql = fmt::format(
      "INSERT INTO {0} SELECT {1} FROM (SELECT *, {2} AS a FROM ({3}) AS t ANTI JOIN (SELECT f AS "
      "mf, "
      "p AS mp FROM {0}) AS m ON t.f = m.mf AND t.p = m.mp) WHERE a IS NOT NULL",
      kActions, Join(items, ", "), clause, target_sql_);
  ASSIGN_OR_RETURN(auto inserted, session_.Run(sql, context_.on_progress));
  return {};
}

Status RowLevelRun::CheckCardinality() {
  if (!merges() || plan_.matched.empty()) return {};
  const plan::RowClause& only = plan_.matched[0];
  bool unchecked =
      plan_.matched.size() == 1 && only.action == RowAction::kDelete && only.condition == nullptr;
  if (unchecked) return {};
  ASSIGN_OR_RETURN(
      auto rows,
      Fetch(fmt::format("SELECT count(*) - count(DISTINCT (f << 40) + p) FROM {}", kActions)));
  if (rows[0][0].AsInt64() > 0) ThrowCondition("MERGE_CARDINALITY_VIOLATION");
  return {};
}

Status RowLevelRun::CountActions() {
  ASSIGN_OR_RETURN(
      auto rows,
      Fetch(fmt::format(
          "SELECT a, count(DISTINCT (f << 40) + p) FROM {} WHERE a IS NOT NULL GROUP BY a",
          kActions)));
  for (const ValueList& row : rows) {
    int64_t clause = row[0].AsInt64(), count = row[1].AsInt64();
    bool by_source = clause >= kBySource;
    const plan::RowClause& fired =
        by_source ? plan_.not_matched_by_source[clause - kBySource] : plan_.matched[clause];
    if (fired.action == RowAction::kUpdate) {
      outcome_.updated += count;
      (by_source ? outcome_.by_source_updated : outcome_.matched_updated) += count;
    } else {
      outcome_.deleted += count;
      (by_source ? outcome_.by_source_deleted : outcome_.matched_deleted) += count;
    }
  }
  return {};
}

// Rows that INSERT clauses make of unmatched source rows, as n0 ...; empty text when there are no
// such clauses.
Result<std::string> RowLevelRun::InsertedRows() {
  if (plan_.not_matched.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string clause, ClauseNumber(plan_.not_matched, 0));
  ASSIGN_OR_RETURN(std::vector<std::string> values, NewValues(plan_.not_matched, 0, false));
  std::vector<std::string> names = ValueNames(), items;
  for (size_t k = 0; k < values.size(); ++k) items.push_back(values[k] + " AS " + names[k]);
  if (row_id_) items.push_back("CAST(NULL AS BIGINT) AS r, CAST(NULL AS BIGINT) AS q");
  std::string sql = fmt::format(
      "SELECT {} FROM (SELECT *, {} AS a FROM (SELECT *, rowid AS s FROM {}) AS x ANTI JOIN "
      "(SELECT s "
      "AS ms FROM {} WHERE s IS NOT NULL) AS m ON x.s = m.ms) WHERE a IS NOT NULL",
      Join(items, ", "), clause, kSource, kActions);
  ASSIGN_OR_RETURN(auto count, Fetch("SELECT count(*) FROM (" + sql + ")"));
  outcome_.inserted = count[0][0].AsInt64();
  return outcome_.inserted > 0 ? sql : std::string();
}

Result<std::vector<int64_t>> RowLevelRun::TouchedFiles() {
  ASSIGN_OR_RETURN(
      auto rows,
      Fetch(fmt::format("SELECT DISTINCT f FROM {} WHERE a IS NOT NULL ORDER BY f", kActions)));
  std::vector<int64_t> out;
  for (const ValueList& row : rows) out.push_back(row[0].AsInt64());
  return out;
}

// Copy-on-write: every row of the touched files that is not deleted.
Result<std::string> RowLevelRun::RewrittenRows() {
  ASSIGN_OR_RETURN(std::vector<int64_t> files, TouchedFiles());
  RemoveRewritten(files);
  if (files.empty()) return std::string();
  auto touched = std::make_shared<PlannedScan>(*scan_);
  touched->tasks.clear();
  touched->deleted.clear();
  touched->union_partitions.clear();
  touched->ordinals = files;
  touched->rows = 0;
  int64_t live = 0;
  for (int64_t f : files) {
    touched->tasks.push_back(scan_->tasks[f]);
    touched->deleted.push_back(scan_->deleted[f]);
    touched->rows += scan_->tasks[f].file.record_count;
    live += scan_->tasks[f].file.record_count -
            (scan_->deleted[f] != nullptr ? scan_->deleted[f]->Cardinality() : 0);
  }
  outcome_.copied = live - outcome_.updated - outcome_.deleted;
  if (outcome_.copied == 0 && outcome_.updated == 0) return std::string();
  ASSIGN_OR_RETURN(std::string rows, ScanSelectSql(session_, target(), touched, true));
  // One expression serves both kinds of clauses: their numbers differ.
  ASSIGN_OR_RETURN(std::vector<std::string> values, NewValues(plan_.matched, 0, true));
  if (!plan_.not_matched_by_source.empty()) {
    ASSIGN_OR_RETURN(std::vector<std::string> more,
                     NewValues(plan_.not_matched_by_source, kBySource, true));
    for (size_t k = 0; k < values.size(); ++k)
      values[k] =
          fmt::format("CASE WHEN a >= {} THEN {} ELSE {} END", kBySource, more[k], values[k]);
  }
  std::vector<std::string> names = ValueNames(), items;
  for (size_t k = 0; k < values.size(); ++k) items.push_back(values[k] + " AS " + names[k]);
  if (row_id_) {
    items.push_back(*row_id_ + " AS r");
    items.push_back("CASE WHEN a IS NULL THEN " + *sequence_ + " END AS q");
  }
  std::string source =
      merges()
          ? fmt::format(" LEFT JOIN (SELECT *, rowid AS xs FROM {}) AS x ON m.s = x.xs", kSource)
          : "";
  return fmt::format(
      "SELECT {} FROM ({}) AS t LEFT JOIN (SELECT DISTINCT f AS mf, p AS mp, {} AS s, a FROM {} "
      "WHERE a IS NOT "
      "NULL) AS m ON t.f = m.mf AND t.p = m.mp{} WHERE a IS NULL OR a IN ({})",
      Join(items, ", "), rows, outcome_.updated > 0 ? "s" : "NULL", kActions, source,
      UpdateClauses());
}

void RowLevelRun::RemoveRewritten(const std::vector<int64_t>& files) {
  for (int64_t f : files) {
    outcome_.removed_data_files.push_back(scan_->tasks[f].file);
    for (const table::DeleteFilePtr& deletes : scan_->tasks[f].deletes) {
      if (deletes->file.is_dv()) outcome_.removed_delete_files.push_back(deletes->file);
    }
  }
}

// Merge-on-read: the new versions of updated rows.
Result<std::string> RowLevelRun::UpdatedRows() {
  if (outcome_.updated == 0) return std::string();
  std::string items = Join(ValueNames(), ", ");
  if (row_id_) items += ", r, CAST(NULL AS BIGINT) AS q";
  return fmt::format("SELECT {} FROM {} WHERE a IN ({})", items, kActions, UpdateClauses());
}

// The write's schema, with the lineage columns behind it in version 3.
WriteSpec RowLevelRun::RowsSpec() const { return row_id_ ? WithLineage(write_) : write_; }

Status RowLevelRun::WriteRows(std::vector<std::string> queries) {
  std::erase_if(queries, [](const std::string& sql) { return sql.empty(); });
  if (queries.empty()) return {};
  std::vector<std::string> names = ValueNames();
  if (row_id_) names.insert(names.end(), {"r", "q"});
  WriteSpec rows = RowsSpec();
  int64_t count = 0;
  Extensions needed = lowering_.extensions();
  needed.parquet = true;
  RETURN_IF_ERROR(session_.Prepare(needed));
  ASSIGN_OR_RETURN(outcome_.added_data_files,
                   WriteQuery(session_, WriteRowsSql(Join(queries, " UNION ALL "), names, rows),
                              rows, 0, context_, &count));
  return {};
}

Status RowLevelRun::WritePositions() {
  ASSIGN_OR_RETURN(
      auto result,
      session_.Run(fmt::format("SELECT f, p FROM {} WHERE a IS NOT NULL ORDER BY f, p", kActions)));
  std::map<int64_t, io::PositionBitmap> positions;
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session_.Fetch(*result));
    if (chunk == nullptr) break;
    chunk->Flatten();
    const auto* f = duckdb::FlatVector::GetData<int64_t>(chunk->data[0]);
    const auto* p = duckdb::FlatVector::GetData<int64_t>(chunk->data[1]);
    for (size_t i = 0; i < chunk->size(); ++i) positions[f[i]].Add(p[i]);
  }
  const bool vectors = write_.metadata->format_version >= 3;
  const bool by_file =
      AsciiLower(write_.metadata->Property("write.delete.granularity", "file")) != "partition";
  std::vector<FileDeletes> deletes;
  for (auto& [f, bitmap] : positions) {
    const table::FileScanTask& task = scan_->tasks[f];
    outcome_.referenced_data_files.push_back(task.file.file_path);
    // What earlier deletes of this file alone say moves into the new one; a vector must hold every
    // position.
    std::vector<table::DeleteFilePtr> merged;
    for (const table::DeleteFilePtr& old : task.deletes) {
      if (old->file.content != spec::DataFileContent::kPositionDeletes) continue;
      bool own = table::ReferencedDataFile(old->file).has_value();
      if (vectors || (by_file && own)) merged.push_back(old);
      if ((vectors || by_file) && own) outcome_.removed_delete_files.push_back(old->file);
    }
    if (!merged.empty()) {
      ASSIGN_OR_RETURN(io::PositionBitmap earlier,
                       ReadPositions(session_, merged, task.file.file_path));
      bitmap.Merge(earlier);
    }
    deletes.push_back({&task.file, std::move(bitmap)});
  }
  ASSIGN_OR_RETURN(outcome_.added_delete_files, WriteDeletes(session_, write_, std::move(deletes)));
  return {};
}

Result<RowLevelOutcome> RowLevelRun::Run() {
  RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
  RETURN_IF_ERROR(PrepareSource());
  RETURN_IF_ERROR(PlanTarget());
  RETURN_IF_ERROR(CollectActions());
  RETURN_IF_ERROR(CheckCardinality());
  RETURN_IF_ERROR(AddBySourceActions());
  RETURN_IF_ERROR(CountActions());
  ASSIGN_OR_RETURN(std::string inserted, InsertedRows());
  if (copy_on_write_) {
    ASSIGN_OR_RETURN(std::string rewritten, RewrittenRows());
    RETURN_IF_ERROR(WriteRows({rewritten, inserted}));
    return std::move(outcome_);
  }
  ASSIGN_OR_RETURN(std::string updated, UpdatedRows());
  RETURN_IF_ERROR(WriteRows({updated, inserted}));
  if (Status written = WritePositions(); !written) {
    std::vector<std::string> paths;
    for (const spec::DataFile& file : outcome_.added_data_files) paths.push_back(file.file_path);
    io::DefaultFileSystem().DeleteMany(paths, {});
    return Fail(written.error());
  }
  return std::move(outcome_);
}

}  // namespace

Result<RowLevelOutcome> Executor::RowLevel(const RowLevelPlan& plan, bool copy_on_write,
                                           const WriteSpec& write,
                                           const StatementContext& context) {
  DuckDbSession& session = state_->session;
  session.objects().Clear();
  auto outcome =
      Guarded([&] { return RowLevelRun(session, plan, copy_on_write, write, context).Run(); });
  (void)session.Run(
      fmt::format("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}", kSource, kActions));
  return outcome;
}

}  // namespace iceblink::exec
