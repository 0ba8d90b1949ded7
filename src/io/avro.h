// Avro object container files, read and written block by block.
//
//   file   = "Obj" 01, metadata map<bytes>, sync[16], block*
//   block  = long count, long size, bytes[size] (compressed records), sync[16]
//   codecs = null, deflate (raw), snappy (block + big-endian CRC-32 of the plain bytes), zstandard
//
// Speed: a Reader hands out one decompressed block at a time and a Decoder walks it without
// allocation; what a record means is the caller's business (walk Schema::fields, switch on
// Field::id, read or Skip). The Decoder never throws and never reads out of bounds: after the first
// impossible byte it is failed, every further read answers zero or empty, and loops end. Check ok()
// once per record. One thread at a time for each object.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "io/avro_schema.h"
#include "io/file_system.h"

namespace iceblink::io::avro {

// Reads primitives from a byte range that the caller keeps alive.
class Decoder {
 public:
  Decoder() = default;
  explicit Decoder(std::string_view bytes) { Reset(bytes); }
  void Reset(std::string_view bytes) {
    begin_ = p_ = reinterpret_cast<const uint8_t*>(bytes.data());
    end_ = p_ + bytes.size();
    failed_at_ = nullptr;
  }

  bool ok() const { return failed_at_ == nullptr; }
  size_t remaining() const { return static_cast<size_t>(end_ - p_); }
  // Offset of the next byte, or of the failure.
  size_t offset() const { return static_cast<size_t>((ok() ? p_ : failed_at_) - begin_); }
  // Marks the input as corrupt at this place; for callers that meet an impossible value.
  void Fail() {
    if (ok()) failed_at_ = p_;
    p_ = end_;
  }

  int64_t ReadLong() {
    if (p_ < end_ && *p_ < 0x80) [[likely]] {
      const uint64_t n = *p_++;
      return static_cast<int64_t>(n >> 1) ^ -static_cast<int64_t>(n & 1);
    }
    return ReadLongSlow();
  }
  int32_t ReadInt() {
    const int64_t value = ReadLong();
    if (value != static_cast<int32_t>(value)) [[unlikely]] {
      Fail();
      return 0;
    }
    return static_cast<int32_t>(value);
  }
  bool ReadBool() {
    if (p_ == end_ || *p_ > 1) [[unlikely]] {
      Fail();
      return false;
    }
    return *p_++ == 1;
  }
  float ReadFloat() { return ReadRaw<float>(); }
  double ReadDouble() { return ReadRaw<double>(); }
  // bytes and string; a view into the block.
  std::string_view ReadBytesView() { return ReadFixedView(ReadLong()); }
  std::string ReadString() { return std::string(ReadBytesView()); }
  std::string_view ReadFixedView(int64_t size) {
    if (size < 0 || static_cast<uint64_t>(size) > remaining()) [[unlikely]] {
      Fail();
      return {};
    }
    const auto* start = reinterpret_cast<const char*>(p_);
    p_ += size;
    return {start, static_cast<size_t>(size)};
  }

  // Branch number of a union; fails unless it is below `branches`.
  size_t ReadUnionIndex(size_t branches) {
    const int64_t index = ReadLong();
    if (index < 0 || static_cast<uint64_t>(index) >= branches) [[unlikely]] {
      Fail();
      return 0;
    }
    return static_cast<size_t>(index);
  }
  // The schema of the value that follows: the branch read for a union, else `schema` itself. Null
  // for a null value and after failure, so that `if (const Schema* s = d.ReadPresent(*field.type))`
  // reads optional fields.
  const Schema* ReadPresent(const Schema& schema) {
    const Schema* at = &schema;
    if (at->kind == Kind::kUnion) at = at->branches[ReadUnionIndex(at->branches.size())].get();
    return ok() && at->kind != Kind::kNull ? at : nullptr;
  }

  // Arrays and maps: call until it answers 0; each answer is a run of that many items (for maps:
  // key, value pairs).
  //   while (int64_t n = d.ReadRun()) while (n-- > 0) ...
  // A run longer than the remaining bytes fails: Iceberg's items take at least a byte each.
  int64_t ReadRun();

  // Skips one value of this schema.
  void Skip(const Schema& schema);

 private:
  int64_t ReadLongSlow();
  template <typename T>
  T ReadRaw() {
    if (remaining() < sizeof(T)) [[unlikely]] {
      Fail();
      return T{};
    }
    T value;
    std::memcpy(&value, p_, sizeof(T));
    p_ += sizeof(T);
    return value;
  }

  const uint8_t* begin_ = nullptr;
  const uint8_t* p_ = nullptr;
  const uint8_t* end_ = nullptr;
  const uint8_t* failed_at_ = nullptr;
};

// Reads a container file.
class Reader {
 public:
  // Reads header and schema. kNotFound, kIo, kCorrupt (with file name and offset) or kUnsupported
  // (codec).
  static Result<Reader> Open(FileSystem& files, const std::string& path);
  static Result<Reader> Open(std::unique_ptr<RandomAccessFile> file);

