// manifests, all_manifests and partitions.
#include <unordered_map>

#include "spec/single_value.h"
#include "table/manifest_list.h"
#include "table/metadata_rows.h"

namespace iceblink::table {
namespace {

using spec::ManifestFile;

Value HumanBound(const PartitionTypes::Entry& type, size_t i, const std::optional<Bytes>& bound) {
  if (!bound) return {};
  const Result<Value> value = spec::FromBound(type.type.fields[i].type, bound->data);
  if (!value) return {};
  return type.spec.fields[i].transform.ToHumanString(type.sources[i], *value);
}

Value Summaries(const PartitionTypes& types, const ManifestFile& manifest) {
  if (!manifest.partitions) return {};
  const PartitionTypes::Entry* type = types.Find(manifest.spec_id);
  ValueList summaries;
  for (size_t i = 0; i < manifest.partitions->size(); i++) {
    const spec::FieldSummary& s = (*manifest.partitions)[i];
    const bool known = type != nullptr && i < type->type.fields.size();
    summaries.push_back(Value::Struct({s.contains_null, OptionalValue(s.contains_nan),
                                       known ? HumanBound(*type, i, s.lower_bound) : Value(),
                                       known ? HumanBound(*type, i, s.upper_bound) : Value()}));
  }
  return Value::Array(std::move(summaries));
}

// Reads one list at a time.
class ManifestRows final : public MetadataRows {
 public:
  ManifestRows(MetadataTableInput input, std::vector<const spec::Snapshot*> snapshots)
      : input_(std::move(input)),
        types_(input_.metadata()),
        snapshots_(snapshots.begin(), snapshots.end()) {}

  Result<std::vector<ValueList>> Next() override {
    std::vector<ValueList> rows;
    while (rows.empty() && !snapshots_.empty()) {
      const spec::Snapshot* snapshot = snapshots_.front();
      snapshots_.pop_front();
      RETURN_IF_ERROR(ForEachManifest(input_.context, *snapshot, [&](ManifestFile&& m) -> Status {
        rows.push_back(Row(m, snapshot->snapshot_id));
        return {};
      }));
    }
    return rows;
  }

 private:
  ValueList Row(const ManifestFile& m, int64_t snapshot_id) const {
    const bool data = m.content == spec::ManifestContent::kData;
    const auto count = [&](bool of_data, const std::optional<int32_t>& files) {
      return of_data == data ? OptionalValue(files) : Value(0);
    };
    ValueList row = {static_cast<int32_t>(m.content),
                     m.path,
                     m.length,
                     m.spec_id,
                     m.added_snapshot_id,
                     count(true, m.added_files_count),
                     count(true, m.existing_files_count),
                     count(true, m.deleted_files_count),
                     count(false, m.added_files_count),
                     count(false, m.existing_files_count),
                     count(false, m.deleted_files_count),
                     Summaries(types_, m)};
    if (input_.request.kind == MetadataTableKind::kAllManifests) {
      row.emplace_back(snapshot_id);
      row.push_back(OptionalValue(m.key_metadata));
    }
    return row;
  }

  MetadataTableInput input_;
  PartitionTypes types_;
  std::deque<const spec::Snapshot*> snapshots_;
};

struct PartitionTotals {
  ValueList tuple;
  int32_t spec_id = 0;
  int64_t records = 0;
  int32_t files = 0;
  int64_t bytes = 0;
  int64_t position_records = 0;
  int32_t position_files = 0;
  int64_t equality_records = 0;
  int32_t equality_files = 0;
  const spec::Snapshot* updated_by = nullptr;

  void Add(const spec::DataFile& file, const spec::Snapshot* snapshot) {
    if (snapshot != nullptr &&
        (updated_by == nullptr || snapshot->timestamp_ms > updated_by->timestamp_ms)) {
      updated_by = snapshot;
      spec_id = file.spec_id;
    }
    switch (file.content) {
      case spec::DataFileContent::kData:
        records += file.record_count;
        files++;
        bytes += file.file_size_in_bytes;
        break;
      case spec::DataFileContent::kPositionDeletes:
        position_records += file.record_count;
        position_files++;
        break;
      case spec::DataFileContent::kEqualityDeletes:
        equality_records += file.record_count;
        equality_files++;
        break;
    }
  }

  ValueList Row() const {
    ValueList row;
    if (!tuple.empty()) row = {Value::Struct(tuple), spec_id};
    for (Value v : ValueList{records, files, bytes, position_records, position_files,
                             equality_records, equality_files}) {
      row.push_back(std::move(v));
    }
    row.push_back(updated_by != nullptr ? Value(updated_by->timestamp_ms * 1000) : Value());
    row.push_back(updated_by != nullptr ? Value(updated_by->snapshot_id) : Value());
    return row;
  }
};

}  // namespace

Result<std::unique_ptr<MetadataRows>> OpenManifestRows(MetadataTableInput input) {
  ASSIGN_OR_RETURN(std::vector<const spec::Snapshot*> snapshots, input.Snapshots());
  return std::make_unique<ManifestRows>(std::move(input), std::move(snapshots));
}

Result<std::unique_ptr<MetadataRows>> OpenPartitionRows(MetadataTableInput input) {
  ASSIGN_OR_RETURN(std::vector<const spec::Snapshot*> snapshots, input.Snapshots());
  const PartitionTypes types(input.metadata());
  const PartitionUnion partitions(types, PartitionColumnType(input.schema));
  EntryCursor::Options options;
  options.read.live_only = true;
  options.read.split_offsets = false;
  options.read.stats = StatsSelection::None();
  EntryCursor cursor(input.context, types, std::move(snapshots), std::move(options));

  std::vector<PartitionTotals> totals;
  std::unordered_map<std::string, size_t> by_key;
  while (true) {
    ASSIGN_OR_RETURN(const spec::ManifestEntry* entry, cursor.Next());
    if (entry == nullptr) break;
    const spec::DataFile& file = entry->data_file;
    ValueList tuple = partitions.Coerce(file.spec_id, file.partition);
    const auto [at, added] = by_key.emplace(PartitionKey(0, tuple), totals.size());
    if (added) totals.push_back({std::move(tuple)});
    totals[at->second].Add(
        file, entry->snapshot_id ? input.metadata().SnapshotById(*entry->snapshot_id) : nullptr);
  }
  std::vector<ValueList> rows;
  rows.reserve(totals.size());
  for (const PartitionTotals& total : totals) rows.push_back(total.Row());
  return std::make_unique<FixedRows>(std::move(rows));
}

}  // namespace iceblink::table
