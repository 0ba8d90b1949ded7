// ReadAhead: while DuckDB reads some files of a scan, those that come next are fetched from the
// object store, so that a scan of many small objects waits for tens of requests at once and not for
// one after the other.
//
// A scan announces its files in the order in which they will be opened. Opening one starts the
// fetching of those behind it, as far as a window of files and bytes allows: what the first read of
// each would bring (io/object_reader.h) goes into the file system's cache, where that read finds
// it. A failed fetch is forgotten; the read itself will tell. Exec-internal. Safe from several
// threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace iceblink::exec {

class ReadAhead {
 public:
  struct File {
    std::string location;
    int64_t size = 0;
  };

  // `files` outlives this and what it has under way.
  explicit ReadAhead(io::FileSystem& files);
  ~ReadAhead();

  // Files of a scan that may run; those of the local disk are passed over. Fetches nothing yet.
  void Expect(std::vector<File> files);
  // The file is being opened: waits for its own fetch when that is under way.
  void Opened(const std::string& location);
  // The statement has ended: what is announced is forgotten.
  void Clear();

 private:
  struct Scan;
  struct Place {
    std::shared_ptr<Scan> scan;
    size_t index = 0;
  };
  void Continue(const std::shared_ptr<Scan>& scan, size_t opened);

  io::FileSystem& files_;
  std::mutex mutex_;
  std::map<std::string, Place, std::less<>> places_;  // by location
};

}  // namespace iceblink::exec
