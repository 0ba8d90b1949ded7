#include "io/puffin.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json.h"
#include "io/compression.h"

namespace iceblink::io {
namespace {

constexpr std::string_view kMagic = "PFA1";
constexpr int64_t kMagicSize = 4;
constexpr int64_t kStructSize = 12;  // payload size, flags, magic
constexpr uint8_t kCompressedFlag = 1;

tl::unexpected<Error> Corrupt(const RandomAccessFile& file, std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("Invalid file: {}: {}", file.path(), what),
              "IllegalStateException");
}

Compression CodecOf(PuffinCodec codec) {
  switch (codec) {
    case PuffinCodec::kNone:
      return Compression::kNone;
    case PuffinCodec::kLz4:
      return Compression::kLz4Frame;
    case PuffinCodec::kZstd:
      return Compression::kZstd;
  }
  return Compression::kNone;
}

Result<PuffinBlob> ParseBlob(const Json& json) {
  PuffinBlob blob;
  ASSIGN_OR_RETURN(blob.type, json::GetString(json, "type"));
  ASSIGN_OR_RETURN(blob.fields, json::GetIntList(json, "fields"));
  ASSIGN_OR_RETURN(blob.snapshot_id, json::GetLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(blob.sequence_number, json::GetLong(json, "sequence-number"));
  ASSIGN_OR_RETURN(blob.offset, json::GetLong(json, "offset"));
  ASSIGN_OR_RETURN(blob.length, json::GetLong(json, "length"));
  ASSIGN_OR_RETURN(const auto codec, json::FindString(json, "compression-codec"));
  if (codec == "lz4") {
    blob.codec = PuffinCodec::kLz4;
  } else if (codec == "zstd") {
    blob.codec = PuffinCodec::kZstd;
  } else if (codec) {
    return Fail(ErrorCode::kUnsupported, fmt::format("Unknown codec name: {}", *codec),
                "IllegalArgumentException");
  }
  if (json::Has(json, "properties")) {
    ASSIGN_OR_RETURN(blob.properties, json::GetStringMap(json, "properties"));
  }
  return blob;
}

Json BlobToJson(const PuffinBlob& blob) {
  Json json;
  json["type"] = blob.type;
  json["fields"] = blob.fields;
  json["snapshot-id"] = blob.snapshot_id;
  json["sequence-number"] = blob.sequence_number;
  json["offset"] = blob.offset;
  json["length"] = blob.length;
  if (blob.codec != PuffinCodec::kNone)
    json["compression-codec"] = blob.codec == PuffinCodec::kLz4 ? "lz4" : "zstd";
  if (!blob.properties.empty()) json["properties"] = blob.properties;
  return json;
}

Result<PuffinFooter> ParseFooter(std::string_view payload, std::string_view path) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(payload, path));
  PuffinFooter footer;
  ASSIGN_OR_RETURN(const Json* blobs, json::GetArray(json, "blobs"));
  for (const Json& item : *blobs) {
    ASSIGN_OR_RETURN(PuffinBlob blob, ParseBlob(item));
    footer.blobs.push_back(std::move(blob));
  }
  if (json::Has(json, "properties")) {
    ASSIGN_OR_RETURN(footer.properties, json::GetStringMap(json, "properties"));
  }
  return footer;
}

// Reads the payload between the footer's magics, decompressed; sets the footer's size.
Result<std::string> ReadFooterPayload(const RandomAccessFile& file, int64_t& footer_size) {
  if (file.size() < kMagicSize + kMagicSize + kStructSize) return Corrupt(file, "file too small");
  char tail[kStructSize];
  RETURN_IF_ERROR(file.ReadAt(file.size() - kStructSize, sizeof tail, tail));
  if (std::string_view(tail + 8, 4) != kMagic) return Corrupt(file, "wrong magic at the end");
  const int64_t payload_size = GetLittleEndian<int32_t>(tail);
  footer_size = kMagicSize + payload_size + kStructSize;
  if (payload_size < 0 || footer_size > file.size() - kMagicSize)
    return Corrupt(file, "wrong footer size");
  std::string payload(static_cast<size_t>(kMagicSize + payload_size), '\0');
  RETURN_IF_ERROR(file.ReadAt(file.size() - footer_size, payload.size(), payload.data()));
  if (!payload.starts_with(kMagic)) return Corrupt(file, "wrong magic at the footer");
  payload.erase(0, kMagic.size());
  const auto flags = GetLittleEndian<uint32_t>(tail + 4);
  if ((flags & ~uint32_t{kCompressedFlag}) != 0) return Corrupt(file, "unknown flags");
  if ((flags & kCompressedFlag) == 0) return payload;
  return Decompress(Compression::kLz4Frame, payload);
}

}  // namespace

Result<PuffinFooter> ReadPuffinFooter(const RandomAccessFile& file) {
  int64_t footer_size = 0;
  ASSIGN_OR_RETURN(const std::string payload, ReadFooterPayload(file, footer_size));
  auto footer = ParseFooter(payload, file.path());
  if (!footer) return Corrupt(file, footer.error().message);
  footer->footer_size = footer_size;
  return footer;
}

Result<std::string> ReadPuffinBlob(const RandomAccessFile& file, const PuffinBlob& blob) {
  if (blob.offset < 0 || blob.length < 0 || blob.offset > file.size() - blob.length) {
    return Corrupt(file,
                   fmt::format("blob at {} of {} bytes lies outside", blob.offset, blob.length));
  }
  std::string bytes(static_cast<size_t>(blob.length), '\0');
  RETURN_IF_ERROR(file.ReadAt(blob.offset, bytes.size(), bytes.data()));
  if (blob.codec == PuffinCodec::kNone) return bytes;
  auto plain = Decompress(CodecOf(blob.codec), bytes);
  if (!plain) return Corrupt(file, plain.error().message);
  return plain;
}

Result<PuffinWriter> PuffinWriter::Create(std::unique_ptr<OutputFile> file,
                                          std::map<std::string, std::string> properties,
                                          bool compress_footer) {
  PuffinWriter writer;
  writer.file_ = std::move(file);
  writer.properties_ = std::move(properties);
  writer.compress_footer_ = compress_footer;
  RETURN_IF_ERROR(writer.file_->Append(kMagic));
  return writer;
}

Result<PuffinBlob> PuffinWriter::Add(PuffinBlob blob, std::string_view payload) {
  ASSIGN_OR_RETURN(const std::string packed, Compress(CodecOf(blob.codec), payload));
  blob.offset = file_->position();
  blob.length = static_cast<int64_t>(packed.size());
  RETURN_IF_ERROR(file_->Append(packed));
  blobs_.push_back(blob);
  return blob;
}

Status PuffinWriter::Close() {
  Json json;
  json["blobs"] = Json::array();
  for (const PuffinBlob& blob : blobs_) json["blobs"].push_back(BlobToJson(blob));
  if (!properties_.empty()) json["properties"] = properties_;
  std::string payload = DumpJson(json);
  if (compress_footer_) {
    ASSIGN_OR_RETURN(payload, Compress(Compression::kLz4Frame, payload));
  }
  std::string footer(kMagic);
  footer += payload;
  PutLittleEndian(static_cast<int32_t>(payload.size()), footer);
  PutLittleEndian(uint32_t{compress_footer_ ? kCompressedFlag : uint8_t{0}}, footer);
  footer += kMagic;
  footer_size_ = static_cast<int64_t>(footer.size());
  RETURN_IF_ERROR(file_->Append(footer));
  return file_->Close();
}

}  // namespace iceblink::io
