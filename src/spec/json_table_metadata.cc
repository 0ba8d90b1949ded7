// JSON of table metadata, format versions 1 to 3.
//
// Version 1 files may hold only `schema` and `partition-spec`; they are read as lists of one. Java
// writes the lists, refs and sort orders in version 1 too, and so does this code.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "spec/json.h"

namespace iceblink::spec {
namespace {

constexpr int64_t kMinuteMs = 60'000;

auto Bad(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "IllegalArgumentException");
}

template <typename Items>
Json List(const Items& items) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(ToJson(item));
  return out;
}

// Reads an optional array, each element by `parse`.
template <typename T, typename Parse>
Status ReadList(const Json& json, std::string_view key, Parse parse, std::vector<T>& out) {
  if (!json::Has(json, key)) return {};
  ASSIGN_OR_RETURN(const Json* items, json::GetArray(json, key));
  out.reserve(items->size());
  for (const Json& item : *items) {
    ASSIGN_OR_RETURN(T value, parse(item));
    out.push_back(std::move(value));
  }
  return {};
}

Status MustExist(std::string_view key, int32_t version) {
  if (version == 1) return {};
  return Bad(fmt::format("{} must exist in format v{}", key, version));
}

Status ReadSchemas(const Json& json, TableMetadata& out) {
  if (json::Has(json, "schemas")) {
    RETURN_IF_ERROR(ReadList(json, "schemas", SchemaFromJson, out.schemas));
    ASSIGN_OR_RETURN(out.current_schema_id, json::GetInt(json, "current-schema-id"));
    if (out.SchemaById(out.current_schema_id) == nullptr) {
      return Bad(fmt::format("Cannot find schema with current-schema-id={} from schemas",
                             out.current_schema_id));
    }
    return {};
  }
  RETURN_IF_ERROR(MustExist("schemas", out.format_version));
  ASSIGN_OR_RETURN(const Json* schema, json::GetObject(json, "schema"));
  ASSIGN_OR_RETURN(Schema parsed, SchemaFromJson(*schema));
  out.current_schema_id = parsed.schema_id();
  out.schemas.push_back(std::move(parsed));
  return {};
}

Status ReadSpecs(const Json& json, TableMetadata& out) {
  if (json::Has(json, "partition-specs")) {
    RETURN_IF_ERROR(ReadList(json, "partition-specs", PartitionSpecFromJson, out.specs));
    ASSIGN_OR_RETURN(out.default_spec_id, json::GetInt(json, "default-spec-id"));
  } else {
    RETURN_IF_ERROR(MustExist("partition-specs", out.format_version));
    ASSIGN_OR_RETURN(const Json* fields, json::GetArray(json, "partition-spec"));
    ASSIGN_OR_RETURN(PartitionSpec spec, PartitionFieldsFromJson(*fields, 0));
    out.specs.push_back(std::move(spec));
  }
  if (out.SpecById(out.default_spec_id) == nullptr) {
    return Bad(
        fmt::format("Cannot find partition spec with default-spec-id={}", out.default_spec_id));
  }
  ASSIGN_OR_RETURN(std::optional<int32_t> last, json::FindInt(json, "last-partition-id"));
  if (!last) RETURN_IF_ERROR(MustExist("last-partition-id", out.format_version));
  out.last_partition_id = last.value_or(kPartitionDataIdStart - 1);
  if (!last) {
    for (const PartitionSpec& spec : out.specs) {
      out.last_partition_id = std::max(out.last_partition_id, spec.LastAssignedFieldId());
    }
  }
  return {};
}

Status ReadSortOrders(const Json& json, TableMetadata& out) {
  if (!json::Has(json, "sort-orders")) {
    RETURN_IF_ERROR(MustExist("sort-orders", out.format_version));
    out.sort_orders.push_back(SortOrder{});
    return {};
  }
  RETURN_IF_ERROR(ReadList(json, "sort-orders", SortOrderFromJson, out.sort_orders));
  ASSIGN_OR_RETURN(out.default_sort_order_id, json::GetInt(json, "default-sort-order-id"));
  if (out.SortOrderById(out.default_sort_order_id) == nullptr) {
    if (out.default_sort_order_id != 0) {
      return Bad(fmt::format("Cannot find sort order with default-sort-order-id={}",
                             out.default_sort_order_id));
    }
    out.sort_orders.insert(out.sort_orders.begin(), SortOrder{});
  }
  return {};
}

Status ReadRefs(const Json& json, TableMetadata& out) {
  ASSIGN_OR_RETURN(out.current_snapshot_id, json::FindLong(json, "current-snapshot-id"));
  if (out.current_snapshot_id == -1) out.current_snapshot_id.reset();
  if (json::Has(json, "refs")) {
    ASSIGN_OR_RETURN(const Json* refs, json::GetObject(json, "refs"));
    for (const auto& [name, item] : refs->items()) {
      ASSIGN_OR_RETURN(SnapshotRef ref, SnapshotRefFromJson(item));
      out.refs.emplace(name, ref);
    }
  } else if (out.current_snapshot_id) {
    out.refs.emplace(kMainBranch,
                     SnapshotRef{*out.current_snapshot_id, RefType::kBranch, {}, {}, {}});
  }
  return {};
}

