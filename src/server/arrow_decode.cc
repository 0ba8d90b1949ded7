#include <cstring>
#include <optional>
#include <type_traits>

#include "server/arrow_ipc.h"
#include "server/flat_buffer.h"

namespace iceblink::server {
namespace {

using sql::DataType;
using sql::TypeKind;

constexpr uint8_t kSchemaMessage = 1, kRecordBatchMessage = 3;

tl::unexpected<Error> Unsupported(std::string_view what) {
  return Fail(
      ErrorCode::kUnsupported,
      "[UNSUPPORTED_ARROWTYPE] Unsupported arrow type " + std::string(what) + ". SQLSTATE: 0A000",
      "SparkUnsupportedOperationException");
}
tl::unexpected<Error> Corrupt() {
  return Fail(ErrorCode::kCorrupt, "The Arrow data is malformed", "SparkException");
}

// How a column's buffers are laid out.
struct Layout {
  ArrowType type = ArrowType::kNull;
  int bits = 0;  // of an integer, a date, a fixed size in bits
  bool is_signed = true;
  int64_t multiply = 1;  // to microseconds
  int64_t divide = 1;
  int32_t scale = 0;
  std::vector<Layout> children;
};

struct Field {
  DataType type;
  Layout layout;
};

void SetUnit(int16_t unit, Layout& layout) {
  constexpr int64_t kMultiply[] = {1'000'000, 1'000, 1, 1};
  layout.multiply = kMultiply[unit & 3];
  layout.divide = unit == 3 ? 1'000 : 1;
}

DataType IntegerType(const Layout& layout) {
  switch (layout.bits + (layout.is_signed ? 0 : 1)) {
    case 8:
      return TypeKind::kTinyInt;
    case 9:
    case 16:
      return TypeKind::kSmallInt;
    case 17:
    case 32:
      return TypeKind::kInt;
    case 33:
    case 64:
      return TypeKind::kBigInt;
    default:
      return DataType::Decimal(20, 0);
  }
}

Result<Field> ReadField(const FlatTable& table, int depth);

Result<std::vector<Field>> Children(const FlatTable& table, size_t count, int depth) {
  std::vector<Field> out;
  for (const FlatTable& child : table.Tables(5)) {
    ASSIGN_OR_RETURN(Field field, ReadField(child, depth + 1));
    out.push_back(std::move(field));
  }
  if (count != 0 && out.size() != count) return Corrupt();
  return out;
}

Result<Field> NestedField(const FlatTable& table, Layout layout, int depth) {
  ASSIGN_OR_RETURN(std::vector<Field> children,
                   Children(table, layout.type == ArrowType::kStruct ? 0 : 1, depth));
  std::vector<FlatTable> tables = table.Tables(5);
  DataType type;
  if (layout.type == ArrowType::kStruct) {
    std::vector<sql::StructField> fields;
    for (size_t i = 0; i < children.size(); ++i)
      fields.push_back(
          {std::string(tables[i].Text(0)), children[i].type, tables[i].Get<uint8_t>(1) != 0, {}});
    type = DataType::Struct(std::move(fields));
  } else if (layout.type == ArrowType::kMap) {
    const DataType& entry = children[0].type;
    if (entry.kind() != TypeKind::kStruct || entry.fields().size() != 2) return Corrupt();
    type = DataType::Map(entry.fields()[0].type, entry.fields()[1].type, true);
  } else {
    type = DataType::Array(children[0].type, true);
  }
  for (Field& child : children) layout.children.push_back(std::move(child.layout));
  return Field{std::move(type), std::move(layout)};
}

Result<Field> ReadField(const FlatTable& table, int depth) {
  if (depth > 64) return Corrupt();
  Layout layout;
  layout.type = static_cast<ArrowType>(table.Get<uint8_t>(2));
  FlatTable type = table.Table(3);
  if (table.Has(4)) return Unsupported("dictionary");
  switch (layout.type) {
    case ArrowType::kNull:
      return Field{DataType(), layout};
    case ArrowType::kBool:
      return Field{TypeKind::kBoolean, layout};
    case ArrowType::kInt:
      layout.bits = type.Get<int32_t>(0);
      layout.is_signed = type.Get<uint8_t>(1) != 0;
      return Field{IntegerType(layout), layout};
    case ArrowType::kFloatingPoint:
      layout.bits = type.Get<int16_t>(0) == 1 ? 32 : 64;
      if (type.Get<int16_t>(0) == 0) return Unsupported("halffloat");
      return Field{layout.bits == 32 ? TypeKind::kFloat : TypeKind::kDouble, layout};
    case ArrowType::kUtf8:
    case ArrowType::kLargeUtf8:
      return Field{TypeKind::kString, layout};
    case ArrowType::kBinary:
    case ArrowType::kLargeBinary:
      return Field{TypeKind::kBinary, layout};
    case ArrowType::kFixedSizeBinary:
      layout.bits = 8 * type.Get<int32_t>(0);
      return Field{TypeKind::kBinary, layout};
    case ArrowType::kDecimal:
      if (type.Get<int32_t>(2, 128) != 128) return Unsupported("decimal256");
      layout.scale = type.Get<int32_t>(1);
      return Field{DataType::Decimal(type.Get<int32_t>(0), layout.scale), layout};
    case ArrowType::kDate:
      layout.bits = type.Get<int16_t>(0, 1) == 0 ? 32 : 64;
      return Field{TypeKind::kDate, layout};
    case ArrowType::kTimestamp:
      SetUnit(type.Get<int16_t>(0), layout);
      return Field{type.Has(1) ? TypeKind::kTimestamp : TypeKind::kTimestampNtz, layout};
    case ArrowType::kDuration:
      SetUnit(type.Get<int16_t>(0, 1), layout);
      return Field{DataType::DayTimeInterval(sql::IntervalField::kDay, sql::IntervalField::kSecond),
                   layout};
    case ArrowType::kList:
    case ArrowType::kLargeList:
    case ArrowType::kMap:
    case ArrowType::kStruct:
      return NestedField(table, std::move(layout), depth);
    case ArrowType::kNone:
    case ArrowType::kTime:
    case ArrowType::kInterval:
    case ArrowType::kUnion:
    case ArrowType::kFixedSizeList:
      break;
  }
  return Unsupported("number " + std::to_string(static_cast<int>(layout.type)));
}

// ---- batches
// ----------------------------------------------------------------------------------------------------------

class BatchReader {
 public:
  BatchReader(const FlatTable& batch, std::string_view body)
      : nodes_(batch.Pairs(1)), buffers_(batch.Pairs(2)), body_(body) {}

  // The values of the next column, `count` by the batch or by its parent's offsets.
  Result<ValueList> Column(const Layout& layout) {
    if (node_ >= nodes_.size()) return Corrupt();
    auto [length, nulls] = nodes_[node_++];
    if (length < 0 || length > INT32_MAX) return Corrupt();
    size_t count = static_cast<size_t>(length);
    if (layout.type == ArrowType::kNull) return ValueList(count);
    ASSIGN_OR_RETURN(std::string_view validity, Buffer());
    if (nulls != 0 && !validity.empty() && validity.size() * 8 < count) return Corrupt();
    auto content = Content(layout, count);
    if (!content || nulls == 0 || validity.empty()) return content;
    for (size_t i = 0; i < count; ++i)
      if ((validity[i / 8] >> (i % 8) & 1) == 0) (*content)[i] = Value();
    return content;
  }

 private:
  Result<std::string_view> Buffer() {
    if (buffer_ >= buffers_.size()) return Corrupt();
    auto [offset, length] = buffers_[buffer_++];
    if (offset < 0 || length < 0 ||
        static_cast<uint64_t>(offset) + static_cast<uint64_t>(length) > body_.size())
      return Corrupt();
    return body_.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
  }
  template <typename T, typename Convert>
  Result<ValueList> Fixed(size_t count, Convert convert) {
    ASSIGN_OR_RETURN(std::string_view bytes, Buffer());
    if (bytes.size() < count * sizeof(T)) return Corrupt();
    ValueList out;
    out.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      out.push_back(convert(value));
    }
    return out;
  }
  template <typename T>
  Result<ValueList> Narrow(size_t count) {
    return Fixed<T>(count, [](T v) { return Value(static_cast<int32_t>(v)); });
  }
  template <typename T>
  Result<ValueList> Wide(size_t count) {
    return Fixed<T>(count, [](T v) { return Value(static_cast<int64_t>(v)); });
  }
  Result<ValueList> Integers(const Layout& layout, size_t count) {
    switch (layout.bits + (layout.is_signed ? 0 : 1)) {
      case 8:
        return Narrow<int8_t>(count);
      case 9:
        return Narrow<uint8_t>(count);
      case 16:
        return Narrow<int16_t>(count);
      case 17:
        return Narrow<uint16_t>(count);
      case 32:
        return Narrow<int32_t>(count);
      case 33:
        return Wide<uint32_t>(count);
      case 64:
        return Wide<int64_t>(count);
      case 65:
        return Fixed<uint64_t>(
            count, [](uint64_t v) { return Value(Decimal{static_cast<Int128>(v), 0}); });
      default:
        return Corrupt();
    }
  }
  Result<std::vector<int64_t>> Offsets(bool large, size_t count) {
    ASSIGN_OR_RETURN(std::string_view bytes, Buffer());
    std::vector<int64_t> out(count + 1, 0);
    size_t width = large ? 8 : 4;
    if (count == 0) return out;
    if (bytes.size() < (count + 1) * width) return Corrupt();
    for (size_t i = 0; i <= count; ++i) {
      int32_t narrow = 0;
      if (large)
        std::memcpy(&out[i], bytes.data() + i * 8, 8);
      else
        std::memcpy(&narrow, bytes.data() + i * 4, 4), out[i] = narrow;
      if (out[i] < 0 || (i > 0 && out[i] < out[i - 1])) return Corrupt();
    }
    return out;
  }
  template <typename Make>
  Result<ValueList> Texts(bool large, size_t count, Make make) {
    ASSIGN_OR_RETURN(std::vector<int64_t> offsets, Offsets(large, count));
    ASSIGN_OR_RETURN(std::string_view bytes, Buffer());
    if (static_cast<uint64_t>(offsets.back()) > bytes.size()) return Corrupt();
    ValueList out;
    for (size_t i = 0; i < count; ++i)
      out.push_back(make(std::string(bytes.substr(
          static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i])))));
    return out;
  }
  Result<ValueList> Lists(const Layout& layout, size_t count) {
    ASSIGN_OR_RETURN(std::vector<int64_t> offsets,
                     Offsets(layout.type == ArrowType::kLargeList, count));
    ASSIGN_OR_RETURN(ValueList inner, Column(layout.children[0]));
    if (static_cast<uint64_t>(offsets.back()) > inner.size()) return Corrupt();
    ValueList out;
    for (size_t i = 0; i < count; ++i) {
      ValueList elements(inner.begin() + offsets[i], inner.begin() + offsets[i + 1]);
      if (layout.type != ArrowType::kMap) {
        out.push_back(Value::Array(std::move(elements)));
        continue;
      }
      std::vector<std::pair<Value, Value>> entries;
      for (const Value& entry : elements)
        entries.emplace_back(entry.fields()[0], entry.fields()[1]);
      out.push_back(Value::Map(std::move(entries)));
    }
    return out;
  }
  Result<ValueList> Structs(const Layout& layout, size_t count) {
    std::vector<ValueList> rows(count);
    for (const Layout& child : layout.children) {
      ASSIGN_OR_RETURN(ValueList column, Column(child));
      if (column.size() < count) return Corrupt();
      for (size_t i = 0; i < count; ++i) rows[i].push_back(std::move(column[i]));
    }
    ValueList out;
    for (ValueList& row : rows) out.push_back(Value::Struct(std::move(row)));
    return out;
  }
  Result<ValueList> FixedBytes(size_t width, size_t count) {
    ASSIGN_OR_RETURN(std::string_view bytes, Buffer());
    if (bytes.size() < width * count) return Corrupt();
    ValueList out;
    for (size_t i = 0; i < count; ++i)
      out.push_back(Value(Bytes{std::string(bytes.substr(i * width, width))}));
    return out;
  }
  Result<ValueList> Bits(size_t count) {
    ASSIGN_OR_RETURN(std::string_view bytes, Buffer());
    if (bytes.size() * 8 < count) return Corrupt();
    ValueList out;
    for (size_t i = 0; i < count; ++i) out.push_back(Value((bytes[i / 8] >> (i % 8) & 1) != 0));
    return out;
  }
  Result<ValueList> Content(const Layout& layout, size_t count) {
    switch (layout.type) {
      case ArrowType::kBool:
        return Bits(count);
      case ArrowType::kInt:
        return Integers(layout, count);
      case ArrowType::kFloatingPoint:
        if (layout.bits == 32) return Fixed<float>(count, [](float v) { return Value(v); });
        return Fixed<double>(count, [](double v) { return Value(v); });
      case ArrowType::kUtf8:
      case ArrowType::kLargeUtf8:
        return Texts(layout.type == ArrowType::kLargeUtf8, count,
                     [](std::string text) { return Value(std::move(text)); });
      case ArrowType::kBinary:
      case ArrowType::kLargeBinary:
        return Texts(layout.type == ArrowType::kLargeBinary, count,
                     [](std::string text) { return Value(Bytes{std::move(text)}); });
      case ArrowType::kFixedSizeBinary:
        return FixedBytes(static_cast<size_t>(layout.bits / 8), count);
      case ArrowType::kDecimal:
        return Fixed<Int128>(count, [&](Int128 v) { return Value(Decimal{v, layout.scale}); });
      case ArrowType::kDate:
        if (layout.bits == 32) return Narrow<int32_t>(count);
        return Fixed<int64_t>(
            count, [](int64_t ms) { return Value(static_cast<int32_t>(ms / 86'400'000)); });
      case ArrowType::kTimestamp:
        return Fixed<int64_t>(
            count, [&](int64_t v) { return Value(v / layout.divide * layout.multiply); });
      case ArrowType::kDuration:
        return Fixed<int64_t>(count, [&](int64_t v) {
          return Value(Interval{0, 0, v / layout.divide * layout.multiply});
        });
      case ArrowType::kList:
      case ArrowType::kLargeList:
      case ArrowType::kMap:
        return Lists(layout, count);
      case ArrowType::kStruct:
        return Structs(layout, count);
      case ArrowType::kNone:
      case ArrowType::kNull:
      case ArrowType::kTime:
      case ArrowType::kInterval:
      case ArrowType::kUnion:
      case ArrowType::kFixedSizeList:
        break;
    }
    return Corrupt();
  }

