// Where bytes live: a small interface over local disk, memory and (later) object stores.
//
// A location is a URI or a plain path ("s3://b/k", "file:///w/t", "file:/w/t", "/w/t",
// "memory://x/y"). Files are written once: a file becomes visible under its name when Close
// succeeds, whole or not at all, and is never changed after. Folders are not managed by callers:
// writing creates parents on demand, as an object store would need none.
//
// Ownership: a FileSystem outlives the files it opened. Threads: FileSystem and RandomAccessFile
// are safe from several threads, an OutputFile belongs to one.
//
// Errors: kNotFound (NotFoundException, "Failed to open input stream for file: <path>") for a
// missing file, kAlreadyExists (AlreadyExistsException) where a name is taken, kForbidden for
// missing rights, kIo with path and cause for the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iceblink::io {

struct FileInfo {
  std::string path;  // in the form of the location asked for: same scheme and slashes
  int64_t size = 0;
  int64_t modified_ms = 0;
  bool is_directory = false;
};

class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual const std::string& path() const = 0;
  virtual int64_t size() const = 0;
  // Fills `out` with exactly `count` bytes from `offset`; kCorrupt when the file ends before.
  virtual Status ReadAt(int64_t offset, size_t count, char* out) const = 0;
};

class OutputFile {
 public:
  // Without a successful Close nothing stays behind.
  virtual ~OutputFile() = default;
  virtual const std::string& path() const = 0;
  virtual Status Append(std::string_view bytes) = 0;
  // Bytes appended so far.
  virtual int64_t position() const = 0;
  // Makes the bytes durable and the name visible. kAlreadyExists when kCreateNew lost to another
  // writer. Call once.
  virtual Status Close() = 0;
};

enum class WriteMode : uint8_t {
  kCreateNew,  // fails when the name is taken, atomically: of two writers one wins
  kReplace,    // the old content stays readable until Close
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) = 0;
  // The same for a file whose size metadata states: an object store then asks nothing before the
  // first read, so a missing file may show only there.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenSized(const std::string& path,
                                                              int64_t /*size*/) {
    return OpenRead(path);
  }
  virtual Result<std::unique_ptr<OutputFile>> Create(const std::string& path, WriteMode mode) = 0;
  // Gives `from` the name `to`; kAlreadyExists when `to` exists (of two renames to one name exactly
  // one wins).
  virtual Status RenameNoReplace(const std::string& from, const std::string& to) = 0;
  // Deletes a file. kNotFound when there is none; an object store, which does not say, succeeds.
  virtual Status Delete(const std::string& path) = 0;
  // File or folder; kNotFound when neither is there. An object store answers for a folder when a
  // key starts with it.
  virtual Result<FileInfo> Stat(const std::string& path) = 0;
  // Visits every file below the folder `path` (recursive), or its files and folders (not
  // recursive), in no promised order; an error of `visit` stops and is returned. A missing folder
  // is empty.
  virtual Status List(const std::string& path, bool recursive,
                      const std::function<Status(const FileInfo&)>& visit) = 0;
  // Makes an empty folder visible to Stat and List; its parents too. Succeeds when it exists.
  virtual Status CreateDirectory(const std::string& path) = 0;
  // Deletes a folder and all that is in it. Succeeds when it is not there.
  virtual Status DeleteDirectory(const std::string& path) = 0;

  // Deletes files; missing ones count as deleted. `failed` (may be empty) hears of each file that
  // stays. Returns the number deleted.
  virtual size_t DeleteMany(const std::vector<std::string>& paths,
                            const std::function<void(const std::string&, const Error&)>& failed);

  // The file's bytes.
  Result<std::string> ReadAll(const std::string& path);
  // A file of these bytes.
  Status WriteAll(const std::string& path, std::string_view bytes, WriteMode mode);
  // Whether a file or folder of this name exists.
  Result<bool> Exists(const std::string& path);
};

// Sends each location to another file system. Safe from several threads when Resolve is.
class RoutedFileSystem : public FileSystem {
 public:
  // kUnsupported when nobody serves the location. The pointer lives as long as the router.
  virtual Result<FileSystem*> Resolve(std::string_view path) = 0;

  Result<std::unique_ptr<RandomAccessFile>> OpenRead(const std::string& path) override;
  Result<std::unique_ptr<RandomAccessFile>> OpenSized(const std::string& path,
                                                      int64_t size) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& path, WriteMode mode) override;
  Status RenameNoReplace(const std::string& from, const std::string& to) override;
  Status Delete(const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Status List(const std::string& path, bool recursive,
              const std::function<Status(const FileInfo&)>& visit) override;
  Status CreateDirectory(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;
  size_t DeleteMany(const std::vector<std::string>& paths,
                    const std::function<void(const std::string&, const Error&)>& failed) override;
};

// By scheme. Schemes "" and "file" are the local disk and "memory" one MemoryFileSystem per router
// from the start; more are added with Register. Safe from several threads.
class SchemeRouter final : public RoutedFileSystem {
 public:
  SchemeRouter();
  // `scheme` without "://", lower case. Replaces an earlier one.
  void Register(const std::string& scheme, std::shared_ptr<FileSystem> file_system);
  Result<FileSystem*> Resolve(std::string_view path) override;

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<FileSystem>, std::less<>> by_scheme_;
  std::vector<std::shared_ptr<FileSystem>> replaced_;  // Resolve's pointers stay valid
};

// The router of the process; lives until exit.
SchemeRouter& DefaultFileSystem();

// "s3" of "s3://b/k", "file" of "file:/x", "" of "/x" and "x". A single letter is no scheme.
std::string_view Scheme(std::string_view path);
// The path of a local location: "/w/t" of "file:///w/t", "file:/w/t", "file://localhost/w/t" and
// "/w/t".
std::string LocalPath(std::string_view location);
// Joins with exactly one slash between.
std::string JoinPath(std::string_view folder, std::string_view name);
// Text after the last slash.
std::string_view BaseName(std::string_view path);

}  // namespace iceblink::io
