#include "table/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "base/thread_pool.h"
#include "expr/evaluate.h"
#include "io/object_reader.h"
#include "table/manifest_list.h"
#include "table/snapshots.h"

namespace iceblink::table {
namespace {

using spec::ManifestContent;
using spec::ManifestEntry;
using spec::ManifestFile;

// The request's filter compiled for one partition spec.
struct SpecFilter {
  expr::ManifestEvaluator manifest;
  expr::RowEvaluator partition;
  expr::ResidualEvaluator residual;
};

Result<SpecFilter> CompileFor(const expr::Expression& filter, const spec::Schema& schema,
                              const spec::PartitionSpec& spec, bool case_sensitive) {
  ASSIGN_OR_RETURN(auto manifest,
                   expr::ManifestEvaluator::ForRowFilter(filter, schema, spec, case_sensitive));
  ASSIGN_OR_RETURN(const auto projected,
                   expr::ProjectInclusive(filter, schema, spec, case_sensitive));
  ASSIGN_OR_RETURN(auto partition,
                   expr::RowEvaluator::Make(projected, expr::PartitionSchema(spec, schema), true));
  ASSIGN_OR_RETURN(auto residual,
                   expr::ResidualEvaluator::Make(filter, schema, spec, case_sensitive));
  return SpecFilter{std::move(manifest), std::move(partition), std::move(residual)};
}

StatsSelection Plus(const StatsSelection& stats, const std::set<int32_t>& ids) {
  StatsSelection sum = stats;
  sum.field_ids.insert(ids.begin(), ids.end());
  return sum;
}

// Leaves the selected metrics only.
void Reduce(const StatsSelection& keep, spec::DataFile& file) {
  if (keep.all) return;
  const auto reduce = [&](auto& map) {
    if (map.empty()) return;
    std::remove_reference_t<decltype(map)> kept;
    for (const auto& [id, value] : map) {
      if (keep.field_ids.contains(id)) kept.Set(id, value);
    }
    map = std::move(kept);
  };
  reduce(file.column_sizes);
  reduce(file.value_counts);
  reduce(file.null_value_counts);
  reduce(file.nan_value_counts);
  reduce(file.lower_bounds);
  reduce(file.upper_bounds);
}

}  // namespace

struct ScanPlanner::State {
  ReadContext context;
  ScanRequest request;
  spec::Schema schema;
  PartitionTypes types;
  std::optional<expr::InclusiveMetricsEvaluator> metrics;  // absent: the filter is true
  std::map<int32_t, SpecFilter> by_spec;
  std::unordered_set<int64_t> added_by;  // incremental: the append snapshots of the range
  ManifestReadOptions read_options;
  bool reduce_stats = false;
  std::deque<ManifestFile> data_manifests;
  DeleteIndex deletes;
  ScanCounters counters;

  State(const ReadContext& c, ScanRequest r)
      : context(c),
        request(std::move(r)),
        schema(request.schema.value_or(request.metadata->schema())),
        types(*request.metadata) {}

  bool incremental() const { return request.after_snapshot_id.has_value(); }
  Status CompileFilter();
  Status ReadList(std::vector<ManifestFile>& delete_manifests);
  Status AddManifest(ManifestFile&& manifest, std::vector<ManifestFile>& delete_manifests);
  Status ReadIncrementalLists();
  Status IndexDeletes(const std::vector<ManifestFile>& manifests);
  Status ReadDeleteManifest(const ManifestFile& manifest, std::vector<DeleteFilePtr>& out) const;
  void ChooseStats();
  bool MayMatch(const ManifestEntry& entry, const SpecFilter& filter) const;
  Status PlanManifest(const ManifestFile& manifest, std::vector<FileScanTask>& tasks,
                      int64_t& skipped) const;
  Result<FileScanTask> MakeTask(ManifestEntry&& entry, expr::Expression residual) const;
};

ScanPlanner::ScanPlanner(std::unique_ptr<State> state) : state_(std::move(state)) {}
ScanPlanner::~ScanPlanner() = default;

Status ScanPlanner::State::CompileFilter() {
  ASSIGN_OR_RETURN(const expr::Expression bound,
                   expr::Bind(request.filter, schema, request.case_sensitive));
  if (bound.is_true()) return {};
  ASSIGN_OR_RETURN(metrics, expr::InclusiveMetricsEvaluator::Make(request.filter, schema,
                                                                  request.case_sensitive));
  for (const auto& [id, entry] : types.entries()) {
    ASSIGN_OR_RETURN(SpecFilter filter,
                     CompileFor(request.filter, schema, entry.spec, request.case_sensitive));
    by_spec.emplace(id, std::move(filter));
  }
  return {};
}

Status ScanPlanner::State::AddManifest(ManifestFile&& manifest,
                                       std::vector<ManifestFile>& delete_manifests) {
  const bool is_data = manifest.content == ManifestContent::kData;
  (is_data ? counters.total_data_manifests : counters.total_delete_manifests)++;
  if (!manifest.has_added_files() && !manifest.has_existing_files()) return {};
  RETURN_IF_ERROR(types.Get(manifest.spec_id));
  if (metrics && !by_spec.at(manifest.spec_id).manifest.Eval(manifest)) return {};
  (is_data ? counters.scanned_data_manifests : counters.scanned_delete_manifests)++;
  if (is_data) {
    manifest.partitions.reset();  // served its purpose
    data_manifests.push_back(std::move(manifest));
  } else {
    delete_manifests.push_back(std::move(manifest));
  }
  return {};
}

Status ScanPlanner::State::ReadList(std::vector<ManifestFile>& delete_manifests) {
  if (!request.snapshot_id) return {};
  const spec::Snapshot* snapshot = request.metadata->SnapshotById(*request.snapshot_id);
  if (snapshot == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot find snapshot with ID {}", *request.snapshot_id),
                "IllegalArgumentException");
  }
  if (incremental()) return ReadIncrementalLists();
  return ForEachManifest(context, *snapshot, [&](ManifestFile&& m) {
    return AddManifest(std::move(m), delete_manifests);
  });
}

