// Walking a table's history: ancestors, windows, time travel. Pure functions of table metadata;
// returned pointers point into it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::table {

using spec::Snapshot;
using spec::TableMetadata;

// Returns the snapshot and its ancestors, newest first, as far as the metadata knows them. Empty
// for an unknown id.
std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata,
                                         std::optional<int64_t> snapshot_id);

// Returns whether `ancestor` is the snapshot or one of its known ancestors.
bool IsAncestorOf(const TableMetadata& metadata, int64_t snapshot_id, int64_t ancestor);
// Returns whether some known ancestor of the snapshot (itself included) has `ancestor` as its
// parent; the parent itself may be expired.
bool IsParentAncestorOf(const TableMetadata& metadata, int64_t snapshot_id, int64_t ancestor);

// Returns the ancestors of `latest` down to but without `oldest`, newest first; all of them when
// `oldest` is absent.
std::vector<const Snapshot*> AncestorsBetween(const TableMetadata& metadata, int64_t latest,
                                              std::optional<int64_t> oldest);

// Returns what a commit based on `starting` must be checked against: the ancestors of `parent`
// after it, newest first. Empty when `parent` is absent. Error: ValidationException "Cannot
// determine history between starting snapshot %s and the last known ancestor %s" when the walk ends
// at an expired snapshot.
Result<std::vector<const Snapshot*>> HistoryWindow(const TableMetadata& metadata,
                                                   std::optional<int64_t> starting,
                                                   std::optional<int64_t> parent);

// Returns the append snapshots after `after` (exclusive) up to `end` (inclusive), oldest first;
// other operations are left out. Error: IllegalArgumentException "Starting snapshot (exclusive) %s
// is not a parent ancestor of end snapshot %s".
Result<std::vector<const Snapshot*>> AppendsBetween(const TableMetadata& metadata, int64_t after,
                                                    int64_t end);
// The same with every operation but `replace`, as the changelog scan takes them; `after` absent:
// from the first.
Result<std::vector<const Snapshot*>> ChangesBetween(const TableMetadata& metadata,
                                                    std::optional<int64_t> after, int64_t end);

// Returns the snapshot that was current at the time according to the snapshot log, or nothing.
std::optional<int64_t> SnapshotIdAsOf(const TableMetadata& metadata, int64_t timestamp_ms);
// Error: IllegalArgumentException "Cannot find a snapshot older than %s" with the time in ISO form.
Result<int64_t> ResolveTimestamp(const TableMetadata& metadata, int64_t timestamp_ms);

// Returns the oldest known ancestor of `snapshot_id` whose time is at or after `timestamp_ms`, or
// null.
const Snapshot* OldestAncestorAtOrAfter(const TableMetadata& metadata, int64_t snapshot_id,
                                        int64_t timestamp_ms);

// One state of a table, and the schema its rows are read with.
struct ResolvedVersion {
  int64_t snapshot_id = 0;
  std::optional<std::string> ref;  // name, when resolved by name
  bool is_tag = false;
  spec::Schema schema;  // branch: the current one; tag and snapshot id: the snapshot's
};

// Resolves the text of VERSION AS OF: a number is a snapshot id, anything else (and a number that
// is no id but a ref) a ref. Errors, IllegalArgumentException: "Cannot find snapshot with ID %s",
// "Cannot find matching snapshot ID or reference name for version %s".
Result<ResolvedVersion> ResolveVersion(const TableMetadata& metadata, std::string_view version);
// Resolves a snapshot id. Error: as above.
Result<ResolvedVersion> ResolveSnapshotId(const TableMetadata& metadata, int64_t snapshot_id);
// Resolves the selector branch_<name> or tag_<name>. A branch selector reads a tag as if it were a
// branch, and the other way round each ref keeps its own rule. Errors: ValidationException "Cannot
// use branch (does not exist): %s"; for tags as ResolveVersion.
Result<ResolvedVersion> ResolveRef(const TableMetadata& metadata, std::string_view name,
                                   spec::RefType type);

}  // namespace iceblink::table
