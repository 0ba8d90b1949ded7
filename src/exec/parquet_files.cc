#include "exec/parquet_files.h"

#include <fmt/format.h>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_session.h"
#include "exec/duckdb_types.h"
#include "exec/spark_error.h"
#include "parquet_shredding.hpp"
#include "parquet_writer.hpp"
#include "table/metadata_columns.h"

namespace iceblink::exec {
namespace {

duckdb::FieldID FieldIdOf(const spec::NestedField& field) {
  duckdb::FieldID id(field.id);
  id.child_field_ids = duckdb::ChildFieldIDs();
  if (field.type.Is(spec::TypeKind::kStruct)) {
    for (const spec::NestedField& child : field.type.AsStruct().fields)
      (*id.child_field_ids.ids)[child.name] = FieldIdOf(child);
  }
  return id;
}

void WriteRows(duckdb::ClientContext& context, const std::string& local, const spec::Schema& schema,
               std::span<const ValueList> rows) {
  auto& fs = duckdb::FileSystem::GetFileSystem(context);
  if (size_t slash = local.rfind('/'); local[0] == '/' && slash > 0)
    fs.CreateDirectoriesRecursive(local.substr(0, slash));
  duckdb::ChildFieldIDs ids;
  duckdb::vector<std::string> names;
  duckdb::vector<duckdb::LogicalType> types;
  for (const spec::NestedField& field : schema.fields()) {
    names.push_back(field.name);
    types.push_back(ToLogicalType(field.type));
    (*ids.ids)[field.name] = FieldIdOf(field);
  }
  duckdb::ParquetWriter writer(
      context, fs, local, types, names, duckdb_parquet::CompressionCodec::GZIP, std::move(ids),
      duckdb::ShreddingType(), {}, nullptr, duckdb::optional_idx(), 1048576, false, 0.01, 3,
      duckdb::ParquetVersion::V1, duckdb::GeoParquetVersion::NONE);
  duckdb::ColumnDataCollection collection(duckdb::BufferAllocator::Get(context), types);
  duckdb::ColumnDataAppendState append;
  collection.InitializeAppend(append);
  duckdb::DataChunk chunk;
  chunk.Initialize(context, types);
  for (size_t begin = 0; begin < rows.size(); begin += STANDARD_VECTOR_SIZE) {
    const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, rows.size() - begin);
    chunk.Reset();
    for (size_t i = 0; i < count; ++i) {
      for (size_t c = 0; c < types.size(); ++c)
        chunk.SetValue(c, i, ToDuckDb(rows[begin + i][c], types[c]));
    }
    chunk.SetCardinality(count);
    collection.Append(append, chunk);
  }
  duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
  writer.Flush(collection, transform);
  writer.Finalize();
}

Result<int64_t> SizeOf(io::FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const io::FileInfo info, files.Stat(path));
  return info.size;
}

Error Unknown(const std::string& path, const std::string& name) {
  return Error::Make(ErrorCode::kCorrupt, "Cannot read column " + name + " of " + path,
                     "IllegalArgumentException");
}

// Where each column of the file is in `fields`.
Result<std::vector<size_t>> PositionsOf(const std::string& path,
                                        const std::vector<std::string>& names,
                                        const std::vector<spec::NestedField>& fields) {
  std::vector<size_t> positions;
  for (const std::string& name : names) {
    size_t at = 0;
    while (at < fields.size() && fields[at].name != name) ++at;
    if (at == fields.size()) return Fail(Unknown(path, name));
    positions.push_back(at);
  }
  return positions;
}

Result<Value> ReadStruct(const std::string& path, const duckdb::Value& value,
                         const spec::StructType& type) {
  std::vector<std::string> names;
  for (const auto& [name, child] : duckdb::StructType::GetChildTypes(value.type()))
    names.push_back(name);
  ASSIGN_OR_RETURN(std::vector<size_t> positions, PositionsOf(path, names, type.fields));
  ValueList fields(type.fields.size());
  const auto& children = duckdb::StructValue::GetChildren(value);
  for (size_t i = 0; i < children.size(); ++i) {
    const duckdb::LogicalType wanted = ToLogicalType(type.fields[positions[i]].type);
    fields[positions[i]] = FromDuckDb(children[i].DefaultCastAs(wanted));
  }
  return Value::Struct(std::move(fields));
}

}  // namespace

