#include "exec/data_writer.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/thread_pool.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_types.h"
#include "exec/fixed_columns.h"
#include "exec/spark_error.h"
#include "io/file_system.h"
#include "io/object_reader.h"
#include "parquet_shredding.hpp"
#include "parquet_writer.hpp"
#include "table/partition_types.h"

namespace iceblink::exec {

namespace {

constexpr int64_t kDefaultRowGroupBytes = 134217728;
constexpr int64_t kDefaultTargetBytes = 536870912;
constexpr size_t kRowGroupRows = 122880;          // DuckDB's own; one scan task each
constexpr int64_t kMaxBufferedBytes = 192 << 20;  // of one thread over all partitions

// Column statistics key of ParquetWriter for a path: "s"."l"."element".
std::string StatsKey(const std::vector<std::string>& path) {
  std::vector<std::string> quoted;
  for (const std::string& name : path) quoted.push_back(QuoteIdentifier(name));
  return Join(quoted, ".");
}

void CollectStatsKeys(const std::vector<spec::NestedField>& fields, std::vector<std::string>& path,
                      std::map<std::string, int32_t>* out);

void CollectStatsKeys(const spec::NestedField& field, const std::string& name,
                      std::vector<std::string>& path, std::map<std::string, int32_t>* out) {
  path.push_back(name);
  switch (field.type.kind()) {
    case spec::TypeKind::kStruct:
      CollectStatsKeys(field.type.AsStruct().fields, path, out);
      break;
    case spec::TypeKind::kList:
      CollectStatsKeys(field.type.AsList().element, "element", path, out);
      break;
    case spec::TypeKind::kMap:
      CollectStatsKeys(field.type.AsMap().key, "key", path, out);
      CollectStatsKeys(field.type.AsMap().value, "value", path, out);
      break;
    default:
      out->emplace(StatsKey(path), field.id);
      break;
  }
  path.pop_back();
}

void CollectStatsKeys(const std::vector<spec::NestedField>& fields, std::vector<std::string>& path,
                      std::map<std::string, int32_t>* out) {
  for (const spec::NestedField& field : fields) CollectStatsKeys(field, field.name, path, out);
}

duckdb::ChildFieldIDs FieldIds(const spec::NestedField& field);

duckdb::FieldID FieldIdOf(const spec::NestedField& field) {
  duckdb::FieldID id(field.id);
  id.child_field_ids = FieldIds(field);
  return id;
}

// Ids of the fields below one; DuckDB calls them by its own names.
duckdb::ChildFieldIDs FieldIds(const spec::NestedField& field) {
  duckdb::ChildFieldIDs out;
  switch (field.type.kind()) {
    case spec::TypeKind::kStruct:
      for (const spec::NestedField& child : field.type.AsStruct().fields)
        (*out.ids)[child.name] = FieldIdOf(child);
      break;
    case spec::TypeKind::kList:
      (*out.ids)["element"] = FieldIdOf(field.type.AsList().element);
      break;
    case spec::TypeKind::kMap:
      (*out.ids)["key"] = FieldIdOf(field.type.AsMap().key);
      (*out.ids)["value"] = FieldIdOf(field.type.AsMap().value);
      break;
    default:
      break;
  }
  return out;
}

duckdb_parquet::CompressionCodec::type CodecOf(const std::string& name) {
  static const std::map<std::string, duckdb_parquet::CompressionCodec::type> kCodecs = {
      {"zstd", duckdb_parquet::CompressionCodec::ZSTD},
      {"gzip", duckdb_parquet::CompressionCodec::GZIP},
      {"snappy", duckdb_parquet::CompressionCodec::SNAPPY},
      {"lz4", duckdb_parquet::CompressionCodec::LZ4_RAW},
      {"lz4_raw", duckdb_parquet::CompressionCodec::LZ4_RAW},
      {"brotli", duckdb_parquet::CompressionCodec::BROTLI},
      {"uncompressed", duckdb_parquet::CompressionCodec::UNCOMPRESSED},
      {"none", duckdb_parquet::CompressionCodec::UNCOMPRESSED}};
  auto it = kCodecs.find(name);
  return it == kCodecs.end() ? duckdb_parquet::CompressionCodec::ZSTD : it->second;
}

}  // namespace

Result<ParquetSettings> ParquetSettings::Make(const spec::TableMetadata& metadata,
                                              const std::map<std::string, std::string>& options) {
  auto get = [&](const char* option, const char* property, std::string fallback) {
    auto it = options.find(option);
    return it != options.end() ? it->second : metadata.Property(property, fallback);
  };
  ParquetSettings out;
  out.codec = AsciiLower(get("compression-codec", "write.parquet.compression-codec", "gzip"));
  if (auto level = ParseInt32(get("compression-level", "write.parquet.compression-level", "")))
    out.level = *level;
  out.row_group_bytes =
      ParseInt64(get("row-group-size-bytes", "write.parquet.row-group-size-bytes", ""))
          .value_or(kDefaultRowGroupBytes);
  out.target_bytes = ParseInt64(get("target-file-size-bytes", "write.target-file-size-bytes", ""))
                         .value_or(kDefaultTargetBytes);
  out.v2_pages = get("page-version", "write.parquet.page-version", "v1") == "v2";
  static constexpr std::string_view kKnown[] = {"zstd",    "gzip",   "snappy",       "lz4",
                                                "lz4_raw", "brotli", "uncompressed", "none"};
  if (std::find(std::begin(kKnown), std::end(kKnown), out.codec) == std::end(kKnown)) {
    return Fail(ErrorCode::kInvalidArgument, "Unsupported compression codec: " + out.codec,
                "IllegalArgumentException");
  }
  return out;
}

// ---- one file
// --------------------------------------------------------------------------------------------------------

class OpenDataFile {
 public:
  OpenDataFile(DataFileSet& set, duckdb::ClientContext& context, std::string path,
               std::vector<Value> partition)
      : set_(set),
        path_(std::move(path)),
        partition_(std::move(partition)),
        metrics_(set.metrics_columns_) {
    const std::string local = DuckDbPath(path_);
    auto& fs = duckdb::FileSystem::GetFileSystem(context);
    if (size_t slash = local.rfind('/'); local[0] == '/' && slash > 0)
      fs.CreateDirectoriesRecursive(local.substr(0, slash));
    duckdb::ChildFieldIDs ids;
    duckdb::vector<std::string> names;
    for (const spec::NestedField& field : set.write_.schema->fields()) {
      if (field.type.Is(spec::TypeKind::kUnknown)) continue;
      names.push_back(field.name);
      (*ids.ids)[field.name] = FieldIdOf(field);
    }
    const ParquetSettings& settings = set.settings_;
    writer_ = std::make_unique<duckdb::ParquetWriter>(
        context, fs, local,
        duckdb::vector<duckdb::LogicalType>(set.types_.begin(), set.types_.end()), names,
        CodecOf(settings.codec), std::move(ids), duckdb::ShreddingType(),
        duckdb::vector<std::pair<std::string, std::string>>(), nullptr, duckdb::optional_idx(),
        1048576, false, 0.01, settings.level.value_or(3),
        settings.v2_pages ? duckdb::ParquetVersion::V2 : duckdb::ParquetVersion::V1,
        duckdb::GeoParquetVersion::NONE);
    WriteFixedColumns(*writer_, set.write_.schema->fields());
    writer_->SetWrittenStatistics(statistics_);
  }

