#include "exec/read_ahead.h"

#include <algorithm>
#include <condition_variable>

#include "base/thread_pool.h"
#include "io/object_reader.h"

namespace iceblink::exec {

namespace {

constexpr size_t kFilesAhead = 2 * io::kRequestsInFlight;
constexpr int64_t kBytesAhead = int64_t{32} << 20;
constexpr int64_t kMostOfOne = int64_t{1} << 20;  // what a first read brings at most

// Reads a file's last bytes: the reader fetches the whole of a small object, the tail of a larger.
void Fetch(io::FileSystem& files, const ReadAhead::File& file) {
  const auto input = files.OpenSized(file.location, file.size);
  char last[8];
  const int64_t count = std::min<int64_t>(file.size, sizeof(last));
  if (input) (void)(*input)->ReadAt(file.size - count, static_cast<size_t>(count), last);
}

}  // namespace

struct ReadAhead::Scan {
  std::vector<File> files;
  size_t next = 0;  // the first that nobody has begun to fetch

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> fetching;
  size_t under_way = 0;
};

ReadAhead::ReadAhead(io::FileSystem& files) : files_(files) {}

ReadAhead::~ReadAhead() { Clear(); }

void ReadAhead::Expect(std::vector<File> files) {
  std::erase_if(files,
                [](const File& file) { return !io::IsRemote(file.location) || file.size <= 0; });
  if (files.size() < 2) return;
  auto scan = std::make_shared<Scan>();
  scan->files = std::move(files);
  scan->fetching.resize(scan->files.size());
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < scan->files.size(); ++i) places_[scan->files[i].location] = Place{scan, i};
}

// Fetches on while the window behind the file opened last has room.
void ReadAhead::Continue(const std::shared_ptr<Scan>& scan, size_t opened) {
  const std::lock_guard lock(scan->mutex);
  const size_t end = std::min(scan->files.size(), opened + kFilesAhead);
  int64_t bytes = 0;
  for (size_t i = opened; i < end && bytes < kBytesAhead; ++i) {
    bytes += std::min(scan->files[i].size, kMostOfOne);
    if (i < scan->next) continue;
    scan->next = i + 1;
    scan->fetching[i] = true;
    ++scan->under_way;
    io::IoThreads().Submit([scan, i, &files = files_] {
      Fetch(files, scan->files[i]);
      const std::lock_guard done(scan->mutex);
      scan->fetching[i] = false;
      --scan->under_way;
      scan->changed.notify_all();
    });
  }
}

void ReadAhead::Opened(const std::string& location) {
  Place place;
  {
    const std::lock_guard lock(mutex_);
    const auto it = places_.find(location);
    if (it == places_.end()) return;
    place = it->second;
  }
  Continue(place.scan, place.index);
  std::unique_lock lock(place.scan->mutex);
  place.scan->changed.wait(lock, [&] { return !place.scan->fetching[place.index]; });
}

void ReadAhead::Clear() {
  std::map<std::string, Place, std::less<>> places;
  {
    const std::lock_guard lock(mutex_);
    places.swap(places_);
  }
  for (const auto& [location, place] : places) {
    std::unique_lock lock(place.scan->mutex);
    place.scan->next = place.scan->files.size();
    place.scan->changed.wait(lock, [&] { return place.scan->under_way == 0; });
  }
}

}  // namespace iceblink::exec
