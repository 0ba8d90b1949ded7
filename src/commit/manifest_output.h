// The manifests that one commit writes: their names, their ids, and who must delete them when the
// commit does not land.
//
//   <metadata folder>/<commit uuid>-m<N>.avro                              manifests, N from 0
//   <metadata folder>/snap-<snapshot id>-<attempt>-<commit uuid>.avro      manifest lists, attempt
//   from 1
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "spec/table_metadata.h"
#include "table/manifest_cache.h"
#include "table/manifest_writer.h"
#include "table/partition_types.h"

namespace iceblink::commit {

// What writers need of the table on one attempt.
struct WriteTarget {
  const spec::TableMetadata* metadata = nullptr;
  const table::PartitionTypes* types = nullptr;
};

// Safe from several threads.
class ManifestOutput {
 public:
  ManifestOutput(io::FileSystem& files, int64_t snapshot_id);

  int64_t snapshot_id() const { return snapshot_id_; }
  const std::string& uuid() const { return uuid_; }

  // Opens the next manifest for entries of the spec.
  Result<std::unique_ptr<table::ManifestWriter>> Open(const WriteTarget& target,
                                                      spec::ManifestContent content,
                                                      int32_t spec_id);
  // Closes it and remembers the file as this commit's.
  Result<spec::ManifestFile> Close(table::ManifestWriter& writer);

  struct NewFile {
    const spec::DataFile* file = nullptr;
    std::optional<int64_t> data_sequence_number;
  };
  // Writes added files of one spec into as many manifests as the target size asks for, large sets
  // in parallel.
  Result<std::vector<spec::ManifestFile>> WriteAdded(const WriteTarget& target,
                                                     spec::ManifestContent content, int32_t spec_id,
                                                     std::span<const NewFile> files);

  // Path of the next manifest list; remembered likewise.
  std::string NextListPath(const spec::TableMetadata& metadata);

  // Deletes every remembered file that is not in `kept`, and forgets all.
  void DeleteUnused(const std::set<std::string>& kept);

 private:
  Result<std::vector<spec::ManifestFile>> WriteGroup(const WriteTarget& target,
                                                     spec::ManifestContent content, int32_t spec_id,
                                                     std::span<const NewFile> files);
  void Remember(std::string path);

  io::FileSystem& files_;
  const int64_t snapshot_id_;
  const std::string uuid_;
  std::atomic<int32_t> next_manifest_{0};
  std::atomic<int32_t> next_list_{1};
  std::mutex mutex_;
  std::vector<std::string> written_;
};

// Value of an integer property that must parse. Error: NumberFormatException.
Result<int64_t> ManifestTargetSize(const spec::TableMetadata& metadata);

}  // namespace iceblink::commit
