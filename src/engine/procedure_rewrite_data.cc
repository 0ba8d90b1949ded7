// rewrite_data_files: the rows of small, large or much-deleted files in files of the target size;
// bin-pack or sorted.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "engine/dangling_deletes.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/rewrite_order.h"
#include "engine/rewrite_planning.h"
#include "engine/table_write.h"
#include "plan/types.h"

namespace iceblink::engine {
namespace {

// What one call rewrites and how.
struct Rewrite {
  const ProcedureCall& call;
  TableHandle table;
  std::string branch = spec::kMainBranch;
  std::optional<int64_t> snapshot_id;  // where it starts
  RewriteOrder order;
  RewriteOptions options;
  expr::Expression filter;

  const spec::TableMetadata& metadata() const { return table.metadata(); }
};

struct Totals {
  int64_t rewritten_files = 0;
  int64_t added_files = 0;
  int64_t rewritten_bytes = 0;
  int64_t failed_files = 0;
  int64_t removed_deletes = 0;
};

// Files written for a group, until the commit that puts them in place.
struct RewrittenGroup {
  FileGroup group;
  std::vector<spec::DataFile> added;
};

Status ChooseBranch(Rewrite& rewrite) {
  if (rewrite.call.Has("branch")) rewrite.branch = rewrite.call.Text("branch");
  const spec::Snapshot* head = rewrite.metadata().SnapshotOfRef(rewrite.branch);
  if (head == nullptr && rewrite.branch != spec::kMainBranch) {
    return IllegalArgument("Cannot rewrite data files for branch " + rewrite.branch +
                           ": branch does not exist");
  }
  if (head != nullptr) rewrite.snapshot_id = head->snapshot_id;
  return {};
}

// Files that rolled a little past the target are better than a tail of tiny ones: the size at which
// writers start anew.
int64_t WriteMax(const RewriteOptions& options) {
  return options.target_size + (options.max_size - options.target_size) / 2;
}

Result<plan::PlanPtr> ScanOf(const Rewrite& rewrite, const FileGroup& group) {
  plan::TableScan scan;
  scan.table.catalog = rewrite.table.catalog_name;
  scan.table.identifier = rewrite.table.id.ns;
  scan.table.identifier.push_back(rewrite.table.id.name);
  scan.table.metadata = rewrite.table.loaded.metadata;
  scan.table.metadata_location = rewrite.table.loaded.metadata_location;
  scan.table.snapshot_id = rewrite.snapshot_id;
  scan.table.schema = std::make_shared<const spec::Schema>(rewrite.metadata().schema());
  auto files = std::make_shared<std::set<std::string>>();
  for (const table::FileScanTask& task : group.tasks) files->insert(task.file.file_path);
  scan.only_files = std::move(files);
  plan::Plan plan;
  plan::ColumnId id = 1;
  for (const spec::NestedField& field : rewrite.metadata().schema().fields()) {
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field.type));
    plan.output.push_back({id++, field.name, std::move(type), !field.required});
    scan.columns.push_back({plan.output.back(), field.id});
  }
  plan.node = std::move(scan);
  auto result = std::make_shared<const plan::Plan>(std::move(plan));
  return Sorted(std::move(result), rewrite.order, rewrite.options, rewrite.metadata().schema());
}

Result<RewrittenGroup> WriteGroup(const Rewrite& rewrite, FileGroup group) {
  ASSIGN_OR_RETURN(plan::PlanPtr plan, ScanOf(rewrite, group));
  exec::WriteSpec write = MakeWriteSpec(rewrite.call.scope, rewrite.table.loaded.metadata);
  write.spec_id = rewrite.options.output_spec_id;
  write.sort_order_id.reset();
  write.one_task = true;
  write.options["target-file-size-bytes"] = std::to_string(WriteMax(rewrite.options));
  ASSIGN_OR_RETURN(exec::WrittenFiles written,
                   rewrite.call.scope.executor().Write(plan, write, rewrite.call.scope.context()));
  if (const auto* order = std::get_if<spec::SortOrder>(&rewrite.order)) {
    for (const spec::SortOrder& known : rewrite.metadata().sort_orders) {
      if (!known.is_unsorted() && known.SameOrder(*order)) {
        for (spec::DataFile& file : written.data_files) file.sort_order_id = known.order_id;
      }
    }
  }
  return RewrittenGroup{std::move(group), std::move(written.data_files)};
}

commit::SnapshotChange ChangeOf(const Rewrite& rewrite, const std::vector<RewrittenGroup>& groups) {
  commit::SnapshotChange change;
  change.kind = commit::ChangeKind::kRewriteFiles;
  std::set<std::string> vectors;
  for (const RewrittenGroup& done : groups) {
    change.added_files.insert(change.added_files.end(), done.added.begin(), done.added.end());
    for (const table::FileScanTask& task : done.group.tasks) {
      change.removed_files.push_back({task.file, {}});
      for (const auto& deletes : task.deletes) {
        // A vector speaks of the one file that goes.
        std::string key = deletes->file.file_path + "#" +
                          std::to_string(deletes->file.content_offset.value_or(0));
        if (deletes->file.is_dv() && vectors.insert(std::move(key)).second)
          change.removed_deletes.push_back({deletes->file, {}});
      }
    }
  }
  if (rewrite.options.use_starting_sequence_number) {
    change.data_sequence_number =
        rewrite.metadata().SnapshotById(*rewrite.snapshot_id)->sequence_number;
  }
  if (rewrite.metadata().format_version < 2) change.data_sequence_number.reset();
  change.validation.from_snapshot = rewrite.snapshot_id;
  return change;
}

