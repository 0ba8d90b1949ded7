// ObjectStore: what object stores (S3, Google Cloud Storage, Azure Blob Storage) have in common, in
// requests: each method is one, but for those that say otherwise. ObjectFileSystem makes folders,
// files and Iceberg's error words of it.
//
// Errors carry the store's own words: kNotFound, kAlreadyExists (kCreateNew lost), kForbidden,
// kUnavailable (after the retries), kIo. Threads: safe from several.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace iceblink::io {

struct ObjectName {
  std::string bucket;
  std::string key;
};

struct ObjectInfo {
  std::string key;
  int64_t size = 0;
  int64_t modified_ms = 0;
  bool is_prefix = false;  // of a listing by delimiter: the key ends with a slash
};

struct ObjectRange {
  std::string bytes;
  int64_t object_size = 0;
};

// An object under way in parts. Put may be called from several threads at once.
class MultipartUpload {
 public:
  virtual ~MultipartUpload() = default;  // does not abort
  // `number` counts from 1.
  virtual Status Put(int number, std::string_view bytes) = 0;
  // Makes the object visible; kAlreadyExists as the mode says.
  virtual Status Complete() = 0;
  virtual void Abort() = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  virtual Result<ObjectInfo> Head(const ObjectName& name) = 0;
  // Bytes from `offset`, at most `count`, fewer at the object's end. A negative offset counts from
  // the end: (-8, 8) are the last eight bytes, or the whole of a smaller object.
  virtual Result<ObjectRange> Get(const ObjectName& name, int64_t offset, int64_t count) = 0;
  virtual Status Put(const ObjectName& name, std::string_view bytes, WriteMode mode) = 0;
  virtual Result<std::unique_ptr<MultipartUpload>> StartUpload(const ObjectName& name,
                                                               WriteMode mode) = 0;
  // A missing object counts as deleted.
  virtual Status Delete(const ObjectName& name) = 0;
  // Some requests. `failed` hears of each key that stays.
  virtual void DeleteMany(const std::string& bucket, const std::vector<std::string>& keys,
                          const std::function<void(const std::string&, const Error&)>& failed) = 0;
  // Some requests. Keys that begin with `prefix`; with a delimiter, what lies directly below and
  // the prefixes up to the next delimiter. `limit` keys at most when it is not 0.
  virtual Status List(const std::string& bucket, const std::string& prefix, bool recursive,
                      int limit, const std::function<Status(const ObjectInfo&)>& visit) = 0;

  // Bytes of one part of an upload, and above which size an object goes up in parts.
  virtual int64_t part_size() const = 0;
  virtual int64_t multipart_threshold() const = 0;
};

}  // namespace iceblink::io
