#include "exec/column_builder.h"

#include <numeric>

#include "base/value.h"

namespace iceblink::exec {

using duckdb::idx_t;
using duckdb::PhysicalType;
using sql::DataType;
using sql::TypeKind;

namespace {

// DuckDB knows 128-bit integers by its own name: two's complement, the lower half first.
template <typename T>
const T* Data(const duckdb::RecursiveUnifiedVectorFormat& format) {
  if constexpr (std::is_same_v<T, Int128>) {
    static_assert(sizeof(Int128) == sizeof(duckdb::hugeint_t));
    return reinterpret_cast<const T*>(
        duckdb::UnifiedVectorFormat::GetData<duckdb::hugeint_t>(format.unified));
  } else {
    return duckdb::UnifiedVectorFormat::GetData<T>(format.unified);
  }
}

template <typename T>
void AppendValue(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void SetBit(std::string& bits, int64_t at) {
  char& byte = bits[static_cast<size_t>(at / 8)];
  byte = static_cast<char>(byte | (1 << (at % 8)));
}

std::string AllSet(int64_t length) {
  return std::string(static_cast<size_t>((length + 7) / 8), '\xff');
}

int32_t LastOffset(const std::string& offsets) {
  int32_t last = 0;
  if (!offsets.empty())
    std::memcpy(&last, offsets.data() + offsets.size() - sizeof last, sizeof last);
  return last;
}

std::vector<DataType> ChildTypes(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kArray:
      return {type.element()};
    case TypeKind::kMap:
      return {type.key(), type.value()};
    case TypeKind::kStruct: {
      std::vector<DataType> types;
      for (const sql::StructField& field : type.fields()) types.push_back(field.type);
      return types;
    }
    case TypeKind::kVariant:  // value and metadata
      return {TypeKind::kBinary, TypeKind::kBinary};
    default:
      return {};
  }
}

bool HasOffsets(const DataType& type) {
  return type.is_string() || type.kind() == TypeKind::kBinary || type.kind() == TypeKind::kArray ||
         type.kind() == TypeKind::kMap;
}

}  // namespace

ColumnBuilder::ColumnBuilder(DataType type) : type_(std::move(type)) {
  for (DataType& child : ChildTypes(type_)) children_.emplace_back(std::move(child));
}

size_t ColumnBuilder::bytes() const {
  size_t all = data_.values.size() + data_.offsets.size();
  for (const ColumnBuilder& child : children_) all += child.bytes();
  return all;
}

ColumnData ColumnBuilder::Finish() {
  if (data_.offsets.empty() && HasOffsets(type_)) AppendValue(data_.offsets, int32_t{0});
  ColumnData out = std::exchange(data_, {});
  for (ColumnBuilder& child : children_) out.children.push_back(child.Finish());
  if (type_.kind() == TypeKind::kVariant) {  // the parts of a variant are never null by themselves
    for (ColumnData& part : out.children) part.nulls = 0, part.validity.clear();
  }
  return out;
}

Status ColumnBuilder::Append(duckdb::Vector& vector, size_t size, size_t first, size_t count) {
  Format format;
  duckdb::Vector::RecursiveToUnifiedFormat(vector, size, format);
  std::vector<idx_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return Append(format, rows);
}

Status ColumnBuilder::Append(const Format& format, Rows rows) {
  Validity(format, rows);
  RETURN_IF_ERROR(Content(format, rows));
  data_.length += static_cast<int64_t>(rows.size());
  return {};
}

void ColumnBuilder::Validity(const Format& format, Rows rows) {
  const bool all_valid = type_.kind() != TypeKind::kVoid && format.unified.validity.AllValid();
  if (all_valid && data_.validity.empty()) return;
  const int64_t length = data_.length + static_cast<int64_t>(rows.size());
  if (data_.validity.empty()) data_.validity = AllSet(data_.length);
  data_.validity.resize(static_cast<size_t>((length + 7) / 8));
  // The last byte so far may be set beyond its rows.
  if (data_.length % 8 != 0) {
    char& last = data_.validity[static_cast<size_t>(data_.length / 8)];
    last = static_cast<char>(last & ((1 << (data_.length % 8)) - 1));
  }
  int64_t at = data_.length;
  for (idx_t row : rows) {
    const bool valid = type_.kind() != TypeKind::kVoid &&
                       format.unified.validity.RowIsValid(format.unified.sel->get_index(row));
    if (valid) SetBit(data_.validity, at);
    data_.nulls += !valid;
    ++at;
  }
}

tl::unexpected<Error> ColumnBuilder::Mismatch(const Format& format) const {
  return Fail(ErrorCode::kInternal, "a column of type " + type_.SqlString() + " came as " +
                                        format.logical_type.ToString());
}

Status ColumnBuilder::Content(const Format& format, Rows rows) {
  switch (type_.kind()) {
    case TypeKind::kVoid:
      return {};
    case TypeKind::kBoolean:
      return Booleans(format, rows), Status();
    case TypeKind::kTinyInt:
      return Numbers<int8_t>(format, rows);
    case TypeKind::kSmallInt:
      return Numbers<int16_t>(format, rows);
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kYearMonthInterval:
      return Numbers<int32_t>(format, rows);
    case TypeKind::kBigInt:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
    case TypeKind::kDayTimeInterval:
      return Numbers<int64_t>(format, rows);
    case TypeKind::kTime:  // Spark's Arrow form counts nanoseconds
      return Numbers<int64_t>(format, rows, 1000);
    case TypeKind::kFloat:
      return Numbers<float>(format, rows);
    case TypeKind::kDouble:
      return Numbers<double>(format, rows);
    case TypeKind::kDecimal:
      return Numbers<Int128>(format, rows);
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return Texts(format, rows);
    case TypeKind::kCalendarInterval:
      return Intervals(format, rows), Status();
    case TypeKind::kArray:
    case TypeKind::kMap:
      return Elements(format, rows);
    case TypeKind::kStruct:
    case TypeKind::kVariant:
      return Fields(format, rows);
  }
  return Mismatch(format);
}

void ColumnBuilder::Booleans(const Format& format, Rows rows) {
  const bool* values = duckdb::UnifiedVectorFormat::GetData<bool>(format.unified);
  int64_t at = data_.length;
  data_.values.resize((static_cast<size_t>(at) + rows.size() + 7) / 8);
  for (idx_t row : rows) {
    const idx_t place = format.unified.sel->get_index(row);
    if (format.unified.validity.RowIsValid(place) && values[place]) SetBit(data_.values, at);
    ++at;
  }
}

template <typename From, typename To>
void ColumnBuilder::Copy(const Format& format, Rows rows, int64_t factor) {
  const From* values = Data<From>(format);
  const size_t begin = data_.values.size();
  data_.values.resize(begin + rows.size() * sizeof(To));
  char* out = data_.values.data() + begin;
  if constexpr (std::is_same_v<From, To>) {
    if (!format.unified.sel->IsSet() && factor == 1 && !rows.empty()) {
      std::memcpy(out, values + rows.front(), rows.size() * sizeof(To));
      return;
    }
  }
  for (idx_t row : rows) {
    To value = static_cast<To>(values[format.unified.sel->get_index(row)]);
    if (factor != 1) value = static_cast<To>(value * static_cast<To>(factor));
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  }
}

// The vector may be narrower or wider than the column, as decimals are.
template <typename To>
Status ColumnBuilder::Numbers(const Format& format, Rows rows, int64_t factor) {
  switch (format.logical_type.InternalType()) {
    case PhysicalType::INT8:
      return Copy<int8_t, To>(format, rows, factor), Status();
    case PhysicalType::INT16:
      return Copy<int16_t, To>(format, rows, factor), Status();
    case PhysicalType::INT32:
      return Copy<int32_t, To>(format, rows, factor), Status();
    case PhysicalType::INT64:
      return Copy<int64_t, To>(format, rows, factor), Status();
    case PhysicalType::INT128:
      return Copy<Int128, To>(format, rows, factor), Status();
    case PhysicalType::FLOAT:
      return Copy<float, To>(format, rows, factor), Status();
    case PhysicalType::DOUBLE:
      return Copy<double, To>(format, rows, factor), Status();
    default:
      return Mismatch(format);
  }
}

Status ColumnBuilder::Texts(const Format& format, Rows rows) {
  if (format.logical_type.InternalType() != PhysicalType::VARCHAR) return Mismatch(format);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format.unified);
  if (data_.offsets.empty()) AppendValue(data_.offsets, int32_t{0});
  const size_t begin = data_.offsets.size();
  data_.offsets.resize(begin + rows.size() * sizeof(int32_t));
  char* offsets = data_.offsets.data() + begin;
  for (idx_t row : rows) {
    const idx_t place = format.unified.sel->get_index(row);
    if (format.unified.validity.RowIsValid(place))
      data_.values.append(values[place].GetData(), values[place].GetSize());
    const auto end = static_cast<int32_t>(data_.values.size());
    std::memcpy(offsets, &end, sizeof end);
    offsets += sizeof end;
  }
  if (data_.values.size() > INT32_MAX)
    return Fail(ErrorCode::kUnsupported, "a batch holds more than 2 GB of text");
  return {};
}

