#include "table/partition_stats.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "spec/partition_spec.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/metadata_rows.h"
#include "table/partition_types.h"
#include "table/snapshots.h"

namespace iceblink::table {
namespace {

using spec::NestedField;
using spec::Type;

// Columns of the file in its order; ids as in the specification.
enum Column : size_t {
  kPartition,
  kSpecId,
  kDataRecords,
  kDataFiles,
  kDataBytes,
  kPositionRecords,
  kPositionFiles,
  kEqualityRecords,
  kEqualityFiles,
  kTotalRecords,
  kUpdatedAt,
  kUpdatedBy,
  kVectors,  // version 3
};

struct Counts {
  ValueList partition;
  int32_t spec_id = 0;
  int64_t data_records = 0, data_files = 0, data_bytes = 0;
  int64_t position_records = 0, position_files = 0, vectors = 0;
  int64_t equality_records = 0, equality_files = 0;
  Value total_records, updated_at, updated_by;

  // `sign` is -1 for a file that goes.
  void Add(const spec::DataFile& file, int64_t sign) {
    switch (file.content) {
      case spec::DataFileContent::kData:
        data_records += sign * file.record_count;
        data_files += sign;
        data_bytes += sign * file.file_size_in_bytes;
        break;
      case spec::DataFileContent::kPositionDeletes:
        position_records += sign * file.record_count;
        (file.is_dv() ? vectors : position_files) += sign;
        break;
      case spec::DataFileContent::kEqualityDeletes:
        equality_records += sign * file.record_count;
        equality_files += sign;
        break;
    }
  }
  void Touch(const spec::Snapshot* snapshot) {
    if (snapshot == nullptr) return;
    if (!updated_at.is_null() && updated_at.AsInt64() >= snapshot->timestamp_ms) return;
    updated_at = snapshot->timestamp_ms;
    updated_by = snapshot->snapshot_id;
  }
};

ValueList ToRow(Counts counts, size_t columns) {
  const auto narrow = [](int64_t count) { return Value(static_cast<int32_t>(count)); };
  ValueList row = {Value::Struct(std::move(counts.partition)),
                   counts.spec_id,
                   counts.data_records,
                   narrow(counts.data_files),
                   counts.data_bytes,
                   counts.position_records,
                   narrow(counts.position_files),
                   counts.equality_records,
                   narrow(counts.equality_files),
                   std::move(counts.total_records),
                   std::move(counts.updated_at),
                   std::move(counts.updated_by),
                   narrow(counts.vectors)};
  row.resize(columns);
  return row;
}

Counts FromRow(const ValueList& row) {
  const auto number = [&](size_t column) {
    return column < row.size() && !row[column].is_null() ? row[column].AsInt64() : 0;
  };
  Counts counts;
  counts.partition = row[kPartition].is_null() ? ValueList() : row[kPartition].fields();
  counts.spec_id = static_cast<int32_t>(number(kSpecId));
  counts.data_records = number(kDataRecords);
  counts.data_files = number(kDataFiles);
  counts.data_bytes = number(kDataBytes);
  counts.position_records = number(kPositionRecords);
  counts.position_files = number(kPositionFiles);
  counts.equality_records = number(kEqualityRecords);
  counts.equality_files = number(kEqualityFiles);
  counts.vectors = number(kVectors);
  counts.total_records = row[kTotalRecords];
  counts.updated_at = row[kUpdatedAt];
  counts.updated_by = row[kUpdatedBy];
  return counts;
}

bool PartitionLess(const ValueList& a, const ValueList& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].is_null() != b[i].is_null()) return a[i].is_null();
    if (a[i].is_null()) continue;
    if (const int order = CompareValues(a[i], b[i]); order != 0) return order < 0;
  }
  return false;
}

class Collector {
 public:
  Collector(const ReadContext& context, const spec::TableMetadata& metadata,
            const spec::Schema& schema)
      : context_(context),
        metadata_(metadata),
        types_(metadata),
        union_(types_, schema.fields()[kPartition].type.AsStruct()) {}

  void Start(const std::vector<ValueList>& rows) {
    for (const ValueList& row : rows) {
      Counts counts = FromRow(row);
      const std::string key = PartitionKey(counts.spec_id, counts.partition);
      index_.emplace(key, counts_.size());
      counts_.push_back(std::move(counts));
    }
  }

  // Every file of the snapshot.
  Status AddAll(const spec::Snapshot& snapshot) {
    return ForEachManifest(context_, snapshot, [&](spec::ManifestFile&& manifest) {
      return Read(manifest, [&](const spec::ManifestEntry& entry) {
        Counts& counts = CountsOf(entry.data_file);
        if (entry.is_live()) counts.Add(entry.data_file, 1);
        counts.Touch(SnapshotOf(entry));
      });
    });
  }

