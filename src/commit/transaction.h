// Transaction: several changes of one table that land together or not at all.
//
//   Transaction transaction(catalog, id, table);
//   transaction.Add(std::move(change));
//   ASSIGN_OR_RETURN(CommitOutcome outcome, transaction.Commit());
//
// Commit is a loop of compare and swap. Each attempt refreshes the table, applies every step to
// what it finds (snapshot changes re-validate against all that landed since they read), writes
// manifest lists and asks the catalog to swap. A lost swap is retried as commit.retry.* says, with
// random waits; a failed validation is final. New manifests are written once and kept across
// attempts. Writers of one machine queue on a lock file per table, so that they rarely lose a swap;
// the swap alone decides. After a commit whose outcome the catalog does not know, the table is read
// again (commit.status-check.*) and classified: committed, not committed, or unknown; nothing is
// deleted then. Otherwise manifests and lists of attempts that did not land are deleted. A process
// killed at any moment leaves the table as before or as after.
//
// Ownership: the catalog outlives the transaction. Threads: one thread per transaction; any number
// of transactions at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "commit/snapshot_change.h"
#include "spec/updates.h"
#include "table/manifest_cache.h"

namespace iceblink::commit {

struct CommitOutcome {
  catalog::LoadedTable table;          // after the commit
  bool committed = false;              // false: there was nothing to change
  std::optional<int64_t> snapshot_id;  // the last snapshot that this commit added
  std::string operation;               // of that snapshot
  spec::Summary summary;               // likewise
  int32_t attempts = 0;
  // An attempt whose outcome was not known turned out to have landed; files of the other attempts
  // stay as orphans.
  bool landed_late = false;
};

// Computes updates from the metadata of the attempt. An error ends the commit.
using UpdateFunction =
    std::function<Result<std::vector<spec::TableUpdate>>(const spec::TableMetadata&)>;

// One step of a transaction; snapshot changes, cherry-picks and updates are steps. Called by one
// thread.
class Step {
 public:
  virtual ~Step() = default;
  // Computes the step's updates on `base`: the table of this attempt with the steps before applied.
  // Called once per attempt.
  virtual Result<std::vector<spec::TableUpdate>> Apply(const spec::TableMetadata& base) = 0;
  // The last Apply landed: deletes files of earlier attempts.
  virtual void Committed() {}
  // Nothing landed, surely: deletes every file the step wrote.
  virtual void Abandoned() {}
};

class Transaction {
 public:
  struct Options {
    const Clock* clock = &SystemClock();
    table::ManifestCache* cache = nullptr;  // of manifests; may be shared with scans
    bool queue = true;  // wait for other writers of this machine before an attempt
  };

  // Changes of an existing table.
  Transaction(catalog::Catalog& catalog, catalog::TableIdentifier id, catalog::LoadedTable base)
      : Transaction(catalog, std::move(id), std::move(base), Options()) {}
  Transaction(catalog::Catalog& catalog, catalog::TableIdentifier id, catalog::LoadedTable base,
              Options options);
  ~Transaction();
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;

  // Creates the table when it commits (CTAS): steps apply to `initial`, which was never written.
  static Transaction ForCreate(catalog::Catalog& catalog, catalog::TableIdentifier id,
                               spec::TableMetadata initial, Options options);
  // Replaces the definition of the table when it commits (RTAS). Data may be written for
  // metadata().schema() meanwhile; when a concurrent change gives the replacement other field ids,
  // the commit fails with CommitFailedException.
  static Result<Transaction> ForReplace(catalog::Catalog& catalog, catalog::TableIdentifier id,
                                        catalog::LoadedTable base, const spec::NewTable& table,
                                        Options options);

  // The table as it was loaded, created or replaced, before any step.
  const spec::TableMetadata& metadata() const;

  // Add steps; they apply in order, each to the result of those before.
  Transaction& Add(SnapshotChange change);
  Transaction& Add(UpdateFunction step);
  Transaction& Add(std::unique_ptr<Step> step);
  // Fixed updates. On an attempt whose table fails `requirements` the commit ends with
  // CommitFailedException.
  Transaction& Add(std::vector<spec::TableUpdate> updates,
                   std::vector<spec::TableRequirement> requirements = {});

  // Runs the loop. Call once. Errors: those of steps and validations (not retried); kConflict
  // CommitFailedException when retries are exhausted; kCommitUnknown CommitStateUnknownException;
  // what the catalog and the file system say.
  Result<CommitOutcome> Commit();

 private:
  struct State;
  explicit Transaction(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One change, one commit, on the table as the catalog has it now.
Result<CommitOutcome> CommitChange(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   SnapshotChange change,
                                   Transaction::Options options = Transaction::Options());
// One set of computed updates, one commit.
Result<CommitOutcome> CommitUpdates(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                    UpdateFunction step,
                                    Transaction::Options options = Transaction::Options());

}  // namespace iceblink::commit
