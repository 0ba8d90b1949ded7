#include "spec/view_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/uuid.h"
#include "spec/properties.h"
#include "spec/updates.h"

namespace iceblink::spec {
namespace {

auto Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}
auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

std::vector<std::string> Dialects(const ViewVersion& version) {
  std::vector<std::string> out;
  for (const ViewRepresentation& representation : version.representations) {
    out.push_back(AsciiLower(representation.dialect));
  }
  return out;
}

bool SameVersion(const ViewVersion& a, const ViewVersion& b) {
  return a.summary == b.summary && a.representations == b.representations &&
         a.default_catalog == b.default_catalog && a.default_namespace == b.default_namespace &&
         a.schema_id == b.schema_id;
}

// Applies view updates one by one (Java's ViewMetadata.Builder).
class Builder {
 public:
  Builder(const ViewMetadata* base, int64_t now_ms) : base_(base), now_ms_(now_ms) {
    if (base != nullptr) {
      out_ = *base;
    } else {
      out_.current_version_id = 0;
    }
  }

  Status Apply(const ViewUpdate& update) {
    return std::visit([this](const auto& u) { return On(u); }, update);
  }

  Result<ViewMetadata> Build() {
    if (out_.versions.empty()) return Invalid("Invalid view: no versions were added");
    if (out_.VersionById(out_.current_version_id) == nullptr) {
      return Invalid(
          fmt::format("Cannot find current version {} in view versions", out_.current_version_id));
    }
    if (log_entry_) out_.version_log.push_back(*log_entry_);
    RETURN_IF_ERROR(CheckDialects());
    RETURN_IF_ERROR(Expire());
    if (out_.uuid.empty()) out_.uuid = NewUuid();
    return std::move(out_);
  }

 private:
  Status On(const ViewAssignUuid& u) {
    if (!out_.uuid.empty() && !EqualsIgnoreCase(out_.uuid, u.uuid))
      return Invalid("Cannot reassign uuid");
    if (out_.uuid.empty()) out_.uuid = u.uuid;
    return {};
  }
  Status On(const ViewUpgradeFormatVersion& u) {
    if (u.format_version < out_.format_version) {
      return Invalid(
          fmt::format("Cannot downgrade v{} view to v{}", out_.format_version, u.format_version));
    }
    if (u.format_version > 1)
      return Invalid(fmt::format("Unsupported format version: {}", u.format_version));
    return {};
  }
  Status On(const ViewAddSchema& u) {
    int32_t id = 0;
    for (const Schema& known : out_.schemas) {
      if (known.SameSchema(u.schema)) {
        last_schema_ = known.schema_id();
        return {};
      }
      id = std::max(id, known.schema_id() + 1);
    }
    RETURN_IF_ERROR(ValidateSchema(u.schema));
    out_.schemas.push_back(u.schema.WithId(id));
    last_schema_ = id;
    return {};
  }
  Status On(const update::AddViewVersion& u);
  Status On(const update::SetCurrentViewVersion& u);
  Status On(const ViewSetLocation& u) {
    out_.location = u.location;
    return {};
  }
  Status On(const ViewSetProperties& u) {
    for (const auto& [key, value] : u.updates) out_.properties[key] = value;
    return {};
  }
  Status On(const ViewRemoveProperties& u) {
    for (const std::string& key : u.removals) out_.properties.erase(key);
    return {};
  }

  Status CheckDialects() const;
  Status Expire();

