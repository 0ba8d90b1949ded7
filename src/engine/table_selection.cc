#include "engine/table_selection.h"

#include <charconv>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "table/snapshots.h"

namespace iceblink::engine {
namespace {

using plan::RelationRequest;
using plan::TableRef;

// Digits only, as the selectors' patterns ask.
std::optional<int64_t> Digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return ParseInt64(text);
}

bool HasTimeTravel(const RelationRequest& request) {
  return request.version.has_value() || request.timestamp_micros.has_value();
}

Status CheckCombination(const Selector& selector, const RelationRequest& request) {
  if (!HasTimeTravel(request)) return {};
  switch (selector.kind) {
    case Selector::Kind::kBranch: return IllegalArgument("Can't time travel in branch");
    case Selector::Kind::kChanges: return IllegalArgument("Can't time travel in changelog");
    case Selector::Kind::kTag:
    case Selector::Kind::kSnapshotId:
    case Selector::Kind::kTimestamp:
      return IllegalArgument("Can't time travel using selector and Spark time travel spec at the same time");
    case Selector::Kind::kMetadataTable: return {};
  }
  return {};
}

void ApplyVersion(TableRef& table, table::ResolvedVersion version, bool time_travel) {
  table.snapshot_id = version.snapshot_id;
  table.schema = std::make_shared<const spec::Schema>(std::move(version.schema));
  table.time_travel = time_travel;
}

Status ApplyBranch(TableRef& table, const std::string& branch, bool for_write) {
  const spec::Snapshot* head = table.metadata->SnapshotOfRef(branch);
  if (head == nullptr && branch != spec::kMainBranch) return Validation("Cannot use branch (does not exist): " + branch);
  if (const spec::SnapshotRef* ref = table.metadata->Ref(branch); ref != nullptr && !ref->is_branch() && for_write) {
    return IllegalArgument(branch + " is a tag, not a branch. Tags cannot be targets for producing snapshots");
  }
  table.branch = branch;
  table.snapshot_id = head == nullptr ? std::nullopt : std::optional(head->snapshot_id);
  return {};
}

Status ApplyTimeTravel(TableRef& table, const RelationRequest& request) {
  if (request.version) {
    ASSIGN_OR_RETURN(table::ResolvedVersion version, table::ResolveVersion(*table.metadata, *request.version));
    bool branch = version.ref.has_value() && !version.is_tag;
    if (branch) table.branch = version.ref;
    ApplyVersion(table, std::move(version), true);
    return {};
  }
  int64_t millis = *request.timestamp_micros / 1000;
  ASSIGN_OR_RETURN(int64_t id, table::ResolveTimestamp(*table.metadata, millis));
  ASSIGN_OR_RETURN(table::ResolvedVersion version, table::ResolveSnapshotId(*table.metadata, id));
  ApplyVersion(table, std::move(version), true);
  return {};
}

Status ApplySelector(TableRef& table, const Selector& selector, bool for_write) {
  switch (selector.kind) {
    case Selector::Kind::kBranch: return ApplyBranch(table, selector.name, for_write);
    case Selector::Kind::kTag: {
      const spec::SnapshotRef* ref = table.metadata->Ref(selector.name);
      if (ref == nullptr) return IllegalArgument("Cannot find matching snapshot ID or reference name for version " + selector.name);
      ASSIGN_OR_RETURN(table::ResolvedVersion version, table::ResolveVersion(*table.metadata, selector.name));
      ApplyVersion(table, std::move(version), true);
      return {};
    }
    case Selector::Kind::kSnapshotId: {
      ASSIGN_OR_RETURN(table::ResolvedVersion version, table::ResolveSnapshotId(*table.metadata, selector.number));
      ApplyVersion(table, std::move(version), true);
      return {};
    }
    case Selector::Kind::kTimestamp: {
      ASSIGN_OR_RETURN(int64_t id, table::ResolveTimestamp(*table.metadata, selector.number));
      ASSIGN_OR_RETURN(table::ResolvedVersion version, table::ResolveSnapshotId(*table.metadata, id));
      ApplyVersion(table, std::move(version), true);
      return {};
    }
    case Selector::Kind::kMetadataTable:
    case Selector::Kind::kChanges: return {};
  }
  return {};
}

// Read options that Iceberg took once and refuses now.
Status RefuseOldOptions(const RelationRequest& request) {
  struct Old {
    std::string_view option, unit, instead, form;
  };
  static constexpr Old kOld[] = {{"snapshot-id", "", "versionAsOf", ""},
                                 {"as-of-timestamp", " (in millis)", "timestampAsOf", " (properly formatted timestamp)"},
                                 {"tag", "", "versionAsOf", ""}};
  for (const Old& old : kOld) {
    if (request.options.count(std::string(old.option)) == 0) continue;
    return IllegalArgument("Time travel option `" + std::string(old.option) + "`" + std::string(old.unit) +
                           " is no longer supported, use Spark built-in `" + std::string(old.instead) + "` instead" +
                           std::string(old.form));
  }
  return {};
}

Result<std::optional<int64_t>> NumberOption(const RelationRequest& request, const std::string& key) {
  auto at = request.options.find(key);
  if (at == request.options.end()) return std::optional<int64_t>();
  auto number = ParseInt64(at->second);
  if (!number) {
    return Fail(ErrorCode::kInvalidArgument, "For input string: \"" + at->second + "\"", "NumberFormatException");
  }
  return number;
}

Status BothBounds(std::string_view id, std::string_view time) {
  return IllegalArgument("Cannot set both " + std::string(id) + " and " + std::string(time) + " for changelogs");
}

// The range of a changelog by times: from the oldest snapshot at or after the first, to the newest at or before the last.
Status ApplyTimes(TableRef& table, std::optional<int64_t> from_ms, std::optional<int64_t> to_ms,
                  std::optional<int64_t>& start) {
  if (from_ms && to_ms && *from_ms >= *to_ms) {
    return IllegalArgument("Cannot set start-timestamp to be greater than end-timestamp for changelogs");
  }
  if (to_ms) {
    std::optional<int64_t> newest;
    for (const spec::Snapshot* snapshot : table::AncestorsOf(*table.metadata, table.snapshot_id)) {
      if (snapshot->timestamp_ms > *to_ms) continue;
      newest = snapshot->snapshot_id;
      break;
    }
    table.snapshot_id = newest;
  }
  if (!from_ms || !table.snapshot_id) return {};
  const spec::Snapshot* oldest = table::OldestAncestorAtOrAfter(*table.metadata, *table.snapshot_id, *from_ms);
  if (oldest == nullptr) {
    table.snapshot_id.reset();  // nothing has happened since
  } else {
    start = oldest->timestamp_ms == *from_ms ? std::optional(oldest->snapshot_id) : oldest->parent_id;
  }
  return {};
}

Result<plan::ResolvedRelation> SelectChanges(TableRef table, const RelationRequest& request) {
  ASSIGN_OR_RETURN(std::optional<int64_t> start, NumberOption(request, "start-snapshot-id"));
  ASSIGN_OR_RETURN(std::optional<int64_t> end, NumberOption(request, "end-snapshot-id"));
  ASSIGN_OR_RETURN(std::optional<int64_t> from_ms, NumberOption(request, "start-timestamp"));
  ASSIGN_OR_RETURN(std::optional<int64_t> to_ms, NumberOption(request, "end-timestamp"));
  if (start && from_ms) return Fail(BothBounds("start-snapshot-id", "start-timestamp").error());
  if (end && to_ms) return Fail(BothBounds("end-snapshot-id", "end-timestamp").error());
  if (end) table.snapshot_id = end;
  RETURN_IF_ERROR(ApplyTimes(table, from_ms, to_ms, start));
  return plan::ChangelogTable{std::move(table), start};
}

Result<plan::ResolvedRelation> SelectMetadata(TableRef table, table::MetadataTableKind kind, const RelationRequest& request) {
  if (HasTimeTravel(request)) {
    if (table::MetadataTableTimeTravel(kind) == table::TimeTravel::kRefused) {
      return Fail(ErrorCode::kUnsupported,
                  "Cannot select snapshot in table: " + AsciiUpper(table::MetadataTableName(kind)), "UnsupportedOperationException");
    }
    RETURN_IF_ERROR(ApplyTimeTravel(table, request));
  }
  return plan::MetadataTable{std::move(table), kind};
}

// The session's branch, for plain names of tables that take part in write-audit-publish.
Status ApplyWapBranch(TableRef& table, const RelationRequest& request, const Configuration& configuration) {
  WapSettings wap = WapSettingsOf(*table.metadata, configuration);
  if (request.for_write && !wap.id.empty() && !wap.branch.empty()) {
    return Validation("Cannot set both WAP ID and branch, but got ID [" + wap.id + "] and branch [" + wap.branch + "]");
  }
  if (wap.branch.empty()) return {};
  if (table.metadata->Ref(wap.branch) != nullptr) return ApplyBranch(table, wap.branch, request.for_write);
  if (request.for_write) table.branch = wap.branch;  // made by the first commit, on top of main
  return {};
}

}  // namespace

