#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "io/avro.h"
#include "io/compression.h"

namespace iceblink::io::avro {
namespace {

constexpr std::string_view kMagic("Obj\1", 4);
constexpr size_t kSyncSize = 16;
constexpr size_t kMaxLongSize = 10;
// Most manifests come in one read of this size.
constexpr int64_t kWindow = int64_t{1} << 20;

}  // namespace

int64_t Decoder::ReadLongSlow() {
  uint64_t n = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (p_ == end_) break;
    const uint8_t byte = *p_++;
    if (shift == 63 && byte > 1) break;
    n |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return static_cast<int64_t>(n >> 1) ^ -static_cast<int64_t>(n & 1);
  }
  Fail();
  return 0;
}

int64_t Decoder::ReadRun() {
  int64_t count = ReadLong();
  if (count < 0) {
    ReadLong();  // size in bytes, for readers that skip
    count = count == std::numeric_limits<int64_t>::min() ? count : -count;
  }
  if (count < 0 || static_cast<uint64_t>(count) > remaining()) {
    Fail();
    return 0;
  }
  return ok() ? count : 0;
}

void Decoder::Skip(const Schema& schema) {
  switch (schema.kind) {
    case Kind::kNull:
      return;
    case Kind::kBoolean:
      ReadBool();
      return;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kEnum:
      ReadLong();
      return;
    case Kind::kFloat:
      ReadFixedView(4);
      return;
    case Kind::kDouble:
      ReadFixedView(8);
      return;
    case Kind::kBytes:
    case Kind::kString:
      ReadBytesView();
      return;
    case Kind::kFixed:
      ReadFixedView(schema.fixed_size);
      return;
    case Kind::kUnion:
      Skip(*schema.branches[ReadUnionIndex(schema.branches.size())]);
      return;
    case Kind::kRecord:
      for (const Field& field : schema.fields) {
        if (!ok()) return;
        Skip(*field.type);
      }
      return;
    case Kind::kArray:
    case Kind::kMap:
      while (ok()) {
        int64_t count = ReadLong();
        if (count == 0) return;
        if (count < 0) {
          ReadFixedView(ReadLong());
          continue;
        }
        for (; count > 0 && ok(); count--) {
          if (remaining() == 0) return Fail();
          if (schema.kind == Kind::kMap) ReadBytesView();
          Skip(*schema.items);
        }
      }
      return;
  }
}

Result<Reader> Reader::Open(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(auto file, files.OpenRead(path));
  return Open(std::move(file));
}

Result<Reader> Reader::Open(std::unique_ptr<RandomAccessFile> file) {
  Reader reader;
  reader.file_ = std::move(file);
  RETURN_IF_ERROR(reader.ReadHeader());
  return reader;
}

const std::string* Reader::FindMetadata(const std::string& key) const {
  const auto it = metadata_.find(key);
  return it == metadata_.end() ? nullptr : &it->second;
}

Error Reader::Corrupt(std::string_view what, int64_t offset) const {
  return Error::Make(ErrorCode::kCorrupt,
                     fmt::format("Invalid Avro file {}: {} at offset {}", path(), what, offset),
                     "RuntimeIOException");
}

Error Reader::CorruptAt(const Decoder& decoder) const {
  return Corrupt(fmt::format("bad record data, byte {} of the block", decoder.offset()),
                 block_offset_);
}

Result<std::string_view> Reader::Peek(size_t count) {
  const int64_t left = file_->size() - position_;
  if (left < 0 || count > static_cast<uint64_t>(left))
    return Fail(Corrupt("truncated", file_->size()));
  const auto at = static_cast<size_t>(position_ - window_offset_);
  if (at + count > window_.size()) {
    const auto size = std::max(static_cast<int64_t>(count), std::min(left, kWindow));
    window_.resize(static_cast<size_t>(size));
    window_offset_ = position_;
    RETURN_IF_ERROR(file_->ReadAt(position_, window_.size(), window_.data()));
  }
  return std::string_view(window_).substr(static_cast<size_t>(position_ - window_offset_), count);
}

Result<int64_t> Reader::ReadHeaderLong() {
  const auto left = static_cast<size_t>(std::max<int64_t>(file_->size() - position_, 0));
  ASSIGN_OR_RETURN(const std::string_view bytes, Peek(std::min(left, kMaxLongSize)));
  Decoder decoder(bytes);
  const int64_t value = decoder.ReadLong();
  if (!decoder.ok()) return Fail(Corrupt("bad number", position_));
  position_ += static_cast<int64_t>(decoder.offset());
  return value;
}

