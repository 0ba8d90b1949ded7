#include "spec/table_metadata.h"

namespace iceblink::spec {
namespace {

template <typename Items, typename Match>
auto FindIn(const Items& items, Match match) -> decltype(&items.front()) {
  for (const auto& item : items) {
    if (match(item)) return &item;
  }
  return nullptr;
}

}  // namespace

const Schema& TableMetadata::schema() const { return *SchemaById(current_schema_id); }
const PartitionSpec& TableMetadata::spec() const { return *SpecById(default_spec_id); }
const SortOrder& TableMetadata::sort_order() const { return *SortOrderById(default_sort_order_id); }

const Schema* TableMetadata::SchemaById(int32_t id) const {
  return FindIn(schemas, [id](const Schema& schema) { return schema.schema_id() == id; });
}

const PartitionSpec* TableMetadata::SpecById(int32_t id) const {
  return FindIn(specs, [id](const PartitionSpec& spec) { return spec.spec_id == id; });
}

const SortOrder* TableMetadata::SortOrderById(int32_t id) const {
  return FindIn(sort_orders, [id](const SortOrder& order) { return order.order_id == id; });
}

const Snapshot* TableMetadata::SnapshotById(int64_t id) const {
  return FindIn(snapshots, [id](const Snapshot& snapshot) { return snapshot.snapshot_id == id; });
}

const Snapshot* TableMetadata::CurrentSnapshot() const {
  return current_snapshot_id ? SnapshotById(*current_snapshot_id) : nullptr;
}

const SnapshotRef* TableMetadata::Ref(std::string_view name) const {
  auto it = refs.find(std::string(name));
  return it == refs.end() ? nullptr : &it->second;
}

const Snapshot* TableMetadata::SnapshotOfRef(std::string_view name) const {
  const SnapshotRef* ref = Ref(name);
  return ref == nullptr ? nullptr : SnapshotById(ref->snapshot_id);
}

const Schema& TableMetadata::SchemaOfSnapshot(const Snapshot& snapshot) const {
  const Schema* own = snapshot.schema_id ? SchemaById(*snapshot.schema_id) : nullptr;
  return own != nullptr ? *own : schema();
}

std::string TableMetadata::Property(std::string_view key, std::string_view fallback) const {
  auto it = properties.find(std::string(key));
  return it == properties.end() ? std::string(fallback) : it->second;
}

}  // namespace iceblink::spec
