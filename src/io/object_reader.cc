#include "io/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace iceblink::io {
namespace {

constexpr int64_t kWholeBytes = int64_t{1} << 20;   // objects up to this are read at once
constexpr int64_t kTailBytes = int64_t{128} << 10;  // of larger ones
constexpr int64_t kPieceBytes = int64_t{8} << 20;   // of a large read

tl::unexpected<Error> EndOfFile(const std::string& path, int64_t offset) {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("Unexpected end of file {} at offset {}", path, offset), "EOFException");
}

}  // namespace

ThreadPool& IoThreads() {
  static auto* pool = new ThreadPool(kRequestsInFlight);  // lives until exit
  return *pool;
}

bool IsRemote(std::string_view location) {
  const std::string_view scheme = Scheme(location);
  return !scheme.empty() && scheme != "file" && scheme != "memory";
}

ThreadPool& ThreadsFor(std::string_view location) {
  return IsRemote(location) ? IoThreads() : ThreadPool::Shared();
}

ObjectSegmentPtr SegmentCache::Find(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(path);
  if (it == entries_.end()) return nullptr;
  ages_.splice(ages_.begin(), ages_, it->second.age);
  return it->second.segment;
}

void SegmentCache::Insert(const std::string& path, ObjectSegmentPtr segment) {
  const std::lock_guard lock(mutex_);
  if (segment->bytes.size() > capacity_ || entries_.contains(path)) return;
  bytes_ += segment->bytes.size();
  ages_.push_front(path);
  entries_.emplace(path, Entry{std::move(segment), ages_.begin()});
  while (bytes_ > capacity_) {
    const auto oldest = entries_.find(ages_.back());
    bytes_ -= oldest->second.segment->bytes.size();
    entries_.erase(oldest);
    ages_.pop_back();
  }
}

ObjectReader::ObjectReader(std::shared_ptr<ObjectStore> store, std::string path, ObjectName name,
                           int64_t size, SegmentCache* cache, ObjectSegmentPtr segment)
    : store_(std::move(store)),
      path_(std::move(path)),
      name_(std::move(name)),
      size_(size),
      cache_(cache),
      segment_(std::move(segment)) {
  if (segment_ == nullptr && cache_ != nullptr) segment_ = cache_->Find(path_);
}

Result<std::unique_ptr<RandomAccessFile>> ObjectReader::Open(std::shared_ptr<ObjectStore> store,
                                                             std::string path, ObjectName name) {
  if (path.ends_with(".parquet") || path.ends_with(".puffin")) {  // read from their ends
    ASSIGN_OR_RETURN(const int64_t size, store->Size(name));
    return std::make_unique<ObjectReader>(std::move(store), std::move(path), std::move(name), size,
                                          nullptr);
  }
  ASSIGN_OR_RETURN(ObjectStart start, store->ReadStart(name, kWholeBytes));
  auto segment = std::make_shared<ObjectSegment>();
  segment->bytes = std::move(start.bytes);
  return std::make_unique<ObjectReader>(std::move(store), std::move(path), std::move(name),
                                        start.object_size, nullptr, std::move(segment));
}

// What the first read at `offset` brings; null when that is nothing worth keeping.
Result<ObjectSegmentPtr> ObjectReader::FirstSegment(int64_t offset) const {
  const std::lock_guard lock(mutex_);
  if (segment_ != nullptr) return segment_;
  const int64_t begin = size_ <= kWholeBytes ? 0 : size_ - kTailBytes;
  if (offset < begin || size_ == 0) return ObjectSegmentPtr();
  auto segment = std::make_shared<ObjectSegment>();
  segment->offset = begin;
  segment->bytes.resize(static_cast<size_t>(size_ - begin));
  RETURN_IF_ERROR(FetchPiece(begin, size_, segment->bytes.data()));
  segment_ = segment;
  if (cache_ != nullptr) cache_->Insert(path_, segment_);
  return segment_;
}

Status ObjectReader::ReadAt(int64_t offset, size_t count, char* out) const {
  int64_t begin = offset, end = offset + static_cast<int64_t>(count);
  if (count == 0) return {};
  if (offset < 0 || end > size_) return EndOfFile(path_, offset);
  ASSIGN_OR_RETURN(const ObjectSegmentPtr segment, FirstSegment(offset));
  if (segment == nullptr) return Fetch(begin, end, out);
  const int64_t have_begin = segment->offset;
  const int64_t have_end = have_begin + static_cast<int64_t>(segment->bytes.size());
  const int64_t from = std::max(begin, have_begin), to = std::min(end, have_end);
  if (from >= to) return Fetch(begin, end, out);
  std::memcpy(out + (from - begin), segment->bytes.data() + (from - have_begin),
              static_cast<size_t>(to - from));
  if (begin < from) RETURN_IF_ERROR(Fetch(begin, from, out));
  if (to < end) RETURN_IF_ERROR(Fetch(to, end, out + (to - begin)));
  return {};
}

Status ObjectReader::Fetch(int64_t begin, int64_t end, char* out) const {
  if (end - begin <= kPieceBytes) return FetchPiece(begin, end, out);
  const auto pieces = static_cast<size_t>((end - begin + kPieceBytes - 1) / kPieceBytes);
  return IoThreads().ParallelFor(pieces, [&](size_t i) {
    const int64_t from = begin + static_cast<int64_t>(i) * kPieceBytes;
    return FetchPiece(from, std::min(from + kPieceBytes, end), out + (from - begin));
  });
}

Status ObjectReader::FetchPiece(int64_t begin, int64_t end, char* out) const {
  Status status = store_->Read(name_, size_, begin, static_cast<size_t>(end - begin), out);
  if (status) return status;
  Error& error = status.error();
  if (error.code == ErrorCode::kCorrupt) return EndOfFile(path_, begin);
  if (error.code == ErrorCode::kNotFound && error.exception == "NotFoundException")
    error.message = fmt::format("Failed to open input stream for file: {}", path_);
  return status;
}

}  // namespace iceblink::io
