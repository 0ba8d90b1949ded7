#include "sql/data_type.h"

#include <array>
#include <utility>

#include "sql/identifier.h"

namespace iceblink::sql {

struct DataType::Children {
  std::vector<DataType> types;  // element; or key, value
  std::vector<StructField> fields;
  std::string collation;
};

namespace {

struct KindRow {
  TypeKind kind;
  std::string_view simple;
  std::string_view sql;
};

constexpr std::array<KindRow, 26> kKinds{{
    {TypeKind::kVoid, "void", "VOID"},
    {TypeKind::kBoolean, "boolean", "BOOLEAN"},
    {TypeKind::kTinyInt, "tinyint", "TINYINT"},
    {TypeKind::kSmallInt, "smallint", "SMALLINT"},
    {TypeKind::kInt, "int", "INT"},
    {TypeKind::kBigInt, "bigint", "BIGINT"},
    {TypeKind::kFloat, "float", "FLOAT"},
    {TypeKind::kDouble, "double", "DOUBLE"},
    {TypeKind::kDecimal, "decimal", "DECIMAL"},
    {TypeKind::kString, "string", "STRING"},
    {TypeKind::kChar, "char", "CHAR"},
    {TypeKind::kVarchar, "varchar", "VARCHAR"},
    {TypeKind::kBinary, "binary", "BINARY"},
    {TypeKind::kDate, "date", "DATE"},
    {TypeKind::kTimestamp, "timestamp", "TIMESTAMP"},
    {TypeKind::kTimestampNtz, "timestamp_ntz", "TIMESTAMP_NTZ"},
    {TypeKind::kTime, "time", "TIME"},
    {TypeKind::kYearMonthInterval, "interval", "INTERVAL"},
    {TypeKind::kDayTimeInterval, "interval", "INTERVAL"},
    {TypeKind::kCalendarInterval, "interval", "INTERVAL"},
    {TypeKind::kArray, "array", "ARRAY"},
    {TypeKind::kMap, "map", "MAP"},
    {TypeKind::kStruct, "struct", "STRUCT"},
    {TypeKind::kVariant, "variant", "VARIANT"},
    {TypeKind::kGeometry, "geometry", "GEOMETRY"},
    {TypeKind::kGeography, "geography", "GEOGRAPHY"},
}};

constexpr std::array<std::string_view, 6> kFieldNames{"year", "month",  "day",
                                                      "hour", "minute", "second"};

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string IntervalText(const DataType& type) {
  std::string text = "interval ";
  text += IntervalFieldName(type.start_field());
  if (type.end_field() != type.start_field()) {
    text += " to ";
    text += IntervalFieldName(type.end_field());
  }
  return text;
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string SridText(int32_t srid) {
  return srid == DataType::kAnySrid ? "any" : std::to_string(srid);
}

}  // namespace

DataType DataType::Decimal(int32_t precision, int32_t scale) {
  DataType type(TypeKind::kDecimal);
  type.first_ = precision;
  type.second_ = scale;
  return type;
}

DataType DataType::Char(int32_t length) {
  DataType type(TypeKind::kChar);
  type.first_ = length;
  return type;
}

DataType DataType::Varchar(int32_t length) {
  DataType type(TypeKind::kVarchar);
  type.first_ = length;
  return type;
}

DataType DataType::Time(int32_t precision) {
  DataType type(TypeKind::kTime);
  type.first_ = precision;
  return type;
}

DataType DataType::YearMonthInterval(IntervalField start, IntervalField end) {
  DataType type(TypeKind::kYearMonthInterval);
  type.first_ = static_cast<int32_t>(start);
  type.second_ = static_cast<int32_t>(end);
  return type;
}

DataType DataType::DayTimeInterval(IntervalField start, IntervalField end) {
  DataType type(TypeKind::kDayTimeInterval);
  type.first_ = static_cast<int32_t>(start);
  type.second_ = static_cast<int32_t>(end);
  return type;
}

DataType DataType::Array(DataType element, bool contains_null) {
  DataType type(TypeKind::kArray);
  type.first_ = contains_null;
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}, {}});
  return type;
}

DataType DataType::Map(DataType key, DataType value, bool value_contains_null) {
  DataType type(TypeKind::kMap);
  type.first_ = value_contains_null;
  type.children_ =
      std::make_shared<const Children>(Children{{std::move(key), std::move(value)}, {}, {}});
  return type;
}

DataType DataType::Struct(std::vector<StructField> fields) {
  DataType type(TypeKind::kStruct);
  type.children_ = std::make_shared<const Children>(Children{{}, std::move(fields), {}});
  return type;
}

DataType DataType::Geometry(int32_t srid) {
  DataType type(TypeKind::kGeometry);
  type.first_ = srid;
  return type;
}

DataType DataType::Geography(int32_t srid) {
  DataType type(TypeKind::kGeography);
  type.first_ = srid;
  return type;
}

DataType DataType::String(std::string collation) {
  DataType type(TypeKind::kString);
  if (!collation.empty() && collation != "UTF8_BINARY") {
    type.children_ = std::make_shared<const Children>(Children{{}, {}, std::move(collation)});
  }
  return type;
}

