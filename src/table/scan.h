// Scan planning: from a snapshot and a filter to the data files that can hold matching rows, each
// with its deletes and with what is left to check on its rows.
//
//   manifest list    manifests whose partition summaries rule the filter out are not opened
//   manifest entries entries whose partition tuple or metrics rule it out are dropped
//   residual         the filter, simplified by the file's partition; "false" drops the file, "true"
//   needs no row check deletes          from an index over the snapshot's delete manifests
//
// A planner reads a window of manifests at a time on the shared thread pool and hands their tasks
// out in the order of the manifest list, so the answer does not depend on timing and a table of any
// size is planned in bounded memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "expr/expression.h"
#include "spec/table_metadata.h"
#include "table/delete_index.h"
#include "table/manifest_cache.h"
#include "table/manifest_reader.h"

namespace iceblink::table {

struct ScanRequest {
  spec::TableMetadataPtr metadata;
  std::optional<int64_t> snapshot_id;  // absent: nothing to read
  // Incremental append scan: only files added by append snapshots after this one, up to
  // snapshot_id; deletes are not applied.
  std::optional<int64_t> after_snapshot_id;
  expr::Expression filter;             // unbound
  std::optional<spec::Schema> schema;  // the filter's names; absent: the table's current schema
  bool case_sensitive = true;
  StatsSelection stats;  // metrics kept in the tasks; those the filter needs are read and dropped
};

struct FileScanTask {
  spec::DataFile file;
  int64_t data_sequence_number = 0;
  std::optional<int64_t> file_sequence_number;
  int64_t snapshot_id = 0;             // that added the file
  std::vector<DeleteFilePtr> deletes;  // shared between tasks
  expr::Expression residual;           // "true" when no row needs a check
};

// What planning looked at; the numbers of Iceberg's ScanMetrics.
struct ScanCounters {
  int64_t total_data_manifests = 0;
  int64_t scanned_data_manifests = 0;
  int64_t total_delete_manifests = 0;
  int64_t scanned_delete_manifests = 0;
  int64_t skipped_data_files = 0;
  int64_t result_data_files = 0;
  int64_t indexed_delete_files = 0;
};

// One thread; the work is spread over ThreadPool::Shared().
class ScanPlanner {
 public:
  // Reads the manifest list and the delete manifests. Errors: ValidationException of binding the
  // filter; IllegalArgumentException "Starting snapshot (exclusive) %s is not a parent ancestor of
  // end snapshot %s"; those of reading.
  static Result<std::unique_ptr<ScanPlanner>> Create(const ReadContext& context,
                                                     ScanRequest request);
  ~ScanPlanner();
  ScanPlanner(const ScanPlanner&) = delete;
  ScanPlanner& operator=(const ScanPlanner&) = delete;

  // Returns the tasks of the next manifests; empty at the end only.
  Result<std::vector<FileScanTask>> Next();
  // Complete once Next has answered empty.
  const ScanCounters& counters() const;

 private:
  struct State;
  explicit ScanPlanner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Calls `visit` for each task, in order. An error of `visit` stops and is returned.
Status PlanFiles(const ReadContext& context, ScanRequest request,
                 const std::function<Status(FileScanTask&&)>& visit,
                 ScanCounters* counters = nullptr);

// All tasks.
Result<std::vector<FileScanTask>> PlanFiles(const ReadContext& context, ScanRequest request,
                                            ScanCounters* counters = nullptr);

// One line: path, partition, record count, sequence number, deletes and residual; for tests and
// EXPLAIN.
std::string ToString(const FileScanTask& task);

}  // namespace iceblink::table