  // Encodes without the lock, appends with it.
  void Write(duckdb::ColumnDataCollection& rows, const ColumnMetrics& metrics) {
    duckdb::PreparedRowGroup group;
    Prepare(rows, group);
    Append(group, static_cast<int64_t>(rows.Count()), metrics);
  }
  void Prepare(duckdb::ColumnDataCollection& rows, duckdb::PreparedRowGroup& group) {
    duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
    writer_->PrepareRowGroup(rows, group, transform);
  }
  void Append(duckdb::PreparedRowGroup& group, int64_t rows, const ColumnMetrics& metrics) {
    std::lock_guard lock(mutex_);
    offsets_.push_back(static_cast<int64_t>(writer_->GetWriter().GetTotalWritten()));
    writer_->FlushRowGroup(group);
    rows_ += rows;
    metrics_.Merge(metrics);
  }
  bool full() { return static_cast<int64_t>(writer_->FileSize()) >= set_.settings_.target_bytes; }

  // Closes the file once; the answer describes it.
  spec::DataFile Close() {
    std::lock_guard lock(mutex_);
    spec::DataFile file;
    writer_->Finalize();
    writer_.reset();
    file.format = spec::FileFormat::kParquet;
    file.spec_id = set_.write_.spec_id;
    file.file_path = path_;
    file.partition = partition_;
    file.record_count = rows_;
    file.file_size_in_bytes = static_cast<int64_t>(statistics_.file_size_bytes);
    file.split_offsets = offsets_;
    file.sort_order_id = set_.write_.sort_order_id.value_or(0);
    metrics_.Store(&file);
    std::map<std::string, int32_t> keys;
    std::vector<std::string> path;
    CollectStatsKeys(set_.write_.schema->fields(), path, &keys);
    std::vector<std::pair<int32_t, int64_t>> sizes;
    for (const auto& [key, id] : keys) {
      auto column = statistics_.column_statistics.find(key);
      if (column == statistics_.column_statistics.end()) continue;
      auto size = column->second.find("column_size_bytes");
      if (size != column->second.end()) {
        sizes.emplace_back(id, ParseInt64(size->second.ToString()).value_or(0));
      }
    }
    file.column_sizes = spec::CountMap(std::move(sizes));
    return file;
  }

