// A pending change of a table as a value: what is added, removed and promised, and what must still
// hold when it lands.
//
// The caller fills the fields that its kind uses (the table of rules in snapshot_change.cc says
// which kinds filter and merge manifests); a Transaction turns the value into a snapshot, again on
// every attempt. Nothing here touches a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.h"
#include "spec/manifest.h"
#include "spec/snapshot.h"

namespace iceblink::commit {

enum class ChangeKind : uint8_t {
  kFastAppend,   // new manifests before all old ones, which are neither read nor merged
  kMergeAppend,  // append that may merge small manifests: INSERT INTO
  kOverwrite,    // files and/or a row filter replaced by new files: copy-on-write, static INSERT
                 // OVERWRITE
  kReplacePartitions,  // every partition of the added files replaced: dynamic INSERT OVERWRITE
  kRowDelta,           // rows added, delete files added and removed: merge-on-read
  kDeleteFiles,        // whole files removed by path, file or row filter: metadata delete, TRUNCATE
  kRewriteFiles,       // the same rows in other files: compaction
  kRewriteManifests,   // the same files in other manifests
};

// A file to remove. `manifest` is the path of the manifest that lists it, when a scan told: if it
// is known for every removed file of a change, no other manifest is opened.
struct RemovedFile {
  spec::DataFile file;
  std::string manifest;
};

struct AddedDeleteFile {
  spec::DataFile file;
  std::optional<int64_t>
      data_sequence_number;  // of a rewritten delete file; absent: the new snapshot's
};

// What must hold against everything that was committed after `from_snapshot`. All off: last writer
// wins.
struct Validation {
  std::optional<int64_t> from_snapshot;  // absent: the whole history
  std::optional<expr::Expression> conflict_filter;
  bool no_conflicting_data = false;
  bool no_conflicting_deletes = false;
  // Data files that added delete files refer to; must not have been removed (by a `delete`
  // operation neither, when `deleted_files` is set).
  std::vector<std::string> referenced_data_files;
  bool deleted_files = false;
  // Every removed file must still be in the table. kRewriteFiles implies it, as do the two
  // no_conflicting_* of kOverwrite.
  bool files_exist = false;
  bool added_files_match_filter = false;  // kOverwrite: added files lie inside the row filter
  bool append_only = false;               // kReplacePartitions: the partitions must be empty
};

struct SnapshotChange {
  ChangeKind kind = ChangeKind::kMergeAppend;

  std::vector<spec::DataFile> added_files;
  std::vector<AddedDeleteFile> added_deletes;
  std::vector<RemovedFile> removed_files;
  std::vector<RemovedFile> removed_deletes;
  std::vector<std::string> removed_paths;  // data files by path alone
  // Files whose rows all match are removed; a data file of which only some rows match is an error.
  std::optional<expr::Expression> row_filter;
  bool case_sensitive = true;

  // Whole manifests of new data files, written by the caller (appends only), without ids or
  // sequence numbers.
  std::vector<spec::ManifestFile> appended_manifests;
  // kRewriteManifests: manifests of existing entries in place of others of the current snapshot.
  std::vector<spec::ManifestFile> added_manifests;
  std::vector<spec::ManifestFile> replaced_manifests;
  int64_t entries_processed = 0;  // kRewriteManifests, for the summary

  std::optional<int64_t> data_sequence_number;  // of the added data files (kRewriteFiles)

  std::string branch = spec::kMainBranch;
  bool stage_only = false;  // write-audit-publish by id: the snapshot is added, no ref moves
  std::optional<std::string> operation;  // of a picked snapshot; absent: as OperationOf says
  // Summary entries that the caller sets: wap.id, engine-name, app-id, spark.merge-into.* ...
  std::map<std::string, std::string> summary;

  Validation validation;
};

// The operation that the change's snapshot carries (append, overwrite, delete, replace), by kind
// and content.
std::string OperationOf(const SnapshotChange& change);

// How the kinds differ on their way to a manifest list.
struct KindRules {
  ChangeKind kind;
  bool filters;                 // entries are removed from the parent's manifests
  bool merges;                  // small manifests are merged
  bool takes_files;             // data files may be added
  bool takes_deletes;           // delete files may be added
  bool requires_removed_files;  // every removed file must be found
};
const KindRules& RulesOf(ChangeKind kind);

// Checks what does not depend on the table: files that the kind takes, preconditions of rewrites.
// Error: InvalidArgument (IllegalArgumentException) in Java's words.
Status CheckChange(const SnapshotChange& change);

// Isolation levels of Spark's row-level commands.
enum class Isolation : uint8_t { kSerializable, kSnapshot };
enum class RowCommand : uint8_t { kDelete, kUpdate, kMerge };

// Parses write.*.isolation-level. Error: IllegalArgumentException "Invalid isolation level: %s".
Result<Isolation> ParseIsolation(std::string_view name);

// What Spark validates for a copy-on-write command that read `scan_snapshot` with `filter`. Without
// a scanned snapshot (the table was empty) nothing.
Validation CopyOnWriteValidation(Isolation isolation, std::optional<int64_t> scan_snapshot,
                                 expr::Expression filter);
// Likewise for merge-on-read; `referenced_files` are the data files that the new delete files refer
// to.
Validation MergeOnReadValidation(RowCommand command, Isolation isolation,
                                 std::optional<int64_t> scan_snapshot, expr::Expression filter,
                                 std::vector<std::string> referenced_files);

}  // namespace iceblink::commit
