#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "exec/file_decoder.h"
#include "exec/iceberg_scan.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

namespace {

using duckdb::ClientContext;
using duckdb::GlobalTableFunctionState;
using duckdb::LocalTableFunctionState;
using duckdb::MultiFileBindData;

using OpenFunction = std::function<Result<std::unique_ptr<FileDecoder>>()>;

// Decoders of one file as one of DuckDB's readers: row numbers, deletes, and a part of the file for
// each thread at a time.
class DecodedReader final : public duckdb::BaseFileReader {
 public:
  DecodedReader(duckdb::OpenFileInfo file, std::unique_ptr<FileDecoder> decoder, OpenFunction open)
      : BaseFileReader(std::move(file)),
        first_(std::move(decoder)),
        open_(std::move(open)),
        parts_(first_->parts()) {
    columns = first_->columns();
    physical_columns_ = columns.size();
  }

  std::string GetReaderType() const override { return "Iceberg"; }
  void AddVirtualColumn(duckdb::column_t id) override {
    if (id != duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER)
      throw duckdb::InvalidInputException("unknown virtual column %llu", id);
  }

  bool TryInitializeScan(ClientContext&, GlobalTableFunctionState&,
                         LocalTableFunctionState& local) override {
    std::lock_guard lock(mutex_);
    if (next_part_ == parts_.size()) return false;
    std::unique_ptr<Thread>& thread = threads_[&local];
    if (thread == nullptr) {
      thread = std::make_unique<Thread>();
      thread->decoder = std::move(first_);  // null but for the first thread
    }
    thread->part = next_part_++;
    return true;
  }

  void PrepareScan(ClientContext&, GlobalTableFunctionState&,
                   LocalTableFunctionState& local) override {
    Thread& thread = Of(local);
    if (!thread.ready) Prepare(thread);
    OrThrow(thread.decoder->Start(thread.part));
    thread.position = parts_[thread.part];
  }

  duckdb::AsyncResult Scan(ClientContext&, GlobalTableFunctionState&,
                           LocalTableFunctionState& local, duckdb::DataChunk& chunk) override {
    Thread& thread = Of(local);
    std::vector<duckdb::Vector*> out;
    while (true) {
      out.clear();
      for (size_t slot : thread.slots) out.push_back(&chunk.data[slot]);
      const size_t count = OrThrow(thread.decoder->Next(out));
      if (count == 0) return duckdb::SourceResultType::FINISHED;
      Finish(thread, count, chunk);
      if (chunk.size() > 0) return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
      chunk.Reset();
    }
  }

 private:
  struct Thread {
    std::unique_ptr<FileDecoder> decoder;
    bool ready = false;
    size_t part = 0;
    int64_t position = 0;             // of the next row in the file
    std::vector<size_t> slots;        // places of the decoder's columns in the chunk
    std::vector<size_t> row_numbers;  // places of file_row_number
  };

  Thread& Of(LocalTableFunctionState& local) {
    std::lock_guard lock(mutex_);
    return *threads_.at(&local);
  }

  void Prepare(Thread& thread) {
    if (thread.decoder == nullptr) thread.decoder = OrThrow(open_());
    duckdb::vector<duckdb::ColumnIndex> selected;
    for (size_t i = 0; i < column_indexes.size(); ++i) {
      if (column_indexes[i].GetPrimaryIndex() < physical_columns_) {
        thread.slots.push_back(i);
        selected.push_back(column_indexes[i]);
      } else {
        thread.row_numbers.push_back(i);
      }
    }
    OrThrow(thread.decoder->Select(selected));
    thread.ready = true;
  }

  void Finish(Thread& thread, size_t count, duckdb::DataChunk& chunk) {
    for (size_t slot : thread.row_numbers) {
      auto* numbers = duckdb::FlatVector::GetData<int64_t>(chunk.data[slot]);
      for (size_t i = 0; i < count; ++i) numbers[i] = thread.position + static_cast<int64_t>(i);
    }
    chunk.SetCardinality(count);
    if (deletion_filter != nullptr) {
      duckdb::SelectionVector selection;
      const duckdb::idx_t kept = deletion_filter->Filter(thread.position, count, selection);
      if (kept < count) chunk.Slice(selection, kept);
    }
    thread.position += static_cast<int64_t>(count);
  }

  std::mutex mutex_;  // guards first_, next_part_ and the map, not what it points to
  std::unique_ptr<FileDecoder> first_;
  OpenFunction open_;
  const std::vector<int64_t> parts_;
  size_t physical_columns_ = 0;
  size_t next_part_ = 0;
  std::map<const LocalTableFunctionState*, std::unique_ptr<Thread>> threads_;
};

bool HasVariant(const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kVariant:
      return true;
    case spec::TypeKind::kStruct:
      return std::any_of(type.AsStruct().fields.begin(), type.AsStruct().fields.end(),
                         [](const auto& field) { return HasVariant(field.type); });
    case spec::TypeKind::kList:
      return HasVariant(type.AsList().element.type);
    case spec::TypeKind::kMap:
      return HasVariant(type.AsMap().key.type) || HasVariant(type.AsMap().value.type);
    default:
      return false;
  }
}

