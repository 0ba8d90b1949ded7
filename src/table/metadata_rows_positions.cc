// position_deletes: one row for each position of the live position delete files and deletion
// vectors.
#include "io/deletion_vector.h"
#include "table/metadata_columns.h"
#include "table/metadata_rows.h"

namespace iceblink::table {
namespace {

using spec::DataFile;

Status ReadVector(io::FileSystem& files, const DataFile& file, const PositionVisitor& visit) {
  ASSIGN_OR_RETURN(auto source, files.OpenRead(file.file_path));
  std::string blob(static_cast<size_t>(file.content_size_in_bytes.value_or(0)), '\0');
  RETURN_IF_ERROR(source->ReadAt(file.content_offset.value_or(0), blob.size(), blob.data()));
  ASSIGN_OR_RETURN(const io::PositionBitmap bitmap, io::PositionBitmap::FromBlob(blob));
  Status status;
  const std::string path = file.referenced_data_file.value_or("");
  bitmap.ForEach([&](int64_t position) {
    status = visit(path, position, Value());
    return status.has_value();
  });
  return status;
}

// A batch is one delete file's positions.
class PositionRows final : public MetadataRows {
 public:
  PositionRows(MetadataTableInput input, std::vector<const spec::Snapshot*> snapshots)
      : input_(std::move(input)),
        types_(input_.metadata()),
        partitions_(types_, PartitionColumnType(input_.schema)),
        cursor_(input_.context, types_, std::move(snapshots), Options()) {}

  Result<std::vector<ValueList>> Next() override {
    std::vector<ValueList> rows;
    while (rows.empty()) {
      ASSIGN_OR_RETURN(const spec::ManifestEntry* entry, cursor_.Next());
      if (entry == nullptr) break;
      if (entry->data_file.content == spec::DataFileContent::kPositionDeletes) {
        RETURN_IF_ERROR(Read(entry->data_file, rows));
      }
    }
    return rows;
  }

 private:
  static EntryCursor::Options Options() {
    EntryCursor::Options options;
    options.read.live_only = true;
    options.read.stats = StatsSelection::Of({kDeleteFilePathId});
    options.data = false;
    return options;
  }

  Status Read(const DataFile& file, std::vector<ValueList>& rows) {
    const ValueList constants = Constants(file);
    const auto add = [&](const std::string& path, int64_t position, Value row) -> Status {
      ValueList values = {path, position, std::move(row)};
      values.insert(values.end(), constants.begin(), constants.end());
      rows.push_back(std::move(values));
      return {};
    };
    if (file.is_dv()) return ReadVector(*input_.context.files, file, add);
    if (input_.request.read_position_deletes)
      return input_.request.read_position_deletes(file, add);
    return Fail(ErrorCode::kUnsupported, "Cannot read position delete file " + file.file_path);
  }

  // The columns after file_path, pos and row.
  ValueList Constants(const DataFile& file) const {
    ValueList values;
    if (!partitions_.empty())
      values.push_back(Value::Struct(partitions_.Coerce(file.spec_id, file.partition)));
    values.emplace_back(file.spec_id);
    values.emplace_back(file.file_path);
    if (input_.metadata().format_version >= 3) {
      values.push_back(OptionalValue(file.content_offset));
      values.push_back(OptionalValue(file.content_size_in_bytes));
    }
    return values;
  }

  MetadataTableInput input_;
  PartitionTypes types_;
  PartitionUnion partitions_;
  EntryCursor cursor_;
};

}  // namespace

Result<std::unique_ptr<MetadataRows>> OpenPositionRows(MetadataTableInput input) {
  ASSIGN_OR_RETURN(std::vector<const spec::Snapshot*> snapshots, input.Snapshots());
  return std::make_unique<PositionRows>(std::move(input), std::move(snapshots));
}

}  // namespace iceblink::table