Result<SnapshotLogEntry> SnapshotLogEntryFromJson(const Json& json) {
  SnapshotLogEntry entry;
  ASSIGN_OR_RETURN(entry.timestamp_ms, json::GetLong(json, "timestamp-ms"));
  ASSIGN_OR_RETURN(entry.snapshot_id, json::GetLong(json, "snapshot-id"));
  return entry;
}

Result<MetadataLogEntry> MetadataLogEntryFromJson(const Json& json) {
  MetadataLogEntry entry;
  ASSIGN_OR_RETURN(entry.timestamp_ms, json::GetLong(json, "timestamp-ms"));
  ASSIGN_OR_RETURN(entry.metadata_file, json::GetString(json, "metadata-file"));
  return entry;
}

Status ReadLists(const Json& json, TableMetadata& out) {
  RETURN_IF_ERROR(ReadList(json, "snapshots", SnapshotFromJson, out.snapshots));
  RETURN_IF_ERROR(ReadList(json, "statistics", StatisticsFileFromJson, out.statistics));
  RETURN_IF_ERROR(ReadList(json, "partition-statistics", PartitionStatisticsFileFromJson,
                           out.partition_statistics));
  RETURN_IF_ERROR(ReadList(json, "snapshot-log", SnapshotLogEntryFromJson, out.snapshot_log));
  RETURN_IF_ERROR(ReadList(json, "metadata-log", MetadataLogEntryFromJson, out.metadata_log));
  return ReadList(json, "encryption-keys", EncryptedKeyFromJson, out.encryption_keys);
}

constexpr std::string_view kMembers[] = {"format-version",
                                         "table-uuid",
                                         "location",
                                         "last-sequence-number",
                                         "last-updated-ms",
                                         "last-column-id",
                                         "schema",
                                         "current-schema-id",
                                         "schemas",
                                         "partition-spec",
                                         "default-spec-id",
                                         "partition-specs",
                                         "last-partition-id",
                                         "default-sort-order-id",
                                         "sort-orders",
                                         "properties",
                                         "current-snapshot-id",
                                         "next-row-id",
                                         "encryption-keys",
                                         "refs",
                                         "snapshots",
                                         "statistics",
                                         "partition-statistics",
                                         "snapshot-log",
                                         "metadata-log"};

std::string ExtraMembers(const Json& json) {
  Json extra = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), key) == std::end(kMembers))
      extra[key] = value;
  }
  return extra.empty() ? std::string() : DumpJson(extra);
}

Status CheckRefs(const TableMetadata& out) {
  if (out.current_snapshot_id && out.CurrentSnapshot() == nullptr) {
    return Bad("Invalid table metadata: Cannot find current version");
  }
  std::set<int64_t> ids;
  for (const Snapshot& snapshot : out.snapshots) ids.insert(snapshot.snapshot_id);
  for (const auto& [name, ref] : out.refs) {
    if (!ids.contains(ref.snapshot_id)) {
      return Bad(fmt::format(
          "Snapshot for reference {} does not exist in the existing snapshots list", name));
    }
  }
  const SnapshotRef* main = out.Ref(kMainBranch);
  if (main != nullptr && !out.current_snapshot_id) {
    return Bad(
        fmt::format("Current snapshot is not set, but main branch exists: {}", main->snapshot_id));
  }
  if (main != nullptr && main->snapshot_id != *out.current_snapshot_id) {
    return Bad(fmt::format("Current snapshot ID does not match main branch ({} != {})",
                           *out.current_snapshot_id, main->snapshot_id));
  }
  return {};
}

// Clocks of several writers may differ by a minute; more is a defect.
template <typename Log>
Status CheckLog(const Log& log, int64_t last_updated_ms, std::string_view what,
                std::string_view entry) {
  for (size_t i = 1; i < log.size(); ++i) {
    if (log[i].timestamp_ms - log[i - 1].timestamp_ms < -kMinuteMs) {
      return Bad(fmt::format("[BUG] Expected sorted {} log entries.", what));
    }
  }
  if (!log.empty() && last_updated_ms - log.back().timestamp_ms < -kMinuteMs) {
    return Bad(fmt::format("Invalid update timestamp {}: before {} {}", last_updated_ms, entry,
                           log.back().timestamp_ms));
  }
  return {};
}

Status Check(const TableMetadata& out) {
  if (out.format_version > 1 && out.uuid.empty()) {
    return Bad(fmt::format("UUID is required in format v{}", out.format_version));
  }
  RETURN_IF_ERROR(CheckRefs(out));
  RETURN_IF_ERROR(
      CheckLog(out.snapshot_log, out.last_updated_ms, "snapshot", "last snapshot log entry at"));
  return CheckLog(out.metadata_log, out.last_updated_ms, "previous metadata",
                  "the latest metadata log entry timestamp");
}

}  // namespace

