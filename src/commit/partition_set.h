// A set of partitions: (spec id, tuple) pairs.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "spec/manifest.h"
#include "table/partition_types.h"

namespace iceblink::commit {

class PartitionSet {
 public:
  void Add(int32_t spec_id, const std::vector<Value>& partition);
  bool Contains(int32_t spec_id, std::span<const Value> partition) const;
  bool empty() const { return tuples_.empty(); }

  // Returns false only when the manifest's partition summaries rule every partition of the set out.
  bool MayBeIn(const spec::ManifestFile& manifest, const table::PartitionTypes& types) const;
  // Returns Java's text: "[dep=a, dep=b]".
  std::string ToString(const table::PartitionTypes& types) const;

 private:
  struct Tuple {
    int32_t spec_id = 0;
    std::vector<Value> values;
  };
  std::vector<Tuple> tuples_;  // in the order of addition
  std::unordered_set<std::string> keys_;
};

}  // namespace iceblink::commit
