#include "commit/expire.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "spec/properties.h"
#include "table/manifest_list.h"
#include "table/snapshots.h"

namespace iceblink::commit {

namespace {

constexpr size_t kDeleteBatch = 1000;

// Defaults for refs without settings of their own.
struct Limits {
  int64_t now_ms = 0;
  int64_t older_than_ms = 0;
  int64_t retain_last = 1;
  int64_t max_ref_age_ms = std::numeric_limits<int64_t>::max();
};

Result<Limits> LimitsOf(const spec::TableMetadata& metadata, const ExpireOptions& options,
                        int64_t now_ms) {
  Limits limits;
  limits.now_ms = now_ms;
  ASSIGN_OR_RETURN(const int64_t age,
                   spec::IntProperty(metadata.properties, spec::property::kMaxSnapshotAge));
  ASSIGN_OR_RETURN(const int64_t keep,
                   spec::IntProperty(metadata.properties, spec::property::kMinSnapshotsToKeep));
  ASSIGN_OR_RETURN(limits.max_ref_age_ms,
                   spec::IntProperty(metadata.properties, spec::property::kMaxRefAge));
  limits.older_than_ms = options.older_than_ms.value_or(now_ms - age);
  limits.retain_last = options.retain_last ? *options.retain_last : keep;
  return limits;
}

// Refs whose age keeps them.
std::map<std::string, spec::SnapshotRef> RetainedRefs(const spec::TableMetadata& metadata,
                                                      const Limits& limits) {
  std::map<std::string, spec::SnapshotRef> retained;
  for (const auto& [name, ref] : metadata.refs) {
    const spec::Snapshot* snapshot = metadata.SnapshotById(ref.snapshot_id);
    const bool young =
        snapshot != nullptr && limits.now_ms - snapshot->timestamp_ms <=
                                   ref.max_ref_age_ms.value_or(limits.max_ref_age_ms);
    if (name == spec::kMainBranch || young) retained.emplace(name, ref);
  }
  return retained;
}

void RetainBranch(const spec::TableMetadata& metadata, const spec::SnapshotRef& ref,
                  const Limits& limits, std::set<int64_t>& retained) {
  const int64_t cutoff =
      ref.max_snapshot_age_ms ? limits.now_ms - *ref.max_snapshot_age_ms : limits.older_than_ms;
  const int64_t keep = ref.min_snapshots_to_keep ? *ref.min_snapshots_to_keep : limits.retain_last;
  int64_t kept = 0;
  for (const spec::Snapshot* ancestor : table::AncestorsOf(metadata, ref.snapshot_id)) {
    if (kept >= keep && ancestor->timestamp_ms < cutoff) return;
    retained.insert(ancestor->snapshot_id);
    kept++;
  }
}

std::set<int64_t> RetainedSnapshots(const spec::TableMetadata& metadata,
                                    const std::map<std::string, spec::SnapshotRef>& refs,
                                    const Limits& limits) {
  std::set<int64_t> retained;
  std::set<int64_t> referenced;
  for (const auto& [name, ref] : refs) {
    retained.insert(ref.snapshot_id);
    referenced.insert(ref.snapshot_id);
    if (!ref.is_branch()) continue;
    RetainBranch(metadata, ref, limits, retained);
    for (const spec::Snapshot* ancestor : table::AncestorsOf(metadata, ref.snapshot_id)) {
      referenced.insert(ancestor->snapshot_id);
    }
  }
  for (const spec::Snapshot& snapshot : metadata.snapshots) {
    const bool loose = !referenced.contains(snapshot.snapshot_id);
    if (loose && snapshot.timestamp_ms >= limits.older_than_ms)
      retained.insert(snapshot.snapshot_id);
  }
  return retained;
}

Status CheckExplicitIds(const std::vector<int64_t>& ids,
                        const std::map<std::string, spec::SnapshotRef>& refs) {
  for (int64_t id : ids) {
    std::vector<std::string> names;
    for (const auto& [name, ref] : refs) {
      if (ref.snapshot_id == id) names.push_back(name);
    }
    if (!names.empty()) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("Cannot expire {}. Still referenced by refs: [{}]", id, Join(names, ", ")),
          "IllegalArgumentException");
    }
  }
  return {};
}

