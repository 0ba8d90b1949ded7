#include "io/compression.h"

#include <fmt/format.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace iceblink::io {
namespace {

constexpr size_t kChunk = size_t{64} * 1024;

tl::unexpected<Error> Corrupt(std::string_view codec, std::string_view cause) {
  return Fail(ErrorCode::kCorrupt, fmt::format("Cannot decompress {} data: {}", codec, cause));
}

tl::unexpected<Error> TooLarge(std::string_view codec, size_t max_size) {
  return Corrupt(codec, fmt::format("more than {} bytes", max_size));
}

// zlib's window argument chooses the framing.
int WindowBits(Compression codec) {
  return codec == Compression::kDeflate ? -MAX_WBITS
         : codec == Compression::kGzip  ? MAX_WBITS + 16
                                        : MAX_WBITS;
}

Result<std::string> DeflateAll(Compression codec, std::string_view bytes, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level == 0 ? 6 : level, Z_DEFLATED, WindowBits(codec), 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid compression level: {}", level));
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) return Fail(ErrorCode::kInternal, "deflate did not finish");
  return out;
}

Status InflateAll(Compression codec, std::string_view bytes, std::string& out, size_t max_size) {
  z_stream stream{};
  if (inflateInit2(&stream, WindowBits(codec)) != Z_OK)
    return Fail(ErrorCode::kInternal, "inflateInit failed");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  // The old capacity is a good guess: blocks of one file are alike.
  out.resize(std::max(std::min(out.capacity(), max_size), std::min(kChunk, max_size)));
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + stream.total_out);
    stream.avail_out = static_cast<uInt>(std::min<size_t>(out.size() - stream.total_out, 1U << 30));
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_STREAM_END) break;
    if (code != Z_OK && code != Z_BUF_ERROR)
      return Corrupt("deflate", stream.msg != nullptr ? stream.msg : "bad stream");
    if (stream.avail_out != 0) return Corrupt("deflate", "truncated");
    if (out.size() >= max_size) return TooLarge("deflate", max_size);
    out.resize(std::min(out.size() * 2, max_size));
  }
  // PyIceberg leaves part of zlib's checksum behind the raw stream of an Avro block.
  if (stream.avail_in != 0 && codec != Compression::kDeflate)
    return Corrupt("deflate", "trailing bytes");
  out.resize(stream.total_out);
  return {};
}

Status SnappyInto(std::string_view bytes, std::string& out, size_t max_size) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size))
    return Corrupt("snappy", "bad length");
  if (size > max_size) return TooLarge("snappy", max_size);
  // A block expands at most some 64 times; a larger claim is a lie that must not be allocated.
  if (size / 64 > bytes.size()) return Corrupt("snappy", "bad length");
  out.resize(size);
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), out.data()))
    return Corrupt("snappy", "bad block");
  return {};
}

Status ZstdInto(std::string_view bytes, std::string& out, size_t max_size) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  out.resize(std::max(std::min(out.capacity(), max_size), std::min(kChunk, max_size)));
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  for (;;) {
    const size_t code = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(code)) return Corrupt("zstd", ZSTD_getErrorName(code));
    if (code == 0 && input.pos == input.size) break;
    if (output.pos < output.size) {
      if (input.pos == input.size) return Corrupt("zstd", "truncated");
      continue;
    }
    if (out.size() >= max_size) return TooLarge("zstd", max_size);
    out.resize(std::min(out.size() * 2, max_size));
    output.dst = out.data();
    output.size = out.size();
  }
  out.resize(output.pos);
  return {};
}

Status Lz4Into(std::string_view bytes, std::string& out, size_t max_size) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)))
    return Fail(ErrorCode::kInternal, "lz4 context");
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> context(
      raw, LZ4F_freeDecompressionContext);
  out.clear();
  std::string chunk(kChunk, '\0');
  size_t at = 0;
  for (;;) {
    size_t produced = chunk.size(), consumed = bytes.size() - at;
    const size_t code =
        LZ4F_decompress(raw, chunk.data(), &produced, bytes.data() + at, &consumed, nullptr);
    if (LZ4F_isError(code)) return Corrupt("lz4", LZ4F_getErrorName(code));
    at += consumed;
    if (out.size() + produced > max_size) return TooLarge("lz4", max_size);
    out.append(chunk, 0, produced);
    if (code == 0) break;
    if (consumed == 0 && produced == 0) return Corrupt("lz4", "truncated");
  }
  if (at != bytes.size()) return Corrupt("lz4", "trailing bytes");
  return {};
}

Result<std::string> ZstdAll(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level == 0 ? 3 : level);
  if (ZSTD_isError(size)) return Fail(ErrorCode::kInternal, ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

Result<std::string> Lz4All(std::string_view bytes, int level) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentSize = bytes.size();
  preferences.compressionLevel = level;
  std::string out(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  const size_t size =
      LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), &preferences);
  if (LZ4F_isError(size)) return Fail(ErrorCode::kInternal, LZ4F_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace

Result<std::string> Compress(Compression codec, std::string_view bytes, int level) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return Fail(ErrorCode::kInvalidArgument, "Cannot compress more than 2 GiB at once");
  }
  switch (codec) {
    case Compression::kNone:
      return std::string(bytes);
    case Compression::kDeflate:
    case Compression::kZlib:
    case Compression::kGzip:
      return DeflateAll(codec, bytes, level);
    case Compression::kSnappy: {
      std::string out;
      snappy::Compress(bytes.data(), bytes.size(), &out);
      return out;
    }
    case Compression::kZstd:
      return ZstdAll(bytes, level);
    case Compression::kLz4Frame:
      return Lz4All(bytes, level);
  }
  return Fail(ErrorCode::kInternal, "unknown codec");
}

Status DecompressInto(Compression codec, std::string_view bytes, std::string& out,
                      size_t max_size) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return Fail(ErrorCode::kUnsupported, "Cannot decompress more than 2 GiB at once");
  }
  switch (codec) {
    case Compression::kNone:
      out = bytes;
      return {};
    case Compression::kDeflate:
    case Compression::kZlib:
    case Compression::kGzip:
      return InflateAll(codec, bytes, out, max_size);
    case Compression::kSnappy:
      return SnappyInto(bytes, out, max_size);
    case Compression::kZstd:
      return ZstdInto(bytes, out, max_size);
    case Compression::kLz4Frame:
      return Lz4Into(bytes, out, max_size);
  }
  return Fail(ErrorCode::kInternal, "unknown codec");
}

Result<std::string> Decompress(Compression codec, std::string_view bytes, size_t max_size) {
  std::string out;
  RETURN_IF_ERROR(DecompressInto(codec, bytes, out, max_size));
  return out;
}

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace iceblink::io
