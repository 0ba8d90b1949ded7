// Executor::Write: runs a source once per writing task and collects the files.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/data_writer.h"
#include "exec/duckdb_types.h"
#include "exec/executor_state.h"
#include "exec/lowering.h"
#include "exec/spark_error.h"
#include "exec/table_writing.h"
#include "exec/writing_tasks.h"
#include "io/file_system.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

namespace {

constexpr int64_t kKeptInOrder = 500'000;  // rows

std::string TransformSql(const spec::Transform& transform, const std::string& column) {
  std::string utc = "CAST(" + column + " AS TIMESTAMP)";
  switch (transform.kind()) {
    case spec::TransformKind::kIdentity:
      return column;
    case spec::TransformKind::kBucket:
      return fmt::format("ib_bucket({}, {})", transform.param(), column);
    case spec::TransformKind::kTruncate:
      return fmt::format("ib_truncate({}, {})", transform.param(), column);
    case spec::TransformKind::kYear:
      return "date_trunc('year', " + utc + ")";
    case spec::TransformKind::kMonth:
      return "date_trunc('month', " + utc + ")";
    case spec::TransformKind::kDay:
      return "date_trunc('day', " + utc + ")";
    case spec::TransformKind::kHour:
      return "date_trunc('hour', " + utc + ")";
    case spec::TransformKind::kVoid:
    case spec::TransformKind::kUnknown:
      return "";
  }
  return "";
}

// Column text of a field among the rows named c0, c1 ...; nested fields by steps.
std::string ColumnSql(const spec::Schema& schema, int32_t id) {
  if (auto parent = schema.ParentId(id)) {
    return "struct_extract(" + ColumnSql(schema, *parent) + ", " +
           QuoteText(schema.FindField(id)->name) + ")";
  }
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    if (schema.fields()[i].id == id) return "c" + std::to_string(i);
  }
  return "NULL";
}

}  // namespace

WriteSpec WithLineage(const WriteSpec& write) {
  WriteSpec out = write;
  std::vector<spec::NestedField> fields = write.schema->fields();
  fields.push_back(spec::NestedField::Optional(table::kRowIdId, "_row_id", spec::Type::Long()));
  fields.push_back(spec::NestedField::Optional(
      table::kLastUpdatedSequenceId, "_last_updated_sequence_number", spec::Type::Long()));
  out.schema = std::make_shared<const spec::Schema>(fields, write.schema->schema_id());
  return out;
}

namespace {

// Compaction moves rows unchanged: in version 3 they keep their lineage. Returns null for any other
// source.
plan::PlanPtr LineageSource(const plan::PlanPtr& source, const WriteSpec& write) {
  if (write.metadata->format_version < 3) return nullptr;
  plan::Plan copy = *source;
  if (auto* sort = std::get_if<plan::Sort>(&copy.node)) {
    sort->child = LineageSource(sort->child, write);
    if (sort->child == nullptr) return nullptr;
    copy.output = sort->child->output;
    return std::make_shared<const plan::Plan>(std::move(copy));
  }
  auto* scan = std::get_if<plan::TableScan>(&copy.node);
  if (scan == nullptr || scan->only_files == nullptr) return nullptr;
  plan::ColumnId id = 0x7ffffff0;
  for (int32_t field : {table::kRowIdId, table::kLastUpdatedSequenceId}) {
    plan::Column column{id++, "", sql::TypeKind::kBigInt, true};
    scan->columns.push_back({column, field});
    copy.output.push_back(column);
  }
  return std::make_shared<const plan::Plan>(std::move(copy));
}

}  // namespace

std::string WriteOrderSql(const WriteSpec& write) {
  const spec::SortOrder* order = write.metadata->SortOrderById(write.sort_order_id.value_or(0));
  if (order == nullptr || order->is_unsorted()) return "";
  std::vector<std::string> keys;
  const spec::PartitionSpec* spec = write.metadata->SpecById(write.spec_id);
  for (const spec::PartitionField& field : spec->fields) {
    std::string text = TransformSql(field.transform, ColumnSql(*write.schema, field.source_id));
    if (!text.empty()) keys.push_back(text + " ASC NULLS FIRST");
  }
  for (const spec::SortField& field : order->fields) {
    std::string text = TransformSql(field.transform, ColumnSql(*write.schema, field.source_id));
    if (text.empty()) continue;
    keys.push_back(
        text + (field.direction == spec::SortDirection::kAsc ? " ASC" : " DESC") +
        (field.null_order == spec::NullOrder::kNullsFirst ? " NULLS FIRST" : " NULLS LAST"));
  }
  return keys.empty() ? "" : " ORDER BY " + Join(keys, ", ");
}

