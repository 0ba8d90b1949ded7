// Parquet files over DuckDB's ParquetWriter.
#include <map>

#include "base/strings.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_types.h"
#include "exec/file_encoder.h"
#include "exec/fixed_columns.h"
#include "parquet_shredding.hpp"
#include "parquet_writer.hpp"
#include "spec/json.h"

namespace iceblink::exec {

namespace {

// Column statistics key of ParquetWriter for a path: "s"."l"."element".
std::string StatsKey(const std::vector<std::string>& path) {
  std::vector<std::string> quoted;
  for (const std::string& name : path) quoted.push_back(QuoteIdentifier(name));
  return Join(quoted, ".");
}

void CollectStatsKeys(const std::vector<spec::NestedField>& fields, std::vector<std::string>& path,
                      std::map<std::string, int32_t>* out);

void CollectStatsKeys(const spec::NestedField& field, const std::string& name,
                      std::vector<std::string>& path, std::map<std::string, int32_t>* out) {
  path.push_back(name);
  switch (field.type.kind()) {
    case spec::TypeKind::kStruct:
      CollectStatsKeys(field.type.AsStruct().fields, path, out);
      break;
    case spec::TypeKind::kList:
      CollectStatsKeys(field.type.AsList().element, "element", path, out);
      break;
    case spec::TypeKind::kMap:
      CollectStatsKeys(field.type.AsMap().key, "key", path, out);
      CollectStatsKeys(field.type.AsMap().value, "value", path, out);
      break;
    default:
      out->emplace(StatsKey(path), field.id);
      break;
  }
  path.pop_back();
}

void CollectStatsKeys(const std::vector<spec::NestedField>& fields, std::vector<std::string>& path,
                      std::map<std::string, int32_t>* out) {
  for (const spec::NestedField& field : fields) CollectStatsKeys(field, field.name, path, out);
}

duckdb::ChildFieldIDs FieldIds(const spec::NestedField& field);

duckdb::FieldID FieldIdOf(const spec::NestedField& field) {
  duckdb::FieldID id(field.id);
  id.child_field_ids = FieldIds(field);
  return id;
}

// Ids of the fields below one; DuckDB calls them by its own names.
duckdb::ChildFieldIDs FieldIds(const spec::NestedField& field) {
  duckdb::ChildFieldIDs out;
  switch (field.type.kind()) {
    case spec::TypeKind::kStruct:
      for (const spec::NestedField& child : field.type.AsStruct().fields)
        (*out.ids)[child.name] = FieldIdOf(child);
      break;
    case spec::TypeKind::kList:
      (*out.ids)["element"] = FieldIdOf(field.type.AsList().element);
      break;
    case spec::TypeKind::kMap:
      (*out.ids)["key"] = FieldIdOf(field.type.AsMap().key);
      (*out.ids)["value"] = FieldIdOf(field.type.AsMap().value);
      break;
    default:
      break;
  }
  return out;
}

duckdb_parquet::CompressionCodec::type CodecOf(const std::string& name) {
  static const std::map<std::string, duckdb_parquet::CompressionCodec::type> kCodecs = {
      {"zstd", duckdb_parquet::CompressionCodec::ZSTD},
      {"gzip", duckdb_parquet::CompressionCodec::GZIP},
      {"snappy", duckdb_parquet::CompressionCodec::SNAPPY},
      {"lz4", duckdb_parquet::CompressionCodec::LZ4_RAW},
      {"lz4_raw", duckdb_parquet::CompressionCodec::LZ4_RAW},
      {"brotli", duckdb_parquet::CompressionCodec::BROTLI},
      {"uncompressed", duckdb_parquet::CompressionCodec::UNCOMPRESSED},
      {"none", duckdb_parquet::CompressionCodec::UNCOMPRESSED}};
  auto it = kCodecs.find(name);
  return it == kCodecs.end() ? duckdb_parquet::CompressionCodec::ZSTD : it->second;
}

struct RowGroup final : EncodedRows {
  duckdb::PreparedRowGroup group;
};

class ParquetEncoder final : public FileEncoder {
 public:
  ParquetEncoder(const EncoderTarget& target, const FileSettings& settings)
      : schema_(target.schema) {
    const std::string local = DuckDbPath(target.path);
    auto& fs = duckdb::FileSystem::GetFileSystem(target.context);
    if (size_t slash = local.rfind('/'); local[0] == '/' && slash > 0)
      fs.CreateDirectoriesRecursive(local.substr(0, slash));
    duckdb::ChildFieldIDs ids;
    duckdb::vector<std::string> names;
    duckdb::vector<duckdb::LogicalType> types;
    std::vector<spec::NestedField> fields;
    for (const spec::NestedField& field : target.schema.fields()) {
      if (field.type.Is(spec::TypeKind::kUnknown)) continue;
      fields.push_back(field);
      names.push_back(field.name);
      types.push_back(ToLogicalType(field.type));
      (*ids.ids)[field.name] = FieldIdOf(field);
    }
    // As Java writes it; nothing here reads it back.
    const duckdb::vector<std::pair<std::string, std::string>> metadata = {
        {"iceberg.schema", spec::SchemaText(target.schema)}};
    writer_ = std::make_unique<duckdb::ParquetWriter>(
        target.context, fs, local, types, names, CodecOf(settings.codec), std::move(ids),
        duckdb::ShreddingType(), metadata, nullptr, duckdb::optional_idx(), 1048576, false, 0.01,
        settings.level.value_or(3),
        settings.v2_pages ? duckdb::ParquetVersion::V2 : duckdb::ParquetVersion::V1,
        duckdb::GeoParquetVersion::NONE);
    WriteFixedColumns(*writer_, fields);
    writer_->SetWrittenStatistics(statistics_);
  }

  std::unique_ptr<EncodedRows> Encode(duckdb::ColumnDataCollection& rows) override {
    auto out = std::make_unique<RowGroup>();
    duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
    writer_->PrepareRowGroup(rows, out->group, transform);
    return out;
  }

  void Append(EncodedRows& rows) override {
    offsets_.push_back(static_cast<int64_t>(writer_->GetWriter().GetTotalWritten()));
    writer_->FlushRowGroup(static_cast<RowGroup&>(rows).group);
  }

  int64_t size() override { return static_cast<int64_t>(writer_->FileSize()); }

  void Close(spec::DataFile* file) override {
    writer_->Finalize();
    writer_.reset();
    file->file_size_in_bytes = static_cast<int64_t>(statistics_.file_size_bytes);
    file->split_offsets = offsets_;
    std::map<std::string, int32_t> keys;
    std::vector<std::string> path;
    CollectStatsKeys(schema_.fields(), path, &keys);
    std::vector<std::pair<int32_t, int64_t>> sizes;
    for (const auto& [key, id] : keys) {
      auto column = statistics_.column_statistics.find(key);
      if (column == statistics_.column_statistics.end()) continue;
      auto size = column->second.find("column_size_bytes");
      if (size != column->second.end())
        sizes.emplace_back(id, ParseInt64(size->second.ToString()).value_or(0));
    }
    file->column_sizes = spec::CountMap(std::move(sizes));
  }

 private:
  const spec::Schema& schema_;
  duckdb::CopyFunctionFileStatistics statistics_;
  std::unique_ptr<duckdb::ParquetWriter> writer_;
  std::vector<int64_t> offsets_;
};

}  // namespace

std::unique_ptr<FileEncoder> OpenParquetEncoder(const EncoderTarget& target,
                                                const FileSettings& settings) {
  return std::make_unique<ParquetEncoder>(target, settings);
}

}  // namespace iceblink::exec
