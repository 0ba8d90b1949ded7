#include "table/manifest_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/strings.h"
#include "io/avro.h"
#include "spec/json.h"
#include "spec/single_value.h"
#include "table/manifest_schema.h"

namespace iceblink::table {
namespace {

namespace avro = io::avro;
namespace f = entry_field;
using spec::DataFile;
using spec::EntryStatus;
using spec::ManifestEntry;
using spec::ManifestFile;

constexpr int64_t kDefaultBlockSize = 64 * 1024 * 1024;  // v1 requires one; nobody reads it

bool IsNan(const Value& value) {
  return (value.Is<float>() && std::isnan(value.As<float>())) ||
         (value.Is<double>() && std::isnan(value.As<double>()));
}

// Range and specials of one partition field over the files of a manifest.
struct FieldRange {
  bool contains_null = false;
  bool contains_nan = false;
  Value min;
  Value max;

  void Update(const Value& value) {
    if (value.is_null()) {
      contains_null = true;
    } else if (IsNan(value)) {
      contains_nan = true;
    } else {
      if (min.is_null() || CompareValues(value, min) < 0) min = value;
      if (max.is_null() || CompareValues(value, max) > 0) max = value;
    }
  }

  spec::FieldSummary Summary(const spec::Type& type) const {
    spec::FieldSummary summary{contains_null, contains_nan, std::nullopt, std::nullopt};
    if (!min.is_null() && !type.Is(spec::TypeKind::kUnknown)) {
      summary.lower_bound = spec::ToBound(type, min);
      summary.upper_bound = spec::ToBound(type, max);
    }
    return summary;
  }
};

void WritePartitionValue(avro::Encoder& e, const spec::Type& type, const Value& value) {
  if (type.Is(spec::TypeKind::kUnknown)) return;  // Avro null takes no byte
  e.WriteUnionIndex(value.is_null() ? 0 : 1);
  if (value.is_null()) return;
  switch (type.kind()) {
    case spec::TypeKind::kBoolean:
      return e.WriteBool(value.As<bool>());
    case spec::TypeKind::kFloat:
      return e.WriteFloat(value.As<float>());
    case spec::TypeKind::kDouble:
      return e.WriteDouble(value.Is<float>() ? value.As<float>() : value.As<double>());
    case spec::TypeKind::kString:
      return e.WriteBytes(value.As<std::string>());
    case spec::TypeKind::kBinary:
      return e.WriteBytes(value.As<Bytes>().data);
    case spec::TypeKind::kUuid:
    case spec::TypeKind::kFixed:
      return e.WriteFixed(value.As<Bytes>().data);
    case spec::TypeKind::kDecimal:
      return e.WriteFixed(
          Int128ToFixedBytes(value.As<Decimal>().unscaled,
                             static_cast<size_t>(DecimalRequiredBytes(type.precision()))));
    default:  // int, date, long, time and timestamps
      return e.WriteLong(value.AsInt64());
  }
}

template <typename T>
void WriteOptional(avro::Encoder& e, const std::optional<T>& value) {
  e.WriteUnionIndex(value ? 1 : 0);
  if (!value) return;
  if constexpr (std::is_integral_v<T>) {
    e.WriteLong(*value);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    e.WriteBytes(value->data);
  } else {
    e.WriteBytes(*value);
  }
}

template <typename Map>
void WriteMap(avro::Encoder& e, const Map& map, bool empty_is_present) {
  const bool present = !map.empty() || empty_is_present;
  e.WriteUnionIndex(present ? 1 : 0);
  if (!present) return;
  if (!map.empty()) e.BeginRun(static_cast<int64_t>(map.size()));
  for (const auto& [id, value] : map) {
    e.WriteInt(id);
    if constexpr (std::is_same_v<Map, spec::CountMap>) {
      e.WriteLong(value);
    } else {
      e.WriteBytes(value.data);
    }
  }
  e.EndRuns();
}

template <typename T>
void WriteList(avro::Encoder& e, const std::vector<T>& list) {
  e.WriteUnionIndex(list.empty() ? 0 : 1);
  if (list.empty()) return;
  e.BeginRun(static_cast<int64_t>(list.size()));
  for (const T item : list) e.WriteLong(item);
  e.EndRuns();
}

void WriteFileField(avro::Encoder& e, int32_t id, const DataFile& file,
                    const spec::StructType& partition) {
  const bool empty = HasMetrics(file);
  switch (id) {
    case f::kContent:
      return e.WriteInt(static_cast<int32_t>(file.content));
    case f::kFilePath:
      return e.WriteBytes(file.file_path);
    case f::kFileFormat:
      return e.WriteBytes(spec::FileFormatName(file.format));
    case f::kPartition:
      for (size_t i = 0; i < partition.fields.size(); i++) {
        WritePartitionValue(e, partition.fields[i].type, file.partition[i]);
      }
      return;
    case f::kRecordCount:
      return e.WriteLong(file.record_count);
    case f::kFileSize:
      return e.WriteLong(file.file_size_in_bytes);
    case f::kBlockSize:
      return e.WriteLong(kDefaultBlockSize);
    case f::kColumnSizes:
      return WriteMap(e, file.column_sizes, empty);
    case f::kValueCounts:
      return WriteMap(e, file.value_counts, empty);
    case f::kNullValueCounts:
      return WriteMap(e, file.null_value_counts, empty);
    case f::kNanValueCounts:
      return WriteMap(e, file.nan_value_counts, empty);
    case f::kLowerBounds:
      return WriteMap(e, file.lower_bounds, empty);
    case f::kUpperBounds:
      return WriteMap(e, file.upper_bounds, empty);
    case f::kKeyMetadata:
      return WriteOptional(e, file.key_metadata);
    case f::kSplitOffsets:
      return WriteList(e, file.split_offsets);
    case f::kEqualityIds:
      return WriteList(e, file.equality_ids);
    case f::kSortOrderId:
      return WriteOptional(e, file.sort_order_id);
    case f::kFirstRowId:
      return WriteOptional(e, file.first_row_id);
    case f::kReferencedDataFile:
      return WriteOptional(e, file.referenced_data_file);
    case f::kContentOffset:
      return WriteOptional(e, file.content_offset);
    case f::kContentSize:
      return WriteOptional(e, file.content_size_in_bytes);
  }
}

std::map<std::string, std::string> FileMetadata(const spec::Schema& schema,
                                                const spec::PartitionSpec& spec,
                                                const spec::StructType& type,
                                                const ManifestWriteOptions& options) {
  std::map<std::string, std::string> metadata = {
      {"schema", spec::SchemaText(schema)},
      {"partition-spec", DumpJson(spec::PartitionFieldsToJson(spec))},
      {"partition-spec-id", std::to_string(spec.spec_id)},
      {"format-version", std::to_string(options.format_version)},
      {"iceberg.schema", spec::SchemaText(spec::Schema(type.fields))},
  };
  if (options.format_version >= 2) {
    metadata["content"] = options.content == spec::ManifestContent::kData ? "data" : "deletes";
  }
  return metadata;
}

}  // namespace

struct ManifestWriter::State {
  ManifestWriteOptions options;
  std::string path;
  spec::StructType type;       // of an entry
  spec::StructType partition;  // of its tuple
  avro::Writer writer;
  std::vector<FieldRange> ranges;
  ManifestFile row;
  int64_t count = 0;
  std::optional<int64_t> min_sequence;

