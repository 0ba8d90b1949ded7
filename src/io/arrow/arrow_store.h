// ArrowStore: an ObjectStore over one of Arrow's file systems. What their interface does not offer
// shows here:
//  - No conditional writes: kCreateNew asks whether the object is there, right before it is sent.
//    In one process one of two writers wins; of two processes in the same instant both may.
//    io/create_once.h sends a request of its own for that.
//  - No reads from the end and no size with a read: an object of unknown size is asked for its size
//    and its beginning at the same time.
//  - A read does not say how many bytes came: Read tells by what it left behind.
//  - Deleting an S3 object is three requests (is it there, delete, keep its folder).
#pragma once

#include <arrow/io/type_fwd.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "io/arrow/arrow_file_systems.h"
#include "io/object_store.h"
#include "io/object_store_module.h"

namespace iceblink::io {

class ArrowStore final : public ObjectStore {
 public:
  explicit ArrowStore(StoreOptions options);

  Result<int64_t> Size(const ObjectName& name) override;
  Status Read(const ObjectName& name, int64_t size, int64_t offset, size_t count,
              char* out) override;
  Result<ObjectStart> ReadStart(const ObjectName& name, size_t most) override;
  Result<std::unique_ptr<ObjectWriter>> Create(const ObjectName& name, WriteMode mode) override;
  Status Delete(const ObjectName& name) override;
  Result<ObjectInfo> Stat(const ObjectName& name) override;
  Status List(const ObjectName& folder, bool recursive,
              const std::function<Status(const ObjectInfo&)>& visit) override;
  Status CreateFolder(const ObjectName& folder) override;
  Status DeleteFolder(const ObjectName& folder) override;
  Result<S3Access> Access(const std::string& bucket) override;

  // For the writer, which the store outlives.
  Result<std::shared_ptr<::arrow::io::OutputStream>> OpenStream(const ObjectName& name,
                                                                WriteMode mode);
  Error ErrorOf(const ::arrow::Status& status) const;
  // Whether an aborted upload leaves nothing: Google's is completed.
  bool aborts_uploads() const { return !std::holds_alternative<GcsOptions>(options_); }

 private:
  // A bucket's file system, and what of a path of Arrow's stands for the bucket.
  struct Place {
    ArrowFileSystemPtr files;
    std::string bucket;

    std::string Path(const std::string& key) const;
  };
  Result<Place> PlaceOf(const std::string& bucket);

  const StoreOptions options_;
  const std::string exception_;  // Java's name for what the store refuses
  std::mutex mutex_;
  std::map<std::string, ArrowFileSystemPtr> file_systems_;
};

}  // namespace iceblink::io
