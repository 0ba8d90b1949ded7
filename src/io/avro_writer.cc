#include <fmt/format.h>

#include "base/bytes.h"
#include "base/uuid.h"
#include "io/avro.h"
#include "io/compression.h"

namespace iceblink::io::avro {
namespace {

Result<std::string> PackBytes(const std::string& codec, int level, std::string_view plain) {
  if (codec == "deflate") return Compress(Compression::kDeflate, plain, level);
  if (codec == "zstandard") return Compress(Compression::kZstd, plain, level);
  if (codec != "snappy") return std::string(plain);
  ASSIGN_OR_RETURN(std::string packed, Compress(Compression::kSnappy, plain));
  PutBigEndian(Crc32(plain), packed);
  return packed;
}

}  // namespace

Result<Writer> Writer::Create(std::unique_ptr<OutputFile> file, std::string_view schema_json,
                              Options options) {
  const std::string& codec = options.codec;
  if (codec != "null" && codec != "deflate" && codec != "snappy" && codec != "zstandard") {
    return Fail(ErrorCode::kUnsupported, fmt::format("Unrecognized codec: {}", codec),
                "AvroRuntimeException");
  }
  Writer writer;
  writer.file_ = std::move(file);
  writer.options_ = std::move(options);
  writer.sync_ = Uuid::Random().ToBytes();
  RETURN_IF_ERROR(writer.WriteHeader(schema_json));
  return writer;
}

Status Writer::WriteHeader(std::string_view schema_json) {
  std::map<std::string, std::string> metadata = options_.metadata;
  metadata["avro.schema"] = schema_json;
  metadata["avro.codec"] = options_.codec;
  Encoder header;
  header.WriteFixed(std::string_view("Obj\1", 4));
  header.BeginRun(static_cast<int64_t>(metadata.size()));
  for (const auto& [key, value] : metadata) {
    header.WriteBytes(key);
    header.WriteBytes(value);
  }
  header.EndRuns();
  header.WriteFixed(sync_);
  return file_->Append(header.buffer());
}

Status Writer::EndRecord() {
  records_++;
  return encoder_.buffer().size() >= options_.block_bytes ? FlushBlock() : Status();
}

Result<Writer::PackedBlock> Writer::Pack(const Options& options, int64_t count,
                                         std::string_view plain) {
  ASSIGN_OR_RETURN(std::string packed, PackBytes(options.codec, options.level, plain));
  return PackedBlock{count, std::move(packed)};
}

Status Writer::Append(const PackedBlock& block) {
  Encoder header;
  header.WriteLong(block.count);
  header.WriteLong(static_cast<int64_t>(block.bytes.size()));
  RETURN_IF_ERROR(file_->Append(header.buffer()));
  RETURN_IF_ERROR(file_->Append(block.bytes));
  return file_->Append(sync_);
}

Status Writer::FlushBlock() {
  if (records_ == 0) return {};
  ASSIGN_OR_RETURN(const PackedBlock block, Pack(options_, records_, encoder_.buffer()));
  RETURN_IF_ERROR(Append(block));
  encoder_.Clear();
  records_ = 0;
  return {};
}

Status Writer::Close() {
  RETURN_IF_ERROR(FlushBlock());
  return file_->Close();
}

}  // namespace iceblink::io::avro
