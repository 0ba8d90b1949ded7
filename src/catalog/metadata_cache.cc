#include "catalog/metadata_cache.h"

#include <algorithm>

#include "base/uuid.h"
#include "io/file_system.h"

namespace iceblink::catalog {

namespace {

constexpr size_t kVersionDigits = 6;  // "00007-"
constexpr size_t kUuidLength = 36;

bool NeverReused(const std::string& path) {
  const std::string_view name = io::BaseName(path);
  return name.size() > kVersionDigits + kUuidLength &&
         Uuid::Parse(name.substr(kVersionDigits, kUuidLength)).has_value();
}

}  // namespace

spec::TableMetadataPtr MetadataCache::Find(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto it = std::find_if(entries_.begin(), entries_.end(),
                         [&](const auto& e) { return e.first == path; });
  if (it == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it);
  return it->second;
}

void MetadataCache::Insert(const std::string& path, spec::TableMetadataPtr metadata) {
  if (!NeverReused(path)) return;
  std::lock_guard lock(mutex_);
  entries_.emplace_front(path, std::move(metadata));
  if (entries_.size() > max_entries_) entries_.pop_back();
}

}  // namespace iceblink::catalog
