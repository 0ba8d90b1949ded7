#include "iceblink/transaction.h"

#include "api/transaction_state.h"
#include "iceblink/changes.h"
#include "iceblink/data_writer.h"
#include "iceblink/updates.h"

namespace iceblink {

// The transaction is the target of its own changes.
struct Transaction::State final : ChangeTarget {
  State(std::shared_ptr<CatalogState> of, catalog::TableIdentifier name, commit::Transaction begun,
        std::shared_ptr<TableState> of_table)
      : catalog(std::move(of)),
        id(std::move(name)),
        transaction(std::move(begun)),
        table(std::move(of_table)) {}

  std::string TableName() const override { return id.ToString(); }
  table::ReadContext Reading() const override {
    return {&catalog->catalog->file_system(), &catalog->manifests};
  }
  Result<CommitReport> Commit(const std::function<void(commit::Transaction&)>& add) override {
    if (done) return Again();
    add(transaction);
    return CommitReport();
  }
  Result<CommitReport> Land() {
    if (done) return Again();
    done = true;
    ASSIGN_OR_RETURN(commit::CommitOutcome outcome, transaction.Commit());
    if (table != nullptr) table->Replace(outcome.table);
    return ReportOf(outcome);
  }
  static tl::unexpected<Error> Again() {
    return Fail(ErrorCode::kInvalidArgument, "Cannot commit transaction: already committed",
                "IllegalStateException");
  }

  std::shared_ptr<CatalogState> catalog;
  catalog::TableIdentifier id;
  commit::Transaction transaction;
  std::shared_ptr<TableState> table;
  bool done = false;
};

Transaction BeginTransaction(std::shared_ptr<CatalogState> catalog, catalog::TableIdentifier id,
                             commit::Transaction transaction, std::shared_ptr<TableState> table) {
  return Transaction(std::make_shared<Transaction::State>(
      std::move(catalog), std::move(id), std::move(transaction), std::move(table)));
}

Schema Transaction::schema() const { return Wrap(state_->transaction.metadata().schema()); }
PartitionSpec Transaction::spec() const { return Wrap(state_->transaction.metadata().spec()); }
std::string Transaction::location() const { return state_->transaction.metadata().location; }

Result<std::unique_ptr<DataWriter>> Transaction::NewDataWriter(
    const std::map<std::string, std::string>& options) const {
  return OpenDataWriter(state_->catalog,
                        std::make_shared<const spec::TableMetadata>(state_->transaction.metadata()),
                        options);
}

AppendFiles Transaction::NewAppend() const {
  return AppendFiles(NewChange(state_, commit::ChangeKind::kMergeAppend));
}
AppendFiles Transaction::NewFastAppend() const {
  return AppendFiles(NewChange(state_, commit::ChangeKind::kFastAppend));
}
OverwriteFiles Transaction::NewOverwrite() const {
  return OverwriteFiles(NewChange(state_, commit::ChangeKind::kOverwrite));
}
ReplacePartitions Transaction::NewReplacePartitions() const {
  return ReplacePartitions(NewChange(state_, commit::ChangeKind::kReplacePartitions));
}
RowDelta Transaction::NewRowDelta() const {
  return RowDelta(NewChange(state_, commit::ChangeKind::kRowDelta));
}
DeleteFiles Transaction::NewDelete() const {
  return DeleteFiles(NewChange(state_, commit::ChangeKind::kDeleteFiles));
}
RewriteFiles Transaction::NewRewrite() const {
  return RewriteFiles(NewChange(state_, commit::ChangeKind::kRewriteFiles));
}

UpdateSchema Transaction::UpdateSchema() const { return iceblink::UpdateSchema(state_); }
UpdatePartitionSpec Transaction::UpdateSpec() const { return UpdatePartitionSpec(state_); }
UpdateProperties Transaction::UpdateProperties() const {
  return iceblink::UpdateProperties(state_);
}
ReplaceSortOrder Transaction::ReplaceSortOrder() const {
  return iceblink::ReplaceSortOrder(state_);
}
ManageSnapshots Transaction::ManageSnapshots() const { return iceblink::ManageSnapshots(state_); }

Result<CommitReport> Transaction::CommitTransaction() { return state_->Land(); }

}  // namespace iceblink
