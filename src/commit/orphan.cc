#include "commit/orphan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/log.h"
#include "base/strings.h"
#include "catalog/metadata_file.h"
#include "commit/reachable_files.h"

namespace iceblink::commit {

namespace {

constexpr int64_t kDefaultAgeMs = int64_t{3} * 24 * 3600 * 1000;
constexpr size_t kDeleteBatch = 100'000;

// A location in its three parts.
struct Location {
  std::string scheme;
  std::string authority;
  std::string path;
};

Location Parse(std::string_view text) {
  Location location;
  location.scheme = std::string(io::Scheme(text));
  std::string_view rest = text;
  if (!location.scheme.empty()) rest.remove_prefix(location.scheme.size() + 1);
  if (rest.starts_with("//") && !location.scheme.empty()) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    location.authority = std::string(rest.substr(0, slash));
    rest.remove_prefix(slash);
  }
  location.path = std::string(rest);
  return location;
}

// Replaces a name by the one that it equals: keys of `equal` are comma-separated lists.
class Aliases {
 public:
  explicit Aliases(const std::map<std::string, std::string>& equal) {
    for (const auto& [names, target] : equal) {
      for (std::string& name : SplitTrimmed(names, ',')) by_name_[std::move(name)] = target;
    }
  }
  const std::string& Resolve(const std::string& name) const {
    auto it = by_name_.find(name);
    return it == by_name_.end() ? name : it->second;
  }

 private:
  std::map<std::string, std::string> by_name_;
};

std::map<std::string, std::string> WithDefaults(std::map<std::string, std::string> schemes) {
  schemes.emplace("s3n,s3a", "s3");
  return schemes;
}

bool PartMatches(const std::string& valid, const std::string& actual) {
  return valid.empty() || EqualsIgnoreCase(valid, actual);
}

// Names that start with _ or . belong to others, except folders of partition fields with such
// names.
class HiddenPaths {
 public:
  explicit HiddenPaths(const spec::TableMetadata& metadata) {
    for (const spec::PartitionSpec& spec : metadata.specs) {
      for (const spec::PartitionField& field : spec.fields) {
        if (IsHiddenName(field.name)) partition_prefixes_.push_back(field.name + "=");
      }
    }
  }
  bool Hides(std::string_view below_root) const {
    for (const std::string& part : Split(below_root, '/')) {
      const bool is_partition =
          std::any_of(partition_prefixes_.begin(), partition_prefixes_.end(),
                      [&](const auto& prefix) { return part.starts_with(prefix); });
      if (IsHiddenName(part) && !is_partition) return true;
    }
    return false;
  }

 private:
  static bool IsHiddenName(std::string_view name) {
    return name.starts_with("_") || name.starts_with(".");
  }
  std::vector<std::string> partition_prefixes_;
};

class OrphanSearch {
 public:
  OrphanSearch(io::FileSystem& files, const spec::TableMetadata& metadata,
               const OrphanOptions& options)
      : files_(files),
        metadata_(metadata),
        options_(options),
        schemes_(WithDefaults(options.equal_schemes)),
        authorities_(options.equal_authorities) {}

  Result<std::vector<std::string>> Run();

 private:
  Status ListCandidates();
  Status DropReachable();
  Status DropMetadataHistory();
  void AddCandidate(const std::string& path, int64_t modified_ms, int64_t cutoff);
  void DropValid(const std::string& path);

  struct Candidate {
    std::string path;
    std::string scheme;
    std::string authority;
  };
  io::FileSystem& files_;
  const spec::TableMetadata& metadata_;
  const OrphanOptions& options_;
  Aliases schemes_;
  Aliases authorities_;
  std::unordered_map<std::string, Candidate> candidates_;  // by URI path
  std::set<std::pair<std::string, std::string>> conflicts_;
};

void OrphanSearch::AddCandidate(const std::string& path, int64_t modified_ms, int64_t cutoff) {
  if (modified_ms >= cutoff || io::BaseName(path) == "version-hint.text") return;
  Location location = Parse(path);
  const std::string scheme = location.scheme.empty() ? "file" : schemes_.Resolve(location.scheme);
  candidates_[location.path] = {path, scheme, authorities_.Resolve(location.authority)};
}

Status OrphanSearch::ListCandidates() {
  const int64_t cutoff =
      options_.older_than_ms.value_or(options_.clock->NowMillis() - kDefaultAgeMs);
  if (options_.listed_files) {
    for (const ListedFile& file : *options_.listed_files)
      AddCandidate(file.path, file.modified_ms, cutoff);
    return {};
  }
  const std::string root = options_.location.empty() ? metadata_.location : options_.location;
  ASSIGN_OR_RETURN(const bool exists, files_.Exists(root));
  if (!exists) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("java.io.FileNotFoundException: File {} does not exist", root),
                "UncheckedIOException");
  }
  const HiddenPaths hidden(metadata_);
  const size_t prefix = StripTrailing(root, '/').size();
  return files_.List(root, true, [&](const io::FileInfo& file) -> Status {
    if (!hidden.Hides(std::string_view(file.path).substr(std::min(prefix, file.path.size())))) {
      AddCandidate(file.path, file.modified_ms, cutoff);
    }
    return {};
  });
}