std::optional<Selector> ParseSelector(std::string_view part) {
  if (auto kind = table::ParseMetadataTableKind(part)) return Selector{Selector::Kind::kMetadataTable, {}, 0, *kind};
  if (EqualsIgnoreCase(part, "changes")) return Selector{Selector::Kind::kChanges, {}, 0, {}};
  struct Named {
    std::string_view prefix;
    Selector::Kind kind;
    bool number;
  };
  static constexpr Named kNamed[] = {{"branch_", Selector::Kind::kBranch, false},
                                     {"tag_", Selector::Kind::kTag, false},
                                     {"snapshot_id_", Selector::Kind::kSnapshotId, true},
                                     {"at_timestamp_", Selector::Kind::kTimestamp, true}};
  for (const Named& named : kNamed) {
    if (!part.starts_with(named.prefix)) continue;
    std::string_view rest = part.substr(named.prefix.size());
    if (!named.number) return Selector{named.kind, std::string(rest), 0, {}};
    if (auto digits = Digits(rest)) return Selector{named.kind, {}, *digits, {}};
  }
  return std::nullopt;
}

WapSettings WapSettingsOf(const spec::TableMetadata& metadata, const Configuration& configuration) {
  if (!EqualsIgnoreCase(metadata.Property("write.wap.enabled", "false"), "true")) return {};
  return {configuration.Get("spark.wap.id", ""), configuration.Get("spark.wap.branch", "")};
}

