// Metadata files: names, reading, writing, and what a commit does to the log of old ones. Free
// functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"
#include "spec/table_metadata.h"

namespace iceblink::catalog {

// Reads and parses; .gz.metadata.json and .metadata.json.gz are gunzipped. kNotFound, kCorrupt, or
// the parser's error.
Result<spec::TableMetadataPtr> ReadTableMetadata(io::FileSystem& files, const std::string& path);
// The text alone, gunzipped when the name or the content says so.
Result<std::string> ReadMetadataText(io::FileSystem& files, const std::string& path);

// Gzipped when the name says so. A name with a UUID in it needs no kCreateNew, which costs more on
// object stores.
Status WriteTableMetadata(io::FileSystem& files, const std::string& path,
                          const spec::TableMetadata& metadata,
                          io::WriteMode mode = io::WriteMode::kReplace);
Status WriteMetadataText(io::FileSystem& files, const std::string& path, std::string_view text,
                         io::WriteMode mode = io::WriteMode::kReplace);

// Version in "00007-<uuid>.metadata.json" (7) or "v7.metadata.json" (7); -1 when there is none.
int32_t MetadataVersion(std::string_view path);
// "<metadata folder>/<%05d version>-<uuid>[.gz].metadata.json"; write.metadata.path and
// write.metadata.compression-codec (none, gzip) are honoured.
Result<std::string> NewMetadataLocation(const spec::TableMetadata& metadata, int32_t version);
// ".metadata.json" or ".gz.metadata.json" for a value of write.metadata.compression-codec.
Result<std::string> MetadataExtension(std::string_view codec);
// The folder of a table's metadata: write.metadata.path or <location>/metadata.
std::string MetadataFolder(const spec::TableMetadata& metadata);

// Extends updated.metadata_log by `base` and trims it to write.metadata.previous-versions-max. Does
// nothing when the log already ends with base's file.
void LogPreviousFile(const spec::TableMetadata& base, const std::string& base_location,
                     spec::TableMetadata& updated);

// Deletes the files that fell out of the log, when write.metadata.delete-after-commit.enabled is
// set. Failures are logged.
void DeleteRemovedMetadataFiles(io::FileSystem& files, const spec::TableMetadata& base,
                                const spec::TableMetadata& updated);

}  // namespace iceblink::catalog
