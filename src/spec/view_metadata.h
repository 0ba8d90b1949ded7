// View metadata (format version 1) as a plain value, its JSON, and the pure functions that create
// and replace versions.
#pragma once

#include <variant>

#include "spec/table_metadata.h"

namespace iceblink::spec {

struct ViewRepresentation {
  std::string type = "sql";
  std::string sql;
  std::string dialect;
  friend bool operator==(const ViewRepresentation&, const ViewRepresentation&) = default;
};

struct ViewVersion {
  int32_t version_id = 1;
  int64_t timestamp_ms = 0;
  int32_t schema_id = 0;
  std::map<std::string, std::string> summary;
  std::vector<ViewRepresentation> representations;
  std::optional<std::string> default_catalog;
  std::vector<std::string> default_namespace;

  // Returns the representation of the dialect (any case), or null.
  const ViewRepresentation* ForDialect(std::string_view dialect) const;
  friend bool operator==(const ViewVersion&, const ViewVersion&) = default;
};

struct ViewLogEntry {
  int64_t timestamp_ms = 0;
  int32_t version_id = 0;
  friend bool operator==(const ViewLogEntry&, const ViewLogEntry&) = default;
};

struct ViewMetadata {
  int32_t format_version = 1;
  std::string uuid;
  std::string location;
  std::vector<Schema> schemas;
  int32_t current_version_id = 1;
  std::vector<ViewVersion> versions;
  std::vector<ViewLogEntry> version_log;
  std::map<std::string, std::string> properties;
  std::string metadata_file_location;  // not part of the JSON

  const Schema& schema() const;        // of the current version
  const ViewVersion& version() const;  // current
  const Schema* SchemaById(int32_t id) const;
  const ViewVersion* VersionById(int32_t id) const;
  friend bool operator==(const ViewMetadata&, const ViewMetadata&) = default;
};

Result<ViewMetadata> ParseViewMetadata(std::string_view json,
                                       std::string metadata_file_location = {});
std::string SerializeViewMetadata(const ViewMetadata& metadata, int indent = 0);

namespace update {
struct AddViewVersion {
  ViewVersion version;  // schema id kLastAdded: the schema added last
};
struct SetCurrentViewVersion {
  int32_t version_id = kLastAddedVersion;
  static constexpr int32_t kLastAddedVersion = -1;
};
}  // namespace update

struct ViewAddSchema {
  Schema schema;
};
struct ViewAssignUuid {
  std::string uuid;
};
struct ViewUpgradeFormatVersion {
  int32_t format_version = 1;
};
struct ViewSetLocation {
  std::string location;
};
struct ViewSetProperties {
  std::map<std::string, std::string> updates;
};
struct ViewRemoveProperties {
  std::vector<std::string> removals;
};
using ViewUpdate = std::variant<ViewAssignUuid, ViewUpgradeFormatVersion, ViewAddSchema,
                                update::AddViewVersion, update::SetCurrentViewVersion,
                                ViewSetLocation, ViewSetProperties, ViewRemoveProperties>;

// Returns the view after the updates; `base` is null for a new view. Equal versions reuse their
// ids, old versions beyond version.history.num-entries are dropped, lost dialects are refused.
Result<ViewMetadata> ApplyViewUpdates(const ViewMetadata* base, std::span<const ViewUpdate> updates,
                                      int64_t now_ms);

}  // namespace iceblink::spec
