// rewrite_table_path: a table's metadata under another prefix, in a staging folder, and the list of
// files to copy.
#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/table_path.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kFileList = "file-list";

std::string WithSlash(std::string path) { return path.ends_with('/') ? path : path + "/"; }

// One version of the table, by its metadata file.
struct Version {
  std::string location;
  spec::TableMetadataPtr metadata;
};

Status CheckText(const ProcedureCall& call, const char* name, const char* label) {
  if (!call.Has(name) || !call.Text(name).empty()) return {};
  return IllegalArgument(std::string(label) + "('') cannot be empty.");
}

Status CheckArguments(const ProcedureCall& call) {
  RETURN_IF_ERROR(CheckText(call, "source_prefix", "Source prefix"));
  RETURN_IF_ERROR(CheckText(call, "target_prefix", "Target prefix"));
  RETURN_IF_ERROR(CheckText(call, "start_version", "Start version"));
  RETURN_IF_ERROR(CheckText(call, "end_version", "End version"));
  RETURN_IF_ERROR(CheckText(call, "staging_location", "Staging location"));
  if (call.Text("source_prefix") != call.Text("target_prefix")) return {};
  return IllegalArgument("Source prefix cannot be the same as target prefix (" +
                         call.Text("source_prefix") + ")");
}

// The metadata file of that name, or the current one.
Result<std::string> LocationOf(const TableHandle& table, const ProcedureCall& call,
                               const char* parameter) {
  if (!call.Has(parameter)) return table.loaded.metadata_location;
  const std::string name = call.Text(parameter);
  std::string found;
  if (io::BaseName(table.loaded.metadata_location) == name) found = table.loaded.metadata_location;
  for (const spec::MetadataLogEntry& entry : table.metadata().metadata_log) {
    if (io::BaseName(entry.metadata_file) == name) found = entry.metadata_file;
  }
  if (found.empty())
    return IllegalArgument("Cannot find provided version file " + name + " in metadata log.");
  ASSIGN_OR_RETURN(const bool exists, table.catalog->file_system().Exists(found));
  if (!exists) return IllegalArgument("Version file " + found + " does not exist.");
  return found;
}

// From the end version back to the one after the start.
Result<std::vector<Version>> VersionsOf(const TableHandle& table, const std::string& end,
                                        const std::string& start) {
  io::FileSystem& files = table.catalog->file_system();
  std::vector<Version> versions(1);
  versions[0].location = end;
  ASSIGN_OR_RETURN(versions[0].metadata, catalog::ReadTableMetadata(files, end));
  const auto& log = versions[0].metadata->metadata_log;
  for (auto entry = log.rbegin(); entry != log.rend() && entry->metadata_file != start; ++entry) {
    ASSIGN_OR_RETURN(const bool exists, files.Exists(entry->metadata_file));
    if (!exists) return IllegalArgument("Version file " + entry->metadata_file + " doesn't exist");
    ASSIGN_OR_RETURN(spec::TableMetadataPtr metadata,
                     catalog::ReadTableMetadata(files, entry->metadata_file));
    versions.push_back({entry->metadata_file, std::move(metadata)});
  }
  return versions;
}

Status WriteVersion(io::FileSystem& files, const Version& version, const PathRewrite& rewrite,
                    CopyPlan& plan) {
  ASSIGN_OR_RETURN(std::string staged, rewrite.StagedPath(version.location));
  ASSIGN_OR_RETURN(std::string target, rewrite.NewPath(version.location));
  ASSIGN_OR_RETURN(const spec::TableMetadata moved, ReplacePaths(*version.metadata, rewrite));
  files.DeleteMany({staged}, {});
  RETURN_IF_ERROR(catalog::WriteTableMetadata(files, staged, moved));
  plan.emplace(std::move(staged), std::move(target));
  for (size_t i = 0; i < moved.statistics.size(); ++i)
    plan.emplace(version.metadata->statistics[i].path, moved.statistics[i].path);
  for (size_t i = 0; i < moved.partition_statistics.size(); ++i)
    plan.emplace(version.metadata->partition_statistics[i].path,
                 moved.partition_statistics[i].path);
  return {};
}

