// Partition specs: which transforms of which columns make a table's partition tuple.
//
// Plain values. A partition tuple is a std::vector<Value> in the order of the spec's fields.
#pragma once

#include <span>

#include "spec/schema.h"
#include "spec/transform.h"

namespace iceblink::spec {

inline constexpr int32_t kPartitionDataIdStart = 1000;

struct PartitionField {
  int32_t source_id = 0;
  int32_t field_id = 0;
  std::string name;
  Transform transform;

  // Returns Java's text: `1000: id_bucket: bucket[16](1)`.
  std::string ToString() const;
  friend bool operator==(const PartitionField&, const PartitionField&) = default;
};

struct PartitionSpec {
  int32_t spec_id = 0;
  std::vector<PartitionField> fields;

  // Returns whether no field partitions (no fields, or only void ones).
  bool is_unpartitioned() const;
  // Returns the highest field id, 999 when there is none.
  int32_t LastAssignedFieldId() const;
  // Returns whether the same sequence of source, transform and name makes both (field ids may
  // differ).
  bool CompatibleWith(const PartitionSpec& other) const;
  const PartitionField* FieldById(int32_t field_id) const;
  // Returns Java's text: "[\n  1000: id_bucket: bucket[16](1)\n]".
  std::string ToString() const;
  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;
};

// Returns the struct type of the partition tuple: optional fields with the partition field ids. A
// source column that the schema lacks gives type unknown.
StructType PartitionType(const PartitionSpec& spec, const Schema& schema);

// Returns `name=value/name=value` with form-URL encoding, the layout path and summary key of a
// tuple; "" when unpartitioned. Requires as many values as fields.
std::string PartitionPath(const PartitionSpec& spec, const Schema& schema,
                          std::span<const Value> partition);

// Parses a partition path of identity and transform fields back to a tuple, as add_files does.
Result<std::vector<Value>> ParsePartitionPath(const PartitionSpec& spec, const Schema& schema,
                                              std::string_view path);

// Returns the union of the fields of all specs, by field id, as the `partition` column of metadata
// tables has it: names of the newest spec, types of non-void fields, fields of dropped columns left
// out. Error: ValidationException for unknown transforms or conflicting fields of v1 tables.
Result<StructType> UnionPartitionType(const Schema& schema, std::span<const PartitionSpec> specs);

// Returns the fields that every spec has in common, for grouping files of mixed specs (Java's
// groupingKeyType).
Result<StructType> GroupingKeyType(const Schema& schema, std::span<const PartitionSpec> specs);

// Checks types, names and redundancy as PartitionSpec.Builder does when a table is created, or
// (allow_missing) when metadata with dropped source columns is read.
Status CheckPartitionSpec(const PartitionSpec& spec, const Schema& schema,
                          bool allow_missing = false);

// Checks only that the source columns of fields other than void ones exist and have types that
// their transforms accept.
Status CheckPartitionSources(const PartitionSpec& spec, const Schema& schema);

// One requested field of PARTITIONED BY or ADD PARTITION FIELD.
struct PartitionTerm {
  std::string column;  // dotted name
  Transform transform;
  std::string name;  // empty: the automatic name
};

// Returns the name of a field without one: `c`, `c_bucket`, `c_trunc`, `c_year` ... as CREATE TABLE
// gives it, or with the parameter (`c_bucket_16`, `c_trunc_4`) as ALTER TABLE ... ADD PARTITION
// FIELD does.
std::string AutomaticPartitionName(std::string_view column, const Transform& transform,
                                   bool with_param);

// Builds the spec of a new table over a schema with final ids: automatic names of CREATE TABLE, ids
// from 1000.
Result<PartitionSpec> BuildPartitionSpec(const Schema& schema, std::span<const PartitionTerm> terms,
                                         int32_t spec_id = 0, bool case_sensitive = true);

}  // namespace iceblink::spec
