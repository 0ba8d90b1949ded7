#include "commit/merge_vectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/deletion_vector.h"
#include "io/puffin.h"
#include "spec/properties.h"

namespace iceblink::commit {

namespace {

using Vectors = std::vector<AddedDeleteFile>;

constexpr int32_t kRowPositionFieldId =
    2147483645;  // the reserved id of _pos, which a vector's blob names

Result<io::PositionBitmap> ReadVector(io::FileSystem& files, const spec::DataFile& dv) {
  ASSIGN_OR_RETURN(auto file, files.OpenSized(dv.file_path, dv.file_size_in_bytes));
  std::string blob(static_cast<size_t>(dv.content_size_in_bytes.value_or(0)), '\0');
  RETURN_IF_ERROR(file->ReadAt(dv.content_offset.value_or(0), blob.size(), blob.data()));
  return io::PositionBitmap::FromBlob(blob);
}

Status CheckMergeable(const AddedDeleteFile& first, const AddedDeleteFile& other) {
  if (first.file.spec_id == other.file.spec_id && first.file.partition == other.file.partition &&
      first.data_sequence_number == other.data_sequence_number) {
    return {};
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("Cannot merge deletion vectors of {}: spec, partition or sequence number differ",
                  first.file.referenced_data_file.value_or("")),
      "ValidationException");
}

Result<AddedDeleteFile> MergeInto(io::FileSystem& files, io::PuffinWriter& writer,
                                  const std::string& path, const Vectors& vectors) {
  AddedDeleteFile merged = vectors.front();
  io::PositionBitmap positions;
  for (const AddedDeleteFile& vector : vectors) {
    RETURN_IF_ERROR(CheckMergeable(merged, vector));
    ASSIGN_OR_RETURN(const io::PositionBitmap more, ReadVector(files, vector.file));
    positions.Merge(more);
  }
  io::PuffinBlob blob;
  blob.type = io::kDeletionVectorBlob;
  blob.fields = {kRowPositionFieldId};
  blob.properties = {{"referenced-data-file", merged.file.referenced_data_file.value_or("")},
                     {"cardinality", std::to_string(positions.Cardinality())}};
  ASSIGN_OR_RETURN(const io::PuffinBlob written, writer.Add(std::move(blob), positions.ToBlob()));
  merged.file.file_path = path;
  merged.file.record_count = positions.Cardinality();
  merged.file.content_offset = written.offset;
  merged.file.content_size_in_bytes = written.length;
  return merged;
}

}  // namespace

Status MergeDuplicateVectors(io::FileSystem& files, const spec::TableMetadata& base,
                             int64_t snapshot_id, SnapshotChange& change) {
  std::map<std::string, Vectors> by_file;
  for (const AddedDeleteFile& added : change.added_deletes) {
    if (added.file.is_dv()) by_file[added.file.referenced_data_file.value_or("")].push_back(added);
  }
  std::erase_if(by_file, [](const auto& entry) { return entry.second.size() < 2; });
  if (by_file.empty()) return {};

  const std::string folder = base.Property(spec::property::kDataPath, base.location + "/data");
  const std::string path = fmt::format("{}/merged-dvs-{}-1.puffin", folder, snapshot_id);
  ASSIGN_OR_RETURN(auto out, files.Create(path, io::WriteMode::kReplace));
  ASSIGN_OR_RETURN(auto writer,
                   io::PuffinWriter::Create(std::move(out), {{"created-by", "Iceblink"}}));
  Vectors merged;
  for (const auto& [file, vectors] : by_file) {
    ASSIGN_OR_RETURN(AddedDeleteFile one, MergeInto(files, writer, path, vectors));
    merged.push_back(std::move(one));
  }
  RETURN_IF_ERROR(writer.Close());
  for (AddedDeleteFile& one : merged) one.file.file_size_in_bytes = writer.length();
  std::erase_if(change.added_deletes, [&](const AddedDeleteFile& added) {
    return added.file.is_dv() && by_file.contains(added.file.referenced_data_file.value_or(""));
  });
  std::move(merged.begin(), merged.end(), std::back_inserter(change.added_deletes));
  return {};
}

}  // namespace iceblink::commit
