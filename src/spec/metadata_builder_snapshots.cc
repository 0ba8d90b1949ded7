// The part of MetadataBuilder that deals with snapshots, refs and the snapshot log.
#include <fmt/format.h>

#include <algorithm>

#include "spec/metadata_builder.h"

namespace iceblink::spec {
namespace {

auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

}  // namespace

Status MetadataBuilder::CheckSnapshot(const Snapshot& snapshot) const {
  if (out_.schemas.empty())
    return NotValid("Attempting to add a snapshot before a schema is added");
  if (out_.specs.empty())
    return NotValid("Attempting to add a snapshot before a partition spec is added");
  if (out_.sort_orders.empty())
    return NotValid("Attempting to add a snapshot before a sort order is added");
  if (known_snapshots_.contains(snapshot.snapshot_id)) {
    return NotValid(fmt::format("Snapshot already exists for id: {}", snapshot.snapshot_id));
  }
  if (out_.format_version > 1 && snapshot.parent_id &&
      snapshot.sequence_number <= out_.last_sequence_number) {
    return NotValid(fmt::format(
        "Cannot add snapshot with sequence number {} older than last sequence number {}",
        snapshot.sequence_number, out_.last_sequence_number));
  }
  if (out_.format_version < 3) return {};
  if (!snapshot.first_row_id) return NotValid("Cannot add a snapshot: first-row-id is null");
  if (*snapshot.first_row_id < out_.next_row_id) {
    return NotValid(
        fmt::format("Cannot add a snapshot, first-row-id is behind table next-row-id: {} < {}",
                    *snapshot.first_row_id, out_.next_row_id));
  }
  return {};
}

Status MetadataBuilder::On(const update::AddSnapshot& u) {
  RETURN_IF_ERROR(CheckSnapshot(u.snapshot));
  updated_ms_ = u.snapshot.timestamp_ms;
  if (out_.format_version > 1) out_.last_sequence_number = u.snapshot.sequence_number;
  if (out_.format_version >= 3) out_.next_row_id += u.snapshot.added_rows.value_or(0);
  out_.snapshots.push_back(u.snapshot);
  known_snapshots_.insert(u.snapshot.snapshot_id);
  added_snapshots_.insert(u.snapshot.snapshot_id);
  changed_ = true;
  return {};
}

Status MetadataBuilder::On(const update::RemoveSnapshots& u) {
  std::set<int64_t> ids(u.snapshot_ids.begin(), u.snapshot_ids.end());
  size_t removed =
      std::erase_if(out_.snapshots, [&](const auto& s) { return ids.contains(s.snapshot_id); });
  if (removed == 0) return {};
  for (int64_t id : ids) known_snapshots_.erase(id);
  std::erase_if(out_.statistics, [&](const auto& file) { return ids.contains(file.snapshot_id); });
  std::erase_if(out_.partition_statistics,
                [&](const auto& file) { return ids.contains(file.snapshot_id); });
  std::vector<std::string> dangling;
  for (const auto& [name, ref] : out_.refs) {
    if (ids.contains(ref.snapshot_id)) dangling.push_back(name);
  }
  for (const std::string& name : dangling) RemoveRef(name);
  removed_snapshots_ = true;
  changed_ = true;
  return {};
}

Status MetadataBuilder::On(const update::SetSnapshotRef& u) {
  const SnapshotRef* existing = out_.Ref(u.name);
  if (existing != nullptr && *existing == u.ref) return {};
  if (u.name == kMainBranch && !u.ref.is_branch()) {
    return NotValid("Cannot set main to a tag, it must be a branch");
  }
  if (!known_snapshots_.contains(u.ref.snapshot_id)) {
    return NotValid(
        fmt::format("Cannot set {} to unknown snapshot: {}", u.name, u.ref.snapshot_id));
  }
  bool added = added_snapshots_.contains(u.ref.snapshot_id);
  if (added) updated_ms_ = out_.SnapshotById(u.ref.snapshot_id)->timestamp_ms;
  if (u.name == kMainBranch) {
    out_.current_snapshot_id = u.ref.snapshot_id;
    if (!updated_ms_) updated_ms_ = now_ms_;
    out_.snapshot_log.push_back(SnapshotLogEntry{*updated_ms_, u.ref.snapshot_id});
    if (added) main_heads_.push_back(u.ref.snapshot_id);
  }
  out_.refs[u.name] = u.ref;
  changed_ = true;
  return {};
}

void MetadataBuilder::RemoveRef(const std::string& name) {
  if (name == kMainBranch) out_.current_snapshot_id.reset();
  changed_ |= out_.refs.erase(name) > 0;
}

Status MetadataBuilder::On(const update::RemoveSnapshotRef& u) {
  RemoveRef(u.name);
  return {};
}

// Snapshots that main passed through in this change leave no entry; a missing snapshot drops the
// history before it, which would otherwise have gaps that time travel cannot see.
Status MetadataBuilder::UpdateSnapshotLog() {
  std::set<int64_t> passed(main_heads_.begin(), main_heads_.end());
  if (out_.current_snapshot_id) passed.erase(*out_.current_snapshot_id);
  if (passed.empty() && !removed_snapshots_) return {};
  std::vector<SnapshotLogEntry> log;
  for (const SnapshotLogEntry& entry : out_.snapshot_log) {
    if (!known_snapshots_.contains(entry.snapshot_id)) {
      if (removed_snapshots_) log.clear();
    } else if (!passed.contains(entry.snapshot_id)) {
      log.push_back(entry);
    }
  }
  if (out_.current_snapshot_id &&
      (log.empty() || log.back().snapshot_id != *out_.current_snapshot_id)) {
    return NotValid("Cannot set invalid snapshot log: latest entry is not the current snapshot");
  }
  out_.snapshot_log = std::move(log);
  return {};
}

}  // namespace iceblink::spec
