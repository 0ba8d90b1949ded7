#include "commit/rewrite_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/log.h"
#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "commit/manifest_output.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"

namespace iceblink::commit {

namespace {

using spec::ManifestFile;

constexpr double kRollFactor = 1.2;

int32_t CompareTuples(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); i++) {
    if (a[i].is_null() || b[i].is_null()) {
      if (a[i].is_null() != b[i].is_null()) return a[i].is_null() ? -1 : 1;
      continue;
    }
    if (const int c = CompareValues(a[i], b[i]); c != 0) return c;
  }
  return 0;
}

// Rewrites the manifests of one spec and content. Entries are ranked by partition in a first pass
// that keeps only tuples, and dealt to the writers of their rank's share in a second one; entries
// themselves are never held.
class Rewriter {
 public:
  Rewriter(const table::ReadContext& read, const spec::TableMetadata& metadata,
           const table::PartitionTypes& types, const table::PartitionTypes::Entry& entry,
           std::vector<size_t> order)
      : read_(read), metadata_(metadata), types_(types), entry_(entry), order_(std::move(order)) {}

  Status Rewrite(spec::ManifestContent content, const std::vector<ManifestFile>& manifests);
  void DeleteWritten();

  const std::vector<ManifestFile>& replaced() const { return replaced_; }
  const std::vector<ManifestFile>& written() const { return written_; }

 private:
  Result<std::vector<int64_t>> ShareOfEachEntry(const std::vector<ManifestFile>& manifests,
                                                int64_t shares) const;
  Result<std::unique_ptr<table::ManifestWriter>> Open(spec::ManifestContent content);
  Status Close(table::ManifestWriter& writer);

  const table::ReadContext& read_;
  const spec::TableMetadata& metadata_;
  const table::PartitionTypes& types_;
  const table::PartitionTypes::Entry& entry_;
  const std::vector<size_t> order_;  // positions of the sort fields in the tuple
  std::vector<std::string> paths_;
  std::vector<ManifestFile> replaced_;
  std::vector<ManifestFile> written_;
};

Result<std::vector<int64_t>> Rewriter::ShareOfEachEntry(const std::vector<ManifestFile>& manifests,
                                                        int64_t shares) const {
  table::ManifestReadOptions options;
  options.stats = table::StatsSelection::None();
  options.live_only = true;
  options.split_offsets = false;
  std::vector<std::vector<Value>> keys;
  for (const ManifestFile& manifest : manifests) {
    RETURN_IF_ERROR(table::ForEachEntry(read_, manifest, types_, options,
                                        [&](const spec::ManifestEntry& e) -> Status {
                                          std::vector<Value>& key = keys.emplace_back();
                                          for (size_t position : order_)
                                            key.push_back(e.data_file.partition[position]);
                                          return {};
                                        }));
  }
  std::vector<size_t> ranked(keys.size());
  std::iota(ranked.begin(), ranked.end(), 0);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return CompareTuples(keys[a], keys[b]) < 0; });
  std::vector<int64_t> share(keys.size());
  for (size_t rank = 0; rank < ranked.size(); rank++) {
    share[ranked[rank]] = static_cast<int64_t>(rank) * shares / static_cast<int64_t>(ranked.size());
  }
  return share;
}

Result<std::unique_ptr<table::ManifestWriter>> Rewriter::Open(spec::ManifestContent content) {
  table::ManifestWriteOptions options;
  options.format_version = metadata_.format_version;
  options.content = content;
  paths_.push_back(
      fmt::format("{}/optimized-m-{}.avro", catalog::MetadataFolder(metadata_), NewUuid()));
  return table::ManifestWriter::Create(*read_.files, paths_.back(), metadata_.schema(), entry_.spec,
                                       entry_.type, options);
}

Status Rewriter::Close(table::ManifestWriter& writer) {
  ASSIGN_OR_RETURN(ManifestFile manifest, writer.Close());
  written_.push_back(std::move(manifest));
  return {};
}

