#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/key_value_metadata.h>

#include "server/arrow_ipc.h"
#include "server/errors.h"

namespace iceblink::server {
namespace {

using exec::ColumnData;
using sql::DataType;
using sql::TypeKind;
using ArrowType = std::shared_ptr<arrow::DataType>;
using ArrowField = std::shared_ptr<arrow::Field>;

// ---- types
// ------------------------------------------------------------------------------------------------------------

class TypeMapping {
 public:
  explicit TypeMapping(const std::string& time_zone) : time_zone_(time_zone) {}

  Result<ArrowField> Field(const std::string& name, const DataType& type, bool nullable) const {
    ASSIGN_OR_RETURN(ArrowType mapped, Type(type));
    return arrow::field(name, std::move(mapped), nullable);
  }

  Result<arrow::FieldVector> Fields(const DataType& type) const {
    arrow::FieldVector fields;
    for (const sql::StructField& field : type.fields()) {
      ASSIGN_OR_RETURN(ArrowField mapped, Field(field.name, field.type, field.nullable));
      fields.push_back(std::move(mapped));
    }
    return fields;
  }

 private:
  // A variant is a struct whose field `metadata` says so in metadata of its own.
  static ArrowType Variant() {
    return arrow::struct_(
        {arrow::field("value", arrow::binary(), false),
         arrow::field("metadata", arrow::binary(), false,
                      arrow::key_value_metadata({{std::string("variant"), std::string("true")}}))});
  }

  Result<ArrowType> Nested(const DataType& type) const {
    if (type.kind() == TypeKind::kArray) {
      ASSIGN_OR_RETURN(ArrowField element, Field("element", type.element(), type.contains_null()));
      return arrow::list(std::move(element));
    }
    if (type.kind() == TypeKind::kMap) {
      ASSIGN_OR_RETURN(ArrowField key, Field("key", type.key(), false));
      ASSIGN_OR_RETURN(ArrowField value, Field("value", type.value(), type.value_contains_null()));
      return std::make_shared<arrow::MapType>(std::move(key), std::move(value));
    }
    ASSIGN_OR_RETURN(arrow::FieldVector fields, Fields(type));
    return arrow::struct_(std::move(fields));
  }

  Result<ArrowType> Type(const DataType& type) const {
    switch (type.kind()) {
      case TypeKind::kVoid:
        return arrow::null();
      case TypeKind::kBoolean:
        return arrow::boolean();
      case TypeKind::kTinyInt:
        return arrow::int8();
      case TypeKind::kSmallInt:
        return arrow::int16();
      case TypeKind::kInt:
        return arrow::int32();
      case TypeKind::kBigInt:
        return arrow::int64();
      case TypeKind::kFloat:
        return arrow::float32();
      case TypeKind::kDouble:
        return arrow::float64();
      case TypeKind::kDecimal:
        return arrow::decimal128(type.precision(), type.scale());
      case TypeKind::kString:
      case TypeKind::kChar:
      case TypeKind::kVarchar:
        return arrow::utf8();
      case TypeKind::kBinary:
        return arrow::binary();
      case TypeKind::kDate:
        return arrow::date32();
      case TypeKind::kTimestamp:
        return arrow::timestamp(arrow::TimeUnit::MICRO, time_zone_);
      case TypeKind::kTimestampNtz:
        return arrow::timestamp(arrow::TimeUnit::MICRO);
      case TypeKind::kTime:
        return arrow::time64(arrow::TimeUnit::NANO);
      case TypeKind::kYearMonthInterval:
        return arrow::month_interval();
      case TypeKind::kCalendarInterval:
        return arrow::month_day_nano_interval();
      case TypeKind::kDayTimeInterval:
        return arrow::duration(arrow::TimeUnit::MICRO);
      case TypeKind::kArray:
      case TypeKind::kMap:
      case TypeKind::kStruct:
        return Nested(type);
      case TypeKind::kVariant:
        return Variant();
      case TypeKind::kGeometry:
      case TypeKind::kGeography:
        break;
    }
    return Fail(WithCondition(ErrorCode::kUnsupported, "SparkUnsupportedOperationException",
                              "UNSUPPORTED_ARROWTYPE", "0A000",
                              "Unsupported arrow type " + type.SqlString() + "."));
  }

