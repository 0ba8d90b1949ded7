#include <fmt/format.h>

#include <optional>

#include "server/arrow_ipc.h"
#include "server/flat_buffer.h"

namespace iceblink::server {
namespace {

using sql::DataType;
using sql::TypeKind;
using Offset = FlatBuilder::Offset;

constexpr uint32_t kContinuation = 0xFFFFFFFF;
constexpr int16_t kVersion5 = 4;
constexpr uint8_t kSchemaMessage = 1, kRecordBatchMessage = 3;
constexpr int16_t kMicroseconds = 2;

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
    if (type.kind() == TypeKind::kArray) {
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
    Offset child_vector = out_.Offsets(children);
    Offset name_text = out_.String(name);
    out_.StartTable();
    out_.Reference(0, name_text);
    out_.Field<uint8_t>(1, nullable);
    out_.Field(2, static_cast<uint8_t>(message.type));
    out_.Reference(3, message.table);
    out_.Reference(5, child_vector);
    return out_.EndTable();
  }

 private:
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
        return Plain(ArrowType::kStruct);
      case TypeKind::kMap:
        return Plain(ArrowType::kMap);
      case TypeKind::kTime:
      case TypeKind::kVariant:
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

using Cells = std::vector<const Value*>;

class BatchWriter {
 public:
  void Column(const DataType& type, const Cells& cells) {
    int64_t nulls = 0;
    for (const Value* cell : cells) nulls += cell->is_null();
    nodes_.emplace_back(static_cast<int64_t>(cells.size()), nulls);
    if (type.is_void()) return;
    Validity(cells, nulls);
    Content(type, cells);
  }

  std::string Finish(int64_t rows, std::string* body) {
    FlatBuilder out;
    Offset nodes = out.Pairs(nodes_), buffers = out.Pairs(buffers_);
    out.StartTable();
    out.Field(0, rows);
    out.Reference(1, nodes);
    out.Reference(2, buffers);
    Offset batch = out.EndTable();
    out.StartTable();
    out.Field(3, static_cast<int64_t>(body_.size()));
    out.Reference(2, batch);
    out.Field(0, kVersion5);
    out.Field(1, kRecordBatchMessage);
    *body = std::move(body_);
    return out.Finish(out.EndTable());
  }

