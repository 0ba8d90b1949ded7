#include "engine/table_write.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "engine/errors.h"
#include "engine/guards.h"
#include "engine/table_selection.h"
#include "spec/manifest.h"

namespace iceblink::engine {

SummaryEntries EngineSummary(const SessionState& session) {
  return {{"engine-name", "spark"},
          {"engine-version", kSparkVersion},
          {"iceberg-version",
           std::string("Apache Iceberg ") + kIcebergVersion + " (iceblink " + kVersion + ")"},
          {"app-id", session.app_id()},
          {"app-name", session.app_name()}};
}

SummaryEntries WriteSummary(const SessionState& session) {
  SummaryEntries summary = EngineSummary(session);
  summary["spark.app.id"] = session.app_id();
  for (auto& [key, value] :
       session.configuration.WithPrefix("spark.sql.iceberg.snapshot-property."))
    summary[key] = value;
  return summary;
}

Result<WriteTarget> PrepareWrite(StatementScope& scope, const plan::TableRef& table,
                                 std::string_view statement_verb) {
  if (table.time_travel)
    return IllegalArgument("Cannot " + std::string(statement_verb) + " table with time travel");
  RETURN_IF_ERROR(CheckWapGuards(scope, table));
  RETURN_IF_ERROR(
      spec::ParseFileFormat(table.metadata->Property("write.format.default", "parquet")));
  WriteTarget target;
  ASSIGN_OR_RETURN(target.handle, scope.names.HandleOf(table));
  target.branch = table.branch.value_or(spec::kMainBranch);
  target.summary = WriteSummary(scope.session);
  WapSettings wap = WapSettingsOf(*table.metadata, scope.configuration());
  if (!wap.id.empty() && !table.branch) {
    target.stage_only = true;
    target.summary["wap.id"] = wap.id;
  }
  return target;
}

exec::WriteSpec MakeWriteSpec(const StatementScope& scope, const spec::TableMetadataPtr& metadata,
                              const sql::PropertyMap& options) {
  exec::WriteSpec write;
  write.metadata = metadata;
  write.schema = std::make_shared<const spec::Schema>(metadata->schema());
  write.spec_id = metadata->default_spec_id;
  if (!metadata->sort_order().is_unsorted()) write.sort_order_id = metadata->default_sort_order_id;
  write.operation_id = NewUuid();
  static constexpr std::pair<std::string_view, std::string_view> kSessionOptions[] = {
      {"spark.sql.iceberg.compression-codec", "compression-codec"},
      {"spark.sql.iceberg.compression-level", "compression-level"},
  };
  for (const auto& [key, option] : kSessionOptions) {
    if (auto value = scope.configuration().Get(key)) write.options[std::string(option)] = *value;
  }
  for (const auto& [key, value] : options) write.options[AsciiLower(key)] = value;
  return write;
}

commit::Transaction::Options TransactionOptions(const StatementScope& scope) {
  commit::Transaction::Options options;
  options.clock = &scope.session.clock();
  return options;
}

void DiscardFiles(catalog::Catalog& catalog, const Error& error,
                  const std::vector<spec::DataFile>& files) {
  if (error.code == ErrorCode::kCommitUnknown || files.empty()) return;
  std::vector<std::string> paths;
  for (const spec::DataFile& file : files) paths.push_back(file.file_path);
  catalog.file_system().DeleteMany(paths, [](const std::string& path, const Error& why) {
    LogWarn("cannot delete " + path + " of a statement that failed: " + why.message);
  });
}

Result<commit::CommitOutcome> CommitWrite(StatementScope& scope, const WriteTarget& target,
                                          commit::SnapshotChange change) {
  change.branch = target.branch;
  change.stage_only = target.stage_only;
  for (const auto& [key, value] : target.summary) change.summary.emplace(key, value);
  std::vector<spec::DataFile> written = change.added_files;
  for (const commit::AddedDeleteFile& added : change.added_deletes) written.push_back(added.file);
  if (scope.session.interrupted()) {
    Error cancelled = Error::Make(ErrorCode::kUnavailable, "cancelled", "SparkException");
    DiscardFiles(*target.handle.catalog, cancelled, written);
    return Fail(std::move(cancelled));
  }
  commit::Transaction transaction(*target.handle.catalog, target.handle.id, target.handle.loaded,
                                  TransactionOptions(scope));
  transaction.Add(std::move(change));
  auto outcome = transaction.Commit();
  if (!outcome) DiscardFiles(*target.handle.catalog, outcome.error(), written);
  return outcome;
}

}  // namespace iceblink::engine
