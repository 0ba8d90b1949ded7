#include "exec/file_locations.h"

#include <fmt/format.h>

#include <bitset>

#include "base/murmur3.h"
#include "base/strings.h"

namespace iceblink::exec {

Result<FileLocations> FileLocations::Make(const spec::TableMetadata& metadata,
                                          std::string operation_id, int32_t task) {
  FileLocations out;
  std::string location(StripTrailing(metadata.location, '/'));
  std::string configured = metadata.Property("write.data.path");
  for (std::string_view removed : {"write.folder-storage.path", "write.object-storage.path"}) {
    if (configured.empty() && !metadata.Property(removed).empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("Property '{}' has been deprecated and will be removed in 2.0, use "
                              "'write.data.path' instead.",
                              removed),
                  "IllegalArgumentException");
    }
  }
  out.data_folder_ =
      configured.empty() ? location + "/data" : std::string(StripTrailing(configured, '/'));
  out.object_storage_ = metadata.Property("write.object-storage.enabled") == "true";
  out.partitioned_paths_ =
      metadata.Property("write.object-storage.partitioned-paths", "true") == "true";
  if (out.object_storage_ && !out.data_folder_.starts_with(location)) {
    std::vector<std::string> parts = Split(location, '/');
    out.context_ = parts.size() >= 2 ? parts[parts.size() - 2] + "/" + parts.back() : parts.back();
  }
  out.operation_id_ = std::move(operation_id);
  out.task_ = task;
  return out;
}

FileLocations::FileLocations(FileLocations&& other) noexcept
    : data_folder_(std::move(other.data_folder_)),
      context_(std::move(other.context_)),
      object_storage_(other.object_storage_),
      partitioned_paths_(other.partitioned_paths_),
      operation_id_(std::move(other.operation_id_)),
      task_(other.task_),
      count_(other.count_.load()) {}

std::string FileLocations::Next(const std::string& partition_path, std::string_view suffix,
                                std::string_view extension) {
  std::string name = fmt::format("{:05}-{}-{}-{:05}{}.{}", task_, task_, operation_id_, ++count_,
                                 suffix, extension);
  return Place(partition_path, name);
}

std::string FileLocations::Place(const std::string& partition_path, const std::string& name) const {
  std::string below = partition_path.empty() ? name : partition_path + "/" + name;
  if (!object_storage_) return data_folder_ + "/" + below;
  std::string hashed = partitioned_paths_ ? below : name;
  uint32_t hash = static_cast<uint32_t>(Murmur3(hashed)) | 0x80000000u;
  std::string bits = std::bitset<32>(hash).to_string().substr(12);
  std::string folders =
      bits.substr(0, 4) + "/" + bits.substr(4, 4) + "/" + bits.substr(8, 4) + "/" + bits.substr(12);
  if (!context_.empty()) return data_folder_ + "/" + folders + "/" + context_ + "/" + hashed;
  return data_folder_ + "/" + folders + (partitioned_paths_ ? "/" : "-") + hashed;
}

}  // namespace iceblink::exec