Status WriteFileList(io::FileSystem& files, const std::string& path, const CopyPlan& plan) {
  std::string text;
  for (const auto& [from, to] : plan) text += from + "," + to + "\n";
  return files.WriteAll(path, text, io::WriteMode::kReplace);
}

std::set<int64_t> SnapshotIds(const spec::TableMetadata& metadata) {
  std::set<int64_t> ids;
  for (const spec::Snapshot& snapshot : metadata.snapshots) ids.insert(snapshot.snapshot_id);
  return ids;
}

// Paths that would fail, before anything is written.
Status CheckPaths(const std::vector<Version>& versions, const PathRewrite& rewrite) {
  for (const Version& version : versions) {
    auto staged = rewrite.StagedPath(version.location);
    if (!staged) return Fail(std::move(staged).error());
    auto moved = ReplacePaths(*version.metadata, rewrite);
    if (!moved) return Fail(std::move(moved).error());
  }
  return {};
}

struct Window {
  std::vector<Version> versions;  // the end first
  std::set<int64_t> before;       // snapshots that the start version has
  std::set<int64_t> copied;       // the others of all versions
  bool from_start = true;         // no start version was given
};

Result<Window> WindowOf(const TableHandle& table, const ProcedureCall& call) {
  Window window;
  ASSIGN_OR_RETURN(const std::string end, LocationOf(table, call, "end_version"));
  std::string start;
  if (call.Has("start_version")) {
    ASSIGN_OR_RETURN(start, LocationOf(table, call, "start_version"));
    ASSIGN_OR_RETURN(const spec::TableMetadataPtr metadata,
                     catalog::ReadTableMetadata(table.catalog->file_system(), start));
    window.before = SnapshotIds(*metadata);
    window.from_start = false;
  }
  ASSIGN_OR_RETURN(window.versions, VersionsOf(table, end, start));
  for (const Version& version : window.versions) {
    for (const int64_t id : SnapshotIds(*version.metadata)) {
      if (window.before.count(id) == 0) window.copied.insert(id);
    }
  }
  return window;
}

}  // namespace

Result<ProcedureRows> RewriteTablePath(const ProcedureCall& call) {
  ASSIGN_OR_RETURN(TableHandle table, call.Table());
  RETURN_IF_ERROR(CheckArguments(call));
  io::FileSystem& files = table.catalog->file_system();
  ASSIGN_OR_RETURN(const Window window, WindowOf(table, call));
  PathRewrite rewrite{
      WithSlash(call.Text("source_prefix")), WithSlash(call.Text("target_prefix")), {}};
  rewrite.staging = call.Has("staging_location")
                        ? WithSlash(call.Text("staging_location"))
                        : WithSlash(catalog::MetadataFolder(table.metadata())) +
                              "copy-table-staging-" + NewUuid() + "/";
  RETURN_IF_ERROR(CheckPaths(window.versions, rewrite));
  const table::ReadContext read = call.scope.session.ReadContextOf(*table.catalog);
  const spec::TableMetadata& end = *window.versions[0].metadata;
  TablePathRewriter rewriter(read, end, rewrite, window.from_start ? nullptr : &window.copied);
  for (const spec::Snapshot& snapshot : end.snapshots) {
    if (window.before.count(snapshot.snapshot_id) == 0) RETURN_IF_ERROR(rewriter.Rewrite(snapshot));
  }
  for (const Version& version : window.versions)
    RETURN_IF_ERROR(WriteVersion(files, version, rewrite, rewriter.plan()));
  const bool listed = !call.Has("create_file_list") || call.Flag("create_file_list");
  const std::string list = rewrite.staging + std::string(kFileList);
  if (listed) RETURN_IF_ERROR(WriteFileList(files, list, rewriter.plan()));
  return ProcedureRows{{Value(std::string(io::BaseName(window.versions[0].location))),
                        Value(listed ? list : "N/A"),
                        Value(static_cast<int32_t>(rewriter.rewritten_manifests())),
                        Value(static_cast<int32_t>(rewriter.rewritten_deletes()))}};
}

}  // namespace iceblink::engine
