#include "table/delete_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/single_value.h"
#include "table/metadata_columns.h"

namespace iceblink::table {
namespace {

using spec::DataFile;
using spec::NestedField;

// Null and value counts of one column of a file; absent counts prove nothing.
class ColumnCounts {
 public:
  ColumnCounts(const DataFile& file, const NestedField& field)
      : nulls_(file.null_value_counts.Find(field.id)),
        values_(file.value_counts.Find(field.id)),
        required_(field.required) {}

  bool MayContainNull() const { return !required_ && (nulls_ == nullptr || *nulls_ > 0); }
  bool AllNonNull() const { return required_ || (nulls_ != nullptr && *nulls_ == 0); }
  bool AllNull() const {
    return !required_ && nulls_ != nullptr && values_ != nullptr && *nulls_ == *values_;
  }

 private:
  const int64_t* nulls_;
  const int64_t* values_;
  bool required_;
};

// Whether the ranges of a column in two files may overlap; true unless the bounds prove the
// contrary.
bool RangesMayOverlap(const DataFile& a, const DataFile& b, const NestedField& field) {
  const Bytes* bounds[] = {a.lower_bounds.Find(field.id), a.upper_bounds.Find(field.id),
                           b.lower_bounds.Find(field.id), b.upper_bounds.Find(field.id)};
  Value values[4];
  for (int i = 0; i < 4; i++) {
    if (bounds[i] == nullptr) return true;
    Result<Value> value = spec::FromBound(field.type, bounds[i]->data);
    if (!value || value->is_null()) return true;
    values[i] = *std::move(value);
  }
  return CompareValues(values[0], values[3]) <= 0 && CompareValues(values[2], values[1]) <= 0;
}

bool ColumnMayMatch(const DataFile& data, const DataFile& deletes, const NestedField& field) {
  const ColumnCounts in_data(data, field);
  const ColumnCounts in_deletes(deletes, field);
  if (in_data.MayContainNull() && in_deletes.MayContainNull()) return true;
  if (in_data.AllNull() && in_deletes.AllNonNull()) return false;
  if (in_deletes.AllNull() && in_data.AllNonNull()) return false;
  return RangesMayOverlap(data, deletes, field);
}

std::string Describe(const DataFile& vector) {
  return fmt::format("DV{{location={}, offset={}, length={}, referencedDataFile={}}}",
                     vector.file_path, vector.content_offset.value_or(0),
                     vector.content_size_in_bytes.value_or(0),
                     vector.referenced_data_file.value_or("null"));
}

auto Invalid(std::string message) {
  return Fail(ErrorCode::kCorrupt, std::move(message), "ValidationException");
}

// The deletes of a group whose number is at least `sequence`; the group is sorted.
std::span<const DeleteFilePtr> From(const std::vector<DeleteFilePtr>& group, int64_t sequence) {
  const auto first = std::partition_point(group.begin(), group.end(), [&](const DeleteFilePtr& d) {
    return d->sequence_number < sequence;
  });
  return {first, group.end()};
}

}  // namespace

std::optional<std::string> ReferencedDataFile(const DataFile& delete_file) {
  if (delete_file.content != spec::DataFileContent::kPositionDeletes) return std::nullopt;
  if (delete_file.referenced_data_file) return delete_file.referenced_data_file;
  const Bytes* lower = delete_file.lower_bounds.Find(kDeleteFilePathId);
  const Bytes* upper = delete_file.upper_bounds.Find(kDeleteFilePathId);
  if (lower == nullptr || upper == nullptr || lower->data != upper->data) return std::nullopt;
  return lower->data;
}

Result<DeleteIndex> DeleteIndex::Build(std::vector<DeleteFilePtr> deletes,
                                       const PartitionTypes& types, const spec::Schema& schema) {
  DeleteIndex index;
  index.schema_ = &schema;
  index.size_ = deletes.size();
  for (const DeleteFilePtr& file : deletes) RETURN_IF_ERROR(index.Insert(file, types));
  index.SortAll();
  index.all_ = std::move(deletes);
  return index;
}

Status DeleteIndex::Insert(const DeleteFilePtr& deletes, const PartitionTypes& types) {
  const DataFile& file = deletes->file;
  if (file.is_dv()) {
    const auto [at, added] =
        vectors_by_path_.emplace(file.referenced_data_file.value_or(""), deletes);
    if (added) return {};
    return Invalid(fmt::format("Can't index multiple DVs for {}: {} and {}", at->first,
                               Describe(at->second->file), Describe(file)));
  }
  if (file.content == spec::DataFileContent::kPositionDeletes) {
    if (std::optional<std::string> path = ReferencedDataFile(file)) {
      positions_by_path_[*std::move(path)].push_back(deletes);
    } else {
      positions_by_partition_[PartitionKey(file.spec_id, file.partition)].push_back(deletes);
    }
    return {};
  }
  has_equality_ = true;
  equality_ids_.insert(file.equality_ids.begin(), file.equality_ids.end());
  ASSIGN_OR_RETURN(const PartitionTypes::Entry* type, types.Get(file.spec_id));
  Group& group = type->spec.is_unpartitioned()
                     ? global_equality_
                     : equality_by_partition_[PartitionKey(file.spec_id, file.partition)];
  group.push_back(deletes);
  return {};
}

void DeleteIndex::SortAll() {
  const auto sort = [](Group& group) {
    std::stable_sort(group.begin(), group.end(),
                     [](const DeleteFilePtr& a, const DeleteFilePtr& b) {
                       return a->sequence_number < b->sequence_number;
                     });
  };
  sort(global_equality_);
  for (auto* groups : {&equality_by_partition_, &positions_by_partition_, &positions_by_path_}) {
    for (auto& [key, group] : *groups) sort(group);
  }
}

bool DeleteIndex::EqualityMayMatch(const DataFile& file, const DataFile& deletes) const {
  for (const int32_t id : deletes.equality_ids) {
    const NestedField* field = schema_->FindField(id);
    if (field == nullptr || !field->type.is_primitive())
      continue;  // dropped columns have no known type
    if (!ColumnMayMatch(file, deletes, *field)) return false;
  }
  return true;
}

void DeleteIndex::AppendEquality(const Group& group, const DataFile& file, int64_t sequence,
                                 Group& out) const {
  for (const DeleteFilePtr& deletes : From(group, sequence + 1)) {
    if (EqualityMayMatch(file, deletes->file)) out.push_back(deletes);
  }
}

Result<std::vector<DeleteFilePtr>> DeleteIndex::For(const DataFile& file, int64_t sequence) const {
  Group found;
  if (empty()) return found;
  AppendEquality(global_equality_, file, sequence, found);
  std::string key;
  if (!equality_by_partition_.empty() || !positions_by_partition_.empty()) {
    AppendPartitionKey(file.spec_id, file.partition, key);
  }
  if (auto it = equality_by_partition_.find(key); it != equality_by_partition_.end()) {
    AppendEquality(it->second, file, sequence, found);
  }
  if (auto it = vectors_by_path_.find(file.file_path); it != vectors_by_path_.end()) {
    const int64_t vector_sequence = it->second->sequence_number;
    if (vector_sequence < sequence) {
      return Invalid(
          fmt::format("DV data sequence number ({}) must be greater than or equal to data file "
                      "sequence number ({})",
                      vector_sequence, sequence));
    }
    found.push_back(it->second);
    return found;
  }
  const auto append_positions = [&](const std::unordered_map<std::string, Group>& groups,
                                    const std::string& at) {
    if (auto it = groups.find(at); it != groups.end()) {
      const auto applicable = From(it->second, sequence);
      found.insert(found.end(), applicable.begin(), applicable.end());
    }
  };
  append_positions(positions_by_partition_, key);
  append_positions(positions_by_path_, file.file_path);
  return found;
}

}  // namespace iceblink::table
