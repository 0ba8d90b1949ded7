// Partition evolution as a builder of values (Java's UpdatePartitionSpec).
//
// The rules differ by format version: v1 keeps removed fields as void, v2 drops them and reuses the
// ids of equal fields of historical specs. Not for several threads.
#pragma once

#include <map>
#include <set>

#include "spec/table_metadata.h"

namespace iceblink::spec {

class SpecUpdate {
 public:
  explicit SpecUpdate(const TableMetadata& base, bool case_sensitive = true);

  // Adds a field; an empty name asks for the automatic one.
  Status AddField(std::string_view column, const Transform& transform, std::string_view name = {});
  Status RemoveField(std::string_view name);
  Status RemoveField(std::string_view column, const Transform& transform);
  Status RenameField(std::string_view name, std::string_view new_name);

  // Returns the new spec; its id is provisional, AddSpec gives the final one.
  Result<PartitionSpec> Apply() const;

 private:
  using SourceTransform = std::pair<int32_t, std::string>;  // source id, transform text

  Result<SourceTransform> Resolve(std::string_view column, const Transform& transform) const;
  PartitionField RecycleOrCreate(int32_t source_id, const Transform& transform,
                                 std::string_view name);
  Status CheckRedundantTime(const PartitionField& field) const;
  Status RewriteDeleteAndAdd(const PartitionField& existing, std::string_view name);

  Schema schema_;
  PartitionSpec spec_;
  std::vector<PartitionSpec> historical_;
  int32_t format_version_;
  int32_t last_assigned_id_;
  bool case_sensitive_;
  std::map<std::string, PartitionField> name_to_field_;
  std::map<SourceTransform, PartitionField> transform_to_field_;
  std::vector<PartitionField> adds_;
  std::map<SourceTransform, PartitionField> added_by_transform_;
  std::map<std::string, PartitionField> added_by_name_;
  std::map<int32_t, PartitionField> added_time_fields_;  // by source id
  std::set<int32_t> deletes_;
  std::map<std::string, std::string> renames_;
};

}  // namespace iceblink::spec