 private:
  void Buffer(std::string_view bytes) {
    buffers_.emplace_back(static_cast<int64_t>(body_.size()), static_cast<int64_t>(bytes.size()));
    body_.append(bytes);
    body_.append((8 - body_.size() % 8) % 8, '\0');
  }
  void Validity(const Cells& cells, int64_t nulls) {
    if (nulls == 0) return Buffer({});
    Bits(cells, [](const Value& cell) { return !cell.is_null(); });
  }
  template <typename Test>
  void Bits(const Cells& cells, Test test) {
    std::string bits((cells.size() + 7) / 8, '\0');
    for (size_t i = 0; i < cells.size(); ++i)
      if (test(*cells[i])) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
    Buffer(bits);
  }
  template <typename T, typename Convert>
  void Fixed(const Cells& cells, Convert convert) {
    std::string bytes(cells.size() * sizeof(T), '\0');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i]->is_null()) continue;
      T value = static_cast<T>(convert(*cells[i]));
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    Buffer(bytes);
  }
  template <typename T>
  void Integers(const Cells& cells) {
    Fixed<T>(cells, [](const Value& v) { return v.AsInt64(); });
  }
  // Offsets from the sizes of the cells.
  template <typename Size>
  void Lengths(const Cells& cells, Size size) {
    std::vector<int32_t> offsets = {0};
    for (const Value* cell : cells)
      offsets.push_back(offsets.back() + (cell->is_null() ? 0 : static_cast<int32_t>(size(*cell))));
    Buffer({reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(int32_t)});
  }
  template <typename Text>
  void Texts(const Cells& cells, Text text) {
    Lengths(cells, [&](const Value& v) { return text(v).size(); });
    std::string bytes;
    for (const Value* cell : cells)
      if (!cell->is_null()) bytes += text(*cell);
    Buffer(bytes);
  }
  void Array(const DataType& type, const Cells& cells) {
    Lengths(cells, [](const Value& v) { return v.elements().size(); });
    Cells inner;
    for (const Value* cell : cells)
      if (!cell->is_null())
        for (const Value& element : cell->elements()) inner.push_back(&element);
    Column(type.element(), inner);
  }
  void Map(const DataType& type, const Cells& cells) {
    Lengths(cells, [](const Value& v) { return v.entries().size(); });
    Cells keys, values;
    for (const Value* cell : cells) {
      if (cell->is_null()) continue;
      for (const auto& [key, value] : cell->entries()) {
        keys.push_back(&key);
        values.push_back(&value);
      }
    }
    nodes_.emplace_back(static_cast<int64_t>(keys.size()), 0);
    Buffer({});
    Column(type.key(), keys);
    Column(type.value(), values);
  }
  void Struct(const DataType& type, const Cells& cells) {
    static const Value kNull;
    for (size_t f = 0; f < type.fields().size(); ++f) {
      Cells inner;
      inner.reserve(cells.size());
      for (const Value* cell : cells)
        inner.push_back(cell->is_null() ? &kNull : &cell->fields()[f]);
      Column(type.fields()[f].type, inner);
    }
  }
  void Calendar(const Cells& cells) {
    struct MonthDayNano {
      int32_t months, days;
      int64_t nanos;
    };
    Fixed<MonthDayNano>(cells, [](const Value& v) {
      const auto& interval = v.As<Interval>();
      return MonthDayNano{interval.months, interval.days, interval.micros * 1000};
    });
  }
  void Content(const DataType& type, const Cells& cells) {
    switch (type.kind()) {
      case TypeKind::kBoolean:
        return Bits(cells, [](const Value& v) { return !v.is_null() && v.As<bool>(); });
      case TypeKind::kTinyInt:
        return Integers<int8_t>(cells);
      case TypeKind::kSmallInt:
        return Integers<int16_t>(cells);
      case TypeKind::kInt:
      case TypeKind::kDate:
        return Integers<int32_t>(cells);
      case TypeKind::kBigInt:
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampNtz:
      case TypeKind::kTime:
        return Integers<int64_t>(cells);
      case TypeKind::kFloat:
        return Fixed<float>(cells, [](const Value& v) { return v.As<float>(); });
      case TypeKind::kDouble:
        return Fixed<double>(cells, [](const Value& v) { return v.As<double>(); });
      case TypeKind::kDecimal:
        return Fixed<Int128>(cells, [](const Value& v) { return v.As<Decimal>().unscaled; });
      case TypeKind::kString:
      case TypeKind::kChar:
      case TypeKind::kVarchar:
        return Texts(cells,
                     [](const Value& v) -> const std::string& { return v.As<std::string>(); });
      case TypeKind::kYearMonthInterval:
        return Fixed<int32_t>(cells, [](const Value& v) { return v.As<Interval>().months; });
      case TypeKind::kDayTimeInterval:
        return Fixed<int64_t>(cells, [](const Value& v) { return v.As<Interval>().micros; });
      case TypeKind::kCalendarInterval:
        return Calendar(cells);
      case TypeKind::kArray:
        return Array(type, cells);
      case TypeKind::kMap:
        return Map(type, cells);
      case TypeKind::kStruct:
        return Struct(type, cells);
      case TypeKind::kVoid:
      case TypeKind::kBinary:
      case TypeKind::kVariant:
      case TypeKind::kGeometry:
      case TypeKind::kGeography:
        return Texts(cells,
                     [](const Value& v) -> const std::string& { return v.As<Bytes>().data; });
    }
  }

  std::string body_;
  std::vector<std::pair<int64_t, int64_t>> nodes_;    // length, nulls
  std::vector<std::pair<int64_t, int64_t>> buffers_;  // offset, length
};

void AppendInt(std::string& out, uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void AppendMessage(std::string& out, std::string_view metadata, std::string_view body) {
  AppendInt(out, kContinuation);
  size_t padded = (metadata.size() + 7) / 8 * 8;
  AppendInt(out, static_cast<uint32_t>(padded));
  out.append(metadata);
  out.append(padded - metadata.size(), '\0');
  out.append(body);
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

Result<std::string> EncodeArrow(const DataType& schema, std::span<const ValueList> rows,
                                const std::string& time_zone) {
  std::string out;
  ASSIGN_OR_RETURN(std::string metadata, SchemaMessage(schema, time_zone));
  AppendMessage(out, metadata, {});
  BatchWriter writer;
  for (size_t c = 0; c < schema.fields().size(); ++c) {
    Cells cells;
    cells.reserve(rows.size());
    for (const ValueList& row : rows) cells.push_back(&row[c]);
    writer.Column(schema.fields()[c].type, cells);
  }
  std::string body;
  metadata = writer.Finish(static_cast<int64_t>(rows.size()), &body);
  AppendMessage(out, metadata, body);
  AppendInt(out, kContinuation);
  AppendInt(out, 0);
  return out;
}

}  // namespace iceblink::server
