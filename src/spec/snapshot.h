// Snapshots, refs and the two logs of table metadata. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iceblink::spec {

// Summary entries other than `operation`, sorted by key.
using Summary = std::map<std::string, std::string>;

namespace operation {
inline constexpr const char* kAppend = "append";
inline constexpr const char* kReplace = "replace";
inline constexpr const char* kOverwrite = "overwrite";
inline constexpr const char* kDelete = "delete";
}  // namespace operation

struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> operation;  // absent: the snapshot has no summary
  Summary summary;
  std::string manifest_list;           // empty in old v1 metadata, which has `manifests`
  std::vector<std::string> manifests;  // paths; v1 only
  std::optional<int32_t> schema_id;
  std::optional<int64_t> first_row_id;  // v3
  std::optional<int64_t> added_rows;    // v3
  std::optional<std::string> key_id;    // v3, encryption

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

enum class RefType : uint8_t { kBranch, kTag };

inline constexpr const char* kMainBranch = "main";

struct SnapshotRef {
  int64_t snapshot_id = 0;
  RefType type = RefType::kBranch;
  std::optional<int32_t> min_snapshots_to_keep;  // branches only
  std::optional<int64_t> max_snapshot_age_ms;    // branches only
  std::optional<int64_t> max_ref_age_ms;

  bool is_branch() const { return type == RefType::kBranch; }
  friend bool operator==(const SnapshotRef&, const SnapshotRef&) = default;
};

struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
  friend bool operator==(const SnapshotLogEntry&, const SnapshotLogEntry&) = default;
};

struct MetadataLogEntry {
  int64_t timestamp_ms = 0;
  std::string metadata_file;
  friend bool operator==(const MetadataLogEntry&, const MetadataLogEntry&) = default;
};

}  // namespace iceblink::spec