ParquetFiles::ParquetFiles(io::FileSystem& files)
    : session_(std::make_unique<DuckDbSession>(ExecutorOptions{.files = &files})) {}
ParquetFiles::~ParquetFiles() = default;

Status ParquetFiles::Open() { return session_->Prepare({.core_functions = true, .parquet = true}); }

Result<int64_t> ParquetFiles::Write(const std::string& path, const spec::Schema& schema,
                                    std::span<const ValueList> rows) {
  RETURN_IF_ERROR(Open());
  Status status = session_->InTransaction([&](duckdb::ClientContext& context) -> Status {
    return Guarded([&]() -> Status {
      WriteRows(context, DuckDbPath(path), schema, rows);
      return {};
    });
  });
  if (!status) {
    session_->files().DeleteMany({path}, {});
    return Fail(status.error());
  }
  return SizeOf(session_->files(), path);
}

Result<std::vector<ValueList>> ParquetFiles::Read(const std::string& path,
                                                  const spec::Schema& schema) {
  RETURN_IF_ERROR(Open());
  return Guarded([&]() -> Result<std::vector<ValueList>> {
    ASSIGN_OR_RETURN(auto result, session_->RunAside("SELECT * FROM read_parquet(" +
                                                     QuoteText(DuckDbPath(path)) + ")"));
    ASSIGN_OR_RETURN(
        const std::vector<size_t> positions,
        PositionsOf(path, {result->names.begin(), result->names.end()}, schema.fields()));
    std::vector<ValueList> rows;
    while (true) {
      ASSIGN_OR_RETURN(auto chunk, session_->Fetch(*result));
      if (chunk == nullptr) return rows;
      for (size_t i = 0; i < chunk->size(); ++i) {
        ValueList row(schema.fields().size());
        for (size_t c = 0; c < positions.size(); ++c) {
          const spec::Type& type = schema.fields()[positions[c]].type;
          const duckdb::Value value = chunk->GetValue(c, i);
          if (value.IsNull()) continue;
          if (type.Is(spec::TypeKind::kStruct)) {
            ASSIGN_OR_RETURN(row[positions[c]], ReadStruct(path, value, type.AsStruct()));
          } else {
            row[positions[c]] = FromDuckDb(value.DefaultCastAs(ToLogicalType(type)));
          }
        }
        rows.push_back(std::move(row));
      }
    }
  });
}

Result<int64_t> ParquetFiles::CopyDeletes(const std::string& from, const std::string& to,
                                          const std::string& source_prefix,
                                          const std::string& target_prefix) {
  RETURN_IF_ERROR(Open());
  return Guarded([&]() -> Result<int64_t> {
    const std::string source = "read_parquet(" + QuoteText(DuckDbPath(from)) + ")";
    const std::string prefix = QuoteText(source_prefix);
    ASSIGN_OR_RETURN(auto stray, session_->RunAside("SELECT file_path FROM " + source +
                                                    " WHERE NOT starts_with(file_path, " + prefix +
                                                    ") LIMIT 1"));
    ASSIGN_OR_RETURN(auto chunk, session_->Fetch(*stray));
    if (chunk != nullptr && chunk->size() > 0) {
      return IllegalArgument("Expected delete file " + chunk->GetValue(0, 0).ToString() +
                             " to start with prefix: " + source_prefix);
    }
    const std::string local = DuckDbPath(to);
    if (size_t slash = local.rfind('/'); local[0] == '/' && slash > 0)
      RETURN_IF_ERROR(session_->files().CreateDirectory(local.substr(0, slash)));
    ASSIGN_OR_RETURN(
        auto done,
        session_->Run(fmt::format(
            "COPY (SELECT {} || substr(file_path, length({}) + 1) AS file_path, pos FROM {}) TO {} "
            "(FORMAT parquet, COMPRESSION zstd, FIELD_IDS {{file_path: {}, pos: {}}})",
            QuoteText(target_prefix), prefix, source, QuoteText(local), table::kDeleteFilePathId,
            table::kDeleteFilePosId)));
    return SizeOf(session_->files(), to);
  });
}

}  // namespace iceblink::exec