Result<std::unique_ptr<FileDecoder>> OpenDecoder(ClientContext& context, const PlannedScan& scan,
                                                 const spec::DataFile& file) {
  for (const ScanField& field : scan.fields) {
    if (field.source != ScanSource::kField || !HasVariant(field.field.type)) continue;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("Cannot read variants from {} files: {}",
                            spec::FileFormatName(file.format), field.field.name),
                "UnsupportedOperationException");
  }
  ASSIGN_OR_RETURN(auto input, scan.files->OpenSized(file.file_path, file.file_size_in_bytes));
  if (file.format == spec::FileFormat::kAvro) return OpenAvro(std::move(input));
  if (file.format == spec::FileFormat::kOrc) return OpenOrc(context, std::move(input));
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format("Cannot read {} files: {}", spec::FileFormatName(file.format), file.file_path),
      "UnsupportedOperationException");
}

class MixedFormats final : public duckdb::MultiFileReaderInterface {
 public:
  MixedFormats(duckdb::unique_ptr<MultiFileReaderInterface> parquet,
               std::shared_ptr<const PlannedScan> scan)
      : parquet_(std::move(parquet)), scan_(std::move(scan)) {}

  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(ClientContext& context,
                                                          GlobalTableFunctionState& state,
                                                          const duckdb::OpenFileInfo& file,
                                                          duckdb::idx_t index,
                                                          const MultiFileBindData& bind) override {
    const spec::DataFile& data_file = scan_->tasks[index].file;
    if (data_file.format == spec::FileFormat::kParquet)
      return parquet_->CreateReader(context, state, file, index, bind);
    OpenFunction open = [&context, scan = scan_, index] {
      return OpenDecoder(context, *scan, scan->tasks[index].file);
    };
    if (scan_->read_ahead != nullptr) scan_->read_ahead->Opened(data_file.file_path);
    auto decoder = OrThrow(open());
    return duckdb::make_shared_ptr<DecodedReader>(file, std::move(decoder), std::move(open));
  }
  duckdb::unique_ptr<MultiFileReaderInterface> Copy() override {
    return duckdb::make_uniq<MixedFormats>(parquet_->Copy(), scan_);
  }

  // The rest is Parquet's.
  void InitializeInterface(ClientContext& context, duckdb::MultiFileReader& reader,
                           duckdb::MultiFileList& files) override {
    parquet_->InitializeInterface(context, reader, files);
  }
  duckdb::unique_ptr<duckdb::BaseFileReaderOptions> InitializeOptions(
      ClientContext& context, duckdb::optional_ptr<duckdb::TableFunctionInfo> info) override {
    return parquet_->InitializeOptions(context, info);
  }
  bool ParseCopyOption(ClientContext& context, const std::string& key,
                       const duckdb::vector<duckdb::Value>& values,
                       duckdb::BaseFileReaderOptions& options, duckdb::vector<std::string>& names,
                       duckdb::vector<duckdb::LogicalType>& types) override {
    return parquet_->ParseCopyOption(context, key, values, options, names, types);
  }
  bool ParseOption(ClientContext& context, const std::string& key, const duckdb::Value& value,
                   duckdb::MultiFileOptions& files,
                   duckdb::BaseFileReaderOptions& options) override {
    return parquet_->ParseOption(context, key, value, files, options);
  }
  duckdb::unique_ptr<duckdb::TableFunctionData> InitializeBindData(
      MultiFileBindData& bind, duckdb::unique_ptr<duckdb::BaseFileReaderOptions> options) override {
    return parquet_->InitializeBindData(bind, std::move(options));
  }
  void BindReader(ClientContext& context, duckdb::vector<duckdb::LogicalType>& types,
                  duckdb::vector<std::string>& names, MultiFileBindData& bind) override {
    parquet_->BindReader(context, types, names, bind);
  }
  void FinalizeBindData(MultiFileBindData& bind) override { parquet_->FinalizeBindData(bind); }
  void GetBindInfo(const duckdb::TableFunctionData& bind, duckdb::BindInfo& info) override {
    parquet_->GetBindInfo(bind, info);
  }
  duckdb::optional_idx MaxThreads(const MultiFileBindData& bind,
                                  const duckdb::MultiFileGlobalState& state,
                                  duckdb::FileExpandResult expand) override {
    return parquet_->MaxThreads(bind, state, expand);
  }
  duckdb::unique_ptr<GlobalTableFunctionState> InitializeGlobalState(
      ClientContext& context, MultiFileBindData& bind,
      duckdb::MultiFileGlobalState& state) override {
    return parquet_->InitializeGlobalState(context, bind, state);
  }
  duckdb::unique_ptr<LocalTableFunctionState> InitializeLocalState(
      duckdb::ExecutionContext& context, GlobalTableFunctionState& state) override {
    return parquet_->InitializeLocalState(context, state);
  }
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(ClientContext& context,
                                                          GlobalTableFunctionState& state,
                                                          duckdb::BaseUnionData& data,
                                                          const MultiFileBindData& bind) override {
    return parquet_->CreateReader(context, state, data, bind);
  }
  void FinishReading(ClientContext& context, GlobalTableFunctionState& global,
                     LocalTableFunctionState& local) override {
    parquet_->FinishReading(context, global, local);
  }
  void GetVirtualColumns(ClientContext& context, MultiFileBindData& bind,
                         duckdb::virtual_column_map_t& out) override {
    parquet_->GetVirtualColumns(context, bind, out);
  }
  duckdb::FileGlobInput GetGlobInput() override { return parquet_->GetGlobInput(); }

 private:
  duckdb::unique_ptr<MultiFileReaderInterface> parquet_;
  std::shared_ptr<const PlannedScan> scan_;
};

}  // namespace

duckdb::unique_ptr<duckdb::MultiFileReaderInterface> WithDecoders(
    duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet,
    std::shared_ptr<const PlannedScan> scan) {
  return duckdb::make_uniq<MixedFormats>(std::move(parquet), std::move(scan));
}

}  // namespace iceblink::exec
