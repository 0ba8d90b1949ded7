// Requirements of the REST protocol: checking them, and deriving those of a set of updates.
#include <fmt/format.h>

#include "base/strings.h"
#include "spec/updates.h"

namespace iceblink::spec {
namespace {

Status Failed(std::string why) {
  Error error = Error::Make(ErrorCode::kConflict, "Requirement failed: " + std::move(why),
                            "CommitFailedException");
  error.retryable = true;
  return Fail(std::move(error));
}

template <typename T>
Status Same(std::string_view what, const T& expected, const T& actual) {
  if (expected == actual) return {};
  return Failed(fmt::format("{} changed: expected id {} != {}", what, expected, actual));
}

// Checks one requirement of a table that exists.
struct Checker {
  const TableMetadata& base;

  Status operator()(const requirement::AssertCreate&) const {
    return Failed("table already exists");
  }
  Status operator()(const requirement::AssertTableUuid& r) const {
    if (EqualsIgnoreCase(base.uuid, r.uuid)) return {};
    return Failed(fmt::format("UUID does not match: expected {} != {}", base.uuid, r.uuid));
  }
  Status operator()(const requirement::AssertRefSnapshotId& r) const {
    const SnapshotRef* ref = base.Ref(r.ref);
    if (ref == nullptr) {
      if (!r.snapshot_id) return {};
      return Failed(fmt::format("branch or tag {} is missing, expected {}", r.ref, *r.snapshot_id));
    }
    std::string_view type = ref->is_branch() ? "branch" : "tag";
    if (!r.snapshot_id) return Failed(fmt::format("{} {} was created concurrently", type, r.ref));
    if (*r.snapshot_id == ref->snapshot_id) return {};
    return Failed(fmt::format("{} {} has changed: expected id {} != {}", type, r.ref,
                              *r.snapshot_id, ref->snapshot_id));
  }
  Status operator()(const requirement::AssertLastAssignedFieldId& r) const {
    return Same("last assigned field id", r.last_assigned_field_id, base.last_column_id);
  }
  Status operator()(const requirement::AssertCurrentSchemaId& r) const {
    return Same("current schema", r.schema_id, base.current_schema_id);
  }
  Status operator()(const requirement::AssertLastAssignedPartitionId& r) const {
    return Same("last assigned partition id", r.last_assigned_partition_id, base.last_partition_id);
  }
  Status operator()(const requirement::AssertDefaultSpecId& r) const {
    return Same("default partition spec", r.spec_id, base.default_spec_id);
  }
  Status operator()(const requirement::AssertDefaultSortOrderId& r) const {
    return Same("default sort order", r.sort_order_id, base.default_sort_order_id);
  }
};

// Collects the requirements of updates, each kind at most once. `base` is null for a create.
class Collector {
 public:
  Collector(const TableMetadata* base, bool replace) : base_(base), replace_(replace) {}

  void Add(const TableUpdate& update) {
    if (base_ == nullptr) return;
    std::visit([this](const auto& u) { On(u); }, update);
  }
  std::vector<TableRequirement> out;

 private:
  template <typename Update>
  void On(const Update&) {}
  void On(const update::SetSnapshotRef& u) { RequireRef(u.name); }
  void On(const update::AddSchema&) {
    if (Once("schema"))
      out.push_back(requirement::AssertLastAssignedFieldId{base_->last_column_id});
  }
  void On(const update::SetCurrentSchema&) { RequireSchema(); }
  void On(const update::AddSpec&) {
    if (Once("spec"))
      out.push_back(requirement::AssertLastAssignedPartitionId{base_->last_partition_id});
  }
  void On(const update::SetDefaultSpec&) { RequireSpec(); }
  void On(const update::SetDefaultSortOrder&) {
    if (!replace_ && Once("order"))
      out.push_back(requirement::AssertDefaultSortOrderId{base_->default_sort_order_id});
  }
  void On(const update::RemovePartitionSpecs&) {
    RequireSpec();
    RequireBranches();
  }
  void On(const update::RemoveSchemas&) {
    RequireSchema();
    RequireBranches();
  }

  void RequireSchema() {
    if (!replace_ && Once("current schema")) {
      out.push_back(requirement::AssertCurrentSchemaId{base_->current_schema_id});
    }
  }
  void RequireSpec() {
    if (!replace_ && Once("default spec"))
      out.push_back(requirement::AssertDefaultSpecId{base_->default_spec_id});
  }
  void RequireRef(const std::string& name) {
    if (replace_ || !Once("ref " + name)) return;
    const SnapshotRef* ref = base_->Ref(name);
    out.push_back(requirement::AssertRefSnapshotId{
        name, ref == nullptr ? std::nullopt : std::optional<int64_t>(ref->snapshot_id)});
  }
  void RequireBranches() {
    for (const auto& [name, ref] : base_->refs) {
      if (ref.is_branch()) RequireRef(name);
    }
  }
  bool Once(std::string what) { return seen_.insert(std::move(what)).second; }

  const TableMetadata* base_;
  bool replace_;
  std::set<std::string> seen_;
};

std::vector<TableRequirement> Collect(const TableMetadata& base,
                                      std::span<const TableUpdate> updates, bool replace) {
  Collector collector(&base, replace);
  collector.out.push_back(requirement::AssertTableUuid{base.uuid});
  for (const TableUpdate& update : updates) collector.Add(update);
  return std::move(collector.out);
}

}  // namespace

Status CheckRequirements(const TableMetadata* base,
                         std::span<const TableRequirement> requirements) {
  for (const TableRequirement& requirement : requirements) {
    if (base != nullptr) {
      RETURN_IF_ERROR(std::visit(Checker{*base}, requirement));
    } else if (std::holds_alternative<requirement::AssertTableUuid>(requirement)) {
      return Failed("table does not exist");
    }
  }
  return {};
}

std::vector<TableRequirement> RequirementsForUpdate(const TableMetadata& base,
                                                    std::span<const TableUpdate> updates) {
  return Collect(base, updates, false);
}

std::vector<TableRequirement> RequirementsForCreate(std::span<const TableUpdate>) {
  return {requirement::AssertCreate{}};
}

std::vector<TableRequirement> RequirementsForReplace(const TableMetadata& base,
                                                     std::span<const TableUpdate> updates) {
  return Collect(base, updates, true);
}

}  // namespace iceblink::spec