Result<plan::ResolvedRelation> SelectState(TableRef table, const Selector* selector, const RelationRequest& request,
                                           const Configuration& configuration) {
  RETURN_IF_ERROR(RefuseOldOptions(request));
  if (selector != nullptr) {
    RETURN_IF_ERROR(CheckCombination(*selector, request));
    if (selector->kind == Selector::Kind::kChanges) return SelectChanges(std::move(table), request);
    if (selector->kind == Selector::Kind::kMetadataTable) {
      return SelectMetadata(std::move(table), selector->metadata_table, request);
    }
    RETURN_IF_ERROR(ApplySelector(table, *selector, request.for_write));
    return plan::DataTable{std::move(table), std::nullopt};
  }
  if (HasTimeTravel(request)) {
    RETURN_IF_ERROR(ApplyTimeTravel(table, request));
  } else if (auto branch = request.options.find("branch"); branch != request.options.end()) {
    RETURN_IF_ERROR(ApplyBranch(table, branch->second, request.for_write));
  } else {
    RETURN_IF_ERROR(ApplyWapBranch(table, request, configuration));
  }
  ASSIGN_OR_RETURN(std::optional<int64_t> start, NumberOption(request, "start-snapshot-id"));
  ASSIGN_OR_RETURN(std::optional<int64_t> end, NumberOption(request, "end-snapshot-id"));
  if (end && !start) {
    return IllegalArgument("Cannot set only `end-snapshot-id` for incremental scans. Please, set `start-snapshot-id` too.");
  }
  if (end) table.snapshot_id = end;
  return plan::DataTable{std::move(table), start};
}

}  // namespace iceblink::engine
