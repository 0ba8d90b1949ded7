// Whole-buffer compression in the framings that Iceberg's files use. Every function is pure and
// thread-safe. Decompressors answer kCorrupt on bad input and when the output would exceed
// `max_size`, so that a small file cannot claim all memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iceblink::io {

enum class Compression : uint8_t {
  kNone,
  kDeflate,   // raw RFC 1951, Avro's "deflate"
  kZlib,      // RFC 1950
  kGzip,      // RFC 1952
  kSnappy,    // raw block
  kZstd,      // one frame with content size
  kLz4Frame,  // one frame with content size
};

inline constexpr size_t kMaxDecompressedSize = size_t{1} << 30;

// `level` 0 takes the codec's default (deflate family 6, zstd 3); ignored by snappy.
Result<std::string> Compress(Compression codec, std::string_view bytes, int level = 0);

Result<std::string> Decompress(Compression codec, std::string_view bytes,
                               size_t max_size = kMaxDecompressedSize);
// The same into `out`, whose capacity is reused.
Status DecompressInto(Compression codec, std::string_view bytes, std::string& out,
                      size_t max_size = kMaxDecompressedSize);

// CRC-32 (ISO 3309, zlib's).
uint32_t Crc32(std::string_view bytes);

}  // namespace iceblink::io
