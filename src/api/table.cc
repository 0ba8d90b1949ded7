#include "iceblink/table.h"

#include "api/transaction_state.h"
#include "iceblink/changes.h"
#include "iceblink/data_writer.h"
#include "iceblink/scan.h"
#include "iceblink/updates.h"

namespace iceblink {

namespace {

// Commits each change at once, on the table as the catalog has it.
class TableTarget final : public ChangeTarget {
 public:
  explicit TableTarget(std::shared_ptr<TableState> table) : table_(std::move(table)) {}
  std::string TableName() const override { return table_->id.ToString(); }
  table::ReadContext Reading() const override { return table_->Reading(); }
  Result<CommitReport> Commit(const std::function<void(commit::Transaction&)>& add) override {
    commit::Transaction transaction(*table_->catalog->catalog, table_->id, table_->Loaded(),
                                    {.cache = &table_->catalog->manifests});
    add(transaction);
    ASSIGN_OR_RETURN(commit::CommitOutcome outcome, transaction.Commit());
    table_->Replace(outcome.table);
    return ReportOf(outcome);
  }

 private:
  std::shared_ptr<TableState> table_;
};

}  // namespace

std::shared_ptr<ChangeTarget> TargetOf(std::shared_ptr<TableState> table) {
  return std::make_shared<TableTarget>(std::move(table));
}

CommitReport ReportOf(const commit::CommitOutcome& outcome) {
  return {outcome.committed, outcome.snapshot_id, outcome.operation, outcome.summary,
          outcome.attempts};
}

Snapshot ToPublic(const spec::Snapshot& snapshot) {
  return {snapshot.snapshot_id,
          snapshot.parent_id,
          snapshot.sequence_number,
          snapshot.timestamp_ms,
          snapshot.operation.value_or(""),
          snapshot.summary,
          snapshot.manifest_list,
          snapshot.schema_id};
}

namespace {

std::optional<Snapshot> Found(const spec::Snapshot* snapshot) {
  return snapshot == nullptr ? std::nullopt : std::optional(ToPublic(*snapshot));
}

}  // namespace

Status Table::Refresh() {
  ASSIGN_OR_RETURN(auto loaded, state_->catalog->catalog->LoadTable(state_->id));
  state_->Replace(std::move(loaded));
  return {};
}

std::string Table::name() const {
  return state_->catalog->catalog->name() + "." + state_->id.ToString();
}
std::string Table::location() const { return state_->Metadata()->location; }
std::string Table::uuid() const { return state_->Metadata()->uuid; }
int32_t Table::format_version() const { return state_->Metadata()->format_version; }
std::string Table::metadata_location() const { return state_->Loaded().metadata_location; }
Schema Table::schema() const { return Wrap(state_->Metadata()->schema()); }
PartitionSpec Table::spec() const { return Wrap(state_->Metadata()->spec()); }
SortOrder Table::sort_order() const { return Wrap(state_->Metadata()->sort_order()); }
std::map<std::string, std::string> Table::properties() const {
  return state_->Metadata()->properties;
}

std::vector<Schema> Table::schemas() const {
  std::vector<Schema> out;
  for (const spec::Schema& schema : state_->Metadata()->schemas) out.push_back(Wrap(schema));
  return out;
}

std::vector<PartitionSpec> Table::specs() const {
  std::vector<PartitionSpec> out;
  for (const spec::PartitionSpec& spec : state_->Metadata()->specs) out.push_back(Wrap(spec));
  return out;
}

std::optional<Snapshot> Table::CurrentSnapshot() const {
  return Found(state_->Metadata()->CurrentSnapshot());
}
std::optional<Snapshot> Table::FindSnapshot(int64_t snapshot_id) const {
  return Found(state_->Metadata()->SnapshotById(snapshot_id));
}
std::optional<Snapshot> Table::FindSnapshot(const std::string& ref) const {
  return Found(state_->Metadata()->SnapshotOfRef(ref));
}

std::vector<Snapshot> Table::Snapshots() const {
  std::vector<Snapshot> out;
  for (const spec::Snapshot& snapshot : state_->Metadata()->snapshots)
    out.push_back(ToPublic(snapshot));
  return out;
}

std::vector<HistoryEntry> Table::History() const {
  std::vector<HistoryEntry> out;
  for (const spec::SnapshotLogEntry& entry : state_->Metadata()->snapshot_log)
    out.push_back({entry.timestamp_ms, entry.snapshot_id});
  return out;
}

std::map<std::string, SnapshotRef> Table::Refs() const {
  std::map<std::string, SnapshotRef> out;
  for (const auto& [name, ref] : state_->Metadata()->refs) {
    out[name] = {ref.snapshot_id, ref.is_branch(), ref.min_snapshots_to_keep,
                 ref.max_snapshot_age_ms, ref.max_ref_age_ms};
  }
  return out;
}

TableScan Table::NewScan() const { return TableScan(state_); }

Result<std::unique_ptr<DataWriter>> Table::NewDataWriter(
    const std::map<std::string, std::string>& options) const {
  return OpenDataWriter(state_->catalog, state_->Metadata(), options);
}

AppendFiles Table::NewAppend() const {
  return AppendFiles(NewChange(TargetOf(state_), commit::ChangeKind::kMergeAppend));
}
AppendFiles Table::NewFastAppend() const {
  return AppendFiles(NewChange(TargetOf(state_), commit::ChangeKind::kFastAppend));
}
OverwriteFiles Table::NewOverwrite() const {
  return OverwriteFiles(NewChange(TargetOf(state_), commit::ChangeKind::kOverwrite));
}
ReplacePartitions Table::NewReplacePartitions() const {
  return ReplacePartitions(NewChange(TargetOf(state_), commit::ChangeKind::kReplacePartitions));
}
RowDelta Table::NewRowDelta() const {
  return RowDelta(NewChange(TargetOf(state_), commit::ChangeKind::kRowDelta));
}
DeleteFiles Table::NewDelete() const {
  return DeleteFiles(NewChange(TargetOf(state_), commit::ChangeKind::kDeleteFiles));
}
RewriteFiles Table::NewRewrite() const {
  return RewriteFiles(NewChange(TargetOf(state_), commit::ChangeKind::kRewriteFiles));
}

UpdateSchema Table::UpdateSchema() const { return iceblink::UpdateSchema(TargetOf(state_)); }
UpdatePartitionSpec Table::UpdateSpec() const { return UpdatePartitionSpec(TargetOf(state_)); }
UpdateProperties Table::UpdateProperties() const {
  return iceblink::UpdateProperties(TargetOf(state_));
}
ReplaceSortOrder Table::ReplaceSortOrder() const {
  return iceblink::ReplaceSortOrder(TargetOf(state_));
}
ManageSnapshots Table::ManageSnapshots() const {
  return iceblink::ManageSnapshots(TargetOf(state_));
}
ExpireSnapshots Table::ExpireSnapshots() const { return iceblink::ExpireSnapshots(state_); }

Transaction Table::NewTransaction() const {
  commit::Transaction begun(*state_->catalog->catalog, state_->id, state_->Loaded(),
                            {.cache = &state_->catalog->manifests});
  return BeginTransaction(state_->catalog, state_->id, std::move(begun), state_);
}

}  // namespace iceblink
