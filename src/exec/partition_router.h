// Partition routing: the partition of each row of a chunk under a spec, column by column. One
// object serves one thread. Exec-internal: includes DuckDB.
//
// Each partition field turns its column into 64-bit codes: the transformed value itself where it is
// an integer, else the number of the value in a dictionary. A row's partition is the tuple of its
// codes.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "duckdb.hpp"
#include "spec/table_metadata.h"

namespace iceblink::exec {

class PartitionRouter {
 public:
  PartitionRouter(const spec::PartitionSpec& spec, const spec::Schema& schema);

  bool unpartitioned() const { return fields_.empty(); }
  // Returns for each row the number of its partition, counted from 0 in order of appearance.
  const std::vector<uint32_t>& Route(duckdb::DataChunk& chunk);
  // The tuple of a partition, in the order of the spec's fields.
  const std::vector<Value>& Partition(uint32_t number) const { return partitions_[number]; }
  size_t partitions() const { return partitions_.size(); }

 private:
  static constexpr int64_t kNullCode = INT64_MIN;
  struct Field {
    spec::Transform transform;
    spec::Type source;
    std::vector<size_t> path;
    bool integers = false;  // codes are the transformed values
    std::map<Value, int64_t, bool (*)(const Value&, const Value&)> dictionary;
    std::vector<Value> values;                       // of dictionary codes
    std::unordered_map<std::string, int64_t> texts;  // source texts and bytes to codes
  };
  struct CodesHash {
    size_t operator()(const std::vector<int64_t>& codes) const;
  };
  void Codes(Field& field, duckdb::DataChunk& chunk, std::vector<int64_t>* out);
  int64_t DictionaryCode(Field& field, const Value& transformed);
  Value Decode(const Field& field, int64_t code) const;

  std::vector<Field> fields_;
  std::vector<std::vector<int64_t>> codes_;
  std::vector<uint32_t> rows_;
  std::unordered_map<std::vector<int64_t>, uint32_t, CodesHash> numbers_;
  std::vector<std::vector<Value>> partitions_;
};

}  // namespace iceblink::exec
