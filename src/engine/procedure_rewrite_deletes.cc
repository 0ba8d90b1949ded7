// rewrite_position_delete_files: small position delete files of a partition put together, positions
// of data files that are gone dropped; in format version 3, position delete files become deletion
// vectors.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/strings.h"
#include "commit/entry_matcher.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/rewrite_planning.h"
#include "engine/table_write.h"
#include "exec/position_deletes.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kTargetSize = "target-file-size-bytes";
constexpr const char* kDefaultTargetSize = "67108864";

// Options of rewrite_data_files that this action does not take.
constexpr std::string_view kForeignOptions[] = {
    "delete-file-threshold",        "delete-ratio-threshold", "max-files-to-rewrite",
    "use-starting-sequence-number", "output-spec-id",         "remove-dangling-deletes"};

Result<RewriteOptions> OptionsOf(const ProcedureCall& call, const spec::TableMetadata& metadata) {
  std::map<std::string, std::string> options = call.Options("options");
  std::vector<std::string> foreign;
  for (std::string_view key : kForeignOptions) {
    if (options.count(std::string(key)) > 0) foreign.emplace_back(key);
  }
  if (!foreign.empty()) {
    return IllegalArgument("Cannot use options [" + Join(foreign, ", ") +
                           "], they are not supported by the action or the rewriter BIN-PACK");
  }
  options.try_emplace(std::string(kTargetSize),
                      metadata.Property("write.delete.target-file-size-bytes", kDefaultTargetSize));
  return ParseRewriteOptions(options, metadata, "BIN-PACK");
}

// Position delete files of the current snapshot by spec, and its data files.
struct SnapshotFiles {
  std::map<int32_t, std::vector<table::FileScanTask>> deletes;
  std::unordered_map<std::string, spec::DataFile> data;  // by path
};

class FileCollector {
 public:
  FileCollector(const ProcedureCall& call, const TableHandle& table)
      : context_(call.scope.session.ReadContextOf(*table.catalog)), types_(table.metadata()) {}

  Result<SnapshotFiles> Collect(const spec::TableMetadata& metadata,
                                const expr::Expression& filter) {
    ASSIGN_OR_RETURN(auto matcher,
                     commit::EntryMatcher::Make(filter, metadata.schema(), types_, true));
    ASSIGN_OR_RETURN(auto manifests, table::ReadManifests(context_, *metadata.CurrentSnapshot()));
    SnapshotFiles files;
    for (const spec::ManifestFile& manifest : manifests) {
      const bool deletes = manifest.content == spec::ManifestContent::kDeletes;
      table::ManifestReadOptions options;
      options.live_only = true;
      options.stats = table::StatsSelection::None();
      RETURN_IF_ERROR(table::ForEachEntry(
          context_, manifest, types_, options, [&](const spec::ManifestEntry& entry) -> Status {
            if (!deletes) {
              files.data.emplace(entry.data_file.file_path, entry.data_file);
              return {};
            }
            ASSIGN_OR_RETURN(const bool wanted, IsWanted(*matcher, entry.data_file));
            if (wanted) files.deletes[entry.data_file.spec_id].push_back(TaskOf(entry));
            return {};
          }));
    }
    return files;
  }

 private:
  static Result<bool> IsWanted(const commit::EntryMatcher& matcher, const spec::DataFile& file) {
    if (file.content != spec::DataFileContent::kPositionDeletes || file.is_dv()) return false;
    return matcher.MayMatch(file);
  }
  static table::FileScanTask TaskOf(const spec::ManifestEntry& entry) {
    table::FileScanTask task;
    task.file = entry.data_file;
    task.data_sequence_number = entry.sequence_number.value_or(0);
    return task;
  }
  table::ReadContext context_;
  table::PartitionTypes types_;
};

struct Totals {
  int32_t rewritten = 0, added = 0;
  int64_t rewritten_bytes = 0, added_bytes = 0;
};

// Writes the group's positions anew, at the newest of its sequence numbers.
Status RewriteGroup(const ProcedureCall& call, const TableHandle& table, const FileGroup& group,
                    const SnapshotFiles& files, commit::SnapshotChange& change, Totals& totals) {
  std::vector<spec::DataFile> deletes;
  int64_t sequence = 0;
  for (const table::FileScanTask& task : group.tasks) {
    deletes.push_back(task.file);
    sequence = std::max(sequence, task.data_sequence_number);
  }
  ASSIGN_OR_RETURN(std::vector<spec::DataFile> written,
                   exec::RewritePositionDeletes(table.catalog->file_system(),
                                                MakeWriteSpec(call.scope, table.loaded.metadata),
                                                deletes, files.data));
  totals.rewritten += static_cast<int32_t>(deletes.size());
  totals.added += static_cast<int32_t>(written.size());
  totals.rewritten_bytes += group.bytes;
  for (spec::DataFile& file : deletes) change.removed_deletes.push_back({std::move(file), {}});
  for (spec::DataFile& file : written) {
    totals.added_bytes += file.is_dv() ? *file.content_size_in_bytes : file.file_size_in_bytes;
    change.added_deletes.push_back({std::move(file), sequence});
  }
  return {};
}

std::vector<FileGroup> GroupsOf(SnapshotFiles& files, const RewriteOptions& options,
                                int32_t format_version) {
  std::vector<FileGroup> groups;
  for (auto& [spec_id, tasks] : files.deletes) {
    RewriteOptions of_spec = options;
    of_spec.output_spec_id = spec_id;  // its partitions stay apart
    of_spec.rewrite_all |= format_version >= 3;
    for (FileGroup& group : PlanGroups(std::move(tasks), of_spec))
      groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Result<ProcedureRows> RewritePositionDeleteFiles(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  const spec::TableMetadata& metadata = table.metadata();
  ASSIGN_OR_RETURN(const RewriteOptions options, OptionsOf(call, metadata));
  ASSIGN_OR_RETURN(const expr::Expression filter, call.Where(metadata.schema()));
  Totals totals;
  commit::SnapshotChange change;
  change.kind = commit::ChangeKind::kRewriteFiles;
  if (metadata.current_snapshot_id) {
    ASSIGN_OR_RETURN(SnapshotFiles files, FileCollector(call, table).Collect(metadata, filter));
    for (const FileGroup& group : GroupsOf(files, options, metadata.format_version)) {
      auto done = RewriteGroup(call, table, group, files, change, totals);
      if (done) continue;
      std::vector<spec::DataFile> written;
      for (commit::AddedDeleteFile& added : change.added_deletes) written.push_back(added.file);
      DiscardFiles(*table.catalog, done.error(), written);
      return Fail(std::move(done).error());
    }
  }
  if (!change.removed_deletes.empty()) {
    change.validation.from_snapshot = metadata.current_snapshot_id;
    WriteTarget target{table, spec::kMainBranch, false, EngineSummary(call.scope.session)};
    RETURN_IF_ERROR(CommitWrite(call.scope, target, std::move(change)));
  }
  return ProcedureRows{{Value(totals.rewritten), Value(totals.added), Value(totals.rewritten_bytes),
                        Value(totals.added_bytes)}};
}

}  // namespace iceblink::engine
