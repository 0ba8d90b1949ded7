#include <fmt/format.h>

#include "server/arrow_ipc.h"
#include "server/flat_buffer.h"

namespace iceblink::server {
namespace {

using exec::ColumnData;
using sql::DataType;
using sql::TypeKind;
using Offset = FlatBuilder::Offset;

constexpr uint32_t kContinuation = 0xFFFFFFFF;
constexpr int16_t kVersion5 = 4;
constexpr uint8_t kSchemaMessage = 1, kRecordBatchMessage = 3;
constexpr int16_t kMicroseconds = 2, kNanoseconds = 3;

// ---- schema
// -----------------------------------------------------------------------------------------------------------

struct TypeMessage {
  ArrowType type;
  Offset table;
};

class SchemaWriter {
 public:
  SchemaWriter(FlatBuilder& out, const std::string& time_zone) : out_(out), time_zone_(time_zone) {}

  Result<Offset> Field(const std::string& name, const DataType& type, bool nullable) {
    std::vector<Offset> children;
    if (type.kind() == TypeKind::kVariant) {
      children = {VariantPart("value", false), VariantPart("metadata", true)};
    } else if (type.kind() == TypeKind::kArray) {
      ASSIGN_OR_RETURN(Offset child, Field("element", type.element(), type.contains_null()));
      children.push_back(child);
    } else if (type.kind() == TypeKind::kMap) {
      DataType entry = DataType::Struct({{"key", type.key(), false, {}},
                                         {"value", type.value(), type.value_contains_null(), {}}});
      ASSIGN_OR_RETURN(Offset child, Field("entries", entry, false));
      children.push_back(child);
    } else if (type.kind() == TypeKind::kStruct) {
      for (const sql::StructField& field : type.fields()) {
        ASSIGN_OR_RETURN(Offset child, Field(field.name, field.type, field.nullable));
        children.push_back(child);
      }
    }
    ASSIGN_OR_RETURN(TypeMessage message, Type(type));
    return Table(name, message, nullable, children, {});
  }

 private:
  Offset Table(const std::string& name, const TypeMessage& type, bool nullable,
               const std::vector<Offset>& children, const std::vector<Offset>& metadata) {
    Offset child_vector = out_.Offsets(children);
    Offset metadata_vector = metadata.empty() ? 0 : out_.Offsets(metadata);
    Offset name_text = out_.String(name);
    out_.StartTable();
    out_.Reference(0, name_text);
    out_.Field<uint8_t>(1, nullable);
    out_.Field(2, static_cast<uint8_t>(type.type));
    out_.Reference(3, type.table);
    out_.Reference(5, child_vector);
    if (!metadata.empty()) out_.Reference(6, metadata_vector);
    return out_.EndTable();
  }
  // A variant is a struct whose field `metadata` says so in metadata of its own.
  Offset VariantPart(const std::string& name, bool marked) {
    std::vector<Offset> metadata;
    if (marked) {
      Offset key = out_.String("variant"), value = out_.String("true");
      out_.StartTable();
      out_.Reference(0, key);
      out_.Reference(1, value);
      metadata.push_back(out_.EndTable());
    }
    return Table(name, Plain(ArrowType::kBinary), false, {}, metadata);
  }
  TypeMessage Plain(ArrowType type) {
    out_.StartTable();
    return {type, out_.EndTable()};
  }
  TypeMessage Int(int32_t bits) {
    out_.StartTable();
    out_.Field(0, bits);
    out_.Field<uint8_t>(1, 1);
    return {ArrowType::kInt, out_.EndTable()};
  }
  // Types whose one parameter is a unit or a precision.
  TypeMessage WithUnit(ArrowType type, int16_t unit) {
    out_.StartTable();
    out_.Field(0, unit);
    return {type, out_.EndTable()};
  }
  TypeMessage Timestamp(bool zoned) {
    Offset zone = zoned ? out_.String(time_zone_) : 0;
    out_.StartTable();
    out_.Field(0, kMicroseconds);
    if (zoned) out_.Reference(1, zone);
    return {ArrowType::kTimestamp, out_.EndTable()};
  }
  TypeMessage Time() {
    out_.StartTable();
    out_.Field(0, kNanoseconds);
    out_.Field<int32_t>(1, 64);
    return {ArrowType::kTime, out_.EndTable()};
  }
  TypeMessage Decimal(const DataType& type) {
    out_.StartTable();
    out_.Field(0, type.precision());
    out_.Field(1, type.scale());
    out_.Field<int32_t>(2, 128);
    return {ArrowType::kDecimal, out_.EndTable()};
  }

