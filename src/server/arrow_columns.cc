// Rows as columns, for results that come as rows.
#include <cstring>
#include <utility>

#include "server/arrow_ipc.h"

namespace iceblink::server {
namespace {

using exec::ColumnData;
using sql::DataType;
using sql::TypeKind;
using Cells = std::vector<const Value*>;

template <typename Test>
std::string Bits(const Cells& cells, Test test) {
  std::string bits((cells.size() + 7) / 8, '\0');
  for (size_t i = 0; i < cells.size(); ++i)
    if (test(*cells[i])) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
  return bits;
}

template <typename T, typename Convert>
std::string Fixed(const Cells& cells, Convert convert) {
  std::string bytes(cells.size() * sizeof(T), '\0');
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i]->is_null()) continue;
    T value = static_cast<T>(convert(*cells[i]));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <typename T>
std::string Integers(const Cells& cells) {
  return Fixed<T>(cells, [](const Value& v) { return v.AsInt64(); });
}

// Offsets from the sizes of the cells.
template <typename Size>
std::string Offsets(const Cells& cells, Size size) {
  std::vector<int32_t> offsets = {0};
  for (const Value* cell : cells)
    offsets.push_back(offsets.back() + (cell->is_null() ? 0 : static_cast<int32_t>(size(*cell))));
  return {reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(int32_t)};
}

template <typename Text>
void Texts(const Cells& cells, Text text, ColumnData& out) {
  out.offsets = Offsets(cells, [&](const Value& v) { return text(v).size(); });
  for (const Value* cell : cells)
    if (!cell->is_null()) out.values += text(*cell);
}

ColumnData Column(const DataType& type, const Cells& cells);

void Array(const DataType& type, const Cells& cells, ColumnData& out) {
  out.offsets = Offsets(cells, [](const Value& v) { return v.elements().size(); });
  Cells inner;
  for (const Value* cell : cells)
    if (!cell->is_null())
      for (const Value& element : cell->elements()) inner.push_back(&element);
  out.children = {Column(type.element(), inner)};
}

void Map(const DataType& type, const Cells& cells, ColumnData& out) {
  out.offsets = Offsets(cells, [](const Value& v) { return v.entries().size(); });
  Cells keys, values;
  for (const Value* cell : cells) {
    if (cell->is_null()) continue;
    for (const auto& [key, value] : cell->entries()) {
      keys.push_back(&key);
      values.push_back(&value);
    }
  }
  out.children = {Column(type.key(), keys), Column(type.value(), values)};
}

void Struct(const DataType& type, const Cells& cells, ColumnData& out) {
  static const Value kNull;
  for (size_t f = 0; f < type.fields().size(); ++f) {
    Cells inner;
    inner.reserve(cells.size());
    for (const Value* cell : cells) inner.push_back(cell->is_null() ? &kNull : &cell->fields()[f]);
    out.children.push_back(Column(type.fields()[f].type, inner));
  }
}

std::string Intervals(const DataType& type, const Cells& cells) {
  if (type.kind() == TypeKind::kYearMonthInterval)
    return Fixed<int32_t>(cells, [](const Value& v) { return v.As<Interval>().months; });
  if (type.kind() == TypeKind::kDayTimeInterval)
    return Fixed<int64_t>(cells, [](const Value& v) { return v.As<Interval>().micros; });
  struct MonthDayNano {
    int32_t months, days;
    int64_t nanos;
  };
  return Fixed<MonthDayNano>(cells, [](const Value& v) {
    const auto& interval = v.As<Interval>();
    return MonthDayNano{interval.months, interval.days, interval.micros * 1000};
  });
}

void Content(const DataType& type, const Cells& cells, ColumnData& out) {
  switch (type.kind()) {
    case TypeKind::kVoid:
      return;
    case TypeKind::kBoolean:
      out.values = Bits(cells, [](const Value& v) { return !v.is_null() && v.As<bool>(); });
      return;
    case TypeKind::kTinyInt:
      out.values = Integers<int8_t>(cells);
      return;
    case TypeKind::kSmallInt:
      out.values = Integers<int16_t>(cells);
      return;
    case TypeKind::kInt:
    case TypeKind::kDate:
      out.values = Integers<int32_t>(cells);
      return;
    case TypeKind::kBigInt:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      out.values = Integers<int64_t>(cells);
      return;
    case TypeKind::kTime:
      out.values = Fixed<int64_t>(cells, [](const Value& v) { return v.AsInt64() * 1000; });
      return;
    case TypeKind::kFloat:
      out.values = Fixed<float>(cells, [](const Value& v) { return v.As<float>(); });
      return;
    case TypeKind::kDouble:
      out.values = Fixed<double>(cells, [](const Value& v) { return v.As<double>(); });
      return;
    case TypeKind::kDecimal:
      out.values = Fixed<Int128>(cells, [](const Value& v) { return v.As<Decimal>().unscaled; });
      return;
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
    case TypeKind::kCalendarInterval:
      out.values = Intervals(type, cells);
      return;
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return Texts(cells, [](const Value& v) -> const auto& { return v.As<std::string>(); }, out);
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return Texts(cells, [](const Value& v) -> const auto& { return v.As<Bytes>().data; }, out);
    case TypeKind::kArray:
      return Array(type, cells, out);
    case TypeKind::kMap:
      return Map(type, cells, out);
    case TypeKind::kStruct:
      return Struct(type, cells, out);
    case TypeKind::kVariant:  // no statement that answers with rows has one
      out.children = {Column(TypeKind::kBinary, {}), Column(TypeKind::kBinary, {})};
      return;
  }
}

ColumnData Column(const DataType& type, const Cells& cells) {
  ColumnData out;
  out.length = static_cast<int64_t>(cells.size());
  for (const Value* cell : cells) out.nulls += cell->is_null();
  if (out.nulls > 0) out.validity = Bits(cells, [](const Value& v) { return !v.is_null(); });
  Content(type, cells, out);
  return out;
}

}  // namespace

exec::ColumnBatch ColumnsOf(const DataType& schema, std::span<const ValueList> rows) {
  exec::ColumnBatch batch;
  batch.rows = static_cast<int64_t>(rows.size());
  for (size_t c = 0; c < schema.fields().size(); ++c) {
    Cells cells;
    cells.reserve(rows.size());
    for (const ValueList& row : rows) cells.push_back(&row[c]);
    batch.columns.push_back(Column(schema.fields()[c].type, cells));
  }
  return batch;
}

}  // namespace iceblink::server
