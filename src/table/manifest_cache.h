// A bounded cache of manifests' bytes, decompressed and keyed by path. Manifests are immutable and
// their paths unique, so an entry never goes stale; the least recently used ones make room.
//
// What is kept is the decompressed Avro blocks, not decoded entries: a tenth of the memory, and
// each read decodes only what it needs. Safe from several threads; two threads that miss at once
// read the file twice.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "io/avro.h"
#include "io/file_system.h"

namespace iceblink::table {

// A whole Avro container file in memory.
struct AvroContent {
  struct Block {
    int64_t count = 0;
    std::string data;
  };
  io::avro::SchemaPtr schema;
  std::map<std::string, std::string> metadata;
  std::vector<Block> blocks;

  size_t ByteSize() const;
};

class ManifestCache {
 public:
  static constexpr size_t kDefaultBytes = size_t{96} << 20;
  static constexpr size_t kMaxEntryBytes =
      size_t{16} << 20;  // larger manifests are read as streams, not cached

  explicit ManifestCache(size_t max_bytes = kDefaultBytes) : max_bytes_(max_bytes) {}

  // Returns null when the path is not cached.
  std::shared_ptr<const AvroContent> Find(const std::string& path);
  void Insert(const std::string& path, std::shared_ptr<const AvroContent> content);
  // Forgets everything, or one file that is about to be deleted.
  void Clear();
  void Erase(const std::string& path);

  size_t bytes() const;

 private:
  struct Slot {
    std::string path;
    std::shared_ptr<const AvroContent> content;
  };
  void EraseLocked(std::list<Slot>::iterator slot);

  mutable std::mutex mutex_;
  size_t max_bytes_;
  size_t bytes_ = 0;
  std::list<Slot> slots_;  // most recently used first
  std::unordered_map<std::string, std::list<Slot>::iterator> by_path_;
};

// Where this room reads from. Cheap to copy; what it points to outlives every reader made with it.
struct ReadContext {
  io::FileSystem* files = nullptr;
  ManifestCache* cache = nullptr;  // null: none
};

}  // namespace iceblink::table
