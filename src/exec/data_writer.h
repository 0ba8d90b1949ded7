// Writes rows as the data files of one Iceberg table, in the format it wants (exec/file_encoder.h).
//
//   query -> COPY ... (FORMAT iceblink) -> per thread: route to partitions, buffer -> encode row
//   group -> file of partition
//
// DataFileSet is one writing task of Spark: a partition has one open file at a time, closed when it
// reaches the target size. Threads encode row groups side by side and append them to the file under
// its lock. Where the order of rows matters the query runs the sink on one thread, or in DuckDB's
// batches, which are encoded in parallel and appended in order.
//
// Exec-internal: includes DuckDB.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "exec/column_metrics.h"
#include "exec/executor.h"
#include "exec/file_encoder.h"
#include "exec/file_locations.h"
#include "exec/partition_router.h"

namespace iceblink::exec {

class OpenDataFile;

class DataFileSet {
 public:
  // `files` outlives the set. `columns` names and types the rows; the first schema.fields().size()
  // of them are the schema's fields in order.
  static Result<std::shared_ptr<DataFileSet>> Make(io::FileSystem& files, const WriteSpec& write,
                                                   int32_t task);
  ~DataFileSet();

  const std::vector<duckdb::LogicalType>& types() const { return types_; }

  struct Slot;  // of a partition or writing task

  // One thread's rows on their way.
  class Sink {
   public:
    Sink(DataFileSet& files, duckdb::ClientContext& context);
    ~Sink();
    void Append(duckdb::DataChunk& chunk);
    // Hands what is buffered to the shared files.
    void Finish();

   private:
    struct Buffer;
    void Scatter(const std::vector<uint32_t>& rows, size_t partitions, duckdb::DataChunk& chunk);
    void AppendTo(uint32_t partition, duckdb::DataChunk& rows);
    Slot& SlotOf(uint32_t partition);
    DataFileSet& files_;
    duckdb::ClientContext& context_;
    PartitionRouter router_;
    std::vector<std::unique_ptr<Buffer>>
        buffers_;                  // by the router's partition number, or by writing task
    std::vector<uint32_t> dealt_;  // writing tasks of a chunk's rows
    std::vector<uint32_t> ends_;   // Scatter's, by partition
    duckdb::SelectionVector selection_{STANDARD_VECTOR_SIZE};
    int64_t buffered_bytes_ = 0;
  };

  // A row group that was encoded by itself, to be appended in order (unpartitioned tables).
  struct Batch;
  struct BatchDeleter {
    void operator()(Batch* batch) const;
  };
  using BatchPtr = std::unique_ptr<Batch, BatchDeleter>;
  BatchPtr Encode(duckdb::ClientContext& context, duckdb::ColumnDataCollection& rows);
  void Append(Batch& batch);

  // Closes all files. The answer is in order of opening.
  Result<std::vector<spec::DataFile>> Finish(duckdb::ClientContext& context);
  int64_t rows() const { return rows_; }
  // Whether files or row groups are to be smaller than what threads hand over at once.
  bool has_small_targets() const {
    return std::min(settings_.target_bytes, settings_.row_group_bytes) < (32 << 20);
  }
  // Paths of every file created, for cleaning up after a failure.
  std::vector<std::string> created() const;

 private:
  friend class OpenDataFile;
  DataFileSet(io::FileSystem& files, const WriteSpec& write, FileSettings settings,
              FileLocations locations);
  Slot& SlotOf(const std::vector<Value>& partition, uint32_t task = 0);
  std::shared_ptr<OpenDataFile> Current(duckdb::ClientContext& context, Slot& slot);
  void Write(duckdb::ClientContext& context, Slot& slot, duckdb::ColumnDataCollection& rows,
             const ColumnMetrics& metrics);

  io::FileSystem& io_;
  WriteSpec write_;
  FileSettings settings_;
  FileLocations locations_;
  const spec::PartitionSpec* spec_ = nullptr;
  std::vector<duckdb::LogicalType> types_;
  std::vector<MetricsColumn> metrics_columns_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, std::unique_ptr<Slot>> slots_;
  std::vector<std::shared_ptr<OpenDataFile>> files_;
  std::vector<std::string> created_;
  std::atomic<int64_t> rows_{0};
  std::atomic<int64_t> dealt_{0};  // rows given to writing tasks in turn
};

}  // namespace iceblink::exec
