// From written files to a snapshot: what every INSERT, DELETE, UPDATE, MERGE and CREATE TABLE AS
// shares.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "commit/transaction.h"
#include "engine/statement_scope.h"
#include "sql/ast_query.h"

namespace iceblink::engine {

using SummaryEntries = std::map<std::string, std::string>;

// engine-name, engine-version, iceberg-version, app-id, app-name: in every snapshot that this
// process makes.
SummaryEntries EngineSummary(const SessionState& session);
// And spark.app.id with the session's snapshot-property.* entries: in snapshots of statements that
// write rows.
SummaryEntries WriteSummary(const SessionState& session);

// The table a statement changes and how its snapshot will be attached.
struct WriteTarget {
  TableHandle handle;
  std::string branch = spec::kMainBranch;
  bool stage_only = false;  // write-audit-publish by id
  SummaryEntries summary;
};

// Checks that the table may be written (no time travel) and the guards, and reads the session's
// write-audit-publish settings. `statement_verb` completes "Cannot write to table with time
// travel": write to, delete from, modify.
Result<WriteTarget> PrepareWrite(StatementScope& scope, const plan::TableRef& table,
                                 std::string_view statement_verb);

// How rows of the table's schema become files: current spec, table sort order, options of the
// statement and the session.
exec::WriteSpec MakeWriteSpec(const StatementScope& scope, const spec::TableMetadataPtr& metadata,
                              const sql::PropertyMap& options = {});

// Sets branch, staging and summary of a change, and commits it alone. The files that were written
// are deleted when the commit failed for certain.
Result<commit::CommitOutcome> CommitWrite(StatementScope& scope, const WriteTarget& target,
                                          commit::SnapshotChange change);

// Deletes files of a statement that did not commit; `error` is why it did not. Keeps them when the
// outcome is unknown.
void DiscardFiles(catalog::Catalog& catalog, const Error& error,
                  const std::vector<spec::DataFile>& files);

commit::Transaction::Options TransactionOptions(const StatementScope& scope);

}  // namespace iceblink::engine