  const ViewMetadata* base_;
  ViewMetadata out_;
  int64_t now_ms_;
  std::optional<int32_t> last_schema_;
  std::optional<int32_t> last_version_;
  std::set<int32_t> added_versions_;
  std::optional<ViewLogEntry> log_entry_;
};

Status Builder::On(const update::AddViewVersion& u) {
  ViewVersion version = u.version;
  if (version.schema_id == update::kLastAdded) {
    if (!last_schema_) return NotValid("Cannot set last added schema: no schema has been added");
    version.schema_id = *last_schema_;
  }
  for (const ViewVersion& known : out_.versions) {
    if (SameVersion(known, version)) {
      last_version_ = known.version_id;
      return {};
    }
    version.version_id = std::max(version.version_id, known.version_id + 1);
  }
  if (out_.SchemaById(version.schema_id) == nullptr) {
    return Invalid(fmt::format("Cannot add version with unknown schema: {}", version.schema_id));
  }
  std::set<std::string> seen;
  for (const std::string& dialect : Dialects(version)) {
    if (!seen.insert(dialect).second) {
      return Invalid("Invalid view version: Cannot add multiple queries for dialect " + dialect);
    }
  }
  last_version_ = version.version_id;
  added_versions_.insert(version.version_id);
  out_.versions.push_back(std::move(version));
  return {};
}

Status Builder::On(const update::SetCurrentViewVersion& u) {
  bool last = u.version_id == update::SetCurrentViewVersion::kLastAddedVersion;
  if (last && !last_version_)
    return NotValid("Cannot set last version id: no current version id has been set");
  int32_t id = last ? *last_version_ : u.version_id;
  if (id == out_.current_version_id) return {};
  const ViewVersion* version = out_.VersionById(id);
  if (version == nullptr)
    return Invalid(fmt::format("Cannot set current version to unknown version: {}", id));
  out_.current_version_id = id;
  log_entry_ = ViewLogEntry{added_versions_.contains(id) ? version->timestamp_ms : now_ms_, id};
  return {};
}

Status Builder::CheckDialects() const {
  if (base_ == nullptr || BoolProperty(out_.properties, "replace.drop-dialect.allowed")) return {};
  if (base_->current_version_id == out_.current_version_id) return {};
  std::vector<std::string> before = Dialects(base_->version());
  std::vector<std::string> after = Dialects(out_.version());
  for (const std::string& dialect : before) {
    if (std::find(after.begin(), after.end(), dialect) != after.end()) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot replace view due to loss of view dialects "
                            "(replace.drop-dialect.allowed=false):\n"
                            "Previous dialects: [{}]\nNew dialects: [{}]",
                            fmt::join(before, ", "), fmt::join(after, ", ")),
                "IllegalStateException");
  }
  return {};
}

// Keeps the newest versions by id, the current one always; the log restarts after an entry of a
// dropped version.
Status Builder::Expire() {
  ASSIGN_OR_RETURN(int64_t history, IntProperty(out_.properties, "version.history.num-entries"));
  if (history <= 0) {
    return Invalid(fmt::format("version.history.num-entries must be positive but was {}", history));
  }
  size_t keep = std::max(static_cast<size_t>(history), added_versions_.size());
  if (out_.versions.size() <= keep) return {};
  std::vector<int32_t> ids;
  for (const ViewVersion& version : out_.versions) ids.push_back(version.version_id);
  std::sort(ids.rbegin(), ids.rend());
  std::set<int32_t> kept = {out_.current_version_id};
  for (int32_t id : ids) {
    if (kept.size() < keep) kept.insert(id);
  }
  std::erase_if(out_.versions,
                [&](const ViewVersion& version) { return !kept.contains(version.version_id); });
  std::vector<ViewLogEntry> log;
  for (const ViewLogEntry& entry : out_.version_log) {
    if (kept.contains(entry.version_id)) {
      log.push_back(entry);
    } else {
      log.clear();
    }
  }
  out_.version_log = std::move(log);
  return {};
}

}  // namespace

const ViewRepresentation* ViewVersion::ForDialect(std::string_view dialect) const {
  for (const ViewRepresentation& representation : representations) {
    if (EqualsIgnoreCase(representation.dialect, dialect)) return &representation;
  }
  return nullptr;
}

const Schema& ViewMetadata::schema() const { return *SchemaById(version().schema_id); }
const ViewVersion& ViewMetadata::version() const { return *VersionById(current_version_id); }

const Schema* ViewMetadata::SchemaById(int32_t id) const {
  auto it = std::find_if(schemas.begin(), schemas.end(),
                         [id](const Schema& s) { return s.schema_id() == id; });
  return it == schemas.end() ? nullptr : &*it;
}

const ViewVersion* ViewMetadata::VersionById(int32_t id) const {
  auto it = std::find_if(versions.begin(), versions.end(),
                         [id](const ViewVersion& v) { return v.version_id == id; });
  return it == versions.end() ? nullptr : &*it;
}

Result<ViewMetadata> ApplyViewUpdates(const ViewMetadata* base, std::span<const ViewUpdate> updates,
                                      int64_t now_ms) {
  Builder builder(base, now_ms);
  for (const ViewUpdate& update : updates) RETURN_IF_ERROR(builder.Apply(update));
  return builder.Build();
}

}  // namespace iceblink::spec
