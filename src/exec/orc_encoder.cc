// ORC data files with the attributes that Iceberg's Java library gives their types: rows become
// Arrow's arrays on the threads that have them, and stripes in turn.
#include <fmt/format.h>

#include "base/strings.h"
#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/arrow/arrow_wrapper.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "exec/file_encoder.h"
#include "exec/spark_error.h"
#include "io/orc.h"

namespace iceblink::exec {

namespace {

using io::OrcField;
using io::OrcKind;
using spec::TypeKind;

constexpr int64_t kLikelyCompression = 4;

OrcField FieldOf(const spec::NestedField& field);

void AddAttribute(OrcField* field, const char* key, std::string value) {
  field->attributes.emplace_back(key, std::move(value));
}

void SetBinary(OrcField* out, const spec::Type& type) {
  out->kind = OrcKind::kBinary;
  const bool fixed = type.Is(TypeKind::kFixed);
  AddAttribute(out, "iceberg.binary-type", fixed ? "FIXED" : "BINARY");
  if (fixed) AddAttribute(out, "iceberg.length", std::to_string(type.length()));
}

void SetTimestamp(OrcField* out, OrcKind kind, const char* unit) {
  out->kind = kind;
  AddAttribute(out, "iceberg.timestamp-unit", unit);
}

void SetPrimitive(OrcField* out, const spec::Type& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      out->kind = OrcKind::kBoolean;
      return;
    case TypeKind::kInt:
      out->kind = OrcKind::kInt;
      return;
    case TypeKind::kLong:
    case TypeKind::kTime:
      out->kind = OrcKind::kLong;
      return AddAttribute(out, "iceberg.long-type", type.Is(TypeKind::kTime) ? "TIME" : "LONG");
    case TypeKind::kFloat:
      out->kind = OrcKind::kFloat;
      return;
    case TypeKind::kDouble:
      out->kind = OrcKind::kDouble;
      return;
    case TypeKind::kDecimal:
      out->kind = OrcKind::kDecimal;
      out->precision = type.precision();
      out->scale = type.scale();
      return;
    case TypeKind::kDate:
      out->kind = OrcKind::kDate;
      return;
    case TypeKind::kTimestamp:
      return SetTimestamp(out, OrcKind::kTimestamp, "MICROS");
    case TypeKind::kTimestampTz:
      return SetTimestamp(out, OrcKind::kTimestampInstant, "MICROS");
    case TypeKind::kTimestampNs:
      return SetTimestamp(out, OrcKind::kTimestampNanos, "NANOS");
    case TypeKind::kTimestampTzNs:  // micros in memory
      return SetTimestamp(out, OrcKind::kTimestampInstant, "NANOS");
    case TypeKind::kString:
      out->kind = OrcKind::kString;
      return;
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kUuid:
    case TypeKind::kVariant:
    case TypeKind::kUnknown:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  SetBinary(out, type);
}

OrcField FieldOf(const spec::NestedField& field) {
  OrcField out;
  out.name = field.name;
  AddAttribute(&out, "iceberg.id", std::to_string(field.id));
  AddAttribute(&out, "iceberg.required", field.required ? "true" : "false");
  if (field.type.Is(TypeKind::kStruct)) {
    out.kind = OrcKind::kStruct;
    for (const spec::NestedField& child : field.type.AsStruct().fields)
      out.children.push_back(FieldOf(child));
  } else if (field.type.Is(TypeKind::kList)) {
    out.kind = OrcKind::kList;
    out.children.push_back(FieldOf(field.type.AsList().element));
  } else if (field.type.Is(TypeKind::kMap)) {
    out.kind = OrcKind::kMap;
    out.children.push_back(FieldOf(field.type.AsMap().key));
    out.children.push_back(FieldOf(field.type.AsMap().value));
  } else {
    SetPrimitive(&out, field.type);
  }
  return out;
}

// Arrow writes the fraction of a second of instants before 1970 with the wrong sign, which Java's
// readers take for another second.
void RefuseEarlyFractions(duckdb::Vector& vector, size_t count) {
  const duckdb::LogicalTypeId type = vector.GetType().id();
  int64_t second = 1'000'000;
  switch (type) {
    case duckdb::LogicalTypeId::STRUCT:
      for (auto& child : duckdb::StructVector::GetEntries(vector))
        RefuseEarlyFractions(*child, count);
      return;
    case duckdb::LogicalTypeId::LIST:
    case duckdb::LogicalTypeId::MAP:
      return RefuseEarlyFractions(duckdb::ListVector::GetEntry(vector),
                                  duckdb::ListVector::GetListSize(vector));
    case duckdb::LogicalTypeId::TIMESTAMP_NS:
      second = 1'000'000'000;
      break;
    case duckdb::LogicalTypeId::TIMESTAMP:
    case duckdb::LogicalTypeId::TIMESTAMP_TZ:
      break;
    default:
      return;
  }
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(count, format);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<int64_t>(format);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at) || values[at] >= 0 || values[at] % second == 0) continue;
    ThrowError(
        Error::Make(ErrorCode::kUnsupported,
                    "Cannot write timestamps before 1970 with a fraction of a second to ORC files",
                    "UnsupportedOperationException"));
  }
}

