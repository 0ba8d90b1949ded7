#include "plan/types.h"

#include <algorithm>
#include <array>

#include "base/decimal.h"
#include "base/strings.h"
#include "fmt/format.h"

namespace iceblink::plan {

using sql::StructField;
using sql::TypeKind;

// ---- Iceberg mapping
// --------------------------------------------------------------------------------------------------

namespace {

Result<DataType> SparkStruct(const spec::StructType& type) {
  std::vector<StructField> fields;
  for (const spec::NestedField& field : type.fields) {
    ASSIGN_OR_RETURN(DataType child, ToSparkType(field.type));
    fields.push_back({field.name, std::move(child), !field.required, field.doc});
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace

Result<DataType> ToSparkType(const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kUnknown:
      return DataType(TypeKind::kVoid);
    case spec::TypeKind::kBoolean:
      return DataType(TypeKind::kBoolean);
    case spec::TypeKind::kInt:
      return DataType(TypeKind::kInt);
    case spec::TypeKind::kLong:
      return DataType(TypeKind::kBigInt);
    case spec::TypeKind::kFloat:
      return DataType(TypeKind::kFloat);
    case spec::TypeKind::kDouble:
      return DataType(TypeKind::kDouble);
    case spec::TypeKind::kDecimal:
      return DataType::Decimal(type.precision(), type.scale());
    case spec::TypeKind::kDate:
      return DataType(TypeKind::kDate);
    case spec::TypeKind::kTimestamp:
      return DataType(TypeKind::kTimestampNtz);
    case spec::TypeKind::kTimestampTz:
      return DataType(TypeKind::kTimestamp);
    case spec::TypeKind::kString:
    case spec::TypeKind::kUuid:
      return DataType(TypeKind::kString);
    case spec::TypeKind::kFixed:
    case spec::TypeKind::kBinary:
      return DataType(TypeKind::kBinary);
    case spec::TypeKind::kVariant:
      return DataType(TypeKind::kVariant);
    case spec::TypeKind::kStruct:
      return SparkStruct(type.AsStruct());
    case spec::TypeKind::kList: {
      const spec::NestedField& element = type.AsList().element;
      ASSIGN_OR_RETURN(DataType child, ToSparkType(element.type));
      return DataType::Array(std::move(child), !element.required);
    }
    case spec::TypeKind::kMap: {
      const spec::MapType& map = type.AsMap();
      ASSIGN_OR_RETURN(DataType key, ToSparkType(map.key.type));
      ASSIGN_OR_RETURN(DataType value, ToSparkType(map.value.type));
      return DataType::Map(std::move(key), std::move(value), !map.value.required);
    }
    case spec::TypeKind::kTime:
      return Fail(ErrorCode::kUnsupported, "Spark does not support time fields",
                  "UnsupportedOperationException");
    case spec::TypeKind::kTimestampNs:
    case spec::TypeKind::kTimestampTzNs:
    case spec::TypeKind::kGeometry:
    case spec::TypeKind::kGeography:
      break;
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("Cannot convert unknown type to Spark: {}", type.ToString()),
              "UnsupportedOperationException");
}

namespace {

Result<spec::Type> IcebergStruct(const DataType& type, const std::function<int32_t()>& next_id) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < type.fields().size(); ++i) ids.push_back(next_id());
  std::vector<spec::NestedField> fields;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const StructField& field = type.fields()[i];
    ASSIGN_OR_RETURN(spec::Type child, ToIcebergType(field.type, next_id));
    fields.push_back(
        field.nullable
            ? spec::NestedField::Optional(ids[i], field.name, std::move(child), field.comment)
            : spec::NestedField::Required(ids[i], field.name, std::move(child), field.comment));
  }
  return spec::Type::Struct(std::move(fields));
}

}  // namespace

