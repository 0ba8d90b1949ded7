// Planning of Iceberg scans: files, columns and partition tuples of a TableScan, and its SQL text.
#include <fmt/format.h>

#include <set>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/iceberg_scan.h"
#include "exec/lowering.h"
#include "exec/orc_limits.h"
#include "exec/position_deletes.h"
#include "exec/table_functions.h"
#include "plan/types.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

namespace {

// Auxiliary columns carry ids that no field has.
constexpr int32_t kFirstRowIdAux = -1001;
constexpr int32_t kSequenceAux = -1002;
constexpr int32_t kOrdinalAux = -1003;

struct ColumnPlan {
  std::vector<ScanField> fields;
  std::vector<std::string> items;  // SELECT items, one per requested column
};

ScanField MetadataField(const char* name, int32_t id, duckdb::LogicalType type, ScanSource source) {
  return {name, spec::NestedField::Optional(id, name, spec::Type::Long()), std::move(type), source};
}

void AddField(ColumnPlan& plan, ScanField field) {
  for (const ScanField& have : plan.fields) {
    if (have.field.id == field.field.id) return;
  }
  plan.fields.push_back(std::move(field));
}

// The stored value of a lineage column, else what its file says.
std::string AddLineageColumn(int32_t field_id, ColumnPlan& plan) {
  using duckdb::LogicalType;
  bool row_id = field_id == table::kRowIdId;
  const char* stored = row_id ? "_row_id" : "_last_updated_sequence_number";
  AddField(plan, MetadataField(stored, field_id, LogicalType::BIGINT, ScanSource::kField));
  if (row_id) {
    AddField(plan, MetadataField("_first_row_id", kFirstRowIdAux, LogicalType::BIGINT,
                                 ScanSource::kFirstRowId));
    return "CASE WHEN \"_first_row_id\" IS NOT NULL THEN coalesce(\"_row_id\", \"_first_row_id\" + "
           "file_row_number) END";
  }
  AddField(plan,
           MetadataField("_sequence", kSequenceAux, LogicalType::BIGINT, ScanSource::kSequence));
  return "CASE WHEN \"_sequence\" IS NOT NULL THEN coalesce(\"_last_updated_sequence_number\", "
         "\"_sequence\") END";
}

// The columns by reserved id; false when the id is not one.
Result<bool> AddMetadataColumn(const plan::TableScan& scan, const plan::ScanColumn& column,
                               ColumnPlan& plan) {
  using duckdb::LogicalType;
  std::string text;
  switch (column.field_id) {
    case table::kFilePathId:
      AddField(plan,
               MetadataField("_file", column.field_id, LogicalType::VARCHAR, ScanSource::kFile));
      text = "\"_file\"";
      break;
    case table::kRowPositionId:
      text = "file_row_number";
      break;
    case table::kIsDeletedId:
      AddField(plan, MetadataField("_ordinal", kOrdinalAux, LogicalType::BIGINT,
                                   ScanSource::kFileOrdinal));
      text = "";  // made by the caller, who knows the scan's number
      break;
    case table::kSpecIdId:
      AddField(plan, MetadataField("_spec_id", column.field_id, LogicalType::INTEGER,
                                   ScanSource::kSpecId));
      text = "\"_spec_id\"";
      break;
    case table::kPartitionId: {
      ASSIGN_OR_RETURN(
          spec::StructType type,
          spec::UnionPartitionType(scan.table.metadata->schema(), scan.table.metadata->specs));
      ScanField field{"_partition",
                      spec::NestedField::Optional(column.field_id, "_partition", spec::Type(type)),
                      ToLogicalType(spec::Type(type)), ScanSource::kPartition};
      text = "CAST(\"_partition\" AS " + TypeSql(column.column.type) + ")";
      AddField(plan, std::move(field));
      break;
    }
    case table::kRowIdId:
    case table::kLastUpdatedSequenceId:
      text = AddLineageColumn(column.field_id, plan);
      break;
    case table::kChangeTypeId:
    case table::kChangeOrdinalId:
    case table::kCommitSnapshotIdId: {
      std::string name = "f" + std::to_string(column.field_id);
      AddField(plan, MetadataField(name.c_str(), column.field_id, ToLogicalType(column.column.type),
                                   ScanSource::kChange));
      text = QuoteIdentifier(name);
      break;
    }
    default:
      return false;
  }
  plan.items.push_back(text);
  return true;
}

Result<ColumnPlan> PlanColumns(const plan::TableScan& scan) {
  ColumnPlan out;
  for (const plan::ScanColumn& column : scan.columns) {
    if (table::IsReservedFieldId(column.field_id)) {
      ASSIGN_OR_RETURN(bool known, AddMetadataColumn(scan, column, out));
      if (known) continue;
    }
    const spec::NestedField* field = scan.table.schema->FindField(column.field_id);
    if (field == nullptr)
      return Fail(ErrorCode::kInternal, "scan of unknown field " + std::to_string(column.field_id));
    // A user's column of a metadata column's name keeps its name; ours start with an underscore and
    // are few.
    std::string name = "f" + std::to_string(field->id) + "_" + field->name;
    if (field->type.Is(spec::TypeKind::kUnknown)) {
      out.items.push_back("CAST(NULL AS " + TypeSql(column.column.type) + ")");
      continue;
    }
    ScanField wanted{name, *field, ToLogicalType(field->type), ScanSource::kField};
    std::string text = QuoteIdentifier(name);
    if (wanted.type != ToLogicalType(column.column.type)) {
      text = "CAST(" + text + " AS " + TypeSql(column.column.type) + ")";
    }
    AddField(out, std::move(wanted));
    out.items.push_back(std::move(text));
  }
  return out;
}

// Tuples as values of the union type, one per distinct (spec, tuple).
Status FillUnionPartitions(PlannedScan& scan) {
  ASSIGN_OR_RETURN(spec::StructType type,
                   spec::UnionPartitionType(scan.metadata->schema(), scan.metadata->specs));
  for (const table::FileScanTask& task : scan.tasks) {
    const spec::PartitionSpec* spec = scan.metadata->SpecById(task.file.spec_id);
    auto values = std::make_shared<std::vector<Value>>(type.fields.size());
    for (size_t i = 0; spec != nullptr && i < spec->fields.size() && i < task.file.partition.size();
         ++i) {
      for (size_t u = 0; u < type.fields.size(); ++u) {
        if (type.fields[u].id == spec->fields[i].field_id) (*values)[u] = task.file.partition[i];
      }
    }
    scan.union_partitions.push_back(std::move(values));
  }
  return {};
}

// Reads the bounds of timestamps only where there are ORC files.
Status CheckOrc(DuckDbSession& session, const plan::TableScan& scan, table::ScanRequest request,
                const PlannedScan& planned) {
  std::set<int32_t> ids;
  for (const plan::ScanColumn& column : scan.columns) {
    const spec::NestedField* field = scan.table.schema->FindField(column.field_id);
    if (field != nullptr) CollectTimestamps(*field, &ids);
  }
  std::set<std::string> files;
  for (const table::FileScanTask& task : planned.tasks) {
    if (task.file.format == spec::FileFormat::kOrc) files.insert(task.file.file_path);
  }
  if (ids.empty() || files.empty()) return {};
  request.stats = table::StatsSelection::Of(ids);
  ASSIGN_OR_RETURN(auto tasks, table::PlanFiles(session.reading(), std::move(request)));
  for (const table::FileScanTask& task : tasks) {
    if (files.contains(task.file.file_path)) RETURN_IF_ERROR(CheckOrcTimestamps(task.file, ids));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<PlannedScan>> PlanScan(DuckDbSession& session, const plan::TableScan& scan) {
  auto out = std::make_shared<PlannedScan>();
  out->metadata = scan.table.metadata;
  out->schema = scan.table.schema;
  std::string mapping = scan.table.metadata->Property("schema.name-mapping.default");
  if (!mapping.empty()) {
    ASSIGN_OR_RETURN(out->name_mapping, spec::ParseNameMapping(mapping));
  }
  table::ScanRequest request;
  request.metadata = scan.table.metadata;
  request.snapshot_id = scan.table.snapshot_id;
  request.after_snapshot_id = scan.after_snapshot_id;
  request.filter = scan.filter;
  request.schema = *scan.table.schema;
  request.stats = table::StatsSelection::None();
  ASSIGN_OR_RETURN(out->tasks, table::PlanFiles(session.reading(), request));
  if (scan.only_files != nullptr) {
    std::erase_if(out->tasks, [&](const table::FileScanTask& task) {
      return !scan.only_files->contains(task.file.file_path);
    });
  }
  for (const table::FileScanTask& task : out->tasks) out->rows += task.file.record_count;
  RETURN_IF_ERROR(CheckOrc(session, scan, std::move(request), *out));
  out->deleted.resize(out->tasks.size());
  return out;
}

Result<std::string> ScanSelectSql(DuckDbSession& session, const plan::TableScan& node,
                                  std::shared_ptr<PlannedScan> scan, bool row_address) {
  ASSIGN_OR_RETURN(ColumnPlan columns, PlanColumns(node));
  bool wants_deleted = false, wants_partition = false;
  for (const plan::ScanColumn& column : node.columns) {
    wants_deleted = wants_deleted || column.field_id == table::kIsDeletedId;
    wants_partition = wants_partition || column.field_id == table::kPartitionId;
  }
  std::vector<std::string> items;
  if (scan->tasks.empty()) {
    for (const plan::ScanColumn& column : node.columns) {
      items.push_back("CAST(NULL AS " + TypeSql(column.column.type) + ") AS " +
                      Lowering::Name(column.column.id));
    }
    if (row_address) items.push_back("CAST(NULL AS BIGINT) AS f, CAST(NULL AS BIGINT) AS p");
    if (items.empty()) items.push_back("0 AS z");
    return "SELECT " + Join(items, ", ") + " WHERE false";
  }
  scan->fields = columns.fields;
  if (scan->fields.empty() || row_address) {  // count(*): the reader needs one column
    ColumnPlan more{std::move(scan->fields), {}};
    AddField(more, MetadataField("_ordinal", kOrdinalAux, duckdb::LogicalType::BIGINT,
                                 ScanSource::kFileOrdinal));
    scan->fields = std::move(more.fields);
  }
  if (wants_partition && scan->union_partitions.empty())
    RETURN_IF_ERROR(FillUnionPartitions(*scan));
  scan->apply_deletes = !wants_deleted;
  session.objects().AddRows(scan->rows);
  std::vector<ReadAhead::File> files;
  for (const table::FileScanTask& task : scan->tasks)
    files.push_back({task.file.file_path, task.file.file_size_in_bytes});
  session.read_ahead().Expect(std::move(files));
  ConnectScan(session, *scan);
  const std::string function = ScanFunction(*scan);
  int64_t id = session.objects().Add(scan);
  for (size_t i = 0; i < node.columns.size(); ++i) {
    std::string text = columns.items[i];
    if (node.columns[i].field_id == table::kIsDeletedId) {
      text = fmt::format("iceblink_is_deleted({}, \"_ordinal\", file_row_number)", id);
    }
    items.push_back(text + " AS " + Lowering::Name(node.columns[i].column.id));
  }
  if (row_address) items.push_back("\"_ordinal\" AS f, file_row_number AS p");
  if (items.empty()) items.push_back("\"_ordinal\" AS z");
  return fmt::format("SELECT {} FROM {}({})", Join(items, ", "), function,
                     QuoteText(node.table.DottedName() + "#" + std::to_string(id)));
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::TableScan& node) {
  NeedParquet();
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> scan, PlanScan(session_, node));
  if (const Slice* slice = SliceOf(plan)) {
    auto begin = scan->tasks.begin();
    scan->tasks = {begin + slice->begin,
                   begin + std::min<int64_t>(slice->end, static_cast<int64_t>(scan->tasks.size()))};
    scan->rows = 0;
    for (const table::FileScanTask& task : scan->tasks) scan->rows += task.file.record_count;
  }
  RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
  RETURN_IF_ERROR(LoadDeletes(session_, *scan));
  return ScanSelectSql(session_, node, std::move(scan), false);
}

Result<std::string> Lowering::Select(const plan::Plan& plan, const plan::MetadataScan& node) {
  table::MetadataTableRequest request;
  request.kind = node.kind;
  request.metadata = node.table.metadata;
  request.metadata_location = node.table.metadata_location;
  request.snapshot_id = node.table.snapshot_id;
  DuckDbSession* session = &session_;
  if (node.kind == table::MetadataTableKind::kPositionDeletes) {
    NeedParquet();
    RETURN_IF_ERROR(session_.Prepare({.core_functions = true, .parquet = true}));
    request.read_position_deletes = [session](const spec::DataFile& file,
                                              const table::PositionVisitor& visit) -> Status {
      return VisitPositionDeletes(*session, file, [&](std::string_view path, int64_t position) {
        return visit(std::string(path), position, {});
      });
    };
  }
  auto rows = std::make_shared<RowSource>();
  std::vector<std::string> items;
  ASSIGN_OR_RETURN(spec::Schema schema,
                   table::MetadataTableSchema(node.kind, *node.table.metadata));
  for (size_t i = 0; i < plan.output.size(); ++i) {
    rows->names.push_back("m" + std::to_string(i));
    rows->types.push_back(ToLogicalType(schema.fields()[i].type));
    std::string text = rows->names.back();
    if (rows->types.back() != ToLogicalType(plan.output[i].type)) {
      text = "CAST(" + text + " AS " + TypeSql(plan.output[i].type) + ")";
    }
    items.push_back(text + " AS " + Name(plan.output[i].id));
  }
  auto state = std::make_shared<std::unique_ptr<table::MetadataRows>>();
  rows->next = [session, request, state]() -> Result<std::vector<ValueList>> {
    if (*state == nullptr) {
      ASSIGN_OR_RETURN(*state, table::OpenMetadataTable(session->reading(), request));
    }
    return (*state)->Next();
  };
  return fmt::format(
      "SELECT {} FROM iceblink_rows({}, {})", Join(items, ", "),
      QuoteText(node.table.DottedName() + "." + std::string(table::MetadataTableName(node.kind))),
      objects_.Add(rows));
}

}  // namespace iceblink::exec
