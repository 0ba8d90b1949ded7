// Types, fields and schemas (specification: "Schemas and Data Types").
//
//   auto schema = Schema::Builder()
//                     .Required("id", Type::Long())
//                     .Optional("tags", Type::List(Type::String()))
//                     .IdentifierFields({"id"})
//                     .Build();
//
// Immutable values: copying costs one shared pointer and any thread may read one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "iceblink/result.h"

namespace iceblink {

namespace spec {
class Schema;
class Type;
}  // namespace spec

struct Field;

class Type {
 public:
  static Type Boolean();
  static Type Int();
  static Type Long();
  static Type Float();
  static Type Double();
  static Type Decimal(int32_t precision, int32_t scale);
  static Type Date();
  static Type Time();
  static Type Timestamp();    // microseconds, without a zone
  static Type TimestampTz();  // microseconds since the epoch
  static Type TimestampNs();  // format version 3, as are the following two
  static Type TimestampTzNs();
  static Type Variant();
  static Type String();
  static Type Uuid();
  static Type Fixed(int32_t length);
  static Type Binary();
  // Ids of nested fields are given when a schema is built or a column is added.
  static Type Struct(const std::vector<Field>& fields);
  static Type List(const Type& element, bool element_required = false);
  static Type Map(const Type& key, const Type& value, bool value_required = false);

  // The text of Java's toString: "int", "decimal(9, 2)", "list<string>".
  std::string ToString() const;
  friend bool operator==(const Type& a, const Type& b);

  explicit Type(std::shared_ptr<const spec::Type> rep) : rep_(std::move(rep)) {}
  const spec::Type& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const spec::Type> rep_;
};

struct Field {
  std::string name;
  Type type;
  bool required = false;
  std::optional<std::string> doc;
  int32_t id = 0;  // of a schema's field
};

class Schema {
 public:
  class Builder;

  int32_t schema_id() const;
  std::vector<Field> fields() const;  // top level, in order
  // By full name ("a.b"); absent when there is none.
  std::optional<Field> FindField(std::string_view name) const;
  std::vector<std::string> identifier_fields() const;
  // Java's text: "table {\n  1: id: required long\n}".
  std::string ToString() const;
  // Equal columns and identifier fields; the schema ids may differ.
  bool SameSchema(const Schema& other) const;

  explicit Schema(std::shared_ptr<const spec::Schema> rep) : rep_(std::move(rep)) {}
  const spec::Schema& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const spec::Schema> rep_;
};

// Collects columns; ids are given in Java's order, from 1. One thread.
class Schema::Builder {
 public:
  Builder& Required(std::string name, Type type, std::optional<std::string> doc = {});
  Builder& Optional(std::string name, Type type, std::optional<std::string> doc = {});
  // Full names of the columns that tell rows apart.
  Builder& IdentifierFields(std::vector<std::string> names);
  // Error: kInvalidArgument for names that occur twice, identifier fields that cannot be.
  Result<Schema> Build() const;

 private:
  std::vector<Field> fields_;
  std::vector<std::string> identifiers_;
};

}  // namespace iceblink