Result<spec::Type> ToIcebergType(const DataType& type, const std::function<int32_t()>& next_id) {
  switch (type.kind()) {
    case TypeKind::kVoid:
      return spec::Type::Unknown();
    case TypeKind::kBoolean:
      return spec::Type::Boolean();
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
      return spec::Type::Int();
    case TypeKind::kBigInt:
      return spec::Type::Long();
    case TypeKind::kFloat:
      return spec::Type::Float();
    case TypeKind::kDouble:
      return spec::Type::Double();
    case TypeKind::kDecimal:
      return spec::Type::Decimal(type.precision(), type.scale());
    case TypeKind::kString:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      return spec::Type::String();
    case TypeKind::kBinary:
      return spec::Type::Binary();
    case TypeKind::kDate:
      return spec::Type::Date();
    case TypeKind::kTimestamp:
      return spec::Type::TimestampTz();
    case TypeKind::kTimestampNtz:
      return spec::Type::Timestamp();
    case TypeKind::kVariant:
      return spec::Type::Variant();
    case TypeKind::kStruct:
      return IcebergStruct(type, next_id);
    case TypeKind::kArray: {
      int32_t id = next_id();
      ASSIGN_OR_RETURN(spec::Type element, ToIcebergType(type.element(), next_id));
      return spec::Type::List(id, std::move(element), !type.contains_null());
    }
    case TypeKind::kMap: {
      int32_t key_id = next_id();
      int32_t value_id = next_id();
      ASSIGN_OR_RETURN(spec::Type key, ToIcebergType(type.key(), next_id));
      ASSIGN_OR_RETURN(spec::Type value, ToIcebergType(type.value(), next_id));
      return spec::Type::Map(key_id, std::move(key), value_id, std::move(value),
                             !type.value_contains_null());
    }
    case TypeKind::kTime:
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
    case TypeKind::kCalendarInterval:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      break;
  }
  return Fail(ErrorCode::kUnsupported, fmt::format("Not a supported type: {}", type.SimpleString()),
              "UnsupportedOperationException");
}

// ---- decimals
// ---------------------------------------------------------------------------------------------------------

DataType AdjustedDecimal(int32_t precision, int32_t scale) {
  if (precision <= kMaxDecimalPrecision) return DataType::Decimal(precision, scale);
  int32_t integral = precision - scale;
  int32_t adjusted = std::max(kMaxDecimalPrecision - integral, std::min(scale, 6));
  return DataType::Decimal(kMaxDecimalPrecision, adjusted);
}

