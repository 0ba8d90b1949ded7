#include "commit/validation.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <unordered_set>

#include "base/strings.h"
#include "commit/entry_matcher.h"
#include "commit/partition_set.h"
#include "table/delete_index.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/snapshots.h"

namespace iceblink::commit {

namespace {

using OperationSet = std::set<std::string_view>;
const OperationSet kAddsData = {"append", "overwrite"};
const OperationSet kRemovesData = {"overwrite", "replace", "delete"};
const OperationSet kRemovesDataButDeletes = {"overwrite", "replace"};
const OperationSet kAddsDeletes = {"overwrite", "delete"};
const OperationSet kAddsVectors = {"overwrite", "delete", "replace"};

tl::unexpected<Error> Conflict(std::string message) {
  return Fail(ErrorCode::kConflict, std::move(message), "ValidationException");
}

std::string ListText(const std::vector<std::string>& items) {
  return "[" + Join(items, ", ") + "]";
}

// What a check looks for: rows matching a filter, or partitions. Neither: everything.
struct Scope {
  std::optional<expr::Expression> filter;
  const PartitionSet* partitions = nullptr;
};

// Manifests of one content that snapshots of the window wrote, and the ids of those snapshots.
struct History {
  std::vector<spec::ManifestFile> manifests;
  std::set<int64_t> snapshots;
};

class Validator {
 public:
  Validator(const ValidationTarget& target, const SnapshotChange& change)
      : target_(target), change_(change), validation_(change.validation) {}

  Status Overwrite() const;
  Status RowDelta() const;
  Status ReplacePartitions() const;
  Status RewriteFiles() const;

 private:
  Result<History> HistoryOf(const OperationSet& operations, spec::ManifestContent content) const;
  // Paths of the entries for which `wanted` holds, within the scope.
  template <typename Wanted>
  Result<std::vector<std::string>> FindData(const OperationSet& operations, const Scope& scope,
                                            Wanted wanted) const;
  Result<std::vector<table::DeleteFilePtr>> NewDeletes(const Scope& scope) const;
  std::string Text(const Scope& scope) const;

  Status NoNewData(const Scope& scope) const;
  Status NoRemovedData(const Scope& scope) const;
  Status NoNewDeleteFiles(const Scope& scope) const;
  Status NoNewDeletesFor(const std::vector<RemovedFile>& files,
                         std::optional<expr::Expression> filter, bool ignore_equality) const;
  Status DataFilesExist() const;
  Status NoSelfReference() const;
  Status NoNewVectors() const;
  Status AddedFilesMatchFilter() const;
  int64_t StartingSequence() const;
  expr::Expression ConflictFilter() const {
    return validation_.conflict_filter.value_or(expr::Expression::True());
  }

