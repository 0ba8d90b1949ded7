#include "exec/file_encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "exec/spark_error.h"
#include "table/manifest_writer.h"

namespace iceblink::exec {

namespace {

using spec::FileFormat;

constexpr int64_t kDefaultRowGroupBytes = 134217728;
constexpr int64_t kDefaultStripeBytes = 67108864;
constexpr int64_t kDefaultTargetBytes = 536870912;
constexpr int64_t kDefaultDeleteTargetBytes = 67108864;

// Looks a setting up: a write option, then table properties, of which those of delete files come
// first where they are meant.
class Lookup {
 public:
  Lookup(const spec::TableMetadata& metadata, const std::map<std::string, std::string>& options,
         bool deletes)
      : metadata_(metadata), options_(options), deletes_(deletes) {}

  // `property` without "write.".
  std::string Text(const char* option, const std::string& property,
                   const std::string& fallback) const {
    auto it = options_.find(option);
    if (it != options_.end()) return it->second;
    const std::string data = metadata_.Property("write." + property, fallback);
    return deletes_ ? metadata_.Property("write.delete." + property, data) : data;
  }
  int64_t Number(const char* option, const std::string& property, int64_t fallback) const {
    return ParseInt64(Text(option, property, "")).value_or(fallback);
  }

 private:
  const spec::TableMetadata& metadata_;
  const std::map<std::string, std::string>& options_;
  bool deletes_;
};

Status SetCodec(const Lookup& lookup, FileSettings* out) {
  const std::string format = AsciiLower(spec::FileFormatName(out->format));
  out->codec = AsciiLower(lookup.Text("compression-codec", format + ".compression-codec",
                                      out->format == FileFormat::kOrc ? "zlib" : "gzip"));
  if (auto level = ParseInt32(lookup.Text("compression-level", format + ".compression-level", "")))
    out->level = *level;
  if (out->format == FileFormat::kAvro) {
    ASSIGN_OR_RETURN(out->codec, table::AvroCodecName(out->codec));
    return {};
  }
  static const std::vector<std::string_view> kParquet = {
      "zstd", "gzip", "snappy", "lz4", "lz4_raw", "brotli", "uncompressed", "none"};
  static const std::vector<std::string_view> kOrc = {"zlib", "zstd", "snappy", "lz4", "none"};
  const auto& known = out->format == FileFormat::kOrc ? kOrc : kParquet;
  if (std::find(known.begin(), known.end(), out->codec) == known.end()) {
    return Fail(ErrorCode::kInvalidArgument, "Unsupported compression codec: " + out->codec,
                "IllegalArgumentException");
  }
  return {};
}

Result<FileSettings> MakeSettings(const spec::TableMetadata& metadata,
                                  const std::map<std::string, std::string>& options, bool deletes) {
  const Lookup lookup(metadata, options, deletes);
  FileSettings out;
  std::string name = lookup.Text("write-format", "format.default", "parquet");
  if (auto own = options.find("delete-format"); deletes && own != options.end()) name = own->second;
  ASSIGN_OR_RETURN(out.format, spec::ParseFileFormat(name));
  if (out.format == FileFormat::kPuffin)
    return Fail(ErrorCode::kUnsupported, "Cannot write PUFFIN data files",
                "UnsupportedOperationException");
  RETURN_IF_ERROR(SetCodec(lookup, &out));
  if (out.format == FileFormat::kOrc) {
    out.row_group_bytes =
        lookup.Number("stripe-size-bytes", "orc.stripe-size-bytes", kDefaultStripeBytes);
    out.strategy =
        AsciiLower(lookup.Text("compression-strategy", "orc.compression-strategy", "speed"));
    if (!deletes) {
      out.bloom_columns = metadata.Property("write.orc.bloom.filter.columns");
      out.bloom_fpp = ParseDouble(metadata.Property("write.orc.bloom.filter.fpp", "0.05"))
                          .value_or(out.bloom_fpp);
    }
  } else {
    out.row_group_bytes = lookup.Number("row-group-size-bytes", "parquet.row-group-size-bytes",
                                        kDefaultRowGroupBytes);
  }
  out.target_bytes = lookup.Number("target-file-size-bytes", "target-file-size-bytes",
                                   deletes ? kDefaultDeleteTargetBytes : kDefaultTargetBytes);
  out.v2_pages = lookup.Text("page-version", "parquet.page-version", "v1") == "v2";
  return out;
}

}  // namespace

Result<FileSettings> FileSettings::Make(const spec::TableMetadata& metadata,
                                        const std::map<std::string, std::string>& options) {
  return MakeSettings(metadata, options, false);
}

Result<FileSettings> FileSettings::MakeDeletes(const spec::TableMetadata& metadata,
                                               const std::map<std::string, std::string>& options) {
  return MakeSettings(metadata, options, true);
}

std::unique_ptr<FileEncoder> OpenEncoder(const EncoderTarget& target,
                                         const FileSettings& settings) {
  switch (settings.format) {
    case FileFormat::kParquet:
      return OpenParquetEncoder(target, settings);
    case FileFormat::kAvro:
      return OpenAvroEncoder(target, settings);
    case FileFormat::kOrc:
      return OpenOrcEncoder(target, settings);
    case FileFormat::kPuffin:
      break;
  }
  ThrowError(
      Error::Make(ErrorCode::kUnsupported,
                  fmt::format("Cannot write {} files", spec::FileFormatName(settings.format)),
                  "UnsupportedOperationException"));
}

Status CheckWritable(const spec::Schema& schema, FileFormat format) {
  if (format == FileFormat::kParquet) return {};
  for (const spec::NestedField* field : schema.AllFields()) {
    const bool top = !schema.ParentId(field->id);
    const bool writable =
        !field->type.Is(spec::TypeKind::kVariant) &&
        (format != FileFormat::kOrc || (!field->type.Is(spec::TypeKind::kUuid) &&
                                        (top || !field->type.Is(spec::TypeKind::kUnknown))));
    if (writable) continue;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("Cannot write columns of type {} to {} files: {}",
                            field->type.ToString(), spec::FileFormatName(format), field->name),
                "UnsupportedOperationException");
  }
  return {};
}

}  // namespace iceblink::exec