void OrphanSearch::DropValid(const std::string& path) {
  const Location valid = Parse(path);
  auto found = candidates_.find(valid.path);
  if (found == candidates_.end()) return;
  const Candidate& candidate = found->second;
  const std::string& scheme = schemes_.Resolve(valid.scheme);
  const std::string& authority = authorities_.Resolve(valid.authority);
  const bool scheme_matches = PartMatches(scheme, candidate.scheme);
  const bool authority_matches = PartMatches(authority, candidate.authority);
  if (!(scheme_matches && authority_matches)) {
    if (options_.prefix_mismatch == PrefixMismatch::kDelete) return;
    if (!scheme_matches) conflicts_.emplace(scheme, candidate.scheme);
    if (!authority_matches) conflicts_.emplace(authority, candidate.authority);
  }
  candidates_.erase(found);
}

// Metadata files that older metadata files name; the current log may have dropped them.
Status OrphanSearch::DropMetadataHistory() {
  std::set<std::string> seen;
  std::vector<spec::MetadataLogEntry> log = metadata_.metadata_log;
  while (!log.empty() && seen.insert(log.front().metadata_file).second) {
    const std::string oldest = log.front().metadata_file;
    for (const spec::MetadataLogEntry& entry : log) DropValid(entry.metadata_file);
    auto older = catalog::ReadTableMetadata(files_, oldest);
    if (!older) break;  // deleted: nothing before it is reachable
    log = (*older)->metadata_log;
  }
  return {};
}

Status OrphanSearch::DropReachable() {
  std::vector<const spec::Snapshot*> snapshots;
  for (const spec::Snapshot& snapshot : metadata_.snapshots) snapshots.push_back(&snapshot);
  table::ReachabilityOptions options;
  options.live_only = false;
  options.metadata_files = true;
  const table::ReadContext context{&files_, nullptr};
  RETURN_IF_ERROR(table::ForEachReachableFile(context, metadata_, snapshots, options,
                                              [&](const table::ReachableFile& file) -> Status {
                                                DropValid(file.path);
                                                return {};
                                              }));
  DropValid(metadata_.metadata_file_location);
  return DropMetadataHistory();
}

Result<std::vector<std::string>> OrphanSearch::Run() {
  RETURN_IF_ERROR(ListCandidates());
  RETURN_IF_ERROR(DropReachable());
  if (!conflicts_.empty() && options_.prefix_mismatch == PrefixMismatch::kError) {
    std::vector<std::string> pairs;
    for (const auto& [valid, actual] : conflicts_)
      pairs.push_back(fmt::format("({}, {})", valid, actual));
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "Unable to determine whether certain files are orphan. Metadata references files that "
            "match "
            "listed/provided files except for authority/scheme. Please, inspect the conflicting "
            "authorities/schemes and provide which of them are equal by further configuring the "
            "action "
            "via equalSchemes() and equalAuthorities() methods. Set the prefix mismatch mode to "
            "'NONE' "
            "to ignore remaining locations with conflicting authorities/schemes or to 'DELETE' iff "
            "you "
            "are ABSOLUTELY confident that remaining conflicting authorities/schemes are "
            "different. It "
            "will be impossible to recover deleted files. Conflicting authorities/schemes: [{}].",
            Join(pairs, ", ")),
        "ValidationException");
  }
  std::vector<std::string> orphans;
  orphans.reserve(candidates_.size());
  for (auto& [path, candidate] : candidates_) orphans.push_back(std::move(candidate.path));
  std::sort(orphans.begin(), orphans.end());
  return orphans;
}

}  // namespace

Result<PrefixMismatch> ParsePrefixMismatch(std::string_view name) {
  if (EqualsIgnoreCase(name, "error")) return PrefixMismatch::kError;
  if (EqualsIgnoreCase(name, "ignore")) return PrefixMismatch::kIgnore;
  if (EqualsIgnoreCase(name, "delete")) return PrefixMismatch::kDelete;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Invalid mode: {}", name),
              "IllegalArgumentException");
}

Result<std::vector<std::string>> RemoveOrphanFiles(catalog::Catalog& catalog,
                                                   const catalog::TableIdentifier& id,
                                                   const OrphanOptions& options) {
  ASSIGN_OR_RETURN(const auto table, catalog.LoadTable(id));
  RETURN_IF_ERROR(CheckGcEnabled(*table.metadata, "delete orphan files"));
  io::FileSystem& files = catalog.file_system();
  ASSIGN_OR_RETURN(const auto orphans, OrphanSearch(files, *table.metadata, options).Run());
  if (options.dry_run) return orphans;
  for (size_t begin = 0; begin < orphans.size(); begin += kDeleteBatch) {
    const size_t end = std::min(orphans.size(), begin + kDeleteBatch);
    files.DeleteMany(
        {orphans.begin() + static_cast<ptrdiff_t>(begin),
         orphans.begin() + static_cast<ptrdiff_t>(end)},
        [](const std::string& path, const Error& error) {
          LogWarn(fmt::format("Cannot delete orphan file {}: {}", path, error.message));
        });
  }
  return orphans;
}

}  // namespace iceblink::commit
