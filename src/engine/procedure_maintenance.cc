// Procedures that clean a table's metadata and files: expire_snapshots, remove_orphan_files,
// rewrite_manifests, register_table.
#include <utility>

#include "base/strings.h"
#include "commit/expire.h"
#include "commit/orphan.h"
#include "commit/rewrite_manifests.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/table_write.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

constexpr int64_t kDayMillis = 86'400'000;

Status CheckConcurrentDeletes(const ProcedureCall& call) {
  auto threads = call.Number("max_concurrent_deletes");
  if (!threads || *threads > 0) return {};
  return IllegalArgument("max_concurrent_deletes should have value > 0, value: " +
                         std::to_string(*threads));
}

// Rows of file_list_view: file_path and last_modified.
Result<std::vector<commit::ListedFile>> ReadFileList(StatementScope& scope,
                                                     const std::string& view) {
  ASSIGN_OR_RETURN(sql::QueryPtr query,
                   sql::ParseQuery("SELECT file_path, last_modified FROM " + view));
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*query));
  if (!plan->output[0].type.is_string() ||
      plan->output[1].type.kind() != sql::TypeKind::kTimestamp) {
    return IllegalArgument(
        "Invalid schema for file list view: expected (file_path string, last_modified timestamp)");
  }
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                   scope.executor().Query(plan, scope.context()));
  std::vector<commit::ListedFile> files;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, cursor->Next());
    if (rows.empty()) return files;
    for (const ValueList& row : rows) {
      if (row[0].is_null() || row[1].is_null()) continue;
      files.push_back({row[0].As<std::string>(), row[1].AsInt64() / 1000});
    }
  }
}

}  // namespace

Result<ProcedureRows> ExpireSnapshots(const ProcedureCall& call) {
  RETURN_IF_ERROR(CheckConcurrentDeletes(call));
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  commit::ExpireOptions options;
  options.older_than_ms = call.Millis("older_than");
  if (auto retain = call.Number("retain_last")) options.retain_last = static_cast<int32_t>(*retain);
  if (call.Has("snapshot_ids")) {
    for (const Value& id : call.Argument("snapshot_ids").elements())
      options.snapshot_ids.push_back(id.AsInt64());
  }
  options.clean_expired_metadata = call.Flag("clean_expired_metadata");
  options.clock = &call.scope.session.clock();
  ASSIGN_OR_RETURN(commit::ExpireResult result,
                   commit::ExpireSnapshots(*table.catalog, table.id, options));
  const commit::FileCounts& deleted = result.deleted;
  return ProcedureRows{{Value(deleted.data_files), Value(deleted.position_delete_files),
                        Value(deleted.equality_delete_files), Value(deleted.manifests),
                        Value(deleted.manifest_lists), Value(deleted.statistics_files)}};
}

Result<ProcedureRows> RemoveOrphanFiles(const ProcedureCall& call) {
  RETURN_IF_ERROR(CheckConcurrentDeletes(call));
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  commit::OrphanOptions options;
  options.older_than_ms = call.Millis("older_than");
  bool listed = call.Has("file_list_view");
  if (options.older_than_ms && !listed &&
      *options.older_than_ms > call.scope.now_ms() - kDayMillis) {
    return IllegalArgument(
        "Cannot remove orphan files with an interval less than 24 hours. Executing this procedure "
        "with a short interval may "
        "corrupt the table if other operations are happening at the same time. If you are "
        "absolutely confident that no "
        "concurrent operations will be affected by removing orphan files with such a short "
        "interval, you can use the Action "
        "API to remove orphan files with an arbitrary interval.");
  }
  if (call.Has("location")) options.location = call.Text("location");
  options.dry_run = call.Flag("dry_run");
  if (call.Has("prefix_mismatch_mode")) {
    ASSIGN_OR_RETURN(options.prefix_mismatch,
                     commit::ParsePrefixMismatch(call.Text("prefix_mismatch_mode")));
  }
  options.equal_schemes = call.Options("equal_schemes");
  options.equal_authorities = call.Options("equal_authorities");
  if (listed) {
    ASSIGN_OR_RETURN(options.listed_files, ReadFileList(call.scope, call.Text("file_list_view")));
  }
  options.clock = &call.scope.session.clock();
  ASSIGN_OR_RETURN(std::vector<std::string> orphans,
                   commit::RemoveOrphanFiles(*table.catalog, table.id, options));
  ProcedureRows rows;
  for (std::string& path : orphans) rows.push_back({Value(std::move(path))});
  return rows;
}

Result<ProcedureRows> RewriteManifests(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  commit::RewriteManifestsOptions options;
  if (auto spec = call.Number("spec_id")) options.spec_id = static_cast<int32_t>(*spec);
  if (call.Has("sort_by")) options.sort_by = call.Strings("sort_by");
  options.summary = EngineSummary(call.scope.session);
  ASSIGN_OR_RETURN(commit::RewriteManifestsResult result,
                   commit::RewriteManifests(*table.catalog, table.id, options));
  return ProcedureRows{{Value(result.rewritten), Value(result.added)}};
}

Result<ProcedureRows> RegisterTable(const ProcedureCall& call) {
  std::string text = call.Text("table");
  if (text.empty())
    return IllegalArgument("Cannot handle an empty identifier for parameter 'table'");
  if (call.Text("metadata_file").empty())
    return IllegalArgument("Cannot handle an empty argument metadata_file");
  ASSIGN_OR_RETURN(sql::Name name, sql::ParseMultipartIdentifier(text));
  if (name.size() > 1 && name.front() == call.catalog_name) name.erase(name.begin());
  catalog::TableIdentifier id{{name.begin(), name.end() - 1}, name.back()};
  ASSIGN_OR_RETURN(catalog::LoadedTable loaded,
                   call.catalog->RegisterTable(id, call.Text("metadata_file")));
  const spec::Snapshot* current = loaded.metadata->CurrentSnapshot();
  auto total = [&](const char* key) {
    auto number = current == nullptr || current->summary.count(key) == 0
                      ? std::nullopt
                      : ParseInt64(current->summary.at(key));
    return number ? Value(*number) : Value();
  };
  return ProcedureRows{{current == nullptr ? Value() : Value(current->snapshot_id),
                        total("total-records"), total("total-data-files")}};
}

}  // namespace iceblink::engine
