// ObjectStore: what object stores (S3, Google Cloud Storage, Azure Blob Storage) have in common.
// ObjectFileSystem makes locations, parallel reads and Iceberg's error words of it. The one
// implementation is over Arrow's file systems, in a module of its own (object_store_module.h).
//
// Folders are what keys with a common prefix up to a slash look like; some stores keep empty
// objects whose keys end with a slash for them. Errors carry the store's own words: kNotFound,
// kAlreadyExists (kCreateNew lost), kForbidden, kUnavailable (after the retries), kIo. Threads:
// safe from several; a writer belongs to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"
#include "io/sigv4.h"

namespace iceblink::io {

struct ObjectName {
  std::string bucket;  // of Azure: "container@account.dfs.core.windows.net"
  std::string key;
};

struct ObjectInfo {
  std::string key;  // of a folder: without the slash at its end
  int64_t size = 0;
  int64_t modified_ms = 0;
  bool is_folder = false;
};

struct ObjectStart {
  std::string bytes;
  int64_t object_size = 0;
};

// Where requests to a bucket of S3 go and what signs them, as of now.
struct S3Access {
  std::string endpoint;  // "https://s3.eu-west-1.amazonaws.com"
  bool bucket_in_host = false;
  std::string region;
  AwsCredentials credentials;  // without a key: requests are not signed
};

// An object under way. The store sends large ones in parts while they are written.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;  // without Close nothing becomes visible
  virtual Status Append(std::string_view bytes) = 0;
  // Makes the object visible, whole. Call once.
  virtual Status Close() = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // One request.
  virtual Result<int64_t> Size(const ObjectName& name) = 0;
  // One request: fills `out` with `count` bytes from `offset` of an object of `size` bytes.
  // kCorrupt when the object is shorter than that.
  virtual Status Read(const ObjectName& name, int64_t size, int64_t offset, size_t count,
                      char* out) = 0;
  // The object's size and its bytes up to `most`, for the time of one request.
  virtual Result<ObjectStart> ReadStart(const ObjectName& name, size_t most) = 0;
  // kCreateNew is sure among the writers of one process only; io/create_once.h does better.
  virtual Result<std::unique_ptr<ObjectWriter>> Create(const ObjectName& name, WriteMode mode) = 0;
  // A missing object counts as deleted.
  virtual Status Delete(const ObjectName& name) = 0;
  // An object or a folder; kNotFound when neither is there.
  virtual Result<ObjectInfo> Stat(const ObjectName& name) = 0;
  // The objects below a folder, or the objects and folders directly in it. A missing folder is
  // empty.
  virtual Status List(const ObjectName& folder, bool recursive,
                      const std::function<Status(const ObjectInfo&)>& visit) = 0;
  virtual Status CreateFolder(const ObjectName& folder) = 0;
  // With all that is in it; a missing one counts as deleted.
  virtual Status DeleteFolder(const ObjectName& folder) = 0;
  // For requests that this interface lacks. kUnsupported when the store is not S3.
  virtual Result<S3Access> Access(const std::string& bucket) = 0;
};

}  // namespace iceblink::io
