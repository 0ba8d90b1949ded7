// ObjectFileSystem: files and folders over an ObjectStore, for locations "scheme://bucket/key".
//
// Reads: a file that is opened without a known size costs the time of one request, which mostly
// brings the whole of it; one of known size costs nothing until it is read. A read of many bytes
// goes out in parallel pieces. Writes: small files in one request at Close, large ones in parts
// that go up while the file is written; a file of kCreateNew is kept until then and goes up at
// once, exactly once. A file is visible when Close succeeds, never before.
// Threads: safe from several, an OutputFile belongs to one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/create_once.h"
#include "io/file_system.h"
#include "io/object_reader.h"
#include "io/object_store.h"

namespace iceblink::io {

class ObjectFileSystem final : public FileSystem {
 public:
  // Without `create_once`, kCreateNew is the store's own.
  explicit ObjectFileSystem(std::shared_ptr<ObjectStore> store, CreateOnce create_once = {})
      : store_(std::move(store)), create_once_(std::move(create_once)) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) override;
  Result<std::unique_ptr<RandomAccessFile>> OpenSized(const std::string& path,
                                                      int64_t size) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& path, WriteMode mode) override;
  // Copies, then deletes.
  Status RenameNoReplace(const std::string& from, const std::string& to) override;
  Status Delete(const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Status List(const std::string& path, bool recursive,
              const std::function<Status(const FileInfo&)>& visit) override;
  Status CreateDirectory(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;
  size_t DeleteMany(const std::vector<std::string>& paths,
                    const std::function<void(const std::string&, const Error&)>& failed) override;

 private:
  std::shared_ptr<ObjectStore> store_;
  CreateOnce create_once_;
  SegmentCache segments_;  // outlived by the store, outlives the files
};

// Bucket and key of a location. kInvalidArgument, ValidationException, when it has no bucket.
Result<ObjectName> ParseObjectLocation(std::string_view location);

}  // namespace iceblink::io