  const std::string& path() const { return file_->path(); }
  const Schema& schema() const { return *schema_; }
  const SchemaPtr& schema_ptr() const { return schema_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // The value, or null.
  const std::string* FindMetadata(const std::string& key) const;

  // Fetches, checks and decompresses the next block; false at the end of the file. `count` records
  // lie in `data`, which stays valid until the next call.
  struct Block {
    int64_t count = 0;
    std::string_view data;
  };
  Result<bool> NextBlock(Block& block);
  // The kCorrupt error of a failed decoder on the current block.
  Error CorruptAt(const Decoder& decoder) const;

 private:
  enum class Codec : uint8_t { kNull, kDeflate, kSnappy, kZstandard };
  Reader() = default;
  Status ReadHeader();
  Status SetCodec(const std::string& name);
  // Makes `count` bytes at position_ available in the window.
  Result<std::string_view> Peek(size_t count);
  Result<int64_t> ReadHeaderLong();
  Error Corrupt(std::string_view what, int64_t offset) const;
  Status Unpack(std::string_view packed, Block& block);

  std::unique_ptr<RandomAccessFile> file_;
  SchemaPtr schema_;
  std::map<std::string, std::string> metadata_;
  Codec codec_ = Codec::kNull;
  std::string sync_;
  std::string window_;  // bytes of the file from window_offset_
  int64_t window_offset_ = 0;
  int64_t position_ = 0;
  int64_t block_offset_ = 0;
  std::string plain_;  // decompressed block
};

// Appends primitives to a buffer.
class Encoder {
 public:
  void WriteLong(int64_t value) {
    uint64_t n = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    while (n >= 0x80) {
      buffer_.push_back(static_cast<char>(n | 0x80));
      n >>= 7;
    }
    buffer_.push_back(static_cast<char>(n));
  }
  void WriteInt(int32_t value) { WriteLong(value); }
  void WriteBool(bool value) { buffer_.push_back(value ? 1 : 0); }
  void WriteFloat(float value) {
    buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void WriteDouble(double value) {
    buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void WriteBytes(std::string_view bytes) {  // bytes and string
    WriteLong(static_cast<int64_t>(bytes.size()));
    buffer_.append(bytes);
  }
  void WriteFixed(std::string_view bytes) { buffer_.append(bytes); }
  void WriteUnionIndex(int64_t index) { WriteLong(index); }
  // Array or map of `count` items: BeginRun(count), the items, EndRuns(). Without items: EndRuns()
  // alone.
  void BeginRun(int64_t count) { WriteLong(count); }
  void EndRuns() { WriteLong(0); }

  const std::string& buffer() const { return buffer_; }
  void Clear() { buffer_.clear(); }

 private:
  std::string buffer_;
};

// Writes a container file: encode one record with encoder(), call EndRecord, repeat, Close.
class Writer {
 public:
  struct Options {
    std::map<std::string, std::string> metadata;  // besides avro.schema and avro.codec
    std::string codec = "deflate";                // null, deflate, snappy, zstandard
    int level = 0;                                // 0: the codec's default
    size_t block_bytes = 64000;                   // plain size from which a block is closed
  };
  // `schema_json` is stored as given; kUnsupported for an unknown codec.
  static Result<Writer> Create(std::unique_ptr<OutputFile> file, std::string_view schema_json,
                               Options options);

  Encoder& encoder() { return encoder_; }
  Status EndRecord();

  // Records encoded and compressed apart from the file, by any thread, and their place in it.
  struct PackedBlock {
    int64_t count = 0;
    std::string bytes;
  };
  static Result<PackedBlock> Pack(const Options& options, int64_t count, std::string_view plain);
  Status Append(const PackedBlock& block);

  // Bytes in the file, plus the plain size of the open block: an upper estimate of the length,
  // exact after Close.
  int64_t length() const {
    return file_->position() + static_cast<int64_t>(encoder_.buffer().size());
  }
  // Writes the open block and closes the file. Call once; without it nothing stays behind.
  Status Close();

 private:
  Writer() = default;
  Status WriteHeader(std::string_view schema_json);
  Status FlushBlock();

  std::unique_ptr<OutputFile> file_;
  Options options_;
  std::string sync_;
  Encoder encoder_;
  int64_t records_ = 0;
};

// Reads one value in the general form: record -> struct, array -> array, map -> map, union -> the
// branch, enum -> string, decimal -> Decimal, date/int -> int32_t, times and timestamps -> int64_t
// in micros (nanos for timestamp-nanos), bytes, fixed -> Bytes. An Iceberg map as array of
// key-value records becomes a map. For data files and tests; manifests have a faster way.
Value ReadValue(Decoder& decoder, const Schema& schema);

// Writes one value in the form that ReadValue gives. kInvalidArgument when the value does not fit
// the schema.
Status WriteValue(Encoder& encoder, const Schema& schema, const Value& value);

}  // namespace iceblink::io::avro
