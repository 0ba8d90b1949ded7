#include "table/manifest_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/decimal.h"
#include "base/strings.h"
#include "io/avro.h"
#include "table/avro_blocks.h"
#include "table/manifest_schema.h"

namespace iceblink::table {
namespace {

namespace avro = io::avro;
namespace f = entry_field;
using spec::DataFile;
using spec::EntryStatus;
using spec::ManifestEntry;
using spec::ManifestFile;

// Decodes the value of one partition field into the physical form of the spec's type, which the
// file's may have been promoted from.
Value ReadPartitionValue(avro::Decoder& d, const avro::Schema& from, const spec::Type& to) {
  switch (from.kind) {
    case avro::Kind::kBoolean:
      return d.ReadBool();
    case avro::Kind::kInt:
      if (to.Is(spec::TypeKind::kLong)) return int64_t{d.ReadInt()};
      return d.ReadInt();
    case avro::Kind::kLong: {
      const int64_t value = d.ReadLong();
      if (to.Is(spec::TypeKind::kInt) || to.Is(spec::TypeKind::kDate))
        return static_cast<int32_t>(value);
      return value;
    }
    case avro::Kind::kFloat:
      if (to.Is(spec::TypeKind::kDouble)) return static_cast<double>(d.ReadFloat());
      return d.ReadFloat();
    case avro::Kind::kDouble:
      return d.ReadDouble();
    case avro::Kind::kString:
      return d.ReadString();
    case avro::Kind::kBytes:
    case avro::Kind::kFixed: {
      const std::string_view bytes =
          from.kind == avro::Kind::kFixed ? d.ReadFixedView(from.fixed_size) : d.ReadBytesView();
      if (from.logical != avro::LogicalType::kDecimal) return Bytes{std::string(bytes)};
      const std::optional<Int128> unscaled = Int128FromBytes(bytes);
      if (!unscaled) d.Fail();
      return Decimal{unscaled.value_or(0), from.scale};
    }
    default:
      d.Fail();
      return {};
  }
}

// One of the three values of content or status.
template <typename E>
E ReadEnum(avro::Decoder& d) {
  const int64_t value = d.ReadLong();
  if (value < 0 || value > 2) d.Fail();
  return d.ok() ? static_cast<E>(value) : E{};
}

spec::FileFormat ReadFormat(avro::Decoder& d) {
  const std::string_view name = d.ReadBytesView();
  if (name == "PARQUET") return spec::FileFormat::kParquet;  // nearly always
  const Result<spec::FileFormat> format = spec::ParseFileFormat(name);
  if (!format) d.Fail();
  return format.value_or(spec::FileFormat::kParquet);
}

// A sorted list of wanted field ids, or all.
class Wanted {
 public:
  explicit Wanted(const StatsSelection& selection)
      : all_(selection.all), ids_(selection.field_ids.begin(), selection.field_ids.end()) {}
  bool none() const { return !all_ && ids_.empty(); }
  bool Has(int32_t id) const { return all_ || std::binary_search(ids_.begin(), ids_.end(), id); }

 private:
  bool all_;
  std::vector<int32_t> ids_;
};

// Whether a column has the shape that its id promises; checked once, so that decoding need not.
bool HasShape(const avro::Field& field) {
  const avro::Schema& type = field.type->NonNull();
  switch (field.id) {
    case f::kPartition:
      return type.kind == avro::Kind::kRecord;
    case f::kFilePath:
    case f::kFileFormat:
    case f::kReferencedDataFile:
    case f::kKeyMetadata:
      return type.kind == avro::Kind::kString || type.kind == avro::Kind::kBytes;
    case f::kSplitOffsets:
    case f::kEqualityIds:
      return type.kind == avro::Kind::kArray &&
             (type.items->kind == avro::Kind::kLong || type.items->kind == avro::Kind::kInt);
    case f::kColumnSizes:
    case f::kValueCounts:
    case f::kNullValueCounts:
    case f::kNanValueCounts:
    case f::kLowerBounds:
    case f::kUpperBounds:
      return type.kind == avro::Kind::kArray && type.items->kind == avro::Kind::kRecord &&
             type.items->fields.size() == 2 && type.items->fields[0].type->kind == avro::Kind::kInt;
    case f::kStatus:
    case f::kSnapshotId:
    case f::kSequenceNumber:
    case f::kFileSequenceNumber:
    case f::kRecordCount:
    case f::kFileSize:
    case f::kContent:
    case f::kSortOrderId:
    case f::kFirstRowId:
    case f::kContentOffset:
    case f::kContentSize:
      return type.kind == avro::Kind::kLong || type.kind == avro::Kind::kInt;
    default:
      return true;  // skipped
  }
}

}  // namespace

struct ManifestReader::State {
  std::unique_ptr<AvroBlocks> blocks;
  ManifestFile manifest;
  ManifestReadOptions options;
  Wanted wanted;
  const PartitionTypes::Entry* partition_type = nullptr;
  std::vector<int32_t>
      partition_slots;  // position in the tuple for each Avro field of `partition`; -1: skip
  avro::Decoder decoder;
  int64_t remaining = 0;
  std::optional<int64_t> next_row_id;
  ManifestEntry entry;

