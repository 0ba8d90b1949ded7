// ObjectReader: reads of one object, in as few requests as may be.
//
// The first read of an object of up to a mebibyte fetches all of it; the first read near the end of
// a larger one fetches its tail, where Parquet keeps the footer. What was fetched so stays with the
// reader and, for files whose size metadata states and which therefore never change, in a cache of
// bounded size that readers of one file system share. Reads of more than a piece go out as parallel
// pieces. Threads: safe from several.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/thread_pool.h"
#include "io/file_system.h"
#include "io/object_store.h"

namespace iceblink::io {

// Bytes of an object from `offset` on.
struct ObjectSegment {
  int64_t offset = 0;
  std::string bytes;
};
using ObjectSegmentPtr = std::shared_ptr<const ObjectSegment>;

// The least recently used go when the bytes exceed the capacity. Safe from several threads.
class SegmentCache {
 public:
  explicit SegmentCache(size_t capacity = size_t{64} << 20) : capacity_(capacity) {}
  ObjectSegmentPtr Find(const std::string& path);  // null when there is none
  void Insert(const std::string& path, ObjectSegmentPtr segment);

 private:
  struct Entry {
    ObjectSegmentPtr segment;
    std::list<std::string>::iterator age;
  };
  std::mutex mutex_;
  const size_t capacity_;
  size_t bytes_ = 0;
  std::map<std::string, Entry> entries_;
  std::list<std::string> ages_;  // latest use first
};

class ObjectReader final : public RandomAccessFile {
 public:
  // `cache` (may be null) outlives the reader.
  ObjectReader(std::shared_ptr<ObjectStore> store, std::string path, ObjectName name, int64_t size,
               SegmentCache* cache, ObjectSegmentPtr segment = nullptr);
  // Learns the size, and of a small object all of it, in the time of one request.
  static Result<std::unique_ptr<RandomAccessFile>> Open(std::shared_ptr<ObjectStore> store,
                                                        std::string path, ObjectName name);

  const std::string& path() const override { return path_; }
  int64_t size() const override { return size_; }
  Status ReadAt(int64_t offset, size_t count, char* out) const override;

 private:
  Result<ObjectSegmentPtr> FirstSegment(int64_t offset) const;
  Status Fetch(int64_t begin, int64_t end, char* out) const;
  Status FetchPiece(int64_t begin, int64_t end, char* out) const;

  const std::shared_ptr<ObjectStore> store_;
  const std::string path_;
  const ObjectName name_;
  const int64_t size_;
  SegmentCache* const cache_;
  mutable std::mutex mutex_;
  mutable ObjectSegmentPtr segment_;
};

// Threads that wait for object stores rather than compute: as many requests may be on their way.
inline constexpr size_t kRequestsInFlight = 32;
ThreadPool& IoThreads();
// Whether reads of the location wait for a network.
bool IsRemote(std::string_view location);
// The threads for reading many files like this one: IoThreads, or of local files the processors'.
ThreadPool& ThreadsFor(std::string_view location);

}  // namespace iceblink::io
