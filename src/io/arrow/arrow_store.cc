#include "io/arrow/arrow_store.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <random>

#include "io/arrow/arrow_errors.h"

namespace iceblink::io {
namespace {

namespace fs = ::arrow::fs;
using InputFile = std::shared_ptr<::arrow::io::RandomAccessFile>;

// Objects up to this are kept until Close and go up at once; it is Arrow's part of an upload.
constexpr size_t kWholeUpload = size_t{10} << 20;
// Parts that Arrow sends in the background are not bounded; so many bytes are on their way at most.
constexpr int64_t kUploadWindow = int64_t{64} << 20;
constexpr std::array kExceptions = {"S3Exception", "StorageException", "BlobStorageException"};

::arrow::Result<InputFile> OpenKnown(fs::FileSystem& files, const std::string& path, int64_t size) {
  fs::FileInfo info(path, fs::FileType::File);
  info.set_size(size);
  return files.OpenInputFile(info);
}

// Arrow's read of S3 claims to have filled the buffer however short the answer was. Marks the
// buffer's end before a read; a mark that is still there, twice, was not written over.
class EndMark {
 public:
  EndMark(char* out, size_t count) : size_(std::min(count, kMost)), end_(out + count - size_) {}
  void Set(bool inverted) {
    for (size_t i = 0; i < size_; i++) end_[i] = Byte(i, inverted);
  }
  bool IsThere(bool inverted) const {
    for (size_t i = 0; i < size_; i++) {
      if (end_[i] != Byte(i, inverted)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kMost = 16;
  static char Byte(size_t i, bool inverted) {
    static const std::array<char, kMost> mark = [] {
      std::random_device random;
      std::array<char, kMost> out;
      for (char& byte : out) byte = static_cast<char>(random());
      return out;
    }();
    return inverted ? static_cast<char>(~mark[i]) : mark[i];
  }
  const size_t size_;
  char* const end_;
};

// Of writers in this process one looks for an object and sends it at a time.
std::mutex& MutexOf(const ObjectName& name) {
  static std::array<std::mutex, 64> mutexes;
  return mutexes[std::hash<std::string>()(name.key) % mutexes.size()];
}

// Small objects are not begun before Close, for Azure shows them from then on.
class ArrowWriter final : public ObjectWriter {
 public:
  ArrowWriter(ArrowStore& store, ObjectName name, WriteMode mode)
      : store_(store), name_(std::move(name)), mode_(mode) {}
  // Arrow's streams close themselves, which would make half an object visible.
  ~ArrowWriter() override {
    if (stream_ == nullptr || stream_->closed()) return;
    (void)stream_->Flush();  // parts on their way would outlive the upload
    (void)stream_->Abort();
    if (!store_.aborts_uploads()) (void)store_.Delete(name_);
  }

  Status Append(std::string_view bytes) override {
    if (stream_ == nullptr) {
      buffer_ += bytes;
      return buffer_.size() < kWholeUpload ? Status{} : Begin();
    }
    RETURN_IF_ERROR(Send(bytes));
    if (since_flush_ < kUploadWindow) return {};
    since_flush_ = 0;
    return Shown(stream_->Flush());
  }

  Status Close() override {
    if (stream_ != nullptr) return Shown(stream_->Close());
    const std::lock_guard one_at_a_time(MutexOf(name_));
    RETURN_IF_ERROR(Begin());
    return Shown(stream_->Close());
  }

 private:
  Status Begin() {
    ASSIGN_OR_RETURN(stream_, store_.OpenStream(name_, mode_));
    RETURN_IF_ERROR(Send(buffer_));
    buffer_ = {};
    return {};
  }
  Status Send(std::string_view bytes) {
    since_flush_ += static_cast<int64_t>(bytes.size());
    return Shown(stream_->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  }
  Status Shown(const ::arrow::Status& status) const {
    if (!status.ok()) return Fail(store_.ErrorOf(status));
    return {};
  }

  ArrowStore& store_;
  const ObjectName name_;
  const WriteMode mode_;
  std::string buffer_;
  std::shared_ptr<::arrow::io::OutputStream> stream_;
  int64_t since_flush_ = 0;
};

ObjectInfo InfoOf(const fs::FileInfo& info, size_t bucket_size) {
  ObjectInfo out;
  out.key = info.path().substr(std::min(bucket_size + 1, info.path().size()));
  out.is_folder = info.type() == fs::FileType::Directory;
  if (out.is_folder) return out;
  out.size = info.size();
  if (info.mtime() != fs::kNoTime) {
    const auto since = info.mtime().time_since_epoch();
    out.modified_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  }
  return out;
}

}  // namespace

std::string ArrowStore::Place::Path(const std::string& key) const {
  size_t end = key.size();
  while (end > 0 && key[end - 1] == '/') end--;
  return end == 0 ? bucket : bucket + "/" + key.substr(0, end);
}

ArrowStore::ArrowStore(StoreOptions options)
    : options_(std::move(options)), exception_(kExceptions[options_.index()]) {}

Error ArrowStore::ErrorOf(const ::arrow::Status& status) const {
  return io::ErrorOf(status, exception_);
}

Result<ArrowStore::Place> ArrowStore::PlaceOf(const std::string& bucket) {
  const std::lock_guard lock(mutex_);
  const auto shared = [&](const auto& options) { return SharedBy(options, bucket); };
  ArrowFileSystemPtr& files = file_systems_[std::visit(shared, options_)];
  if (files == nullptr) {
    const auto make = [&](const auto& options) { return MakeFileSystem(options, bucket); };
    ASSIGN_OR_RETURN(files, std::visit(make, options_));
  }
  return Place{files, bucket.substr(0, bucket.find('@'))};
}

Result<int64_t> ArrowStore::Size(const ObjectName& name) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  ARROW_ASSIGN(const InputFile file, place.files->OpenInputFile(place.Path(name.key)), exception_);
  ARROW_ASSIGN(const int64_t size, file->GetSize(), exception_);
  return size;
}

Status ArrowStore::Read(const ObjectName& name, int64_t size, int64_t offset, size_t count,
                        char* out) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  ARROW_ASSIGN(const InputFile file, OpenKnown(*place.files, place.Path(name.key), size),
               exception_);
  EndMark mark(out, count);
  for (const bool inverted : {false, true}) {
    mark.Set(inverted);
    ARROW_ASSIGN(const int64_t got, file->ReadAt(offset, static_cast<int64_t>(count), out),
                 exception_);
    if (static_cast<size_t>(got) != count) break;
    if (!mark.IsThere(inverted)) return {};
  }
  return Fail(ErrorCode::kCorrupt, "The object is shorter than its size", "EOFException");
}

Result<ObjectStart> ArrowStore::ReadStart(const ObjectName& name, size_t most) {
  if (!std::holds_alternative<S3Options>(options_)) {
    ASSIGN_OR_RETURN(const int64_t size, Size(name));
    ObjectStart out{std::string(std::min(most, static_cast<size_t>(size)), '\0'), size};
    if (!out.bytes.empty())
      RETURN_IF_ERROR(Read(name, size, 0, out.bytes.size(), out.bytes.data()));
    return out;
  }
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  // S3 answers a range that reaches beyond the object with what there is.
  const auto read = [files = place.files, path = place.Path(name.key),
                     most]() -> ::arrow::Result<std::shared_ptr<::arrow::Buffer>> {
    ARROW_ASSIGN_OR_RAISE(const InputFile file, OpenKnown(*files, path, INT64_MAX));
    return file->ReadAt(0, static_cast<int64_t>(most));
  };
  ARROW_ASSIGN(auto reading, ::arrow::io::default_io_context().executor()->Submit(read),
               exception_);
  const Result<int64_t> size = Size(name);
  const auto got = reading.result();
  if (!size) return Fail(size.error());
  if (*size == 0) return ObjectStart{};
  if (!got.ok()) return Fail(ErrorOf(got.status()));
  const auto count = std::min(static_cast<size_t>(*size), most);
  return ObjectStart{std::string(reinterpret_cast<const char*>((*got)->data()), count), *size};
}

Result<std::unique_ptr<ObjectWriter>> ArrowStore::Create(const ObjectName& name, WriteMode mode) {
  return std::make_unique<ArrowWriter>(*this, name, mode);
}

Result<std::shared_ptr<::arrow::io::OutputStream>> ArrowStore::OpenStream(const ObjectName& name,
                                                                          WriteMode mode) {
  if (mode == WriteMode::kCreateNew) {
    const Result<int64_t> size = Size(name);
    if (size) return Fail(ErrorCode::kAlreadyExists, "Object exists", "AlreadyExistsException");
    if (size.error().exception != "NotFoundException") return Fail(size.error());
  }
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  ARROW_ASSIGN(auto stream, place.files->OpenOutputStream(place.Path(name.key)), exception_);
  return stream;
}

Status ArrowStore::Delete(const ObjectName& name) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  const ::arrow::Status status = place.files->DeleteFile(place.Path(name.key));
  if (status.ok()) return {};
  Error error = ErrorOf(status);
  if (error.exception == "NotFoundException") return {};
  return Fail(std::move(error));
}

Result<ObjectInfo> ArrowStore::Stat(const ObjectName& name) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(name.bucket));
  ARROW_ASSIGN(const fs::FileInfo info, place.files->GetFileInfo(place.Path(name.key)), exception_);
  if (info.type() == fs::FileType::NotFound)
    return Fail(ErrorCode::kNotFound, "No object " + name.key, "NotFoundException");
  return InfoOf(info, place.bucket.size());
}

