// JSON of snapshots, refs, statistics files and encryption keys.
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "spec/json.h"

namespace iceblink::spec {
namespace {

auto Bad(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "IllegalArgumentException");
}

template <typename T>
void PutOptional(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Status ReadSummary(const Json& json, Snapshot& snapshot) {
  if (!json::Has(json, "summary")) return {};
  ASSIGN_OR_RETURN(snapshot.summary, json::GetStringMap(json, "summary"));
  if (auto node = snapshot.summary.extract("operation")) {
    snapshot.operation = std::move(node.mapped());
  } else if (!snapshot.summary.empty()) {
    snapshot.operation =
        operation::kOverwrite;  // some writers leave it out; Java reads such a summary as overwrite
  }
  return {};
}

}  // namespace

Json ToJson(const Snapshot& snapshot) {
  Json out = Json::object();
  if (snapshot.sequence_number > 0) out["sequence-number"] = snapshot.sequence_number;
  out["snapshot-id"] = snapshot.snapshot_id;
  PutOptional(out, "parent-snapshot-id", snapshot.parent_id);
  out["timestamp-ms"] = snapshot.timestamp_ms;
  if (snapshot.operation) {
    Json& summary = out["summary"] = Json::object();
    summary["operation"] = *snapshot.operation;
    for (const auto& [key, value] : snapshot.summary) summary[key] = value;
  }
  if (!snapshot.manifest_list.empty()) {
    out["manifest-list"] = snapshot.manifest_list;
  } else {
    out["manifests"] = snapshot.manifests;
  }
  PutOptional(out, "schema-id", snapshot.schema_id);
  PutOptional(out, "first-row-id", snapshot.first_row_id);
  PutOptional(out, "added-rows", snapshot.added_rows);
  PutOptional(out, "key-id", snapshot.key_id);
  return out;
}

Result<Snapshot> SnapshotFromJson(const Json& json) {
  if (!json.is_object())
    return Bad("Cannot parse table version from a non-object: " + DumpJson(json));
  Snapshot snapshot;
  ASSIGN_OR_RETURN(std::optional<int64_t> sequence, json::FindLong(json, "sequence-number"));
  snapshot.sequence_number = sequence.value_or(0);
  ASSIGN_OR_RETURN(snapshot.snapshot_id, json::GetLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(snapshot.parent_id, json::FindLong(json, "parent-snapshot-id"));
  if (snapshot.parent_id == -1) snapshot.parent_id.reset();
  ASSIGN_OR_RETURN(snapshot.timestamp_ms, json::GetLong(json, "timestamp-ms"));
  RETURN_IF_ERROR(ReadSummary(json, snapshot));
  ASSIGN_OR_RETURN(snapshot.schema_id, json::FindInt(json, "schema-id"));
  ASSIGN_OR_RETURN(snapshot.first_row_id, json::FindLong(json, "first-row-id"));
  ASSIGN_OR_RETURN(snapshot.added_rows, json::FindLong(json, "added-rows"));
  ASSIGN_OR_RETURN(snapshot.key_id, json::FindString(json, "key-id"));
  if (json::Has(json, "manifest-list")) {
    ASSIGN_OR_RETURN(snapshot.manifest_list, json::GetString(json, "manifest-list"));
  } else if (json::Has(json, "manifests")) {
    ASSIGN_OR_RETURN(snapshot.manifests, json::GetStringList(json, "manifests"));
  }
  return snapshot;
}

Json ToJson(const SnapshotRef& ref) {
  Json out = {{"snapshot-id", ref.snapshot_id}, {"type", ref.is_branch() ? "branch" : "tag"}};
  PutOptional(out, "min-snapshots-to-keep", ref.min_snapshots_to_keep);
  PutOptional(out, "max-snapshot-age-ms", ref.max_snapshot_age_ms);
  PutOptional(out, "max-ref-age-ms", ref.max_ref_age_ms);
  return out;
}

Result<SnapshotRef> SnapshotRefFromJson(const Json& json) {
  if (!json.is_object())
    return Bad("Cannot parse snapshot reference from a non-object: " + DumpJson(json));
  SnapshotRef ref;
  ASSIGN_OR_RETURN(ref.snapshot_id, json::GetLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(std::string type, json::GetString(json, "type"));
  if (EqualsIgnoreCase(type, "tag")) {
    ref.type = RefType::kTag;
  } else if (!EqualsIgnoreCase(type, "branch")) {
    return Bad("Invalid snapshot ref type: " + type);
  }
  ASSIGN_OR_RETURN(ref.min_snapshots_to_keep, json::FindInt(json, "min-snapshots-to-keep"));
  ASSIGN_OR_RETURN(ref.max_snapshot_age_ms, json::FindLong(json, "max-snapshot-age-ms"));
  ASSIGN_OR_RETURN(ref.max_ref_age_ms, json::FindLong(json, "max-ref-age-ms"));
  return ref;
}

Json ToJson(const StatisticsFile& file) {
  Json blobs = Json::array();
  for (const BlobMetadata& blob : file.blob_metadata) {
    Json item = {{"type", blob.type},
                 {"snapshot-id", blob.snapshot_id},
                 {"sequence-number", blob.sequence_number},
                 {"fields", blob.fields}};
    if (!blob.properties.empty()) item["properties"] = blob.properties;
    blobs.push_back(std::move(item));
  }
  Json out = {{"snapshot-id", file.snapshot_id},
              {"statistics-path", file.path},
              {"file-size-in-bytes", file.file_size_in_bytes},
              {"file-footer-size-in-bytes", file.file_footer_size_in_bytes}};
  PutOptional(out, "key-metadata", file.key_metadata);
  out["blob-metadata"] = std::move(blobs);
  return out;
}

Result<StatisticsFile> StatisticsFileFromJson(const Json& json) {
  StatisticsFile file;
  ASSIGN_OR_RETURN(file.snapshot_id, json::GetLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(file.path, json::GetString(json, "statistics-path"));
  ASSIGN_OR_RETURN(file.file_size_in_bytes, json::GetLong(json, "file-size-in-bytes"));
  ASSIGN_OR_RETURN(file.file_footer_size_in_bytes,
                   json::GetLong(json, "file-footer-size-in-bytes"));
  ASSIGN_OR_RETURN(file.key_metadata, json::FindString(json, "key-metadata"));
  ASSIGN_OR_RETURN(const Json* blobs, json::GetArray(json, "blob-metadata"));
  for (const Json& item : *blobs) {
    BlobMetadata blob;
    ASSIGN_OR_RETURN(blob.type, json::GetString(item, "type"));
    ASSIGN_OR_RETURN(blob.snapshot_id, json::GetLong(item, "snapshot-id"));
    ASSIGN_OR_RETURN(blob.sequence_number, json::GetLong(item, "sequence-number"));
    ASSIGN_OR_RETURN(blob.fields, json::GetIntList(item, "fields"));
    if (json::Has(item, "properties")) {
      ASSIGN_OR_RETURN(blob.properties, json::GetStringMap(item, "properties"));
    }
    file.blob_metadata.push_back(std::move(blob));
  }
  return file;
}

Json ToJson(const PartitionStatisticsFile& file) {
  return {{"snapshot-id", file.snapshot_id},
          {"statistics-path", file.path},
          {"file-size-in-bytes", file.file_size_in_bytes}};
}

Result<PartitionStatisticsFile> PartitionStatisticsFileFromJson(const Json& json) {
  PartitionStatisticsFile file;
  ASSIGN_OR_RETURN(file.snapshot_id, json::GetLong(json, "snapshot-id"));
  ASSIGN_OR_RETURN(file.path, json::GetString(json, "statistics-path"));
  ASSIGN_OR_RETURN(file.file_size_in_bytes, json::GetLong(json, "file-size-in-bytes"));
  return file;
}

Json ToJson(const EncryptedKey& key) {
  Json out = {{"key-id", key.key_id}, {"encrypted-key-metadata", key.encrypted_key_metadata}};
  PutOptional(out, "encrypted-by-id", key.encrypted_by_id);
  if (!key.properties.empty()) out["properties"] = key.properties;
  return out;
}

Result<EncryptedKey> EncryptedKeyFromJson(const Json& json) {
  EncryptedKey key;
  ASSIGN_OR_RETURN(key.key_id, json::GetString(json, "key-id"));
  ASSIGN_OR_RETURN(key.encrypted_key_metadata, json::GetString(json, "encrypted-key-metadata"));
  ASSIGN_OR_RETURN(key.encrypted_by_id, json::FindString(json, "encrypted-by-id"));
  if (json::Has(json, "properties")) {
    ASSIGN_OR_RETURN(key.properties, json::GetStringMap(json, "properties"));
  }
  return key;
}

}  // namespace iceblink::spec
