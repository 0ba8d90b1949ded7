// Table metadata of format versions 1 to 3 as one plain value, and its JSON.
//
// One struct serves all versions: fields that a version lacks stay at their defaults and are not
// written. Members that this code does not know survive a read and write (`extra_members`). Share
// it as shared_ptr<const TableMetadata>.
#pragma once

#include <memory>
#include <span>

#include "spec/partition_spec.h"
#include "spec/snapshot.h"
#include "spec/sort_order.h"

namespace iceblink::spec {

inline constexpr int32_t kDefaultFormatVersion = 2;
inline constexpr int32_t kMaxFormatVersion = 3;

struct BlobMetadata {
  std::string type;
  int64_t snapshot_id = 0;
  int64_t sequence_number = 0;
  std::vector<int32_t> fields;
  std::map<std::string, std::string> properties;
  friend bool operator==(const BlobMetadata&, const BlobMetadata&) = default;
};

struct StatisticsFile {
  int64_t snapshot_id = 0;
  std::string path;
  int64_t file_size_in_bytes = 0;
  int64_t file_footer_size_in_bytes = 0;
  std::optional<std::string> key_metadata;  // base64 text as in JSON
  std::vector<BlobMetadata> blob_metadata;
  friend bool operator==(const StatisticsFile&, const StatisticsFile&) = default;
};

struct PartitionStatisticsFile {
  int64_t snapshot_id = 0;
  std::string path;
  int64_t file_size_in_bytes = 0;
  friend bool operator==(const PartitionStatisticsFile&, const PartitionStatisticsFile&) = default;
};

struct EncryptedKey {
  std::string key_id;
  std::string encrypted_key_metadata;  // base64 text as in JSON
  std::optional<std::string> encrypted_by_id;
  std::map<std::string, std::string> properties;
  friend bool operator==(const EncryptedKey&, const EncryptedKey&) = default;
};

struct TableMetadata {
  int32_t format_version = kDefaultFormatVersion;
  std::string uuid;  // may be empty in v1
  std::string location;
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int32_t last_column_id = 0;
  int32_t current_schema_id = 0;
  std::vector<Schema> schemas;
  int32_t default_spec_id = 0;
  std::vector<PartitionSpec> specs;
  int32_t last_partition_id = kPartitionDataIdStart - 1;
  int32_t default_sort_order_id = 0;
  std::vector<SortOrder> sort_orders;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;
  int64_t next_row_id = 0;  // v3
  std::vector<EncryptedKey> encryption_keys;
  std::map<std::string, SnapshotRef> refs;
  std::vector<Snapshot> snapshots;
  std::vector<StatisticsFile> statistics;
  std::vector<PartitionStatisticsFile> partition_statistics;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::string extra_members;  // a JSON object's text, or empty

  // Where this value was read from or written to; empty before the first commit. Not part of the
  // JSON.
  std::string metadata_file_location;

  // Require that the current ids exist, which ParseTableMetadata and ApplyUpdates check.
  const Schema& schema() const;
  const PartitionSpec& spec() const;
  const SortOrder& sort_order() const;

  // Return null when absent.
  const Schema* SchemaById(int32_t id) const;
  const PartitionSpec* SpecById(int32_t id) const;
  const SortOrder* SortOrderById(int32_t id) const;
  const Snapshot* SnapshotById(int64_t id) const;
  const Snapshot* CurrentSnapshot() const;
  const SnapshotRef* Ref(std::string_view name) const;
  const Snapshot* SnapshotOfRef(std::string_view name) const;

  // Returns the schema a read of the snapshot uses: its own, or the current one where it has none.
  const Schema& SchemaOfSnapshot(const Snapshot& snapshot) const;
  // Returns the property or `fallback`.
  std::string Property(std::string_view key, std::string_view fallback = {}) const;

  friend bool operator==(const TableMetadata&, const TableMetadata&) = default;
};

using TableMetadataPtr = std::shared_ptr<const TableMetadata>;

// Parses a metadata file's text (already decompressed). Checks versions, ids and logs as Java's
// TableMetadataParser. Errors: Corrupt (IllegalArgumentException) "Cannot parse missing int: ..."
// and when the text is not JSON, Unsupported for a newer version.
Result<TableMetadata> ParseTableMetadata(std::string_view json,
                                         std::string metadata_file_location = {});

// Returns the JSON in Java's member order, compact or (indent > 0) pretty-printed.
std::string SerializeTableMetadata(const TableMetadata& metadata, int indent = 0);

}  // namespace iceblink::spec
