#include "exec/duckdb_types.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "duckdb/common/types/uuid.hpp"

namespace iceblink::exec {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using sql::DataType;
using sql::TypeKind;

namespace {

LogicalType StructOf(const std::vector<std::string>& names, const std::vector<LogicalType>& types) {
  duckdb::child_list_t<LogicalType> children;
  for (size_t i = 0; i < names.size(); ++i) children.emplace_back(names[i], types[i]);
  if (children.empty())
    children.emplace_back("", LogicalType::INTEGER);  // DuckDB has no empty struct
  return LogicalType::STRUCT(std::move(children));
}

std::vector<std::string> Distinct(std::vector<std::string> names) {
  std::set<std::string> seen;
  for (std::string& name : names) {
    std::string base = name;
    for (int suffix = 1; !seen.insert(AsciiLower(name)).second; ++suffix)
      name = base + "_" + std::to_string(suffix);
  }
  return names;
}

LogicalType DecimalType(int32_t precision, int32_t scale) {
  return LogicalType::DECIMAL(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

}  // namespace

std::vector<std::string> StructNames(const DataType& type) {
  std::vector<std::string> names;
  for (const sql::StructField& field : type.fields()) names.push_back(field.name);
  return Distinct(std::move(names));
}

LogicalType ToLogicalType(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kVoid:
      return LogicalType::INTEGER;
    case TypeKind::kBoolean:
      return LogicalType::BOOLEAN;
    case TypeKind::kTinyInt:
      return LogicalType::TINYINT;
    case TypeKind::kSmallInt:
      return LogicalType::SMALLINT;
    case TypeKind::kInt:
      return LogicalType::INTEGER;
    case TypeKind::kBigInt:
      return LogicalType::BIGINT;
    case TypeKind::kFloat:
      return LogicalType::FLOAT;
    case TypeKind::kDouble:
      return LogicalType::DOUBLE;
    case TypeKind::kDecimal:
      return DecimalType(type.precision(), type.scale());
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return LogicalType::VARCHAR;
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return LogicalType::BLOB;
    case TypeKind::kDate:
      return LogicalType::DATE;
    case TypeKind::kTimestamp:
      return LogicalType::TIMESTAMP_TZ;
    case TypeKind::kTimestampNtz:
      return LogicalType::TIMESTAMP;
    case TypeKind::kTime:
      return LogicalType::TIME;
    case TypeKind::kYearMonthInterval:
      return LogicalType::INTEGER;
    case TypeKind::kDayTimeInterval:
      return LogicalType::BIGINT;
    case TypeKind::kCalendarInterval:
      return LogicalType::INTERVAL;
    case TypeKind::kArray:
      return LogicalType::LIST(ToLogicalType(type.element()));
    case TypeKind::kMap:
      return LogicalType::MAP(ToLogicalType(type.key()), ToLogicalType(type.value()));
    case TypeKind::kVariant:
      return LogicalType::VARIANT();
    case TypeKind::kStruct:
      break;
  }
  std::vector<LogicalType> types;
  for (const sql::StructField& field : type.fields()) types.push_back(ToLogicalType(field.type));
  return StructOf(StructNames(type), types);
}

LogicalType ToLogicalType(const spec::Type& type) {
  using spec::TypeKind;
  switch (type.kind()) {
    case TypeKind::kUnknown:
      return LogicalType::INTEGER;
    case TypeKind::kBoolean:
      return LogicalType::BOOLEAN;
    case TypeKind::kInt:
      return LogicalType::INTEGER;
    case TypeKind::kLong:
      return LogicalType::BIGINT;
    case TypeKind::kFloat:
      return LogicalType::FLOAT;
    case TypeKind::kDouble:
      return LogicalType::DOUBLE;
    case TypeKind::kDecimal:
      return DecimalType(type.precision(), type.scale());
    case TypeKind::kDate:
      return LogicalType::DATE;
    case TypeKind::kTime:
      return LogicalType::TIME;
    case TypeKind::kTimestamp:
      return LogicalType::TIMESTAMP;
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampTzNs:
      return LogicalType::TIMESTAMP_TZ;
    case TypeKind::kTimestampNs:
      return LogicalType::TIMESTAMP_NS;
    case TypeKind::kString:
      return LogicalType::VARCHAR;
    case TypeKind::kUuid:
      return LogicalType::UUID;
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return LogicalType::BLOB;
    case TypeKind::kVariant:
      return LogicalType::VARIANT();
    case TypeKind::kList:
      return LogicalType::LIST(ToLogicalType(type.AsList().element.type));
    case TypeKind::kMap:
      return LogicalType::MAP(ToLogicalType(type.AsMap().key.type),
                              ToLogicalType(type.AsMap().value.type));
    case TypeKind::kStruct:
      break;
  }
  std::vector<std::string> names;
  std::vector<LogicalType> types;
  for (const spec::NestedField& field : type.AsStruct().fields) {
    names.push_back(field.name);
    types.push_back(ToLogicalType(field.type));
  }
  return StructOf(Distinct(std::move(names)), types);
}

std::string TypeSql(const LogicalType& type) { return type.ToString(); }
std::string TypeSql(const DataType& type) { return TypeSql(ToLogicalType(type)); }

Int128 ToInt128(const duckdb::hugeint_t& value) {
  return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

duckdb::hugeint_t ToHugeint(Int128 value) {
  duckdb::hugeint_t out;
  out.lower = static_cast<uint64_t>(value);
  out.upper = static_cast<int64_t>(value >> 64);
  return out;
}

namespace {

Int128 UnscaledOf(const duckdb::Value& value) {
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return value.GetValueUnsafe<int16_t>();
    case duckdb::PhysicalType::INT32:
      return value.GetValueUnsafe<int32_t>();
    case duckdb::PhysicalType::INT64:
      return value.GetValueUnsafe<int64_t>();
    default:
      return ToInt128(value.GetValueUnsafe<duckdb::hugeint_t>());
  }
}

Value NestedFromDuckDb(const duckdb::Value& value) {
  if (value.type().id() == LogicalTypeId::STRUCT) {
    ValueList fields;
    for (const duckdb::Value& v : duckdb::StructValue::GetChildren(value))
      fields.push_back(FromDuckDb(v));
    return Value::Struct(std::move(fields));
  }
  if (value.type().id() == LogicalTypeId::MAP) {
    std::vector<std::pair<Value, Value>> entries;
    for (const duckdb::Value& entry : duckdb::MapValue::GetChildren(value)) {
      const auto& kv = duckdb::StructValue::GetChildren(entry);
      entries.emplace_back(FromDuckDb(kv[0]), FromDuckDb(kv[1]));
    }
    return Value::Map(std::move(entries));
  }
  ValueList elements;
  for (const duckdb::Value& v : duckdb::ListValue::GetChildren(value))
    elements.push_back(FromDuckDb(v));
  return Value::Array(std::move(elements));
}

std::string UuidBytes(const duckdb::hugeint_t& stored) {
  // DuckDB flips the top bit so that UUIDs order as signed numbers.
  Int128 bits = ToInt128(stored) ^ (static_cast<Int128>(1) << 127);
  std::string out(16, '\0');
  for (int i = 15; i >= 0; --i, bits >>= 8) out[i] = static_cast<char>(bits & 0xff);
  return out;
}

}  // namespace

Value FromDuckDb(const duckdb::Value& value) {
  if (value.IsNull()) return {};
  switch (value.type().id()) {
    case LogicalTypeId::BOOLEAN:
      return value.GetValueUnsafe<bool>();
    case LogicalTypeId::TINYINT:
      return int32_t{value.GetValueUnsafe<int8_t>()};
    case LogicalTypeId::SMALLINT:
      return int32_t{value.GetValueUnsafe<int16_t>()};
    case LogicalTypeId::INTEGER:
      return value.GetValueUnsafe<int32_t>();
    case LogicalTypeId::DATE:
      return value.GetValueUnsafe<int32_t>();
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::TIME:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_NS:
    case LogicalTypeId::TIMESTAMP_TZ:
      return value.GetValueUnsafe<int64_t>();
    case LogicalTypeId::FLOAT:
      return value.GetValueUnsafe<float>();
    case LogicalTypeId::DOUBLE:
      return value.GetValueUnsafe<double>();
    case LogicalTypeId::DECIMAL:
      return Decimal{UnscaledOf(value), int32_t{duckdb::DecimalType::GetScale(value.type())}};
    case LogicalTypeId::VARCHAR:
      return duckdb::StringValue::Get(value);
    case LogicalTypeId::BLOB:
      return Bytes{duckdb::StringValue::Get(value)};
    case LogicalTypeId::UUID:
      return Bytes{UuidBytes(value.GetValueUnsafe<duckdb::hugeint_t>())};
    case LogicalTypeId::INTERVAL: {
      auto i = value.GetValueUnsafe<duckdb::interval_t>();
      return Interval{i.months, i.days, i.micros};
    }
    case LogicalTypeId::LIST:
    case LogicalTypeId::MAP:
    case LogicalTypeId::STRUCT:
      return NestedFromDuckDb(value);
    default:
      return value.ToString();
  }
}

namespace {

duckdb::Value NestedToDuckDb(const Value& value, const LogicalType& type) {
  using duckdb::Value;
  if (type.id() == LogicalTypeId::LIST) {
    duckdb::vector<Value> children;
    const LogicalType& element = duckdb::ListType::GetChildType(type);
    for (const auto& v : value.elements()) children.push_back(ToDuckDb(v, element));
    return Value::LIST(element, std::move(children));
  }
  if (type.id() == LogicalTypeId::MAP) {
    duckdb::vector<Value> keys, values;
    const LogicalType &key = duckdb::MapType::KeyType(type),
                      &mapped = duckdb::MapType::ValueType(type);
    for (const auto& [k, v] : value.entries()) {
      keys.push_back(ToDuckDb(k, key));
      values.push_back(ToDuckDb(v, mapped));
    }
    return Value::MAP(key, mapped, std::move(keys), std::move(values));
  }
  duckdb::child_list_t<Value> children;
  const auto& types = duckdb::StructType::GetChildTypes(type);
  for (size_t i = 0; i < types.size(); ++i) {
    bool given = i < value.fields().size();
    children.emplace_back(types[i].first, given ? ToDuckDb(value.fields()[i], types[i].second)
                                                : Value(types[i].second));
  }
  return Value::STRUCT(std::move(children));
}

}  // namespace

duckdb::Value ToDuckDb(const Value& value, const LogicalType& type) {
  using duckdb::Value;
  if (value.is_null()) return Value(type);
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return Value::BOOLEAN(value.As<bool>());
    case LogicalTypeId::TINYINT:
      return Value::TINYINT(static_cast<int8_t>(value.AsInt64()));
    case LogicalTypeId::SMALLINT:
      return Value::SMALLINT(static_cast<int16_t>(value.AsInt64()));
    case LogicalTypeId::INTEGER:
      if (value.Is<Interval>()) return Value::INTEGER(value.As<Interval>().months);
      return Value::INTEGER(static_cast<int32_t>(value.AsInt64()));
    case LogicalTypeId::BIGINT:
      if (value.Is<Interval>()) {
        return Value::BIGINT(value.As<Interval>().micros +
                             value.As<Interval>().days * kMicrosPerDay);
      }
      return Value::BIGINT(value.AsInt64());
    case LogicalTypeId::DATE:
      return Value::DATE(duckdb::date_t(static_cast<int32_t>(value.AsInt64())));
    case LogicalTypeId::TIME:
      return Value::TIME(duckdb::dtime_t(value.AsInt64()));
    case LogicalTypeId::TIMESTAMP:
      return Value::TIMESTAMP(duckdb::timestamp_t(value.AsInt64()));
    case LogicalTypeId::TIMESTAMP_TZ:
      return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(value.AsInt64()));
    case LogicalTypeId::TIMESTAMP_NS:
      return Value::TIMESTAMPNS(duckdb::timestamp_ns_t(value.AsInt64()));
    case LogicalTypeId::FLOAT:
      return Value::FLOAT(value.As<float>());
    case LogicalTypeId::DOUBLE:
      return Value::DOUBLE(value.As<double>());
    case LogicalTypeId::DECIMAL: {
      uint8_t width = duckdb::DecimalType::GetWidth(type),
              scale = duckdb::DecimalType::GetScale(type);
      auto scaled = Rescale(value.As<Decimal>(), scale, Rounding::kHalfUp);
      Int128 unscaled = scaled ? scaled->unscaled : 0;
      if (width <= 18) return Value::DECIMAL(static_cast<int64_t>(unscaled), width, scale);
      return Value::DECIMAL(ToHugeint(unscaled), width, scale);
    }
    case LogicalTypeId::VARCHAR:
      return Value(value.As<std::string>());
    case LogicalTypeId::BLOB:
      return Value::BLOB_RAW(value.As<Bytes>().data);
    case LogicalTypeId::UUID:
      return Value::UUID(Uuid::FromBytes(value.As<Bytes>().data).ToString());
    case LogicalTypeId::INTERVAL: {
      const Interval& i = value.As<Interval>();
      return Value::INTERVAL(i.months, i.days, i.micros);
    }
    case LogicalTypeId::LIST:
    case LogicalTypeId::MAP:
    case LogicalTypeId::STRUCT:
      return NestedToDuckDb(value, type);
    default:
      return Value(value.As<std::string>()).DefaultCastAs(type);
  }
}