bool DataType::is_nested() const {
  return kind_ == TypeKind::kArray || kind_ == TypeKind::kMap || kind_ == TypeKind::kStruct;
}

bool DataType::is_integral() const {
  return kind_ >= TypeKind::kTinyInt && kind_ <= TypeKind::kBigInt;
}

bool DataType::is_numeric() const {
  return kind_ >= TypeKind::kTinyInt && kind_ <= TypeKind::kDecimal;
}

bool DataType::is_string() const {
  return kind_ >= TypeKind::kString && kind_ <= TypeKind::kVarchar;
}

bool DataType::is_datetime() const {
  return kind_ == TypeKind::kDate || kind_ == TypeKind::kTimestamp ||
         kind_ == TypeKind::kTimestampNtz;
}

bool DataType::is_ansi_interval() const {
  return kind_ == TypeKind::kYearMonthInterval || kind_ == TypeKind::kDayTimeInterval;
}

const std::string& DataType::collation() const {
  static const std::string none;
  return children_ ? children_->collation : none;
}

const DataType& DataType::element() const { return children_->types[0]; }
const DataType& DataType::key() const { return children_->types[0]; }
const DataType& DataType::value() const { return children_->types[1]; }

const std::vector<StructField>& DataType::fields() const {
  static const std::vector<StructField> none;
  return children_ ? children_->fields : none;
}

std::string DataType::SimpleString() const {
  std::string name(kKinds[static_cast<size_t>(kind_)].simple);
  switch (kind_) {
    case TypeKind::kDecimal:
      return name + "(" + std::to_string(first_) + "," + std::to_string(second_) + ")";
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kTime:
      return name + "(" + std::to_string(first_) + ")";
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return name + "(" + SridText(first_) + ")";
    case TypeKind::kString:
      return collation().empty() ? name : name + " collate " + collation();
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return IntervalText(*this);
    case TypeKind::kArray:
      return name + "<" + element().SimpleString() + ">";
    case TypeKind::kMap:
      return name + "<" + key().SimpleString() + "," + value().SimpleString() + ">";
    case TypeKind::kStruct: {
      name += "<";
      for (size_t i = 0; i < fields().size(); ++i) {
        if (i > 0) name += ",";
        name += fields()[i].name + ":" + fields()[i].type.SimpleString();
      }
      return name + ">";
    }
    default:
      return name;
  }
}

std::string DataType::SqlString() const {
  std::string name(kKinds[static_cast<size_t>(kind_)].sql);
  switch (kind_) {
    case TypeKind::kArray:
      return name + "<" + element().SqlString() + ">";
    case TypeKind::kMap:
      return name + "<" + key().SqlString() + ", " + value().SqlString() + ">";
    case TypeKind::kStruct: {
      name += "<";
      for (size_t i = 0; i < fields().size(); ++i) {
        const StructField& field = fields()[i];
        if (i > 0) name += ", ";
        name += QuoteIfNeeded(field.name) + ": " + field.type.SqlString();
        if (!field.nullable) name += " NOT NULL";
        if (field.comment) name += " COMMENT " + QuotedText(*field.comment);
      }
      return name + ">";
    }
    case TypeKind::kString:
      return collation().empty() ? name : name + " COLLATE " + collation();
    default:
      return Upper(SimpleString());
  }
}

bool operator==(const DataType& a, const DataType& b) {
  if (a.kind_ != b.kind_ || a.first_ != b.first_ || a.second_ != b.second_) return false;
  if (a.children_ == b.children_) return true;
  return a.collation() == b.collation() && a.fields() == b.fields() &&
         (a.children_ ? a.children_->types : std::vector<DataType>{}) ==
             (b.children_ ? b.children_->types : std::vector<DataType>{});
}

bool DataType::EqualsIgnoringNullability(const DataType& a, const DataType& b, bool ignore_names) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case TypeKind::kArray:
      return EqualsIgnoringNullability(a.element(), b.element(), ignore_names);
    case TypeKind::kMap:
      return EqualsIgnoringNullability(a.key(), b.key(), ignore_names) &&
             EqualsIgnoringNullability(a.value(), b.value(), ignore_names);
    case TypeKind::kStruct: {
      if (a.fields().size() != b.fields().size()) return false;
      for (size_t i = 0; i < a.fields().size(); ++i) {
        if (!ignore_names && a.fields()[i].name != b.fields()[i].name) return false;
        if (!EqualsIgnoringNullability(a.fields()[i].type, b.fields()[i].type, ignore_names))
          return false;
      }
      return true;
    }
    default:
      return a == b;
  }
}

std::string_view IntervalFieldName(IntervalField field) {
  return kFieldNames[static_cast<size_t>(field)];
}

DataType DecimalForIntegral(const DataType& type) {
  constexpr std::array<int32_t, 4> kDigits{3, 5, 10, 20};
  return DataType::Decimal(
      kDigits[static_cast<size_t>(type.kind()) - static_cast<size_t>(TypeKind::kTinyInt)], 0);
}

}  // namespace iceblink::sql
