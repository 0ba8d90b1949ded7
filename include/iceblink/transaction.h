// Transaction: several changes of one table that land in one commit, or not at all.
//
//   Transaction transaction = table.NewTransaction();
//   transaction.UpdateSchema().AddColumn("note", Type::String()).Commit();
//   transaction.NewAppend().AppendFile(file).Commit();
//   auto report = transaction.CommitTransaction();
//
// Each step applies to what the steps before made; steps are checked when the transaction commits.
// A handle for one thread: changes made from it must be committed before CommitTransaction, which
// is called once. A transaction that is dropped changes nothing.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "iceblink/table.h"

namespace iceblink {

class Transaction {
 public:
  // The schema and spec before any step: what a writer of its files needs.
  Schema schema() const;
  PartitionSpec spec() const;
  std::string location() const;
  Result<std::unique_ptr<DataWriter>> NewDataWriter(
      const std::map<std::string, std::string>& options = {}) const;

  AppendFiles NewAppend() const;
  AppendFiles NewFastAppend() const;
  OverwriteFiles NewOverwrite() const;
  ReplacePartitions NewReplacePartitions() const;
  RowDelta NewRowDelta() const;
  DeleteFiles NewDelete() const;
  RewriteFiles NewRewrite() const;

  iceblink::UpdateSchema UpdateSchema() const;
  UpdatePartitionSpec UpdateSpec() const;
  iceblink::UpdateProperties UpdateProperties() const;
  iceblink::ReplaceSortOrder ReplaceSortOrder() const;
  iceblink::ManageSnapshots ManageSnapshots() const;

  // Errors: those of the steps, of validations, and kInvalidArgument when called again.
  Result<CommitReport> CommitTransaction();

  struct State;
  explicit Transaction(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace iceblink
