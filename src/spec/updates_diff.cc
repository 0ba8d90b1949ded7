// Updates that lead from one metadata value to another, for catalogs that take updates rather than
// files.
#include <algorithm>

#include "spec/updates.h"

namespace iceblink::spec {
namespace {

class Diff {
 public:
  Diff(const TableMetadata& from, const TableMetadata& to) : from_(from), to_(to) {}

  std::vector<TableUpdate> Run() {
    if (to_.format_version != from_.format_version)
      Add(update::UpgradeFormatVersion{to_.format_version});
    for (const auto& [name, ref] : from_.refs) {
      if (to_.Ref(name) == nullptr) Add(update::RemoveSnapshotRef{name});
    }
    Schemas();
    Specs();
    SortOrders();
    if (to_.location != from_.location) Add(update::SetLocation{to_.location});
    PropertyChanges();
    Snapshots();
    Statistics();
    Removals();
    return std::move(out_);
  }

 private:
  void Add(TableUpdate update) { out_.push_back(std::move(update)); }

  void Schemas() {
    bool added = false;
    for (const Schema& schema : to_.schemas) {
      if (from_.SchemaById(schema.schema_id()) != nullptr) continue;
      Add(update::AddSchema{schema, to_.last_column_id});
      added = schema.schema_id() == to_.current_schema_id;
    }
    if (to_.current_schema_id == from_.current_schema_id) return;
    Add(update::SetCurrentSchema{added ? update::kLastAdded : to_.current_schema_id});
  }

  void Specs() {
    bool added = false;
    for (const PartitionSpec& spec : to_.specs) {
      if (from_.SpecById(spec.spec_id) != nullptr) continue;
      Add(update::AddSpec{spec});
      added = spec.spec_id == to_.default_spec_id;
    }
    if (to_.default_spec_id == from_.default_spec_id) return;
    Add(update::SetDefaultSpec{added ? update::kLastAdded : to_.default_spec_id});
  }

  void SortOrders() {
    bool added = false;
    for (const SortOrder& order : to_.sort_orders) {
      if (from_.SortOrderById(order.order_id) != nullptr) continue;
      Add(update::AddSortOrder{order});
      added = order.order_id == to_.default_sort_order_id;
    }
    if (to_.default_sort_order_id == from_.default_sort_order_id) return;
    Add(update::SetDefaultSortOrder{added ? update::kLastAdded : to_.default_sort_order_id});
  }

  void PropertyChanges() {
    update::SetProperties set;
    for (const auto& [key, value] : to_.properties) {
      auto it = from_.properties.find(key);
      if (it == from_.properties.end() || it->second != value) set.updates[key] = value;
    }
    if (!set.updates.empty()) Add(std::move(set));
    update::RemoveProperties removed;
    for (const auto& [key, value] : from_.properties) {
      if (!to_.properties.contains(key)) removed.removals.push_back(key);
    }
    if (!removed.removals.empty()) Add(std::move(removed));
  }

  void Snapshots() {
    for (const Snapshot& snapshot : to_.snapshots) {
      if (from_.SnapshotById(snapshot.snapshot_id) == nullptr) Add(update::AddSnapshot{snapshot});
    }
    for (const auto& [name, ref] : to_.refs) {
      const SnapshotRef* old = from_.Ref(name);
      if (old == nullptr || *old != ref) Add(update::SetSnapshotRef{name, ref});
    }
    update::RemoveSnapshots removed;
    for (const Snapshot& snapshot : from_.snapshots) {
      if (to_.SnapshotById(snapshot.snapshot_id) == nullptr)
        removed.snapshot_ids.push_back(snapshot.snapshot_id);
    }
    if (!removed.snapshot_ids.empty()) Add(std::move(removed));
  }

  void Statistics() {
    for (const StatisticsFile& file : to_.statistics) {
      auto& old = from_.statistics;
      if (std::find(old.begin(), old.end(), file) == old.end()) Add(update::SetStatistics{file});
    }
    for (const PartitionStatisticsFile& file : to_.partition_statistics) {
      auto& old = from_.partition_statistics;
      if (std::find(old.begin(), old.end(), file) == old.end())
        Add(update::SetPartitionStatistics{file});
    }
    for (const EncryptedKey& key : to_.encryption_keys) {
      auto& old = from_.encryption_keys;
      if (std::find(old.begin(), old.end(), key) == old.end()) Add(update::AddEncryptionKey{key});
    }
  }

  template <typename File>
  static bool Has(const std::vector<File>& files, int64_t snapshot_id) {
    return std::any_of(files.begin(), files.end(),
                       [&](const File& file) { return file.snapshot_id == snapshot_id; });
  }

  // What is gone though nothing took its place; files of snapshots that are gone go with them.
  void Removals() {
    for (const StatisticsFile& file : from_.statistics) {
      if (to_.SnapshotById(file.snapshot_id) != nullptr && !Has(to_.statistics, file.snapshot_id))
        Add(update::RemoveStatistics{file.snapshot_id});
    }
    for (const PartitionStatisticsFile& file : from_.partition_statistics) {
      if (to_.SnapshotById(file.snapshot_id) != nullptr &&
          !Has(to_.partition_statistics, file.snapshot_id))
        Add(update::RemovePartitionStatistics{file.snapshot_id});
    }
    update::RemovePartitionSpecs specs;
    for (const PartitionSpec& spec : from_.specs) {
      if (to_.SpecById(spec.spec_id) == nullptr) specs.spec_ids.push_back(spec.spec_id);
    }
    if (!specs.spec_ids.empty()) Add(std::move(specs));
    update::RemoveSchemas schemas;
    for (const Schema& schema : from_.schemas) {
      if (to_.SchemaById(schema.schema_id()) == nullptr)
        schemas.schema_ids.push_back(schema.schema_id());
    }
    if (!schemas.schema_ids.empty()) Add(std::move(schemas));
    for (const EncryptedKey& key : from_.encryption_keys) {
      const auto same = [&](const EncryptedKey& other) { return other.key_id == key.key_id; };
      if (std::none_of(to_.encryption_keys.begin(), to_.encryption_keys.end(), same))
        Add(update::RemoveEncryptionKey{key.key_id});
    }
  }

  const TableMetadata& from_;
  const TableMetadata& to_;
  std::vector<TableUpdate> out_;
};

}  // namespace

std::vector<TableUpdate> UpdatesForCreate(const TableMetadata& metadata) {
  TableMetadata nothing;
  nothing.format_version = metadata.format_version;
  nothing.current_schema_id = nothing.default_spec_id = nothing.default_sort_order_id =
      update::kLastAdded;
  std::vector<TableUpdate> out = {update::AssignUuid{metadata.uuid},
                                  update::UpgradeFormatVersion{metadata.format_version}};
  std::vector<TableUpdate> rest = Diff(nothing, metadata).Run();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::vector<TableUpdate> UpdatesForReplace(const TableMetadata& base,
                                           const TableMetadata& metadata) {
  return Diff(base, metadata).Run();
}

}  // namespace iceblink::spec
