// JSON texts of table metadata by metadata file and form, the most recently used ones within a
// bound of bytes: a load of an unchanged table costs a copy, no serialising. Metadata files never
// change, so neither do the texts. Safe from several threads.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "catalog/catalog.h"

namespace iceblink::server {

enum class SnapshotsMode : uint8_t { kAll, kRefs };

class MetadataTexts {
 public:
  using Text = std::shared_ptr<const std::string>;

  Text Get(const catalog::LoadedTable& table, SnapshotsMode mode);

 private:
  static constexpr size_t kMaxBytes = 64 << 20;
  using Entry = std::pair<std::string, Text>;

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  size_t bytes_ = 0;
};

// The metadata without snapshots that no branch or tag names.
spec::TableMetadata WithReferencedSnapshots(const spec::TableMetadata& metadata);

}  // namespace iceblink::server