void ColumnBuilder::Intervals(const Format& format, Rows rows) {
  const auto* values = duckdb::UnifiedVectorFormat::GetData<duckdb::interval_t>(format.unified);
  for (idx_t row : rows) {
    const idx_t place = format.unified.sel->get_index(row);
    const bool valid = format.unified.validity.RowIsValid(place);
    const duckdb::interval_t value = valid ? values[place] : duckdb::interval_t{0, 0, 0};
    AppendValue(data_.values, value.months);
    AppendValue(data_.values, value.days);
    AppendValue(data_.values, value.micros * 1000);
  }
}

// Arrays, and maps: a map of DuckDB is an array of structs of key and value.
Status ColumnBuilder::Elements(const Format& format, Rows rows) {
  if (format.logical_type.InternalType() != PhysicalType::LIST) return Mismatch(format);
  const auto* lists = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format.unified);
  if (data_.offsets.empty()) AppendValue(data_.offsets, int32_t{0});
  int32_t end = LastOffset(data_.offsets);
  std::vector<idx_t> places;
  for (idx_t row : rows) {
    const idx_t place = format.unified.sel->get_index(row);
    if (format.unified.validity.RowIsValid(place)) {
      for (idx_t i = 0; i < lists[place].length; ++i) places.push_back(lists[place].offset + i);
      end += static_cast<int32_t>(lists[place].length);
    }
    AppendValue(data_.offsets, end);
  }
  const Format& elements = format.children[0];
  if (type_.kind() == TypeKind::kArray) return children_[0].Append(elements, places);
  for (idx_t& place : places) place = elements.unified.sel->get_index(place);
  RETURN_IF_ERROR(children_[0].Append(elements.children[0], places));
  return children_[1].Append(elements.children[1], places);
}

// A struct without fields has one in DuckDB, which is left out here.
Status ColumnBuilder::Fields(const Format& format, Rows rows) {
  if (format.children.size() < children_.size()) return Mismatch(format);
  std::vector<idx_t> places;
  places.reserve(rows.size());
  for (idx_t row : rows) places.push_back(format.unified.sel->get_index(row));
  const bool variant = type_.kind() == TypeKind::kVariant;  // DuckDB puts the metadata first
  for (size_t i = 0; i < children_.size(); ++i)
    RETURN_IF_ERROR(children_[i].Append(format.children[variant ? 1 - i : i], places));
  return {};
}

}  // namespace iceblink::exec
