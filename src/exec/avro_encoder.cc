// Avro data files as Iceberg's Java library writes them: blocks encoded and compressed by the
// threads that have the rows, appended in turn.
#include <fmt/format.h>

#include "base/decimal.h"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "exec/duckdb_types.h"
#include "exec/file_encoder.h"
#include "exec/spark_error.h"
#include "io/avro.h"
#include "spec/json.h"
#include "table/manifest_schema.h"

namespace iceblink::exec {

namespace {

namespace avro = io::avro;
using duckdb::RecursiveUnifiedVectorFormat;
using duckdb::UnifiedVectorFormat;
using spec::TypeKind;

constexpr int64_t kNanosPerMicro = 1000;

template <typename T>
const T& At(const RecursiveUnifiedVectorFormat& column, size_t index) {
  return UnifiedVectorFormat::GetData<T>(column.unified)[index];
}

Int128 UnscaledAt(const RecursiveUnifiedVectorFormat& column, size_t index) {
  switch (column.logical_type.InternalType()) {
    case duckdb::PhysicalType::INT16:
      return At<int16_t>(column, index);
    case duckdb::PhysicalType::INT32:
      return At<int32_t>(column, index);
    case duckdb::PhysicalType::INT64:
      return At<int64_t>(column, index);
    default:
      return ToInt128(At<duckdb::hugeint_t>(column, index));
  }
}

std::string UuidAt(const RecursiveUnifiedVectorFormat& column, size_t index) {
  duckdb::hugeint_t value = At<duckdb::hugeint_t>(column, index);
  value.upper ^= INT64_MIN;  // DuckDB's order of ids
  return Int128ToFixedBytes(ToInt128(value), 16);
}

std::string_view BytesAt(const RecursiveUnifiedVectorFormat& column, size_t index) {
  const auto& text = At<duckdb::string_t>(column, index);
  return {text.GetData(), text.GetSize()};
}

void WriteField(avro::Encoder& out, const spec::NestedField& field,
                const RecursiveUnifiedVectorFormat& column, size_t row);

void WriteStruct(avro::Encoder& out, const spec::StructType& type,
                 const RecursiveUnifiedVectorFormat& column, size_t index) {
  for (size_t i = 0; i < type.fields.size(); ++i)
    WriteField(out, type.fields[i], column.children[i], index);
}

void WriteList(avro::Encoder& out, const spec::ListType& type,
               const RecursiveUnifiedVectorFormat& column, size_t index) {
  const auto entry = At<duckdb::list_entry_t>(column, index);
  if (entry.length > 0) out.BeginRun(static_cast<int64_t>(entry.length));
  for (size_t i = 0; i < entry.length; ++i)
    WriteField(out, type.element, column.children[0], entry.offset + i);
  out.EndRuns();
}

// A map of text keys and an array of pairs are the same bytes.
void WriteMap(avro::Encoder& out, const spec::MapType& type,
              const RecursiveUnifiedVectorFormat& column, size_t index) {
  const auto entry = At<duckdb::list_entry_t>(column, index);
  const RecursiveUnifiedVectorFormat& pairs = column.children[0];
  if (entry.length > 0) out.BeginRun(static_cast<int64_t>(entry.length));
  for (size_t i = 0; i < entry.length; ++i) {
    const size_t pair = pairs.unified.sel->get_index(entry.offset + i);
    WriteField(out, type.key, pairs.children[0], pair);
    WriteField(out, type.value, pairs.children[1], pair);
  }
  out.EndRuns();
}

void WriteFixed(avro::Encoder& out, std::string_view bytes, size_t size) {
  if (bytes.size() != size) {
    ThrowError(Error::Make(
        ErrorCode::kInvalidArgument,
        fmt::format("Cannot write byte array of length {} as fixed[{}]", bytes.size(), size),
        "IllegalArgumentException"));
  }
  out.WriteFixed(bytes);
}

void WriteValue(avro::Encoder& out, const spec::Type& type,
                const RecursiveUnifiedVectorFormat& column, size_t index) {
  switch (type.kind()) {
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
      return;
    case TypeKind::kBoolean:
      return out.WriteBool(At<bool>(column, index));
    case TypeKind::kInt:
    case TypeKind::kDate:
      return out.WriteInt(At<int32_t>(column, index));
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
      return out.WriteLong(At<int64_t>(column, index));
    case TypeKind::kTimestampTzNs:
      return out.WriteLong(At<int64_t>(column, index) * kNanosPerMicro);
    case TypeKind::kFloat:
      return out.WriteFloat(At<float>(column, index));
    case TypeKind::kDouble:
      return out.WriteDouble(At<double>(column, index));
    case TypeKind::kDecimal:
      return out.WriteFixed(Int128ToFixedBytes(
          UnscaledAt(column, index), static_cast<size_t>(DecimalRequiredBytes(type.precision()))));
    case TypeKind::kUuid:
      return out.WriteFixed(UuidAt(column, index));
    case TypeKind::kFixed:
      return WriteFixed(out, BytesAt(column, index), static_cast<size_t>(type.length()));
    case TypeKind::kString:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return out.WriteBytes(BytesAt(column, index));
    case TypeKind::kStruct:
      return WriteStruct(out, type.AsStruct(), column, index);
    case TypeKind::kList:
      return WriteList(out, type.AsList(), column, index);
    case TypeKind::kMap:
      return WriteMap(out, type.AsMap(), column, index);
  }
}

void WriteField(avro::Encoder& out, const spec::NestedField& field,
                const RecursiveUnifiedVectorFormat& column, size_t row) {
  if (field.type.Is(TypeKind::kUnknown)) return;  // Avro's null takes no byte
  const size_t index = column.unified.sel->get_index(row);
  const bool present = column.unified.validity.RowIsValid(index);
  if (!field.required) {
    out.WriteUnionIndex(present ? 1 : 0);
    if (!present) return;
  } else if (!present) {
    ThrowError(Error::Make(ErrorCode::kInvalidArgument,
                           "Cannot write null to required field: " + field.name,
                           "IllegalArgumentException"));
  }
  WriteValue(out, field.type, column, index);
}

struct Blocks final : EncodedRows {
  std::vector<avro::Writer::PackedBlock> blocks;
};

class AvroEncoder final : public FileEncoder {
 public:
  AvroEncoder(const EncoderTarget& target, const FileSettings& settings)
      : schema_(target.schema), options_(Options(target.schema, settings)) {
    auto file = OrThrow(target.files.Create(target.path, io::WriteMode::kReplace));
    writer_.emplace(OrThrow(avro::Writer::Create(
        std::move(file), table::AvroSchemaText(spec::StructType{target.schema.fields()}, "table"),
        options_)));
  }