// Only manifests that the range's append snapshots made hold their added files, each in the list of
// its own snapshot.
Status ScanPlanner::State::ReadIncrementalLists() {
  ASSIGN_OR_RETURN(
      const std::vector<const spec::Snapshot*> appends,
      AppendsBetween(*request.metadata, *request.after_snapshot_id, *request.snapshot_id));
  for (const spec::Snapshot* snapshot : appends) added_by.insert(snapshot->snapshot_id);
  for (const spec::Snapshot* snapshot : appends) {
    RETURN_IF_ERROR(ForEachManifest(context, *snapshot, [&](ManifestFile&& m) -> Status {
      if (m.added_snapshot_id != snapshot->snapshot_id || m.content != ManifestContent::kData)
        return {};
      std::vector<ManifestFile> none;
      return AddManifest(std::move(m), none);
    }));
  }
  return {};
}

bool ScanPlanner::State::MayMatch(const ManifestEntry& entry, const SpecFilter& filter) const {
  return filter.partition.Eval(entry.data_file.partition) && metrics->Eval(entry.data_file);
}

Status ScanPlanner::State::ReadDeleteManifest(const ManifestFile& manifest,
                                              std::vector<DeleteFilePtr>& out) const {
  ManifestReadOptions options;
  options.live_only = true;
  options.split_offsets = false;
  ASSIGN_OR_RETURN(auto reader, ManifestReader::Open(context, manifest, types, std::move(options)));
  const SpecFilter* filter = metrics ? &by_spec.at(manifest.spec_id) : nullptr;
  while (true) {
    ASSIGN_OR_RETURN(const ManifestEntry* entry, reader->Next());
    if (entry == nullptr) return {};
    if (filter != nullptr && !MayMatch(*entry, *filter)) continue;
    ManifestEntry taken = reader->Take();
    out.push_back(std::make_shared<DeleteFile>(
        DeleteFile{std::move(taken.data_file), taken.sequence_number.value_or(0)}));
  }
}

Status ScanPlanner::State::IndexDeletes(const std::vector<ManifestFile>& manifests) {
  std::vector<std::vector<DeleteFilePtr>> parts(manifests.size());
  RETURN_IF_ERROR(
      io::ThreadsFor(request.metadata->location).ParallelFor(manifests.size(), [&](size_t i) {
        return ReadDeleteManifest(manifests[i], parts[i]);
      }));
  std::vector<DeleteFilePtr> all;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  counters.indexed_delete_files = static_cast<int64_t>(all.size());
  ASSIGN_OR_RETURN(deletes, DeleteIndex::Build(std::move(all), types, request.metadata->schema()));
  return {};
}

// Reads what the filter and the equality deletes look at beside what the caller wants.
void ScanPlanner::State::ChooseStats() {
  std::set<int32_t> needed;
  if (metrics) needed = expr::ReferencedFieldIds(request.filter, schema, request.case_sensitive);
  needed.insert(deletes.equality_field_ids().begin(), deletes.equality_field_ids().end());
  read_options.live_only = true;
  read_options.stats = Plus(request.stats, needed);
  reduce_stats = !request.stats.all && read_options.stats.field_ids != request.stats.field_ids;
}

Result<FileScanTask> ScanPlanner::State::MakeTask(ManifestEntry&& entry,
                                                  expr::Expression residual) const {
  FileScanTask task;
  task.data_sequence_number = entry.sequence_number.value_or(0);
  task.file_sequence_number = entry.file_sequence_number;
  task.snapshot_id = entry.snapshot_id.value_or(0);
  task.residual = std::move(residual);
  if (!incremental()) {
    ASSIGN_OR_RETURN(task.deletes, deletes.For(entry.data_file, task.data_sequence_number));
  }
  if (reduce_stats) Reduce(request.stats, entry.data_file);
  task.file = std::move(entry.data_file);
  return task;
}

