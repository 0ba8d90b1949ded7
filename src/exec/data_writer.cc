#include "exec/data_writer.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/thread_pool.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "exec/duckdb_types.h"
#include "exec/spark_error.h"
#include "io/file_system.h"
#include "io/object_reader.h"
#include "table/partition_types.h"

namespace iceblink::exec {

namespace {

constexpr size_t kRowGroupRows = 122880;          // DuckDB's own; one scan task each
constexpr int64_t kMaxBufferedBytes = 192 << 20;  // of one thread over all partitions

}  // namespace

// ---- one file
// --------------------------------------------------------------------------------------------------------

class OpenDataFile {
 public:
  OpenDataFile(DataFileSet& set, duckdb::ClientContext& context, std::string path,
               std::vector<Value> partition)
      : set_(set),
        path_(std::move(path)),
        partition_(std::move(partition)),
        encoder_(OpenEncoder({context, set.io_, path_, *set.write_.schema}, set.settings_)),
        metrics_(set.metrics_columns_) {}

  // Encodes without the lock, appends with it.
  void Write(duckdb::ColumnDataCollection& rows, const ColumnMetrics& metrics) {
    std::unique_ptr<EncodedRows> encoded = Encode(rows);
    Append(*encoded, static_cast<int64_t>(rows.Count()), metrics);
  }
  std::unique_ptr<EncodedRows> Encode(duckdb::ColumnDataCollection& rows) {
    return encoder_->Encode(rows);
  }
  void Append(EncodedRows& encoded, int64_t rows, const ColumnMetrics& metrics) {
    std::lock_guard lock(mutex_);
    encoder_->Append(encoded);
    rows_ += rows;
    metrics_.Merge(metrics);
  }
  bool full() {
    std::lock_guard lock(mutex_);
    return encoder_->size() >= set_.settings_.target_bytes;
  }

  // Closes the file once; the answer describes it.
  spec::DataFile Close() {
    std::lock_guard lock(mutex_);
    spec::DataFile file;
    encoder_->Close(&file);
    encoder_.reset();
    file.format = set_.settings_.format;
    file.spec_id = set_.write_.spec_id;
    file.file_path = path_;
    file.partition = partition_;
    file.record_count = rows_;
    file.sort_order_id = set_.write_.sort_order_id.value_or(0);
    if (file.format != spec::FileFormat::kAvro) metrics_.Store(&file);
    return file;
  }

 private:
  DataFileSet& set_;
  std::string path_;
  std::vector<Value> partition_;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<FileEncoder> encoder_;
  ColumnMetrics metrics_;
  int64_t rows_ = 0;
};

struct DataFileSet::Slot {
  std::vector<Value> partition;
  std::mutex mutex;
  std::shared_ptr<OpenDataFile> open;
  // What threads had left when they finished.
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rest;
};

struct DataFileSet::Batch {
  std::shared_ptr<OpenDataFile> file;
  std::unique_ptr<EncodedRows> encoded;
  ColumnMetrics metrics;
  int64_t rows = 0;
};

struct DataFileSet::Sink::Buffer {
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
  duckdb::ColumnDataAppendState append;
};

// ---- the set
// ---------------------------------------------------------------------------------------------------------

DataFileSet::DataFileSet(io::FileSystem& files, const WriteSpec& write, FileSettings settings,
                         FileLocations locations)
    : io_(files), write_(write), settings_(std::move(settings)), locations_(std::move(locations)) {
  spec_ = write_.metadata->SpecById(write_.spec_id);
  for (const spec::NestedField& field : write_.schema->fields()) {
    if (!field.type.Is(spec::TypeKind::kUnknown)) types_.push_back(ToLogicalType(field.type));
  }
  metrics_columns_ = MetricsColumns(*write_.metadata, *write_.schema, settings_.format);
}

DataFileSet::~DataFileSet() = default;

Result<std::shared_ptr<DataFileSet>> DataFileSet::Make(io::FileSystem& files,
                                                       const WriteSpec& write, int32_t task) {
  if (write.metadata->SpecById(write.spec_id) == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Output spec id {} is not a valid spec id for table", write.spec_id),
                "IllegalArgumentException");
  }
  ASSIGN_OR_RETURN(FileSettings settings, FileSettings::Make(*write.metadata, write.options));
  RETURN_IF_ERROR(CheckWritable(*write.schema, settings.format));
  ASSIGN_OR_RETURN(FileLocations locations,
                   FileLocations::Make(*write.metadata, write.operation_id, task));
  return std::shared_ptr<DataFileSet>(
      new DataFileSet(files, write, std::move(settings), std::move(locations)));
}