bool NeedsReshape(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return true;
    case TypeKind::kArray:
      return NeedsReshape(type.element());
    case TypeKind::kMap:
      return NeedsReshape(type.key()) || NeedsReshape(type.value());
    case TypeKind::kStruct:
      if (type.fields().empty()) return true;  // a field of DuckDB's stands in
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const auto& f) { return NeedsReshape(f.type); });
    default:
      return false;
  }
}

Value Reshape(Value value, const DataType& type) {
  if (value.is_null()) return value;
  switch (type.kind()) {
    case TypeKind::kYearMonthInterval:
      return Interval{static_cast<int32_t>(value.AsInt64()), 0, 0};
    case TypeKind::kDayTimeInterval:
      return Interval{0, 0, value.AsInt64()};
    case TypeKind::kArray: {
      ValueList out;
      for (const Value& v : value.elements()) out.push_back(Reshape(v, type.element()));
      return Value::Array(std::move(out));
    }
    case TypeKind::kMap: {
      std::vector<std::pair<Value, Value>> out;
      for (const auto& [k, v] : value.entries())
        out.emplace_back(Reshape(k, type.key()), Reshape(v, type.value()));
      return Value::Map(std::move(out));
    }
    case TypeKind::kStruct: {
      ValueList out;
      for (size_t i = 0; i < type.fields().size(); ++i)
        out.push_back(Reshape(value.fields()[i], type.fields()[i].type));
      return Value::Struct(std::move(out));
    }
    default:
      return value;
  }
}

