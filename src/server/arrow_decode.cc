#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "server/arrow_ipc.h"
#include "server/errors.h"

namespace iceblink::server {
namespace {

using sql::DataType;
using sql::TypeKind;

tl::unexpected<Error> Unsupported(const arrow::DataType& type) {
  return Fail(WithCondition(ErrorCode::kUnsupported, "SparkUnsupportedOperationException",
                            "UNSUPPORTED_ARROWTYPE", "0A000",
                            "Unsupported arrow type " + type.ToString() + "."));
}
tl::unexpected<Error> Corrupt(const arrow::Status& status) {
  return Fail(ErrorCode::kCorrupt, "The Arrow data is malformed: " + status.message(),
              "SparkException");
}

// ---- types
// ------------------------------------------------------------------------------------------------------------

Result<DataType> TypeOf(const arrow::DataType& type);

Result<DataType> StructOf(const arrow::FieldVector& fields) {
  std::vector<sql::StructField> out;
  for (const auto& field : fields) {
    ASSIGN_OR_RETURN(DataType type, TypeOf(*field->type()));
    out.push_back({field->name(), std::move(type), field->nullable(), {}});
  }
  return DataType::Struct(std::move(out));
}

Result<DataType> NestedTypeOf(const arrow::DataType& type) {
  if (type.id() == arrow::Type::STRUCT) return StructOf(type.fields());
  if (type.id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(type);
    ASSIGN_OR_RETURN(DataType key, TypeOf(*map.key_type()));
    ASSIGN_OR_RETURN(DataType value, TypeOf(*map.item_type()));
    return DataType::Map(std::move(key), std::move(value), true);
  }
  ASSIGN_OR_RETURN(DataType element, TypeOf(*type.field(0)->type()));
  return DataType::Array(std::move(element), true);
}

// The narrowest of Spark's types that holds all of Arrow's.
Result<DataType> TypeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return DataType();
    case arrow::Type::BOOL:
      return DataType(TypeKind::kBoolean);
    case arrow::Type::INT8:
      return DataType(TypeKind::kTinyInt);
    case arrow::Type::UINT8:
    case arrow::Type::INT16:
      return DataType(TypeKind::kSmallInt);
    case arrow::Type::UINT16:
    case arrow::Type::INT32:
      return DataType(TypeKind::kInt);
    case arrow::Type::UINT32:
    case arrow::Type::INT64:
      return DataType(TypeKind::kBigInt);
    case arrow::Type::UINT64:
      return DataType::Decimal(20, 0);
    case arrow::Type::FLOAT:
      return DataType(TypeKind::kFloat);
    case arrow::Type::DOUBLE:
      return DataType(TypeKind::kDouble);
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return DataType::Decimal(decimal.precision(), decimal.scale());
    }
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      return DataType(TypeKind::kString);
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return DataType(TypeKind::kBinary);
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return DataType(TypeKind::kDate);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return DataType::Time(6);
    case arrow::Type::TIMESTAMP:
      return DataType(static_cast<const arrow::TimestampType&>(type).timezone().empty()
                          ? TypeKind::kTimestampNtz
                          : TypeKind::kTimestamp);
    case arrow::Type::DURATION:
      return DataType::DayTimeInterval(sql::IntervalField::kDay, sql::IntervalField::kSecond);
    case arrow::Type::INTERVAL_MONTHS:
      return DataType::YearMonthInterval(sql::IntervalField::kYear, sql::IntervalField::kMonth);
    case arrow::Type::DICTIONARY:
      return TypeOf(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRUCT:
      return NestedTypeOf(type);
    default:
      return Unsupported(type);
  }
}

// ---- values
// -----------------------------------------------------------------------------------------------------------

ValueList ValuesOf(const arrow::Array& array);

// The values of rows that are not null; `make` takes a row's number.
template <typename Make>
ValueList Rows(const arrow::Array& array, Make make) {
  ValueList out(static_cast<size_t>(array.length()));
  for (int64_t i = 0; i < array.length(); ++i)
    if (array.IsValid(i)) out[static_cast<size_t>(i)] = make(i);
  return out;
}