  Result<TypeMessage> Type(const DataType& type) {
    switch (type.kind()) {
      case TypeKind::kVoid:
        return Plain(ArrowType::kNull);
      case TypeKind::kBoolean:
        return Plain(ArrowType::kBool);
      case TypeKind::kTinyInt:
        return Int(8);
      case TypeKind::kSmallInt:
        return Int(16);
      case TypeKind::kInt:
        return Int(32);
      case TypeKind::kBigInt:
        return Int(64);
      case TypeKind::kFloat:
        return WithUnit(ArrowType::kFloatingPoint, 1);
      case TypeKind::kDouble:
        return WithUnit(ArrowType::kFloatingPoint, 2);
      case TypeKind::kDecimal:
        return Decimal(type);
      case TypeKind::kString:
      case TypeKind::kChar:
      case TypeKind::kVarchar:
        return Plain(ArrowType::kUtf8);
      case TypeKind::kBinary:
        return Plain(ArrowType::kBinary);
      case TypeKind::kDate:
        return WithUnit(ArrowType::kDate, 0);
      case TypeKind::kTimestamp:
        return Timestamp(true);
      case TypeKind::kTimestampNtz:
        return Timestamp(false);
      case TypeKind::kYearMonthInterval:
        return WithUnit(ArrowType::kInterval, 0);
      case TypeKind::kCalendarInterval:
        return WithUnit(ArrowType::kInterval, 2);
      case TypeKind::kDayTimeInterval:
        return WithUnit(ArrowType::kDuration, kMicroseconds);
      case TypeKind::kArray:
        return Plain(ArrowType::kList);
      case TypeKind::kStruct:
      case TypeKind::kVariant:
        return Plain(ArrowType::kStruct);
      case TypeKind::kMap:
        return Plain(ArrowType::kMap);
      case TypeKind::kTime:
        return Time();
      case TypeKind::kGeometry:
      case TypeKind::kGeography:
        break;
    }
    return Fail(
        ErrorCode::kUnsupported,
        "[UNSUPPORTED_ARROWTYPE] Unsupported arrow type " + type.SqlString() + ". SQLSTATE: 0A000",
        "SparkUnsupportedOperationException");
  }

  FlatBuilder& out_;
  const std::string& time_zone_;
};

// ---- batch
// ------------------------------------------------------------------------------------------------------------

// The nodes and buffers of a batch in Arrow's order, by reference.
class BatchLayout {
 public:
  void Column(const DataType& type, const ColumnData& data) {
    nodes_.emplace_back(data.length, data.nulls);
    if (type.is_void()) return;
    Buffer(data.nulls == 0 ? kNothing : data.validity);
    switch (type.kind()) {
      case TypeKind::kString:
      case TypeKind::kChar:
      case TypeKind::kVarchar:
      case TypeKind::kBinary:
        Offsets(data);
        return Buffer(data.values);
      case TypeKind::kArray:
        Offsets(data);
        return Column(type.element(), data.children[0]);
      case TypeKind::kMap:
        Offsets(data);
        nodes_.emplace_back(data.children[0].length, 0);  // the struct of an entry
        Buffer(kNothing);
        Column(type.key(), data.children[0]);
        return Column(type.value(), data.children[1]);
      case TypeKind::kStruct:
        for (size_t f = 0; f < type.fields().size(); ++f)
          Column(type.fields()[f].type, data.children[f]);
        return;
      case TypeKind::kVariant:
        for (const ColumnData& part : data.children) Column(TypeKind::kBinary, part);
        return;
      default:
        return Buffer(data.values);
    }
  }

