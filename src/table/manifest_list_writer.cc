// The writing half of manifest_list.h.
#include <map>
#include <utility>

#include "io/avro.h"
#include "spec/json.h"
#include "table/manifest_list.h"
#include "table/manifest_schema.h"

namespace iceblink::table {
namespace {

namespace avro = io::avro;
namespace f = list_field;

}  // namespace

using spec::FieldSummary;
using spec::ManifestContent;
using spec::ManifestFile;

struct ManifestListWriter::State {
  ManifestListOptions options;
  spec::StructType type;
  avro::Writer writer;
  std::optional<int64_t> next_row_id;

  Status Assign(ManifestFile& m);
  void Encode(const ManifestFile& m);
  void EncodeSummaries(const std::vector<FieldSummary>& summaries);
};

namespace {

std::map<std::string, std::string> ListMetadata(const ManifestListOptions& o,
                                                const spec::StructType& type) {
  std::map<std::string, std::string> metadata = {
      {"snapshot-id", std::to_string(o.snapshot_id)},
      {"parent-snapshot-id", o.parent_snapshot_id ? std::to_string(*o.parent_snapshot_id) : "null"},
      {"format-version", std::to_string(o.format_version)},
      {"iceberg.schema", spec::SchemaText(spec::Schema(type.fields))},
  };
  if (o.format_version >= 2) metadata["sequence-number"] = std::to_string(o.sequence_number);
  if (o.format_version >= 3) {
    metadata["first-row-id"] = o.first_row_id ? std::to_string(*o.first_row_id) : "null";
  }
  return metadata;
}

}  // namespace

ManifestListWriter::ManifestListWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ManifestListWriter::~ManifestListWriter() = default;

Result<std::unique_ptr<ManifestListWriter>> ManifestListWriter::Create(
    io::FileSystem& files, const std::string& path, ManifestListOptions options) {
  spec::StructType type = ManifestFileType(options.format_version);
  ASSIGN_OR_RETURN(auto file, files.Create(path, io::WriteMode::kReplace));
  avro::Writer::Options avro_options;
  avro_options.metadata = ListMetadata(options, type);
  avro_options.codec = options.codec;
  avro_options.level = options.level;
  ASSIGN_OR_RETURN(avro::Writer writer,
                   avro::Writer::Create(std::move(file), AvroSchemaText(type, "manifest_file"),
                                        std::move(avro_options)));
  std::optional<int64_t> next_row_id;
  if (options.format_version >= 3) next_row_id = options.first_row_id;
  std::unique_ptr<State> state(
      new State{std::move(options), std::move(type), std::move(writer), next_row_id});
  return std::unique_ptr<ManifestListWriter>(new ManifestListWriter(std::move(state)));
}

Status ManifestListWriter::State::Assign(ManifestFile& m) {
  if (options.format_version == 1 && m.content == ManifestContent::kDeletes) {
    return Fail(ErrorCode::kInvalidArgument, "Cannot store delete manifests in a v1 table",
                "IllegalArgumentException");
  }
  for (int64_t* number : {&m.sequence_number, &m.min_sequence_number}) {
    if (*number != ManifestFile::kUnassignedSequence) continue;
    if (m.added_snapshot_id != options.snapshot_id) {
      return Fail(ErrorCode::kInternal,
                  "Found unassigned sequence number for a manifest from snapshot: " +
                      std::to_string(m.added_snapshot_id),
                  "IllegalStateException");
    }
    *number = options.sequence_number;
  }
  if (next_row_id && m.content == ManifestContent::kData && !m.first_row_id) {
    m.first_row_id = *next_row_id;
    *next_row_id += m.existing_rows_count.value_or(0) + m.added_rows_count.value_or(0);
  }
  return {};
}

namespace {

// Encodes a number into a required or an optional column; a required one that is absent becomes 0,
// as old v1 rows need.
template <typename T>
void PutNumber(avro::Encoder& e, bool required, std::optional<T> value) {
  if (!required) e.WriteUnionIndex(value ? 1 : 0);
  if (required || value) e.WriteLong(value.value_or(0));
}

void PutBytes(avro::Encoder& e, const std::optional<Bytes>& value) {
  e.WriteUnionIndex(value ? 1 : 0);
  if (value) e.WriteBytes(value->data);
}

}  // namespace

void ManifestListWriter::State::EncodeSummaries(const std::vector<FieldSummary>& summaries) {
  avro::Encoder& e = writer.encoder();
  if (!summaries.empty()) e.BeginRun(static_cast<int64_t>(summaries.size()));
  for (const FieldSummary& s : summaries) {
    e.WriteBool(s.contains_null);
    e.WriteUnionIndex(s.contains_nan ? 1 : 0);
    if (s.contains_nan) e.WriteBool(*s.contains_nan);
    PutBytes(e, s.lower_bound);
    PutBytes(e, s.upper_bound);
  }
  e.EndRuns();
}

void ManifestListWriter::State::Encode(const ManifestFile& m) {
  avro::Encoder& e = writer.encoder();
  for (const spec::NestedField& field : type.fields) {
    const auto number = [&](auto value) { PutNumber(e, field.required, value); };
    switch (field.id) {
      case f::kPath:
        e.WriteBytes(m.path);
        break;
      case f::kLength:
        number(std::optional(m.length));
        break;
      case f::kSpecId:
        number(std::optional(m.spec_id));
        break;
      case f::kContent:
        number(std::optional(static_cast<int32_t>(m.content)));
        break;
      case f::kSequenceNumber:
        number(std::optional(m.sequence_number));
        break;
      case f::kMinSequenceNumber:
        number(std::optional(m.min_sequence_number));
        break;
      case f::kAddedSnapshotId:
        number(std::optional(m.added_snapshot_id));
        break;
      case f::kAddedFiles:
        number(m.added_files_count);
        break;
      case f::kExistingFiles:
        number(m.existing_files_count);
        break;
      case f::kDeletedFiles:
        number(m.deleted_files_count);
        break;
      case f::kAddedRows:
        number(m.added_rows_count);
        break;
      case f::kExistingRows:
        number(m.existing_rows_count);
        break;
      case f::kDeletedRows:
        number(m.deleted_rows_count);
        break;
      case f::kPartitions:
        e.WriteUnionIndex(m.partitions ? 1 : 0);
        if (m.partitions) EncodeSummaries(*m.partitions);
        break;
      case f::kKeyMetadata:
        PutBytes(e, m.key_metadata);
        break;
      case f::kFirstRowId:
        number(m.first_row_id);
        break;
    }
  }
}

Result<ManifestFile> ManifestListWriter::Add(ManifestFile manifest) {
  RETURN_IF_ERROR(state_->Assign(manifest));
  state_->Encode(manifest);
  RETURN_IF_ERROR(state_->writer.EndRecord());
  return manifest;
}

Result<std::optional<int64_t>> ManifestListWriter::Close() {
  RETURN_IF_ERROR(state_->writer.Close());
  return state_->next_row_id;
}

}  // namespace iceblink::table
