#include "table/snapshots.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/datetime.h"
#include "base/strings.h"

namespace iceblink::table {
namespace {

auto InvalidArgument(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
}

const Snapshot* Parent(const TableMetadata& metadata, const Snapshot& snapshot) {
  return snapshot.parent_id ? metadata.SnapshotById(*snapshot.parent_id) : nullptr;
}

// Calls `visit` for the snapshot and its known ancestors until it answers false.
template <typename Visit>
void WalkBack(const TableMetadata& metadata, std::optional<int64_t> id, Visit visit) {
  const Snapshot* at = id ? metadata.SnapshotById(*id) : nullptr;
  // A cycle, which only corrupt metadata has, ends after as many steps as there are snapshots.
  for (size_t steps = metadata.snapshots.size(); at != nullptr && steps > 0; steps--) {
    if (!visit(*at)) return;
    at = Parent(metadata, *at);
  }
}

std::string OperationOf(const Snapshot& snapshot) { return snapshot.operation.value_or(""); }

// The snapshots after `after` up to `end` that `keep` likes, oldest first.
template <typename Keep>
Result<std::vector<const Snapshot*>> Between(const TableMetadata& metadata,
                                             std::optional<int64_t> after, int64_t end, Keep keep) {
  if (after && !IsParentAncestorOf(metadata, end, *after)) {
    return InvalidArgument(
        fmt::format("Starting snapshot (exclusive) {} is not a parent ancestor of end snapshot {}",
                    *after, end));
  }
  std::vector<const Snapshot*> found;
  for (const Snapshot* snapshot : AncestorsBetween(metadata, end, after)) {
    if (keep(*snapshot)) found.push_back(snapshot);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

ResolvedVersion AtSnapshot(const TableMetadata& metadata, const Snapshot& snapshot) {
  return {snapshot.snapshot_id, std::nullopt, false, metadata.SchemaOfSnapshot(snapshot)};
}

Result<ResolvedVersion> AtRef(const TableMetadata& metadata, std::string_view name,
                              const spec::SnapshotRef& ref) {
  const Snapshot* snapshot = metadata.SnapshotById(ref.snapshot_id);
  if (snapshot == nullptr)
    return InvalidArgument(fmt::format("Cannot find snapshot with ID {}", ref.snapshot_id));
  ResolvedVersion version = AtSnapshot(metadata, *snapshot);
  version.ref = std::string(name);
  version.is_tag = !ref.is_branch();
  if (ref.is_branch()) version.schema = metadata.schema();
  return version;
}

}  // namespace

std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata,
                                         std::optional<int64_t> snapshot_id) {
  std::vector<const Snapshot*> ancestors;
  WalkBack(metadata, snapshot_id, [&](const Snapshot& s) {
    ancestors.push_back(&s);
    return true;
  });
  return ancestors;
}

bool IsAncestorOf(const TableMetadata& metadata, int64_t snapshot_id, int64_t ancestor) {
  bool found = false;
  WalkBack(metadata, snapshot_id, [&](const Snapshot& s) {
    found = s.snapshot_id == ancestor;
    return !found;
  });
  return found;
}

bool IsParentAncestorOf(const TableMetadata& metadata, int64_t snapshot_id, int64_t ancestor) {
  bool found = false;
  WalkBack(metadata, snapshot_id, [&](const Snapshot& s) {
    found = s.parent_id == ancestor;
    return !found;
  });
  return found;
}

std::vector<const Snapshot*> AncestorsBetween(const TableMetadata& metadata, int64_t latest,
                                              std::optional<int64_t> oldest) {
  std::vector<const Snapshot*> between;
  WalkBack(metadata, latest, [&](const Snapshot& s) {
    if (s.snapshot_id == oldest) return false;
    between.push_back(&s);
    return true;
  });
  return between;
}

Result<std::vector<const Snapshot*>> HistoryWindow(const TableMetadata& metadata,
                                                   std::optional<int64_t> starting,
                                                   std::optional<int64_t> parent) {
  if (!parent) return std::vector<const Snapshot*>{};
  std::vector<const Snapshot*> window = AncestorsBetween(metadata, *parent, starting);
  const std::optional<int64_t> end = window.empty() ? parent : window.back()->parent_id;
  if (end == starting) return window;
  return Fail(
      ErrorCode::kConflict,
      fmt::format(
          "Cannot determine history between starting snapshot {} and the last known ancestor {}",
          starting ? std::to_string(*starting) : "null",
          window.empty() ? "null" : std::to_string(window.back()->snapshot_id)),
      "ValidationException");
}

Result<std::vector<const Snapshot*>> AppendsBetween(const TableMetadata& metadata, int64_t after,
                                                    int64_t end) {
  return Between(metadata, after, end,
                 [](const Snapshot& s) { return OperationOf(s) == spec::operation::kAppend; });
}

Result<std::vector<const Snapshot*>> ChangesBetween(const TableMetadata& metadata,
                                                    std::optional<int64_t> after, int64_t end) {
  return Between(metadata, after, end,
                 [](const Snapshot& s) { return OperationOf(s) != spec::operation::kReplace; });
}

std::optional<int64_t> SnapshotIdAsOf(const TableMetadata& metadata, int64_t timestamp_ms) {
  std::optional<int64_t> id;
  for (const spec::SnapshotLogEntry& entry : metadata.snapshot_log) {
    if (entry.timestamp_ms <= timestamp_ms) id = entry.snapshot_id;
  }
  return id;
}

Result<int64_t> ResolveTimestamp(const TableMetadata& metadata, int64_t timestamp_ms) {
  if (const std::optional<int64_t> id = SnapshotIdAsOf(metadata, timestamp_ms)) return *id;
  return InvalidArgument("Cannot find a snapshot older than " +
                         FormatTimestamp(timestamp_ms * 1000, "+00:00"));
}

const Snapshot* OldestAncestorAtOrAfter(const TableMetadata& metadata, int64_t snapshot_id,
                                        int64_t timestamp_ms) {
  const Snapshot* oldest = nullptr;
  WalkBack(metadata, snapshot_id, [&](const Snapshot& s) {
    if (s.timestamp_ms < timestamp_ms) return false;
    oldest = &s;
    return true;
  });
  return oldest;
}

Result<ResolvedVersion> ResolveSnapshotId(const TableMetadata& metadata, int64_t snapshot_id) {
  if (const Snapshot* snapshot = metadata.SnapshotById(snapshot_id))
    return AtSnapshot(metadata, *snapshot);
  return InvalidArgument(fmt::format("Cannot find snapshot with ID {}", snapshot_id));
}

Result<ResolvedVersion> ResolveVersion(const TableMetadata& metadata, std::string_view version) {
  if (const std::optional<int64_t> id = ParseInt64(version))
    return ResolveSnapshotId(metadata, *id);
  if (const spec::SnapshotRef* ref = metadata.Ref(version)) return AtRef(metadata, version, *ref);
  return InvalidArgument(
      fmt::format("Cannot find matching snapshot ID or reference name for version {}", version));
}

Result<ResolvedVersion> ResolveRef(const TableMetadata& metadata, std::string_view name,
                                   spec::RefType type) {
  const spec::SnapshotRef* ref = metadata.Ref(name);
  if (type == spec::RefType::kTag) {
    if (ref != nullptr) return AtRef(metadata, name, *ref);
    return InvalidArgument(
        fmt::format("Cannot find matching snapshot ID or reference name for version {}", name));
  }
  if (ref == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot use branch (does not exist): {}", name), "ValidationException");
  }
  spec::SnapshotRef as_branch =
      *ref;  // a tag read through the branch selector has the current schema
  as_branch.type = spec::RefType::kBranch;
  return AtRef(metadata, name, as_branch);
}

}  // namespace iceblink::table
