#include "exec/writing_tasks.h"

#include <algorithm>
#include <deque>

#include "base/strings.h"
#include "exec/iceberg_scan.h"
#include "exec/table_functions.h"

namespace iceblink::exec {

namespace {

std::vector<TaskSlices> Slices(const plan::Plan* leaf, int64_t rows, int64_t tasks) {
  std::vector<TaskSlices> out;
  for (int64_t i = 0; i < tasks; ++i)
    out.push_back({{leaf, {i * rows / tasks, (i + 1) * rows / tasks}}});
  return out;
}

// Iceberg packs files of a scan into splits: by size, at least the cost of opening one; small scans
// get small splits so that all cores have work.
constexpr int64_t kOpenCost = 4 << 20;
constexpr int64_t kSplitSize = 128 << 20;
constexpr int64_t kMinSplitSize = 16 << 20;
constexpr int64_t kShufflePartitions = 200;

Result<std::vector<TaskSlices>> ScanTasks(DuckDbSession& session, const plan::Plan* plan,
                                          const plan::TableScan& scan) {
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> planned, PlanScan(session, scan));
  int64_t total = 0;
  for (const auto& task : planned->tasks)
    total += std::max(task.file.file_size_in_bytes, kOpenCost);
  int64_t split = std::max(total / kShufflePartitions, kMinSplitSize);
  split = std::min(split, kSplitSize);
  std::vector<TaskSlices> out;
  int64_t begin = 0, size = 0, count = static_cast<int64_t>(planned->tasks.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t weight = std::max(planned->tasks[i].file.file_size_in_bytes, kOpenCost);
    if (i > begin && size + weight > split) {
      out.push_back({{plan, {begin, i}}});
      begin = i;
      size = 0;
    }
    size += weight;
  }
  out.push_back({{plan, {begin, count}}});
  return out;
}

}  // namespace

Result<std::vector<TaskSlices>> SourceTasks(DuckDbSession& session, const plan::PlanPtr& plan,
                                            int parallelism) {
  const std::vector<TaskSlices> one(1);
  if (auto* values = plan->As<plan::Values>()) {
    auto rows = static_cast<int64_t>(values->rows.size());
    return rows <= 1 ? one : Slices(plan.get(), rows, std::min<int64_t>(rows, parallelism));
  }
  if (auto* range = plan->As<plan::Range>()) {
    return Slices(plan.get(), RangeCount(*range), std::max(1, range->slices.value_or(parallelism)));
  }
  if (auto* scan = plan->As<plan::TableScan>()) return ScanTasks(session, plan.get(), *scan);
  if (auto* project = plan->As<plan::Project>())
    return SourceTasks(session, project->child, parallelism);
  if (auto* filter = plan->As<plan::Filter>())
    return SourceTasks(session, filter->child, parallelism);
  if (auto* sort = plan->As<plan::Sort>(); sort != nullptr && !sort->global) {
    return SourceTasks(session, sort->child, parallelism);
  }
  if (auto* generate = plan->As<plan::Generate>();
      generate != nullptr && generate->child != nullptr) {
    return SourceTasks(session, generate->child, parallelism);
  }
  if (auto* repartition = plan->As<plan::Repartition>()) {
    if (repartition->shuffle || !repartition->tasks) return one;
    ASSIGN_OR_RETURN(std::vector<TaskSlices> tasks,
                     SourceTasks(session, repartition->child, parallelism));
    return static_cast<int32_t>(tasks.size()) <= *repartition->tasks ? tasks : one;
  }
  auto* set = plan->As<plan::SetOp>();
  if (set == nullptr || set->kind != plan::SetOpKind::kUnion || !set->all) return one;
  // Each side's tasks see the other side empty.
  ASSIGN_OR_RETURN(std::vector<TaskSlices> left, SourceTasks(session, set->left, parallelism));
  ASSIGN_OR_RETURN(std::vector<TaskSlices> right, SourceTasks(session, set->right, parallelism));
  for (TaskSlices& task : left) task[set->right.get()] = {};
  for (TaskSlices& task : right) task[set->left.get()] = {};
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

int32_t DealtTasks(const plan::PlanPtr& plan) {
  if (auto* project = plan->As<plan::Project>()) return DealtTasks(project->child);
  if (auto* filter = plan->As<plan::Filter>()) return DealtTasks(filter->child);
  auto* repartition = plan->As<plan::Repartition>();
  return repartition != nullptr && repartition->shuffle && repartition->by.empty()
             ? repartition->tasks.value_or(1)
             : 1;
}

bool NeedsShuffle(const WriteSpec& write) {
  const spec::PartitionSpec* spec = write.metadata->SpecById(write.spec_id);
  bool partitioned = spec != nullptr && !spec->is_unpartitioned();
  bool sorted = write.sort_order_id.value_or(0) != 0;
  auto option = write.options.find("distribution-mode");
  std::string mode = AsciiLower(option != write.options.end()
                                    ? option->second
                                    : write.metadata->Property("write.distribution-mode"));
  if (mode.empty()) return sorted || partitioned;
  if (mode == "none") return false;
  return mode == "range" ? sorted || partitioned : partitioned;
}

}  // namespace iceblink::exec