  Status Compile();
  void DecodeEntry();
  void DecodeFile(const avro::Schema& record);
  void DecodeFileField(int32_t id, const avro::Schema& type, DataFile& file);
  void DecodePartition(const avro::Schema& record);
  void DecodeCounts(const avro::Schema& type, spec::CountMap& out);
  void DecodeBounds(const avro::Schema& type, spec::BoundMap& out);
  template <typename T>
  void DecodeList(std::vector<T>& out);
  void Reset();
  void Inherit();
};

ManifestReader::ManifestReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ManifestReader::~ManifestReader() = default;

namespace {

Status CheckVersion(const AvroBlocks& blocks) {
  const std::string* version = blocks.FindMetadata("format-version");
  if (version == nullptr) return {};
  const std::optional<int32_t> number = ParseInt32(*version);
  if (!number)
    return Fail(ErrorCode::kCorrupt,
                fmt::format("Invalid format version {} in {}", *version, blocks.path()));
  if (*number <= spec::kMaxFormatVersion) return {};
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format("Cannot read unsupported manifest version {}: {}", *version, blocks.path()),
      "UnsupportedOperationException");
}

}  // namespace

Result<std::unique_ptr<ManifestReader>> ManifestReader::Open(const ReadContext& context,
                                                             const ManifestFile& manifest,
                                                             const PartitionTypes& types,
                                                             ManifestReadOptions options) {
  ASSIGN_OR_RETURN(auto blocks, AvroBlocks::Open(context, manifest.path, manifest.length));
  RETURN_IF_ERROR(CheckVersion(*blocks));
  ASSIGN_OR_RETURN(const PartitionTypes::Entry* type, types.Get(manifest.spec_id));
  Wanted wanted(options.stats);
  std::unique_ptr<State> state(
      new State{std::move(blocks), manifest, std::move(options), std::move(wanted), type});
  if (manifest.content == spec::ManifestContent::kData) state->next_row_id = manifest.first_row_id;
  RETURN_IF_ERROR(state->Compile());
  return std::unique_ptr<ManifestReader>(new ManifestReader(std::move(state)));
}

Status ManifestReader::State::Compile() {
  const auto corrupt = [&](std::string_view what) {
    return Fail(ErrorCode::kCorrupt, fmt::format("Not a manifest: {} of {}", what, blocks->path()));
  };
  const avro::Schema& root = blocks->schema();
  if (root.kind != avro::Kind::kRecord) return corrupt("schema");
  const avro::Field* file = root.FindField(f::kDataFile);
  if (file == nullptr || file->type->kind != avro::Kind::kRecord) return corrupt("data_file");
  if (root.FindField(f::kStatus) == nullptr) return corrupt("status");
  for (const avro::Field& field : root.fields) {
    if (!HasShape(field)) return corrupt(field.name);
  }
  for (const avro::Field& field : file->type->fields) {
    if (!HasShape(field)) return corrupt(field.name);
    if (field.id != f::kPartition) continue;
    for (const avro::Field& part : field.type->NonNull().fields) {
      const auto& wanted_fields = partition_type->type.fields;
      const auto at = std::find_if(wanted_fields.begin(), wanted_fields.end(),
                                   [&](const spec::NestedField& w) { return w.id == part.id; });
      partition_slots.push_back(
          at == wanted_fields.end() ? -1 : static_cast<int32_t>(at - wanted_fields.begin()));
    }
  }
  return {};
}

