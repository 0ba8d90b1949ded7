// Procedures that move main or a branch: rollback, set current, cherry-pick, publish, fast-forward;
// and ancestors_of.
#include <utility>

#include "commit/rebase.h"
#include "commit/refs.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/table_write.h"
#include "table/snapshots.h"

namespace iceblink::engine {
namespace {

Value Id(const std::optional<int64_t>& id) { return id ? Value(*id) : Value(); }

ProcedureRows TwoIds(const commit::RefMove& move) {
  return {{Id(move.previous), Id(move.current)}};
}

}  // namespace

Result<ProcedureRows> RollbackToSnapshot(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(commit::RefMove move, commit::RollbackToSnapshot(*table.catalog, table.id,
                                                                    *call.Number("snapshot_id")));
  return TwoIds(move);
}

Result<ProcedureRows> RollbackToTimestamp(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(commit::RefMove move, commit::RollbackToTimestamp(*table.catalog, table.id,
                                                                     *call.Millis("timestamp")));
  return TwoIds(move);
}

Result<ProcedureRows> SetCurrentSnapshot(const ProcedureCall& call) {
  if (call.Has("snapshot_id") == call.Has("ref")) {
    return IllegalArgument("Either snapshot_id or ref must be provided, not both");
  }
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(
      commit::RefMove move,
      call.Has("ref")
          ? commit::SetCurrentToRef(*table.catalog, table.id, call.Text("ref"))
          : commit::SetCurrentSnapshot(*table.catalog, table.id, *call.Number("snapshot_id")));
  return TwoIds(move);
}

Result<ProcedureRows> CherrypickSnapshot(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(commit::RefMove move,
                   commit::CherryPick(*table.catalog, table.id, *call.Number("snapshot_id"),
                                      EngineSummary(call.scope.session)));
  return TwoIds(move);
}

Result<ProcedureRows> PublishChanges(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(commit::RefMove move,
                   commit::PublishChanges(*table.catalog, table.id, call.Text("wap_id"),
                                          EngineSummary(call.scope.session)));
  return TwoIds(move);
}

Result<ProcedureRows> FastForward(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  ASSIGN_OR_RETURN(commit::RefMove move, commit::FastForward(*table.catalog, table.id,
                                                             call.Text("branch"), call.Text("to")));
  return ProcedureRows{{Value(call.Text("branch")), Id(move.previous), Id(move.current)}};
}

Result<ProcedureRows> AncestorsOf(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  std::optional<int64_t> from = call.Number("snapshot_id");
  if (!from) from = table.metadata().current_snapshot_id;
  ProcedureRows rows;
  if (!from) return rows;
  if (table.metadata().SnapshotById(*from) == nullptr)
    return IllegalArgument("Cannot find snapshot: " + std::to_string(*from));
  for (const spec::Snapshot* snapshot : table::AncestorsOf(table.metadata(), from)) {
    rows.push_back({Value(snapshot->snapshot_id), Value(snapshot->timestamp_ms)});
  }
  return rows;
}

// Beyond Iceberg: replays a branch on what main has become, so that fast_forward succeeds.
Result<ProcedureRows> RebaseBranch(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  std::string onto = call.Has("onto") ? call.Text("onto") : spec::kMainBranch;
  ASSIGN_OR_RETURN(commit::RebaseResult result,
                   commit::RebaseBranch(*table.catalog, table.id, call.Text("branch"), onto,
                                        EngineSummary(call.scope.session)));
  return ProcedureRows{{Value(call.Text("branch")), Value(result.previous_head),
                        Value(result.current_head),
                        Value(static_cast<int32_t>(result.replayed.size()))}};
}

}  // namespace iceblink::engine