Json ToJson(const TableMetadata& m) {
  Json out = {{"format-version", m.format_version}};
  if (!m.uuid.empty()) out["table-uuid"] = m.uuid;
  out["location"] = m.location;
  if (m.format_version > 1) out["last-sequence-number"] = m.last_sequence_number;
  out["last-updated-ms"] = m.last_updated_ms;
  out["last-column-id"] = m.last_column_id;
  if (m.format_version == 1) out["schema"] = ToJson(m.schema());
  out["current-schema-id"] = m.current_schema_id;
  out["schemas"] = List(m.schemas);
  if (m.format_version == 1) out["partition-spec"] = PartitionFieldsToJson(m.spec());
  out["default-spec-id"] = m.default_spec_id;
  out["partition-specs"] = List(m.specs);
  out["last-partition-id"] = m.last_partition_id;
  out["default-sort-order-id"] = m.default_sort_order_id;
  out["sort-orders"] = List(m.sort_orders);
  out["properties"] = m.properties.empty() ? Json::object() : Json(m.properties);
  if (m.current_snapshot_id) {
    out["current-snapshot-id"] = *m.current_snapshot_id;
  } else {
    out["current-snapshot-id"] = m.format_version >= 3 ? Json(nullptr) : Json(-1);
  }
  if (m.format_version >= 3) out["next-row-id"] = m.next_row_id;
  if (!m.encryption_keys.empty()) out["encryption-keys"] = List(m.encryption_keys);
  out["refs"] = Json::object();
  for (const auto& [name, ref] : m.refs) out["refs"][name] = ToJson(ref);
  out["snapshots"] = List(m.snapshots);
  out["statistics"] = List(m.statistics);
  out["partition-statistics"] = List(m.partition_statistics);
  Json& snapshot_log = out["snapshot-log"] = Json::array();
  for (const auto& entry : m.snapshot_log) {
    snapshot_log.push_back(
        {{"timestamp-ms", entry.timestamp_ms}, {"snapshot-id", entry.snapshot_id}});
  }
  Json& metadata_log = out["metadata-log"] = Json::array();
  for (const auto& entry : m.metadata_log) {
    metadata_log.push_back(
        {{"timestamp-ms", entry.timestamp_ms}, {"metadata-file", entry.metadata_file}});
  }
  if (auto extra =
          m.extra_members.empty() ? Result<Json>(Json::object()) : ParseJson(m.extra_members)) {
    for (auto& [key, value] : extra->items()) out[key] = value;
  }
  return out;
}

Result<TableMetadata> TableMetadataFromJson(const Json& json, std::string metadata_file_location) {
  if (!json.is_object())
    return Bad("Cannot parse metadata from a non-object: " + DumpJson(json).substr(0, 200));
  TableMetadata out;
  ASSIGN_OR_RETURN(out.format_version, json::GetInt(json, "format-version"));
  if (out.format_version > kMaxFormatVersion || out.format_version < 1) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("Cannot read unsupported version {}", out.format_version),
                "IllegalArgumentException");
  }
  ASSIGN_OR_RETURN(std::optional<std::string> uuid, json::FindString(json, "table-uuid"));
  out.uuid = uuid.value_or("");
  ASSIGN_OR_RETURN(out.location, json::GetString(json, "location"));
  if (out.format_version > 1) {
    ASSIGN_OR_RETURN(out.last_sequence_number, json::GetLong(json, "last-sequence-number"));
  }
  ASSIGN_OR_RETURN(out.last_updated_ms, json::GetLong(json, "last-updated-ms"));
  ASSIGN_OR_RETURN(out.last_column_id, json::GetInt(json, "last-column-id"));
  RETURN_IF_ERROR(ReadSchemas(json, out));
  RETURN_IF_ERROR(ReadSpecs(json, out));
  RETURN_IF_ERROR(ReadSortOrders(json, out));
  if (json::Has(json, "properties")) {
    ASSIGN_OR_RETURN(out.properties, json::GetStringMap(json, "properties"));
  }
  if (out.format_version >= 3) {
    ASSIGN_OR_RETURN(out.next_row_id, json::GetLong(json, "next-row-id"));
  }
  RETURN_IF_ERROR(ReadRefs(json, out));
  RETURN_IF_ERROR(ReadLists(json, out));
  out.extra_members = ExtraMembers(json);
  out.metadata_file_location = std::move(metadata_file_location);
  RETURN_IF_ERROR(Check(out));
  return out;
}

Result<TableMetadata> ParseTableMetadata(std::string_view text,
                                         std::string metadata_file_location) {
  ASSIGN_OR_RETURN(Json json, ParseJson(text, metadata_file_location));
  return TableMetadataFromJson(json, std::move(metadata_file_location));
}

std::string SerializeTableMetadata(const TableMetadata& metadata, int indent) {
  Json json = ToJson(metadata);
  return indent > 0 ? DumpJsonPretty(json) : DumpJson(json);
}

}  // namespace iceblink::spec