void ManifestReader::State::DecodePartition(const avro::Schema& record) {
  std::vector<Value>& tuple = entry.data_file.partition;
  for (size_t i = 0; i < record.fields.size(); i++) {
    const avro::Schema& type = *record.fields[i].type;
    const int32_t slot = partition_slots[i];
    if (slot < 0) {
      decoder.Skip(type);
    } else if (const avro::Schema* present = decoder.ReadPresent(type)) {
      tuple[slot] = ReadPartitionValue(decoder, *present, partition_type->type.fields[slot].type);
    }
  }
}

void ManifestReader::State::DecodeCounts(const avro::Schema& type, spec::CountMap& out) {
  if (wanted.none()) return decoder.Skip(type);
  const avro::Schema& value_type = *type.items->fields[1].type;
  while (int64_t n = decoder.ReadRun()) {
    while (n-- > 0 && decoder.ok()) {
      const int32_t id = decoder.ReadInt();
      if (decoder.ReadPresent(value_type) == nullptr) continue;
      const int64_t count = decoder.ReadLong();
      if (wanted.Has(id)) out.Set(id, count);
    }
  }
}

void ManifestReader::State::DecodeBounds(const avro::Schema& type, spec::BoundMap& out) {
  if (wanted.none()) return decoder.Skip(type);
  const avro::Schema& value_type = *type.items->fields[1].type;
  while (int64_t n = decoder.ReadRun()) {
    while (n-- > 0 && decoder.ok()) {
      const int32_t id = decoder.ReadInt();
      if (decoder.ReadPresent(value_type) == nullptr) continue;
      const std::string_view bound = decoder.ReadBytesView();
      if (wanted.Has(id)) out.Set(id, Bytes{std::string(bound)});
    }
  }
}

template <typename T>
void ManifestReader::State::DecodeList(std::vector<T>& out) {
  while (int64_t n = decoder.ReadRun()) {
    while (n-- > 0 && decoder.ok()) out.push_back(static_cast<T>(decoder.ReadLong()));
  }
}

void ManifestReader::State::DecodeFileField(int32_t id, const avro::Schema& type, DataFile& file) {
  avro::Decoder& d = decoder;
  switch (id) {
    case f::kContent:
      file.content = ReadEnum<spec::DataFileContent>(d);
      return;
    case f::kFilePath:
      file.file_path.assign(d.ReadBytesView());
      return;
    case f::kFileFormat:
      file.format = ReadFormat(d);
      return;
    case f::kPartition:
      return DecodePartition(type);
    case f::kRecordCount:
      file.record_count = d.ReadLong();
      return;
    case f::kFileSize:
      file.file_size_in_bytes = d.ReadLong();
      return;
    case f::kColumnSizes:
      return DecodeCounts(type, file.column_sizes);
    case f::kValueCounts:
      return DecodeCounts(type, file.value_counts);
    case f::kNullValueCounts:
      return DecodeCounts(type, file.null_value_counts);
    case f::kNanValueCounts:
      return DecodeCounts(type, file.nan_value_counts);
    case f::kLowerBounds:
      return DecodeBounds(type, file.lower_bounds);
    case f::kUpperBounds:
      return DecodeBounds(type, file.upper_bounds);
    case f::kKeyMetadata:
      file.key_metadata = Bytes{d.ReadString()};
      return;
    case f::kSplitOffsets:
      return options.split_offsets ? DecodeList(file.split_offsets) : d.Skip(type);
    case f::kEqualityIds:
      return DecodeList(file.equality_ids);
    case f::kSortOrderId:
      file.sort_order_id = d.ReadInt();
      return;
    case f::kFirstRowId:
      file.first_row_id = d.ReadLong();
      return;
    case f::kReferencedDataFile:
      file.referenced_data_file = d.ReadString();
      return;
    case f::kContentOffset:
      file.content_offset = d.ReadLong();
      return;
    case f::kContentSize:
      file.content_size_in_bytes = d.ReadLong();
      return;
    default:
      d.Skip(type);
  }
}

void ManifestReader::State::DecodeFile(const avro::Schema& record) {
  for (const avro::Field& field : record.fields) {
    if (const avro::Schema* type = decoder.ReadPresent(*field.type)) {
      DecodeFileField(field.id, *type, entry.data_file);
    }
  }
}

