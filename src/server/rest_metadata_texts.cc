#include "server/rest_metadata_texts.h"

#include <algorithm>
#include <set>

namespace iceblink::server {

spec::TableMetadata WithReferencedSnapshots(const spec::TableMetadata& metadata) {
  std::set<int64_t> named;
  for (const auto& [name, ref] : metadata.refs) named.insert(ref.snapshot_id);
  spec::TableMetadata out = metadata;
  std::erase_if(out.snapshots,
                [&](const spec::Snapshot& s) { return !named.contains(s.snapshot_id); });
  return out;
}

MetadataTexts::Text MetadataTexts::Get(const catalog::LoadedTable& table, SnapshotsMode mode) {
  const std::string key =
      table.metadata_location + (mode == SnapshotsMode::kAll ? "\nall" : "\nrefs");
  {
    std::lock_guard lock(mutex_);
    if (const auto at = by_key_.find(key); at != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, at->second);
      return at->second->second;
    }
  }
  auto text = std::make_shared<const std::string>(
      mode == SnapshotsMode::kAll
          ? spec::SerializeTableMetadata(*table.metadata)
          : spec::SerializeTableMetadata(WithReferencedSnapshots(*table.metadata)));
  std::lock_guard lock(mutex_);
  if (by_key_.contains(key) || text->size() > kMaxBytes / 4) return text;
  entries_.emplace_front(key, text);
  by_key_[key] = entries_.begin();
  bytes_ += text->size();
  while (bytes_ > kMaxBytes) {
    bytes_ -= entries_.back().second->size();
    by_key_.erase(entries_.back().first);
    entries_.pop_back();
  }
  return text;
}

}  // namespace iceblink::server