  std::unique_ptr<EncodedRows> Encode(duckdb::ColumnDataCollection& rows) override {
    auto out = std::make_unique<Blocks>();
    avro::Encoder encoder;
    int64_t count = 0;
    auto close = [&] {
      if (count == 0) return;
      out->blocks.push_back(OrThrow(avro::Writer::Pack(options_, count, encoder.buffer())));
      encoder.Clear();
      count = 0;
    };
    for (duckdb::DataChunk& chunk : rows.Chunks()) {
      std::vector<RecursiveUnifiedVectorFormat> columns(chunk.ColumnCount());
      for (size_t c = 0; c < columns.size(); ++c)
        duckdb::Vector::RecursiveToUnifiedFormat(chunk.data[c], chunk.size(), columns[c]);
      for (size_t row = 0; row < chunk.size(); ++row) {
        size_t column = 0;
        for (const spec::NestedField& field : schema_.fields()) {
          if (field.type.Is(TypeKind::kUnknown)) continue;
          WriteField(encoder, field, columns[column++], row);
        }
        ++count;
        if (encoder.buffer().size() >= options_.block_bytes) close();
      }
    }
    close();
    return out;
  }

  void Append(EncodedRows& rows) override {
    for (const auto& block : static_cast<Blocks&>(rows).blocks) {
      OrThrow(writer_->Append(block));
    }
  }

  int64_t size() override { return writer_->length(); }

  void Close(spec::DataFile* file) override {
    OrThrow(writer_->Close());
    file->file_size_in_bytes = writer_->length();
  }

 private:
  static avro::Writer::Options Options(const spec::Schema& schema, const FileSettings& settings) {
    avro::Writer::Options out;
    out.metadata = {{"iceberg.schema", spec::SchemaText(schema)}};
    out.codec = settings.codec;
    out.level = settings.level.value_or(0);
    return out;
  }

  const spec::Schema& schema_;
  avro::Writer::Options options_;
  std::optional<avro::Writer> writer_;
};

}  // namespace

std::unique_ptr<FileEncoder> OpenAvroEncoder(const EncoderTarget& target,
                                             const FileSettings& settings) {
  return std::make_unique<AvroEncoder>(target, settings);
}

}  // namespace iceblink::exec
