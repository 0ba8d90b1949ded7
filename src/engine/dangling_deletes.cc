#include "engine/dangling_deletes.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/partition_types.h"

namespace iceblink::engine {
namespace {

using EntryVisitor = std::function<Status(const spec::ManifestEntry&)>;

class DanglingDeletes {
 public:
  DanglingDeletes(const table::ReadContext& context, const spec::TableMetadata& metadata)
      : context_(context), types_(metadata) {}

  Result<std::vector<spec::DataFile>> Find(const std::vector<spec::ManifestFile>& manifests) {
    RETURN_IF_ERROR(ForEachLive(manifests, spec::ManifestContent::kDeletes,
                                [this](const spec::ManifestEntry& entry) -> Status {
                                  if (entry.data_file.is_dv())
                                    referenced_.insert(
                                        entry.data_file.referenced_data_file.value_or(""));
                                  return {};
                                }));
    RETURN_IF_ERROR(ForEachLive(manifests, spec::ManifestContent::kData,
                                [this](const spec::ManifestEntry& entry) -> Status {
                                  std::string key = table::PartitionKey(entry.data_file.spec_id,
                                                                        entry.data_file.partition);
                                  int64_t sequence = entry.sequence_number.value_or(0);
                                  auto [at, added] = oldest_data_.emplace(std::move(key), sequence);
                                  if (!added) at->second = std::min(at->second, sequence);
                                  referenced_.erase(entry.data_file.file_path);
                                  return {};
                                }));
    std::vector<spec::DataFile> dangling;
    RETURN_IF_ERROR(ForEachLive(manifests, spec::ManifestContent::kDeletes,
                                [&](const spec::ManifestEntry& entry) -> Status {
                                  if (IsDangling(entry)) dangling.push_back(entry.data_file);
                                  return {};
                                }));
    return dangling;
  }

 private:
  Status ForEachLive(const std::vector<spec::ManifestFile>& manifests,
                     spec::ManifestContent content, const EntryVisitor& visit) const {
    table::ManifestReadOptions options;
    options.live_only = true;
    if (content == spec::ManifestContent::kData) options.stats = table::StatsSelection::None();
    for (const spec::ManifestFile& manifest : manifests) {
      if (manifest.content == content)
        RETURN_IF_ERROR(table::ForEachEntry(context_, manifest, types_, options, visit));
    }
    return {};
  }

  bool IsDangling(const spec::ManifestEntry& entry) const {
    const spec::DataFile& file = entry.data_file;
    if (file.is_dv()) return referenced_.count(file.referenced_data_file.value_or("")) > 0;
    auto at = oldest_data_.find(table::PartitionKey(file.spec_id, file.partition));
    if (at == oldest_data_.end()) return true;
    int64_t sequence = entry.sequence_number.value_or(0);
    return file.content == spec::DataFileContent::kPositionDeletes ? sequence < at->second
                                                                   : sequence <= at->second;
  }

  table::ReadContext context_;
  table::PartitionTypes types_;
  std::unordered_map<std::string, int64_t>
      oldest_data_;                             // by partition: least data sequence number
  std::unordered_set<std::string> referenced_;  // by vectors, and not seen among the data files
};

}  // namespace

Result<std::vector<spec::DataFile>> FindDanglingDeletes(const table::ReadContext& context,
                                                        const spec::TableMetadata& metadata,
                                                        const spec::Snapshot& snapshot) {
  if (metadata.specs.size() == 1 && metadata.spec().is_unpartitioned())
    return std::vector<spec::DataFile>();
  ASSIGN_OR_RETURN(std::vector<spec::ManifestFile> manifests,
                   table::ReadManifests(context, snapshot));
  return DanglingDeletes(context, metadata).Find(manifests);
}

}  // namespace iceblink::engine
