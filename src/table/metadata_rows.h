// The row sources behind OpenMetadataTable, and what they share. Internal to this room.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "spec/manifest.h"
#include "table/manifest_reader.h"
#include "table/metadata_tables.h"
#include "table/partition_types.h"

namespace iceblink::table {

struct MetadataTableInput {
  ReadContext context;
  MetadataTableRequest request;
  spec::Schema schema;

  const spec::TableMetadata& metadata() const { return *request.metadata; }
  // Whether the top-level column is asked for.
  bool Wants(std::string_view column) const;
  // The snapshot a pinned table shows, as a list of at most one. Error: IllegalArgumentException
  // for an unknown id.
  Result<std::vector<const spec::Snapshot*>> PinnedSnapshot() const;
  std::vector<const spec::Snapshot*> AllSnapshots() const;
  // Those of the request's kind: the pinned one, or all for all_* tables.
  Result<std::vector<const spec::Snapshot*>> Snapshots() const;
};

Result<std::unique_ptr<MetadataRows>> OpenHistoryRows(MetadataTableInput input);
Result<std::unique_ptr<MetadataRows>> OpenManifestRows(MetadataTableInput input);
Result<std::unique_ptr<MetadataRows>> OpenPartitionRows(MetadataTableInput input);
Result<std::unique_ptr<MetadataRows>> OpenFileRows(MetadataTableInput input);
Result<std::unique_ptr<MetadataRows>> OpenPositionRows(MetadataTableInput input);

// Rows already made, handed out a batch at a time.
class FixedRows final : public MetadataRows {
 public:
  explicit FixedRows(std::vector<ValueList> rows) : rows_(std::move(rows)) {}
  Result<std::vector<ValueList>> Next() override { return std::exchange(rows_, {}); }

 private:
  std::vector<ValueList> rows_;
};

// The entries of the manifests of some snapshots, each manifest once.
class EntryCursor {
 public:
  struct Options {
    ManifestReadOptions read;
    bool data = true;
    bool deletes = true;
  };
  EntryCursor(const ReadContext& context, const PartitionTypes& types,
              std::vector<const spec::Snapshot*> snapshots, Options options)
      : context_(context),
        types_(types),
        snapshots_(snapshots.begin(), snapshots.end()),
        options_(std::move(options)) {}

  // Valid until the next call; null at the end.
  Result<const spec::ManifestEntry*> Next();

 private:
  Result<bool> OpenNextManifest();
  Status ReadNextList();

  ReadContext context_;
  const PartitionTypes& types_;
  std::deque<const spec::Snapshot*> snapshots_;
  std::deque<spec::ManifestFile> manifests_;
  std::unordered_set<std::string> seen_;  // paths; only filled when there are several snapshots
  Options options_;
  std::unique_ptr<ManifestReader> reader_;
};

// Tuples of any spec as values of the union of all specs' fields.
class PartitionUnion {
 public:
  // `type` is the partition column's.
  PartitionUnion(const PartitionTypes& types, const spec::StructType& type);
  ValueList Coerce(int32_t spec_id, std::span<const Value> tuple) const;
  bool empty() const { return size_ == 0; }

 private:
  size_t size_;
  std::map<int32_t, std::vector<int32_t>>
      positions_;  // by spec: where each union field is in the tuple; -1: nowhere
};

// The partition column of a metadata table's schema (also inside data_file); no fields when there
// is none.
spec::StructType PartitionColumnType(const spec::Schema& schema);

template <typename T>
Value OptionalValue(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

inline constexpr size_t kRowsPerBatch = 1024;

}  // namespace iceblink::table
