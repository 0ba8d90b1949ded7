#include "commit/manifest_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/thread_pool.h"
#include "base/uuid.h"
#include "catalog/metadata_file.h"
#include "spec/properties.h"

namespace iceblink::commit {

namespace {

constexpr int64_t kFilesPerGroup = 10'000;
constexpr int64_t kRollCheckInterval = 250;  // entries between looks at the length, as in Java

}  // namespace

Result<int64_t> ManifestTargetSize(const spec::TableMetadata& metadata) {
  return spec::IntProperty(metadata.properties, spec::property::kManifestTargetSize);
}

ManifestOutput::ManifestOutput(io::FileSystem& files, int64_t snapshot_id)
    : files_(files), snapshot_id_(snapshot_id), uuid_(NewUuid()) {}

void ManifestOutput::Remember(std::string path) {
  std::lock_guard lock(mutex_);
  written_.push_back(std::move(path));
}

Result<std::unique_ptr<table::ManifestWriter>> ManifestOutput::Open(const WriteTarget& target,
                                                                    spec::ManifestContent content,
                                                                    int32_t spec_id) {
  const table::PartitionTypes::Entry* entry = target.types->Find(spec_id);
  if (entry == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot find partition spec with ID {}", spec_id),
                "IllegalArgumentException");
  }
  table::ManifestWriteOptions options;
  options.format_version = target.metadata->format_version;
  options.content = content;
  options.snapshot_id = snapshot_id_;
  const std::string path = fmt::format("{}/{}-m{}.avro", catalog::MetadataFolder(*target.metadata),
                                       uuid_, next_manifest_.fetch_add(1));
  return table::ManifestWriter::Create(files_, path, target.metadata->schema(), entry->spec,
                                       entry->type, options);
}

Result<spec::ManifestFile> ManifestOutput::Close(table::ManifestWriter& writer) {
  ASSIGN_OR_RETURN(spec::ManifestFile manifest, writer.Close());
  manifest.added_snapshot_id = snapshot_id_;
  Remember(manifest.path);
  return manifest;
}

Result<std::vector<spec::ManifestFile>> ManifestOutput::WriteGroup(const WriteTarget& target,
                                                                   spec::ManifestContent content,
                                                                   int32_t spec_id,
                                                                   std::span<const NewFile> files) {
  ASSIGN_OR_RETURN(const int64_t target_size, ManifestTargetSize(*target.metadata));
  std::vector<spec::ManifestFile> manifests;
  std::unique_ptr<table::ManifestWriter> writer;
  for (const NewFile& added : files) {
    if (writer != nullptr && writer->entries() % kRollCheckInterval == 0 &&
        writer->length() >= target_size) {
      ASSIGN_OR_RETURN(spec::ManifestFile full, Close(*writer));
      manifests.push_back(std::move(full));
      writer.reset();
    }
    if (writer == nullptr) {
      ASSIGN_OR_RETURN(writer, Open(target, content, spec_id));
    }
    if (added.file->first_row_id) {  // the commit assigns row ids, whatever the caller read
      spec::DataFile file = *added.file;
      file.first_row_id.reset();
      RETURN_IF_ERROR(writer->AddAdded(file, added.data_sequence_number));
    } else {
      RETURN_IF_ERROR(writer->AddAdded(*added.file, added.data_sequence_number));
    }
  }
  if (writer != nullptr) {
    ASSIGN_OR_RETURN(spec::ManifestFile last, Close(*writer));
    manifests.push_back(std::move(last));
  }
  return manifests;
}

Result<std::vector<spec::ManifestFile>> ManifestOutput::WriteAdded(const WriteTarget& target,
                                                                   spec::ManifestContent content,
                                                                   int32_t spec_id,
                                                                   std::span<const NewFile> files) {
  const int64_t count = static_cast<int64_t>(files.size());
  const int64_t wanted = std::max<int64_t>(1, (count + kFilesPerGroup / 2) / kFilesPerGroup);
  const int64_t groups =
      std::min<int64_t>(wanted, static_cast<int64_t>(ThreadPool::Shared().threads()) + 1);
  if (groups == 1) return WriteGroup(target, content, spec_id, files);
  const int64_t size = (count + groups - 1) / groups;
  std::vector<std::vector<spec::ManifestFile>> results(static_cast<size_t>(groups));
  RETURN_IF_ERROR(
      ThreadPool::Shared().ParallelFor(static_cast<size_t>(groups), [&](size_t group) -> Status {
        const size_t begin = std::min(files.size(), group * static_cast<size_t>(size));
        const size_t end = std::min(files.size(), begin + static_cast<size_t>(size));
        ASSIGN_OR_RETURN(results[group],
                         WriteGroup(target, content, spec_id, files.subspan(begin, end - begin)));
        return {};
      }));
  std::vector<spec::ManifestFile> manifests;
  for (auto& result : results) {
    std::move(result.begin(), result.end(), std::back_inserter(manifests));
  }
  return manifests;
}

std::string ManifestOutput::NextListPath(const spec::TableMetadata& metadata) {
  std::string path = fmt::format("{}/snap-{}-{}-{}.avro", catalog::MetadataFolder(metadata),
                                 snapshot_id_, next_list_.fetch_add(1), uuid_);
  Remember(path);
  return path;
}

void ManifestOutput::DeleteUnused(const std::set<std::string>& kept) {
  std::vector<std::string> unused;
  {
    std::lock_guard lock(mutex_);
    for (std::string& path : written_) {
      if (!kept.contains(path)) unused.push_back(std::move(path));
    }
    written_.clear();
  }
  if (unused.empty()) return;
  files_.DeleteMany(unused, [](const std::string& path, const Error& error) {
    LogWarn(fmt::format("Cannot delete uncommitted file {}: {}", path, error.message));
  });
}

}  // namespace iceblink::commit