  Status Check(const ManifestEntry& entry) const;
  void Account(EntryStatus status, std::optional<int64_t> sequence, const DataFile& file);
  Status Write(EntryStatus status, std::optional<int64_t> snapshot, std::optional<int64_t> sequence,
               std::optional<int64_t> file_sequence, const DataFile& file);
  void WriteFile(EntryStatus status, const DataFile& file);
};

ManifestWriter::ManifestWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ManifestWriter::~ManifestWriter() = default;

Result<std::unique_ptr<ManifestWriter>> ManifestWriter::Create(io::FileSystem& files,
                                                               const std::string& path,
                                                               const spec::Schema& schema,
                                                               const spec::PartitionSpec& spec,
                                                               spec::StructType partition_type,
                                                               ManifestWriteOptions options) {
  if (options.format_version == 1 && options.content == spec::ManifestContent::kDeletes) {
    return Fail(ErrorCode::kInvalidArgument, "Cannot write delete files in a v1 table",
                "IllegalArgumentException");
  }
  spec::StructType type = ManifestEntryType(options.format_version, partition_type);
  avro::Writer::Options avro_options;
  avro_options.metadata = FileMetadata(schema, spec, type, options);
  avro_options.codec = options.codec;
  avro_options.level = options.level;
  ASSIGN_OR_RETURN(auto file, files.Create(path, io::WriteMode::kReplace));
  ASSIGN_OR_RETURN(avro::Writer writer,
                   avro::Writer::Create(std::move(file), AvroSchemaText(type, "manifest_entry"),
                                        std::move(avro_options)));
  std::vector<FieldRange> ranges(partition_type.fields.size());
  std::unique_ptr<State> state(new State{std::move(options), path, std::move(type),
                                         std::move(partition_type), std::move(writer),
                                         std::move(ranges)});
  state->row.spec_id = spec.spec_id;
  return std::unique_ptr<ManifestWriter>(new ManifestWriter(std::move(state)));
}

void ManifestWriter::State::Account(EntryStatus status, std::optional<int64_t> sequence,
                                    const DataFile& file) {
  const auto add = [&](std::optional<int32_t>& files, std::optional<int64_t>& rows) {
    files = files.value_or(0) + 1;
    rows = rows.value_or(0) + file.record_count;
  };
  switch (status) {
    case EntryStatus::kAdded:
      add(row.added_files_count, row.added_rows_count);
      break;
    case EntryStatus::kExisting:
      add(row.existing_files_count, row.existing_rows_count);
      break;
    case EntryStatus::kDeleted:
      add(row.deleted_files_count, row.deleted_rows_count);
      break;
  }
  for (size_t i = 0; i < ranges.size(); i++) ranges[i].Update(file.partition[i]);
  if (status != EntryStatus::kDeleted && sequence && (!min_sequence || *sequence < *min_sequence)) {
    min_sequence = sequence;
  }
  count++;
}

// A file added now gets its first row id from the list that will name this manifest; others keep
// theirs.
void ManifestWriter::State::WriteFile(EntryStatus status, const DataFile& file) {
  avro::Encoder& e = writer.encoder();
  for (const spec::NestedField& field : type.fields.back().type.AsStruct().fields) {
    if (field.id == f::kFirstRowId && (status == EntryStatus::kAdded || !file.is_data())) {
      e.WriteUnionIndex(0);
    } else {
      WriteFileField(e, field.id, file, partition);
    }
  }
}

Status ManifestWriter::State::Write(EntryStatus status, std::optional<int64_t> snapshot,
                                    std::optional<int64_t> sequence,
                                    std::optional<int64_t> file_sequence, const DataFile& file) {
  if (file.partition.size() != ranges.size()) {
    return Fail(ErrorCode::kInternal,
                fmt::format("File {} has {} partition values, its spec {}", file.file_path,
                            file.partition.size(), ranges.size()));
  }
  if (options.format_version >= 2 && !sequence && status != EntryStatus::kAdded) {
    return Fail(ErrorCode::kInternal,
                "Only entries with status ADDED can have null sequence number",
                "IllegalStateException");
  }
  Account(status, sequence, file);
  avro::Encoder& e = writer.encoder();
  e.WriteInt(static_cast<int32_t>(status));
  WriteOptional(e, snapshot);
  if (options.format_version >= 2) {
    WriteOptional(e, sequence);
    WriteOptional(e, file_sequence);
  }
  WriteFile(status, file);
  return writer.EndRecord();
}

Status ManifestWriter::AddAdded(const DataFile& file, std::optional<int64_t> data_sequence_number) {
  return state_->Write(EntryStatus::kAdded, state_->options.snapshot_id, data_sequence_number,
                       std::nullopt, file);
}

Status ManifestWriter::AddExisting(const DataFile& file, int64_t snapshot_id,
                                   int64_t sequence_number,
                                   std::optional<int64_t> file_sequence_number) {
  return state_->Write(EntryStatus::kExisting, snapshot_id, sequence_number, file_sequence_number,
                       file);
}

Status ManifestWriter::AddDeleted(const DataFile& file, int64_t sequence_number,
                                  std::optional<int64_t> file_sequence_number) {
  return state_->Write(EntryStatus::kDeleted, state_->options.snapshot_id, sequence_number,
                       file_sequence_number, file);
}

Status ManifestWriter::Add(const ManifestEntry& entry) {
  return state_->Write(entry.status, entry.snapshot_id, entry.sequence_number,
                       entry.file_sequence_number, entry.data_file);
}

int64_t ManifestWriter::entries() const { return state_->count; }
int64_t ManifestWriter::length() const { return state_->writer.length(); }

Result<ManifestFile> ManifestWriter::Close() {
  State& s = *state_;
  RETURN_IF_ERROR(s.writer.Close());
  ManifestFile row = std::move(s.row);
  row.path = s.path;
  row.length = s.writer.length();
  row.content = s.options.content;
  row.sequence_number = ManifestFile::kUnassignedSequence;
  row.min_sequence_number = s.min_sequence.value_or(ManifestFile::kUnassignedSequence);
  row.added_snapshot_id = s.options.snapshot_id.value_or(0);
  row.first_row_id = s.options.first_row_id;
  for (auto* files :
       {&row.added_files_count, &row.existing_files_count, &row.deleted_files_count}) {
    *files = files->value_or(0);
  }
  for (auto* rows : {&row.added_rows_count, &row.existing_rows_count, &row.deleted_rows_count}) {
    *rows = rows->value_or(0);
  }
  row.partitions.emplace();
  for (size_t i = 0; i < s.ranges.size(); i++)
    row.partitions->push_back(s.ranges[i].Summary(s.partition.fields[i].type));
  return row;
}

Result<std::string> AvroCodecName(std::string_view property) {
  static const std::map<std::string, std::string, std::less<>> kNames = {
      {"gzip", "deflate"},        {"deflate", "deflate"}, {"zstd", "zstandard"},
      {"zstandard", "zstandard"}, {"snappy", "snappy"},   {"uncompressed", "null"},
      {"none", "null"},           {"null", "null"},
  };
  if (auto it = kNames.find(AsciiLower(property)); it != kNames.end()) return it->second;
  return Fail(ErrorCode::kInvalidArgument,
              "Unsupported compression codec: " + std::string(property),
              "IllegalArgumentException");
}

}  // namespace iceblink::table
