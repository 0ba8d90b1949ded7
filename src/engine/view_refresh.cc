// Views of DataFrames hold a plan. Each use sees the states that the plan's tables have then, as
// Spark does; what the plan takes from a table must still be there.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/name_resolver.h"
#include "plan/errors.h"
#include "plan/expression_tree.h"
#include "plan/types.h"
#include "table/metadata_columns.h"

namespace iceblink::engine {
namespace {

using plan::TableRef;

// The columns by their names in the new schema, and what became of those that are not as they were.
Result<std::vector<std::string>> Renumber(plan::TableScan& scan) {
  std::vector<std::string> changes;
  for (plan::ScanColumn& column : scan.columns) {
    if (table::IsReservedFieldId(column.field_id)) continue;
    const std::string name = sql::QuoteIdentifier(column.column.name);
    const spec::NestedField* field = scan.table.schema->FindField(column.column.name);
    if (field == nullptr) {
      changes.push_back("- " + name + " " + column.column.type.SqlString() + " has been removed");
      continue;
    }
    ASSIGN_OR_RETURN(sql::DataType type, plan::ToSparkType(field->type));
    if (!sql::DataType::EqualsIgnoringNullability(type, column.column.type)) {
      changes.push_back("- " + name + " type has changed from " + column.column.type.SqlString() +
                        " to " + type.SqlString());
    }
    column.field_id = field->id;
  }
  return changes;
}

Error NoLonger(const TableRef& table) {
  Error error = TableNotFound(table.identifier, "NoSuchTableException");
  const std::string quoted = sql::QuoteName(table.identifier);
  const std::string plain = Join(table.identifier, ".");
  if (size_t at = error.message.find(quoted); at != std::string::npos)
    error.message.replace(at, quoted.size(), plain);
  return error;
}

}  // namespace

Result<plan::PlanPtr> NameResolver::AsOfNow(const plan::TemporaryView& view) {
  auto refresh = [&](TableRef& table) -> Status {
    if (table.time_travel) return {};
    sql::Name name{table.catalog};
    name.insert(name.end(), table.identifier.begin(), table.identifier.end());
    ASSIGN_OR_RETURN(QualifiedName qualified, Qualify(name));
    ASSIGN_OR_RETURN(std::optional<catalog::LoadedTable> loaded, Load(qualified));
    if (!loaded) return Fail(NoLonger(table));
    table.metadata = loaded->metadata;
    table.metadata_location = loaded->metadata_location;
    table.schema = std::make_shared<const spec::Schema>(loaded->metadata->schema());
    table.snapshot_id = loaded->metadata->current_snapshot_id;
    if (!table.branch) return {};
    const spec::Snapshot* head = loaded->metadata->SnapshotOfRef(*table.branch);
    table.snapshot_id = head == nullptr ? std::nullopt : std::optional(head->snapshot_id);
    return {};
  };
  return plan::WithScans(view.plan, [&](const plan::PlanPtr& node) -> Result<plan::PlanPtr> {
    plan::Plan copy = *node;
    if (auto* metadata = std::get_if<plan::MetadataScan>(&copy.node)) {
      RETURN_IF_ERROR(refresh(metadata->table));
    } else if (auto* scan = std::get_if<plan::TableScan>(&copy.node);
               scan != nullptr && !scan->after_snapshot_id && !scan->table.time_travel) {
      RETURN_IF_ERROR(refresh(scan->table));
      ASSIGN_OR_RETURN(std::vector<std::string> changes, Renumber(*scan));
      if (!changes.empty())
        return plan::Raise("INCOMPATIBLE_COLUMN_CHANGES_AFTER_VIEW_WITH_PLAN_CREATION",
                           {{"viewName", sql::QuoteIdentifier(view.name)},
                            {"tableName", scan->table.QuotedName()},
                            {"colType", "data"},
                            {"errors", Join(changes, "\n")}});
    }
    return std::make_shared<const plan::Plan>(std::move(copy));
  });
}

}  // namespace iceblink::engine