void ManifestReader::State::DecodeEntry() {
  bool skip_file = false;
  for (const avro::Field& field : blocks->schema().fields) {
    const avro::Schema* type = decoder.ReadPresent(*field.type);
    if (type == nullptr) continue;
    switch (field.id) {
      case f::kStatus:
        entry.status = ReadEnum<EntryStatus>(decoder);
        skip_file = options.live_only && !entry.is_live();
        break;
      case f::kSnapshotId:
        entry.snapshot_id = decoder.ReadLong();
        break;
      case f::kSequenceNumber:
        entry.sequence_number = decoder.ReadLong();
        break;
      case f::kFileSequenceNumber:
        entry.file_sequence_number = decoder.ReadLong();
        break;
      case f::kDataFile:
        if (skip_file) {
          decoder.Skip(*type);
        } else {
          DecodeFile(*type);
        }
        break;
      default:
        decoder.Skip(*type);
    }
  }
}

// Empties the buffer but keeps its allocations.
void ManifestReader::State::Reset() {
  entry.snapshot_id.reset();
  entry.sequence_number.reset();
  entry.file_sequence_number.reset();
  DataFile& file = entry.data_file;
  file.content = spec::DataFileContent::kData;
  file.spec_id = manifest.spec_id;
  file.partition.assign(partition_type->type.fields.size(), Value());
  for (spec::CountMap* map :
       {&file.column_sizes, &file.value_counts, &file.null_value_counts, &file.nan_value_counts}) {
    map->clear();
  }
  file.lower_bounds.clear();
  file.upper_bounds.clear();
  file.key_metadata.reset();
  file.split_offsets.clear();
  file.equality_ids.clear();
  file.sort_order_id.reset();
  file.first_row_id.reset();
  file.referenced_data_file.reset();
  file.content_offset.reset();
  file.content_size_in_bytes.reset();
}

void ManifestReader::State::Inherit() {
  if (!entry.snapshot_id) entry.snapshot_id = manifest.added_snapshot_id;
  const bool assigned = manifest.sequence_number != ManifestFile::kUnassignedSequence;
  if (assigned && (entry.status == EntryStatus::kAdded || manifest.sequence_number == 0)) {
    if (!entry.sequence_number) entry.sequence_number = manifest.sequence_number;
    if (!entry.file_sequence_number) entry.file_sequence_number = manifest.sequence_number;
  }
  std::optional<int64_t>& row_id = entry.data_file.first_row_id;
  if (!next_row_id) {
    if (assigned) row_id.reset();
  } else if (entry.is_live() && !row_id) {
    row_id = *next_row_id;
    *next_row_id += entry.data_file.record_count;
  }
}

Result<const ManifestEntry*> ManifestReader::Next() {
  State& s = *state_;
  while (true) {
    if (s.remaining == 0) {
      ASSIGN_OR_RETURN(s.remaining, s.blocks->Next(s.decoder));
      if (s.remaining == 0) return nullptr;
    }
    s.remaining--;
    s.Reset();
    s.DecodeEntry();
    if (!s.decoder.ok()) return Fail(s.blocks->CorruptAt(s.decoder, "manifest entry"));
    s.Inherit();
    if (!s.options.live_only || s.entry.is_live()) return &s.entry;
  }
}

ManifestEntry ManifestReader::Take() { return std::move(state_->entry); }

Status ForEachEntry(const ReadContext& context, const ManifestFile& manifest,
                    const PartitionTypes& types, const ManifestReadOptions& options,
                    const std::function<Status(const ManifestEntry&)>& visit) {
  ASSIGN_OR_RETURN(auto reader, ManifestReader::Open(context, manifest, types, options));
  while (true) {
    ASSIGN_OR_RETURN(const ManifestEntry* entry, reader->Next());
    if (entry == nullptr) return {};
    RETURN_IF_ERROR(visit(*entry));
  }
}

Result<std::vector<ManifestEntry>> ReadManifest(const ReadContext& context,
                                                const ManifestFile& manifest,
                                                const PartitionTypes& types,
                                                ManifestReadOptions options) {
  std::vector<ManifestEntry> entries;
  ASSIGN_OR_RETURN(auto reader, ManifestReader::Open(context, manifest, types, std::move(options)));
  while (true) {
    ASSIGN_OR_RETURN(const ManifestEntry* entry, reader->Next());
    if (entry == nullptr) return entries;
    entries.push_back(reader->Take());
  }
}

}  // namespace iceblink::table
