// ALTER TABLE: finds the table, then hands the change to its family; properties, location and
// renaming are here.
#include <utility>

#include "base/strings.h"
#include "commit/refs.h"
#include "commit/table_changes.h"
#include "engine/alter_columns.h"
#include "engine/errors.h"
#include "engine/iceberg_ddl.h"
#include "engine/statements.h"
#include "engine/table_write.h"
#include "plan/errors.h"
#include "spec/updates.h"

namespace iceblink::engine {
namespace {

// Properties that are not stored but done, or refused.
struct ReservedProperty {
  std::string_view key;
  std::string_view condition;  // of Spark's parser; empty: Iceberg refuses it
  std::string_view advice;
};
constexpr ReservedProperty kReserved[] = {
    {"provider", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
     "please use the USING clause to specify it"},
    {"location", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
     "please use the LOCATION clause to specify it"},
    {"owner", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "it will be set to the current user"},
    {"external", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "please use CREATE EXTERNAL TABLE"},
    {"sort-order", "",
     "Please use the command 'ALTER TABLE ... WRITE ORDERED BY' to specify write sort-orders."},
    {"identifier-fields", "",
     "Please use the command 'ALTER TABLE ... SET IDENTIFIER FIELDS' to specify identifier "
     "fields."},
};

Status CheckReserved(std::string_view key) {
  for (const ReservedProperty& reserved : kReserved) {
    if (reserved.key != key) continue;
    if (!reserved.condition.empty()) {
      return FailWith(ErrorCode::kUnsupported, "ParseException", std::string(reserved.condition),
                      "0A000",
                      "The feature is not supported: " + std::string(key) +
                          " is a reserved table property, " + std::string(reserved.advice) + ".");
    }
    return Fail(ErrorCode::kUnsupported,
                "Cannot specify the '" + std::string(key) +
                    "' because it's a reserved table property. " + std::string(reserved.advice),
                "UnsupportedOperationException");
  }
  return {};
}

Status Wrapped(Error error) {
  if (error.code == ErrorCode::kConflict || error.code == ErrorCode::kCommitUnknown ||
      error.code == ErrorCode::kIo) {
    return Fail(std::move(error));
  }
  error.message = "Unsupported table change: " + error.message;
  error.exception = "SparkException";
  error.condition = "_LEGACY_ERROR_TEMP_2045";
  return Fail(std::move(error));
}

Result<int64_t> SnapshotIdOf(const std::string& value) {
  if (auto id = ParseInt64(value)) return *id;
  return Fail(ErrorCode::kInvalidArgument, "For input string: \"" + value + "\"",
              "NumberFormatException");
}

Status Alter(StatementScope& scope, const TableHandle& table, const sql::SetProperties& change) {
  std::map<std::string, std::string> set;
  std::optional<std::string> current, pick;
  for (const auto& [key, value] : change.properties) {
    RETURN_IF_ERROR(CheckReserved(key));
    if (key == "current-snapshot-id")
      current = value;
    else if (key == "cherry-pick-snapshot-id")
      pick = value;
    else if (key == "format-version" || !spec::IsReservedProperty(key))
      set[key] = value;
  }
  if (current && pick) {
    return IllegalArgument(
        "Cannot set the current the current snapshot ID and cherry-pick snapshot changes");
  }
  if (current) {
    ASSIGN_OR_RETURN(int64_t id, SnapshotIdOf(*current));
    RETURN_IF_ERROR(commit::SetCurrentSnapshot(*table.catalog, table.id, id));
  }
  if (pick) {
    ASSIGN_OR_RETURN(int64_t id, SnapshotIdOf(*pick));
    RETURN_IF_ERROR(commit::CherryPick(*table.catalog, table.id, id, EngineSummary(scope.session)));
  }
  if (set.empty()) return {};
  if (auto done = commit::ChangeProperties(*table.catalog, table.id, set, {}); !done)
    return Wrapped(std::move(done).error());
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::UnsetProperties& change) {
  for (const std::string& key : change.keys) RETURN_IF_ERROR(CheckReserved(key));
  RETURN_IF_ERROR(commit::ChangeProperties(*table.catalog, table.id, {}, change.keys));
  return {};
}

Status Alter(StatementScope& scope, const TableHandle& table, const sql::RenameTo& change) {
  (void)scope;
  // The new name is taken as it stands, in the table's catalog: a catalog's name in front of it is
  // a namespace.
  catalog::TableIdentifier to{{change.to.begin(), change.to.end() - 1}, change.to.back()};
  if (to.ns.empty()) to.ns = table.id.ns;
  RETURN_IF_ERROR(table.catalog->RenameTable(table.id, to));
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::SetLocation& change) {
  if (!change.partition.empty()) return plan::Raise("_LEGACY_ERROR_TEMP_1045");
  RETURN_IF_ERROR(commit::ChangeLocation(*table.catalog, table.id,
                                         std::string(StripTrailing(change.location, '/'))));
  return {};
}

Status NoPartitionManagement(const TableHandle& table) {
  sql::Name name{table.catalog_name};
  name.insert(name.end(), table.id.ns.begin(), table.id.ns.end());
  name.push_back(table.id.name);
  return Fail(engine::NoPartitionManagement(sql::QuoteName(name), "; line 1 pos 12;"));
}

Status Alter(StatementScope&, const TableHandle& table, const sql::AddPartitions&) {
  return NoPartitionManagement(table);
}
Status Alter(StatementScope&, const TableHandle& table, const sql::DropPartitions&) {
  return NoPartitionManagement(table);
}
Status Alter(StatementScope&, const TableHandle& table, const sql::RenamePartition&) {
  return NoPartitionManagement(table);
}
Status Alter(StatementScope&, const TableHandle&, const sql::RecoverPartitions&) {
  return Fail(NotSupportedForV2("ALTER TABLE ... RECOVER PARTITIONS"));
}
Status Alter(StatementScope&, const TableHandle&, const sql::ClusterBy&) {
  return Fail(ErrorCode::kUnsupported, "Cannot apply unknown table change: CLUSTER BY",
              "UnsupportedOperationException");
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::AlterTable& statement) {
  ASSIGN_OR_RETURN(std::optional<TableHandle> table, scope.names.FindTable(statement.table));
  if (!table) {
    ASSIGN_OR_RETURN(QualifiedName name, scope.names.Qualify(statement.table));
    bool extension = statement.change.index() >= sql::TableChange(sql::AddPartitionField{}).index();
    if (!extension)
      return Fail(TableNotFound(name.full(), "ExtendedAnalysisException", "; line 1 pos 12;"));
    // The extensions' commands load the table themselves, by the name within the catalog.
    Error error = TableNotFound(name.rest, "NoSuchTableException");
    error.message = ReplaceAll(error.message, sql::QuoteName(name.rest), Join(name.rest, "."));
    return Fail(std::move(error));
  }
  RETURN_IF_ERROR(std::visit([&](const auto& change) { return Alter(scope, *table, change); },
                             statement.change));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::CommentOn& statement) {
  if (statement.object == sql::CommentOn::Object::kNamespace) {
    ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.name));
    ASSIGN_OR_RETURN(bool exists, name.catalog->NamespaceExists(name.rest));
    if (!exists) return Fail(SchemaNotFound(name.full()));
    RETURN_IF_ERROR(name.catalog->SetNamespaceProperties(
        name.rest, {{"comment", statement.comment.value_or("")}}));
    return StatementResult();
  }
  ASSIGN_OR_RETURN(TableHandle table, scope.names.GetTable(statement.name));
  std::map<std::string, std::string> set;
  std::vector<std::string> remove;
  if (statement.comment)
    set["comment"] = *statement.comment;
  else
    remove.push_back("comment");
  RETURN_IF_ERROR(commit::ChangeProperties(*table.catalog, table.id, set, remove));
  return StatementResult();
}

}  // namespace iceblink::engine