Status ArrowStore::List(const ObjectName& folder, bool recursive,
                        const std::function<Status(const ObjectInfo&)>& visit) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(folder.bucket));
  fs::FileSelector selector;
  selector.base_dir = place.Path(folder.key);
  selector.recursive = recursive;
  selector.allow_not_found = true;
  const fs::FileInfoGenerator pages = place.files->GetFileInfoGenerator(selector);
  while (true) {
    ARROW_ASSIGN(const fs::FileInfoVector page, pages().result(), exception_);
    if (page.empty()) return {};
    for (const fs::FileInfo& info : page) {
      ObjectInfo found = InfoOf(info, place.bucket.size());
      if (found.is_folder && recursive) continue;
      RETURN_IF_ERROR(visit(found));
    }
  }
}

Status ArrowStore::CreateFolder(const ObjectName& folder) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(folder.bucket));
  const ::arrow::Status status = place.files->CreateDir(place.Path(folder.key), true);
  if (!status.ok()) return Fail(ErrorOf(status));
  return {};
}

Status ArrowStore::DeleteFolder(const ObjectName& folder) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(folder.bucket));
  const ::arrow::Status status = place.files->DeleteDir(place.Path(folder.key));
  if (status.ok()) return {};
  Error error = ErrorOf(status);
  if (error.exception == "NotFoundException") return {};
  return Fail(std::move(error));
}

Result<S3Access> ArrowStore::Access(const std::string& bucket) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(bucket));
  return AccessOf(*place.files, place.bucket);
}

}  // namespace iceblink::io
