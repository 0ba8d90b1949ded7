#include "commit/snapshot_change.h"

#include <fmt/format.h>

#include <array>

#include "base/strings.h"

namespace iceblink::commit {

namespace {

constexpr std::array<KindRules, 8> kRules = {{
    // kind, filters, merges, takes_files, takes_deletes, requires_removed_files
    {ChangeKind::kFastAppend, false, false, true, false, false},
    {ChangeKind::kMergeAppend, true, true, true, false, false},
    {ChangeKind::kOverwrite, true, true, true, false, false},
    {ChangeKind::kReplacePartitions, true, true, true, false, false},
    {ChangeKind::kRowDelta, true, true, true, true, false},
    {ChangeKind::kDeleteFiles, true, true, false, false, false},
    {ChangeKind::kRewriteFiles, true, true, true, true, true},
    {ChangeKind::kRewriteManifests, false, false, false, false, false},
}};

bool RemovesData(const SnapshotChange& change) {
  return !change.removed_files.empty() || !change.removed_paths.empty() ||
         (change.row_filter && !change.row_filter->is_false());
}

const char* OverwriteOperation(bool adds, bool removes) {
  if (removes && !adds) return spec::operation::kDelete;
  if (adds && !removes) return spec::operation::kAppend;
  return spec::operation::kOverwrite;
}

const char* RowDeltaOperation(const SnapshotChange& change) {
  const bool adds_data = !change.added_files.empty();
  const bool adds_deletes = !change.added_deletes.empty();
  if (adds_data && !adds_deletes && !RemovesData(change)) return spec::operation::kAppend;
  if (adds_deletes && !adds_data) return spec::operation::kDelete;
  return spec::operation::kOverwrite;
}

Status CheckRewrite(const SnapshotChange& change) {
  auto fail = [](const char* message) {
    return Fail(ErrorCode::kInvalidArgument, message, "IllegalArgumentException");
  };
  if (change.removed_files.empty() && change.removed_deletes.empty())
    return fail("Files to delete cannot be empty");
  if (change.removed_files.empty() && !change.added_files.empty()) {
    return fail("Data files to add must be empty because there's no data file to be rewritten");
  }
  if (change.removed_deletes.empty() && !change.added_deletes.empty()) {
    return fail("Delete files to add must be empty because there's no delete file to be rewritten");
  }
  return {};
}

Status CheckAppendedManifest(const spec::ManifestFile& manifest) {
  const char* message = nullptr;
  if (manifest.content == spec::ManifestContent::kDeletes) {
    message = "Cannot append delete manifest";
  } else if (manifest.has_existing_files()) {
    message = "Cannot append manifest with existing files";
  } else if (manifest.has_deleted_files()) {
    message = "Cannot append manifest with deleted files";
  } else if (manifest.added_snapshot_id > 0) {
    message = "Snapshot id must be assigned during commit";
  } else if (manifest.sequence_number != spec::ManifestFile::kUnassignedSequence) {
    message = "Sequence number must be assigned during commit";
  }
  if (message != nullptr)
    return Fail(ErrorCode::kInvalidArgument, message, "IllegalArgumentException");
  if (manifest.first_row_id) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot append manifest with assigned first_row_id: {}",
                            *manifest.first_row_id),
                "IllegalArgumentException");
  }
  return {};
}

}  // namespace

const KindRules& RulesOf(ChangeKind kind) { return kRules[static_cast<size_t>(kind)]; }

std::string OperationOf(const SnapshotChange& change) {
  if (change.operation) return *change.operation;
  switch (change.kind) {
    case ChangeKind::kFastAppend:
    case ChangeKind::kMergeAppend:
      return spec::operation::kAppend;
    case ChangeKind::kOverwrite:
      return OverwriteOperation(!change.added_files.empty(), RemovesData(change));
    case ChangeKind::kReplacePartitions:
      return spec::operation::kOverwrite;
    case ChangeKind::kRowDelta:
      return RowDeltaOperation(change);
    case ChangeKind::kDeleteFiles:
      return spec::operation::kDelete;
    case ChangeKind::kRewriteFiles:
    case ChangeKind::kRewriteManifests:
      return spec::operation::kReplace;
  }
  return {};
}

Status CheckChange(const SnapshotChange& change) {
  const KindRules& rules = RulesOf(change.kind);
  if ((!rules.takes_files && !change.added_files.empty()) ||
      (!rules.takes_deletes && !change.added_deletes.empty())) {
    return Fail(ErrorCode::kInternal, "this kind of change cannot add these files");
  }
  for (const spec::ManifestFile& manifest : change.appended_manifests) {
    RETURN_IF_ERROR(CheckAppendedManifest(manifest));
  }
  if (change.kind == ChangeKind::kRewriteFiles) return CheckRewrite(change);
  return {};
}

Result<Isolation> ParseIsolation(std::string_view name) {
  if (EqualsIgnoreCase(name, "serializable")) return Isolation::kSerializable;
  if (EqualsIgnoreCase(name, "snapshot")) return Isolation::kSnapshot;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid isolation level: {}", name),
              "IllegalArgumentException");
}

Validation CopyOnWriteValidation(Isolation isolation, std::optional<int64_t> scan_snapshot,
                                 expr::Expression filter) {
  Validation validation;
  if (!scan_snapshot) return validation;
  validation.from_snapshot = scan_snapshot;
  validation.conflict_filter = std::move(filter);
  validation.no_conflicting_data = isolation == Isolation::kSerializable;
  validation.no_conflicting_deletes = true;
  return validation;
}

Validation MergeOnReadValidation(RowCommand command, Isolation isolation,
                                 std::optional<int64_t> scan_snapshot, expr::Expression filter,
                                 std::vector<std::string> referenced_files) {
  Validation validation;
  validation.from_snapshot = scan_snapshot;
  validation.conflict_filter = std::move(filter);
  validation.referenced_data_files = std::move(referenced_files);
  const bool rewrites = command != RowCommand::kDelete;
  validation.deleted_files = rewrites;
  validation.no_conflicting_deletes = rewrites;
  validation.no_conflicting_data = isolation == Isolation::kSerializable;
  return validation;
}

}  // namespace iceblink::commit
