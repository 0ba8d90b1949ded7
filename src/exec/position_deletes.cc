#include "exec/position_deletes.h"

#include "exec/delete_writer.h"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/iceberg_scan.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

using io::PositionBitmap;

namespace {

// A scan of the columns of delete files by their reserved ids.
std::string PositionsSql(DuckDbSession& session, const spec::DataFile& deletes) {
  auto scan = std::make_shared<PlannedScan>();
  const auto field = [&](const char* name, int32_t id, spec::Type type) {
    const duckdb::LogicalType duck = ToLogicalType(type);
    scan->fields.push_back(
        {name, spec::NestedField::Optional(id, name, std::move(type)), duck, ScanSource::kField});
  };
  field("file_path", table::kDeleteFilePathId, spec::Type::String());
  field("pos", table::kDeleteFilePosId, spec::Type::Long());
  scan->schema = std::make_shared<const spec::Schema>(
      std::vector<spec::NestedField>{scan->fields[0].field, scan->fields[1].field}, 0);
  table::FileScanTask task;
  task.file = deletes;
  scan->rows = deletes.record_count;
  scan->tasks.push_back(std::move(task));
  scan->deleted.resize(1);
  return "SELECT file_path, pos FROM " + ScanSql(session, "position_deletes", std::move(scan));
}

}  // namespace

Status VisitPositionDeletes(DuckDbSession& session, const spec::DataFile& deletes,
                            const std::function<Status(std::string_view, int64_t)>& visit) {
  // Parquet files by name: some writers leave out the ids.
  const std::string sql = deletes.format == spec::FileFormat::kParquet
                              ? "SELECT file_path, pos FROM read_parquet(" +
                                    QuoteText(DuckDbPath(deletes.file_path)) + ")"
                              : PositionsSql(session, deletes);
  ASSIGN_OR_RETURN(auto result, session.RunAside(sql));
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session.Fetch(*result));
    if (chunk == nullptr) return {};
    duckdb::UnifiedVectorFormat paths, positions;
    chunk->data[0].ToUnifiedFormat(chunk->size(), paths);
    chunk->data[1].ToUnifiedFormat(chunk->size(), positions);
    for (size_t i = 0; i < chunk->size(); ++i) {
      const auto& text =
          duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(paths)[paths.sel->get_index(i)];
      RETURN_IF_ERROR(visit(
          {text.GetData(), text.GetSize()},
          duckdb::UnifiedVectorFormat::GetData<int64_t>(positions)[positions.sel->get_index(i)]));
    }
  }
}

Status ReadPositionDeletes(DuckDbSession& session, const spec::DataFile& deletes,
                           std::map<std::string, PositionBitmap>* out) {
  std::string path;
  PositionBitmap* bitmap = nullptr;
  return VisitPositionDeletes(session, deletes,
                              [&](std::string_view next, int64_t position) -> Status {
                                if (bitmap == nullptr || next != path) {
                                  path = next;
                                  bitmap = &(*out)[path];
                                }
                                bitmap->Add(position);
                                return {};
                              });
}

Result<std::vector<spec::DataFile>> RewritePositionDeletes(
    io::FileSystem& files, const WriteSpec& write, const std::vector<spec::DataFile>& deletes,
    const std::unordered_map<std::string, spec::DataFile>& live) {
  DuckDbSession session({.files = &files});
  RETURN_IF_ERROR(session.Prepare({.core_functions = true, .parquet = true}));
  std::map<std::string, PositionBitmap> positions;
  for (const spec::DataFile& file : deletes)
    RETURN_IF_ERROR(ReadPositionDeletes(session, file, &positions));
  std::vector<FileDeletes> kept;
  for (auto& [path, bitmap] : positions) {
    auto at = live.find(path);
    if (at != live.end()) kept.push_back({&at->second, std::move(bitmap)});
  }
  return WriteDeletes(session, write, std::move(kept));
}

}  // namespace iceblink::exec
