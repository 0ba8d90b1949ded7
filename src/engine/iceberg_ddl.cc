#include "engine/iceberg_ddl.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "commit/refs.h"
#include "commit/table_changes.h"
#include "engine/errors.h"
#include "engine/table_write.h"
#include "engine/transforms.h"

namespace iceblink::engine {
namespace {

// A bare name that is no column is the name of a partition field.
bool NamesField(const sql::Transform& transform, const spec::TableMetadata& metadata) {
  if (AsciiLower(transform.name) != "identity" || transform.args.size() != 1) return false;
  const auto* name = std::get_if<sql::Name>(&transform.args.front());
  return name != nullptr && name->size() == 1 &&
         metadata.schema().FindField(name->front(), false) == nullptr;
}

Status RemoveField(spec::SpecUpdate& update, const sql::Transform& transform,
                   const spec::TableMetadata& metadata) {
  if (NamesField(transform, metadata))
    return update.RemoveField(std::get<sql::Name>(transform.args.front()).front());
  ASSIGN_OR_RETURN(ColumnTransform column, ToColumnTransform(transform));
  return update.RemoveField(column.column, column.transform);
}

Status AddField(spec::SpecUpdate& update, const sql::Transform& transform,
                const std::string& name) {
  ASSIGN_OR_RETURN(ColumnTransform column, ToColumnTransform(transform));
  return update.AddField(column.column, column.transform, name);
}

commit::RefAction ActionOf(const sql::PutRef& change) {
  if (change.create && change.replace) return commit::RefAction::kCreateOrReplace;
  if (change.replace) return commit::RefAction::kReplace;
  return change.if_not_exists ? commit::RefAction::kCreateIfNotExists : commit::RefAction::kCreate;
}

}  // namespace

Status Alter(StatementScope&, const TableHandle& table, const sql::AddPartitionField& change) {
  RETURN_IF_ERROR(commit::ChangeSpec(*table.catalog, table.id, [&](spec::SpecUpdate& update) {
    return AddField(update, change.transform, change.name);
  }));
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::DropPartitionField& change) {
  RETURN_IF_ERROR(commit::ChangeSpec(*table.catalog, table.id, [&](spec::SpecUpdate& update) {
    return RemoveField(update, change.transform, table.metadata());
  }));
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::ReplacePartitionField& change) {
  RETURN_IF_ERROR(
      commit::ChangeSpec(*table.catalog, table.id, [&](spec::SpecUpdate& update) -> Status {
        RETURN_IF_ERROR(RemoveField(update, change.from, table.metadata()));
        return AddField(update, change.to, change.name);
      }));
  return {};
}

Status Alter(StatementScope& scope, const TableHandle& table, const sql::WriteOrder& change) {
  ASSIGN_OR_RETURN(std::vector<spec::SortTerm> terms, ToSortTerms(change.order));
  commit::Transaction transaction(*table.catalog, table.id, table.loaded,
                                  TransactionOptions(scope));
  transaction.Add(
      [terms](const spec::TableMetadata& base) -> Result<std::vector<spec::TableUpdate>> {
        ASSIGN_OR_RETURN(spec::SortOrder order, spec::BuildSortOrder(base.schema(), terms, false));
        return std::vector<spec::TableUpdate>{spec::update::AddSortOrder{std::move(order)},
                                              spec::update::SetDefaultSortOrder{}};
      });
  if (!change.distribution.empty()) {
    transaction.Add(
        {spec::update::SetProperties{{{"write.distribution-mode", change.distribution}}}});
  }
  RETURN_IF_ERROR(transaction.Commit());
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::SetIdentifierFields& change) {
  std::vector<std::string> names;
  for (const sql::Name& field : change.fields) names.push_back(Join(field, "."));
  RETURN_IF_ERROR(commit::ChangeSchema(*table.catalog, table.id, [&](spec::SchemaUpdate& update) {
    return update.SetIdentifierFields(names);
  }));
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::DropIdentifierFields& change) {
  const spec::Schema& schema = table.metadata().schema();
  std::vector<std::string> names;
  for (int32_t id : schema.identifier_field_ids()) names.push_back(schema.FullName(id));
  for (const sql::Name& field : change.fields) {
    std::string name = Join(field, ".");
    if (schema.FindField(name) == nullptr) {
      return IllegalArgument("Cannot complete drop identifier fields operation: field " + name +
                             " not found");
    }
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return IllegalArgument("Cannot complete drop identifier fields operation: " + name +
                             " is not an identifier field");
    }
    names.erase(at);
  }
  RETURN_IF_ERROR(commit::ChangeSchema(*table.catalog, table.id, [&](spec::SchemaUpdate& update) {
    return update.SetIdentifierFields(names);
  }));
  return {};
}

Status Alter(StatementScope& scope, const TableHandle& table, const sql::PutRef& change) {
  commit::RefChange ref;
  ref.action = ActionOf(change);
  ref.type = change.tag ? spec::RefType::kTag : spec::RefType::kBranch;
  ref.name = change.name;
  ref.snapshot_id = change.snapshot_id;
  ref.max_ref_age_ms = change.max_ref_age_ms;
  ref.min_snapshots_to_keep = change.min_snapshots_to_keep;
  ref.max_snapshot_age_ms = change.max_snapshot_age_ms;
  RETURN_IF_ERROR(commit::ChangeRef(*table.catalog, table.id, ref, EngineSummary(scope.session)));
  return {};
}

Status Alter(StatementScope&, const TableHandle& table, const sql::DropRef& change) {
  commit::RefChange ref;
  ref.action = change.if_exists ? commit::RefAction::kDropIfExists : commit::RefAction::kDrop;
  ref.type = change.tag ? spec::RefType::kTag : spec::RefType::kBranch;
  ref.name = change.name;
  RETURN_IF_ERROR(commit::ChangeRef(*table.catalog, table.id, ref));
  return {};
}

}  // namespace iceblink::engine
