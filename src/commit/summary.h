// Snapshot summaries: counters of one commit, per partition and in all, and running totals.
//
// The keys, their order of trust and their totals are tables of data in summary.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "spec/manifest.h"
#include "spec/snapshot.h"
#include "spec/table_metadata.h"

namespace iceblink::commit {

// Indexes of the counters, in the order in which partition summaries print them.
enum class Counter : uint8_t {
  kAddedDataFiles,
  kDeletedDataFiles,
  kAddedEqualityDeleteFiles,
  kRemovedEqualityDeleteFiles,
  kAddedPositionDeleteFiles,
  kRemovedPositionDeleteFiles,
  kAddedDvs,
  kRemovedDvs,
  kAddedDeleteFiles,
  kRemovedDeleteFiles,
  kAddedRecords,
  kDeletedRecords,
  kAddedFilesSize,
  kRemovedFilesSize,
  kAddedPositionDeletes,
  kRemovedPositionDeletes,
  kAddedEqualityDeletes,
  kRemovedEqualityDeletes,
  kCount,
};

struct CounterSet {
  std::array<int64_t, static_cast<size_t>(Counter::kCount)> values{};
  bool trust_sizes = true;  // sizes and delete counts are complete

  int64_t& operator[](Counter c) { return values[static_cast<size_t>(c)]; }
  int64_t operator[](Counter c) const { return values[static_cast<size_t>(c)]; }
  void CountFile(const spec::DataFile& file, bool added);
  void Merge(const CounterSet& other);
  // Calls visit(key, value) for every counter that a summary shows.
  template <typename Visit>
  void ForEachShown(Visit visit) const;
};

class SummaryBuilder {
 public:
  void AddedFile(const spec::PartitionSpec& spec, const spec::Schema& schema,
                 const spec::DataFile& file);
  void RemovedFile(const spec::PartitionSpec& spec, const spec::Schema& schema,
                   const spec::DataFile& file);
  // A whole manifest that the commit appends: its partitions are not known.
  void AppendedManifest(const spec::ManifestFile& manifest);
  void DuplicateDeletes(int64_t count) { duplicates_ += count; }
  void Merge(const SummaryBuilder& other);

  const CounterSet& totals() const { return counters_; }
  // Returns the entries; partitions are listed when at most `partition_limit` changed.
  spec::Summary Build(int64_t partition_limit) const;

 private:
  void Count(const spec::PartitionSpec& spec, const spec::Schema& schema,
             const spec::DataFile& file, bool added);

  CounterSet counters_;
  std::map<std::string, CounterSet> partitions_;  // by partition path
  bool trust_partitions_ = true;
  int64_t duplicates_ = 0;
};

// Adds total-* entries: those of the branch's head plus what `summary` adds minus what it removes;
// from zero when the branch does not exist in `base`; none where the head has none.
void AddTotals(const spec::TableMetadata& base, const std::string& branch, spec::Summary& summary);

}  // namespace iceblink::commit
