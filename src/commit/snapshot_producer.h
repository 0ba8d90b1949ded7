// From a pending change to a snapshot: one pipeline for every kind of change.
//
//   validate -> write new manifests | filter the parent's -> merge -> manifest list -> snapshot,
//   summary, ref
//
// Apply runs once per attempt of a commit. What does not depend on the table's state (new
// manifests, the snapshot's id) and what did not change between attempts (filtered and merged
// manifests) is kept; the manifest list is written anew. One thread calls; the work inside is
// spread over the shared pool.
#pragma once

#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "commit/manifest_filter.h"
#include "commit/manifest_merge.h"
#include "commit/manifest_output.h"
#include "commit/transaction.h"
#include "commit/validation.h"

namespace iceblink::commit {

class SnapshotProducer final : public Step {
 public:
  // `clock` and what `read` points to outlive the producer.
  SnapshotProducer(const table::ReadContext& read, SnapshotChange change, const Clock& clock);

  Result<std::vector<spec::TableUpdate>> Apply(const spec::TableMetadata& base) override;
  void Committed() override;
  void Abandoned() override;

 private:
  struct Attempt;
  Status Start(const spec::TableMetadata& base);
  Status WriteNewManifests(const WriteTarget& target);
  Status WriteNewDeletes(const WriteTarget& target);
  Status FilterParent(Attempt& attempt);
  Status Combine(Attempt& attempt);
  Status ReplaceManifests(Attempt& attempt);
  Status Produce(Attempt& attempt);
  Result<spec::Summary> Summarize(const Attempt& attempt) const;
  Result<spec::Snapshot> WriteSnapshot(Attempt& attempt);
  spec::ManifestFile Own(spec::ManifestFile manifest) const;

  table::ReadContext read_;
  SnapshotChange change_;
  const Clock& clock_;
  ManifestLists lists_;
  std::unique_ptr<ManifestOutput> output_;
  std::optional<ManifestFilter> data_filter_;
  std::optional<ManifestFilter> delete_filter_;
  ManifestMerger data_merger_{spec::ManifestContent::kData};
  ManifestMerger delete_merger_{spec::ManifestContent::kDeletes};
  bool wrote_new_ = false;
  std::vector<spec::ManifestFile> new_data_manifests_;
  std::vector<spec::ManifestFile> new_delete_manifests_;
  std::vector<std::string> required_data_;     // keys of files that must be found
  std::vector<std::string> required_deletes_;  // likewise
  std::set<std::string> landed_;               // files of the last attempt
};

// Head of the branch; of main where the branch does not exist yet. Null: none.
const spec::Snapshot* HeadOf(const spec::TableMetadata& base, const std::string& branch);

}  // namespace iceblink::commit
