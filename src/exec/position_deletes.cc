#include "exec/position_deletes.h"

#include <fmt/format.h>

#include "exec/delete_writer.h"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"

namespace iceblink::exec {

using io::PositionBitmap;

Status ReadPositionDeletes(DuckDbSession& session, const spec::DataFile& deletes,
                           std::map<std::string, PositionBitmap>* out) {
  if (deletes.format != spec::FileFormat::kParquet) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("Cannot read {} delete files: {}", spec::FileFormatName(deletes.format),
                            deletes.file_path),
                "UnsupportedOperationException");
  }
  std::string sql =
      "SELECT file_path, pos FROM read_parquet(" + QuoteText(DuckDbPath(deletes.file_path)) + ")";
  ASSIGN_OR_RETURN(auto result, session.RunAside(sql));
  std::string path;
  PositionBitmap* bitmap = nullptr;
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session.Fetch(*result));
    if (chunk == nullptr) return {};
    duckdb::UnifiedVectorFormat paths, positions;
    chunk->data[0].ToUnifiedFormat(chunk->size(), paths);
    chunk->data[1].ToUnifiedFormat(chunk->size(), positions);
    for (size_t i = 0; i < chunk->size(); ++i) {
      const auto& text =
          duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(paths)[paths.sel->get_index(i)];
      std::string_view next(text.GetData(), text.GetSize());
      if (bitmap == nullptr || next != path) {
        path = next;
        bitmap = &(*out)[path];
      }
      bitmap->Add(
          duckdb::UnifiedVectorFormat::GetData<int64_t>(positions)[positions.sel->get_index(i)]);
    }
  }
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