template <typename Array, typename As>
ValueList Numbers(const arrow::Array& array) {
  const auto& typed = static_cast<const Array&>(array);
  return Rows(array, [&](int64_t i) { return Value(static_cast<As>(typed.Value(i))); });
}

// Counts of a unit, in microseconds.
template <typename Array, typename As>
ValueList Micros(const arrow::Array& array) {
  constexpr int64_t kMultiply[] = {1'000'000, 1'000, 1, 1}, kDivide[] = {1, 1, 1, 1'000};
  const auto& typed = static_cast<const Array&>(array);
  const auto unit = static_cast<const typename Array::TypeClass&>(*array.type()).unit();
  return Rows(array, [&](int64_t i) {
    const int64_t micros = static_cast<int64_t>(typed.Value(i)) / kDivide[unit] * kMultiply[unit];
    if constexpr (std::is_same_v<As, Interval>)
      return Value(Interval{0, 0, micros});
    else
      return Value(micros);
  });
}

template <typename Array, typename As>
ValueList Texts(const arrow::Array& array) {
  const auto& typed = static_cast<const Array&>(array);
  return Rows(array, [&](int64_t i) { return Value(As{std::string(typed.GetView(i))}); });
}

template <typename Array>
ValueList Lists(const arrow::Array& array) {
  const auto& typed = static_cast<const Array&>(array);
  ValueList elements = ValuesOf(*typed.values());
  return Rows(array, [&](int64_t i) {
    auto first = elements.begin() + typed.value_offset(i);
    return Value::Array({first, first + typed.value_length(i)});
  });
}

ValueList Maps(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::MapArray&>(array);
  ValueList keys = ValuesOf(*typed.keys()), items = ValuesOf(*typed.items());
  return Rows(array, [&](int64_t i) {
    std::vector<std::pair<Value, Value>> entries;
    for (int64_t e = typed.value_offset(i); e < typed.value_offset(i) + typed.value_length(i); ++e)
      entries.emplace_back(keys[static_cast<size_t>(e)], items[static_cast<size_t>(e)]);
    return Value::Map(std::move(entries));
  });
}

ValueList Structs(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::StructArray&>(array);
  std::vector<ValueList> columns;
  for (const auto& field : typed.fields()) columns.push_back(ValuesOf(*field));
  return Rows(array, [&](int64_t i) {
    ValueList fields;
    for (ValueList& column : columns) fields.push_back(std::move(column[static_cast<size_t>(i)]));
    return Value::Struct(std::move(fields));
  });
}

ValueList Dictionary(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::DictionaryArray&>(array);
  ValueList words = ValuesOf(*typed.dictionary());
  return Rows(array, [&](int64_t i) { return words[static_cast<size_t>(typed.GetValueIndex(i))]; });
}

ValueList Decimals(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::Decimal128Array&>(array);
  const int32_t scale = static_cast<const arrow::Decimal128Type&>(*array.type()).scale();
  return Rows(array, [&](int64_t i) {
    Int128 unscaled;
    std::memcpy(&unscaled, typed.GetValue(i), sizeof unscaled);
    return Value(Decimal{unscaled, scale});
  });
}

ValueList Unsigned64(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::UInt64Array&>(array);
  return Rows(array, [&](int64_t i) { return Value(Decimal{Int128(typed.Value(i)), 0}); });
}

ValueList Dates64(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::Date64Array&>(array);
  return Rows(array, [&](int64_t i) { return Value(int32_t(typed.Value(i) / 86'400'000)); });
}

ValueList Months(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::MonthIntervalArray&>(array);
  return Rows(array, [&](int64_t i) { return Value(Interval{typed.Value(i), 0, 0}); });
}

ValueList Nulls(const arrow::Array& array) {
  return ValueList(static_cast<size_t>(array.length()));
}

struct Reader {
  arrow::Type::type type;
  ValueList (*read)(const arrow::Array&);
};