 private:
  DataFileSet& set_;
  std::string path_;
  std::vector<Value> partition_;
  std::mutex mutex_;  // guards the members below
  duckdb::CopyFunctionFileStatistics statistics_;
  std::unique_ptr<duckdb::ParquetWriter> writer_;
  ColumnMetrics metrics_;
  std::vector<int64_t> offsets_;
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
  duckdb::PreparedRowGroup group;
  ColumnMetrics metrics;
  int64_t rows = 0;
};

struct DataFileSet::Sink::Buffer {
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
  duckdb::ColumnDataAppendState append;
};

// ---- the set
// ---------------------------------------------------------------------------------------------------------

DataFileSet::DataFileSet(const WriteSpec& write, ParquetSettings settings, FileLocations locations)
    : write_(write), settings_(std::move(settings)), locations_(std::move(locations)) {
  spec_ = write_.metadata->SpecById(write_.spec_id);
  for (const spec::NestedField& field : write_.schema->fields()) {
    if (!field.type.Is(spec::TypeKind::kUnknown)) types_.push_back(ToLogicalType(field.type));
  }
  metrics_columns_ = MetricsColumns(*write_.metadata, *write_.schema);
}

DataFileSet::~DataFileSet() = default;

Result<std::shared_ptr<DataFileSet>> DataFileSet::Make(const WriteSpec& write, int32_t task) {
  if (write.metadata->SpecById(write.spec_id) == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Output spec id {} is not a valid spec id for table", write.spec_id),
                "IllegalArgumentException");
  }
  auto format = write.options.find("write-format");
  std::string name = AsciiLower(format != write.options.end()
                                    ? format->second
                                    : write.metadata->Property("write.format.default", "parquet"));
  if (name != "parquet") {
    return Fail(ErrorCode::kUnsupported, "Cannot write " + AsciiUpper(name) + " data files",
                "UnsupportedOperationException");
  }
  ASSIGN_OR_RETURN(ParquetSettings settings, ParquetSettings::Make(*write.metadata, write.options));
  ASSIGN_OR_RETURN(FileLocations locations,
                   FileLocations::Make(*write.metadata, write.operation_id, task));
  return std::shared_ptr<DataFileSet>(
      new DataFileSet(write, std::move(settings), std::move(locations)));
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
  std::string path = locations_.Next(folder, "", "parquet");
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
  batch->file->Prepare(rows, batch->group);
  rows_ += batch->rows;
  return batch;
}

void DataFileSet::Append(Batch& batch) {
  batch.file->Append(batch.group, batch.rows, batch.metrics);
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
