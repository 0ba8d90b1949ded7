// Which parallel tasks Spark would write a plan's rows with, so that as many files appear.
#pragma once

#include <map>
#include <vector>

#include "exec/duckdb_session.h"
#include "exec/executor.h"
#include "plan/logical_plan.h"

namespace iceblink::exec {

// Part of a leaf's rows: of VALUES, numbers of range, files of a scan. An empty one silences any
// node.
struct Slice {
  int64_t begin = 0;
  int64_t end = 0;
};
// The nodes of a plan that one task does not read whole.
using TaskSlices = std::map<const plan::Plan*, Slice>;

// Returns one entry per task; at least one.
Result<std::vector<TaskSlices>> SourceTasks(DuckDbSession& session, const plan::PlanPtr& plan,
                                            int default_parallelism);

// Returns how many tasks REPARTITION(n) deals a plan's rows to in turn; 1 where it does not.
int32_t DealtTasks(const plan::PlanPtr& plan);

// Whether rows are redistributed before they are written, which leaves one task for what one
// machine holds.
bool NeedsShuffle(const WriteSpec& write);

}  // namespace iceblink::exec
