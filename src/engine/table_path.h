// A copy of a table's metadata under another prefix: what rewrite_table_path writes into its
// staging folder, from the leaves up - delete files, manifests, manifest lists, metadata files - so
// that every length and offset that the copy states is the copy's. The table itself is only read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exec/parquet_files.h"
#include "io/file_system.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"
#include "table/manifest_cache.h"
#include "table/partition_types.h"

namespace iceblink::engine {

// Where locations below `source` go. All three end with a slash.
struct PathRewrite {
  std::string source;
  std::string target;
  std::string staging;

  // The location below the target, and the one below the staging folder. Error:
  // IllegalArgumentException "Path %s does not start with %s".
  Result<std::string> NewPath(const std::string& path) const;
  Result<std::string> StagedPath(const std::string& path) const;
};

// The metadata with every location in it below the target.
Result<spec::TableMetadata> ReplacePaths(const spec::TableMetadata& metadata,
                                         const PathRewrite& rewrite);

// Which file is to be copied where; a pair once.
using CopyPlan = std::set<std::pair<std::string, std::string>>;

// Rewrites manifests and what they lead to. One thread.
class TablePathRewriter {
 public:
  // All outlive it. `copied` are the snapshots whose files go into the plan; null: all of them.
  TablePathRewriter(const table::ReadContext& read, const spec::TableMetadata& metadata,
                    const PathRewrite& rewrite, const std::set<int64_t>* copied);

  // Writes the snapshot's manifest list, and those of its manifests that a copied snapshot added.
  Status Rewrite(const spec::Snapshot& snapshot);

  CopyPlan& plan() { return plan_; }
  size_t rewritten_manifests() const { return manifests_.size(); }
  size_t rewritten_deletes() const { return deletes_.size(); }

 private:
  // A Puffin file's blobs may have moved.
  struct RewrittenFile {
    int64_t size = 0;
    std::map<int64_t, int64_t> offsets;
  };
  bool IsCopied(std::optional<int64_t> snapshot_id) const;
  Result<spec::ManifestFile> RewriteManifest(const spec::ManifestFile& manifest);
  Status RewriteEntry(spec::ManifestEntry& entry);
  Status RewriteDeletes(spec::DataFile& file, bool live);
  Result<const RewrittenFile*> CopyDeletes(const spec::DataFile& file);
  Result<RewrittenFile> CopyVectors(const std::string& from, const std::string& to) const;

  const table::ReadContext& read_;
  const spec::TableMetadata& metadata_;
  const PathRewrite& rewrite_;
  const std::set<int64_t>* copied_;
  table::PartitionTypes types_;
  exec::ParquetFiles parquet_;
  std::map<std::string, int64_t> manifests_;           // length of the copy, by the original's path
  std::map<std::string, RewrittenFile> files_;         // delete files, by the original's path
  std::set<std::pair<std::string, int64_t>> deletes_;  // path and offset
  CopyPlan plan_;
};

}  // namespace iceblink::engine
