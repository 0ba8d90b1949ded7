// Deleted positions of the files of a scan, as bitmaps: from deletion vectors, position delete
// files and equality deletes.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/iceberg_scan.h"
#include "exec/position_deletes.h"
#include "io/file_system.h"

namespace iceblink::exec {

namespace {

using io::PositionBitmap;

Result<PositionBitmap> ReadVector(DuckDbSession& session, const spec::DataFile& file) {
  ASSIGN_OR_RETURN(auto input, session.files().OpenSized(file.file_path, file.file_size_in_bytes));
  if (!file.content_offset || !file.content_size_in_bytes) {
    return Fail(ErrorCode::kCorrupt, "Deletion vector without offset or size: " + file.file_path);
  }
  std::string blob(static_cast<size_t>(*file.content_size_in_bytes), '\0');
  RETURN_IF_ERROR(input->ReadAt(*file.content_offset, blob.size(), blob.data()));
  return PositionBitmap::FromBlob(blob);
}

// Positions of position delete files, read once each and kept by data file.
class PositionFiles {
 public:
  explicit PositionFiles(DuckDbSession& session) : session_(session) {}

  // Positions of `data_file` in a delete file; null: none.
  Result<const PositionBitmap*> Find(const spec::DataFile& deletes, const std::string& data_file) {
    auto it = files_.find(deletes.file_path);
    if (it == files_.end()) {
      it = files_.emplace(deletes.file_path, std::map<std::string, PositionBitmap>()).first;
      RETURN_IF_ERROR(ReadPositionDeletes(session_, deletes, &it->second));
    }
    auto found = it->second.find(data_file);
    return found == it->second.end() ? nullptr : &found->second;
  }

