#include "io/local_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/uuid.h"

namespace iceblink::io {
namespace {

// The error of a failed call on `path`; `doing` completes "Failed to ...".
Error ErrnoError(std::string_view doing, std::string_view path, int error) {
  const auto make = [&](ErrorCode code, const char* exception) {
    return Error::Make(code, fmt::format("Failed to {}: {}: {}", doing, path, std::strerror(error)),
                       exception);
  };
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Error::Make(ErrorCode::kNotFound,
                         fmt::format("Failed to open input stream for file: {}", path),
                         "NotFoundException");
    case EEXIST:
      return Error::Make(ErrorCode::kAlreadyExists, fmt::format("File already exists: {}", path),
                         "AlreadyExistsException");
    case EACCES:
    case EPERM:
    case EROFS:
      return make(ErrorCode::kForbidden, "RuntimeIOException");
    default:
      return make(ErrorCode::kIo, "RuntimeIOException");
  }
}

tl::unexpected<Error> FailErrno(std::string_view doing, std::string_view path) {
  return Fail(ErrnoError(doing, path, errno));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  int get() const { return fd_; }
  bool Close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

class LocalReadFile final : public RandomAccessFile {
 public:
  LocalReadFile(std::string path, FileDescriptor fd, int64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}
  const std::string& path() const override { return path_; }
  int64_t size() const override { return size_; }
  Status ReadAt(int64_t offset, size_t count, char* out) const override {
    while (count > 0) {
      const ssize_t got = ::pread(fd_.get(), out, count, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return FailErrno("read", path_);
      if (got == 0) {
        return Fail(ErrorCode::kCorrupt,
                    fmt::format("Unexpected end of file {} at offset {}", path_, offset),
                    "EOFException");
      }
      out += got;
      offset += got;
      count -= static_cast<size_t>(got);
    }
    return {};
  }

 private:
  std::string path_;
  FileDescriptor fd_;
  int64_t size_;
};

bool SyncFolder(const std::string& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd.get() >= 0 && ::fsync(fd.get()) == 0;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Gives the file its name only if that is free: renameat2 where the kernel and file system have it,
// else link and unlink.
int LinkNoReplace(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

class LocalOutputFile final : public OutputFile {
 public:
  LocalOutputFile(std::string path, std::string final_name, std::string temp_name,
                  FileDescriptor fd, WriteMode mode, bool sync)
      : path_(std::move(path)),
        final_name_(std::move(final_name)),
        temp_name_(std::move(temp_name)),
        fd_(std::move(fd)),
        mode_(mode),
        sync_(sync) {}
  ~LocalOutputFile() override {
    if (!temp_name_.empty()) ::unlink(temp_name_.c_str());
  }
  const std::string& path() const override { return path_; }
  int64_t position() const override { return position_; }

  Status Append(std::string_view bytes) override {
    position_ += static_cast<int64_t>(bytes.size());
    if (buffer_.size() + bytes.size() <= kBufferSize) {
      buffer_ += bytes;
      return {};
    }
    RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    if (bytes.size() >= kBufferSize) return Write(bytes);
    buffer_ = bytes;
    return {};
  }

  Status Close() override {
    RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    if (sync_ && ::fdatasync(fd_.get()) != 0) return FailErrno("write", path_);
    if (!fd_.Close()) return FailErrno("write", path_);
    const int error = mode_ == WriteMode::kCreateNew ? LinkNoReplace(temp_name_, final_name_)
                      : ::rename(temp_name_.c_str(), final_name_.c_str()) == 0 ? 0
                                                                               : errno;
    if (error != 0) return Fail(ErrnoError("create file", path_, error));
    temp_name_.clear();
    if (sync_ && !SyncFolder(FolderOf(final_name_))) return FailErrno("write", path_);
    return {};
  }

 private:
  static constexpr size_t kBufferSize = 64 * 1024;

  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return FailErrno("write", path_);
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return {};
  }

  std::string path_, final_name_, temp_name_;
  FileDescriptor fd_;
  WriteMode mode_;
  bool sync_;
  std::string buffer_;
  int64_t position_ = 0;
};

Status MakeFolders(const std::string& folder, const std::string& shown) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kIo,
              fmt::format("Failed to create directory: {}: {}", shown, error.message()),
              "RuntimeIOException");
}

FileInfo InfoOf(std::string path, const struct stat& st) {
  const int64_t millis = int64_t{st.st_mtim.tv_sec} * 1000 + st.st_mtim.tv_nsec / 1'000'000;
  const bool is_directory = S_ISDIR(st.st_mode);
  return FileInfo{std::move(path), is_directory ? 0 : int64_t{st.st_size}, millis, is_directory};
}

// `shown` is the folder in the caller's form, `real` the same for the kernel; neither ends with a
// slash.
Status Walk(const std::string& shown, const std::string& real, bool recursive,
            const std::function<Status(const FileInfo&)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(real.empty() ? "/" : real.c_str()),
                                                ::closedir);
  if (!dir) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return FailErrno("list", shown);
  }
  std::vector<std::string> folders;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat st{};
    if (::stat((real + "/" + name).c_str(), &st) != 0) continue;  // gone since, or a dangling link
    const FileInfo info = InfoOf(shown + "/" + name, st);
    if (recursive && info.is_directory) folders.push_back(name);
    if (!recursive || !info.is_directory) RETURN_IF_ERROR(visit(info));
  }
  for (const std::string& name : folders) {
    RETURN_IF_ERROR(Walk(shown + "/" + name, real + "/" + name, recursive, visit));
  }
  return {};
}

