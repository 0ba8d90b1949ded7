// Schema evolution as a builder of values (Java's UpdateSchema): collect changes, then Apply.
//
// Names are dotted full names of the base schema. Each call checks what Java checks at that point
// and returns its error; the builder is unchanged then. Not for several threads.
#pragma once

#include <map>
#include <set>

#include "spec/name_mapping.h"
#include "spec/schema.h"
#include "spec/table_metadata.h"

namespace iceblink::spec {

// Where a column goes among its siblings.
struct ColumnPosition {
  enum class Kind : uint8_t { kNone, kFirst, kBefore, kAfter };
  Kind kind = Kind::kNone;
  std::string reference;  // full name of the sibling, for kBefore and kAfter

  static ColumnPosition First() { return {Kind::kFirst, {}}; }
  static ColumnPosition Before(std::string name) { return {Kind::kBefore, std::move(name)}; }
  static ColumnPosition After(std::string name) { return {Kind::kAfter, std::move(name)}; }
};

class SchemaUpdate {
 public:
  SchemaUpdate(Schema base, int32_t last_column_id, bool case_sensitive = true);

  // Lets required columns be added and optional ones be made required.
  SchemaUpdate& AllowIncompatibleChanges();

  // Adds a column below `parent` (empty: top level; a list or map names its element or value
  // struct). Ids inside `type` are provisional. `default_value` is initial and write default.
  Status AddColumn(std::string_view parent, std::string_view name, const Type& type,
                   std::optional<std::string> doc = std::nullopt,
                   std::optional<Value> default_value = std::nullopt);
  Status AddRequiredColumn(std::string_view parent, std::string_view name, const Type& type,
                           std::optional<std::string> doc = std::nullopt,
                           std::optional<Value> default_value = std::nullopt);
  Status DeleteColumn(std::string_view name);
  Status RenameColumn(std::string_view name, std::string_view new_name);
  Status UpdateColumnType(std::string_view name, const Type& type);
  Status UpdateColumnDoc(std::string_view name, std::optional<std::string> doc);
  Status UpdateColumnDefault(std::string_view name, std::optional<Value> write_default);
  Status MakeColumnOptional(std::string_view name);
  Status RequireColumn(std::string_view name);
  Status MoveColumn(std::string_view name, const ColumnPosition& position);
  // Replaces the set of identifier fields.
  Status SetIdentifierFields(std::vector<std::string> names);
  // Adds what `other` has and this lacks, widens types, makes columns optional, updates docs.
  Status UnionByNameWith(const Schema& other);

  // Returns the new schema, with the base's schema id. Errors: identifier field checks, move
  // checks.
  Result<Schema> Apply() const;
  // Returns the highest id after Apply.
  int32_t last_column_id() const { return last_column_id_; }
  bool has_changes() const;

  // Returns the properties after the change: name mapping and the per-column keys of renamed
  // columns.
  std::map<std::string, std::string> UpdateProperties(
      const std::map<std::string, std::string>& properties) const;

 private:
  struct Move {
    int32_t field_id;
    int32_t reference_id;
    ColumnPosition::Kind kind;
  };

  const NestedField* Find(std::string_view name) const;
  // Returns the field in its updated form, added fields included, or null.
  const NestedField* FindForUpdate(std::string_view name) const;
  std::optional<int32_t> FindForMove(std::string_view name) const;
  std::optional<int32_t> ParentOf(int32_t id) const;
  std::string NameKey(std::string_view name) const;
  Status Add(std::string_view parent, std::string_view name, bool required, const Type& type,
             std::optional<std::string> doc, std::optional<Value> default_value);
  // Returns the id of the struct that `parent` names, kRootParent for the top level.
  Result<int32_t> ResolveParent(std::string_view parent, std::string_view name) const;
  Status Union(const Type& current, const Type& wanted, std::string_view prefix);
  Status UnionField(const NestedField& current, const NestedField& wanted,
                    const std::string& full_name);
  Status SetRequired(std::string_view name, bool required);

  // Apply changes to a type tree; fields that are deleted come back empty.
  Result<StructType> ApplyStruct(const StructType& type, int32_t id) const;
  Result<std::optional<NestedField>> ApplyField(const NestedField& field) const;
  Result<Type> ApplyType(const Type& type, int32_t id) const;
  Result<Type> ApplyMap(const Type& type) const;
  void AddAndMove(std::vector<NestedField>& fields, int32_t parent_id) const;
  Status CheckIdentifiersKept() const;
  Result<std::vector<int32_t>> NewIdentifiers(const Schema& schema) const;

  Schema base_;
  int32_t last_column_id_;
  bool case_sensitive_;
  bool allow_incompatible_ = false;
  std::set<int32_t> deletes_;
  std::map<int32_t, NestedField> updates_;                    // by field id, added fields too
  std::map<int32_t, std::vector<int32_t>> adds_;              // parent id -> ids of added fields
  std::map<std::string, int32_t> added_names_;                // name key -> id
  std::map<int32_t, int32_t> added_parents_;                  // added id -> parent id
  std::map<int32_t, std::vector<Move>> moves_;                // by parent id, in order
  std::optional<std::vector<std::string>> identifier_names_;  // absent: the base's fields stay
};

}  // namespace iceblink::spec