Status ScanPlanner::State::PlanManifest(const ManifestFile& manifest,
                                        std::vector<FileScanTask>& tasks, int64_t& skipped) const {
  ASSIGN_OR_RETURN(auto reader, ManifestReader::Open(context, manifest, types, read_options));
  const SpecFilter* filter = metrics ? &by_spec.at(manifest.spec_id) : nullptr;
  while (true) {
    ASSIGN_OR_RETURN(const ManifestEntry* entry, reader->Next());
    if (entry == nullptr) return {};
    if (incremental() && (entry->status != spec::EntryStatus::kAdded ||
                          !added_by.contains(entry->snapshot_id.value_or(0)))) {
      continue;
    }
    expr::Expression residual;
    if (filter != nullptr) {
      const bool may_match = MayMatch(*entry, *filter);
      if (may_match) residual = filter->residual.ResidualFor(entry->data_file.partition);
      if (!may_match || residual.is_false()) {
        skipped++;
        continue;
      }
    }
    ASSIGN_OR_RETURN(FileScanTask task, MakeTask(reader->Take(), std::move(residual)));
    tasks.push_back(std::move(task));
  }
}

Result<std::unique_ptr<ScanPlanner>> ScanPlanner::Create(const ReadContext& context,
                                                         ScanRequest request) {
  std::unique_ptr<State> state(new State(context, std::move(request)));
  RETURN_IF_ERROR(state->CompileFilter());
  std::vector<ManifestFile> delete_manifests;
  RETURN_IF_ERROR(state->ReadList(delete_manifests));
  RETURN_IF_ERROR(state->IndexDeletes(delete_manifests));
  state->ChooseStats();
  return std::unique_ptr<ScanPlanner>(new ScanPlanner(std::move(state)));
}

Result<std::vector<FileScanTask>> ScanPlanner::Next() {
  State& s = *state_;
  std::vector<FileScanTask> tasks;
  while (tasks.empty() && !s.data_manifests.empty()) {
    ThreadPool& threads = io::ThreadsFor(s.data_manifests.front().path);
    const size_t window = std::min(s.data_manifests.size(), 2 * (threads.threads() + 1));
    std::vector<std::vector<FileScanTask>> parts(window);
    std::vector<int64_t> skipped(window);
    RETURN_IF_ERROR(threads.ParallelFor(window, [&](size_t i) {
      return s.PlanManifest(s.data_manifests[i], parts[i], skipped[i]);
    }));
    s.data_manifests.erase(s.data_manifests.begin(),
                           s.data_manifests.begin() + static_cast<int64_t>(window));
    for (size_t i = 0; i < window; i++) {
      s.counters.skipped_data_files += skipped[i];
      if (tasks.empty()) {
        tasks = std::move(parts[i]);
      } else {
        std::move(parts[i].begin(), parts[i].end(), std::back_inserter(tasks));
      }
    }
  }
  s.counters.result_data_files += static_cast<int64_t>(tasks.size());
  return tasks;
}

const ScanCounters& ScanPlanner::counters() const { return state_->counters; }

Status PlanFiles(const ReadContext& context, ScanRequest request,
                 const std::function<Status(FileScanTask&&)>& visit, ScanCounters* counters) {
  ASSIGN_OR_RETURN(auto planner, ScanPlanner::Create(context, std::move(request)));
  while (true) {
    ASSIGN_OR_RETURN(std::vector<FileScanTask> tasks, planner->Next());
    if (tasks.empty()) break;
    for (FileScanTask& task : tasks) RETURN_IF_ERROR(visit(std::move(task)));
  }
  if (counters != nullptr) *counters = planner->counters();
  return {};
}

Result<std::vector<FileScanTask>> PlanFiles(const ReadContext& context, ScanRequest request,
                                            ScanCounters* counters) {
  std::vector<FileScanTask> all;
  const auto keep = [&](FileScanTask&& task) -> Status {
    all.push_back(std::move(task));
    return {};
  };
  RETURN_IF_ERROR(PlanFiles(context, std::move(request), keep, counters));
  return all;
}

std::string ToString(const FileScanTask& task) {
  std::string text =
      fmt::format("{} spec={} rows={} seq={}", task.file.file_path, task.file.spec_id,
                  task.file.record_count, task.data_sequence_number);
  for (const DeleteFilePtr& deletes : task.deletes) {
    text += fmt::format(" delete={}@{}", deletes->file.file_path, deletes->sequence_number);
  }
  return text + " residual=" + task.residual.ToString();
}

}  // namespace iceblink::table
