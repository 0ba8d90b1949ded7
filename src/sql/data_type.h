// DataType: a Spark SQL type as a value.
//
// A scalar type is a kind and a few integers; a nested type shares its children, so that a copy
// costs one reference count. Values of a type live in base/value.h in the physical form named
// there. Immutable after construction, hence safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iceblink::sql {

enum class TypeKind : uint8_t {
  kVoid,  // the type of NULL
  kBoolean,
  kTinyInt,
  kSmallInt,
  kInt,
  kBigInt,
  kFloat,
  kDouble,
  kDecimal,
  kString,
  kChar,     // char(n): a string padded to n
  kVarchar,  // varchar(n): a string of at most n
  kBinary,
  kDate,
  kTimestamp,     // an instant, shown in the session time zone
  kTimestampNtz,  // a wall clock without zone
  kTime,
  kYearMonthInterval,
  kDayTimeInterval,
  kCalendarInterval,
  kArray,
  kMap,
  kStruct,
  kVariant,
  kGeometry,
  kGeography,
};

// Fields of the two ANSI interval types, in falling size.
enum class IntervalField : uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond };

struct StructField;

class DataType {
 public:
  static constexpr int32_t kMaxDecimalPrecision = 38;
  static constexpr int32_t kAnySrid = -1;

  DataType() = default;  // void
  // Requires a kind without parameters.
  DataType(TypeKind kind) : kind_(kind) {}  // NOLINT: a scalar kind is a type

  static DataType Decimal(int32_t precision, int32_t scale);
  static DataType Char(int32_t length);
  static DataType Varchar(int32_t length);
  static DataType Time(int32_t precision);
  static DataType YearMonthInterval(IntervalField start, IntervalField end);
  static DataType DayTimeInterval(IntervalField start, IntervalField end);
  static DataType Array(DataType element, bool contains_null = true);
  static DataType Map(DataType key, DataType value, bool value_contains_null = true);
  static DataType Struct(std::vector<StructField> fields);
  static DataType Geometry(int32_t srid);
  static DataType Geography(int32_t srid);
  // string COLLATE name; the empty name and UTF8_BINARY are the plain string.
  static DataType String(std::string collation);

  TypeKind kind() const { return kind_; }
  bool is_void() const { return kind_ == TypeKind::kVoid; }
  bool is_nested() const;
  bool is_integral() const;  // tinyint, smallint, int, bigint
  bool is_numeric() const;   // integral, float, double, decimal
  bool is_string() const;    // string, char, varchar
  bool is_datetime() const;  // date, timestamp, timestamp_ntz
  bool is_ansi_interval() const;

  // Decimal's precision and scale; time's precision; char's and varchar's length; geo types' SRID.
  // Zero elsewhere.
  int32_t precision() const { return first_; }
  int32_t scale() const { return second_; }
  int32_t length() const { return first_; }
  int32_t srid() const { return first_; }
  // Requires an ANSI interval type.
  IntervalField start_field() const { return static_cast<IntervalField>(first_); }
  IntervalField end_field() const { return static_cast<IntervalField>(second_); }
  const std::string& collation() const;

  // Require an array, a map, a struct.
  const DataType& element() const;
  bool contains_null() const { return first_ != 0; }
  const DataType& key() const;
  const DataType& value() const;
  bool value_contains_null() const { return first_ != 0; }
  const std::vector<StructField>& fields() const;

  // Spark's simpleString: `bigint`, `decimal(10,2)`, `struct<a:int,b:string>`, `interval day to
  // second`.
  std::string SimpleString() const;
  // Spark's sql: `BIGINT`, `DECIMAL(10,2)`, `STRUCT<a: INT, b: STRING NOT NULL>`, `INTERVAL DAY TO
  // SECOND`. Error messages show it in double quotes. Parses back to an equal type.
  std::string SqlString() const;

  // Same kinds, parameters, field names and nullability.
  friend bool operator==(const DataType& a, const DataType& b);
  // As ==, whatever may be null and however fields are commented; `ignore_names` also passes over
  // field names.
  static bool EqualsIgnoringNullability(const DataType& a, const DataType& b,
                                        bool ignore_names = false);

 private:
  struct Children;
  TypeKind kind_ = TypeKind::kVoid;
  int32_t first_ = 0;
  int32_t second_ = 0;
  std::shared_ptr<const Children> children_;
};

struct StructField {
  std::string name;
  DataType type;
  bool nullable = true;
  std::optional<std::string> comment;
  bool operator==(const StructField&) const = default;
};

// Returns "year", "month", ... "second".
std::string_view IntervalFieldName(IntervalField field);

// Returns the smallest decimal type that holds every value of an integral type: (3,0), (5,0),
// (10,0), (20,0). Requires an integral type.
DataType DecimalForIntegral(const DataType& type);

}  // namespace iceblink::sql
