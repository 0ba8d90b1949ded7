#include "io/memory_file_system.h"

#include <fmt/format.h>

#include <cstring>

namespace iceblink::io {
namespace {

tl::unexpected<Error> NotFound(std::string_view path) {
  return Fail(ErrorCode::kNotFound, fmt::format("Failed to open input stream for file: {}", path),
              "NotFoundException");
}

tl::unexpected<Error> Exists(std::string_view path) {
  return Fail(ErrorCode::kAlreadyExists, fmt::format("File already exists: {}", path),
              "AlreadyExistsException");
}

std::string WithoutTrailingSlash(const std::string& path) {
  return path.substr(0, path.find_last_not_of('/') + 1);
}

class MemoryReadFile final : public RandomAccessFile {
 public:
  MemoryReadFile(std::string path, std::shared_ptr<const std::string> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  int64_t size() const override { return static_cast<int64_t>(bytes_->size()); }
  Status ReadAt(int64_t offset, size_t count, char* out) const override {
    const auto start = static_cast<size_t>(offset);
    if (offset < 0 || start > bytes_->size() || count > bytes_->size() - start) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("Unexpected end of file {} at offset {}", path_, bytes_->size()),
                  "EOFException");
    }
    if (count > 0) std::memcpy(out, bytes_->data() + start, count);
    return {};
  }

 private:
  std::string path_;
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace

class MemoryOutputFile final : public OutputFile {
 public:
  MemoryOutputFile(MemoryFileSystem& files, std::string path, WriteMode mode)
      : files_(files), path_(std::move(path)), mode_(mode) {}
  const std::string& path() const override { return path_; }
  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  int64_t position() const override {
    return closed_size_ >= 0 ? closed_size_ : static_cast<int64_t>(bytes_.size());
  }
  Status Close() override {
    closed_size_ = static_cast<int64_t>(bytes_.size());
    return files_.Publish(path_, std::move(bytes_), mode_);
  }

 private:
  MemoryFileSystem& files_;
  std::string path_;
  WriteMode mode_;
  std::string bytes_;
  int64_t closed_size_ = -1;
};

Status MemoryFileSystem::Publish(const std::string& path, std::string bytes, WriteMode mode) {
  const std::unique_lock lock(mutex_);
  if (mode == WriteMode::kCreateNew && files_.contains(path)) return io::Exists(path);
  files_[path] = Entry{std::make_shared<const std::string>(std::move(bytes)), clock_.NowMillis()};
  return {};
}

Result<std::unique_ptr<RandomAccessFile>> MemoryFileSystem::OpenRead(const std::string& path) {
  const std::shared_lock lock(mutex_);
  const auto it = files_.find(path);
  if (it == files_.end()) return NotFound(path);
  return std::make_unique<MemoryReadFile>(path, it->second.bytes);
}

Result<std::unique_ptr<OutputFile>> MemoryFileSystem::Create(const std::string& path,
                                                             WriteMode mode) {
  const std::shared_lock lock(mutex_);
  if (mode == WriteMode::kCreateNew && files_.contains(path)) return io::Exists(path);
  return std::make_unique<MemoryOutputFile>(*this, path, mode);
}

Status MemoryFileSystem::RenameNoReplace(const std::string& from, const std::string& to) {
  const std::unique_lock lock(mutex_);
  const auto it = files_.find(from);
  if (it == files_.end()) return NotFound(from);
  if (files_.contains(to)) return io::Exists(to);
  files_[to] = std::move(it->second);
  files_.erase(from);
  return {};
}

Status MemoryFileSystem::Delete(const std::string& path) {
  const std::unique_lock lock(mutex_);
  if (files_.erase(path) == 0) return NotFound(path);
  return {};
}

Result<FileInfo> MemoryFileSystem::Stat(const std::string& path) {
  const std::shared_lock lock(mutex_);
  const auto it = files_.find(path);
  if (it != files_.end()) {
    return FileInfo{path, static_cast<int64_t>(it->second.bytes->size()), it->second.modified_ms,
                    false};
  }
  const std::string folder = WithoutTrailingSlash(path), prefix = folder + "/";
  const auto file = files_.lower_bound(prefix);
  const auto child = folders_.lower_bound(prefix);
  const bool is_folder = folders_.contains(folder) ||
                         (file != files_.end() && file->first.starts_with(prefix)) ||
                         (child != folders_.end() && child->starts_with(prefix));
  if (!is_folder) return NotFound(path);
  return FileInfo{path, 0, 0, true};
}

Status MemoryFileSystem::List(const std::string& path, bool recursive,
                              const std::function<Status(const FileInfo&)>& visit) {
  const std::string prefix = WithoutTrailingSlash(path) + "/";
  std::map<std::string, FileInfo> found;
  {
    const std::shared_lock lock(mutex_);
    const auto add_folder = [&](const std::string& key) {
      const std::string name = key.substr(0, key.find('/', prefix.size()));
      found.try_emplace(name, FileInfo{name, 0, 0, true});
    };
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix);
         ++it) {
      if (!recursive && it->first.find('/', prefix.size()) != std::string::npos) {
        add_folder(it->first);
      } else {
        const auto size = static_cast<int64_t>(it->second.bytes->size());
        found.try_emplace(it->first, FileInfo{it->first, size, it->second.modified_ms, false});
      }
    }
    for (auto it = folders_.lower_bound(prefix);
         !recursive && it != folders_.end() && it->starts_with(prefix); ++it) {
      add_folder(*it);
    }
  }
  for (const auto& [name, info] : found)
    RETURN_IF_ERROR(visit(info));  // unlocked: visit may delete
  return {};
}

Status MemoryFileSystem::CreateDirectory(const std::string& path) {
  const std::unique_lock lock(mutex_);
  folders_.insert(WithoutTrailingSlash(path));
  return {};
}

Status MemoryFileSystem::DeleteDirectory(const std::string& path) {
  const std::string folder = WithoutTrailingSlash(path), prefix = folder + "/";
  const std::unique_lock lock(mutex_);
  std::erase_if(files_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  std::erase_if(folders_, [&](const std::string& name) {
    return name == folder || name.starts_with(prefix);
  });
  return {};
}

}  // namespace iceblink::io
