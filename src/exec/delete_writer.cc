#include "exec/delete_writer.h"

#include "base/strings.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_types.h"
#include "exec/file_locations.h"
#include "exec/spark_error.h"
#include "io/file_system.h"
#include "io/puffin.h"
#include "parquet_shredding.hpp"
#include "parquet_writer.hpp"
#include "spec/single_value.h"
#include "table/metadata_columns.h"
#include "table/partition_types.h"

namespace iceblink::exec {

namespace {

constexpr std::string_view kSuffix = "-deletes";

spec::DataFile Describe(const spec::DataFile& data_file, std::string path) {
  spec::DataFile out;
  out.content = spec::DataFileContent::kPositionDeletes;
  out.spec_id = data_file.spec_id;
  out.partition = data_file.partition;
  out.file_path = std::move(path);
  return out;
}

std::string PartitionFolder(const WriteSpec& write, const spec::DataFile& file) {
  const spec::PartitionSpec* spec = write.metadata->SpecById(file.spec_id);
  return spec == nullptr ? ""
                         : spec::PartitionPath(*spec, write.metadata->schema(), file.partition);
}

// ---- deletion vectors
// ------------------------------------------------------------------------------------------------

Result<std::vector<spec::DataFile>> WriteVectors(DuckDbSession& session, const WriteSpec& write,
                                                 FileLocations& locations,
                                                 std::vector<FileDeletes>& deletes) {
  std::string path = locations.Next("", kSuffix, "puffin");
  ASSIGN_OR_RETURN(auto file, session.files().Create(path, io::WriteMode::kReplace));
  ASSIGN_OR_RETURN(io::PuffinWriter writer,
                   io::PuffinWriter::Create(std::move(file), {{"created-by", "iceblink"}}));
  std::vector<spec::DataFile> out;
  for (FileDeletes& one : deletes) {
    io::PuffinBlob blob;
    blob.type = std::string(io::kDeletionVectorBlob);
    blob.fields = {table::kRowPositionId};
    blob.properties = {{"referenced-data-file", one.data_file->file_path},
                       {"cardinality", std::to_string(one.positions.Cardinality())}};
    ASSIGN_OR_RETURN(io::PuffinBlob stored, writer.Add(std::move(blob), one.positions.ToBlob()));
    spec::DataFile described = Describe(*one.data_file, path);
    described.format = spec::FileFormat::kPuffin;
    described.record_count = one.positions.Cardinality();
    described.referenced_data_file = one.data_file->file_path;
    described.content_offset = stored.offset;
    described.content_size_in_bytes = stored.length;
    out.push_back(std::move(described));
  }
  RETURN_IF_ERROR(writer.Close());
  for (spec::DataFile& described : out) described.file_size_in_bytes = writer.length();
  (void)write;
  return out;
}

// ---- position delete files
// -------------------------------------------------------------------------------------------

using Group = std::vector<FileDeletes*>;

void AppendPositions(duckdb::ClientContext& context, const Group& group,
                     duckdb::ColumnDataCollection& rows) {
  duckdb::ColumnDataAppendState append;
  rows.InitializeAppend(append);
  duckdb::DataChunk chunk;
  chunk.Initialize(context, rows.Types());
  for (FileDeletes* one : group) {
    const duckdb::Value path(one->data_file->file_path);
    size_t count = 0;
    auto flush = [&] {
      if (count == 0) return;
      chunk.data[0].Reference(path);
      chunk.SetCardinality(count);
      rows.Append(append, chunk);
      chunk.Reset();
      count = 0;
    };
    one->positions.ForEach([&](int64_t position) {
      duckdb::FlatVector::GetData<int64_t>(chunk.data[1])[count++] = position;
      if (count == STANDARD_VECTOR_SIZE) flush();
      return true;
    });
    flush();
  }
}

// Bounds are exact: readers find the one data file by equal bounds of file_path.
void StoreBounds(const Group& group, spec::DataFile* file) {
  std::string low, high;
  int64_t first = INT64_MAX, last = 0;
  for (const FileDeletes* one : group) {
    const std::string& path = one->data_file->file_path;
    if (low.empty() || path < low) low = path;
    if (path > high) high = path;
    one->positions.ForEach([&](int64_t position) {
      first = std::min(first, position);
      last = std::max(last, position);
      return true;
    });
  }
  using table::kDeleteFilePathId, table::kDeleteFilePosId;
  spec::Type text = spec::Type::String(), number = spec::Type::Long();
  file->lower_bounds = spec::BoundMap({{kDeleteFilePathId, spec::ToBound(text, low)},
                                       {kDeleteFilePosId, spec::ToBound(number, first)}});
  file->upper_bounds = spec::BoundMap({{kDeleteFilePathId, spec::ToBound(text, high)},
                                       {kDeleteFilePosId, spec::ToBound(number, last)}});
}

Result<spec::DataFile> WriteGroup(duckdb::ClientContext& context, const WriteSpec& write,
                                  FileLocations& locations, const Group& group,
                                  std::vector<std::string>* created) {
  std::string path =
      locations.Next(PartitionFolder(write, *group[0]->data_file), kSuffix, "parquet");
  created->push_back(path);
  const std::string local = DuckDbPath(path);
  auto& fs = duckdb::FileSystem::GetFileSystem(context);
  if (size_t slash = local.rfind('/'); local[0] == '/' && slash > 0)
    fs.CreateDirectoriesRecursive(local.substr(0, slash));
  const duckdb::vector<duckdb::LogicalType> types = {duckdb::LogicalType::VARCHAR,
                                                     duckdb::LogicalType::BIGINT};
  duckdb::ChildFieldIDs ids;
  auto leaf = [](int32_t id) {
    duckdb::FieldID out(id);
    out.child_field_ids = duckdb::ChildFieldIDs();
    return out;
  };
  (*ids.ids)["file_path"] = leaf(table::kDeleteFilePathId);
  (*ids.ids)["pos"] = leaf(table::kDeleteFilePosId);
  duckdb::CopyFunctionFileStatistics statistics;
  duckdb::ParquetWriter writer(
      context, fs, local, types, {"file_path", "pos"}, duckdb_parquet::CompressionCodec::ZSTD,
      std::move(ids), duckdb::ShreddingType(), {}, nullptr, duckdb::optional_idx(), 1048576, false,
      0.01, 3, duckdb::ParquetVersion::V1, duckdb::GeoParquetVersion::NONE);
  writer.SetWrittenStatistics(statistics);
  duckdb::ColumnDataCollection rows(duckdb::BufferAllocator::Get(context), types);
  AppendPositions(context, group, rows);
  duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
  spec::DataFile out = Describe(*group[0]->data_file, path);
  out.split_offsets = {static_cast<int64_t>(writer.GetWriter().GetTotalWritten())};
  writer.Flush(rows, transform);
  writer.Finalize();
  out.format = spec::FileFormat::kParquet;
  out.record_count = static_cast<int64_t>(statistics.row_count);
  out.file_size_in_bytes = static_cast<int64_t>(statistics.file_size_bytes);
  StoreBounds(group, &out);
  auto size = [&](const char* column) {
    auto it = statistics.column_statistics.find(column);
    if (it == statistics.column_statistics.end()) return int64_t{0};
    return ParseInt64(it->second["column_size_bytes"].ToString()).value_or(0);
  };
  out.column_sizes = spec::CountMap({{table::kDeleteFilePathId, size("\"file_path\"")},
                                     {table::kDeleteFilePosId, size("\"pos\"")}});
  return out;
}

}  // namespace

Result<std::vector<spec::DataFile>> WriteDeletes(DuckDbSession& session, const WriteSpec& write,
                                                 std::vector<FileDeletes> deletes) {
  if (deletes.empty()) return std::vector<spec::DataFile>();
  ASSIGN_OR_RETURN(FileLocations locations,
                   FileLocations::Make(*write.metadata, write.operation_id, 0));
  if (write.metadata->format_version >= 3) return WriteVectors(session, write, locations, deletes);
  auto option = write.options.find("delete-granularity");
  std::string granularity = option != write.options.end()
                                ? option->second
                                : write.metadata->Property("write.delete.granularity", "file");
  std::map<std::string, Group> by_partition;
  std::vector<Group> groups;
  for (FileDeletes& one : deletes) {
    if (AsciiLower(granularity) == "partition") {
      by_partition[table::PartitionKey(one.data_file->spec_id, one.data_file->partition)].push_back(
          &one);
    } else {
      groups.push_back({&one});
    }
  }
  for (auto& [key, group] : by_partition) {
    std::sort(group.begin(), group.end(), [](const FileDeletes* a, const FileDeletes* b) {
      return a->data_file->file_path < b->data_file->file_path;
    });
    groups.push_back(std::move(group));
  }
  std::vector<spec::DataFile> out;
  std::vector<std::string> created;
  Status status = session.InTransaction([&](duckdb::ClientContext& context) -> Status {
    for (const Group& group : groups) {
      ASSIGN_OR_RETURN(spec::DataFile file, WriteGroup(context, write, locations, group, &created));
      out.push_back(std::move(file));
    }
    return {};
  });
  if (!status) {
    session.files().DeleteMany(created, {});
    return Fail(status.error());
  }
  return out;
}

}  // namespace iceblink::exec
