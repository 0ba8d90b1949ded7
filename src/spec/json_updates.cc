// JSON of updates and requirements, as the REST protocol spells them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "spec/json.h"

namespace iceblink::spec {
namespace {

auto Bad(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "IllegalArgumentException");
}

Json Action(const char* name, const char* key, Json value) {
  Json out = {{"action", name}};
  out[key] = std::move(value);
  return out;
}

Json Write(const update::AssignUuid& u) { return Action("assign-uuid", "uuid", u.uuid); }
Json Write(const update::UpgradeFormatVersion& u) {
  return Action("upgrade-format-version", "format-version", u.format_version);
}
Json Write(const update::AddSchema& u) {
  Json out = Action("add-schema", "schema", ToJson(u.schema));
  if (u.last_column_id) out["last-column-id"] = *u.last_column_id;
  return out;
}
Json Write(const update::SetCurrentSchema& u) {
  return Action("set-current-schema", "schema-id", u.schema_id);
}
Json Write(const update::AddSpec& u) { return Action("add-spec", "spec", ToJson(u.spec)); }
Json Write(const update::SetDefaultSpec& u) {
  return Action("set-default-spec", "spec-id", u.spec_id);
}
Json Write(const update::AddSortOrder& u) {
  return Action("add-sort-order", "sort-order", ToJson(u.sort_order));
}
Json Write(const update::SetDefaultSortOrder& u) {
  return Action("set-default-sort-order", "sort-order-id", u.sort_order_id);
}
Json Write(const update::AddSnapshot& u) {
  return Action("add-snapshot", "snapshot", ToJson(u.snapshot));
}
Json Write(const update::RemoveSnapshots& u) {
  return Action("remove-snapshots", "snapshot-ids", u.snapshot_ids);
}
Json Write(const update::SetSnapshotRef& u) {
  Json out = Action("set-snapshot-ref", "ref-name", u.name);
  out.update(ToJson(u.ref));
  return out;
}
Json Write(const update::RemoveSnapshotRef& u) {
  return Action("remove-snapshot-ref", "ref-name", u.name);
}
Json Write(const update::SetProperties& u) {
  return Action("set-properties", "updates", u.updates.empty() ? Json::object() : Json(u.updates));
}
Json Write(const update::RemoveProperties& u) {
  return Action("remove-properties", "removals", u.removals);
}
Json Write(const update::SetLocation& u) { return Action("set-location", "location", u.location); }
Json Write(const update::SetStatistics& u) {
  Json out = Action("set-statistics", "snapshot-id", u.statistics.snapshot_id);
  out["statistics"] = ToJson(u.statistics);
  return out;
}
Json Write(const update::RemoveStatistics& u) {
  return Action("remove-statistics", "snapshot-id", u.snapshot_id);
}
Json Write(const update::SetPartitionStatistics& u) {
  return Action("set-partition-statistics", "partition-statistics", ToJson(u.statistics));
}
Json Write(const update::RemovePartitionStatistics& u) {
  return Action("remove-partition-statistics", "snapshot-id", u.snapshot_id);
}
Json Write(const update::RemovePartitionSpecs& u) {
  return Action("remove-partition-specs", "spec-ids", u.spec_ids);
}
Json Write(const update::RemoveSchemas& u) {
  return Action("remove-schemas", "schema-ids", u.schema_ids);
}
Json Write(const update::AddEncryptionKey& u) {
  return Action("add-encryption-key", "encryption-key", ToJson(u.key));
}
Json Write(const update::RemoveEncryptionKey& u) {
  return Action("remove-encryption-key", "key-id", u.key_id);
}

// Reads a required member with its parser and wraps it into an update.
template <typename Update, typename T>
Result<TableUpdate> Wrap(Result<T> value) {
  if (!value) return Fail(std::move(value).error());
  return TableUpdate(Update{std::move(*value)});
}

template <typename Update, typename Parse>
Result<TableUpdate> ReadObject(const Json& json, std::string_view key, Parse parse) {
  ASSIGN_OR_RETURN(const Json* member, json::GetObject(json, key));
  return Wrap<Update>(parse(*member));
}

Result<TableUpdate> ReadAddSchema(const Json& json) {
  ASSIGN_OR_RETURN(const Json* member, json::GetObject(json, "schema"));
  ASSIGN_OR_RETURN(Schema schema, SchemaFromJson(*member));
  ASSIGN_OR_RETURN(std::optional<int32_t> last, json::FindInt(json, "last-column-id"));
  return TableUpdate(update::AddSchema{std::move(schema), last});
}

// Field ids that the client left out stay 0, so that the builder assigns them.
Result<TableUpdate> ReadAddSpec(const Json& json) {
  ASSIGN_OR_RETURN(const Json* member, json::GetObject(json, "spec"));
  ASSIGN_OR_RETURN(PartitionSpec spec, PartitionSpecFromJson(*member));
  const Json& fields = member->at("fields");
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (!json::Has(fields[i], "field-id")) spec.fields[i].field_id = 0;
  }
  return TableUpdate(update::AddSpec{std::move(spec)});
}