  int64_t size() const { return size_; }

  std::string Message(int64_t rows) const {
    FlatBuilder out;
    Offset nodes = out.Pairs(nodes_), buffers = out.Pairs(places_);
    out.StartTable();
    out.Field(0, rows);
    out.Reference(1, nodes);
    out.Reference(2, buffers);
    Offset batch = out.EndTable();
    out.StartTable();
    out.Field(3, size_);
    out.Reference(2, batch);
    out.Field(0, kVersion5);
    out.Field(1, kRecordBatchMessage);
    return out.Finish(out.EndTable());
  }

  void AppendBody(std::string& out) const {
    for (const std::string* buffer : buffers_) {
      out.append(*buffer);
      out.append(Padding(buffer->size()), '\0');
    }
  }

 private:
  static size_t Padding(size_t size) { return (8 - size % 8) % 8; }
  // Columns without rows have empty buffers, offsets too: the JVM client leaves such a batch unread
  // and would miss its memory.
  void Buffer(const std::string& given) {
    const std::string& bytes = nodes_.front().first == 0 ? kNothing : given;
    places_.emplace_back(size_, static_cast<int64_t>(bytes.size()));
    buffers_.push_back(&bytes);
    size_ += static_cast<int64_t>(bytes.size() + Padding(bytes.size()));
  }

  // None for no rows, as Spark has it: its JVM client leaks the body of an empty batch.
  void Offsets(const ColumnData& data) { Buffer(data.length == 0 ? kNothing : data.offsets); }

  static const std::string kNothing;
  int64_t size_ = 0;
  std::vector<std::pair<int64_t, int64_t>> nodes_;   // length, nulls
  std::vector<std::pair<int64_t, int64_t>> places_;  // offset, length
  std::vector<const std::string*> buffers_;
};

const std::string BatchLayout::kNothing;

void AppendInt(std::string& out, uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void AppendMetadata(std::string& out, std::string_view metadata) {
  AppendInt(out, kContinuation);
  size_t padded = (metadata.size() + 7) / 8 * 8;
  AppendInt(out, static_cast<uint32_t>(padded));
  out.append(metadata);
  out.append(padded - metadata.size(), '\0');
}

Result<std::string> SchemaMessage(const DataType& schema, const std::string& time_zone) {
  FlatBuilder out;
  SchemaWriter writer(out, time_zone);
  std::vector<Offset> fields;
  for (const sql::StructField& field : schema.fields()) {
    ASSIGN_OR_RETURN(Offset offset, writer.Field(field.name, field.type, field.nullable));
    fields.push_back(offset);
  }
  Offset vector = out.Offsets(fields);
  out.StartTable();
  out.Reference(1, vector);
  Offset table = out.EndTable();
  out.StartTable();
  out.Field<int64_t>(3, 0);
  out.Reference(2, table);
  out.Field(0, kVersion5);
  out.Field(1, kSchemaMessage);
  return out.Finish(out.EndTable());
}

}  // namespace

Result<std::string> EncodeArrow(const DataType& schema, const exec::ColumnBatch& batch,
                                const std::string& time_zone) {
  ASSIGN_OR_RETURN(std::string schema_message, SchemaMessage(schema, time_zone));
  BatchLayout layout;
  for (size_t c = 0; c < schema.fields().size(); ++c)
    layout.Column(schema.fields()[c].type, batch.columns[c]);
  std::string batch_message = layout.Message(batch.rows);
  std::string out;
  out.reserve(schema_message.size() + batch_message.size() + static_cast<size_t>(layout.size()) +
              64);
  AppendMetadata(out, schema_message);
  AppendMetadata(out, batch_message);
  layout.AppendBody(out);
  AppendInt(out, kContinuation);
  AppendInt(out, 0);
  return out;
}

Result<std::string> EncodeArrow(const DataType& schema, std::span<const ValueList> rows,
                                const std::string& time_zone) {
  return EncodeArrow(schema, ColumnsOf(schema, rows), time_zone);
}

}  // namespace iceblink::server
