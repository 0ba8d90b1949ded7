// Merging small manifests.
//
// Manifests of one spec are packed from the end of the list into bins of at most the target size,
// in order; a bin of several becomes one manifest, except that the bin of the newest manifest waits
// until it holds commit.manifest.min-count-to-merge. Results are kept by the bin's paths, so a
// retried commit merges only what changed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commit/manifest_output.h"

namespace iceblink::commit {

// Packs items 0 ... n-1 into bins from the end, keeping their order: the first bin is the one left
// under-filled.
std::vector<std::vector<size_t>> PackFromEnd(size_t count, int64_t target,
                                             const std::function<int64_t(size_t)>& weight);

class ManifestMerger {
 public:
  explicit ManifestMerger(spec::ManifestContent content) : content_(content) {}

  // `manifests`: new ones first. Returns the list after merging, by spec id descending.
  Result<std::vector<spec::ManifestFile>> Merge(const table::ReadContext& read,
                                                const WriteTarget& target, ManifestOutput& output,
                                                std::vector<spec::ManifestFile> manifests);

  // Manifests of earlier snapshots that the last Merge replaced.
  int64_t replaced() const { return replaced_; }

 private:
  struct Merged {
    spec::ManifestFile manifest;
    int64_t replaced = 0;
  };
  using Bin = std::vector<spec::ManifestFile>;
  Result<Merged> MergeBin(const table::ReadContext& read, const WriteTarget& target,
                          ManifestOutput& output, const Bin& bin) const;

  spec::ManifestContent content_;
  int64_t replaced_ = 0;
  std::map<std::vector<std::string>, Merged> done_;  // by the paths of the bin
};

}  // namespace iceblink::commit
