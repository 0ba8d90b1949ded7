// The procedures of `catalog.system`: one function each. Signatures and results' columns are data
// of the plan room; call.cc binds arguments and picks the function from the table in procedures.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/statement_scope.h"
#include "plan/procedures.h"

namespace iceblink::engine {

// A CALL whose arguments are bound and evaluated.
struct ProcedureCall {
  StatementScope& scope;
  std::shared_ptr<catalog::Catalog> catalog;
  std::string catalog_name;
  const plan::Procedure& procedure;
  ValueList arguments;  // one per parameter; NULL where absent

  // The argument of a parameter by name. Requires that the procedure has it.
  const Value& Argument(std::string_view name) const;
  bool Has(std::string_view name) const { return !Argument(name).is_null(); }
  std::string Text(std::string_view name) const { return Argument(name).As<std::string>(); }
  bool Flag(std::string_view name) const { return Has(name) && Argument(name).As<bool>(); }
  std::optional<int64_t> Number(std::string_view name) const;
  // A timestamp in milliseconds.
  std::optional<int64_t> Millis(std::string_view name) const;
  std::map<std::string, std::string> Options(std::string_view name) const;
  std::vector<std::string> Strings(std::string_view name) const;
  // The snapshot of the argument `snapshot_id`, else the current one, which may be null. Error:
  // IllegalArgumentException "Snapshot not found: %d".
  Result<const spec::Snapshot*> Snapshot(const spec::TableMetadata& metadata) const;
  // The argument `where` as a filter of a table's files; true where absent. Errors:
  // IllegalArgumentException "Cannot parse predicates in where option: %s", "Cannot convert Spark
  // filter: %s to Iceberg expression".
  Result<expr::Expression> Where(const spec::Schema& schema) const;

  // Loads the table that the argument `table` names. `branch`, when given, takes the branch of a
  // `.branch_x` selector. Errors: IllegalArgumentException for an empty name, RuntimeException
  // "Couldn't load table '%s' in catalog '%s'".
  Result<TableHandle> Table(std::string* branch = nullptr) const;
};

using ProcedureRows = std::vector<ValueList>;
using ProcedureFunction = Result<ProcedureRows> (*)(const ProcedureCall& call);

// Null for a procedure that has a signature but no implementation.
ProcedureFunction FindProcedureFunction(std::string_view name);

// procedure_refs.cc
Result<ProcedureRows> RollbackToSnapshot(const ProcedureCall& call);
Result<ProcedureRows> RollbackToTimestamp(const ProcedureCall& call);
Result<ProcedureRows> SetCurrentSnapshot(const ProcedureCall& call);
Result<ProcedureRows> CherrypickSnapshot(const ProcedureCall& call);
Result<ProcedureRows> PublishChanges(const ProcedureCall& call);
Result<ProcedureRows> FastForward(const ProcedureCall& call);
Result<ProcedureRows> AncestorsOf(const ProcedureCall& call);
Result<ProcedureRows> RebaseBranch(const ProcedureCall& call);
// procedure_changelog.cc
Result<ProcedureRows> CreateChangelogView(const ProcedureCall& call);
// procedure_maintenance.cc
Result<ProcedureRows> ExpireSnapshots(const ProcedureCall& call);
Result<ProcedureRows> RemoveOrphanFiles(const ProcedureCall& call);
Result<ProcedureRows> RewriteManifests(const ProcedureCall& call);
Result<ProcedureRows> RegisterTable(const ProcedureCall& call);
// procedure_rewrite_data.cc
Result<ProcedureRows> RewriteDataFiles(const ProcedureCall& call);
// procedure_rewrite_deletes.cc
Result<ProcedureRows> RewritePositionDeleteFiles(const ProcedureCall& call);
// procedure_table_stats.cc
Result<ProcedureRows> ComputeTableStats(const ProcedureCall& call);
// procedure_partition_stats.cc
Result<ProcedureRows> ComputePartitionStats(const ProcedureCall& call);
// procedure_migrate.cc
Result<ProcedureRows> Migrate(const ProcedureCall& call);
// procedure_table_path.cc
Result<ProcedureRows> RewriteTablePath(const ProcedureCall& call);
// procedure_import.cc
Result<ProcedureRows> AddFiles(const ProcedureCall& call);
Result<ProcedureRows> SnapshotTable(const ProcedureCall& call);

}  // namespace iceblink::engine
