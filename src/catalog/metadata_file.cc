#include "catalog/metadata_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "io/compression.h"

namespace iceblink::catalog {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr int64_t kDefaultPreviousVersions = 100;

bool IsGzipName(std::string_view path) {
  return path.ends_with(".gz.metadata.json") || path.ends_with(".json.gz");
}

}  // namespace

Result<std::string> ReadMetadataText(io::FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(std::string bytes, files.ReadAll(path));
  if (!bytes.starts_with(kGzipMagic)) return bytes;
  auto text = io::Decompress(io::Compression::kGzip, bytes);
  if (!text)
    return Fail(ErrorCode::kCorrupt,
                fmt::format("Failed to read file: {}: {}", path, text.error().message));
  return text;
}

Result<spec::TableMetadataPtr> ReadTableMetadata(io::FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadMetadataText(files, path));
  auto metadata = spec::ParseTableMetadata(text, path);
  if (!metadata) {
    Error error = std::move(metadata.error());
    if (error.message.find(path) == std::string::npos)
      error.message += fmt::format(" (metadata file {})", path);
    return Fail(std::move(error));
  }
  return std::make_shared<const spec::TableMetadata>(std::move(*metadata));
}

Status WriteMetadataText(io::FileSystem& files, const std::string& path, std::string_view text,
                         io::WriteMode mode) {
  if (!IsGzipName(path)) return files.WriteAll(path, text, mode);
  ASSIGN_OR_RETURN(const std::string packed, io::Compress(io::Compression::kGzip, text));
  return files.WriteAll(path, packed, mode);
}

Status WriteTableMetadata(io::FileSystem& files, const std::string& path,
                          const spec::TableMetadata& metadata, io::WriteMode mode) {
  return WriteMetadataText(files, path, spec::SerializeTableMetadata(metadata), mode);
}

int32_t MetadataVersion(std::string_view path) {
  const std::string_view name = io::BaseName(path);
  const bool is_hadoop = name.starts_with('v');
  const std::string_view digits =
      is_hadoop ? name.substr(1, name.find('.') - 1) : name.substr(0, name.find('-'));
  return ParseInt32(digits).value_or(-1);
}

std::string MetadataFolder(const spec::TableMetadata& metadata) {
  const std::string folder = metadata.Property("write.metadata.path");
  return folder.empty() ? io::JoinPath(metadata.location, "metadata")
                        : std::string(StripTrailing(folder, '/'));
}

Result<std::string> MetadataExtension(std::string_view codec) {
  if (codec.empty() || EqualsIgnoreCase(codec, "none")) return std::string(".metadata.json");
  if (EqualsIgnoreCase(codec, "gzip")) return std::string(".gz.metadata.json");
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid codec name: {}", codec),
              "IllegalArgumentException");
}

Result<std::string> NewMetadataLocation(const spec::TableMetadata& metadata, int32_t version) {
  ASSIGN_OR_RETURN(const std::string extension,
                   MetadataExtension(metadata.Property("write.metadata.compression-codec")));
  return io::JoinPath(MetadataFolder(metadata),
                      fmt::format("{:05}-{}{}", version, NewUuid(), extension));
}

void LogPreviousFile(const spec::TableMetadata& base, const std::string& base_location,
                     spec::TableMetadata& updated) {
  auto& log = updated.metadata_log;
  if (log.empty() || log.back().metadata_file != base_location)
    log.push_back({base.last_updated_ms, base_location});
  const auto limit = ParseInt64(updated.Property("write.metadata.previous-versions-max"));
  const auto keep =
      static_cast<size_t>(std::max<int64_t>(1, limit.value_or(kDefaultPreviousVersions)));
  if (log.size() > keep) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(keep));
}

void DeleteRemovedMetadataFiles(io::FileSystem& files, const spec::TableMetadata& base,
                                const spec::TableMetadata& updated) {
  if (!EqualsIgnoreCase(updated.Property("write.metadata.delete-after-commit.enabled"), "true"))
    return;
  std::set<std::string> kept;
  for (const auto& entry : updated.metadata_log) kept.insert(entry.metadata_file);
  std::vector<std::string> removed;
  for (const auto& entry : base.metadata_log) {
    if (!kept.contains(entry.metadata_file)) removed.push_back(entry.metadata_file);
  }
  files.DeleteMany(removed, [](const std::string& path, const Error& error) {
    LogWarn(fmt::format("Delete failed for previous metadata file: {}: {}", path, error.message));
  });
}

}  // namespace iceblink::catalog