// Every type that TypeOf takes.
constexpr Reader kReaders[] = {
    {arrow::Type::NA, Nulls},
    {arrow::Type::BOOL, Numbers<arrow::BooleanArray, bool>},
    {arrow::Type::INT8, Numbers<arrow::Int8Array, int32_t>},
    {arrow::Type::UINT8, Numbers<arrow::UInt8Array, int32_t>},
    {arrow::Type::INT16, Numbers<arrow::Int16Array, int32_t>},
    {arrow::Type::UINT16, Numbers<arrow::UInt16Array, int32_t>},
    {arrow::Type::INT32, Numbers<arrow::Int32Array, int32_t>},
    {arrow::Type::UINT32, Numbers<arrow::UInt32Array, int64_t>},
    {arrow::Type::INT64, Numbers<arrow::Int64Array, int64_t>},
    {arrow::Type::UINT64, Unsigned64},
    {arrow::Type::FLOAT, Numbers<arrow::FloatArray, float>},
    {arrow::Type::DOUBLE, Numbers<arrow::DoubleArray, double>},
    {arrow::Type::DECIMAL128, Decimals},
    {arrow::Type::STRING, Texts<arrow::StringArray, std::string>},
    {arrow::Type::LARGE_STRING, Texts<arrow::LargeStringArray, std::string>},
    {arrow::Type::BINARY, Texts<arrow::BinaryArray, Bytes>},
    {arrow::Type::LARGE_BINARY, Texts<arrow::LargeBinaryArray, Bytes>},
    {arrow::Type::FIXED_SIZE_BINARY, Texts<arrow::FixedSizeBinaryArray, Bytes>},
    {arrow::Type::DATE32, Numbers<arrow::Date32Array, int32_t>},
    {arrow::Type::DATE64, Dates64},
    {arrow::Type::TIME32, Micros<arrow::Time32Array, int64_t>},
    {arrow::Type::TIME64, Micros<arrow::Time64Array, int64_t>},
    {arrow::Type::TIMESTAMP, Micros<arrow::TimestampArray, int64_t>},
    {arrow::Type::DURATION, Micros<arrow::DurationArray, Interval>},
    {arrow::Type::INTERVAL_MONTHS, Months},
    {arrow::Type::DICTIONARY, Dictionary},
    {arrow::Type::LIST, Lists<arrow::ListArray>},
    {arrow::Type::LARGE_LIST, Lists<arrow::LargeListArray>},
    {arrow::Type::FIXED_SIZE_LIST, Lists<arrow::FixedSizeListArray>},
    {arrow::Type::MAP, Maps},
    {arrow::Type::STRUCT, Structs},
};

ValueList ValuesOf(const arrow::Array& array) {
  const auto* reader =
      std::find_if(std::begin(kReaders), std::end(kReaders),
                   [&](const Reader& candidate) { return candidate.type == array.type_id(); });
  return reader == std::end(kReaders) ? Nulls(array) : reader->read(array);
}

void AppendRows(const arrow::RecordBatch& batch, std::vector<ValueList>& rows) {
  const size_t first = rows.size();
  rows.resize(first + static_cast<size_t>(batch.num_rows()));
  for (const auto& column : batch.columns()) {
    ValueList values = ValuesOf(*column);
    for (size_t i = 0; i < values.size(); ++i) rows[first + i].push_back(std::move(values[i]));
  }
}

}  // namespace

Result<ArrowRows> DecodeArrow(std::string_view stream) {
  auto opened = arrow::ipc::RecordBatchStreamReader::Open(
      std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(stream)));
  if (!opened.ok()) return Corrupt(opened.status());
  ArrowRows out;
  ASSIGN_OR_RETURN(out.schema, StructOf((*opened)->schema()->fields()));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    arrow::Status status = (*opened)->ReadNext(&batch);
    if (status.ok() && batch == nullptr) return out;
    if (status.ok()) status = batch->ValidateFull();  // offsets and texts come from outside
    if (!status.ok()) return Corrupt(status);
    AppendRows(*batch, out.rows);
  }
}

}  // namespace iceblink::server
