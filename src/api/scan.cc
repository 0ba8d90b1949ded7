#include "iceblink/scan.h"

#include <fmt/format.h>

#include "api/filter_sql.h"
#include "api/row_reader.h"
#include "api/state.h"
#include "base/strings.h"
#include "sql/identifier.h"
#include "table/scan.h"
#include "table/snapshots.h"

namespace iceblink {

struct TableScan::State {
  std::shared_ptr<TableState> table;
  expr::Expression filter;
  std::vector<std::string> columns;  // empty: all
  bool case_sensitive = true;
  bool stats = false;
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> ref;
  std::optional<int64_t> as_of_ms;

  // The snapshot to read, null for a table without one.
  Result<const spec::Snapshot*> Chosen(const spec::TableMetadata& metadata) const {
    if (snapshot_id) {
      const spec::Snapshot* found = metadata.SnapshotById(*snapshot_id);
      if (found == nullptr)
        return IllegalArgument(fmt::format("Cannot find snapshot with ID {}", *snapshot_id));
      return found;
    }
    if (ref) {
      const spec::Snapshot* found = metadata.SnapshotOfRef(*ref);
      if (found == nullptr && *ref != spec::kMainBranch)
        return IllegalArgument(fmt::format("Cannot find ref {}", *ref));
      return found;
    }
    if (as_of_ms) {
      const spec::Snapshot* found = nullptr;
      for (const spec::SnapshotLogEntry& entry : metadata.snapshot_log) {
        if (entry.timestamp_ms <= *as_of_ms) found = metadata.SnapshotById(entry.snapshot_id);
      }
      if (found == nullptr)
        return IllegalArgument(fmt::format("Cannot find a snapshot older than {}", *as_of_ms));
      return found;
    }
    return metadata.CurrentSnapshot();
  }

  // Names and types are the snapshot's where one was asked for, else the table's.
  const spec::Schema& SchemaOf(const spec::TableMetadata& metadata,
                               const spec::Snapshot* snapshot) const {
    const bool table_schema =
        snapshot == nullptr || (!snapshot_id && !as_of_ms && !IsTag(metadata));
    return table_schema ? metadata.schema() : metadata.SchemaOfSnapshot(*snapshot);
  }
  bool IsTag(const spec::TableMetadata& metadata) const {
    const spec::SnapshotRef* found = ref ? metadata.Ref(*ref) : nullptr;
    return found != nullptr && !found->is_branch();
  }

  Result<std::string> Sql() const;
};

TableScan::TableScan(std::shared_ptr<TableState> table) : state_(std::make_shared<State>()) {
  state_->table = std::move(table);
}

TableScan& TableScan::Filter(const Expression& filter) {
  state_->filter = expr::Expression::And(state_->filter, filter.rep());
  return *this;
}
TableScan& TableScan::Select(std::vector<std::string> columns) {
  state_->columns = std::move(columns);
  return *this;
}
TableScan& TableScan::CaseSensitive(bool case_sensitive) {
  state_->case_sensitive = case_sensitive;
  return *this;
}
TableScan& TableScan::UseSnapshot(int64_t snapshot_id) {
  state_->snapshot_id = snapshot_id;
  return *this;
}
TableScan& TableScan::UseRef(std::string branch_or_tag) {
  state_->ref = std::move(branch_or_tag);
  return *this;
}
TableScan& TableScan::AsOfTime(int64_t timestamp_ms) {
  state_->as_of_ms = timestamp_ms;
  return *this;
}
TableScan& TableScan::IncludeColumnStats() {
  state_->stats = true;
  return *this;
}

Result<std::vector<FileScanTask>> TableScan::PlanFiles() const {
  table::ScanRequest request;
  request.metadata = state_->table->Metadata();
  ASSIGN_OR_RETURN(const spec::Snapshot* snapshot, state_->Chosen(*request.metadata));
  if (snapshot == nullptr) return std::vector<FileScanTask>();
  request.snapshot_id = snapshot->snapshot_id;
  request.filter = state_->filter;
  request.schema = state_->SchemaOf(*request.metadata, snapshot);
  request.case_sensitive = state_->case_sensitive;
  if (state_->stats) request.stats = table::StatsSelection::All();
  ASSIGN_OR_RETURN(auto tasks, table::PlanFiles(state_->table->Reading(), std::move(request)));
  std::vector<FileScanTask> out;
  for (table::FileScanTask& task : tasks) {
    FileScanTask planned{
        Wrap(std::move(task.file)), task.data_sequence_number, {}, Wrap(task.residual)};
    for (const table::DeleteFilePtr& file : task.deletes)
      planned.deletes.push_back(Wrap(file->file));
    out.push_back(std::move(planned));
  }
  return out;
}

Result<std::string> TableScan::State::Sql() const {
  const spec::TableMetadataPtr metadata = table->Metadata();
  ASSIGN_OR_RETURN(const spec::Snapshot* snapshot, Chosen(*metadata));
  const spec::Schema& schema = SchemaOf(*metadata, snapshot);
  ASSIGN_OR_RETURN(const expr::Expression bound, expr::Bind(filter, schema, case_sensitive));
  std::vector<std::string> items;
  for (const std::string& name : columns) {
    const spec::NestedField* field = schema.FindField(name, case_sensitive);
    if (field == nullptr) return IllegalArgument(fmt::format("Cannot find column {}", name));
    items.push_back(sql::QuoteName(Split(schema.FullName(field->id), '.')));
  }
  const std::string catalog = table->catalog->catalog->name();
  std::vector<std::string> name{catalog};
  name.insert(name.end(), table->id.ns.begin(), table->id.ns.end());
  name.push_back(table->id.name);
  std::string version;
  if (&schema != &metadata->schema()) {
    version = fmt::format(" VERSION AS OF {}", snapshot->snapshot_id);
  } else if (ref && *ref != spec::kMainBranch) {
    version = " VERSION AS OF " + fmt::format("'{}'", *ref);
  } else if (snapshot_id || as_of_ms) {
    version = fmt::format(" VERSION AS OF {}", snapshot->snapshot_id);
  }
  return fmt::format("SELECT {} FROM {}{} WHERE {}", items.empty() ? "*" : Join(items, ", "),
                     sql::QuoteName(name), version,
                     FilterSql(bound, sql::QuoteName({catalog, "system"})));
}

Result<std::unique_ptr<RowReader>> TableScan::ReadRows() const {
  ASSIGN_OR_RETURN(std::string sql, state_->Sql());
  auto session = std::make_unique<engine::Session>(
      engine::SessionOptions{.settings = {{"spark.sql.session.timeZone", "UTC"}}});
  session->state().catalogs.Put(state_->table->catalog->catalog);
  ASSIGN_OR_RETURN(engine::StatementResult result, session->Execute(sql));
  return std::make_unique<ResultReader>(std::move(result), std::move(session));
}

}  // namespace iceblink
