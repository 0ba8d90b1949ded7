// What manifests and manifest lists say, as plain values. Reading and writing the Avro files is the
// table room's work.
//
// A scan may hold a hundred thousand DataFiles, so the metrics maps are sorted vectors: one
// allocation each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/value.h"

namespace iceblink::spec {

enum class DataFileContent : uint8_t { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class FileFormat : uint8_t { kParquet, kAvro, kOrc, kPuffin };
enum class ManifestContent : uint8_t { kData = 0, kDeletes = 1 };
enum class EntryStatus : uint8_t { kExisting = 0, kAdded = 1, kDeleted = 2 };

// Returns "PARQUET" ...
std::string_view FileFormatName(FileFormat format);
// Returns ".parquet"'s "parquet" ...
std::string_view FileFormatExtension(FileFormat format);
// Parses a format name of any case. Error: InvalidArgument "Invalid file format: %s".
Result<FileFormat> ParseFileFormat(std::string_view name);

// A map from field id to V: pairs sorted by id.
template <typename V>
class FieldMap {
 public:
  FieldMap() = default;
  // Takes pairs in any order; the last of equal ids wins.
  explicit FieldMap(std::vector<std::pair<int32_t, V>> pairs) : pairs_(std::move(pairs)) {
    if (!std::is_sorted(pairs_.begin(), pairs_.end(), Less)) {
      std::stable_sort(pairs_.begin(), pairs_.end(), Less);
    }
  }
  const V* Find(int32_t id) const {
    auto it = std::lower_bound(pairs_.begin(), pairs_.end(), id,
                               [](const auto& p, int32_t key) { return p.first < key; });
    return it != pairs_.end() && it->first == id ? &it->second : nullptr;
  }
  void Set(int32_t id, V value) {
    auto it = std::lower_bound(pairs_.begin(), pairs_.end(), id,
                               [](const auto& p, int32_t key) { return p.first < key; });
    if (it != pairs_.end() && it->first == id) {
      it->second = std::move(value);
    } else {
      pairs_.insert(it, {id, std::move(value)});
    }
  }
  bool empty() const { return pairs_.empty(); }
  size_t size() const { return pairs_.size(); }
  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }
  void clear() { pairs_.clear(); }
  friend bool operator==(const FieldMap&, const FieldMap&) = default;

 private:
  static bool Less(const std::pair<int32_t, V>& a, const std::pair<int32_t, V>& b) {
    return a.first < b.first;
  }
  std::vector<std::pair<int32_t, V>> pairs_;
};

using CountMap = FieldMap<int64_t>;
using BoundMap = FieldMap<Bytes>;

struct DataFile {
  DataFileContent content = DataFileContent::kData;
  FileFormat format = FileFormat::kParquet;
  int32_t spec_id = 0;
  std::string file_path;
  std::vector<Value> partition;  // in the order of the spec's fields
  int64_t record_count = 0;
  int64_t file_size_in_bytes = 0;
  CountMap column_sizes;
  CountMap value_counts;
  CountMap null_value_counts;
  CountMap nan_value_counts;
  BoundMap lower_bounds;
  BoundMap upper_bounds;
  std::optional<Bytes> key_metadata;
  std::vector<int64_t> split_offsets;
  std::vector<int32_t> equality_ids;
  std::optional<int32_t> sort_order_id;
  std::optional<int64_t> first_row_id;
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_in_bytes;

  bool is_data() const { return content == DataFileContent::kData; }
  // Returns whether the file is a deletion vector (a Puffin blob).
  bool is_dv() const {
    return content == DataFileContent::kPositionDeletes && format == FileFormat::kPuffin;
  }
  friend bool operator==(const DataFile&, const DataFile&) = default;
};

struct ManifestEntry {
  EntryStatus status = EntryStatus::kExisting;
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> sequence_number;       // of the data
  std::optional<int64_t> file_sequence_number;  // of the commit that added the file
  DataFile data_file;

  bool is_live() const { return status != EntryStatus::kDeleted; }
  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

struct FieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<Bytes> lower_bound;
  std::optional<Bytes> upper_bound;
  friend bool operator==(const FieldSummary&, const FieldSummary&) = default;
};

// A row of a manifest list.
struct ManifestFile {
  static constexpr int64_t kUnassignedSequence = -1;

  std::string path;
  int64_t length = 0;
  int32_t spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;      // kUnassignedSequence until the list is written
  int64_t min_sequence_number = 0;  // likewise
  int64_t added_snapshot_id = 0;
  std::optional<int32_t> added_files_count;  // absent in old v1 lists: unknown, may hold some
  std::optional<int32_t> existing_files_count;
  std::optional<int32_t> deleted_files_count;
  std::optional<int64_t> added_rows_count;
  std::optional<int64_t> existing_rows_count;
  std::optional<int64_t> deleted_rows_count;
  std::optional<std::vector<FieldSummary>> partitions;
  std::optional<Bytes> key_metadata;
  std::optional<int64_t> first_row_id;

  bool has_added_files() const { return added_files_count.value_or(1) > 0; }
  bool has_existing_files() const { return existing_files_count.value_or(1) > 0; }
  bool has_deleted_files() const { return deleted_files_count.value_or(1) > 0; }
  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

}  // namespace iceblink::spec