std::string WithoutTrailingSlash(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> LocalFileSystem::OpenRead(const std::string& path) {
  FileDescriptor fd(::open(LocalPath(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return FailErrno("open", path);
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return FailErrno("open", path);
  if (S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return FailErrno("open", path);
  }
  return std::make_unique<LocalReadFile>(path, std::move(fd), int64_t{st.st_size});
}

Result<std::unique_ptr<OutputFile>> LocalFileSystem::Create(const std::string& path,
                                                            WriteMode mode) {
  const std::string name = LocalPath(path);
  if (mode == WriteMode::kCreateNew && ::access(name.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return FailErrno("create file", path);
  }
  const std::string temp = fmt::format("{}/.{}.{}.tmp", FolderOf(name), BaseName(name), NewUuid());
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int fd = ::open(temp.c_str(), kFlags, 0666);
  if (fd < 0 && errno == ENOENT) {
    RETURN_IF_ERROR(MakeFolders(FolderOf(name), path));
    fd = ::open(temp.c_str(), kFlags, 0666);
  }
  if (fd < 0) {
    const int cause = errno;
    Error error = ErrnoError("create file", path, cause);
    if (error.code == ErrorCode::kNotFound)
      error.message = fmt::format("Failed to create file: {}: {}", path, std::strerror(cause));
    return Fail(std::move(error));
  }
  return std::make_unique<LocalOutputFile>(path, name, temp, FileDescriptor(fd), mode,
                                           options_.sync);
}

Status LocalFileSystem::RenameNoReplace(const std::string& from, const std::string& to) {
  const std::string target = LocalPath(to);
  RETURN_IF_ERROR(MakeFolders(FolderOf(target), to));
  const int error = LinkNoReplace(LocalPath(from), target);
  if (error != 0) return Fail(ErrnoError("rename to", error == ENOENT ? from : to, error));
  if (options_.sync && !SyncFolder(FolderOf(target))) return FailErrno("rename to", to);
  return {};
}

Status LocalFileSystem::Delete(const std::string& path) {
  if (::unlink(LocalPath(path).c_str()) != 0) return FailErrno("delete file", path);
  return {};
}

Result<FileInfo> LocalFileSystem::Stat(const std::string& path) {
  struct stat st{};
  if (::stat(LocalPath(path).c_str(), &st) != 0) return FailErrno("read status of", path);
  return InfoOf(path, st);
}

Status LocalFileSystem::List(const std::string& path, bool recursive,
                             const std::function<Status(const FileInfo&)>& visit) {
  return Walk(WithoutTrailingSlash(path), WithoutTrailingSlash(LocalPath(path)), recursive, visit);
}

Status LocalFileSystem::CreateDirectory(const std::string& path) {
  return MakeFolders(LocalPath(path), path);
}

Status LocalFileSystem::DeleteDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(LocalPath(path), error);
  if (!error || error == std::errc::no_such_file_or_directory) return {};
  return Fail(ErrnoError("delete directory", path, error.value()));
}

}  // namespace iceblink::io
