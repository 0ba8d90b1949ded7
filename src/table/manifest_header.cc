// What a manifest's own file metadata says.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "spec/json.h"
#include "table/avro_blocks.h"
#include "table/manifest_reader.h"

namespace iceblink::table {
namespace {

Result<std::string> Required(const AvroBlocks& blocks, const std::string& key) {
  if (const std::string* value = blocks.FindMetadata(key)) return *value;
  return Fail(ErrorCode::kCorrupt,
              fmt::format("Manifest {} lacks the property {}", blocks.path(), key));
}

int32_t IntOr(const AvroBlocks& blocks, const std::string& key, int32_t fallback) {
  const std::string* text = blocks.FindMetadata(key);
  return text == nullptr ? fallback : ParseInt32(*text).value_or(fallback);
}

// The snapshot of the first entry, as a v1 manifest has no other trace of who added it.
Status FillSnapshotId(const ReadContext& context, ManifestHeader& header) {
  const PartitionTypes types(header.schema, header.spec);
  ManifestReadOptions options;
  options.stats = StatsSelection::None();
  ASSIGN_OR_RETURN(auto reader, ManifestReader::Open(context, header.file, types, options));
  ASSIGN_OR_RETURN(const spec::ManifestEntry* entry, reader->Next());
  if (entry != nullptr) header.file.added_snapshot_id = entry->snapshot_id.value_or(0);
  return {};
}

}  // namespace

Result<ManifestHeader> ReadManifestHeader(const ReadContext& context, const std::string& path) {
  ASSIGN_OR_RETURN(auto blocks, AvroBlocks::Open(context, path));
  ManifestHeader header;
  header.file.path = path;
  header.file.spec_id = IntOr(*blocks, "partition-spec-id", 0);
  header.format_version = IntOr(*blocks, "format-version", 1);
  if (const std::string* content = blocks->FindMetadata("content");
      content != nullptr && *content == "deletes") {
    header.file.content = spec::ManifestContent::kDeletes;
  }
  ASSIGN_OR_RETURN(const std::string schema, Required(*blocks, "schema"));
  ASSIGN_OR_RETURN(header.schema, spec::SchemaFromText(schema));
  ASSIGN_OR_RETURN(const std::string fields, Required(*blocks, "partition-spec"));
  ASSIGN_OR_RETURN(const Json json, ParseJson(fields, "partition-spec"));
  ASSIGN_OR_RETURN(header.spec, spec::PartitionFieldsFromJson(json, header.file.spec_id));
  ASSIGN_OR_RETURN(const io::FileInfo info, context.files->Stat(path));
  header.file.length = info.size;
  RETURN_IF_ERROR(FillSnapshotId(context, header));
  return header;
}

}  // namespace iceblink::table
