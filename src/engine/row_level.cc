// DELETE, UPDATE, MERGE and TRUNCATE.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/merge_evolution.h"
#include "engine/statements.h"
#include "engine/table_write.h"
#include "expr/evaluate.h"
#include "spec/properties.h"
#include "table/scan.h"

namespace iceblink::engine {
namespace {

using commit::RowCommand;

struct CommandRules {
  RowCommand command;
  std::string_view mode_property;
  std::string_view isolation_property;
};
constexpr CommandRules kDeleteRules{RowCommand::kDelete, spec::property::kDeleteMode,
                                    spec::property::kDeleteIsolation};
constexpr CommandRules kUpdateRules{RowCommand::kUpdate, spec::property::kUpdateMode,
                                    spec::property::kUpdateIsolation};
constexpr CommandRules kMergeRules{RowCommand::kMerge, spec::property::kMergeMode,
                                   spec::property::kMergeIsolation};

// Says "some planned file is matched only in part": ends the planning.
constexpr char kPartialMatch[] = "some rows match";

// Whether every file that can hold matching rows holds nothing else, so that a DELETE needs no data
// read.
Result<bool> SelectsWholeFiles(StatementScope& scope, catalog::Catalog& catalog,
                               const plan::RowLevelPlan& plan) {
  const spec::TableMetadata& metadata = *plan.target.metadata;
  ASSIGN_OR_RETURN(auto strict,
                   expr::StrictMetricsEvaluator::Make(plan.target_filter, metadata.schema()));
  table::ScanRequest request;
  request.metadata = plan.target.metadata;
  request.snapshot_id = plan.target.snapshot_id;
  request.filter = plan.target_filter;
  request.stats = table::StatsSelection::Of(
      expr::ReferencedFieldIds(plan.target_filter, metadata.schema(), false));
  auto planned = table::PlanFiles(scope.session.ReadContextOf(catalog), std::move(request),
                                  [&](table::FileScanTask&& task) -> Status {
                                    if (task.residual.is_true() || strict.Eval(task.file))
                                      return {};
                                    return Fail(ErrorCode::kUnsupported, kPartialMatch);
                                  });
  if (planned) return true;
  if (planned.error().message == kPartialMatch) return false;
  return Fail(std::move(planned).error());
}

// A DELETE that drops whole files. It is never staged, and carries no snapshot-property of the
// session.
Result<StatementResult> DeleteFiles(StatementScope& scope, WriteTarget target,
                                    expr::Expression filter) {
  target.stage_only = false;
  target.summary = EngineSummary(scope.session);
  target.summary["spark.app.id"] = scope.session.app_id();
  commit::SnapshotChange change;
  change.kind = commit::ChangeKind::kDeleteFiles;
  change.row_filter = std::move(filter);
  RETURN_IF_ERROR(CommitWrite(scope, target, std::move(change)));
  return StatementResult();
}

void AddMergeCounters(const exec::RowLevelOutcome& outcome, SummaryEntries& summary) {
  const std::pair<std::string_view, int64_t> counters[] = {
      {"copied", outcome.copied},
      {"deleted", outcome.deleted},
      {"updated", outcome.updated},
      {"inserted", outcome.inserted},
      {"matched-updated", outcome.matched_updated},
      {"matched-deleted", outcome.matched_deleted},
      {"not-matched-by-source-updated", outcome.by_source_updated},
      {"not-matched-by-source-deleted", outcome.by_source_deleted},
  };
  for (const auto& [name, count] : counters) {
    if (count >= 0)
      summary["spark.merge-into.num-target-rows-" + std::string(name)] = std::to_string(count);
  }
}

bool ChangesNothing(const exec::RowLevelOutcome& outcome) {
  return outcome.added_data_files.empty() && outcome.added_delete_files.empty() &&
         outcome.removed_data_files.empty() && outcome.removed_delete_files.empty();
}

std::vector<commit::RemovedFile> Removed(std::vector<spec::DataFile> files) {
  std::vector<commit::RemovedFile> removed;
  for (spec::DataFile& file : files) removed.push_back({std::move(file), {}});
  return removed;
}

struct RowLevelRun {
  const CommandRules& rules;
  const plan::RowLevelPlan& plan;
  bool copy_on_write;
};

Result<commit::SnapshotChange> ChangeOf(const RowLevelRun& run, exec::RowLevelOutcome outcome) {
  const spec::TableMetadata& metadata = *run.plan.target.metadata;
  commit::SnapshotChange change;
  change.added_files = std::move(outcome.added_data_files);
  bool inserts_only = run.plan.kind == plan::RowLevelPlan::Kind::kMerge &&
                      run.plan.matched.empty() && run.plan.not_matched_by_source.empty();
  if (inserts_only) return change;  // an append, as Spark plans it
  change.removed_files = Removed(std::move(outcome.removed_data_files));
  change.removed_deletes = Removed(std::move(outcome.removed_delete_files));
  for (spec::DataFile& file : outcome.added_delete_files)
    change.added_deletes.push_back({std::move(file), {}});
  ASSIGN_OR_RETURN(commit::Isolation isolation, commit::ParseIsolation(metadata.Property(
                                                    run.rules.isolation_property, "serializable")));
  std::optional<int64_t> scanned = outcome.scanned ? run.plan.target.snapshot_id : std::nullopt;
  if (run.copy_on_write) {
    change.kind = commit::ChangeKind::kOverwrite;
    change.validation = commit::CopyOnWriteValidation(isolation, scanned, run.plan.target_filter);
  } else {
    change.kind = commit::ChangeKind::kRowDelta;
    change.validation =
        commit::MergeOnReadValidation(run.rules.command, isolation, scanned, run.plan.target_filter,
                                      std::move(outcome.referenced_data_files));
  }
  return change;
}

Result<bool> CopiesOnWrite(const spec::TableMetadata& metadata, std::string_view property) {
  std::string mode = metadata.Property(property, "copy-on-write");
  if (EqualsIgnoreCase(mode, "copy-on-write")) return true;
  if (!EqualsIgnoreCase(mode, "merge-on-read"))
    return IllegalArgument("Unknown row-level operation mode: " + mode);
  return false;
}

Result<StatementResult> RunRowLevel(StatementScope& scope, const plan::RowLevelPlan& plan,
                                    const CommandRules& rules, WriteTarget target) {
  ASSIGN_OR_RETURN(bool copy_on_write, CopiesOnWrite(*plan.target.metadata, rules.mode_property));
  exec::WriteSpec write = MakeWriteSpec(scope, plan.target.metadata);
  ASSIGN_OR_RETURN(exec::RowLevelOutcome outcome,
                   scope.executor().RowLevel(plan, copy_on_write, write, scope.context()));
  if (ChangesNothing(outcome) &&
      scope.configuration().GetBool("iceblink.skip-empty-commits", false))
    return StatementResult();
  SummaryEntries counters;
  if (rules.command == RowCommand::kMerge) AddMergeCounters(outcome, counters);
  ASSIGN_OR_RETURN(commit::SnapshotChange change,
                   ChangeOf({rules, plan, copy_on_write}, std::move(outcome)));
  if (change.kind != commit::ChangeKind::kMergeAppend) change.summary = std::move(counters);
  RETURN_IF_ERROR(CommitWrite(scope, target, std::move(change)));
  return StatementResult();
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::Delete& statement) {
  scope.names.set_write_verb("delete from");
  ASSIGN_OR_RETURN(plan::RowLevelPlan plan, scope.analyzer.AnalyzeDelete(statement));
  const bool whole_table = statement.where == nullptr;
  ASSIGN_OR_RETURN(WriteTarget target,
                   PrepareWrite(scope, plan.target, whole_table ? "delete from" : "modify"));
  if (plan.filter_is_exact) {
    RETURN_IF_ERROR(
        CopiesOnWrite(*plan.target.metadata, kDeleteRules.mode_property));  // refuses unknown modes
    if (plan.target_filter.is_false()) return StatementResult();
    ASSIGN_OR_RETURN(bool whole_files, SelectsWholeFiles(scope, *target.handle.catalog, plan));
    if (whole_files) return DeleteFiles(scope, std::move(target), plan.target_filter);
  }
  return RunRowLevel(scope, plan, kDeleteRules, std::move(target));
}

Result<StatementResult> Run(StatementScope& scope, const sql::Update& statement) {
  ASSIGN_OR_RETURN(plan::RowLevelPlan plan, scope.analyzer.AnalyzeUpdate(statement));
  ASSIGN_OR_RETURN(WriteTarget target, PrepareWrite(scope, plan.target, "modify"));
  return RunRowLevel(scope, plan, kUpdateRules, std::move(target));
}

Result<StatementResult> Run(StatementScope& scope, const sql::Merge& statement) {
  if (statement.with_schema_evolution) RETURN_IF_ERROR(EvolveTarget(scope, statement));
  ASSIGN_OR_RETURN(plan::RowLevelPlan plan, scope.analyzer.AnalyzeMerge(statement));
  ASSIGN_OR_RETURN(WriteTarget target, PrepareWrite(scope, plan.target, "modify"));
  return RunRowLevel(scope, plan, kMergeRules, std::move(target));
}

Result<StatementResult> Run(StatementScope& scope, const sql::Truncate& statement) {
  plan::RelationRequest request{statement.table, {}, {}, {}, true};
  ASSIGN_OR_RETURN(auto relation, scope.names.Resolve(request));
  const auto* data = relation ? std::get_if<plan::DataTable>(&*relation) : nullptr;
  if (data == nullptr) return Fail(TableNotFound(statement.table, "ExtendedAnalysisException"));
  if (!statement.partition.empty()) {
    return Fail(NoPartitionManagement(data->table.QuotedName(), "; line 1 pos 15;"));
  }
  ASSIGN_OR_RETURN(WriteTarget target, PrepareWrite(scope, data->table, "delete from"));
  return DeleteFiles(scope, std::move(target), expr::Expression::True());
}

}  // namespace iceblink::engine
