// The last parsed metadata files of a catalog, by path. Files named "00007-<uuid>.metadata.json"
// are written once and never again, so what was parsed stays right; other names are not kept. Safe
// from several threads.
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "spec/table_metadata.h"

namespace iceblink::catalog {

class MetadataCache {
 public:
  explicit MetadataCache(size_t max_entries = 16) : max_entries_(max_entries) {}

  // Null when the path is not kept.
  spec::TableMetadataPtr Find(const std::string& path);
  void Insert(const std::string& path, spec::TableMetadataPtr metadata);

 private:
  const size_t max_entries_;
  std::mutex mutex_;
  std::list<std::pair<std::string, spec::TableMetadataPtr>> entries_;  // most recently used first
};

}  // namespace iceblink::catalog
