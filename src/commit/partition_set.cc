#include "commit/partition_set.h"

#include <cmath>

#include "spec/single_value.h"

namespace iceblink::commit {

namespace {

bool IsNan(const Value& value) {
  return (value.Is<double>() && std::isnan(value.As<double>())) ||
         (value.Is<float>() && std::isnan(value.As<float>()));
}

bool MayContain(const spec::FieldSummary& summary, const spec::Type& type, const Value& value) {
  if (value.is_null()) return summary.contains_null;
  if (IsNan(value)) return summary.contains_nan.value_or(true);
  if (!summary.lower_bound || !summary.upper_bound) return false;  // only nulls and NaNs
  Result<Value> lower = spec::FromBound(type, summary.lower_bound->data);
  Result<Value> upper = spec::FromBound(type, summary.upper_bound->data);
  if (!lower || !upper || lower->is_null() || upper->is_null()) return true;
  const auto form = value.storage().index();
  if (lower->storage().index() != form || upper->storage().index() != form) return true;
  return CompareValues(*lower, value) <= 0 && CompareValues(value, *upper) <= 0;
}

}  // namespace

void PartitionSet::Add(int32_t spec_id, const std::vector<Value>& partition) {
  if (keys_.insert(table::PartitionKey(spec_id, partition)).second)
    tuples_.push_back({spec_id, partition});
}

bool PartitionSet::Contains(int32_t spec_id, std::span<const Value> partition) const {
  return !keys_.empty() && keys_.contains(table::PartitionKey(spec_id, partition));
}

bool PartitionSet::MayBeIn(const spec::ManifestFile& manifest,
                           const table::PartitionTypes& types) const {
  const table::PartitionTypes::Entry* entry = types.Find(manifest.spec_id);
  const bool known = entry != nullptr && manifest.partitions &&
                     manifest.partitions->size() == entry->type.fields.size();
  for (const Tuple& tuple : tuples_) {
    if (tuple.spec_id != manifest.spec_id) continue;
    if (!known || tuple.values.size() != entry->type.fields.size()) return true;
    bool possible = true;
    for (size_t i = 0; possible && i < tuple.values.size(); i++) {
      possible = MayContain((*manifest.partitions)[i], entry->type.fields[i].type, tuple.values[i]);
    }
    if (possible) return true;
  }
  return false;
}

std::string PartitionSet::ToString(const table::PartitionTypes& types) const {
  std::string text;
  for (const Tuple& tuple : tuples_) {
    const table::PartitionTypes::Entry* entry = types.Find(tuple.spec_id);
    for (size_t i = 0; entry != nullptr && i < tuple.values.size() && i < entry->type.fields.size();
         i++) {
      if (!text.empty()) text += ", ";
      const Value& value = tuple.values[i];
      text += entry->type.fields[i].name + "=" +
              (value.is_null() ? "null" : spec::HumanString(entry->type.fields[i].type, value));
    }
  }
  return "[" + text + "]";
}

}  // namespace iceblink::commit
