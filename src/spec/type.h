// Iceberg types as values.
//
// A Type is two words of parameters and, for nested types, a shared pointer to immutable children:
// copying one is cheap and any thread may read a shared one. Field ids, names and nullability live
// in NestedField, not in Type. Equality is structural and, like Java's, includes ids, docs and
// defaults of nested fields.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"

namespace iceblink::spec {

enum class TypeKind : uint8_t {
  kUnknown,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kTimestampTz,
  kTimestampNs,
  kTimestampTzNs,
  kString,
  kUuid,
  kFixed,
  kBinary,
  kGeometry,
  kGeography,
  kVariant,
  kStruct,
  kList,
  kMap,
};

struct NestedField;
struct StructType;
struct ListType;
struct MapType;

class Type {
 public:
  Type() = default;  // unknown
  explicit Type(TypeKind kind) : kind_(kind) {}
  Type(StructType type);  // NOLINT: converts on purpose
  Type(ListType type);    // NOLINT
  Type(MapType type);     // NOLINT

  static Type Boolean() { return Type(TypeKind::kBoolean); }
  static Type Int() { return Type(TypeKind::kInt); }
  static Type Long() { return Type(TypeKind::kLong); }
  static Type Float() { return Type(TypeKind::kFloat); }
  static Type Double() { return Type(TypeKind::kDouble); }
  static Type Date() { return Type(TypeKind::kDate); }
  static Type Time() { return Type(TypeKind::kTime); }
  static Type Timestamp() { return Type(TypeKind::kTimestamp); }
  static Type TimestampTz() { return Type(TypeKind::kTimestampTz); }
  static Type TimestampNs() { return Type(TypeKind::kTimestampNs); }
  static Type TimestampTzNs() { return Type(TypeKind::kTimestampTzNs); }
  static Type String() { return Type(TypeKind::kString); }
  static Type Uuid() { return Type(TypeKind::kUuid); }
  static Type Binary() { return Type(TypeKind::kBinary); }
  static Type Variant() { return Type(TypeKind::kVariant); }
  static Type Unknown() { return Type(TypeKind::kUnknown); }
  static Type Decimal(int32_t precision, int32_t scale);
  static Type Fixed(int32_t length);
  static Type Geometry(std::string crs = {});
  static Type Geography(std::string crs = {}, std::string algorithm = {});
  static Type Struct(std::vector<NestedField> fields);
  static Type List(int32_t element_id, Type element, bool element_required);
  static Type Map(int32_t key_id, Type key, int32_t value_id, Type value, bool value_required);

  TypeKind kind() const { return kind_; }
  bool Is(TypeKind kind) const { return kind_ == kind; }
  bool is_nested() const { return kind_ >= TypeKind::kStruct; }
  // Returns whether the type is neither nested nor variant (Java's isPrimitiveType).
  bool is_primitive() const { return kind_ < TypeKind::kVariant; }

  int32_t precision() const { return a_; }  // of a decimal
  int32_t scale() const { return b_; }      // of a decimal
  int32_t length() const { return a_; }     // of a fixed
  // Return geometry's and geography's parameters; empty means the default (OGC:CRS84, spherical).
  const std::string& crs() const;
  const std::string& algorithm() const;

  // Require the kind in the name.
  const StructType& AsStruct() const;
  const ListType& AsList() const;
  const MapType& AsMap() const;

  // Returns the child fields of a struct (its fields), list (one) or map (two); empty for others.
  std::vector<const NestedField*> children() const;

  // Returns the text of Java's toString: `int`, `decimal(9, 2)`, `struct<1: a: optional int>`,
  // `list<string>`.
  std::string ToString() const;

  friend bool operator==(const Type& a, const Type& b);

 private:
  struct Nested;
  TypeKind kind_ = TypeKind::kUnknown;
  int32_t a_ = 0;
  int32_t b_ = 0;
  std::shared_ptr<const Nested> nested_;
};

struct NestedField {
  int32_t id = 0;
  std::string name;
  Type type;
  bool required = false;
  std::optional<std::string> doc;
  std::optional<Value> initial_default;
  std::optional<Value> write_default;

  static NestedField Optional(int32_t id, std::string name, Type type,
                              std::optional<std::string> doc = std::nullopt);
  static NestedField Required(int32_t id, std::string name, Type type,
                              std::optional<std::string> doc = std::nullopt);
  // Returns Java's text: `1: id: required int (doc)`.
  std::string ToString() const;
  friend bool operator==(const NestedField&, const NestedField&) = default;
};

struct StructType {
  std::vector<NestedField> fields;

  // Return null when absent.
  const NestedField* FieldById(int32_t id) const;
  const NestedField* FieldByName(std::string_view name) const;
  friend bool operator==(const StructType&, const StructType&) = default;
};

struct ListType {
  NestedField element;  // named "element"
  friend bool operator==(const ListType&, const ListType&) = default;
};

struct MapType {
  NestedField key;    // named "key", always required
  NestedField value;  // named "value"
  friend bool operator==(const MapType&, const MapType&) = default;
};

// Parses a primitive or variant type string of the specification: "int", "decimal(9,2)",
// "fixed[16]", "geometry(srid:1)". Error: InvalidArgument "Cannot parse type string to primitive:
// ..." as Java.
Result<Type> ParsePrimitiveType(std::string_view text);

// Returns the type string used in JSON ("decimal(9, 2)" as Java writes). Requires a primitive or
// variant.
std::string TypeString(const Type& type);

// Returns Java's TypeUtil.isPromotionAllowed: equal types, int->long, float->double, wider decimal
// of equal scale.
bool IsPromotionAllowed(const Type& from, const Type& to);

// Returns the format version that introduced the type (1, or 3 for unknown, variant, timestamp_ns,
// geometry ...).
int32_t MinFormatVersion(TypeKind kind);

}  // namespace iceblink::spec
