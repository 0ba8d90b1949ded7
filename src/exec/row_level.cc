// The actions of a DELETE, UPDATE or MERGE: steps 1 to 3 of row_level_run.h, and their order.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/executor_state.h"
#include "exec/join_keys.h"
#include "exec/row_level_run.h"
#include "exec/spark_error.h"
#include "exec/table_writing.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

namespace {

constexpr int64_t kFew = 4;  // a source of less than 1/4 of the target's rows updates few rows

}  // namespace

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

// Copy-on-write of a change whose size is not known to be small holds no rows back.
Status RowLevelRun::ChoosePass() {
  with_values_ = updates();
  if (!copy_on_write_ || !with_values_) return {};
  few_ = false;
  if (merges() && plan_.not_matched_by_source.empty()) {
    ASSIGN_OR_RETURN(auto rows, Fetch(fmt::format("SELECT count(*) FROM {}", kSource)));
    few_ = rows[0][0].AsInt64() < scan_->rows / kFew;
  }
  with_values_ = few_;
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
      if (clauses[i].action == plan::RowAction::kUpdate)
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
  if (with_values_) {
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
  if (with_values_) {
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
  bool unchecked = plan_.matched.size() == 1 && only.action == plan::RowAction::kDelete &&
                   only.condition == nullptr;
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
    if (fired.action == plan::RowAction::kUpdate) {
      outcome_.updated += count;
      (by_source ? outcome_.by_source_updated : outcome_.matched_updated) += count;
    } else {
      outcome_.deleted += count;
      (by_source ? outcome_.by_source_deleted : outcome_.matched_deleted) += count;
    }
  }
  return {};
}

Result<RowLevelOutcome> RowLevelRun::Run() {
  RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
  RETURN_IF_ERROR(PrepareSource());
  RETURN_IF_ERROR(PlanTarget());
  RETURN_IF_ERROR(ChoosePass());
  RETURN_IF_ERROR(CollectActions());
  RETURN_IF_ERROR(CheckCardinality());
  RETURN_IF_ERROR(AddBySourceActions());
  RETURN_IF_ERROR(CountActions());
  ASSIGN_OR_RETURN(std::string inserted, InsertedRows());
  if (!few_) {
    ASSIGN_OR_RETURN(std::string rewritten, JoinedRows());
    RETURN_IF_ERROR(WriteRows({rewritten, inserted}));
    return std::move(outcome_);
  }
  ASSIGN_OR_RETURN(std::string updated, UpdatedRows());
  if (copy_on_write_) {
    ASSIGN_OR_RETURN(std::string kept, KeptRows());
    RETURN_IF_ERROR(WriteRows({kept, updated, inserted}));
    return std::move(outcome_);
  }
  RETURN_IF_ERROR(WriteRows({updated, inserted}));
  if (Status written = WritePositions(); !written) {
    DeleteWritten(session_, outcome_.added_data_files);
    return Fail(written.error());
  }
  return std::move(outcome_);
}

Result<RowLevelOutcome> Executor::RowLevel(const plan::RowLevelPlan& plan, bool copy_on_write,
                                           const WriteSpec& write,
                                           const StatementContext& context) {
  DuckDbSession& session = state_->session;
  session.EndStatement();
  auto outcome =
      Guarded([&] { return RowLevelRun(session, plan, copy_on_write, write, context).Run(); });
  (void)session.Run(
      fmt::format("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}",
                  kSource, kActions, kInserted));
  return outcome;
}

}  // namespace iceblink::exec