Status Rewriter::Rewrite(spec::ManifestContent content,
                         const std::vector<ManifestFile>& manifests) {
  if (manifests.empty()) return {};
  ASSIGN_OR_RETURN(const int64_t target, ManifestTargetSize(metadata_));
  int64_t total = 0;
  for (const ManifestFile& manifest : manifests) total += manifest.length;
  const int64_t shares = std::max<int64_t>(1, (total + target - 1) / target);
  if (shares == 1 && manifests.size() == 1) return {};

  ASSIGN_OR_RETURN(const std::vector<int64_t> share, ShareOfEachEntry(manifests, shares));
  std::vector<std::unique_ptr<table::ManifestWriter>> writers(static_cast<size_t>(shares));
  const int64_t roll_at = static_cast<int64_t>(static_cast<double>(target) * kRollFactor);
  size_t ordinal = 0;
  table::ManifestReadOptions options;
  options.live_only = true;
  for (const ManifestFile& manifest : manifests) {
    auto copy = [&](const spec::ManifestEntry& e) -> Status {
      auto& writer = writers[static_cast<size_t>(share[ordinal++])];
      if (writer != nullptr && writer->length() > roll_at) {
        RETURN_IF_ERROR(Close(*writer));
        writer.reset();
      }
      if (writer == nullptr) {
        ASSIGN_OR_RETURN(writer, Open(content));
      }
      return writer->AddExisting(e.data_file, e.snapshot_id.value_or(manifest.added_snapshot_id),
                                 e.sequence_number.value_or(0), e.file_sequence_number);
    };
    RETURN_IF_ERROR(table::ForEachEntry(read_, manifest, types_, options, copy));
  }
  for (auto& writer : writers) {
    if (writer != nullptr) RETURN_IF_ERROR(Close(*writer));
  }
  replaced_.insert(replaced_.end(), manifests.begin(), manifests.end());
  return {};
}

void Rewriter::DeleteWritten() {
  read_.files->DeleteMany(paths_, [](const std::string& path, const Error& error) {
    LogWarn(fmt::format("Cannot delete uncommitted manifest {}: {}", path, error.message));
  });
}

// Positions of the fields to sort by.
Result<std::vector<size_t>> SortPositions(const spec::PartitionSpec& spec,
                                          const RewriteManifestsOptions& options) {
  std::vector<size_t> positions;
  if (!options.sort_by) {
    positions.resize(spec.fields.size());
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  if (options.sort_by->empty()) return IllegalArgument("sort_by must not be empty when provided");
  std::vector<std::string> missing;
  for (const std::string& name : *options.sort_by) {
    auto it = std::find_if(spec.fields.begin(), spec.fields.end(),
                           [&](const auto& f) { return f.name == name; });
    if (it == spec.fields.end()) {
      missing.push_back(name);
    } else {
      positions.push_back(static_cast<size_t>(it - spec.fields.begin()));
    }
  }
  if (missing.empty()) return positions;
  return IllegalArgument(fmt::format(
      "Cannot set manifest sorting because specified field(s) [{}] were not found in current "
      "partition spec {}. Spec ID {}",
      Join(missing, ", "), spec.ToString(), spec.spec_id));
}

}  // namespace

Result<RewriteManifestsResult> RewriteManifests(catalog::Catalog& catalog,
                                                const catalog::TableIdentifier& id,
                                                const RewriteManifestsOptions& options) {
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  const spec::TableMetadataPtr metadata = table.metadata;
  const int32_t spec_id = options.spec_id.value_or(metadata->default_spec_id);
  const table::PartitionTypes types(*metadata);
  const table::PartitionTypes::Entry* entry = types.Find(spec_id);
  if (entry == nullptr) return IllegalArgument(fmt::format("Invalid spec id {}", spec_id));
  ASSIGN_OR_RETURN(std::vector<size_t> order, SortPositions(entry->spec, options));
  RewriteManifestsResult result;
  result.outcome.table = table;
  const spec::Snapshot* snapshot = metadata->CurrentSnapshot();
  if (snapshot == nullptr) return result;

  const table::ReadContext read{&catalog.file_system(), nullptr};
  std::map<spec::ManifestContent, std::vector<ManifestFile>> matching;
  RETURN_IF_ERROR(table::ForEachManifest(read, *snapshot, [&](ManifestFile&& manifest) -> Status {
    if (manifest.spec_id == spec_id) matching[manifest.content].push_back(std::move(manifest));
    return {};
  }));
  Rewriter rewriter(read, *metadata, types, *entry, std::move(order));
  for (const auto& [content, manifests] : matching) {
    Status done = rewriter.Rewrite(content, manifests);
    if (!done) {
      rewriter.DeleteWritten();
      return Fail(done.error());
    }
  }
  if (rewriter.replaced().empty()) return result;

  SnapshotChange change;
  change.kind = ChangeKind::kRewriteManifests;
  change.replaced_manifests = rewriter.replaced();
  change.added_manifests = rewriter.written();
  change.summary = options.summary;
  Transaction transaction(catalog, id, std::move(table));
  auto outcome = transaction.Add(std::move(change)).Commit();
  if (!outcome) {
    if (outcome.error().code != ErrorCode::kCommitUnknown) rewriter.DeleteWritten();
    return Fail(outcome.error());
  }
  result.outcome = std::move(*outcome);
  result.rewritten = static_cast<int32_t>(rewriter.replaced().size());
  result.added = static_cast<int32_t>(rewriter.written().size());
  return result;
}

}  // namespace iceblink::commit