DataType DecimalResult(std::string_view op, const DataType& left, const DataType& right) {
  int32_t p1 = left.precision(), s1 = left.scale(), p2 = right.precision(), s2 = right.scale();
  if (op == "*") return AdjustedDecimal(p1 + p2 + 1, s1 + s2);
  if (op == "/") {
    int32_t scale = std::max(6, s1 + p2 + 1);
    return AdjustedDecimal(p1 - s1 + s2 + scale, scale);
  }
  int32_t scale = std::max(s1, s2);
  if (op == "%") return AdjustedDecimal(std::min(p1 - s1, p2 - s2) + scale, scale);
  return AdjustedDecimal(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
}

DataType DecimalOf(const DataType& type, const Value* literal) {
  if (type.kind() == TypeKind::kDecimal) return type;
  if (literal != nullptr && !literal->is_null())
    return DataType::Decimal(DecimalPrecision(literal->AsInt64()), 0);
  return sql::DecimalForIntegral(type);
}

// ---- common types
// -----------------------------------------------------------------------------------------------------

namespace {

const DataType& AsString(const DataType& type) {
  static const DataType kPlain(TypeKind::kString);
  return type.kind() == TypeKind::kChar || type.kind() == TypeKind::kVarchar ? kPlain : type;
}

DataType WiderDecimal(const DataType& a, const DataType& b) {
  int32_t scale = std::max(a.scale(), b.scale());
  int32_t range = std::max(a.precision() - a.scale(), b.precision() - b.scale());
  return AdjustedDecimal(range + scale, scale);
}

std::optional<DataType> WiderNumber(const DataType& a, const DataType& b) {
  if (a.kind() == TypeKind::kDecimal || b.kind() == TypeKind::kDecimal) {
    const DataType& other = a.kind() == TypeKind::kDecimal ? b : a;
    if (other.kind() == TypeKind::kFloat || other.kind() == TypeKind::kDouble)
      return DataType(TypeKind::kDouble);
    return WiderDecimal(DecimalOf(a), DecimalOf(b));
  }
  TypeKind wider = std::max(a.kind(), b.kind());
  return DataType(wider == TypeKind::kFloat ? TypeKind::kDouble : wider);
}

std::optional<DataType> WiderDatetime(const DataType& a, const DataType& b) {
  if (a.kind() == TypeKind::kTimestamp || b.kind() == TypeKind::kTimestamp)
    return DataType(TypeKind::kTimestamp);
  return DataType(TypeKind::kTimestampNtz);
}

using Combine = std::optional<DataType> (*)(const DataType&, const DataType&);

std::optional<DataType> WiderNested(const DataType& a, const DataType& b, Combine combine) {
  if (a.kind() == TypeKind::kArray) {
    auto element = combine(a.element(), b.element());
    if (!element) return std::nullopt;
    return DataType::Array(*element, a.contains_null() || b.contains_null());
  }
  if (a.kind() == TypeKind::kMap) {
    auto key = combine(a.key(), b.key());
    auto value = combine(a.value(), b.value());
    if (!key || !value) return std::nullopt;
    return DataType::Map(*key, *value, a.value_contains_null() || b.value_contains_null());
  }
  if (a.fields().size() != b.fields().size()) return std::nullopt;
  std::vector<StructField> fields;
  for (size_t i = 0; i < a.fields().size(); ++i) {
    const StructField& left = a.fields()[i];
    const StructField& right = b.fields()[i];
    auto type = combine(left.type, right.type);
    if (!type || !EqualsIgnoreCase(left.name, right.name)) return std::nullopt;
    fields.push_back({left.name, *type, left.nullable || right.nullable, std::nullopt});
  }
  return DataType::Struct(std::move(fields));
}

// The rule for two types that are neither equal nor void nor string against another type.
std::optional<DataType> WiderAtomic(const DataType& a, const DataType& b) {
  if (a.is_numeric() && b.is_numeric()) return WiderNumber(a, b);
  if (a.is_datetime() && b.is_datetime()) return WiderDatetime(a, b);
  if (a.is_ansi_interval() && a.kind() == b.kind()) {
    auto start = std::min(a.start_field(), b.start_field());
    auto end = std::max(a.end_field(), b.end_field());
    return a.kind() == TypeKind::kYearMonthInterval ? DataType::YearMonthInterval(start, end)
                                                    : DataType::DayTimeInterval(start, end);
  }
  if (a.is_string() && b.is_string()) return DataType(TypeKind::kString);
  return std::nullopt;
}

std::optional<DataType> WiderWithString(const DataType& other, bool ansi) {
  if (!ansi)
    return other.is_nested() || other.kind() == TypeKind::kBinary
               ? std::nullopt
               : std::optional(DataType(TypeKind::kString));
  if (other.is_integral()) return DataType(TypeKind::kBigInt);
  if (other.is_numeric()) return DataType(TypeKind::kDouble);
  if (other.is_nested() || other.kind() == TypeKind::kVariant) return std::nullopt;
  return other;
}

std::optional<DataType> Widen(const DataType& left, const DataType& right, bool strings,
                              bool ansi) {
  const DataType& a = AsString(left);
  const DataType& b = AsString(right);
  if (a == b) return a;
  if (a.is_void()) return b;
  if (b.is_void()) return a;
  if (a.is_nested() && a.kind() == b.kind()) {
    if (!strings)
      return WiderNested(
          a, b, [](const DataType& x, const DataType& y) { return Widen(x, y, false, true); });
    if (ansi)
      return WiderNested(
          a, b, [](const DataType& x, const DataType& y) { return Widen(x, y, true, true); });
    return WiderNested(
        a, b, [](const DataType& x, const DataType& y) { return Widen(x, y, true, false); });
  }
  if (auto wider = WiderAtomic(a, b)) return wider;
  if (!strings) return std::nullopt;
  if (a.is_string()) return WiderWithString(b, ansi);
  if (b.is_string()) return WiderWithString(a, ansi);
  return std::nullopt;
}

}  // namespace

std::optional<DataType> CommonType(const DataType& a, const DataType& b, bool ansi) {
  return Widen(a, b, true, ansi);
}

std::optional<DataType> CommonType(const std::vector<DataType>& types, bool ansi) {
  if (types.empty()) return DataType(TypeKind::kVoid);
  // Strings go last: the widest of the other types decides what a string is compared as.
  std::vector<DataType> ordered = types;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const DataType& t) { return !t.is_string(); });
  std::optional<DataType> common = ordered[0];
  for (size_t i = 1; i < ordered.size() && common; ++i)
    common = Widen(*common, ordered[i], true, ansi);
  return common;
}

std::optional<DataType> WiderTypeWithoutStrings(const DataType& a, const DataType& b) {
  return Widen(a, b, false, true);
}

// ---- order
// ------------------------------------------------------------------------------------------------------------

bool IsOrderable(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kMap:
    case TypeKind::kVariant:
    case TypeKind::kCalendarInterval:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return false;
    case TypeKind::kArray:
      return IsOrderable(type.element());
    case TypeKind::kStruct:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return IsOrderable(field.type); });
    default:
      return true;
  }
}

}  // namespace iceblink::plan
