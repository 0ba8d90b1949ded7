// Value: one typed or untyped scalar or nested value, shared by Iceberg literals (partition values,
// bounds, defaults), SQL literals and result rows. The type lives beside the value (spec::Type or
// sql::DataType), not in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace iceblink {

using Int128 = __int128;

// A decimal number: unscaled / 10^scale. Precision lives in the type.
struct Decimal {
  Int128 unscaled = 0;
  int32_t scale = 0;
  bool operator==(const Decimal&) const = default;
};

// Raw bytes (binary, fixed, uuid as 16 big-endian bytes); a distinct type so that it never mixes
// with UTF-8 text.
struct Bytes {
  std::string data;
  bool operator==(const Bytes&) const = default;
  auto operator<=>(const Bytes&) const = default;
};

// An interval as Spark's CalendarInterval; year-month uses months only, day-time micros only.
struct Interval {
  int32_t months = 0;
  int32_t days = 0;
  int64_t micros = 0;
  bool operator==(const Interval&) const = default;
};

class Value;
using ValueList = std::vector<Value>;  // array elements, or struct fields in order
struct StructValue {
  std::shared_ptr<const ValueList> fields;
};
struct MapValue {
  std::shared_ptr<const std::vector<std::pair<Value, Value>>> entries;
};
struct ArrayValue {
  std::shared_ptr<const ValueList> elements;
};

// Physical forms by logical type:
//   boolean bool | tinyint, smallint, int, date (days since 1970-01-01) int32_t | bigint, time,
//   timestamps (micros, or nanos for the _ns types, since the epoch) int64_t | float float | double
//   double | decimal Decimal | string std::string | binary, fixed, uuid Bytes | intervals Interval
//   | array, struct, map the holders above.
class Value {
 public:
  using Storage = std::variant<std::monostate, bool, int32_t, int64_t, float, double, Decimal,
                               std::string, Bytes, Interval, ArrayValue, StructValue, MapValue>;

  Value() = default;  // NULL
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Value>) &&
            std::is_constructible_v<Storage, std::in_place_type_t<std::decay_t<T>>, T&&>
  Value(T&& v)
      : storage_(std::in_place_type<std::decay_t<T>>, std::forward<T>(v)) {
  }                                                         // NOLINT: converts on purpose
  Value(const char* text) : storage_(std::string(text)) {}  // NOLINT

  static Value Array(ValueList elements) {
    return ArrayValue{std::make_shared<const ValueList>(std::move(elements))};
  }
  static Value Struct(ValueList fields) {
    return StructValue{std::make_shared<const ValueList>(std::move(fields))};
  }
  static Value Map(std::vector<std::pair<Value, Value>> entries);

  bool is_null() const { return storage_.index() == 0; }
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(storage_);
  }
  // Requires Is<T>().
  template <typename T>
  const T& As() const {
    return *std::get_if<T>(&storage_);
  }
  // Returns an int32_t or int64_t value widened. Requires one of the two.
  int64_t AsInt64() const { return Is<int32_t>() ? As<int32_t>() : As<int64_t>(); }
  const ValueList& elements() const { return *As<ArrayValue>().elements; }
  const ValueList& fields() const { return *As<StructValue>().fields; }
  const std::vector<std::pair<Value, Value>>& entries() const { return *As<MapValue>().entries; }
  const Storage& storage() const { return storage_; }

  // Structural equality: same form and equal content; NaN equals NaN, NULL equals NULL.
  friend bool operator==(const Value& a, const Value& b);

 private:
  Storage storage_;
};

inline Value Value::Map(std::vector<std::pair<Value, Value>> entries) {
  return MapValue{std::make_shared<const std::vector<std::pair<Value, Value>>>(std::move(entries))};
}

// Orders two non-null values of the same physical form: <0, 0, >0. Floats: NaN is greatest, -0.0 <
// +0.0. Strings and bytes: unsigned byte order. Nested values are compared field by field with
// nulls first.
int CompareValues(const Value& a, const Value& b);

}  // namespace iceblink