Result<TableUpdate> ReadRemoveSnapshots(const Json& json) {
  ASSIGN_OR_RETURN(const Json* ids, json::GetArray(json, "snapshot-ids"));
  update::RemoveSnapshots out;
  for (const Json& id : *ids) {
    if (!id.is_number_integer())
      return Bad("Cannot parse long from non-long value in snapshot-ids: " + DumpJson(id));
    out.snapshot_ids.push_back(id.get<int64_t>());
  }
  return TableUpdate(std::move(out));
}

Result<TableUpdate> ReadSetSnapshotRef(const Json& json) {
  ASSIGN_OR_RETURN(std::string name, json::GetString(json, "ref-name"));
  ASSIGN_OR_RETURN(SnapshotRef ref, SnapshotRefFromJson(json));
  return TableUpdate(update::SetSnapshotRef{std::move(name), ref});
}

Result<TableUpdate> ReadSetProperties(const Json& json) {
  return Wrap<update::SetProperties>(
      json::GetStringMap(json, json::Has(json, "updated") ? "updated" : "updates"));
}

Result<TableUpdate> ReadRemoveProperties(const Json& json) {
  return Wrap<update::RemoveProperties>(
      json::GetStringList(json, json::Has(json, "removed") ? "removed" : "removals"));
}

struct Reader {
  std::string_view action;
  Result<TableUpdate> (*read)(const Json& json);
};

const Reader kReaders[] = {
    {"assign-uuid",
     [](const Json& j) { return Wrap<update::AssignUuid>(json::GetString(j, "uuid")); }},
    {"upgrade-format-version",
     [](const Json& j) {
       return Wrap<update::UpgradeFormatVersion>(json::GetInt(j, "format-version"));
     }},
    {"add-schema", ReadAddSchema},
    {"set-current-schema",
     [](const Json& j) { return Wrap<update::SetCurrentSchema>(json::GetInt(j, "schema-id")); }},
    {"add-spec", ReadAddSpec},
    {"set-default-spec",
     [](const Json& j) { return Wrap<update::SetDefaultSpec>(json::GetInt(j, "spec-id")); }},
    {"add-sort-order",
     [](const Json& j) {
       return ReadObject<update::AddSortOrder>(j, "sort-order", SortOrderFromJson);
     }},
    {"set-default-sort-order",
     [](const Json& j) {
       return Wrap<update::SetDefaultSortOrder>(json::GetInt(j, "sort-order-id"));
     }},
    {"add-snapshot",
     [](const Json& j) {
       return ReadObject<update::AddSnapshot>(j, "snapshot", SnapshotFromJson);
     }},
    {"remove-snapshots", ReadRemoveSnapshots},
    {"set-snapshot-ref", ReadSetSnapshotRef},
    {"remove-snapshot-ref",
     [](const Json& j) { return Wrap<update::RemoveSnapshotRef>(json::GetString(j, "ref-name")); }},
    {"set-properties", ReadSetProperties},
    {"remove-properties", ReadRemoveProperties},
    {"set-location",
     [](const Json& j) { return Wrap<update::SetLocation>(json::GetString(j, "location")); }},
    {"set-statistics",
     [](const Json& j) {
       return ReadObject<update::SetStatistics>(j, "statistics", StatisticsFileFromJson);
     }},
    {"remove-statistics",
     [](const Json& j) { return Wrap<update::RemoveStatistics>(json::GetLong(j, "snapshot-id")); }},
    {"set-partition-statistics",
     [](const Json& j) {
       return ReadObject<update::SetPartitionStatistics>(j, "partition-statistics",
                                                         PartitionStatisticsFileFromJson);
     }},
    {"remove-partition-statistics",
     [](const Json& j) {
       return Wrap<update::RemovePartitionStatistics>(json::GetLong(j, "snapshot-id"));
     }},
    {"remove-partition-specs",
     [](const Json& j) {
       return Wrap<update::RemovePartitionSpecs>(json::GetIntList(j, "spec-ids"));
     }},
    {"remove-schemas",
     [](const Json& j) { return Wrap<update::RemoveSchemas>(json::GetIntList(j, "schema-ids")); }},
    {"add-encryption-key",
     [](const Json& j) {
       return ReadObject<update::AddEncryptionKey>(j, "encryption-key", EncryptedKeyFromJson);
     }},
    {"remove-encryption-key",
     [](const Json& j) { return Wrap<update::RemoveEncryptionKey>(json::GetString(j, "key-id")); }},
};