DataFileSet::Slot& DataFileSet::SlotOf(const std::vector<Value>& partition, uint32_t task) {
  std::string key = write_.deal_to > 1 ? fmt::format("{:010}", task)
                                       : table::PartitionKey(write_.spec_id, partition);
  std::lock_guard lock(mutex_);
  std::unique_ptr<Slot>& slot = slots_[key];
  if (slot == nullptr) {
    slot = std::make_unique<Slot>();
    slot->partition = partition;
  }
  return *slot;
}

std::shared_ptr<OpenDataFile> DataFileSet::Current(duckdb::ClientContext& context, Slot& slot) {
  std::lock_guard lock(slot.mutex);
  if (slot.open != nullptr && !slot.open->full()) return slot.open;
  std::string folder = spec::PartitionPath(*spec_, *write_.schema, slot.partition);
  std::string path = locations_.Next(folder, "", spec::FileFormatExtension(settings_.format));
  {
    std::lock_guard all(mutex_);
    created_.push_back(path);
  }
  slot.open = std::make_shared<OpenDataFile>(*this, context, path, slot.partition);
  std::lock_guard all(mutex_);
  files_.push_back(slot.open);
  return slot.open;
}

void DataFileSet::Write(duckdb::ClientContext& context, Slot& slot,
                        duckdb::ColumnDataCollection& rows, const ColumnMetrics& metrics) {
  Current(context, slot)->Write(rows, metrics);
}

void DataFileSet::BatchDeleter::operator()(Batch* batch) const { delete batch; }

DataFileSet::BatchPtr DataFileSet::Encode(duckdb::ClientContext& context,
                                          duckdb::ColumnDataCollection& rows) {
  BatchPtr batch(new Batch{Current(context, SlotOf({})),
                           {},
                           ColumnMetrics(metrics_columns_),
                           static_cast<int64_t>(rows.Count())});
  for (duckdb::DataChunk& chunk : rows.Chunks()) batch->metrics.Update(chunk);
  batch->encoded = batch->file->Encode(rows);
  rows_ += batch->rows;
  return batch;
}

void DataFileSet::Append(Batch& batch) {
  batch.file->Append(*batch.encoded, batch.rows, batch.metrics);
}

Result<std::vector<spec::DataFile>> DataFileSet::Finish(duckdb::ClientContext& context) {
  struct Rest {
    std::shared_ptr<OpenDataFile> file;
    duckdb::ColumnDataCollection* rows;
  };
  std::vector<Rest> rests;
  for (auto& [key, slot] : slots_) {
    if (slot->rest != nullptr && slot->rest->Count() > 0)
      rests.push_back({Current(context, *slot), slot->rest.get()});
  }
  auto& pool = ThreadPool::Shared();
  RETURN_IF_ERROR(pool.ParallelFor(rests.size(), [&](size_t i) {
    return Guarded([&]() -> Status {
      ColumnMetrics metrics(metrics_columns_);
      for (duckdb::DataChunk& chunk : rests[i].rows->Chunks()) metrics.Update(chunk);
      rests[i].file->Write(*rests[i].rows, metrics);
      rests[i].rows->Reset();
      return {};
    });
  }));
  std::vector<spec::DataFile> out(files_.size());
  // In object stores small files go up now: closing is waiting.
  auto& closers = created_.empty() ? pool : io::ThreadsFor(created_.front());
  RETURN_IF_ERROR(closers.ParallelFor(files_.size(), [&](size_t i) {
    return Guarded([&]() -> Status {
      out[i] = files_[i]->Close();
      return {};
    });
  }));
  return out;
}

std::vector<std::string> DataFileSet::created() const {
  std::lock_guard lock(mutex_);
  return created_;
}

// ---- one thread
// ------------------------------------------------------------------------------------------------------

DataFileSet::Sink::Sink(DataFileSet& files, duckdb::ClientContext& context)
    : files_(files), context_(context), router_(*files.spec_, *files.write_.schema) {}
DataFileSet::Sink::~Sink() = default;

