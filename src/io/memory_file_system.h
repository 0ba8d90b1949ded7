// FileSystem in memory, for tests and catalogs without a disk. Behaves like an object store that
// also keeps empty folders. Any scheme is accepted: the whole location is the key.
#pragma once

#include <set>
#include <shared_mutex>

#include "base/clock.h"
#include "io/file_system.h"

namespace iceblink::io {

class MemoryFileSystem final : public FileSystem {
 public:
  // `clock` gives modification times and must outlive the file system.
  explicit MemoryFileSystem(const Clock& clock = SystemClock()) : clock_(clock) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& path, WriteMode mode) override;
  Status RenameNoReplace(const std::string& from, const std::string& to) override;
  Status Delete(const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Status List(const std::string& path, bool recursive,
              const std::function<Status(const FileInfo&)>& visit) override;
  Status CreateDirectory(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;

 private:
  friend class MemoryOutputFile;
  struct Entry {
    std::shared_ptr<const std::string> bytes;
    int64_t modified_ms = 0;
  };
  Status Publish(const std::string& path, std::string bytes, WriteMode mode);

  const Clock& clock_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Entry, std::less<>> files_;
  std::set<std::string, std::less<>> folders_;  // made by CreateDirectory, no trailing slash
};

}  // namespace iceblink::io
