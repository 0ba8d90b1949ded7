// The partition specs of a table with the types of their tuples, and tuples as keys of hash tables.
//
// Types are resolved against every schema of the table, newest first, so that a spec whose source
// column was dropped keeps its types: files of old specs stay readable and distinguishable.
// Immutable after construction; any thread may read it.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::table {

class PartitionTypes {
 public:
  struct Entry {
    spec::PartitionSpec spec;
    spec::StructType type;  // one optional field per spec field
    std::vector<spec::Type>
        sources;  // type of each field's source column; unknown when no schema has it
  };

  PartitionTypes() = default;
  explicit PartitionTypes(const spec::TableMetadata& metadata);
  // One spec over one schema, for manifests read without table metadata.
  PartitionTypes(const spec::Schema& schema, spec::PartitionSpec spec);

  // Returns null when the table has no such spec.
  const Entry* Find(int32_t spec_id) const;
  // Error: ValidationException "Cannot find partition spec with ID %s".
  Result<const Entry*> Get(int32_t spec_id) const;
  const std::map<int32_t, Entry>& entries() const { return entries_; }

 private:
  std::map<int32_t, Entry> entries_;
};

// Returns a byte string equal for equal tuples of one spec: NaNs are one value, -0.0 and 0.0 are
// two, as in Java's StructLikeWrapper.
std::string PartitionKey(int32_t spec_id, std::span<const Value> partition);
void AppendPartitionKey(int32_t spec_id, std::span<const Value> partition, std::string& out);

}  // namespace iceblink::table
