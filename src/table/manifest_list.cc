#include "table/manifest_list.h"

#include <utility>

#include "io/avro.h"
#include "table/avro_blocks.h"
#include "table/manifest_reader.h"
#include "table/manifest_schema.h"

namespace iceblink::table {
namespace {

namespace avro = io::avro;
namespace f = list_field;
using spec::FieldSummary;
using spec::ManifestContent;
using spec::ManifestFile;

Bytes ReadBytes(avro::Decoder& d) { return Bytes{d.ReadString()}; }

FieldSummary ReadSummary(avro::Decoder& d, const avro::Schema& record) {
  FieldSummary summary;
  for (const avro::Field& field : record.fields) {
    switch (field.id) {
      case f::kContainsNull:
        if (d.ReadPresent(*field.type)) summary.contains_null = d.ReadBool();
        break;
      case f::kContainsNan:
        if (d.ReadPresent(*field.type)) summary.contains_nan = d.ReadBool();
        break;
      case f::kLowerBound:
        if (d.ReadPresent(*field.type)) summary.lower_bound = ReadBytes(d);
        break;
      case f::kUpperBound:
        if (d.ReadPresent(*field.type)) summary.upper_bound = ReadBytes(d);
        break;
      default:
        d.Skip(*field.type);
    }
  }
  return summary;
}

std::vector<FieldSummary> ReadSummaries(avro::Decoder& d, const avro::Schema& array) {
  std::vector<FieldSummary> summaries;
  while (int64_t n = d.ReadRun()) {
    while (n-- > 0 && d.ok()) summaries.push_back(ReadSummary(d, array.items->NonNull()));
  }
  return summaries;
}

// Reads the value of a present field.
void ReadField(avro::Decoder& d, int32_t id, const avro::Schema& type, ManifestFile& m) {
  switch (id) {
    case f::kPath:
      m.path = d.ReadString();
      break;
    case f::kLength:
      m.length = d.ReadLong();
      break;
    case f::kSpecId:
      m.spec_id = d.ReadInt();
      break;
    case f::kContent:
      m.content = d.ReadInt() == 1 ? ManifestContent::kDeletes : ManifestContent::kData;
      break;
    case f::kSequenceNumber:
      m.sequence_number = d.ReadLong();
      break;
    case f::kMinSequenceNumber:
      m.min_sequence_number = d.ReadLong();
      break;
    case f::kAddedSnapshotId:
      m.added_snapshot_id = d.ReadLong();
      break;
    case f::kAddedFiles:
      m.added_files_count = d.ReadInt();
      break;
    case f::kExistingFiles:
      m.existing_files_count = d.ReadInt();
      break;
    case f::kDeletedFiles:
      m.deleted_files_count = d.ReadInt();
      break;
    case f::kAddedRows:
      m.added_rows_count = d.ReadLong();
      break;
    case f::kExistingRows:
      m.existing_rows_count = d.ReadLong();
      break;
    case f::kDeletedRows:
      m.deleted_rows_count = d.ReadLong();
      break;
    case f::kPartitions:
      m.partitions = ReadSummaries(d, type);
      break;
    case f::kKeyMetadata:
      m.key_metadata = ReadBytes(d);
      break;
    case f::kFirstRowId:
      m.first_row_id = d.ReadLong();
      break;
    default:
      d.Skip(type);
  }
}

Status CheckList(const AvroBlocks& blocks) {
  const avro::Schema& schema = blocks.schema();
  if (schema.kind == avro::Kind::kRecord && schema.FindField(f::kPath) != nullptr) return {};
  return Fail(ErrorCode::kCorrupt, "Not a manifest list: " + blocks.path());
}

}  // namespace

Status ForEachManifestInList(const ReadContext& context, const std::string& manifest_list,
                             const std::function<Status(ManifestFile&&)>& visit) {
  ASSIGN_OR_RETURN(auto blocks, AvroBlocks::Open(context, manifest_list));
  RETURN_IF_ERROR(CheckList(*blocks));
  avro::Decoder d;
  while (true) {
    ASSIGN_OR_RETURN(int64_t count, blocks->Next(d));
    if (count == 0) return {};
    for (; count > 0; count--) {
      ManifestFile manifest;
      for (const avro::Field& field : blocks->schema().fields) {
        if (const avro::Schema* type = d.ReadPresent(*field.type))
          ReadField(d, field.id, *type, manifest);
      }
      if (!d.ok()) return Fail(blocks->CorruptAt(d, "manifest list"));
      RETURN_IF_ERROR(visit(std::move(manifest)));
    }
  }
}

Status ForEachManifest(const ReadContext& context, const spec::Snapshot& snapshot,
                       const std::function<Status(ManifestFile&&)>& visit) {
  if (!snapshot.manifest_list.empty())
    return ForEachManifestInList(context, snapshot.manifest_list, visit);
  for (const std::string& path : snapshot.manifests) {
    ASSIGN_OR_RETURN(ManifestHeader header, ReadManifestHeader(context, path));
    RETURN_IF_ERROR(visit(std::move(header.file)));
  }
  return {};
}

Result<std::vector<ManifestFile>> ReadManifests(const ReadContext& context,
                                                const spec::Snapshot& snapshot) {
  std::vector<ManifestFile> manifests;
  RETURN_IF_ERROR(ForEachManifest(context, snapshot, [&](ManifestFile&& m) -> Status {
    manifests.push_back(std::move(m));
    return {};
  }));
  return manifests;
}

}  // namespace iceblink::table