  const std::string& time_zone_;
};

// ---- columns
// ----------------------------------------------------------------------------------------------------------

// Buffers refer to the columns and must not outlive them. Columns without rows have no buffers, not
// even offsets, as Spark has it: its JVM client leaves such a batch unread and would miss its
// memory.
std::shared_ptr<arrow::Buffer> BufferOf(const std::string& bytes, int64_t rows) {
  return rows == 0 ? nullptr : std::make_shared<arrow::Buffer>(std::string_view(bytes));
}

std::shared_ptr<arrow::ArrayData> ArrayOf(const ColumnData& column, const ArrowType& type,
                                          int64_t rows) {
  if (type->id() == arrow::Type::NA)
    return arrow::ArrayData::Make(type, column.length, {nullptr}, column.length);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {
      column.nulls == 0 ? nullptr : BufferOf(column.validity, rows)};
  if (arrow::is_base_binary_like(type->id()) || arrow::is_list_like(type->id()))
    buffers.push_back(BufferOf(column.offsets, rows));
  const bool map = type->id() == arrow::Type::MAP;  // the struct of an entry is no column of ours
  const ArrowType& parent = map ? type->field(0)->type() : type;
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (int i = 0; i < parent->num_fields(); ++i)
    children.push_back(
        ArrayOf(column.children[static_cast<size_t>(i)], parent->field(i)->type(), rows));
  if (map)
    children = {arrow::ArrayData::Make(parent, column.children[0].length, {nullptr},
                                       std::move(children), 0)};
  else if (!arrow::is_nested(type->id()))
    buffers.push_back(BufferOf(column.values, rows));
  return arrow::ArrayData::Make(type, column.length, std::move(buffers), std::move(children),
                                column.nulls);
}

size_t BytesOf(const std::vector<ColumnData>& columns) {
  size_t all = 0;
  for (const ColumnData& column : columns)
    all += column.validity.size() + column.offsets.size() + column.values.size() +
           BytesOf(column.children);
  return all;
}

// Appends to a string, which the message takes over.
class StringOutput : public arrow::io::OutputStream {
 public:
  explicit StringOutput(std::string& out) : out_(out) {}
  arrow::Status Write(const void* data, int64_t size) override {
    out_.append(static_cast<const char*>(data), static_cast<size_t>(size));
    return arrow::Status::OK();
  }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(out_.size()); }

 private:
  std::string& out_;
};

arrow::Status WriteStream(const std::shared_ptr<arrow::RecordBatch>& batch, std::string& out) {
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  StringOutput sink(out);
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(&sink, batch->schema(), options));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  return writer->Close();
}

}  // namespace

Result<std::string> EncodeArrow(const DataType& schema, const exec::ColumnBatch& batch,
                                const std::string& time_zone) {
  ASSIGN_OR_RETURN(arrow::FieldVector fields, TypeMapping(time_zone).Fields(schema));
  std::vector<std::shared_ptr<arrow::ArrayData>> columns;
  for (size_t c = 0; c < fields.size(); ++c)
    columns.push_back(ArrayOf(batch.columns[c], fields[c]->type(), batch.rows));
  std::string out;
  constexpr size_t kMessages = 1024;  // the least that schema and layout take
  out.reserve(BytesOf(batch.columns) + kMessages);
  arrow::Status status = WriteStream(
      arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.rows, std::move(columns)),
      out);
  if (!status.ok()) return Fail(ErrorCode::kInternal, "Arrow: " + status.message());
  return out;
}

Result<std::string> EncodeArrow(const DataType& schema, std::span<const ValueList> rows,
                                const std::string& time_zone) {
  return EncodeArrow(schema, ColumnsOf(schema, rows), time_zone);
}

}  // namespace iceblink::server
