#include "io/object_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "io/object_reader.h"

namespace iceblink::io {
namespace {

constexpr int64_t kCopyLimit = int64_t{1} << 30;

// Iceberg's words for an object that cannot be read.
Error InPlainWords(Error error, const std::string& path) {
  if (error.code == ErrorCode::kNotFound && error.exception == "NotFoundException")
    error.message = fmt::format("Failed to open input stream for file: {}", path);
  if (error.code == ErrorCode::kAlreadyExists)
    error.message = fmt::format("File already exists: {}", path);
  return error;
}

class ObjectOutputFile final : public OutputFile {
 public:
  ObjectOutputFile(std::string path, std::unique_ptr<ObjectWriter> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}
  const std::string& path() const override { return path_; }
  int64_t position() const override { return position_; }
  Status Append(std::string_view bytes) override {
    position_ += static_cast<int64_t>(bytes.size());
    return Shown(writer_->Append(bytes));
  }
  Status Close() override { return Shown(writer_->Close()); }

 private:
  Status Shown(Status status) const {
    if (!status) return Fail(InPlainWords(status.error(), path_));
    return {};
  }

  const std::string path_;
  const std::unique_ptr<ObjectWriter> writer_;
  int64_t position_ = 0;
};

// For kCreateNew.
class OnceWriter final : public ObjectWriter {
 public:
  OnceWriter(const CreateOnce& create, ObjectName name) : create_(create), name_(std::move(name)) {}
  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  Status Close() override { return create_(name_, bytes_); }

 private:
  const CreateOnce& create_;
  const ObjectName name_;
  std::string bytes_;
};

}  // namespace

Result<ObjectName> ParseObjectLocation(std::string_view location) {
  const size_t scheme = location.find("://");
  const std::string_view rest =
      scheme == std::string_view::npos ? std::string_view() : location.substr(scheme + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  if (slash == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid S3 URI, cannot determine bucket: {}", location),
                "ValidationException");
  }
  const std::string_view key = rest.substr(std::min(slash + 1, rest.size()));
  return ObjectName{std::string(rest.substr(0, slash)), std::string(key)};
}

Result<std::unique_ptr<RandomAccessFile>> ObjectFileSystem::OpenRead(const std::string& path) {
  ASSIGN_OR_RETURN(ObjectName name, ParseObjectLocation(path));
  auto file = ObjectReader::Open(store_, path, std::move(name));
  if (!file) return Fail(InPlainWords(file.error(), path));
  return std::move(*file);
}

Result<std::unique_ptr<RandomAccessFile>> ObjectFileSystem::OpenSized(const std::string& path,
                                                                      int64_t size) {
  ASSIGN_OR_RETURN(ObjectName name, ParseObjectLocation(path));
  return std::make_unique<ObjectReader>(store_, path, std::move(name), size, &segments_);
}

Result<std::unique_ptr<OutputFile>> ObjectFileSystem::Create(const std::string& path,
                                                             WriteMode mode) {
  ASSIGN_OR_RETURN(ObjectName name, ParseObjectLocation(path));
  if (mode == WriteMode::kCreateNew && create_once_) {
    auto writer = std::make_unique<OnceWriter>(create_once_, std::move(name));
    return std::make_unique<ObjectOutputFile>(path, std::move(writer));
  }
  auto writer = store_->Create(name, mode);
  if (!writer) return Fail(InPlainWords(writer.error(), path));
  return std::make_unique<ObjectOutputFile>(path, std::move(*writer));
}

Status ObjectFileSystem::RenameNoReplace(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const FileInfo info, Stat(from));
  if (info.size > kCopyLimit) {
    return Fail(ErrorCode::kUnsupported, fmt::format("Cannot rename: {} is too large", from),
                "UnsupportedOperationException");
  }
  ASSIGN_OR_RETURN(const std::string bytes, ReadAll(from));
  RETURN_IF_ERROR(WriteAll(to, bytes, WriteMode::kCreateNew));
  return Delete(from);
}

Status ObjectFileSystem::Delete(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName name, ParseObjectLocation(path));
  return store_->Delete(name);
}

Result<FileInfo> ObjectFileSystem::Stat(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName name, ParseObjectLocation(path));
  const auto info = store_->Stat(name);
  if (!info) return Fail(InPlainWords(info.error(), path));
  return FileInfo{path, info->size, info->modified_ms, info->is_folder};
}

Status ObjectFileSystem::List(const std::string& path, bool recursive,
                              const std::function<Status(const FileInfo&)>& visit) {
  ASSIGN_OR_RETURN(const ObjectName folder, ParseObjectLocation(path));
  const std::string root = path.substr(0, path.find("://") + 3) + folder.bucket + "/";
  return store_->List(folder, recursive, [&](const ObjectInfo& info) -> Status {
    return visit({root + info.key, info.size, info.modified_ms, info.is_folder});
  });
}

Status ObjectFileSystem::CreateDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName folder, ParseObjectLocation(path));
  return folder.key.empty() ? Status{} : store_->CreateFolder(folder);
}

Status ObjectFileSystem::DeleteDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName folder, ParseObjectLocation(path));
  return store_->DeleteFolder(folder);
}

size_t ObjectFileSystem::DeleteMany(
    const std::vector<std::string>& paths,
    const std::function<void(const std::string&, const Error&)>& failed) {
  std::mutex mutex;
  size_t left = 0;
  const Status done = IoThreads().ParallelFor(paths.size(), [&](size_t i) -> Status {
    if (const Status status = Delete(paths[i]); !status) {
      const std::lock_guard lock(mutex);
      left++;
      if (failed) failed(paths[i], status.error());
    }
    return {};
  });
  return done ? paths.size() - left : 0;
}

}  // namespace iceblink::io