void DataFileSet::Sink::Append(duckdb::DataChunk& chunk) {
  if (chunk.size() == 0) return;
  files_.rows_ += static_cast<int64_t>(chunk.size());
  const int64_t tasks = files_.write_.deal_to;
  if (tasks > 1) {
    int64_t next = files_.dealt_.fetch_add(static_cast<int64_t>(chunk.size()));
    dealt_.resize(chunk.size());
    for (uint32_t& task : dealt_) task = static_cast<uint32_t>(next++ % tasks);
    return Scatter(dealt_, static_cast<size_t>(tasks), chunk);
  }
  if (router_.unpartitioned()) return AppendTo(0, chunk);
  const std::vector<uint32_t>& rows = router_.Route(chunk);
  Scatter(rows, router_.partitions(), chunk);
}

// Appends the rows of each partition, in order.
void DataFileSet::Sink::Scatter(const std::vector<uint32_t>& rows, size_t partitions,
                                duckdb::DataChunk& chunk) {
  ends_.assign(partitions, 0);
  for (uint32_t partition : rows) ++ends_[partition];
  if (ends_[rows[0]] == rows.size()) return AppendTo(rows[0], chunk);
  uint32_t begin = 0;
  for (uint32_t& end : ends_) begin += std::exchange(end, begin);
  for (size_t i = 0; i < rows.size(); ++i) selection_.set_index(ends_[rows[i]]++, i);
  duckdb::DataChunk part;
  part.InitializeEmpty(chunk.GetTypes());
  begin = 0;
  for (uint32_t partition = 0; partition < partitions; ++partition) {
    const uint32_t count = ends_[partition] - begin;
    if (count == 0) continue;
    duckdb::SelectionVector selection(selection_.data() + begin);
    part.Reset();
    part.Slice(chunk, selection, count);
    AppendTo(partition, part);
    begin = ends_[partition];
  }
}

DataFileSet::Slot& DataFileSet::Sink::SlotOf(uint32_t partition) {
  return files_.SlotOf(
      router_.unpartitioned() ? std::vector<Value>() : router_.Partition(partition), partition);
}

void DataFileSet::Sink::AppendTo(uint32_t partition, duckdb::DataChunk& rows) {
  if (buffers_.size() <= partition) buffers_.resize(partition + 1);
  std::unique_ptr<Buffer>& buffer = buffers_[partition];
  auto fresh = [&] {
    buffer = std::make_unique<Buffer>();
    buffer->rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(
        duckdb::BufferAllocator::Get(context_),
        duckdb::vector<duckdb::LogicalType>(files_.types_.begin(), files_.types_.end()));
    buffer->rows->InitializeAppend(buffer->append);
  };
  if (buffer == nullptr) fresh();
  buffer->rows->Append(buffer->append, rows);
  int64_t bytes = static_cast<int64_t>(buffer->rows->SizeInBytes());
  bool flush = buffer->rows->Count() >= kRowGroupRows || bytes >= files_.settings_.row_group_bytes;
  if (!flush &&
      (buffer->rows->Count() & 0x3fff) < rows.size()) {  // look at the total now and then only
    buffered_bytes_ = 0;
    for (const auto& other : buffers_)
      buffered_bytes_ += other ? static_cast<int64_t>(other->rows->SizeInBytes()) : 0;
    flush = buffered_bytes_ > kMaxBufferedBytes;
  }
  if (!flush) return;
  ColumnMetrics metrics(files_.metrics_columns_);
  for (duckdb::DataChunk& chunk : buffer->rows->Chunks()) metrics.Update(chunk);
  Slot& slot = SlotOf(partition);
  files_.Write(context_, slot, *buffer->rows, metrics);
  fresh();
}

void DataFileSet::Sink::Finish() {
  for (uint32_t partition = 0; partition < buffers_.size(); ++partition) {
    if (buffers_[partition] == nullptr || buffers_[partition]->rows->Count() == 0) continue;
    Slot& slot = SlotOf(partition);
    std::lock_guard lock(slot.mutex);
    if (slot.rest == nullptr) {
      slot.rest = std::move(buffers_[partition]->rows);
    } else {
      slot.rest->Combine(*buffers_[partition]->rows);
    }
    buffers_[partition].reset();
  }
}

}  // namespace iceblink::exec
