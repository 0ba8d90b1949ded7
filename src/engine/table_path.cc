#include "engine/table_path.h"

#include "base/strings.h"
#include "engine/errors.h"
#include "io/puffin.h"
#include "spec/single_value.h"
#include "table/manifest_list.h"
#include "table/manifest_reader.h"
#include "table/manifest_writer.h"
#include "table/metadata_columns.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kLocationProperties[] = {"write.object-storage.path",
                                                    "write.folder-storage.path", "write.data.path",
                                                    "write.metadata.path"};

Result<std::string> Replace(const std::string& path, const std::string& source,
                            const std::string& folder) {
  const std::string closed = path.ends_with('/') ? path : path + "/";
  if (!closed.starts_with(source))
    return IllegalArgument("Path " + closed + " does not start with " + source);
  return closed == source ? folder : folder + path.substr(source.size());
}

// A staged file may be there from an earlier run.
std::string Cleared(io::FileSystem& files, std::string path) {
  files.DeleteMany({path}, {});
  return path;
}

// The one data file that bounds name keeps its place under the new prefix; bounds of several are
// dropped, for they may be cut.
Status ReplaceBounds(spec::DataFile& file, const PathRewrite& rewrite) {
  const Bytes* low = file.lower_bounds.Find(table::kDeleteFilePathId);
  const Bytes* high = file.upper_bounds.Find(table::kDeleteFilePathId);
  if (low == nullptr || high == nullptr) return {};
  Bytes path;
  const bool one = low->data == high->data;
  if (one) {
    ASSIGN_OR_RETURN(path.data, rewrite.NewPath(low->data));
  }
  for (spec::BoundMap* bounds : {&file.lower_bounds, &file.upper_bounds}) {
    std::vector<std::pair<int32_t, Bytes>> kept;
    for (const auto& [id, bound] : *bounds) {
      if (id != table::kDeleteFilePathId) kept.emplace_back(id, bound);
    }
    if (one) kept.emplace_back(table::kDeleteFilePathId, path);
    *bounds = spec::BoundMap(std::move(kept));
  }
  return {};
}

}  // namespace

Result<std::string> PathRewrite::NewPath(const std::string& path) const {
  return Replace(path, source, target);
}
Result<std::string> PathRewrite::StagedPath(const std::string& path) const {
  return Replace(path, source, staging);
}

Result<spec::TableMetadata> ReplacePaths(const spec::TableMetadata& metadata,
                                         const PathRewrite& rewrite) {
  spec::TableMetadata out = metadata;
  const auto move = [&](std::string& path) -> Status {
    ASSIGN_OR_RETURN(path, rewrite.NewPath(path));
    return {};
  };
  RETURN_IF_ERROR(move(out.location));
  if (out.location.size() > 1 && out.location.ends_with('/') && !metadata.location.ends_with('/'))
    out.location.pop_back();
  for (const std::string_view key : kLocationProperties) {
    const auto at = out.properties.find(std::string(key));
    if (at != out.properties.end() && at->second.starts_with(rewrite.source))
      RETURN_IF_ERROR(move(at->second));
  }
  for (spec::Snapshot& snapshot : out.snapshots) {
    if (!snapshot.manifest_list.empty()) RETURN_IF_ERROR(move(snapshot.manifest_list));
    for (std::string& manifest : snapshot.manifests) RETURN_IF_ERROR(move(manifest));
  }
  for (spec::MetadataLogEntry& entry : out.metadata_log) RETURN_IF_ERROR(move(entry.metadata_file));
  for (spec::StatisticsFile& file : out.statistics) RETURN_IF_ERROR(move(file.path));
  for (spec::PartitionStatisticsFile& file : out.partition_statistics)
    RETURN_IF_ERROR(move(file.path));
  return out;
}

TablePathRewriter::TablePathRewriter(const table::ReadContext& read,
                                     const spec::TableMetadata& metadata,
                                     const PathRewrite& rewrite, const std::set<int64_t>* copied)
    : read_(read),
      metadata_(metadata),
      rewrite_(rewrite),
      copied_(copied),
      types_(metadata),
      parquet_(*read.files) {}

