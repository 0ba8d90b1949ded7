// Removing files from existing manifests.
//
// A manifest that lists a removed file is rewritten: removed files as DELETED by this snapshot, the
// others as EXISTING. Manifests that cannot list one (by partition summaries, by filter, or because
// the scan named the manifests) are not opened. Two passes over a manifest: the first reads only
// what decides, the second copies. Results are kept by path, so a retried commit rewrites only what
// changed meanwhile.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "commit/entry_matcher.h"
#include "commit/manifest_output.h"
#include "commit/partition_set.h"
#include "commit/snapshot_change.h"
#include "commit/summary.h"

namespace iceblink::commit {

// Which entries go. Data and delete manifests have one filter each.
struct RemovalRules {
  std::unordered_set<std::string> paths;  // data files by path alone
  std::unordered_set<std::string> files;  // keys of RemovalKey
  PartitionSet file_partitions;           // of `files`
  std::set<std::string> manifests;        // that list `files`, as far as known
  bool every_manifest_known = true;       // `manifests` is complete
  PartitionSet dropped_partitions;
  std::optional<expr::Expression> row_filter;
  bool fail_any = false;  // ReplacePartitions.validateAppendOnly
  bool case_sensitive = true;

  bool AnyRemoval() const;
};

// Identity of a content file: its path; of a deletion vector also its place in the Puffin file.
std::string RemovalKey(const spec::DataFile& file);

class ManifestFilter {
 public:
  ManifestFilter(spec::ManifestContent content, RemovalRules rules);

  // Delete manifests only: obsolete deletes (data sequence number below `min_sequence_number`) and
  // deletion vectors of `removed_data_files` go too, where a manifest is opened anyway or the
  // vectors require it.
  void SetObsolete(int64_t min_sequence_number,
                   const std::unordered_set<std::string>* removed_data_files);

  // Returns the manifests in their order, rewritten ones replaced. Errors: ValidationException
  // "Cannot delete file where some, but not all, rows match filter %s: %s", "Cannot commit file
  // that conflicts with existing partition: %s"; those of io.
  Result<std::vector<spec::ManifestFile>> Filter(const table::ReadContext& read,
                                                 const WriteTarget& target, ManifestOutput& output,
                                                 std::vector<spec::ManifestFile> manifests);

  // What the last Filter did.
  int64_t rewritten() const { return rewritten_; }
  const std::vector<spec::DataFile>& removed() const { return removed_; }  // without metrics
  SummaryBuilder Summary(const WriteTarget& target) const;
  // Error: ValidationException "Missing required files to delete: %s".
  Status CheckAllFound(const std::vector<std::string>& wanted_paths) const;

 private:
  struct Outcome {
    spec::ManifestFile manifest;
    bool rewritten = false;
    std::vector<spec::DataFile> removed;
    int64_t duplicates = 0;
  };
  struct Run {  // what one Filter call shares
    const table::ReadContext& read;
    const WriteTarget& target;
    ManifestOutput& output;
    const EntryMatcher* matcher = nullptr;
    bool trust_known_manifests = false;
  };

  Result<bool> MayHoldRemoved(const Run& run, const spec::ManifestFile& manifest) const;
  Result<Outcome> FilterOne(const Run& run, const spec::ManifestFile& manifest) const;
  // Ordinals of the live entries to remove, ascending.
  Result<std::vector<int64_t>> FindRemoved(const Run& run,
                                           const spec::ManifestFile& manifest) const;
  bool IsMarked(const spec::ManifestEntry& entry) const;
  Result<bool> IsRemoved(const Run& run, const spec::ManifestEntry& entry) const;
  Result<Outcome> Rewrite(const Run& run, const spec::ManifestFile& manifest,
                          const std::vector<int64_t>& ordinals) const;

  spec::ManifestContent content_;
  RemovalRules rules_;
  int64_t min_sequence_number_ = 0;
  const std::unordered_set<std::string>* removed_data_files_ = nullptr;
  std::map<std::string, Outcome> done_;  // by path of the original
  int64_t rewritten_ = 0;
  int64_t duplicates_ = 0;
  std::vector<spec::DataFile> removed_;
};

}  // namespace iceblink::commit
