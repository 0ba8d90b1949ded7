// Names and folders of new data and delete files. Safe from several threads.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::exec {

// Files of one writing task: `00000-0-<operation id>-00001[-deletes].parquet` below the location
// that the table's properties choose.
class FileLocations {
 public:
  // Error: IllegalArgumentException for the removed properties write.folder-storage.path and
  // write.object-storage.path.
  static Result<FileLocations> Make(const spec::TableMetadata& metadata, std::string operation_id,
                                    int32_t task);
  FileLocations(FileLocations&& other) noexcept;

  // `partition_path` is empty for unpartitioned specs; `suffix` is "", "-deletes".
  std::string Next(const std::string& partition_path, std::string_view suffix,
                   std::string_view extension);

 private:
  FileLocations() = default;
  std::string Place(const std::string& partition_path, const std::string& name) const;

  std::string data_folder_;
  std::string context_;  // of object storage outside the table location
  bool object_storage_ = false;
  bool partitioned_paths_ = true;
  std::string operation_id_;
  int32_t task_ = 0;
  std::atomic<int32_t> count_{0};
};

}  // namespace iceblink::exec