 private:
  DuckDbSession& session_;
  std::map<std::string, std::map<std::string, PositionBitmap>> files_;
};

// A scan of other files of the same table with the columns of `ids`, e.g. an equality delete file
// as if it held data.
Result<std::shared_ptr<PlannedScan>> KeyScan(const PlannedScan& scan,
                                             const std::vector<int32_t>& ids) {
  auto out = std::make_shared<PlannedScan>();
  out->metadata = scan.metadata;
  out->schema = scan.schema;
  out->name_mapping = scan.name_mapping;
  for (int32_t id : ids) {
    const spec::NestedField* field = scan.schema->FindField(id);
    // The column may have been dropped since.
    for (auto it = scan.metadata->schemas.rbegin();
         field == nullptr && it != scan.metadata->schemas.rend(); ++it) {
      field = it->FindField(id);
    }
    if (field == nullptr)
      return Fail(ErrorCode::kCorrupt, "Cannot find equality column " + std::to_string(id));
    out->fields.push_back(
        {"k" + std::to_string(id), *field, ToLogicalType(field->type), ScanSource::kField});
  }
  out->fields.push_back({"_ordinal",
                         spec::NestedField::Optional(-1003, "_ordinal", spec::Type::Long()),
                         duckdb::LogicalType::BIGINT, ScanSource::kFileOrdinal});
  return out;
}

// Data files that share equality delete files of the same columns, resolved by one semi join.
struct EqualityGroup {
  std::vector<int32_t> ids;
  std::vector<table::DeleteFilePtr> deletes;
  std::vector<size_t> tasks;
};

std::vector<EqualityGroup> GroupEquality(const PlannedScan& scan) {
  std::map<std::string, EqualityGroup> groups;
  for (size_t i = 0; i < scan.tasks.size(); ++i) {
    std::map<std::vector<int32_t>, std::vector<table::DeleteFilePtr>> by_ids;
    for (const table::DeleteFilePtr& file : scan.tasks[i].deletes) {
      if (file->file.content == spec::DataFileContent::kEqualityDeletes)
        by_ids[file->file.equality_ids].push_back(file);
    }
    for (auto& [ids, files] : by_ids) {
      std::string key;
      for (int32_t id : ids) key += std::to_string(id) + ",";
      for (const auto& file : files) key += file->file.file_path + "\n";
      EqualityGroup& group = groups[key];
      group.ids = ids;
      group.deletes = files;
      group.tasks.push_back(i);
    }
  }
  std::vector<EqualityGroup> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

Status ApplyEquality(DuckDbSession& session, PlannedScan& scan, const EqualityGroup& group,
                     std::vector<std::unique_ptr<PositionBitmap>>& bitmaps) {
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> data, KeyScan(scan, group.ids));
  ASSIGN_OR_RETURN(std::shared_ptr<PlannedScan> deletes, KeyScan(scan, group.ids));
  for (size_t task : group.tasks) {
    data->tasks.push_back(scan.tasks[task]);
    data->rows += scan.tasks[task].file.record_count;
  }
  for (const table::DeleteFilePtr& file : group.deletes) {
    table::FileScanTask task;
    task.file = file->file;
    deletes->rows += task.file.record_count;
    deletes->tasks.push_back(std::move(task));
  }
  data->deleted.resize(data->tasks.size());
  deletes->deleted.resize(deletes->tasks.size());
  std::vector<std::string> equal;
  for (int32_t id : group.ids)
    equal.push_back(fmt::format("d.k{0} IS NOT DISTINCT FROM e.k{0}", id));
  std::string sql = fmt::format(
      "SELECT d._ordinal, d.file_row_number FROM {} AS d SEMI JOIN {} AS e ON {}",
      ScanSql(session, "data", data), ScanSql(session, "deletes", deletes), Join(equal, " AND "));
  ASSIGN_OR_RETURN(auto result, session.RunAside(sql));
  while (true) {
    ASSIGN_OR_RETURN(auto chunk, session.Fetch(*result));
    if (chunk == nullptr) return {};
    for (size_t i = 0; i < chunk->size(); ++i) {
      size_t task =
          group.tasks[static_cast<size_t>(chunk->data[0].GetValue(i).GetValue<int64_t>())];
      if (bitmaps[task] == nullptr) bitmaps[task] = std::make_unique<PositionBitmap>();
      bitmaps[task]->Add(chunk->data[1].GetValue(i).GetValue<int64_t>());
    }
  }
}

}  // namespace

Result<io::PositionBitmap> ReadPositions(DuckDbSession& session,
                                         const std::vector<table::DeleteFilePtr>& deletes,
                                         const std::string& data_file) {
  PositionFiles files(session);
  PositionBitmap out;
  for (const table::DeleteFilePtr& file : deletes) {
    if (file->file.content != spec::DataFileContent::kPositionDeletes) continue;
    if (file->file.is_dv()) {
      ASSIGN_OR_RETURN(PositionBitmap vector, ReadVector(session, file->file));
      out.Merge(vector);
      continue;
    }
    ASSIGN_OR_RETURN(const PositionBitmap* positions, files.Find(file->file, data_file));
    if (positions != nullptr) out.Merge(*positions);
  }
  return out;
}

Status LoadDeletes(DuckDbSession& session, PlannedScan& scan) {
  PositionFiles files(session);
  std::vector<std::unique_ptr<PositionBitmap>> bitmaps(scan.tasks.size());
  bool equality = false;
  for (size_t i = 0; i < scan.tasks.size(); ++i) {
    for (const table::DeleteFilePtr& deletes : scan.tasks[i].deletes) {
      if (deletes->file.content == spec::DataFileContent::kEqualityDeletes) {
        equality = true;
        continue;
      }
      if (bitmaps[i] == nullptr) bitmaps[i] = std::make_unique<PositionBitmap>();
      if (deletes->file.is_dv()) {
        ASSIGN_OR_RETURN(PositionBitmap vector, ReadVector(session, deletes->file));
        bitmaps[i]->Merge(vector);
        continue;
      }
      ASSIGN_OR_RETURN(const PositionBitmap* positions,
                       files.Find(deletes->file, scan.tasks[i].file.file_path));
      if (positions != nullptr) bitmaps[i]->Merge(*positions);
    }
  }
  if (equality) {
    for (const EqualityGroup& group : GroupEquality(scan))
      RETURN_IF_ERROR(ApplyEquality(session, scan, group, bitmaps));
  }
  scan.deleted.resize(scan.tasks.size());
  for (size_t i = 0; i < bitmaps.size(); ++i) {
    if (bitmaps[i] != nullptr && !bitmaps[i]->empty()) scan.deleted[i] = std::move(bitmaps[i]);
  }
  return {};
}

}  // namespace iceblink::exec
