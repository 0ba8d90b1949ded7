#include "table/metadata_columns.h"

#include <iterator>
#include <string>

namespace iceblink::table {
namespace {

using spec::NestedField;
using spec::Type;

struct NamedColumn {
  std::string_view name;
  int32_t id;
};
constexpr NamedColumn kNamedColumns[] = {
    {"_file", kFilePathId},
    {"_pos", kRowPositionId},
    {"_deleted", kIsDeletedId},
    {"_spec_id", kSpecIdId},
    {"_partition", kPartitionId},
    {"_row_id", kRowIdId},
    {"_last_updated_sequence_number", kLastUpdatedSequenceId},
    {"_change_type", kChangeTypeId},
    {"_change_ordinal", kChangeOrdinalId},
    {"_commit_snapshot_id", kCommitSnapshotIdId},
};

}  // namespace

Result<std::vector<NestedField>> MetadataColumns(const spec::TableMetadata& metadata) {
  ASSIGN_OR_RETURN(spec::StructType partition,
                   spec::UnionPartitionType(metadata.schema(), metadata.specs));
  std::vector<NestedField> columns = {
      NestedField::Required(kFilePathId, "_file", Type::String(),
                            "Path of the file in which a row is stored"),
      NestedField::Required(kRowPositionId, "_pos", Type::Long(),
                            "Ordinal position of a row in the source data file"),
      NestedField::Required(kIsDeletedId, "_deleted", Type::Boolean(),
                            "Whether the row has been deleted"),
      NestedField::Required(kSpecIdId, "_spec_id", Type::Int(),
                            "Spec ID used to track the file containing a row"),
      NestedField::Optional(kPartitionId, "_partition", Type(std::move(partition)),
                            "Partition to which a row belongs to"),
  };
  if (metadata.format_version >= 3) {
    columns.push_back(NestedField::Optional(kRowIdId, "_row_id", Type::Long(),
                                            "Implicit row ID that is automatically assigned"));
    columns.push_back(NestedField::Optional(kLastUpdatedSequenceId, "_last_updated_sequence_number",
                                            Type::Long(),
                                            "Sequence number when the row was last updated"));
  }
  return columns;
}

std::vector<NestedField> ChangelogColumns() {
  return {
      NestedField::Required(kChangeTypeId, "_change_type", Type::String(),
                            "Record type in changelog"),
      NestedField::Required(kChangeOrdinalId, "_change_ordinal", Type::Int(),
                            "Change ordinal in changelog"),
      NestedField::Required(kCommitSnapshotIdId, "_commit_snapshot_id", Type::Long(),
                            "Commit snapshot ID"),
  };
}

std::optional<int32_t> MetadataColumnId(std::string_view name) {
  for (const NamedColumn& column : kNamedColumns) {
    if (column.name == name) return column.id;
  }
  return std::nullopt;
}

}  // namespace iceblink::table
