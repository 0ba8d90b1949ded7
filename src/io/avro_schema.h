// Avro schemas as a small immutable tree, with the attributes Iceberg adds: field-id, element-id,
// key-id, value-id, logicalType.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace iceblink::io::avro {

enum class Kind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed,
};

enum class LogicalType : uint8_t {
  kNone,
  kDecimal,
  kDate,
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
  kUuid,
  kMap,
  kOther,
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Field {
  std::string name;
  int32_t id = -1;  // field-id; -1 when absent
  SchemaPtr type;
  std::string doc;
  std::string default_json;  // text of the default; empty when there is none
  std::vector<std::string> aliases;
};

// One node. Fields not named for a kind keep their initial values.
struct Schema {
  Kind kind = Kind::kNull;
  LogicalType logical = LogicalType::kNone;
  std::string name;                  // record, enum, fixed: full name with its namespace
  std::vector<Field> fields;         // record
  std::vector<SchemaPtr> branches;   // union
  std::vector<std::string> symbols;  // enum
  SchemaPtr items;                   // array items, map values
  int32_t element_id = -1;           // array
  int32_t key_id =
      -1;  // map; for an array of key-value records (logicalType map) see its fields' ids
  int32_t value_id = -1;       // map
  int64_t fixed_size = 0;      // fixed
  int32_t precision = 0;       // decimal
  int32_t scale = 0;           // decimal
  bool adjust_to_utc = false;  // timestamps: Iceberg's adjust-to-utc

  // For a union of null and one other: that other; for any other node: itself.
  const Schema& NonNull() const;
  // Whether this is a union with a null branch.
  bool IsNullable() const;
  // The record field with this id, or null.
  const Field* FindField(int32_t id) const;
};

// Parses avro.schema. kCorrupt on malformed or recursive schemas and on names used before their
// definition.
Result<SchemaPtr> ParseSchema(std::string_view json);
Result<SchemaPtr> ParseSchema(const Json& json);

}  // namespace iceblink::io::avro
