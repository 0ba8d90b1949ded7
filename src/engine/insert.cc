// INSERT INTO, INSERT OVERWRITE and INSERT ... REPLACE WHERE.
#include <set>
#include <utility>

#include "engine/errors.h"
#include "engine/guards.h"
#include "engine/merge_evolution.h"
#include "engine/statements.h"
#include "engine/table_write.h"
#include "table/scan.h"

namespace iceblink::engine {
namespace {

using PartitionKey = std::pair<int32_t, std::string>;  // spec id, path

PartitionKey KeyOf(const spec::TableMetadata& metadata, const spec::DataFile& file) {
  const spec::PartitionSpec* spec = metadata.SpecById(file.spec_id);
  return {file.spec_id,
          spec == nullptr ? "" : spec::PartitionPath(*spec, metadata.schema(), file.partition)};
}

// Partitions that hold rows of the filter now and get none from the statement.
Result<int64_t> CountEmptiedPartitions(StatementScope& scope, catalog::Catalog& catalog,
                                       const plan::InsertPlan& plan,
                                       const std::vector<spec::DataFile>& written) {
  std::set<PartitionKey> kept;
  for (const spec::DataFile& file : written) kept.insert(KeyOf(*plan.target.metadata, file));
  std::set<PartitionKey> emptied;
  table::ScanRequest request;
  request.metadata = plan.target.metadata;
  request.snapshot_id = plan.target.snapshot_id;
  request.filter = plan.overwrite_filter;
  RETURN_IF_ERROR(table::PlanFiles(scope.session.ReadContextOf(catalog), std::move(request),
                                   [&](table::FileScanTask&& task) -> Status {
                                     PartitionKey key = KeyOf(*plan.target.metadata, task.file);
                                     if (kept.count(key) == 0) emptied.insert(std::move(key));
                                     return {};
                                   }));
  return static_cast<int64_t>(emptied.size());
}

Status GuardOverwrite(StatementScope& scope, const WriteTarget& target,
                      const plan::InsertPlan& plan, const std::vector<spec::DataFile>& written) {
  bool guarded = LenientGuard(scope.configuration()) != Guard::kOff;
  if (!guarded || plan.mode != plan::InsertMode::kOverwriteByFilter ||
      plan.target.metadata->spec().is_unpartitioned())
    return {};
  ASSIGN_OR_RETURN(int64_t emptied,
                   CountEmptiedPartitions(scope, *target.handle.catalog, plan, written));
  return CheckEmptiedPartitions(scope, plan.target, emptied);
}

commit::SnapshotChange ChangeOf(const plan::InsertPlan& plan, std::vector<spec::DataFile> files) {
  commit::SnapshotChange change;
  change.added_files = std::move(files);
  switch (plan.mode) {
    case plan::InsertMode::kAppend:
      change.kind = commit::ChangeKind::kMergeAppend;
      break;
    case plan::InsertMode::kOverwriteByFilter:
      change.kind = commit::ChangeKind::kOverwrite;
      change.row_filter = plan.overwrite_filter;
      break;
    case plan::InsertMode::kOverwriteDynamic:
      change.kind = commit::ChangeKind::kReplacePartitions;
      break;
  }
  return change;
}

Status RefuseUnsupported(StatementScope& scope, const sql::Insert& statement) {
  if (!statement.if_not_exists) return {};
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
  return FailWith(ErrorCode::kUnsupported, "AnalysisException",
                  "UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS", "0A000",
                  "The feature is not supported: INSERT INTO " + sql::QuoteName(name.full()) +
                      " with IF NOT EXISTS in the PARTITION spec.");
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::Insert& statement) {
  RETURN_IF_ERROR(RefuseUnsupported(scope, statement));
  ASSIGN_OR_RETURN(bool merged, MergeWriteSchema(scope, statement));
  sql::Insert insert = statement;
  insert.by_name |= merged;
  ASSIGN_OR_RETURN(plan::InsertPlan plan, scope.analyzer.AnalyzeInsert(insert));
  ASSIGN_OR_RETURN(WriteTarget target, PrepareWrite(scope, plan.target, "write to"));
  for (const auto& [key, value] : statement.options) {
    constexpr std::string_view kPrefix = "snapshot-property.";
    if (key.starts_with(kPrefix)) target.summary[key.substr(kPrefix.size())] = value;
  }
  exec::WriteSpec write = MakeWriteSpec(scope, plan.target.metadata, statement.options);
  ASSIGN_OR_RETURN(exec::WrittenFiles written,
                   scope.executor().Write(plan.source, write, scope.context()));
  if (plan.mode == plan::InsertMode::kOverwriteDynamic && written.data_files.empty())
    return StatementResult();
  if (auto guarded = GuardOverwrite(scope, target, plan, written.data_files); !guarded) {
    DiscardFiles(*target.handle.catalog, guarded.error(), written.data_files);
    return Fail(std::move(guarded).error());
  }
  RETURN_IF_ERROR(CommitWrite(scope, target, ChangeOf(plan, std::move(written.data_files))));
  return StatementResult();
}

// FROM x INSERT INTO a ... INSERT INTO b ...: one commit a table, in the order written.
Result<StatementResult> Run(StatementScope& scope, const sql::MultiInsert& statement) {
  for (const sql::Insert& insert : statement.inserts) RETURN_IF_ERROR(Run(scope, insert));
  return StatementResult();
}

}  // namespace iceblink::engine