  const ValidationTarget& target_;
  const SnapshotChange& change_;
  const Validation& validation_;
};

Result<History> Validator::HistoryOf(const OperationSet& operations,
                                     spec::ManifestContent content) const {
  History history;
  if (target_.parent == nullptr) return history;
  ASSIGN_OR_RETURN(const auto window, table::HistoryWindow(target_.base, validation_.from_snapshot,
                                                           target_.parent->snapshot_id));
  for (const spec::Snapshot* snapshot : window) {
    if (!snapshot->operation || !operations.contains(*snapshot->operation)) continue;
    history.snapshots.insert(snapshot->snapshot_id);
    ASSIGN_OR_RETURN(const auto* manifests, target_.lists.Of(*snapshot));
    for (const spec::ManifestFile& manifest : *manifests) {
      if (manifest.content == content && manifest.added_snapshot_id == snapshot->snapshot_id) {
        history.manifests.push_back(manifest);
      }
    }
  }
  return history;
}

Result<std::unique_ptr<EntryMatcher>> MatcherOf(const ValidationTarget& target,
                                                const SnapshotChange& change, const Scope& scope) {
  if (!scope.filter || scope.filter->is_true()) return std::unique_ptr<EntryMatcher>();
  return EntryMatcher::Make(*scope.filter, target.base.schema(), target.types,
                            change.case_sensitive);
}

Result<bool> InScope(const Scope& scope, const EntryMatcher* matcher, const spec::DataFile& file) {
  if (scope.partitions != nullptr && !scope.partitions->Contains(file.spec_id, file.partition))
    return false;
  return matcher == nullptr ? Result<bool>(true) : matcher->MayMatch(file);
}

table::ManifestReadOptions ReadFor(const EntryMatcher* matcher) {
  table::ManifestReadOptions options;
  options.split_offsets = false;
  options.stats = matcher == nullptr ? table::StatsSelection::None()
                                     : table::StatsSelection::Of(matcher->field_ids());
  return options;
}

template <typename Wanted>
Result<std::vector<std::string>> Validator::FindData(const OperationSet& operations,
                                                     const Scope& scope, Wanted wanted) const {
  std::vector<std::string> found;
  ASSIGN_OR_RETURN(const History history, HistoryOf(operations, spec::ManifestContent::kData));
  if (history.manifests.empty()) return found;
  ASSIGN_OR_RETURN(const auto matcher, MatcherOf(target_, change_, scope));
  auto visit = [&](const spec::ManifestEntry& entry) -> Status {
    if (!history.snapshots.contains(entry.snapshot_id.value_or(0)) || !wanted(entry)) return {};
    ASSIGN_OR_RETURN(const bool in_scope, InScope(scope, matcher.get(), entry.data_file));
    if (in_scope) found.push_back(entry.data_file.file_path);
    return {};
  };
  for (const spec::ManifestFile& manifest : history.manifests) {
    if (matcher != nullptr) {
      ASSIGN_OR_RETURN(const bool may, matcher->ManifestMayMatch(manifest));
      if (!may) continue;
    }
    RETURN_IF_ERROR(
        table::ForEachEntry(target_.read, manifest, target_.types, ReadFor(matcher.get()), visit));
  }
  return found;
}

std::string Validator::Text(const Scope& scope) const {
  return scope.partitions != nullptr ? scope.partitions->ToString(target_.types)
                                     : scope.filter->ToString();
}

Status Validator::NoNewData(const Scope& scope) const {
  ASSIGN_OR_RETURN(const auto found,
                   FindData(kAddsData, scope, [](const spec::ManifestEntry& entry) {
                     return entry.status == spec::EntryStatus::kAdded;
                   }));
  if (found.empty()) return {};
  return Conflict(fmt::format("Found conflicting files that can contain records matching {}{}: {}",
                              scope.partitions != nullptr ? "partitions " : "", Text(scope),
                              ListText(found)));
}

Status Validator::NoRemovedData(const Scope& scope) const {
  ASSIGN_OR_RETURN(const auto found,
                   FindData(kRemovesData, scope, [](const spec::ManifestEntry& entry) {
                     return entry.status == spec::EntryStatus::kDeleted;
                   }));
  if (found.empty()) return {};
  return Conflict(fmt::format("Found conflicting deleted files that can {} records matching {}: {}",
                              scope.partitions != nullptr ? "apply to" : "contain", Text(scope),
                              ListText(found)));
}

int64_t Validator::StartingSequence() const {
  if (!validation_.from_snapshot) return 0;
  const spec::Snapshot* start = target_.base.SnapshotById(*validation_.from_snapshot);
  return start == nullptr ? 0 : start->sequence_number;
}

Result<std::vector<table::DeleteFilePtr>> Validator::NewDeletes(const Scope& scope) const {
  std::vector<table::DeleteFilePtr> deletes;
  if (target_.base.format_version < 2) return deletes;
  ASSIGN_OR_RETURN(const History history, HistoryOf(kAddsDeletes, spec::ManifestContent::kDeletes));
  if (history.manifests.empty()) return deletes;
  ASSIGN_OR_RETURN(const auto matcher, MatcherOf(target_, change_, scope));
  table::ManifestReadOptions
      options;  // bounds name the data file and decide which equality deletes apply
  options.live_only = true;
  options.split_offsets = false;
  const int64_t start = StartingSequence();
  auto visit = [&](const spec::ManifestEntry& entry) -> Status {
    const int64_t sequence = entry.sequence_number.value_or(0);
    if (sequence <= start) return {};
    ASSIGN_OR_RETURN(const bool in_scope, InScope(scope, matcher.get(), entry.data_file));
    if (in_scope)
      deletes.push_back(
          std::make_shared<table::DeleteFile>(table::DeleteFile{entry.data_file, sequence}));
    return {};
  };
  for (const spec::ManifestFile& manifest : history.manifests) {
    if (matcher != nullptr) {
      ASSIGN_OR_RETURN(const bool may, matcher->ManifestMayMatch(manifest));
      if (!may) continue;
    }
    RETURN_IF_ERROR(table::ForEachEntry(target_.read, manifest, target_.types, options, visit));
  }
  return deletes;
}

Status Validator::NoNewDeleteFiles(const Scope& scope) const {
  ASSIGN_OR_RETURN(const auto deletes, NewDeletes(scope));
  if (deletes.empty()) return {};
  std::vector<std::string> paths;
  for (const auto& file : deletes) paths.push_back(file->file.file_path);
  return Conflict(
      fmt::format("Found new conflicting delete files that can apply to records matching {}: {}",
                  Text(scope), ListText(paths)));
}

Status Validator::NoNewDeletesFor(const std::vector<RemovedFile>& files,
                                  std::optional<expr::Expression> filter,
                                  bool ignore_equality) const {
  ASSIGN_OR_RETURN(auto deletes, NewDeletes(Scope{std::move(filter), nullptr}));
  if (deletes.empty()) return {};
  ASSIGN_OR_RETURN(const auto index, table::DeleteIndex::Build(std::move(deletes), target_.types,
                                                               target_.base.schema()));
  const int64_t start = StartingSequence();
  for (const RemovedFile& removed : files) {
    ASSIGN_OR_RETURN(const auto applying, index.For(removed.file, start));
    for (const auto& file : applying) {
      const bool position = file->file.content == spec::DataFileContent::kPositionDeletes;
      if (ignore_equality && !position) continue;
      return Conflict(fmt::format("Cannot commit, found new {} for replaced data file: {}",
                                  ignore_equality ? "position delete" : "delete",
                                  removed.file.file_path));
    }
  }
  return {};
}

Status Validator::DataFilesExist() const {
  if (validation_.referenced_data_files.empty()) return {};
  const std::unordered_set<std::string_view> required(validation_.referenced_data_files.begin(),
                                                      validation_.referenced_data_files.end());
  const OperationSet& operations =
      validation_.deleted_files ? kRemovesData : kRemovesDataButDeletes;
  ASSIGN_OR_RETURN(const auto missing,
                   FindData(operations, Scope{validation_.conflict_filter, nullptr},
                            [&](const spec::ManifestEntry& e) {
                              return e.status == spec::EntryStatus::kDeleted &&
                                     required.contains(e.data_file.file_path);
                            }));
  if (missing.empty()) return {};
  return Conflict("Cannot commit, missing data files: " + ListText(missing));
}

Status Validator::NoSelfReference() const {
  const std::unordered_set<std::string_view> referenced(validation_.referenced_data_files.begin(),
                                                        validation_.referenced_data_files.end());
  std::vector<std::string> both;
  for (const RemovedFile& removed : change_.removed_files) {
    if (referenced.contains(removed.file.file_path)) both.push_back(removed.file.file_path);
  }
  if (both.empty()) return {};
  return Conflict(fmt::format("Cannot delete data files {} that are referenced by new delete files",
                              ListText(both)));
}

Status Validator::NoNewVectors() const {
  std::unordered_set<std::string_view> referenced;
  for (const AddedDeleteFile& added : change_.added_deletes) {
    if (added.file.is_dv() && added.file.referenced_data_file)
      referenced.insert(*added.file.referenced_data_file);
  }
  if (referenced.empty()) return {};
  ASSIGN_OR_RETURN(const History history, HistoryOf(kAddsVectors, spec::ManifestContent::kDeletes));
  table::ManifestReadOptions options = ReadFor(nullptr);
  options.live_only = true;
  for (const spec::ManifestFile& manifest : history.manifests) {
    if (!manifest.has_added_files()) continue;
    auto visit = [&](const spec::ManifestEntry& entry) -> Status {
      const spec::DataFile& file = entry.data_file;
      if (!file.is_dv() || !file.referenced_data_file ||
          !history.snapshots.contains(entry.snapshot_id.value_or(0)) ||
          !referenced.contains(*file.referenced_data_file)) {
        return {};
      }
      return Conflict(fmt::format("Found concurrently added DV for {}: {}",
                                  *file.referenced_data_file, DescribeDv(file)));
    };
    RETURN_IF_ERROR(table::ForEachEntry(target_.read, manifest, target_.types, options, visit));
  }
  return {};
}

Status Validator::AddedFilesMatchFilter() const {
  if (!change_.row_filter) return {};
  ASSIGN_OR_RETURN(const auto matcher,
                   EntryMatcher::Make(*change_.row_filter, target_.base.schema(), target_.types,
                                      change_.case_sensitive));
  for (const spec::DataFile& file : change_.added_files) {
    ASSIGN_OR_RETURN(const bool may, matcher->MayMatch(file));
    ASSIGN_OR_RETURN(const bool must, matcher->MustMatch(file));
    if (!may || !must) {
      return Conflict(fmt::format("Cannot append file with rows that do not match filter: {}: {}",
                                  change_.row_filter->ToString(), file.file_path));
    }
  }
  return {};
}

Status Validator::Overwrite() const {
  if (validation_.added_files_match_filter) RETURN_IF_ERROR(AddedFilesMatchFilter());
  const bool has_filter = change_.row_filter && !change_.row_filter->is_false();
  if (validation_.no_conflicting_data) {
    expr::Expression filter = expr::Expression::True();
    if (validation_.conflict_filter) {
      filter = *validation_.conflict_filter;
    } else if (has_filter && change_.removed_files.empty()) {
      filter = *change_.row_filter;
    }
    RETURN_IF_ERROR(NoNewData(Scope{filter, nullptr}));
  }
  if (!validation_.no_conflicting_deletes) return {};
  if (has_filter) {
    const Scope scope{
        validation_.conflict_filter ? validation_.conflict_filter : change_.row_filter, nullptr};
    RETURN_IF_ERROR(NoNewDeleteFiles(scope));
    RETURN_IF_ERROR(NoRemovedData(scope));
  }
  if (change_.removed_files.empty()) return {};
  return NoNewDeletesFor(change_.removed_files, validation_.conflict_filter, false);
}

Status Validator::RowDelta() const {
  if (target_.parent == nullptr) return {};
  if (validation_.from_snapshot &&
      !table::IsAncestorOf(target_.base, target_.parent->snapshot_id, *validation_.from_snapshot)) {
    return Fail(ErrorCode::kConflict,
                fmt::format("Snapshot {} is not an ancestor of {}", *validation_.from_snapshot,
                            target_.parent->snapshot_id),
                "IllegalArgumentException");
  }
  RETURN_IF_ERROR(DataFilesExist());
  const Scope scope{ConflictFilter(), nullptr};
  if (validation_.no_conflicting_data) RETURN_IF_ERROR(NoNewData(scope));
  if (validation_.no_conflicting_deletes) {
    if (!change_.removed_files.empty()) {
      RETURN_IF_ERROR(NoNewDeletesFor(change_.removed_files, ConflictFilter(), false));
    }
    RETURN_IF_ERROR(NoNewDeleteFiles(scope));
  }
  RETURN_IF_ERROR(NoSelfReference());
  return NoNewVectors();
}

Status Validator::ReplacePartitions() const {
  PartitionSet partitions;
  bool unpartitioned = false;
  for (const spec::DataFile& file : change_.added_files) {
    partitions.Add(file.spec_id, file.partition);
    const auto* entry = target_.types.Find(file.spec_id);
    unpartitioned = unpartitioned || (entry != nullptr && entry->spec.is_unpartitioned());
  }
  if (change_.added_files.empty()) return {};
  const Scope scope =
      unpartitioned ? Scope{expr::Expression::True(), nullptr} : Scope{std::nullopt, &partitions};
  if (validation_.no_conflicting_data) RETURN_IF_ERROR(NoNewData(scope));
  if (!validation_.no_conflicting_deletes) return {};
  RETURN_IF_ERROR(NoRemovedData(scope));
  return NoNewDeleteFiles(scope);
}

Status Validator::RewriteFiles() const {
  if (change_.removed_files.empty()) return {};
  return NoNewDeletesFor(change_.removed_files, std::nullopt,
                         change_.data_sequence_number.has_value());
}

}  // namespace

Result<const std::vector<spec::ManifestFile>*> ManifestLists::Of(const spec::Snapshot& snapshot) {
  auto found = lists_.find(snapshot.snapshot_id);
  if (found != lists_.end()) return &found->second;
  ASSIGN_OR_RETURN(auto manifests, table::ReadManifests(read_, snapshot));
  return &lists_.emplace(snapshot.snapshot_id, std::move(manifests)).first->second;
}

Status ValidateChange(const ValidationTarget& target, const SnapshotChange& change) {
  const Validator validator(target, change);
  switch (change.kind) {
    case ChangeKind::kFastAppend:
    case ChangeKind::kMergeAppend:
    case ChangeKind::kDeleteFiles:
    case ChangeKind::kRewriteManifests:
      return {};
    case ChangeKind::kOverwrite:
      return validator.Overwrite();
    case ChangeKind::kReplacePartitions:
      return validator.ReplacePartitions();
    case ChangeKind::kRowDelta:
      return validator.RowDelta();
    case ChangeKind::kRewriteFiles:
      return validator.RewriteFiles();
  }
  return {};
}

std::string DescribeDv(const spec::DataFile& dv) {
  return fmt::format("DV{{location={}, offset={}, length={}, referencedDataFile={}}}", dv.file_path,
                     dv.content_offset.value_or(0), dv.content_size_in_bytes.value_or(0),
                     dv.referenced_data_file.value_or("null"));
}

Status CheckDeleteFormats(const SnapshotChange& change, int32_t format_version) {
  auto fail = [](std::string message) {
    return Fail(ErrorCode::kInvalidArgument, std::move(message), "IllegalArgumentException");
  };
  for (const AddedDeleteFile& added : change.added_deletes) {
    const spec::DataFile& file = added.file;
    if (format_version < 2) return fail("Deletes are supported in V2 and above");
    if (file.content == spec::DataFileContent::kEqualityDeletes) continue;
    if (format_version == 2 && file.is_dv()) {
      return fail("Must not use DVs for position deletes in V2: " + DescribeDv(file));
    }
    if (format_version > 2 && !file.is_dv()) {
      return fail(fmt::format("Must use DVs for position deletes in V{}: {}", format_version,
                              file.file_path));
    }
  }
  return {};
}

bool RequiresRemovedFiles(const SnapshotChange& change) {
  const Validation& validation = change.validation;
  if (RulesOf(change.kind).requires_removed_files || validation.files_exist) return true;
  switch (change.kind) {
    case ChangeKind::kOverwrite:
      return validation.no_conflicting_data || validation.no_conflicting_deletes;
    case ChangeKind::kRowDelta:
      return validation.deleted_files;
    case ChangeKind::kFastAppend:
    case ChangeKind::kMergeAppend:
    case ChangeKind::kReplacePartitions:
    case ChangeKind::kDeleteFiles:
    case ChangeKind::kRewriteFiles:
    case ChangeKind::kRewriteManifests:
      return false;
  }
  return false;
}

}  // namespace iceblink::commit
