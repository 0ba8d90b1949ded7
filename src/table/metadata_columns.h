// Reserved field ids and the columns they stand for: what a scan adds to a table's own columns, and
// the columns of position delete files and of the changelog.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "spec/table_metadata.h"

namespace iceblink::table {

inline constexpr int32_t kFilePathId = 2147483646;        // _file
inline constexpr int32_t kRowPositionId = 2147483645;     // _pos
inline constexpr int32_t kIsDeletedId = 2147483644;       // _deleted
inline constexpr int32_t kSpecIdId = 2147483643;          // _spec_id
inline constexpr int32_t kPartitionId = 2147483642;       // _partition
inline constexpr int32_t kContentOffsetId = 2147483641;   // position_deletes.content_offset
inline constexpr int32_t kContentSizeId = 2147483640;     // position_deletes.content_size_in_bytes
inline constexpr int32_t kDeleteFilePathId = 2147483546;  // file_path of a position delete file
inline constexpr int32_t kDeleteFilePosId = 2147483545;   // pos
inline constexpr int32_t kDeleteFileRowId = 2147483544;   // row
inline constexpr int32_t kChangeTypeId = 2147483543;      // _change_type
inline constexpr int32_t kChangeOrdinalId = 2147483542;   // _change_ordinal
inline constexpr int32_t kCommitSnapshotIdId = 2147483541;     // _commit_snapshot_id
inline constexpr int32_t kRowIdId = 2147483540;                // _row_id
inline constexpr int32_t kLastUpdatedSequenceId = 2147483539;  // _last_updated_sequence_number

// The greatest field id a user's column may have.
inline constexpr int32_t kMaxUserFieldId = 2147483447;
inline constexpr bool IsReservedFieldId(int32_t id) { return id > kMaxUserFieldId; }

// Returns the columns that every scan of the table offers beside its own, in the order _file, _pos,
// _deleted, _spec_id, _partition and, for format version 3, _row_id, _last_updated_sequence_number.
// _partition is the union of the partition fields of all specs (a struct without fields when no
// spec has any). Error: as spec::UnionPartitionType.
Result<std::vector<spec::NestedField>> MetadataColumns(const spec::TableMetadata& metadata);

// Returns the columns that the `changes` table adds: _change_type, _change_ordinal,
// _commit_snapshot_id.
std::vector<spec::NestedField> ChangelogColumns();

// Returns the reserved id of a metadata column's name ("_file" ...; exact case), or nothing.
std::optional<int32_t> MetadataColumnId(std::string_view name);

}  // namespace iceblink::table