std::string WriteRowsSql(const std::string& source, const std::vector<std::string>& columns,
                         const WriteSpec& write) {
  std::vector<std::string> items;
  const auto& fields = write.schema->fields();
  for (size_t i = 0; i < fields.size() && i < columns.size(); ++i) {
    if (fields[i].type.Is(spec::TypeKind::kUnknown)) continue;
    items.push_back(fmt::format("CAST({} AS {}) AS c{}", columns[i],
                                TypeSql(ToLogicalType(fields[i].type)), i));
  }
  std::string order = WriteOrderSql(write);
  std::string rows = "SELECT " + Join(items, ", ") + " FROM (" + source + ")";
  return order.empty() ? rows : "SELECT * FROM (" + rows + ")" + order;
}

Result<std::vector<spec::DataFile>> WriteQuery(DuckDbSession& session, const std::string& sql,
                                               const WriteSpec& write, int32_t task,
                                               const StatementContext& context, int64_t* rows) {
  ASSIGN_OR_RETURN(std::shared_ptr<DataFileSet> files,
                   DataFileSet::Make(session.files(), write, task));
  const bool ordered = !WriteOrderSql(write).empty();
  const bool partitioned = !write.metadata->SpecById(write.spec_id)->fields.empty();
  // Rows of little data keep the order in which one thread finds them; DuckDB's batches are too
  // coarse for small files.
  const bool large = session.objects().rows() > kKeptInOrder;
  const char* batches = files->has_small_targets() ? "iceblink_ordered"
                        : large && !ordered        ? "iceblink_any_order"
                                                   : "iceblink_batches";
  const char* mode = partitioned || write.deal_to > 1
                         ? (ordered ? "iceblink_ordered" : "iceblink_parallel")
                         : batches;
  std::string copy = fmt::format("COPY ({}) TO 'iceblink:{}' (FORMAT {})", sql,
                                 session.objects().Add(files), mode);
  auto run = session.Run(copy, context.on_progress);
  std::vector<spec::DataFile> out;
  Status status;
  if (!run) {
    status = Fail(run.error());
  } else {
    status = session.InTransaction([&](duckdb::ClientContext& client) -> Status {
      ASSIGN_OR_RETURN(out, files->Finish(client));
      return {};
    });
  }
  if (!status) {
    std::vector<std::string> created = files->created();
    files.reset();
    session.EndStatement();
    session.files().DeleteMany(created, {});
    return Fail(status.error());
  }
  *rows += files->rows();
  return out;
}

void DeleteWritten(DuckDbSession& session, const std::vector<spec::DataFile>& files) {
  std::vector<std::string> paths;
  for (const spec::DataFile& file : files) paths.push_back(file.file_path);
  session.files().DeleteMany(paths, {});
}

Result<WrittenFiles> Executor::Write(const plan::PlanPtr& given, const WriteSpec& given_write,
                                     const StatementContext& context) {
  return Guarded([&]() -> Result<WrittenFiles> {
    plan::PlanPtr lineage = LineageSource(given, given_write);
    const plan::PlanPtr& source = lineage != nullptr ? lineage : given;
    WriteSpec write = lineage != nullptr ? WithLineage(given_write) : given_write;
    DuckDbSession& session = state_->session;
    session.EndStatement();
    RETURN_IF_ERROR(session.Prepare({.core_functions = true, .parquet = true}));
    std::vector<TaskSlices> tasks(1);
    if (!write.one_task && !NeedsShuffle(write)) {
      if (write.metadata->SpecById(write.spec_id)->fields.empty())
        write.deal_to = DealtTasks(source);
      ASSIGN_OR_RETURN(tasks, SourceTasks(session, source, context.default_parallelism));
    }
    std::vector<std::string> columns;
    for (const plan::Column& column : source->output) columns.push_back(Lowering::Name(column.id));
    WrittenFiles out;
    Status status;
    for (size_t task = 0; task < tasks.size() && status; ++task) {
      Lowering lowering(context, session);
      lowering.Restrict(tasks[task]);
      auto written = Guarded([&]() -> Result<std::vector<spec::DataFile>> {
        ASSIGN_OR_RETURN(std::string sql, lowering.Query(source));
        Extensions needed = lowering.extensions();
        needed.parquet = true;
        RETURN_IF_ERROR(session.Prepare(needed));
        return WriteQuery(session, WriteRowsSql(sql, columns, write), write,
                          static_cast<int32_t>(task), context, &out.rows);
      });
      if (!written) {
        status = Fail(written.error());
        break;
      }
      out.data_files.insert(out.data_files.end(), written->begin(), written->end());
    }
    if (!status) {
      DeleteWritten(session, out.data_files);
      return Fail(status.error());
    }
    return out;
  });
}

}  // namespace iceblink::exec
