// JSON of view metadata and view updates.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "spec/json.h"

namespace iceblink::spec {
namespace {

auto Bad(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "IllegalArgumentException");
}

Json StringMap(const std::map<std::string, std::string>& map) {
  return map.empty() ? Json::object() : Json(map);
}

Json Write(const ViewAssignUuid& u) { return {{"action", "assign-uuid"}, {"uuid", u.uuid}}; }
Json Write(const ViewUpgradeFormatVersion& u) {
  return {{"action", "upgrade-format-version"}, {"format-version", u.format_version}};
}
Json Write(const ViewAddSchema& u) {
  return {{"action", "add-schema"}, {"schema", ToJson(u.schema)}};
}
Json Write(const update::AddViewVersion& u) {
  return {{"action", "add-view-version"}, {"view-version", ToJson(u.version)}};
}
Json Write(const update::SetCurrentViewVersion& u) {
  return {{"action", "set-current-view-version"}, {"view-version-id", u.version_id}};
}
Json Write(const ViewSetLocation& u) {
  return {{"action", "set-location"}, {"location", u.location}};
}
Json Write(const ViewSetProperties& u) {
  return {{"action", "set-properties"}, {"updates", StringMap(u.updates)}};
}
Json Write(const ViewRemoveProperties& u) {
  return {{"action", "remove-properties"}, {"removals", u.removals}};
}

Result<ViewRepresentation> RepresentationFromJson(const Json& json) {
  ViewRepresentation out;
  ASSIGN_OR_RETURN(out.type, json::GetString(json, "type"));
  if (out.type != "sql") return out;  // other kinds are kept by type only, as in Java
  ASSIGN_OR_RETURN(out.sql, json::GetString(json, "sql"));
  ASSIGN_OR_RETURN(out.dialect, json::GetString(json, "dialect"));
  return out;
}

// View updates share their spelling with table updates wherever both exist.
Result<ViewUpdate> Convert(TableUpdate update) {
  if (auto* u = std::get_if<update::AssignUuid>(&update))
    return ViewUpdate(ViewAssignUuid{std::move(u->uuid)});
  if (auto* u = std::get_if<update::UpgradeFormatVersion>(&update)) {
    return ViewUpdate(ViewUpgradeFormatVersion{u->format_version});
  }
  if (auto* u = std::get_if<update::AddSchema>(&update))
    return ViewUpdate(ViewAddSchema{std::move(u->schema)});
  if (auto* u = std::get_if<update::SetLocation>(&update))
    return ViewUpdate(ViewSetLocation{std::move(u->location)});
  if (auto* u = std::get_if<update::SetProperties>(&update))
    return ViewUpdate(ViewSetProperties{std::move(u->updates)});
  if (auto* u = std::get_if<update::RemoveProperties>(&update)) {
    return ViewUpdate(ViewRemoveProperties{std::move(u->removals)});
  }
  return Bad("Cannot parse view update: the action belongs to tables");
}

}  // namespace

Json ToJson(const ViewVersion& version) {
  Json out = {{"version-id", version.version_id},
              {"timestamp-ms", version.timestamp_ms},
              {"schema-id", version.schema_id},
              {"summary", StringMap(version.summary)}};
  if (version.default_catalog) out["default-catalog"] = *version.default_catalog;
  out["default-namespace"] = version.default_namespace;
  Json& representations = out["representations"] = Json::array();
  for (const ViewRepresentation& representation : version.representations) {
    representations.push_back({{"type", representation.type},
                               {"sql", representation.sql},
                               {"dialect", representation.dialect}});
  }
  return out;
}

Result<ViewVersion> ViewVersionFromJson(const Json& json) {
  if (!json.is_object())
    return Bad("Cannot parse view version from a non-object: " + DumpJson(json));
  ViewVersion out;
  ASSIGN_OR_RETURN(out.version_id, json::GetInt(json, "version-id"));
  ASSIGN_OR_RETURN(out.timestamp_ms, json::GetLong(json, "timestamp-ms"));
  ASSIGN_OR_RETURN(out.schema_id, json::GetInt(json, "schema-id"));
  ASSIGN_OR_RETURN(out.summary, json::GetStringMap(json, "summary"));
  ASSIGN_OR_RETURN(out.default_catalog, json::FindString(json, "default-catalog"));
  ASSIGN_OR_RETURN(out.default_namespace, json::GetStringList(json, "default-namespace"));
  ASSIGN_OR_RETURN(const Json* representations, json::GetArray(json, "representations"));
  for (const Json& item : *representations) {
    ASSIGN_OR_RETURN(ViewRepresentation representation, RepresentationFromJson(item));
    out.representations.push_back(std::move(representation));
  }
  return out;
}