namespace {

template <typename T, typename Make>
void AppendFlat(const duckdb::UnifiedVectorFormat& format, size_t count,
                std::vector<ValueList>* rows, Make make) {
  const T* data = duckdb::UnifiedVectorFormat::GetData<T>(format);
  size_t first = rows->size() - count;
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    ValueList& row = (*rows)[first + i];
    if (format.validity.RowIsValid(at)) {
      row.emplace_back(make(data[at]));
    } else {
      row.emplace_back();
    }
  }
}

}  // namespace

void AppendColumn(duckdb::Vector& column, size_t count, std::vector<ValueList>* rows) {
  duckdb::UnifiedVectorFormat format;
  column.ToUnifiedFormat(count, format);
  switch (column.GetType().id()) {
    case LogicalTypeId::BOOLEAN:
      return AppendFlat<bool>(format, count, rows, [](bool v) { return Value(v); });
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::DATE:
      return AppendFlat<int32_t>(format, count, rows, [](int32_t v) { return Value(v); });
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return AppendFlat<int64_t>(format, count, rows, [](int64_t v) { return Value(v); });
    case LogicalTypeId::DOUBLE:
      return AppendFlat<double>(format, count, rows, [](double v) { return Value(v); });
    case LogicalTypeId::VARCHAR:
      return AppendFlat<duckdb::string_t>(
          format, count, rows, [](const duckdb::string_t& v) { return Value(v.GetString()); });
    default:
      break;
  }
  size_t first = rows->size() - count;
  for (size_t i = 0; i < count; ++i) (*rows)[first + i].push_back(FromDuckDb(column.GetValue(i)));
}

}  // namespace iceblink::exec
