// FileSystem on the local disk, on POSIX calls.
//
// A file is written under a hidden name beside its own (".<name>.<random>.tmp") and renamed on
// Close: rename(2) replaces, renameat2(RENAME_NOREPLACE) or link(2) refuses to. With Options::sync,
// Close returns after fsync of file and folder.
#pragma once

#include "io/file_system.h"

namespace iceblink::io {

class LocalFileSystem final : public FileSystem {
 public:
  struct Options {
    bool sync = true;  // survive a power failure, not only a crash of the process
  };
  LocalFileSystem() : LocalFileSystem(Options{}) {}
  explicit LocalFileSystem(Options options) : options_(options) {}

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
  Options options_;
};

}  // namespace iceblink::io
