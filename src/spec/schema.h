// Schema: an immutable list of top-level fields with ids, and the indexes every lookup needs.
//
// Copying a Schema copies one shared pointer; the indexes are built once. Any thread may read it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>

#include "spec/type.h"

namespace iceblink::spec {

class Schema {
 public:
  Schema();  // no fields, id 0
  explicit Schema(std::vector<NestedField> fields, int32_t schema_id = 0,
                  std::vector<int32_t> identifier_field_ids = {});

  int32_t schema_id() const;
  const std::vector<NestedField>& fields() const;
  const StructType& struct_type() const;
  const std::vector<int32_t>& identifier_field_ids() const;  // ascending

  // Return null when absent. Names are dotted full names ("a.b", list children "l.element", map
  // children "m.key" and "m.value"); as in Java a struct below a list element or map value is also
  // reached without that step ("l.x").
  const NestedField* FindField(int32_t id) const;
  const NestedField* FindField(std::string_view name, bool case_sensitive = true) const;
  const Type* FindType(int32_t id) const;

  // Returns the dotted full name of a field, or an empty string.
  const std::string& FullName(int32_t id) const;
  // Returns the id of the field's parent (list and map fields included), or nullopt for a top-level
  // field.
  std::optional<int32_t> ParentId(int32_t id) const;
  // Returns the highest id of the schema, nested ones included; 0 when empty.
  int32_t HighestFieldId() const;
  // Returns every field id with its field, in pre-order.
  const std::vector<const NestedField*>& AllFields() const;
  // Returns full name -> id, sorted by name, for messages and checks.
  const std::map<std::string, int32_t, std::less<>>& NameToId() const;

  Schema WithId(int32_t schema_id) const;
  Schema WithIdentifierFields(std::vector<int32_t> ids) const;

  // Returns whether columns and identifier fields are equal; the schema ids may differ (Java's
  // sameSchema).
  bool SameSchema(const Schema& other) const;
  // Returns Java's text: "table {\n  1: id: required int\n}".
  std::string ToString() const;

  friend bool operator==(const Schema& a, const Schema& b) {
    return a.schema_id() == b.schema_id() && a.SameSchema(b);
  }

 private:
  struct Rep;
  std::shared_ptr<const Rep> rep_;
};

// Checks what Java's constructor checks: no two fields of one id, no two equal full names,
// identifier fields valid.
Status ValidateSchema(const Schema& schema);

// Checks that the types and defaults exist in the format version.
// Error: IllegalStateException "Invalid schema for v%s:\n- ...".
Status CheckCompatibility(const Schema& schema, int32_t format_version);

// Checks that the field may be an identifier field. Error texts as Java's SchemaUpdate ("Cannot add
// field %s as an identifier field: ...").
Status ValidateIdentifierField(const Schema& schema, int32_t field_id);

// Returns the schema with fresh ids from `next_id`, in Java's order: the direct fields of a struct
// first, then each one's nested type. Identifier fields follow their columns. `next_id` is called
// once per field.
Schema AssignFreshIds(const Schema& schema, const std::function<int32_t()>& next_id,
                      int32_t schema_id = 0);

// Like AssignFreshIds, but a field whose full name exists in `base` keeps the id it has there.
Schema AssignFreshIds(const Schema& schema, const Schema& base,
                      const std::function<int32_t()>& next_id, int32_t schema_id = 0);

// Returns the schema with the ids that `base` has for the same full names (Java's reassignIds).
// Error: InvalidArgument when a name is missing.
Result<Schema> ReassignIds(const Schema& schema, const Schema& base, bool case_sensitive = true);

// Returns the fields of `ids`, each with its parents; a selected struct, list or map comes whole
// (Java's select).
Schema SelectFields(const Schema& schema, const std::set<int32_t>& ids);
// Returns exactly the fields of `ids` with their parents; a struct that is selected alone becomes
// empty (project).
Schema ProjectFields(const Schema& schema, const std::set<int32_t>& ids);
// Returns SelectFields by names; unknown names are ignored, as in Java.
Schema SelectNames(const Schema& schema, std::span<const std::string> names,
                   bool case_sensitive = true);

// Calls `visit` for every field below `type`, nested ones included, in pre-order.
void ForEachField(const Type& type, const std::function<void(const NestedField&)>& visit);

}  // namespace iceblink::spec
