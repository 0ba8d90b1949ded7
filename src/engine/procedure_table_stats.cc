// compute_table_stats: a theta sketch of each column's distinct values in a Puffin file.
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/table_write.h"
#include "io/puffin.h"
#include "io/theta_sketch.h"
#include "spec/single_value.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

Result<std::vector<const spec::NestedField*>> ColumnsOf(const ProcedureCall& call,
                                                        const spec::Schema& schema) {
  std::vector<const spec::NestedField*> columns;
  if (!call.Has("columns") || call.Argument("columns").elements().empty()) {
    for (const spec::NestedField& field : schema.fields()) {
      if (field.type.is_primitive()) columns.push_back(&field);
    }
    return columns;
  }
  for (const std::string& name : call.Strings("columns")) {
    const spec::NestedField* field = schema.FindField(name);
    if (field == nullptr)
      return IllegalArgument("Can't find column " + name + " in " + schema.ToString());
    if (!field->type.is_primitive()) {
      return IllegalArgument("Can't compute stats on non-primitive type column: " + name + " (" +
                             field->type.ToString() + ")");
    }
    columns.push_back(field);
  }
  return columns;
}

// The single-value bytes of a result's value; uuids come as text.
Bytes BytesOf(const spec::Type& type, const Value& value) {
  if (!type.Is(spec::TypeKind::kUuid) || !value.Is<std::string>())
    return spec::ToBound(type, value);
  auto uuid = Uuid::Parse(value.As<std::string>());
  return uuid ? Bytes{uuid->ToBytes()} : Bytes{};
}

Result<io::ThetaSketch> SketchOf(const ProcedureCall& call, const TableHandle& table,
                                 const spec::Snapshot& snapshot, const spec::NestedField& column) {
  sql::Name name{table.catalog_name};
  name.insert(name.end(), table.id.ns.begin(), table.id.ns.end());
  name.push_back(table.id.name);
  const sql::Name path =
      Split(table.metadata().SchemaOfSnapshot(snapshot).FullName(column.id), '.');
  const std::string quoted = sql::QuoteName(path);
  ASSIGN_OR_RETURN(sql::QueryPtr query,
                   sql::ParseQuery("SELECT DISTINCT " + quoted + " FROM " + sql::QuoteName(name) +
                                   " VERSION AS OF " + std::to_string(snapshot.snapshot_id) +
                                   " WHERE " + quoted + " IS NOT NULL"));
  ASSIGN_OR_RETURN(plan::PlanPtr plan, call.scope.analyzer.AnalyzeQuery(*query));
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                   call.scope.executor().Query(plan, call.scope.context()));
  io::ThetaSketch sketch;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, cursor->Next());
    if (rows.empty()) return sketch;
    for (const ValueList& row : rows) sketch.Update(BytesOf(column.type, row[0]).data);
  }
}

}  // namespace

Result<ProcedureRows> ComputeTableStats(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  const spec::TableMetadata& metadata = table.metadata();
  ASSIGN_OR_RETURN(const spec::Snapshot* snapshot, call.Snapshot(metadata));
  if (snapshot == nullptr) return ProcedureRows();
  ASSIGN_OR_RETURN(auto columns, ColumnsOf(call, metadata.SchemaOfSnapshot(*snapshot)));
  spec::StatisticsFile statistics;
  statistics.snapshot_id = snapshot->snapshot_id;
  statistics.path = catalog::MetadataFolder(metadata) + "/" +
                    std::to_string(snapshot->snapshot_id) + "-" + NewUuid() + ".stats";
  std::vector<std::pair<const spec::NestedField*, io::ThetaSketch>> sketches;
  for (const spec::NestedField* column : columns) {
    ASSIGN_OR_RETURN(io::ThetaSketch sketch, SketchOf(call, table, *snapshot, *column));
    sketches.emplace_back(column, std::move(sketch));
  }
  ASSIGN_OR_RETURN(auto file,
                   table.catalog->file_system().Create(statistics.path, io::WriteMode::kReplace));
  ASSIGN_OR_RETURN(io::PuffinWriter writer,
                   io::PuffinWriter::Create(std::move(file), {{"created-by", "iceblink"}}));
  for (const auto& [column, sketch] : sketches) {
    io::PuffinBlob blob;
    blob.type = std::string(io::kThetaSketchBlob);
    blob.fields = {column->id};
    blob.snapshot_id = snapshot->snapshot_id;
    blob.sequence_number = snapshot->sequence_number;
    blob.codec = io::PuffinCodec::kZstd;
    blob.properties = {{"ndv", std::to_string(sketch.Estimate())}};
    statistics.blob_metadata.push_back(
        {blob.type, blob.snapshot_id, blob.sequence_number, blob.fields, blob.properties});
    RETURN_IF_ERROR(writer.Add(std::move(blob), sketch.Compact()));
  }
  RETURN_IF_ERROR(writer.Close());
  statistics.file_size_in_bytes = writer.length();
  statistics.file_footer_size_in_bytes = writer.footer_size();
  const std::string path = statistics.path;
  RETURN_IF_ERROR(commit::CommitUpdates(
      *table.catalog, table.id,
      [&](const spec::TableMetadata&) -> Result<std::vector<spec::TableUpdate>> {
        return std::vector<spec::TableUpdate>{spec::update::SetStatistics{statistics}};
      },
      TransactionOptions(call.scope)));
  return ProcedureRows{{Value(path)}};
}

}  // namespace iceblink::engine
