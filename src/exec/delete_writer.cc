#include "exec/delete_writer.h"

#include "base/strings.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "exec/duckdb_types.h"
#include "exec/file_encoder.h"
#include "exec/file_locations.h"
#include "exec/spark_error.h"
#include "io/file_system.h"
#include "io/puffin.h"
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

spec::Schema PositionsSchema() {
  return spec::Schema(
      {spec::NestedField::Required(table::kDeleteFilePathId, "file_path", spec::Type::String()),
       spec::NestedField::Required(table::kDeleteFilePosId, "pos", spec::Type::Long())});
}

struct PositionWriter {
  DuckDbSession& session;
  const WriteSpec& write;
  const FileSettings& settings;
  FileLocations& locations;
  std::vector<std::string> created;

  Result<spec::DataFile> Write(duckdb::ClientContext& context, const Group& group) {
    const std::string path = locations.Next(PartitionFolder(write, *group[0]->data_file), kSuffix,
                                            spec::FileFormatExtension(settings.format));
    created.push_back(path);
    const spec::Schema schema = PositionsSchema();
    auto encoder = OpenEncoder({context, session.files(), path, schema}, settings);
    duckdb::ColumnDataCollection rows(duckdb::BufferAllocator::Get(context),
                                      {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::BIGINT});
    AppendPositions(context, group, rows);
    encoder->Append(*encoder->Encode(rows));
    spec::DataFile out = Describe(*group[0]->data_file, path);
    out.format = settings.format;
    out.record_count = static_cast<int64_t>(rows.Count());
    encoder->Close(&out);
    // Avro files tell nothing of their content.
    if (settings.format != spec::FileFormat::kAvro) StoreBounds(group, &out);
    return out;
  }
};

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
  ASSIGN_OR_RETURN(const FileSettings settings,
                   FileSettings::MakeDeletes(*write.metadata, write.options));
  PositionWriter writer{session, write, settings, locations, {}};
  std::vector<spec::DataFile> out;
  Status status = session.InTransaction([&](duckdb::ClientContext& context) -> Status {
    for (const Group& group : groups) {
      ASSIGN_OR_RETURN(spec::DataFile file, writer.Write(context, group));
      out.push_back(std::move(file));
    }
    return {};
  });
  if (!status) {
    session.files().DeleteMany(writer.created, {});
    return Fail(status.error());
  }
  return out;
}

}  // namespace iceblink::exec
