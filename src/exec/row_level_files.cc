// The files of a DELETE, UPDATE or MERGE: steps 4 and 5 of row_level_run.h.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/delete_writer.h"
#include "exec/row_level_run.h"
#include "exec/table_writing.h"

namespace iceblink::exec {

// Rows that INSERT clauses make of unmatched source rows, as n0 ...; empty text when there are no
// such clauses.
Result<std::string> RowLevelRun::InsertedRows() {
  if (plan_.not_matched.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string clause, ClauseNumber(plan_.not_matched, 0));
  ASSIGN_OR_RETURN(std::vector<std::string> values, NewValues(plan_.not_matched, 0, false));
  std::vector<std::string> names = ValueNames(), items;
  for (size_t k = 0; k < values.size(); ++k) items.push_back(values[k] + " AS " + names[k]);
  if (row_id_) items.push_back("CAST(NULL AS BIGINT) AS r, CAST(NULL AS BIGINT) AS q");
  ASSIGN_OR_RETURN(
      auto created,
      session_.Run(fmt::format(
          "CREATE OR REPLACE TEMP TABLE {} AS SELECT {} FROM (SELECT *, {} AS a FROM (SELECT *, "
          "rowid AS s FROM {}) AS x ANTI JOIN (SELECT s AS ms FROM {} WHERE s IS NOT NULL) AS m ON "
          "x.s = m.ms) WHERE a IS NOT NULL",
          kInserted, Join(items, ", "), clause, kSource, kActions)));
  ASSIGN_OR_RETURN(auto count, Fetch(fmt::format("SELECT count(*) FROM {}", kInserted)));
  outcome_.inserted = count[0][0].AsInt64();
  return outcome_.inserted > 0 ? fmt::format("SELECT * FROM {}", kInserted) : std::string();
}

Result<std::vector<int64_t>> RowLevelRun::TouchedFiles() {
  ASSIGN_OR_RETURN(
      auto rows,
      Fetch(fmt::format("SELECT DISTINCT f FROM {} WHERE a IS NOT NULL ORDER BY f", kActions)));
  std::vector<int64_t> out;
  for (const ValueList& row : rows) out.push_back(row[0].AsInt64());
  return out;
}

// A scan of these files alone; they and their vectors go with the commit.
Result<std::shared_ptr<PlannedScan>> RowLevelRun::RewriteFiles(const std::vector<int64_t>& files) {
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
    outcome_.removed_data_files.push_back(scan_->tasks[f].file);
    for (const table::DeleteFilePtr& deletes : scan_->tasks[f].deletes) {
      if (deletes->file.is_dv()) outcome_.removed_delete_files.push_back(deletes->file);
    }
  }
  outcome_.copied = live - outcome_.updated - outcome_.deleted;
  return touched;
}

// Copy-on-write of few rows: the rows of the touched files that no action changes, in their order.
Result<std::string> RowLevelRun::KeptRows() {
  ASSIGN_OR_RETURN(auto positions, ActedPositions());
  std::vector<int64_t> files;
  for (const auto& [f, bitmap] : positions) files.push_back(f);
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> kept, RewriteFiles(files));
  if (outcome_.copied == 0) return std::string();
  for (size_t i = 0; i < files.size(); ++i) {
    io::PositionBitmap& gone = positions[files[i]];
    if (kept->deleted[i] != nullptr) gone.Merge(*kept->deleted[i]);
    kept->deleted[i] = std::make_shared<const io::PositionBitmap>(std::move(gone));
  }
  ASSIGN_OR_RETURN(std::string rows, ScanSelectSql(session_, target(), kept, false));
  std::vector<std::string> names = ValueNames(), items;
  for (size_t k = 0; k < names.size(); ++k)
    items.push_back(Lowering::Name(plan_.target_scan->output[k].id) + " AS " + names[k]);
  if (row_id_) items.push_back(*row_id_ + " AS r, " + *sequence_ + " AS q");
  return fmt::format("SELECT {} FROM ({})", Join(items, ", "), rows);
}

// Copy-on-write of many rows: every row of the touched files that is not deleted.
Result<std::string> RowLevelRun::JoinedRows() {
  ASSIGN_OR_RETURN(std::vector<int64_t> files, TouchedFiles());
  if (files.empty()) return std::string();
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> touched, RewriteFiles(files));
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

// The new versions of updated rows, out of the actions.
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

Result<std::map<int64_t, io::PositionBitmap>> RowLevelRun::ActedPositions() {
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
  return positions;
}

Status RowLevelRun::WritePositions() {
  ASSIGN_OR_RETURN(auto positions, ActedPositions());
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

}  // namespace iceblink::exec
