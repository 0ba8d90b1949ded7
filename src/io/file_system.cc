#include "io/file_system.h"

#include <fmt/format.h>

#include <cctype>

#include "base/strings.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"

namespace iceblink::io {

size_t FileSystem::DeleteMany(const std::vector<std::string>& paths,
                              const std::function<void(const std::string&, const Error&)>& failed) {
  size_t deleted = 0;
  for (const std::string& path : paths) {
    const Status status = Delete(path);
    if (status || status.error().code == ErrorCode::kNotFound) {
      deleted++;
    } else if (failed) {
      failed(path, status.error());
    }
  }
  return deleted;
}

Result<std::string> FileSystem::ReadAll(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, OpenRead(path));
  std::string bytes(static_cast<size_t>(file->size()), '\0');
  RETURN_IF_ERROR(file->ReadAt(0, bytes.size(), bytes.data()));
  return bytes;
}

Status FileSystem::WriteAll(const std::string& path, std::string_view bytes, WriteMode mode) {
  ASSIGN_OR_RETURN(const auto file, Create(path, mode));
  RETURN_IF_ERROR(file->Append(bytes));
  return file->Close();
}

Result<bool> FileSystem::Exists(const std::string& path) {
  const auto info = Stat(path);
  if (info) return true;
  if (info.error().code == ErrorCode::kNotFound) return false;
  return Fail(info.error());
}

SchemeRouter::SchemeRouter() {
  const auto local = std::make_shared<LocalFileSystem>();
  by_scheme_ = {{"", local}, {"file", local}, {"memory", std::make_shared<MemoryFileSystem>()}};
}

void SchemeRouter::Register(const std::string& scheme, std::shared_ptr<FileSystem> file_system) {
  const std::lock_guard lock(mutex_);
  auto& slot = by_scheme_[scheme];
  if (slot) replaced_.push_back(slot);
  slot = std::move(file_system);
}

Result<FileSystem*> SchemeRouter::Resolve(std::string_view path) {
  const std::string scheme = AsciiLower(Scheme(path));
  const std::lock_guard lock(mutex_);
  const auto it = by_scheme_.find(scheme);
  if (it == by_scheme_.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("No FileSystem for scheme \"{}\": {}", scheme, path),
                "UnsupportedFileSystemException");
  }
  return it->second.get();
}

Result<std::unique_ptr<RandomAccessFile>> RoutedFileSystem::OpenRead(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->OpenRead(path);
}

Result<std::unique_ptr<RandomAccessFile>> RoutedFileSystem::OpenSized(const std::string& path,
                                                                      int64_t size) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->OpenSized(path, size);
}

Result<std::unique_ptr<OutputFile>> RoutedFileSystem::Create(const std::string& path,
                                                             WriteMode mode) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->Create(path, mode);
}

Status RoutedFileSystem::RenameNoReplace(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(from));
  ASSIGN_OR_RETURN(const FileSystem* target, Resolve(to));
  if (files != target) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot rename across file systems: {} to {}", from, to));
  }
  return files->RenameNoReplace(from, to);
}

Status RoutedFileSystem::Delete(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->Delete(path);
}

Result<FileInfo> RoutedFileSystem::Stat(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->Stat(path);
}

Status RoutedFileSystem::List(const std::string& path, bool recursive,
                              const std::function<Status(const FileInfo&)>& visit) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->List(path, recursive, visit);
}

Status RoutedFileSystem::CreateDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->CreateDirectory(path);
}

Status RoutedFileSystem::DeleteDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem * files, Resolve(path));
  return files->DeleteDirectory(path);
}

size_t RoutedFileSystem::DeleteMany(
    const std::vector<std::string>& paths,
    const std::function<void(const std::string&, const Error&)>& failed) {
  // Object stores delete a thousand keys per request, so each gets its paths in one call.
  std::map<FileSystem*, std::vector<std::string>> groups;
  for (const std::string& path : paths) {
    const auto files = Resolve(path);
    if (files) {
      groups[*files].push_back(path);
    } else if (failed) {
      failed(path, files.error());
    }
  }
  size_t deleted = 0;
  for (const auto& [files, group] : groups) deleted += files->DeleteMany(group, failed);
  return deleted;
}

SchemeRouter& DefaultFileSystem() {
  static auto* router =
      new SchemeRouter;  // never destroyed: files may be open during static destruction
  return *router;
}

std::string_view Scheme(std::string_view path) {
  size_t end = 0;
  while (end < path.size() && (std::isalnum(static_cast<unsigned char>(path[end])) ||
                               path[end] == '+' || path[end] == '-' || path[end] == '.')) {
    end++;
  }
  const bool is_scheme = end > 1 && end + 1 < path.size() && path[end] == ':' &&
                         path[end + 1] == '/' && std::isalpha(static_cast<unsigned char>(path[0]));
  return is_scheme ? path.substr(0, end) : std::string_view();
}

std::string LocalPath(std::string_view location) {
  if (!EqualsIgnoreCase(Scheme(location), "file")) return std::string(location);
  location.remove_prefix(5);
  if (location.starts_with("//")) {
    location.remove_prefix(2);
    const size_t slash = location.find('/');  // skips an authority such as localhost
    location = slash == std::string_view::npos ? "/" : location.substr(slash);
  }
  return std::string(location);
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  while (!name.empty() && name.front() == '/') name.remove_prefix(1);
  std::string out(folder);
  if (!out.empty() && out.back() != '/') out += '/';
  out += name;
  return out;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace iceblink::io
