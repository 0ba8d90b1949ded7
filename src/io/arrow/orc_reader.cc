#include <arrow/adapters/orc/adapter.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <exception>

#include "io/arrow/arrow_errors.h"
#include "io/arrow/orc_files.h"

namespace iceblink::io {
namespace {

constexpr std::string_view kException = "RuntimeIOException";

// A file of ours as one of Arrow's.
class Input final : public ::arrow::io::RandomAccessFile {
 public:
  explicit Input(std::unique_ptr<io::RandomAccessFile> file) : file_(std::move(file)) {}

  ::arrow::Status Close() override {
    closed_ = true;
    return ::arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  ::arrow::Result<int64_t> Tell() const override { return position_; }
  ::arrow::Status Seek(int64_t position) override {
    position_ = position;
    return ::arrow::Status::OK();
  }
  ::arrow::Result<int64_t> GetSize() override { return file_->size(); }
  ::arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    count = std::clamp<int64_t>(file_->size() - position, 0, count);
    if (count == 0) return count;
    const Status status =
        file_->ReadAt(position, static_cast<size_t>(count), static_cast<char*>(out));
    if (!status) return ::arrow::Status::IOError(status.error().message);
    return count;
  }
  ::arrow::Result<std::shared_ptr<::arrow::Buffer>> ReadAt(int64_t position,
                                                           int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ::arrow::AllocateResizableBuffer(count));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position, count, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return std::shared_ptr<::arrow::Buffer>(std::move(buffer));
  }
  ::arrow::Result<int64_t> Read(int64_t count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, count, out));
    position_ += read;
    return read;
  }
  ::arrow::Result<std::shared_ptr<::arrow::Buffer>> Read(int64_t count) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, count));
    position_ += buffer->size();
    return buffer;
  }

  const std::string& path() const { return file_->path(); }

 private:
  std::unique_ptr<io::RandomAccessFile> file_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class ArrowOrcReader final : public OrcReader {
 public:
  explicit ArrowOrcReader(std::shared_ptr<Input> input) : input_(std::move(input)) {}

  Status Open() {
    auto reader =
        ::arrow::adapters::orc::ORCFileReader::Open(input_, ::arrow::default_memory_pool());
    if (!reader.ok()) return Corrupt(reader.status());
    reader_ = std::move(reader).ValueUnsafe();
    return {};
  }

  Status Schema(ArrowSchema* out) override {
    return Caught([&]() -> Status {
      auto schema = reader_->ReadSchema();
      if (!schema.ok()) return Corrupt(schema.status());
      auto exported = ::arrow::ExportSchema(**schema, out);
      if (!exported.ok()) return Corrupt(exported);
      return {};
    });
  }

  void Select(std::vector<int> columns) override { columns_ = std::move(columns); }

  std::vector<OrcStripe> stripes() override {
    std::vector<OrcStripe> out;
    for (int64_t i = 0; i < reader_->NumberOfStripes(); ++i) {
      const auto stripe = reader_->GetStripeInformation(i);
      out.push_back({stripe.first_row_id, stripe.num_rows});
    }
    return out;
  }

  Status Start(const OrcStripe& stripe) override {
    start_ = stripe.first_row;
    stripe_ = nullptr;
    return {};
  }

  Result<bool> Next(int64_t rows, ArrowArray* out) override {
    bool more = false;
    RETURN_IF_ERROR(Caught([&]() -> Status {
      if (stripe_ == nullptr) {
        if (auto seek = reader_->Seek(start_); !seek.ok()) return Corrupt(seek);
        auto stripe = reader_->NextStripeReader(rows, columns_);
        if (!stripe.ok()) return Corrupt(stripe.status());
        stripe_ = std::move(stripe).ValueUnsafe();
        if (stripe_ == nullptr) return {};
      }
      std::shared_ptr<::arrow::RecordBatch> batch;
      if (auto read = stripe_->ReadNext(&batch); !read.ok()) return Corrupt(read);
      if (batch == nullptr || batch->num_rows() == 0) return {};
      if (auto exported = ::arrow::ExportRecordBatch(*batch, out); !exported.ok())
        return Corrupt(exported);
      more = true;
      return {};
    }));
    return more;
  }

 private:
  template <typename Body>
  Status Caught(Body body) {
    try {
      return body();
    } catch (const std::exception& error) {
      return Fail(ErrorCode::kCorrupt, "Invalid ORC file " + input_->path() + ": " + error.what(),
                  std::string(kException));
    }
  }

  tl::unexpected<Error> Corrupt(const ::arrow::Status& status) const {
    if (status.IsNotImplemented()) return Fail(ErrorOf(status, "UnsupportedOperationException"));
    return Fail(status.IsIOError() ? ErrorCode::kIo : ErrorCode::kCorrupt,
                "Invalid ORC file " + input_->path() + ": " + status.message(),
                std::string(kException));
  }

  std::shared_ptr<Input> input_;
  std::unique_ptr<::arrow::adapters::orc::ORCFileReader> reader_;
  std::shared_ptr<::arrow::RecordBatchReader> stripe_;
  std::vector<int> columns_;
  int64_t start_ = 0;
};

}  // namespace

Result<std::unique_ptr<OrcReader>> OpenOrcReader(std::unique_ptr<RandomAccessFile> file) {
  auto reader = std::make_unique<ArrowOrcReader>(std::make_shared<Input>(std::move(file)));
  RETURN_IF_ERROR(reader->Open());
  return reader;
}

}  // namespace iceblink::io