Status Commit(const Rewrite& rewrite, std::vector<RewrittenGroup> groups, Totals& totals) {
  if (groups.empty()) return {};
  WriteTarget target{rewrite.table, rewrite.branch, false,
                     EngineSummary(rewrite.call.scope.session)};
  commit::SnapshotChange change = ChangeOf(rewrite, groups);
  auto removed_deletes = static_cast<int64_t>(change.removed_deletes.size());
  RETURN_IF_ERROR(CommitWrite(rewrite.call.scope, target, std::move(change)));
  totals.removed_deletes += removed_deletes;
  for (const RewrittenGroup& done : groups) {
    totals.rewritten_files += static_cast<int64_t>(done.group.tasks.size());
    totals.added_files += static_cast<int64_t>(done.added.size());
    totals.rewritten_bytes += done.group.bytes;
  }
  return {};
}

// Writes all groups, then commits; with partial progress a commit follows every few groups.
Result<Totals> RewriteGroups(const Rewrite& rewrite, std::vector<FileGroup> groups) {
  Totals totals;
  size_t per_commit = groups.size();
  if (rewrite.options.partial_progress && rewrite.options.max_commits > 0) {
    auto commits = static_cast<size_t>(rewrite.options.max_commits);
    per_commit = std::max<size_t>(1, (groups.size() + commits - 1) / commits);
  }
  std::vector<RewrittenGroup> done;
  for (FileGroup& group : groups) {
    auto written = WriteGroup(rewrite, std::move(group));
    if (!written) {
      for (const RewrittenGroup& other : done)
        DiscardFiles(*rewrite.table.catalog, written.error(), other.added);
      return Fail(std::move(written).error());
    }
    done.push_back(std::move(*written));
    if (done.size() == per_commit)
      RETURN_IF_ERROR(Commit(rewrite, std::exchange(done, {}), totals));
  }
  RETURN_IF_ERROR(Commit(rewrite, std::move(done), totals));
  return totals;
}

// On main, in a commit of its own, on the table as the rewrite left it.
Status RemoveDanglingDeletes(const Rewrite& rewrite, Totals& totals) {
  TableHandle table = rewrite.table;
  ASSIGN_OR_RETURN(table.loaded, table.catalog->LoadTable(table.id));
  const spec::Snapshot* current = table.metadata().CurrentSnapshot();
  if (current == nullptr) return {};
  ASSIGN_OR_RETURN(std::vector<spec::DataFile> dangling,
                   FindDanglingDeletes(rewrite.call.scope.session.ReadContextOf(*table.catalog),
                                       table.metadata(), *current));
  if (dangling.empty()) return {};
  commit::SnapshotChange change;
  change.kind = commit::ChangeKind::kRewriteFiles;
  change.validation.from_snapshot = current->snapshot_id;
  for (spec::DataFile& file : dangling) change.removed_deletes.push_back({std::move(file), {}});
  totals.removed_deletes += static_cast<int64_t>(change.removed_deletes.size());
  WriteTarget target{table, spec::kMainBranch, false, EngineSummary(rewrite.call.scope.session)};
  RETURN_IF_ERROR(CommitWrite(rewrite.call.scope, target, std::move(change)));
  return {};
}

}  // namespace

Result<ProcedureRows> RewriteDataFiles(const ProcedureCall& call) {
  Rewrite rewrite{call, {}, spec::kMainBranch, {}, {}, {}, {}};
  ASSIGN_OR_RETURN(rewrite.table, call.Table(&rewrite.branch));
  RETURN_IF_ERROR(ChooseBranch(rewrite));
  ASSIGN_OR_RETURN(rewrite.order, ChooseRewriteOrder(call, rewrite.table));
  ASSIGN_OR_RETURN(rewrite.options, ParseRewriteOptions(call.Options("options"), rewrite.metadata(),
                                                        RewriterName(rewrite.order)));
  ASSIGN_OR_RETURN(rewrite.filter, call.Where(rewrite.metadata().schema()));
  Totals totals;
  if (rewrite.snapshot_id) {
    table::ScanRequest request;
    request.metadata = rewrite.table.loaded.metadata;
    request.snapshot_id = rewrite.snapshot_id;
    request.filter = rewrite.filter;
    request.stats = table::StatsSelection::All();
    ASSIGN_OR_RETURN(std::vector<table::FileScanTask> tasks,
                     table::PlanFiles(call.scope.session.ReadContextOf(*rewrite.table.catalog),
                                      std::move(request)));
    ASSIGN_OR_RETURN(totals, RewriteGroups(rewrite, PlanGroups(std::move(tasks), rewrite.options)));
    if (rewrite.options.remove_dangling_deletes)
      RETURN_IF_ERROR(RemoveDanglingDeletes(rewrite, totals));
  }
  return ProcedureRows{{Value(static_cast<int32_t>(totals.rewritten_files)),
                        Value(static_cast<int32_t>(totals.added_files)),
                        Value(totals.rewritten_bytes),
                        Value(static_cast<int32_t>(totals.failed_files)),
                        Value(static_cast<int32_t>(totals.removed_deletes))}};
}

}  // namespace iceblink::engine
