#include "io/object_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "io/object_reader.h"

namespace iceblink::io {
namespace {

constexpr size_t kPartsInFlight = 4;
constexpr int64_t kCopyLimit = int64_t{1} << 30;

std::string FolderKey(std::string key) {
  if (!key.empty() && key.back() != '/') key += '/';
  return key;
}

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
  ObjectOutputFile(std::shared_ptr<ObjectStore> store, std::string path, ObjectName name,
                   WriteMode mode)
      : store_(std::move(store)), path_(std::move(path)), name_(std::move(name)), mode_(mode) {}
  ~ObjectOutputFile() override {
    Wait(0);
    if (upload_ != nullptr && !closed_) upload_->Abort();
  }
  const std::string& path() const override { return path_; }
  int64_t position() const override { return position_; }

  Status Append(std::string_view bytes) override {
    position_ += static_cast<int64_t>(bytes.size());
    buffer_ += bytes;
    if (upload_ == nullptr && position_ <= store_->multipart_threshold()) return {};
    const auto part = static_cast<size_t>(store_->part_size());
    while (buffer_.size() >= part) {
      std::string rest = buffer_.substr(part);
      buffer_.resize(part);
      RETURN_IF_ERROR(SendPart());
      buffer_ = std::move(rest);
    }
    return {};
  }

  Status Close() override {
    if (upload_ == nullptr) return Shown(store_->Put(name_, buffer_, mode_));
    if (!buffer_.empty()) RETURN_IF_ERROR(SendPart());
    RETURN_IF_ERROR(Wait(0));
    RETURN_IF_ERROR(Shown(upload_->Complete()));
    closed_ = true;
    return {};
  }

 private:
  Status Shown(Status status) const {
    if (!status) return Fail(InPlainWords(status.error(), path_));
    return {};
  }

  // Sends the buffer in the background; waits while too many are on their way.
  Status SendPart() {
    if (upload_ == nullptr) {
      auto upload = store_->StartUpload(name_, mode_);
      if (!upload) return Fail(InPlainWords(upload.error(), path_));
      upload_ = std::move(*upload);
    }
    RETURN_IF_ERROR(Wait(kPartsInFlight - 1));
    auto bytes = std::make_shared<std::string>(std::move(buffer_));
    buffer_.clear();
    auto done = std::make_shared<std::promise<Status>>();
    in_flight_.push_back(done->get_future());
    IoThreads().Submit([upload = upload_.get(), number = ++parts_, bytes, done] {
      done->set_value(upload->Put(number, *bytes));
    });
    return {};
  }

  // Until at most `most` parts are on their way. The first failure stays the file's.
  Status Wait(size_t most) {
    while (in_flight_.size() > most) {
      Status status = in_flight_.front().get();
      in_flight_.erase(in_flight_.begin());
      if (!status && !failure_) failure_ = status.error();
    }
    if (failure_) return Fail(InPlainWords(*failure_, path_));
    return {};
  }

  const std::shared_ptr<ObjectStore> store_;
  const std::string path_;
  const ObjectName name_;
  const WriteMode mode_;
  std::string buffer_;
  int64_t position_ = 0;
  std::unique_ptr<MultipartUpload> upload_;
  int parts_ = 0;
  std::vector<std::future<Status>> in_flight_;
  std::optional<Error> failure_;
  bool closed_ = false;
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
  return std::make_unique<ObjectOutputFile>(store_, path, std::move(name), mode);
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
  if (!name.key.empty() && name.key.back() != '/') {
    const auto info = store_->Head(name);
    if (info) return FileInfo{path, info->size, info->modified_ms, false};
    if (info.error().code != ErrorCode::kNotFound) return Fail(info.error());
  }
  bool found = false;
  RETURN_IF_ERROR(
      store_->List(name.bucket, FolderKey(name.key), true, 1, [&](const ObjectInfo&) -> Status {
        found = true;
        return {};
      }));
  if (found) return FileInfo{path, 0, 0, true};
  return Fail(ErrorCode::kNotFound, fmt::format("Failed to open input stream for file: {}", path),
              "NotFoundException");
}

Status ObjectFileSystem::List(const std::string& path, bool recursive,
                              const std::function<Status(const FileInfo&)>& visit) {
  ASSIGN_OR_RETURN(const ObjectName name, ParseObjectLocation(path));
  const std::string prefix = FolderKey(name.key);
  const std::string root = path.substr(0, path.find("://") + 3) + name.bucket + "/";
  return store_->List(name.bucket, prefix, recursive, 0, [&](const ObjectInfo& info) -> Status {
    if (info.key == prefix) return {};  // the folder's own mark
    const bool is_folder = info.is_prefix || info.key.ends_with('/');
    if (is_folder && recursive) return {};
    std::string shown = root + info.key;
    if (is_folder) shown.pop_back();
    return visit({std::move(shown), info.size, info.modified_ms, is_folder});
  });
}

Status ObjectFileSystem::CreateDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName name, ParseObjectLocation(path));
  if (name.key.empty()) return {};
  return store_->Put({name.bucket, FolderKey(name.key)}, "", WriteMode::kReplace);
}

Status ObjectFileSystem::DeleteDirectory(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectName name, ParseObjectLocation(path));
  std::vector<std::string> keys;
  RETURN_IF_ERROR(store_->List(name.bucket, FolderKey(name.key), true, 0,
                               [&](const ObjectInfo& info) -> Status {
                                 keys.push_back(info.key);
                                 return {};
                               }));
  std::optional<Error> failure;
  store_->DeleteMany(name.bucket, keys,
                     [&](const std::string&, const Error& error) { failure = error; });
  if (failure) return Fail(*failure);
  return {};
}

size_t ObjectFileSystem::DeleteMany(
    const std::vector<std::string>& paths,
    const std::function<void(const std::string&, const Error&)>& failed) {
  std::map<std::string, std::map<std::string, std::string>> buckets;  // key to path as given
  size_t left = 0;
  const auto fail = [&](const std::string& path, const Error& error) {
    left++;
    if (failed) failed(path, error);
  };
  for (const std::string& path : paths) {
    auto name = ParseObjectLocation(path);
    if (name)
      buckets[name->bucket][name->key] = path;
    else
      fail(path, name.error());
  }
  for (const auto& [bucket, objects] : buckets) {
    std::vector<std::string> keys;
    for (const auto& [key, path] : objects) keys.push_back(key);
    store_->DeleteMany(bucket, keys, [&](const std::string& key, const Error& error) {
      const auto it = objects.find(key);
      fail(it == objects.end() ? key : it->second, error);
    });
  }
  return paths.size() - left;
}

}  // namespace iceblink::io