Status Reader::ReadHeader() {
  if (file_->size() < 4) return Fail(Corrupt("too short", file_->size()));
  ASSIGN_OR_RETURN(const std::string_view magic, Peek(kMagic.size()));
  if (magic != kMagic) return Fail(Corrupt("not an Avro data file", 0));
  position_ += static_cast<int64_t>(kMagic.size());
  const auto read_bytes = [this]() -> Result<std::string> {
    ASSIGN_OR_RETURN(const int64_t size, ReadHeaderLong());
    if (size < 0) return Fail(Corrupt("negative length", position_));
    ASSIGN_OR_RETURN(const std::string_view view, Peek(static_cast<size_t>(size)));
    std::string bytes(view);
    position_ += size;
    return bytes;
  };
  for (;;) {
    ASSIGN_OR_RETURN(int64_t count, ReadHeaderLong());
    if (count == 0) break;
    if (count < 0) RETURN_IF_ERROR(ReadHeaderLong());
    // A lying count ends at the end of the file, as each entry takes bytes.
    for (count = count < 0 ? -(count + 1) + 1 : count; count > 0; count--) {
      ASSIGN_OR_RETURN(std::string key, read_bytes());
      ASSIGN_OR_RETURN(metadata_[key], read_bytes());
    }
  }
  ASSIGN_OR_RETURN(sync_, Peek(kSyncSize));
  position_ += static_cast<int64_t>(kSyncSize);
  auto schema = ParseSchema(metadata_["avro.schema"]);
  if (!schema) return Fail(Corrupt(schema.error().message, 0));
  schema_ = *std::move(schema);
  return SetCodec(metadata_["avro.codec"]);
}

Status Reader::SetCodec(const std::string& name) {
  if (name.empty() || name == "null")
    codec_ = Codec::kNull;
  else if (name == "deflate")
    codec_ = Codec::kDeflate;
  else if (name == "snappy")
    codec_ = Codec::kSnappy;
  else if (name == "zstandard")
    codec_ = Codec::kZstandard;
  else
    return Fail(ErrorCode::kUnsupported, fmt::format("Unrecognized codec: {} in {}", name, path()),
                "AvroRuntimeException");
  return {};
}

Result<bool> Reader::NextBlock(Block& block) {
  for (;;) {
    if (position_ >= file_->size()) return false;
    block_offset_ = position_;
    ASSIGN_OR_RETURN(block.count, ReadHeaderLong());
    ASSIGN_OR_RETURN(const int64_t size, ReadHeaderLong());
    if (block.count < 0 || size < 0 || size > file_->size())
      return Fail(Corrupt("bad block size", block_offset_));
    ASSIGN_OR_RETURN(const std::string_view packed, Peek(static_cast<size_t>(size) + kSyncSize));
    if (packed.substr(static_cast<size_t>(size)) != sync_)
      return Fail(Corrupt("invalid sync", position_ + size));
    position_ += size + static_cast<int64_t>(kSyncSize);
    if (block.count == 0) continue;
    RETURN_IF_ERROR(Unpack(packed.substr(0, static_cast<size_t>(size)), block));
    return true;
  }
}

Status Reader::Unpack(std::string_view packed, Block& block) {
  Status status;
  switch (codec_) {
    case Codec::kNull:
      block.data = packed;
      return {};
    case Codec::kDeflate:
      status = DecompressInto(Compression::kDeflate, packed, plain_);
      break;
    case Codec::kZstandard:
      status = DecompressInto(Compression::kZstd, packed, plain_);
      break;
    case Codec::kSnappy: {
      if (packed.size() < 4) return Fail(Corrupt("snappy block without checksum", block_offset_));
      const std::string_view body = packed.substr(0, packed.size() - 4);
      status = DecompressInto(Compression::kSnappy, body, plain_);
      if (status && GetBigEndian<uint32_t>(body.data() + body.size()) != Crc32(plain_)) {
        return Fail(Corrupt("checksum mismatch", block_offset_));
      }
      break;
    }
  }
  if (!status) return Fail(Corrupt(status.error().message, block_offset_));
  block.data = plain_;
  return {};
}

}  // namespace iceblink::io::avro
