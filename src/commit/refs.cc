#include "commit/refs.h"

#include <fmt/format.h>

#include "commit/snapshot_change.h"
#include "table/snapshots.h"

namespace iceblink::commit {

namespace {

using Updates = std::vector<spec::TableUpdate>;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

bool IsBranch(const RefChange& change) { return change.type == spec::RefType::kBranch; }

const char* KindName(const RefChange& change) { return IsBranch(change) ? "Branch" : "Tag"; }

Status CheckType(const RefChange& change, const spec::SnapshotRef& ref) {
  if (ref.type == change.type) return {};
  return IllegalArgument(ref.is_branch()
                             ? fmt::format("Ref {} is a branch not a tag", change.name)
                             : fmt::format("Ref {} is a tag not a branch", change.name));
}

Status CheckRetention(const RefChange& change) {
  if (change.min_snapshots_to_keep && *change.min_snapshots_to_keep <= 0) {
    return IllegalArgument("Min snapshots to keep must be greater than 0");
  }
  if (change.max_snapshot_age_ms && *change.max_snapshot_age_ms <= 0) {
    return IllegalArgument("Max snapshot age must be greater than 0 ms");
  }
  if (change.max_ref_age_ms && *change.max_ref_age_ms <= 0)
    return IllegalArgument("Max reference age must be greater than 0");
  return {};
}

void SetRetention(const RefChange& change, spec::SnapshotRef& ref) {
  if (change.min_snapshots_to_keep) ref.min_snapshots_to_keep = change.min_snapshots_to_keep;
  if (change.max_snapshot_age_ms) ref.max_snapshot_age_ms = change.max_snapshot_age_ms;
  if (change.max_ref_age_ms) ref.max_ref_age_ms = change.max_ref_age_ms;
}

bool IsDrop(RefAction action) {
  return action == RefAction::kDrop || action == RefAction::kDropIfExists;
}

Result<Updates> Drop(const spec::TableMetadata& base, const RefChange& change) {
  if (IsBranch(change) && change.name == spec::kMainBranch)
    return IllegalArgument("Cannot remove main branch");
  const spec::SnapshotRef* ref = base.Ref(change.name);
  if (ref == nullptr) {
    if (change.action == RefAction::kDropIfExists) return Updates{};
    return IllegalArgument(fmt::format("{} does not exist: {}", KindName(change), change.name));
  }
  RETURN_IF_ERROR(CheckType(change, *ref));
  return Updates{spec::update::RemoveSnapshotRef{change.name}};
}

Result<Updates> SetRef(const spec::TableMetadata& base, const RefChange& change,
                       const std::string& table) {
  const spec::SnapshotRef* existing = base.Ref(change.name);
  const std::optional<int64_t> target =
      change.snapshot_id ? change.snapshot_id : base.current_snapshot_id;
  const bool replace = change.action == RefAction::kReplace ||
                       (change.action == RefAction::kCreateOrReplace && existing != nullptr);
  const bool taken = existing != nullptr && !replace;
  if (!target && !(taken && IsBranch(change))) {
    return IllegalArgument(
        IsBranch(change)
            ? fmt::format("Cannot complete replace branch operation on {}, main has no snapshot",
                          table)
            : fmt::format(
                  "Cannot complete create or replace tag operation on {}, main has no snapshot",
                  table));
  }
  spec::SnapshotRef ref;
  if (replace) {
    if (existing == nullptr)
      return IllegalArgument(fmt::format("{} does not exist: {}", KindName(change), change.name));
    RETURN_IF_ERROR(CheckType(change, *existing));
    ref = *existing;
  } else if (taken) {
    if (change.action == RefAction::kCreateIfNotExists) return Updates{};
    return IllegalArgument(fmt::format("Ref {} already exists", change.name));
  }
  ref.type = change.type;
  ref.snapshot_id = *target;
  RETURN_IF_ERROR(CheckRetention(change));
  SetRetention(change, ref);
  if (base.SnapshotById(*target) == nullptr) {
    return Invalid(fmt::format("Cannot set {} to unknown snapshot: {}", change.name, *target));
  }
  if (change.name == spec::kMainBranch && !IsBranch(change)) {
    return Invalid("Cannot set main to a tag, it must be a branch");
  }
  return Updates{spec::update::SetSnapshotRef{change.name, ref}};
}

// A branch of a table without snapshots starts with an empty one.
bool NeedsEmptySnapshot(const spec::TableMetadata& base, const RefChange& change) {
  return IsBranch(change) && !change.snapshot_id && !base.current_snapshot_id &&
         base.Ref(change.name) == nullptr && change.action != RefAction::kReplace &&
         !IsDrop(change.action);
}

Result<CommitOutcome> CreateEmptyBranch(catalog::Catalog& catalog,
                                        const catalog::TableIdentifier& id,
                                        catalog::LoadedTable table, const RefChange& change,
                                        const std::map<std::string, std::string>& summary) {
  RETURN_IF_ERROR(CheckRetention(change));
  SnapshotChange empty;
  empty.kind = ChangeKind::kFastAppend;
  empty.branch = change.name;
  empty.summary = summary;
  Transaction transaction(catalog, id, std::move(table));
  transaction.Add(std::move(empty))
      .Add([&change](const spec::TableMetadata& base) -> Result<Updates> {
        if (!change.min_snapshots_to_keep && !change.max_snapshot_age_ms && !change.max_ref_age_ms)
          return Updates{};
        spec::SnapshotRef ref = *base.Ref(change.name);
        SetRetention(change, ref);
        return Updates{spec::update::SetSnapshotRef{change.name, ref}};
      });
  return transaction.Commit();
}

// Moves main; its retention settings stay.
Updates MoveMain(const spec::TableMetadata& base, int64_t snapshot_id) {
  if (base.current_snapshot_id == snapshot_id) return {};
  spec::SnapshotRef ref;
  if (const spec::SnapshotRef* main = base.Ref(spec::kMainBranch)) ref = *main;
  ref.snapshot_id = snapshot_id;
  return Updates{spec::update::SetSnapshotRef{spec::kMainBranch, ref}};
}

using Chooser = std::function<Result<int64_t>(const spec::TableMetadata&)>;

// Moves main to the snapshot that `choose` names; `move`, where given, hears of it.
UpdateFunction MoveStep(Chooser choose, RefMove* move) {
  return [choose = std::move(choose), move](const spec::TableMetadata& base) -> Result<Updates> {
    ASSIGN_OR_RETURN(const int64_t target, choose(base));
    if (base.SnapshotById(target) == nullptr) {
      return Invalid(fmt::format("Cannot roll back to unknown snapshot id: {}", target));
    }
    if (move != nullptr) {
      move->previous = base.current_snapshot_id;
      move->current = target;
    }
    return MoveMain(base, target);
  };
}

Result<RefMove> Move(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                     Chooser choose) {
  RefMove move;
  ASSIGN_OR_RETURN(move.outcome, CommitUpdates(catalog, id, MoveStep(std::move(choose), &move)));
  return move;
}

Chooser AncestorOfMain(int64_t snapshot_id) {
  return [snapshot_id](const spec::TableMetadata& base) -> Result<int64_t> {
    if (base.SnapshotById(snapshot_id) != nullptr &&
        (!base.current_snapshot_id ||
         !table::IsAncestorOf(base, *base.current_snapshot_id, snapshot_id))) {
      return Invalid(fmt::format(
          "Cannot roll back to snapshot, not an ancestor of the current state: {}", snapshot_id));
    }
    return snapshot_id;
  };
}

Chooser OlderThan(int64_t timestamp_ms) {
  return [timestamp_ms](const spec::TableMetadata& base) -> Result<int64_t> {
    const spec::Snapshot* newest = nullptr;
    for (const spec::Snapshot* snapshot : table::AncestorsOf(base, base.current_snapshot_id)) {
      if (snapshot->timestamp_ms < timestamp_ms &&
          (newest == nullptr || snapshot->timestamp_ms > newest->timestamp_ms)) {
        newest = snapshot;
      }
    }
    if (newest == nullptr) {
      return IllegalArgument(
          fmt::format("Cannot roll back, no valid snapshot older than: {}", timestamp_ms));
    }
    return newest->snapshot_id;
  };
}

Chooser Exactly(int64_t snapshot_id) {
  return [snapshot_id](const spec::TableMetadata&) -> Result<int64_t> { return snapshot_id; };
}

UpdateFunction FastForwardStep(std::string branch, std::string to, RefMove* move) {
  return [=](const spec::TableMetadata& base) -> Result<Updates> {
    const spec::SnapshotRef* source = base.Ref(to);
    if (source == nullptr) return IllegalArgument(fmt::format("Ref does not exist: {}", to));
    const spec::SnapshotRef* target = base.Ref(branch);
    if (move != nullptr) {
      move->previous = target == nullptr ? std::nullopt : std::optional(target->snapshot_id);
      move->current = source->snapshot_id;
    }
    if (target == nullptr) {
      spec::SnapshotRef created;
      created.snapshot_id = source->snapshot_id;
      return Updates{spec::update::SetSnapshotRef{branch, created}};
    }
    if (!target->is_branch())
      return IllegalArgument(fmt::format("Ref {} is a tag not a branch", branch));
    if (target->snapshot_id == source->snapshot_id) return Updates{};
    if (!table::IsAncestorOf(base, source->snapshot_id, target->snapshot_id)) {
      return IllegalArgument(
          fmt::format("Cannot fast-forward: {} is not an ancestor of {}", branch, to));
    }
    spec::SnapshotRef moved = *target;
    moved.snapshot_id = source->snapshot_id;
    return Updates{spec::update::SetSnapshotRef{branch, moved}};
  };
}

}  // namespace

Result<CommitOutcome> ChangeRef(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                const RefChange& change,
                                const std::map<std::string, std::string>& summary) {
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  if (NeedsEmptySnapshot(*table.metadata, change)) {
    return CreateEmptyBranch(catalog, id, std::move(table), change, summary);
  }
  Transaction transaction(catalog, id, std::move(table));
  transaction.Add(RefStep(change, id.ToString()));
  return transaction.Commit();
}

Result<RefMove> RollbackToSnapshot(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   int64_t snapshot_id) {
  return Move(catalog, id, AncestorOfMain(snapshot_id));
}

Result<RefMove> RollbackToTimestamp(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                    int64_t timestamp_ms) {
  return Move(catalog, id, OlderThan(timestamp_ms));
}

Result<RefMove> SetCurrentSnapshot(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   int64_t snapshot_id) {
  return Move(catalog, id, Exactly(snapshot_id));
}

Result<RefMove> SetCurrentToRef(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                const std::string& ref) {
  return Move(catalog, id, [&ref](const spec::TableMetadata& base) -> Result<int64_t> {
    const spec::SnapshotRef* found = base.Ref(ref);
    if (found == nullptr)
      return Invalid(fmt::format("Cannot find matching snapshot ID for ref {}", ref));
    return found->snapshot_id;
  });
}

Result<RefMove> FastForward(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                            const std::string& branch, const std::string& to) {
  RefMove move;
  ASSIGN_OR_RETURN(move.outcome, CommitUpdates(catalog, id, FastForwardStep(branch, to, &move)));
  return move;
}

UpdateFunction RefStep(RefChange change, std::string table) {
  return [change = std::move(change), table = std::move(table)](const spec::TableMetadata& base) {
    return IsDrop(change.action) ? Drop(base, change) : SetRef(base, change, table);
  };
}

UpdateFunction RollbackToSnapshotStep(int64_t snapshot_id) {
  return MoveStep(AncestorOfMain(snapshot_id), nullptr);
}

UpdateFunction RollbackToTimestampStep(int64_t timestamp_ms) {
  return MoveStep(OlderThan(timestamp_ms), nullptr);
}

UpdateFunction SetCurrentSnapshotStep(int64_t snapshot_id) {
  return MoveStep(Exactly(snapshot_id), nullptr);
}

UpdateFunction FastForwardStep(std::string branch, std::string to) {
  return FastForwardStep(std::move(branch), std::move(to), nullptr);
}

}  // namespace iceblink::commit