bool TablePathRewriter::IsCopied(std::optional<int64_t> snapshot_id) const {
  return copied_ == nullptr || (snapshot_id && copied_->count(*snapshot_id) > 0);
}

Status TablePathRewriter::Rewrite(const spec::Snapshot& snapshot) {
  if (snapshot.manifest_list.empty())
    return Fail(UnsupportedFeature("rewriting the paths of a snapshot without a manifest list"));
  ASSIGN_OR_RETURN(std::vector<spec::ManifestFile> manifests,
                   table::ReadManifests(read_, snapshot));
  for (spec::ManifestFile& manifest : manifests) {
    if (!manifest.path.starts_with(rewrite_.source)) {
      return IllegalArgument("Encountered manifest file " + manifest.path +
                             " not under the source prefix " + rewrite_.source);
    }
    ASSIGN_OR_RETURN(manifest, RewriteManifest(manifest));
  }
  ASSIGN_OR_RETURN(std::string staged, rewrite_.StagedPath(snapshot.manifest_list));
  ASSIGN_OR_RETURN(std::string target, rewrite_.NewPath(snapshot.manifest_list));
  table::ManifestListOptions options;
  options.format_version = metadata_.format_version;
  options.snapshot_id = snapshot.snapshot_id;
  options.parent_snapshot_id = snapshot.parent_id;
  options.sequence_number = snapshot.sequence_number;
  options.first_row_id = snapshot.first_row_id;
  ASSIGN_OR_RETURN(auto writer, table::ManifestListWriter::Create(
                                    *read_.files, Cleared(*read_.files, staged), options));
  for (spec::ManifestFile& manifest : manifests) {
    auto added = writer->Add(std::move(manifest));
    if (!added) return Fail(std::move(added).error());
  }
  auto closed = writer->Close();
  if (!closed) return Fail(std::move(closed).error());
  plan_.emplace(std::move(staged), std::move(target));
  return {};
}

Result<spec::ManifestFile> TablePathRewriter::RewriteManifest(const spec::ManifestFile& manifest) {
  spec::ManifestFile row = manifest;
  ASSIGN_OR_RETURN(row.path, rewrite_.NewPath(manifest.path));
  const auto known = manifests_.find(manifest.path);
  if (known != manifests_.end()) row.length = known->second;
  if (known != manifests_.end() || !IsCopied(manifest.added_snapshot_id)) return row;
  ASSIGN_OR_RETURN(std::string staged, rewrite_.StagedPath(manifest.path));
  ASSIGN_OR_RETURN(const table::PartitionTypes::Entry* types, types_.Get(manifest.spec_id));
  table::ManifestWriteOptions options;
  options.format_version = metadata_.format_version;
  options.content = manifest.content;
  options.snapshot_id = manifest.added_snapshot_id;
  options.first_row_id = manifest.first_row_id;
  ASSIGN_OR_RETURN(auto writer, table::ManifestWriter::Create(
                                    *read_.files, Cleared(*read_.files, staged), metadata_.schema(),
                                    types->spec, types->type, options));
  RETURN_IF_ERROR(table::ForEachEntry(read_, manifest, types_, {},
                                      [&](const spec::ManifestEntry& given) -> Status {
                                        spec::ManifestEntry entry = given;
                                        RETURN_IF_ERROR(RewriteEntry(entry));
                                        return writer->Add(entry);
                                      }));
  ASSIGN_OR_RETURN(const spec::ManifestFile written, writer->Close());
  row.length = written.length;
  manifests_[manifest.path] = written.length;
  plan_.emplace(std::move(staged), row.path);
  return row;
}