// Specs and schemas that no kept snapshot uses.
Status PlanMetadata(io::FileSystem& files, const spec::TableMetadata& metadata,
                    const std::set<int64_t>& removed, ExpirePlan& plan) {
  std::set<int32_t> specs = {metadata.default_spec_id};
  std::set<int32_t> schemas = {metadata.current_schema_id};
  const table::ReadContext context{&files, nullptr};
  for (const spec::Snapshot& snapshot : metadata.snapshots) {
    if (removed.contains(snapshot.snapshot_id)) continue;
    if (snapshot.schema_id) schemas.insert(*snapshot.schema_id);
    if (metadata.specs.size() == 1) continue;
    RETURN_IF_ERROR(
        table::ForEachManifest(context, snapshot, [&](spec::ManifestFile&& manifest) -> Status {
          specs.insert(manifest.spec_id);
          return {};
        }));
  }
  for (const spec::PartitionSpec& spec : metadata.specs) {
    if (!specs.contains(spec.spec_id)) plan.spec_ids.push_back(spec.spec_id);
  }
  for (const spec::Schema& schema : metadata.schemas) {
    if (!schemas.contains(schema.schema_id())) plan.schema_ids.push_back(schema.schema_id());
  }
  return {};
}

std::vector<spec::TableUpdate> UpdatesOf(const ExpirePlan& plan) {
  std::vector<spec::TableUpdate> updates;
  for (const std::string& ref : plan.refs)
    updates.emplace_back(spec::update::RemoveSnapshotRef{ref});
  if (!plan.snapshot_ids.empty())
    updates.emplace_back(spec::update::RemoveSnapshots{plan.snapshot_ids});
  if (!plan.spec_ids.empty())
    updates.emplace_back(spec::update::RemovePartitionSpecs{plan.spec_ids});
  if (!plan.schema_ids.empty()) updates.emplace_back(spec::update::RemoveSchemas{plan.schema_ids});
  return updates;
}

}  // namespace

Result<ExpirePlan> PlanExpiry(io::FileSystem& files, const spec::TableMetadata& metadata,
                              const ExpireOptions& options, int64_t now_ms) {
  RETURN_IF_ERROR(CheckGcEnabled(metadata, "expire snapshots"));
  if (options.retain_last && *options.retain_last < 1) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Number of snapshots to retain must be at least 1, cannot be: {}",
                            *options.retain_last),
                "IllegalArgumentException");
  }
  ExpirePlan plan;
  if (metadata.snapshots.empty()) return plan;
  ASSIGN_OR_RETURN(const Limits limits, LimitsOf(metadata, options, now_ms));
  const auto refs = RetainedRefs(metadata, limits);
  RETURN_IF_ERROR(CheckExplicitIds(options.snapshot_ids, refs));
  const std::set<int64_t> retained = RetainedSnapshots(metadata, refs, limits);
  std::set<int64_t> removed(options.snapshot_ids.begin(), options.snapshot_ids.end());
  for (const spec::Snapshot& snapshot : metadata.snapshots) {
    if (!retained.contains(snapshot.snapshot_id)) removed.insert(snapshot.snapshot_id);
  }
  std::erase_if(removed, [&](int64_t id) { return metadata.SnapshotById(id) == nullptr; });
  plan.snapshot_ids.assign(removed.begin(), removed.end());
  for (const auto& [name, ref] : metadata.refs) {
    if (!refs.contains(name)) plan.refs.push_back(name);
  }
  if (options.clean_expired_metadata) RETURN_IF_ERROR(PlanMetadata(files, metadata, removed, plan));
  return plan;
}

Result<ExpireResult> ExpireSnapshots(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                     const ExpireOptions& options) {
  io::FileSystem& files = catalog.file_system();
  ExpireResult result;
  spec::TableMetadata before;
  const int64_t now_ms = options.clock->NowMillis();
  auto step = [&](const spec::TableMetadata& base) -> Result<std::vector<spec::TableUpdate>> {
    ASSIGN_OR_RETURN(result.plan, PlanExpiry(files, base, options, now_ms));
    before = base;
    return UpdatesOf(result.plan);
  };
  Transaction::Options transaction;
  transaction.clock = options.clock;
  ASSIGN_OR_RETURN(result.outcome, CommitUpdates(catalog, id, step, transaction));
  if (!result.outcome.committed) return result;

  std::vector<std::string> batch;
  auto flush = [&] {
    if (batch.empty()) return;
    if (options.delete_files) {
      options.delete_files(batch);
    } else {
      files.DeleteMany(batch, [](const std::string& path, const Error& error) {
        LogWarn(fmt::format("Cannot delete expired file {}: {}", path, error.message));
      });
    }
    batch.clear();
  };
  const table::ReadContext context{&files, nullptr};
  RETURN_IF_ERROR(VisitFilesOfRemovedSnapshots(context, before, *result.outcome.table.metadata,
                                               [&](const table::ReachableFile& file) -> Status {
                                                 result.deleted.Add(file.kind);
                                                 batch.push_back(file.path);
                                                 if (batch.size() >= kDeleteBatch) flush();
                                                 return {};
                                               }));
  flush();
  return result;
}

}  // namespace iceblink::commit
