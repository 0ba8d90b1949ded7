#include "table/partition_types.h"

#include <cmath>
#include <utility>

#include "base/bytes.h"

namespace iceblink::table {
namespace {

using spec::TableMetadata;

// The source's type in the newest schema that has the column.
spec::Type SourceType(const TableMetadata& metadata, int32_t source_id) {
  if (const spec::Schema* current = metadata.SchemaById(metadata.current_schema_id)) {
    if (const spec::Type* type = current->FindType(source_id)) return *type;
  }
  for (auto schema = metadata.schemas.rbegin(); schema != metadata.schemas.rend(); ++schema) {
    if (const spec::Type* type = schema->FindType(source_id)) return *type;
  }
  return spec::Type::Unknown();
}

PartitionTypes::Entry MakeEntry(spec::PartitionSpec spec, std::vector<spec::Type> sources) {
  PartitionTypes::Entry entry;
  for (size_t i = 0; i < spec.fields.size(); i++) {
    const spec::PartitionField& field = spec.fields[i];
    const bool known = !sources[i].Is(spec::TypeKind::kUnknown);
    entry.type.fields.push_back(spec::NestedField::Optional(
        field.field_id, field.name,
        known ? field.transform.ResultType(sources[i]) : spec::Type::Unknown()));
  }
  entry.spec = std::move(spec);
  entry.sources = std::move(sources);
  return entry;
}

template <typename T>
void PutTagged(char tag, T value, std::string& out) {
  out.push_back(tag);
  PutLittleEndian(value, out);
}

void PutText(char tag, std::string_view text, std::string& out) {
  PutTagged(tag, static_cast<uint32_t>(text.size()), out);
  out.append(text);
}

// Appends a form in which different values differ. Ints and longs share one, so that a promoted
// source keeps its keys.
struct KeyWriter {
  std::string& out;
  void operator()(std::monostate) const { out.push_back('n'); }
  void operator()(bool v) const { PutTagged<uint8_t>('b', v ? 1 : 0, out); }
  void operator()(int32_t v) const { PutTagged<int64_t>('l', v, out); }
  void operator()(int64_t v) const { PutTagged('l', v, out); }
  void operator()(float v) const { (*this)(static_cast<double>(v)); }
  void operator()(double v) const { PutTagged('d', std::isnan(v) ? std::nan("") : v, out); }
  void operator()(const Decimal& v) const { PutTagged('m', v.unscaled, out); }
  void operator()(const std::string& v) const { PutText('s', v, out); }
  void operator()(const Bytes& v) const { PutText('x', v.data, out); }
  template <typename Nested>
  void operator()(const Nested&) const {
    out.push_back('?');  // no transform yields an interval or a nested value
  }
};

}  // namespace

PartitionTypes::PartitionTypes(const TableMetadata& metadata) {
  for (const spec::PartitionSpec& spec : metadata.specs) {
    std::vector<spec::Type> sources;
    for (const spec::PartitionField& field : spec.fields)
      sources.push_back(SourceType(metadata, field.source_id));
    entries_.emplace(spec.spec_id, MakeEntry(spec, std::move(sources)));
  }
}

PartitionTypes::PartitionTypes(const spec::Schema& schema, spec::PartitionSpec spec) {
  std::vector<spec::Type> sources;
  for (const spec::PartitionField& field : spec.fields) {
    const spec::Type* type = schema.FindType(field.source_id);
    sources.push_back(type != nullptr ? *type : spec::Type::Unknown());
  }
  const int32_t id = spec.spec_id;
  entries_.emplace(id, MakeEntry(std::move(spec), std::move(sources)));
}

const PartitionTypes::Entry* PartitionTypes::Find(int32_t spec_id) const {
  auto it = entries_.find(spec_id);
  return it == entries_.end() ? nullptr : &it->second;
}

Result<const PartitionTypes::Entry*> PartitionTypes::Get(int32_t spec_id) const {
  if (const Entry* entry = Find(spec_id)) return entry;
  return Fail(ErrorCode::kCorrupt, "Cannot find partition spec with ID " + std::to_string(spec_id),
              "ValidationException");
}

void AppendPartitionKey(int32_t spec_id, std::span<const Value> partition, std::string& out) {
  PutLittleEndian(spec_id, out);
  for (const Value& value : partition) std::visit(KeyWriter{out}, value.storage());
}

std::string PartitionKey(int32_t spec_id, std::span<const Value> partition) {
  std::string key;
  AppendPartitionKey(spec_id, partition, key);
  return key;
}

}  // namespace iceblink::table
