#include <arrow/adapters/orc/adapter.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include <exception>

#include "io/arrow/arrow_errors.h"
#include "io/arrow/orc_files.h"

namespace iceblink::io {
namespace {

constexpr std::string_view kException = "RuntimeIOException";
constexpr double kDictionaryThreshold = 0.8;  // as Java's writer

class Output final : public ::arrow::io::OutputStream {
 public:
  explicit Output(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}
  // The owner closes the file, when all went well.
  ::arrow::Status Close() override { return ::arrow::Status::OK(); }
  bool closed() const override { return false; }
  ::arrow::Result<int64_t> Tell() const override { return file_->position(); }
  ::arrow::Status Write(const void* data, int64_t count) override {
    const Status status =
        file_->Append({static_cast<const char*>(data), static_cast<size_t>(count)});
    return status ? ::arrow::Status::OK() : ::arrow::Status::IOError(status.error().message);
  }
  using ::arrow::io::OutputStream::Write;
  OutputFile& file() { return *file_; }

 private:
  std::unique_ptr<OutputFile> file_;
};

std::shared_ptr<::arrow::Field> FieldOf(const OrcField& field);

std::shared_ptr<::arrow::DataType> TypeOf(const OrcField& field) {
  using ::arrow::TimeUnit;
  switch (field.kind) {
    case OrcKind::kBoolean:
      return ::arrow::boolean();
    case OrcKind::kInt:
      return ::arrow::int32();
    case OrcKind::kLong:
      return ::arrow::int64();
    case OrcKind::kFloat:
      return ::arrow::float32();
    case OrcKind::kDouble:
      return ::arrow::float64();
    case OrcKind::kDecimal:
      return ::arrow::decimal128(field.precision, field.scale);
    case OrcKind::kDate:
      return ::arrow::date32();
    case OrcKind::kTimestamp:
      return ::arrow::timestamp(TimeUnit::MICRO);
    case OrcKind::kTimestampInstant:
      return ::arrow::timestamp(TimeUnit::MICRO, "UTC");
    case OrcKind::kTimestampNanos:
      return ::arrow::timestamp(TimeUnit::NANO);
    case OrcKind::kString:
      return ::arrow::utf8();
    case OrcKind::kBinary:
      return ::arrow::binary();
    case OrcKind::kList:
      return ::arrow::list(FieldOf(field.children[0]));
    case OrcKind::kMap:
      return std::make_shared<::arrow::MapType>(FieldOf(field.children[0])->WithNullable(false),
                                                FieldOf(field.children[1]));
    case OrcKind::kStruct:
      break;
  }
  ::arrow::FieldVector children;
  for (const OrcField& child : field.children) children.push_back(FieldOf(child));
  return ::arrow::struct_(std::move(children));
}

std::shared_ptr<::arrow::Field> FieldOf(const OrcField& field) {
  auto metadata = std::make_shared<::arrow::KeyValueMetadata>();
  for (const auto& [key, value] : field.attributes) metadata->Append(key, value);
  return ::arrow::field(field.name, TypeOf(field), true, std::move(metadata));
}

::arrow::Compression::type CodecOf(const std::string& name) {
  if (name == "zlib") return ::arrow::Compression::GZIP;
  if (name == "zstd") return ::arrow::Compression::ZSTD;
  if (name == "snappy") return ::arrow::Compression::SNAPPY;
  if (name == "lz4") return ::arrow::Compression::LZ4;
  return ::arrow::Compression::UNCOMPRESSED;
}

::arrow::adapters::orc::WriteOptions OptionsOf(const std::vector<OrcField>& columns,
                                               const OrcWriteOptions& options) {
  ::arrow::adapters::orc::WriteOptions out;
  out.stripe_size = options.stripe_bytes;
  out.compression = CodecOf(options.codec);
  out.compression_block_size = int64_t{256} << 10;
  out.compression_strategy = options.for_size
                                 ? ::arrow::adapters::orc::CompressionStrategy::kCompression
                                 : ::arrow::adapters::orc::CompressionStrategy::kSpeed;
  out.dictionary_key_size_threshold = kDictionaryThreshold;
  out.bloom_filter_fpp = options.bloom_fpp;
  for (const std::string& name : options.bloom_columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) out.bloom_filter_columns.push_back(static_cast<int64_t>(i));
    }
  }
  return out;
}

class ArrowOrcWriter final : public OrcWriter {
 public:
  ArrowOrcWriter(std::unique_ptr<OutputFile> file, const std::vector<OrcField>& columns)
      : output_(std::move(file)) {
    ::arrow::FieldVector fields;
    for (const OrcField& column : columns) fields.push_back(FieldOf(column));
    schema_ = ::arrow::schema(std::move(fields));
  }

  Status Open(const ::arrow::adapters::orc::WriteOptions& options) {
    ARROW_ASSIGN(writer_, ::arrow::adapters::orc::ORCFileWriter::Open(&output_, options),
                 kException);
    return {};
  }

  Status Append(ArrowArray* rows) override {
    return Caught([&]() -> Status {
      ARROW_ASSIGN(const auto batch, ::arrow::ImportRecordBatch(rows, schema_), kException);
      return Checked(writer_->Write(*batch));
    });
  }

  int64_t size() override { return output_.file().position(); }

  Result<int64_t> Close() override {
    RETURN_IF_ERROR(Caught([&] { return Checked(writer_->Close()); }));
    const int64_t size = output_.file().position();
    RETURN_IF_ERROR(output_.file().Close());
    return size;
  }

 private:
  static Status Checked(const ::arrow::Status& status) {
    if (!status.ok()) return Fail(ErrorOf(status, kException));
    return {};
  }
  template <typename Body>
  static Status Caught(Body body) {
    try {
      return body();
    } catch (const std::exception& error) {
      return Fail(ErrorCode::kInternal, error.what());
    }
  }

  Output output_;
  std::shared_ptr<::arrow::Schema> schema_;
  std::unique_ptr<::arrow::adapters::orc::ORCFileWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<OrcWriter>> CreateOrcWriter(std::unique_ptr<OutputFile> file,
                                                   const std::vector<OrcField>& columns,
                                                   const OrcWriteOptions& options) {
  auto writer = std::make_unique<ArrowOrcWriter>(std::move(file), columns);
  RETURN_IF_ERROR(writer->Open(OptionsOf(columns, options)));
  return writer;
}

}  // namespace iceblink::io