Json Write(const requirement::AssertCreate&) { return {{"type", "assert-create"}}; }
Json Write(const requirement::AssertTableUuid& r) {
  return {{"type", "assert-table-uuid"}, {"uuid", r.uuid}};
}
Json Write(const requirement::AssertRefSnapshotId& r) {
  return {{"type", "assert-ref-snapshot-id"},
          {"ref", r.ref},
          {"snapshot-id", r.snapshot_id ? Json(*r.snapshot_id) : Json(nullptr)}};
}
Json Write(const requirement::AssertLastAssignedFieldId& r) {
  return {{"type", "assert-last-assigned-field-id"},
          {"last-assigned-field-id", r.last_assigned_field_id}};
}
Json Write(const requirement::AssertCurrentSchemaId& r) {
  return {{"type", "assert-current-schema-id"}, {"current-schema-id", r.schema_id}};
}
Json Write(const requirement::AssertLastAssignedPartitionId& r) {
  return {{"type", "assert-last-assigned-partition-id"},
          {"last-assigned-partition-id", r.last_assigned_partition_id}};
}
Json Write(const requirement::AssertDefaultSpecId& r) {
  return {{"type", "assert-default-spec-id"}, {"default-spec-id", r.spec_id}};
}
Json Write(const requirement::AssertDefaultSortOrderId& r) {
  return {{"type", "assert-default-sort-order-id"}, {"default-sort-order-id", r.sort_order_id}};
}

template <typename Requirement>
Result<TableRequirement> ReadId(const Json& json, std::string_view key) {
  ASSIGN_OR_RETURN(int32_t id, json::GetInt(json, key));
  return TableRequirement(Requirement{id});
}

}  // namespace

Json ToJson(const TableUpdate& update) {
  return std::visit([](const auto& u) { return Write(u); }, update);
}

Json ToJson(const TableRequirement& requirement) {
  return std::visit([](const auto& r) { return Write(r); }, requirement);
}

Result<TableUpdate> TableUpdateFromJson(const Json& json) {
  ASSIGN_OR_RETURN(std::string action, json::GetString(json, "action"));
  for (const Reader& reader : kReaders) {
    if (reader.action == action) return reader.read(json);
  }
  return Bad("Cannot parse metadata update. Missing or invalid action: " + action);
}

Result<TableRequirement> TableRequirementFromJson(const Json& json) {
  ASSIGN_OR_RETURN(std::string type, json::GetString(json, "type"));
  if (type == "assert-create") return TableRequirement(requirement::AssertCreate{});
  if (type == "assert-table-uuid" || type == "assert-view-uuid") {
    ASSIGN_OR_RETURN(std::string uuid, json::GetString(json, "uuid"));
    return TableRequirement(requirement::AssertTableUuid{std::move(uuid)});
  }
  if (type == "assert-ref-snapshot-id") {
    ASSIGN_OR_RETURN(std::string ref, json::GetString(json, "ref"));
    ASSIGN_OR_RETURN(std::optional<int64_t> id, json::FindLong(json, "snapshot-id"));
    return TableRequirement(requirement::AssertRefSnapshotId{std::move(ref), id});
  }
  using namespace requirement;
  if (type == "assert-last-assigned-field-id")
    return ReadId<AssertLastAssignedFieldId>(json, "last-assigned-field-id");
  if (type == "assert-current-schema-id")
    return ReadId<AssertCurrentSchemaId>(json, "current-schema-id");
  if (type == "assert-last-assigned-partition-id") {
    return ReadId<AssertLastAssignedPartitionId>(json, "last-assigned-partition-id");
  }
  if (type == "assert-default-spec-id") return ReadId<AssertDefaultSpecId>(json, "default-spec-id");
  if (type == "assert-default-sort-order-id")
    return ReadId<AssertDefaultSortOrderId>(json, "default-sort-order-id");
  return Bad("Cannot parse update requirement. Invalid type: " + type);
}

}  // namespace iceblink::spec
