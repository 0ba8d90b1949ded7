// snapshots, history, refs, metadata_log_entries: rows that table metadata itself holds.
#include <set>

#include "table/metadata_rows.h"
#include "table/snapshots.h"

namespace iceblink::table {
namespace {

Value Micros(int64_t millis) { return millis * 1000; }

Value SummaryMap(const spec::Snapshot& snapshot) {
  if (!snapshot.operation && snapshot.summary.empty()) return {};
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [key, value] : snapshot.summary) entries.emplace_back(Value(key), Value(value));
  return Value::Map(std::move(entries));
}

std::vector<ValueList> SnapshotRows(const spec::TableMetadata& metadata) {
  std::vector<ValueList> rows;
  for (const spec::Snapshot& s : metadata.snapshots) {
    rows.push_back({Micros(s.timestamp_ms), s.snapshot_id, OptionalValue(s.parent_id),
                    OptionalValue(s.operation),
                    s.manifest_list.empty() ? Value() : Value(s.manifest_list), SummaryMap(s)});
  }
  return rows;
}

std::vector<ValueList> HistoryRows(const spec::TableMetadata& metadata) {
  std::set<int64_t> current;
  for (const spec::Snapshot* s : AncestorsOf(metadata, metadata.current_snapshot_id))
    current.insert(s->snapshot_id);
  std::vector<ValueList> rows;
  for (const spec::SnapshotLogEntry& entry : metadata.snapshot_log) {
    const spec::Snapshot* snapshot = metadata.SnapshotById(entry.snapshot_id);
    rows.push_back({Micros(entry.timestamp_ms), entry.snapshot_id,
                    snapshot != nullptr ? OptionalValue(snapshot->parent_id) : Value(),
                    current.contains(entry.snapshot_id)});
  }
  return rows;
}

std::vector<ValueList> RefRows(const spec::TableMetadata& metadata) {
  std::vector<ValueList> rows;
  for (const auto& [name, ref] : metadata.refs) {
    rows.push_back({name, std::string(ref.is_branch() ? "BRANCH" : "TAG"), ref.snapshot_id,
                    OptionalValue(ref.max_ref_age_ms), OptionalValue(ref.min_snapshots_to_keep),
                    OptionalValue(ref.max_snapshot_age_ms)});
  }
  return rows;
}

ValueList MetadataLogRow(const spec::TableMetadata& metadata, int64_t timestamp_ms,
                         const std::string& file) {
  const std::optional<int64_t> id = SnapshotIdAsOf(metadata, timestamp_ms);
  const spec::Snapshot* snapshot = id ? metadata.SnapshotById(*id) : nullptr;
  return {Micros(timestamp_ms), file, OptionalValue(id),
          snapshot != nullptr ? OptionalValue(snapshot->schema_id) : Value(),
          snapshot != nullptr ? Value(snapshot->sequence_number) : Value()};
}

std::vector<ValueList> MetadataLogRows(const spec::TableMetadata& metadata,
                                       const std::string& current_file) {
  std::vector<ValueList> rows;
  for (const spec::MetadataLogEntry& entry : metadata.metadata_log) {
    rows.push_back(MetadataLogRow(metadata, entry.timestamp_ms, entry.metadata_file));
  }
  rows.push_back(MetadataLogRow(metadata, metadata.last_updated_ms, current_file));
  return rows;
}

}  // namespace

Result<std::unique_ptr<MetadataRows>> OpenHistoryRows(MetadataTableInput input) {
  const spec::TableMetadata& metadata = input.metadata();
  const auto fixed = [](std::vector<ValueList> rows) -> std::unique_ptr<MetadataRows> {
    return std::make_unique<FixedRows>(std::move(rows));
  };
  switch (input.request.kind) {
    case MetadataTableKind::kHistory:
      return fixed(HistoryRows(metadata));
    case MetadataTableKind::kRefs:
      return fixed(RefRows(metadata));
    case MetadataTableKind::kMetadataLogEntries:
      return fixed(MetadataLogRows(metadata, input.request.metadata_location.empty()
                                                 ? metadata.metadata_file_location
                                                 : input.request.metadata_location));
    default:
      return fixed(SnapshotRows(metadata));
  }
}

}  // namespace iceblink::table
