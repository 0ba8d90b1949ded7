// Executor: runs typed plans on DuckDB over Iceberg scans, and writes data and delete files. The
// only room that knows DuckDB; nothing of it shows in this header.
//
// Threads: one Executor serves one session; one statement runs at a time, Interrupt() may come from
// any thread. DuckDB's instance is opened at the first statement and reopened when an internal
// error has invalidated it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "exec/column_batch.h"
#include "io/file_system.h"
#include "plan/logical_plan.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"

namespace iceblink::exec {

struct ExecutorOptions {
  int threads = 0;             // 0: one per core
  int64_t memory_limit = 0;    // bytes; 0: DuckDB's default (80 % of the machine)
  std::string temp_directory;  // spill files; empty: DuckDB's default
  io::FileSystem* files =
      nullptr;  // of data and metadata; outlives the executor. Null: the process's
};

// What of a session's settings and clock a statement's run depends on.
struct StatementContext {
  std::string time_zone = "UTC";
  int64_t now_micros = 0;       // current_timestamp of the whole statement
  int default_parallelism = 1;  // writing tasks of VALUES and range
  std::function<void(double)>
      on_progress;  // fraction done, called at most some times a second; may be empty
};

// Rows of a result, in order. Not thread-safe.
class RowCursor {
 public:
  virtual ~RowCursor() = default;
  virtual const std::vector<plan::Column>& columns() const = 0;
  // Returns the next rows (at most some thousands), each with one Value per column; empty at the
  // end.
  virtual Result<std::vector<ValueList>> Next() = 0;
  // Returns the next rows as columns: at most `rows` of them, fewer once they take `bytes`; none at
  // the end. A cursor is read one way or the other.
  virtual Result<ColumnBatch> NextColumns(size_t rows, size_t bytes) = 0;
};

// How rows become data files of one table.
struct WriteSpec {
  std::shared_ptr<const spec::TableMetadata> metadata;
  std::shared_ptr<const spec::Schema> schema;  // of the rows; field ids go into the files
  int32_t spec_id = 0;
  std::optional<int32_t>
      sort_order_id;         // rows are sorted by it before they are written; absent: as they come
  std::string operation_id;  // uuid in the file names
  std::map<std::string, std::string> options;  // write options that override table properties
  bool one_task = false;  // rows go to one file until it is full, however many tasks Spark would
                          // read the source with
  int32_t deal_to = 1;    // writing tasks that rows go to in turn, each with files of its own;
                          // unpartitioned tables only
};

struct WrittenFiles {
  std::vector<spec::DataFile> data_files;
  std::vector<spec::DataFile> delete_files;
  int64_t rows = 0;
};

// What a DELETE, UPDATE or MERGE did, ready to be committed.
struct RowLevelOutcome {
  std::vector<spec::DataFile> added_data_files;
  std::vector<spec::DataFile> added_delete_files;  // merge-on-read
  std::vector<spec::DataFile> removed_data_files;  // copy-on-write: rewritten or emptied files
  std::vector<spec::DataFile>
      removed_delete_files;  // delete files replaced by merged ones, vectors of removed files
  std::vector<std::string> referenced_data_files;  // merge-on-read: files that positions point into
  bool scanned =
      false;  // false: the table had no snapshot, so there is nothing to validate against
  // Row counts as Spark reports them in the MERGE summary (F.4).
  int64_t copied = 0, deleted = 0, updated = 0, inserted = 0;
  int64_t matched_updated = 0, matched_deleted = 0, by_source_updated = 0, by_source_deleted = 0;
};

class Executor {
 public:
  explicit Executor(ExecutorOptions options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs a query. The cursor must not outlive the executor; a further call ends it.
  Result<std::unique_ptr<RowCursor>> Query(const plan::PlanPtr& plan,
                                           const StatementContext& context);

  // Runs `source` and writes its rows. Nothing is committed; on an error or Interrupt the files
  // written so far are deleted.
  Result<WrittenFiles> Write(const plan::PlanPtr& source, const WriteSpec& write,
                             const StatementContext& context);

  // Runs a DELETE, UPDATE or MERGE by rewriting files (copy_on_write) or by writing deletes.
  Result<RowLevelOutcome> RowLevel(const plan::RowLevelPlan& plan, bool copy_on_write,
                                   const WriteSpec& write, const StatementContext& context);

  // Returns the names, Spark types and nullability of the columns of files in place.
  Result<std::vector<plan::Column>> DescribeFiles(const plan::FileScan& scan);

  // Returns the DuckDB SQL text that `plan` lowers to, for EXPLAIN EXTENDED.
  Result<std::string> Lower(const plan::PlanPtr& plan, const StatementContext& context);

  // Cancels the running statement; it returns kUnavailable "cancelled".
  void Interrupt();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iceblink::exec