Json ToJson(const ViewMetadata& metadata) {
  Json out = {{"view-uuid", metadata.uuid},
              {"format-version", metadata.format_version},
              {"location", metadata.location}};
  if (!metadata.properties.empty()) out["properties"] = metadata.properties;
  Json& schemas = out["schemas"] = Json::array();
  for (const Schema& schema : metadata.schemas) schemas.push_back(ToJson(schema));
  out["current-version-id"] = metadata.current_version_id;
  Json& versions = out["versions"] = Json::array();
  for (const ViewVersion& version : metadata.versions) versions.push_back(ToJson(version));
  Json& log = out["version-log"] = Json::array();
  for (const ViewLogEntry& entry : metadata.version_log) {
    log.push_back({{"timestamp-ms", entry.timestamp_ms}, {"version-id", entry.version_id}});
  }
  return out;
}

Result<ViewMetadata> ViewMetadataFromJson(const Json& json, std::string metadata_file_location) {
  if (!json.is_object())
    return Bad("Cannot parse view metadata from a non-object: " + DumpJson(json).substr(0, 200));
  ViewMetadata out;
  ASSIGN_OR_RETURN(out.uuid, json::GetString(json, "view-uuid"));
  ASSIGN_OR_RETURN(out.format_version, json::GetInt(json, "format-version"));
  ASSIGN_OR_RETURN(out.location, json::GetString(json, "location"));
  if (json::Has(json, "properties")) {
    ASSIGN_OR_RETURN(out.properties, json::GetStringMap(json, "properties"));
  }
  ASSIGN_OR_RETURN(const Json* schemas, json::GetArray(json, "schemas"));
  for (const Json& item : *schemas) {
    ASSIGN_OR_RETURN(Schema schema, SchemaFromJson(item));
    out.schemas.push_back(std::move(schema));
  }
  ASSIGN_OR_RETURN(out.current_version_id, json::GetInt(json, "current-version-id"));
  ASSIGN_OR_RETURN(const Json* versions, json::GetArray(json, "versions"));
  for (const Json& item : *versions) {
    ASSIGN_OR_RETURN(ViewVersion version, ViewVersionFromJson(item));
    out.versions.push_back(std::move(version));
  }
  ASSIGN_OR_RETURN(const Json* log, json::GetArray(json, "version-log"));
  for (const Json& item : *log) {
    ViewLogEntry entry;
    ASSIGN_OR_RETURN(entry.timestamp_ms, json::GetLong(item, "timestamp-ms"));
    ASSIGN_OR_RETURN(entry.version_id, json::GetInt(item, "version-id"));
    out.version_log.push_back(entry);
  }
  const ViewVersion* current = out.VersionById(out.current_version_id);
  if (current == nullptr || out.SchemaById(current->schema_id) == nullptr) {
    return Bad(
        fmt::format("Cannot find current version {} in view versions", out.current_version_id));
  }
  out.metadata_file_location = std::move(metadata_file_location);
  return out;
}

Json ToJson(const ViewUpdate& update) {
  return std::visit([](const auto& u) { return Write(u); }, update);
}

Result<ViewUpdate> ViewUpdateFromJson(const Json& json) {
  ASSIGN_OR_RETURN(std::string action, json::GetString(json, "action"));
  if (action == "add-view-version") {
    ASSIGN_OR_RETURN(const Json* member, json::GetObject(json, "view-version"));
    ASSIGN_OR_RETURN(ViewVersion version, ViewVersionFromJson(*member));
    return ViewUpdate(update::AddViewVersion{std::move(version)});
  }
  if (action == "set-current-view-version") {
    ASSIGN_OR_RETURN(int32_t id, json::GetInt(json, "view-version-id"));
    return ViewUpdate(update::SetCurrentViewVersion{id});
  }
  ASSIGN_OR_RETURN(TableUpdate update, TableUpdateFromJson(json));
  return Convert(std::move(update));
}

Result<ViewMetadata> ParseViewMetadata(std::string_view text, std::string metadata_file_location) {
  ASSIGN_OR_RETURN(Json json, ParseJson(text, metadata_file_location));
  return ViewMetadataFromJson(json, std::move(metadata_file_location));
}

std::string SerializeViewMetadata(const ViewMetadata& metadata, int indent) {
  Json json = ToJson(metadata);
  return indent > 0 ? DumpJsonPretty(json) : DumpJson(json);
}

}  // namespace iceblink::spec
