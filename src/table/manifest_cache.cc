#include "table/manifest_cache.h"

#include <utility>

namespace iceblink::table {

size_t AvroContent::ByteSize() const {
  size_t size = sizeof(*this) + 16384;  // schema and metadata
  for (const Block& block : blocks) size += block.data.capacity() + sizeof(Block);
  return size;
}

std::shared_ptr<const AvroContent> ManifestCache::Find(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto it = by_path_.find(path);
  if (it == by_path_.end()) return nullptr;
  slots_.splice(slots_.begin(), slots_, it->second);
  return it->second->content;
}

void ManifestCache::Insert(const std::string& path, std::shared_ptr<const AvroContent> content) {
  const size_t size = content->ByteSize();
  if (size > kMaxEntryBytes || size > max_bytes_) return;
  std::lock_guard lock(mutex_);
  if (by_path_.contains(path)) return;
  while (bytes_ + size > max_bytes_ && !slots_.empty()) EraseLocked(std::prev(slots_.end()));
  slots_.push_front({path, std::move(content)});
  by_path_[path] = slots_.begin();
  bytes_ += size;
}

void ManifestCache::Clear() {
  std::lock_guard lock(mutex_);
  slots_.clear();
  by_path_.clear();
  bytes_ = 0;
}

void ManifestCache::Erase(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (auto it = by_path_.find(path); it != by_path_.end()) EraseLocked(it->second);
}

void ManifestCache::EraseLocked(std::list<Slot>::iterator slot) {
  bytes_ -= slot->content->ByteSize();
  by_path_.erase(slot->path);
  slots_.erase(slot);
}

size_t ManifestCache::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace iceblink::table
