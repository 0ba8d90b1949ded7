#include "table/metadata_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "table/manifest_list.h"
#include "table/manifest_schema.h"

namespace iceblink::table {

bool MetadataTableInput::Wants(std::string_view column) const {
  const auto& wanted = request.columns;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), column) != wanted.end();
}

Result<std::vector<const spec::Snapshot*>> MetadataTableInput::PinnedSnapshot() const {
  std::vector<const spec::Snapshot*> snapshots;
  if (!request.snapshot_id) return snapshots;
  const spec::Snapshot* snapshot = metadata().SnapshotById(*request.snapshot_id);
  if (snapshot == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot find snapshot with ID {}", *request.snapshot_id),
                "IllegalArgumentException");
  }
  snapshots.push_back(snapshot);
  return snapshots;
}

std::vector<const spec::Snapshot*> MetadataTableInput::AllSnapshots() const {
  std::vector<const spec::Snapshot*> snapshots;
  for (const spec::Snapshot& snapshot : metadata().snapshots) snapshots.push_back(&snapshot);
  return snapshots;
}

Result<std::vector<const spec::Snapshot*>> MetadataTableInput::Snapshots() const {
  if (MetadataTableTimeTravel(request.kind) == TimeTravel::kPinned) return PinnedSnapshot();
  return AllSnapshots();
}

Status EntryCursor::ReadNextList() {
  const spec::Snapshot* snapshot = snapshots_.front();
  snapshots_.pop_front();
  const bool several = !snapshots_.empty() || !seen_.empty();
  return ForEachManifest(context_, *snapshot, [&](spec::ManifestFile&& m) -> Status {
    const bool wanted =
        m.content == spec::ManifestContent::kData ? options_.data : options_.deletes;
    if (!wanted || (several && !seen_.insert(m.path).second)) return {};
    if (options_.read.live_only && !m.has_added_files() && !m.has_existing_files()) return {};
    m.partitions.reset();
    manifests_.push_back(std::move(m));
    return {};
  });
}

Result<bool> EntryCursor::OpenNextManifest() {
  while (manifests_.empty()) {
    if (snapshots_.empty()) return false;
    RETURN_IF_ERROR(ReadNextList());
  }
  ASSIGN_OR_RETURN(reader_,
                   ManifestReader::Open(context_, manifests_.front(), types_, options_.read));
  manifests_.pop_front();
  return true;
}

Result<const spec::ManifestEntry*> EntryCursor::Next() {
  while (true) {
    if (!reader_) {
      ASSIGN_OR_RETURN(const bool more, OpenNextManifest());
      if (!more) return nullptr;
    }
    ASSIGN_OR_RETURN(const spec::ManifestEntry* entry, reader_->Next());
    if (entry != nullptr) return entry;
    reader_.reset();
  }
}

PartitionUnion::PartitionUnion(const PartitionTypes& types, const spec::StructType& type)
    : size_(type.fields.size()) {
  for (const auto& [id, entry] : types.entries()) {
    std::vector<int32_t>& positions = positions_[id];
    for (const spec::NestedField& field : type.fields) {
      const auto& own = entry.spec.fields;
      const auto at = std::find_if(own.begin(), own.end(), [&](const spec::PartitionField& f) {
        return f.field_id == field.id;
      });
      positions.push_back(at == own.end() ? -1 : static_cast<int32_t>(at - own.begin()));
    }
  }
}

ValueList PartitionUnion::Coerce(int32_t spec_id, std::span<const Value> tuple) const {
  ValueList values(size_);
  const auto it = positions_.find(spec_id);
  if (it == positions_.end()) return values;
  for (size_t i = 0; i < size_; i++) {
    const int32_t position = it->second[i];
    if (position >= 0 && static_cast<size_t>(position) < tuple.size()) values[i] = tuple[position];
  }
  return values;
}

spec::StructType PartitionColumnType(const spec::Schema& schema) {
  const spec::NestedField* column = schema.FindField("partition");
  if (column == nullptr) column = schema.FindField("data_file.partition");
  return column != nullptr && column->type.Is(spec::TypeKind::kStruct) ? column->type.AsStruct()
                                                                       : spec::StructType{};
}

}  // namespace iceblink::table
