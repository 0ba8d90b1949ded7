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
#include "engine/rewrite_planning.h"
#include "engine/table_write.h"
#include "engine/transforms.h"
#include "plan/functions.h"
#include "plan/types.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

// What one call rewrites and how.
struct Rewrite {
  const ProcedureCall& call;
  TableHandle table;
  std::string branch = spec::kMainBranch;
  std::optional<int64_t> snapshot_id;    // where it starts
  std::optional<spec::SortOrder> order;  // absent: bin-pack
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

std::string DottedName(const TableHandle& table) {
  return table.catalog_name + "." + table.id.ToString();
}

// `zorder(a, b)` is the only function that no stored sort order has.
bool IsZorder(const std::vector<sql::OrderField>& order) {
  return std::any_of(order.begin(), order.end(), [](const sql::OrderField& f) {
    return EqualsIgnoreCase(f.transform.name, "zorder");
  });
}

Status CheckZorder(const Rewrite& rewrite, const std::vector<sql::OrderField>& order) {
  std::set<int32_t> identity;
  for (const spec::PartitionField& field : rewrite.metadata().spec().fields) {
    if (field.transform.is_identity()) identity.insert(field.source_id);
  }
  bool usable = false;
  for (const sql::OrderField& field : order) {
    if (!EqualsIgnoreCase(field.transform.name, "zorder")) {
      return IllegalArgument("Cannot mix identity sort columns and a Zorder sort expression: " +
                             rewrite.call.Text("sort_order"));
    }
    for (const sql::TransformArgument& argument : field.transform.args) {
      const auto* name = std::get_if<sql::Name>(&argument);
      const spec::NestedField* column =
          name == nullptr ? nullptr
                          : rewrite.metadata().schema().FindField(Join(*name, "."), false);
      usable |= column != nullptr && identity.count(column->id) == 0;
    }
  }
  if (!usable) {
    return IllegalArgument(
        "Cannot ZOrder, all columns provided were identity partition columns and cannot be used");
  }
  return Fail(UnsupportedFeature("zorder in rewrite_data_files"));
}

Result<std::optional<spec::SortOrder>> ChooseOrder(const Rewrite& rewrite) {
  const ProcedureCall& call = rewrite.call;
  std::string strategy = call.Has("strategy")     ? AsciiLower(call.Text("strategy"))
                         : call.Has("sort_order") ? "sort"
                                                  : "binpack";
  if (strategy != "binpack" && strategy != "sort") {
    return IllegalArgument("unsupported strategy: " + call.Text("strategy") +
                           ". Only binpack or sort is supported");
  }
  if (strategy == "binpack") {
    if (call.Has("sort_order"))
      return IllegalArgument("Cannot set rewrite mode, it has already been set to BIN-PACK");
    return std::optional<spec::SortOrder>();
  }
  if (call.Has("sort_order")) {
    ASSIGN_OR_RETURN(std::vector<sql::OrderField> fields,
                     sql::ParseSortOrder(call.Text("sort_order")));
    if (IsZorder(fields)) return Fail(CheckZorder(rewrite, fields).error());
    ASSIGN_OR_RETURN(std::vector<spec::SortTerm> terms, ToSortTerms(fields));
    ASSIGN_OR_RETURN(spec::SortOrder order,
                     spec::BuildSortOrder(rewrite.metadata().schema(), terms, false));
    return std::optional(std::move(order));
  }
  if (rewrite.metadata().sort_order().is_unsorted()) {
    return IllegalArgument("Cannot sort data without a valid sort order, table '" +
                           DottedName(rewrite.table) +
                           "' is unsorted and no sort order is provided");
  }
  return std::optional(rewrite.metadata().sort_order());
}

Result<expr::Expression> ParseWhere(const Rewrite& rewrite) {
  if (!rewrite.call.Has("where")) return expr::Expression::True();
  std::string text = rewrite.call.Text("where");
  auto parsed = sql::ParseExpression(text);
  if (parsed) {
    auto filter =
        rewrite.call.scope.analyzer.AnalyzePredicate(**parsed, rewrite.metadata().schema());
    if (filter) return filter;
  }
  return IllegalArgument("Cannot parse predicates in where option: " + text);
}

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

plan::ExprPtr Column(const plan::Column& column) {
  return std::make_shared<const plan::Expr>(
      plan::Expr{plan::ColumnRef{column.id, column.name}, column.type, column.nullable});
}

// The value a sort field orders by: the column, or iceberg_bucket(n, column) and the like.
Result<plan::ExprPtr> SortValue(const spec::SortField& field, const plan::Column& column) {
  static constexpr std::pair<spec::TransformKind, std::string_view> kFunctions[] = {
      {spec::TransformKind::kBucket, "bucket"}, {spec::TransformKind::kTruncate, "truncate"},
      {spec::TransformKind::kYear, "years"},    {spec::TransformKind::kMonth, "months"},
      {spec::TransformKind::kDay, "days"},      {spec::TransformKind::kHour, "hours"}};
  if (field.transform.is_identity()) return Column(column);
  for (const auto& [kind, name] : kFunctions) {
    if (!field.transform.Is(kind)) continue;
    const plan::FunctionRow* row = plan::FindSystemFunction(name);
    std::vector<plan::ExprPtr> args;
    if (field.transform.param() > 0) {
      args.push_back(std::make_shared<const plan::Expr>(plan::Expr{
          plan::LiteralExpr{Value(field.transform.param())}, sql::TypeKind::kInt, false}));
    }
    args.push_back(Column(column));
    ASSIGN_OR_RETURN(plan::CallType type, plan::TypeOfCall(*row, args, true));
    return std::make_shared<const plan::Expr>(
        plan::Expr{plan::Call{row->CanonicalName(), std::move(args)}, type.type, true});
  }
  return Fail(UnsupportedFeature("sorting by " + field.transform.ToString()));
}

Result<plan::PlanPtr> Sorted(plan::PlanPtr scan, const spec::SortOrder& order,
                             const spec::Schema& schema) {
  plan::Sort sort{scan, {}, true};
  for (const spec::SortField& field : order.fields) {
    const auto& fields = schema.fields();
    auto at = std::find_if(fields.begin(), fields.end(),
                           [&](const spec::NestedField& f) { return f.id == field.source_id; });
    if (at == fields.end()) return Fail(UnsupportedFeature("sorting by a nested column"));
    ASSIGN_OR_RETURN(plan::ExprPtr value,
                     SortValue(field, scan->output[static_cast<size_t>(at - fields.begin())]));
    sort.keys.push_back({std::move(value), field.direction == spec::SortDirection::kAsc,
                         field.null_order == spec::NullOrder::kNullsFirst});
  }
  plan::Plan plan;
  plan.output = scan->output;
  plan.node = std::move(sort);
  return std::make_shared<const plan::Plan>(std::move(plan));
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
  if (!rewrite.order) return result;
  return Sorted(std::move(result), *rewrite.order, rewrite.metadata().schema());
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
  if (rewrite.order) {
    for (const spec::SortOrder& known : rewrite.metadata().sort_orders) {
      if (!known.is_unsorted() && known.SameOrder(*rewrite.order)) {
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
  ASSIGN_OR_RETURN(rewrite.order, ChooseOrder(rewrite));
  ASSIGN_OR_RETURN(rewrite.options, ParseRewriteOptions(call.Options("options"), rewrite.metadata(),
                                                        rewrite.order ? "SORT" : "BIN-PACK"));
  ASSIGN_OR_RETURN(rewrite.filter, ParseWhere(rewrite));
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