  // What the snapshot itself added and removed: removed entries are carried by its manifests only.
  Status AddChanges(const spec::Snapshot& snapshot) {
    return ForEachManifest(context_, snapshot, [&](spec::ManifestFile&& manifest) -> Status {
      if (manifest.added_snapshot_id != snapshot.snapshot_id) return {};
      return Read(manifest, [&](const spec::ManifestEntry& entry) {
        if (entry.status == spec::EntryStatus::kExisting) return;
        Counts& counts = CountsOf(entry.data_file);
        counts.Add(entry.data_file, entry.is_live() ? 1 : -1);
        counts.Touch(SnapshotOf(entry));
      });
    });
  }

  std::vector<ValueList> Rows(size_t columns) && {
    std::stable_sort(counts_.begin(), counts_.end(), [](const Counts& a, const Counts& b) {
      if (PartitionLess(a.partition, b.partition)) return true;
      return !PartitionLess(b.partition, a.partition) && a.spec_id < b.spec_id;
    });
    std::vector<ValueList> rows;
    rows.reserve(counts_.size());
    for (Counts& counts : counts_) rows.push_back(ToRow(std::move(counts), columns));
    return rows;
  }

 private:
  template <typename Visit>
  Status Read(const spec::ManifestFile& manifest, const Visit& visit) {
    const ManifestReadOptions options{.stats = StatsSelection::None(), .split_offsets = false};
    return ForEachEntry(context_, manifest, types_, options,
                        [&](const spec::ManifestEntry& entry) -> Status {
                          visit(entry);
                          return {};
                        });
  }
  const spec::Snapshot* SnapshotOf(const spec::ManifestEntry& entry) const {
    return entry.snapshot_id ? metadata_.SnapshotById(*entry.snapshot_id) : nullptr;
  }
  Counts& CountsOf(const spec::DataFile& file) {
    ValueList partition = union_.Coerce(file.spec_id, file.partition);
    const auto [at, added] = index_.emplace(PartitionKey(file.spec_id, partition), counts_.size());
    if (added) {
      counts_.emplace_back();
      counts_.back().partition = std::move(partition);
      counts_.back().spec_id = file.spec_id;
    }
    return counts_[at->second];
  }

  const ReadContext& context_;
  const spec::TableMetadata& metadata_;
  PartitionTypes types_;
  PartitionUnion union_;
  std::vector<Counts> counts_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

Result<spec::Schema> PartitionStatsSchema(const spec::TableMetadata& metadata) {
  ASSIGN_OR_RETURN(spec::StructType partition,
                   spec::UnionPartitionType(metadata.schema(), metadata.specs));
  const bool v3 = metadata.format_version >= 3;
  const auto deletes = [&](int32_t id, const char* name, Type type) {
    return v3 ? NestedField::Required(id, name, std::move(type))
              : NestedField::Optional(id, name, std::move(type));
  };
  std::vector<NestedField> fields = {
      NestedField::Required(1, "partition", Type(std::move(partition))),
      NestedField::Required(2, "spec_id", Type::Int()),
      NestedField::Required(3, "data_record_count", Type::Long()),
      NestedField::Required(4, "data_file_count", Type::Int()),
      NestedField::Required(5, "total_data_file_size_in_bytes", Type::Long()),
      deletes(6, "position_delete_record_count", Type::Long()),
      deletes(7, "position_delete_file_count", Type::Int()),
      deletes(8, "equality_delete_record_count", Type::Long()),
      deletes(9, "equality_delete_file_count", Type::Int()),
      NestedField::Optional(10, "total_record_count", Type::Long()),
      NestedField::Optional(11, "last_updated_at", Type::Long()),
      NestedField::Optional(12, "last_updated_snapshot_id", Type::Long())};
  if (v3) fields.push_back(NestedField::Required(13, "dv_count", Type::Int()));
  return spec::Schema(std::move(fields));
}

const spec::PartitionStatisticsFile* LatestPartitionStats(const spec::TableMetadata& metadata,
                                                          int64_t snapshot_id) {
  for (const spec::Snapshot* snapshot : AncestorsOf(metadata, snapshot_id)) {
    for (const spec::PartitionStatisticsFile& file : metadata.partition_statistics) {
      if (file.snapshot_id == snapshot->snapshot_id) return &file;
    }
  }
  return nullptr;
}

Result<std::vector<ValueList>> ComputePartitionStats(const ReadContext& context,
                                                     const spec::TableMetadata& metadata,
                                                     const spec::Schema& schema,
                                                     const spec::Snapshot& snapshot,
                                                     std::optional<EarlierPartitionStats> earlier) {
  Collector collector(context, metadata, schema);
  if (!earlier) {
    RETURN_IF_ERROR(collector.AddAll(snapshot));
  } else {
    collector.Start(earlier->rows);
    std::vector<const spec::Snapshot*> since =
        AncestorsBetween(metadata, snapshot.snapshot_id, earlier->snapshot_id);
    for (const spec::Snapshot* step : since) RETURN_IF_ERROR(collector.AddChanges(*step));
  }
  return std::move(collector).Rows(schema.fields().size());
}

}  // namespace iceblink::table