Status TablePathRewriter::RewriteEntry(spec::ManifestEntry& entry) {
  spec::DataFile& file = entry.data_file;
  if (!file.file_path.starts_with(rewrite_.source)) {
    return IllegalArgument(file.is_data() ? "Encountered data file " + file.file_path +
                                                " not under the source prefix " + rewrite_.source
                                          : "Expected delete file " + file.file_path +
                                                " to start with prefix: " + rewrite_.source);
  }
  const bool copied = entry.is_live() && IsCopied(entry.snapshot_id);
  std::string from = file.file_path;
  if (file.content == spec::DataFileContent::kPositionDeletes) {
    ASSIGN_OR_RETURN(from, rewrite_.StagedPath(from));
    RETURN_IF_ERROR(RewriteDeletes(file, entry.is_live()));
  }
  ASSIGN_OR_RETURN(file.file_path, rewrite_.NewPath(file.file_path));
  if (copied) plan_.emplace(std::move(from), file.file_path);
  return {};
}

// Files of removed entries may be gone: only their names change.
Status TablePathRewriter::RewriteDeletes(spec::DataFile& file, bool live) {
  if (live) {
    ASSIGN_OR_RETURN(const RewrittenFile* copy, CopyDeletes(file));
    deletes_.emplace(file.file_path, file.content_offset.value_or(0));
    file.file_size_in_bytes = copy->size;
    file.split_offsets.clear();
    if (file.content_offset) {
      const auto at = copy->offsets.find(*file.content_offset);
      if (at != copy->offsets.end()) file.content_offset = at->second;
    }
  }
  if (file.referenced_data_file) {
    ASSIGN_OR_RETURN(file.referenced_data_file, rewrite_.NewPath(*file.referenced_data_file));
  }
  return ReplaceBounds(file, rewrite_);
}

Result<const TablePathRewriter::RewrittenFile*> TablePathRewriter::CopyDeletes(
    const spec::DataFile& file) {
  if (const auto known = files_.find(file.file_path); known != files_.end()) return &known->second;
  ASSIGN_OR_RETURN(std::string staged, rewrite_.StagedPath(file.file_path));
  staged = Cleared(*read_.files, std::move(staged));
  RewrittenFile copy;
  if (file.is_dv()) {
    ASSIGN_OR_RETURN(copy, CopyVectors(file.file_path, staged));
  } else if (file.format == spec::FileFormat::kParquet) {
    ASSIGN_OR_RETURN(
        copy.size, parquet_.CopyDeletes(file.file_path, staged, rewrite_.source, rewrite_.target));
  } else {
    return Fail(UnsupportedFeature("rewriting the paths of " +
                                   std::string(spec::FileFormatName(file.format)) +
                                   " delete files"));
  }
  return &files_.emplace(file.file_path, std::move(copy)).first->second;
}

Result<TablePathRewriter::RewrittenFile> TablePathRewriter::CopyVectors(
    const std::string& from, const std::string& to) const {
  ASSIGN_OR_RETURN(const auto source, read_.files->OpenRead(from));
  ASSIGN_OR_RETURN(const io::PuffinFooter footer, io::ReadPuffinFooter(*source));
  ASSIGN_OR_RETURN(auto file, read_.files->Create(to, io::WriteMode::kCreateNew));
  ASSIGN_OR_RETURN(io::PuffinWriter writer,
                   io::PuffinWriter::Create(std::move(file), footer.properties));
  RewrittenFile copy;
  for (const io::PuffinBlob& blob : footer.blobs) {
    ASSIGN_OR_RETURN(const std::string payload, io::ReadPuffinBlob(*source, blob));
    io::PuffinBlob moved = blob;
    if (const auto at = moved.properties.find("referenced-data-file");
        at != moved.properties.end()) {
      ASSIGN_OR_RETURN(at->second, rewrite_.NewPath(at->second));
    }
    ASSIGN_OR_RETURN(const io::PuffinBlob stored, writer.Add(std::move(moved), payload));
    copy.offsets[blob.offset] = stored.offset;
  }
  RETURN_IF_ERROR(writer.Close());
  copy.size = writer.length();
  return copy;
}

}  // namespace iceblink::engine