struct Batches final : EncodedRows {
  std::vector<duckdb::ArrowArrayWrapper> arrays;
  int64_t bytes = 0;
};

class OrcEncoder final : public FileEncoder {
 public:
  OrcEncoder(const EncoderTarget& target, const FileSettings& settings) {
    properties_.client_context = target.context;
    std::vector<OrcField> columns;
    for (const spec::NestedField& field : target.schema.fields()) {
      if (!field.type.Is(TypeKind::kUnknown)) columns.push_back(FieldOf(field));
    }
    io::OrcWriteOptions options;
    options.codec = settings.codec;
    options.for_size = settings.strategy == "compression";
    options.stripe_bytes = settings.row_group_bytes;
    options.bloom_fpp = settings.bloom_fpp;
    options.bloom_columns = SplitTrimmed(settings.bloom_columns, ',');
    io::OrcModule* module = OrThrow(io::LoadOrc());
    auto file = OrThrow(target.files.Create(target.path, io::WriteMode::kReplace));
    writer_ = OrThrow(module->Create(std::move(file), columns, options));
  }

  std::unique_ptr<EncodedRows> Encode(duckdb::ColumnDataCollection& rows) override {
    auto out = std::make_unique<Batches>();
    out->bytes = static_cast<int64_t>(rows.SizeInBytes());
    for (duckdb::DataChunk& chunk : rows.Chunks()) {
      for (duckdb::Vector& column : chunk.data) RefuseEarlyFractions(column, chunk.size());
      duckdb::ArrowArrayWrapper& array = out->arrays.emplace_back();
      duckdb::ArrowConverter::ToArrowArray(chunk, &array.arrow_array, properties_, {});
    }
    return out;
  }

  void Append(EncodedRows& rows) override {
    auto& batches = static_cast<Batches&>(rows);
    const int64_t before = writer_->size();
    for (duckdb::ArrowArrayWrapper& array : batches.arrays) {
      OrThrow(writer_->Append(&array.arrow_array));
    }
    pending_ = writer_->size() == before ? pending_ + batches.bytes / kLikelyCompression : 0;
  }

  int64_t size() override { return writer_->size() + pending_; }

  void Close(spec::DataFile* file) override {
    file->file_size_in_bytes = OrThrow(writer_->Close());
  }

 private:
  duckdb::ClientProperties properties_;  // its defaults: plain Arrow
  std::unique_ptr<io::OrcWriter> writer_;
  int64_t pending_ = 0;  // estimate of the open stripe
};

}  // namespace

std::unique_ptr<FileEncoder> OpenOrcEncoder(const EncoderTarget& target,
                                            const FileSettings& settings) {
  return std::make_unique<OrcEncoder>(target, settings);
}

}  // namespace iceblink::exec
