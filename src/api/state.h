// What the handles of include/iceblink share behind their pointers. Internal to the library.
//
// A public value is a shared pointer to the room's value, a public handle one to a state below.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "commit/transaction.h"
#include "iceblink/catalog.h"
#include "iceblink/data_file.h"
#include "iceblink/expression.h"
#include "iceblink/table.h"
#include "spec/updates.h"

namespace iceblink {

struct ChangeState;

struct CatalogState {
  std::shared_ptr<catalog::Catalog> catalog;
  table::ManifestCache manifests;
};

// One table as its handles see it. Safe from several threads.
struct TableState {
  TableState(std::shared_ptr<CatalogState> of, catalog::TableIdentifier name,
             catalog::LoadedTable table)
      : catalog(std::move(of)), id(std::move(name)), loaded_(std::move(table)) {}

  const std::shared_ptr<CatalogState> catalog;
  const catalog::TableIdentifier id;

  catalog::LoadedTable Loaded() const {
    std::lock_guard lock(mutex_);
    return loaded_;
  }
  spec::TableMetadataPtr Metadata() const { return Loaded().metadata; }
  void Replace(catalog::LoadedTable table) {
    std::lock_guard lock(mutex_);
    loaded_ = std::move(table);
  }
  table::ReadContext Reading() const {
    return {&catalog->catalog->file_system(), &catalog->manifests};
  }

 private:
  mutable std::mutex mutex_;
  catalog::LoadedTable loaded_;
};

// Where a change goes when its Commit is called: to a table, at once, or into a transaction.
class ChangeTarget {
 public:
  virtual ~ChangeTarget() = default;
  // For messages.
  virtual std::string TableName() const = 0;
  virtual table::ReadContext Reading() const = 0;
  // `add` adds the change's steps. Called once per change.
  virtual Result<CommitReport> Commit(const std::function<void(commit::Transaction&)>& add) = 0;
};

std::shared_ptr<ChangeTarget> TargetOf(std::shared_ptr<TableState> table);
// A change of the kind for the target.
std::shared_ptr<ChangeState> NewChange(std::shared_ptr<ChangeTarget> target,
                                       commit::ChangeKind kind);

CommitReport ReportOf(const commit::CommitOutcome& outcome);
catalog::TableIdentifier ToInternal(const TableIdentifier& id);
TableIdentifier ToPublic(const catalog::TableIdentifier& id);
Result<spec::NewTable> ToInternal(const Schema& schema, const TableOptions& options);
Snapshot ToPublic(const spec::Snapshot& snapshot);

// A public value over a copy of the room's.
Schema Wrap(spec::Schema schema);
Type Wrap(spec::Type type);
PartitionSpec Wrap(spec::PartitionSpec spec);
SortOrder Wrap(spec::SortOrder order);
DataFile Wrap(spec::DataFile file);
Expression Wrap(expr::Expression expression);

Result<std::unique_ptr<DataWriter>> OpenDataWriter(
    std::shared_ptr<CatalogState> catalog, std::shared_ptr<const spec::TableMetadata> metadata,
    const std::map<std::string, std::string>& options);

}  // namespace iceblink