  std::vector<std::pair<int64_t, int64_t>> nodes_;
  std::vector<std::pair<int64_t, int64_t>> buffers_;
  std::string_view body_;
  size_t node_ = 0;
  size_t buffer_ = 0;
};

Status AppendBatch(const FlatTable& batch, std::string_view body,
                   const std::vector<Layout>& layouts, std::vector<ValueList>& rows) {
  if (batch.Has(3)) return Unsupported("compressed batch");
  BatchReader reader(batch, body);
  size_t first = rows.size();
  int64_t length = batch.Get<int64_t>(0);
  if (length < 0 || length > INT32_MAX) return Corrupt();
  rows.resize(first + static_cast<size_t>(length));
  for (const Layout& layout : layouts) {
    ASSIGN_OR_RETURN(ValueList column, reader.Column(layout));
    if (column.size() != static_cast<size_t>(length)) return Corrupt();
    for (size_t i = 0; i < column.size(); ++i) rows[first + i].push_back(std::move(column[i]));
  }
  return {};
}

}  // namespace

Result<ArrowRows> DecodeArrow(std::string_view stream) {
  ArrowRows out;
  std::vector<Layout> layouts;
  bool has_schema = false;
  while (stream.size() >= 8) {
    uint32_t marker = 0, size = 0;
    std::memcpy(&marker, stream.data(), 4);
    std::memcpy(&size, stream.data() + 4, 4);
    if (marker != 0xFFFFFFFF) return Corrupt();
    if (size == 0) break;
    if (stream.size() - 8 < size) return Corrupt();
    FlatTable message = FlatTable::Root(stream.substr(8, size));
    stream.remove_prefix(8 + size);
    int64_t body_size = message.Get<int64_t>(3);
    if (body_size < 0 || static_cast<uint64_t>(body_size) > stream.size()) return Corrupt();
    uint8_t kind = message.Get<uint8_t>(1);
    if (kind == kSchemaMessage) {
      std::vector<sql::StructField> fields;
      for (const FlatTable& table : message.Table(2).Tables(1)) {
        ASSIGN_OR_RETURN(Field field, ReadField(table, 0));
        fields.push_back(
            {std::string(table.Text(0)), std::move(field.type), table.Get<uint8_t>(1) != 0, {}});
        layouts.push_back(std::move(field.layout));
      }
      out.schema = DataType::Struct(std::move(fields));
      has_schema = true;
    } else if (kind == kRecordBatchMessage) {
      RETURN_IF_ERROR(AppendBatch(
          message.Table(2), stream.substr(0, static_cast<size_t>(body_size)), layouts, out.rows));
    } else {
      return Unsupported("dictionary");
    }
    stream.remove_prefix(static_cast<size_t>(body_size));
  }
  if (!has_schema) return Corrupt();
  return out;
}

}  // namespace iceblink::server
