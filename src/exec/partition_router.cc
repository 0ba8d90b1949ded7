#include "exec/partition_router.h"

#include "base/datetime.h"
#include "base/murmur3.h"
#include "exec/duckdb_types.h"

namespace iceblink::exec {

using duckdb::PhysicalType;
using spec::TransformKind;
using spec::TypeKind;

namespace {

bool LessValue(const Value& a, const Value& b) { return CompareValues(a, b) < 0; }

// Positions from the row to a field, by ids of the schema's parents.
std::vector<size_t> PathTo(const spec::Schema& schema, int32_t id) {
  std::vector<size_t> out;
  while (true) {
    auto parent = schema.ParentId(id);
    const auto& fields =
        parent ? schema.FindField(*parent)->type.AsStruct().fields : schema.fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].id == id) out.insert(out.begin(), i);
    }
    if (!parent) return out;
    id = *parent;
  }
}

bool IsMicros(TypeKind kind) {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampTz;
}

bool HasIntegerCodes(const spec::Transform& transform, const spec::Type& source) {
  const bool integral = source.Is(TypeKind::kInt) || source.Is(TypeKind::kLong) ||
                        source.Is(TypeKind::kDate) || IsMicros(source.kind()) ||
                        source.Is(TypeKind::kTime);
  switch (transform.kind()) {
    case TransformKind::kIdentity:
      return integral;
    case TransformKind::kBucket:
    case TransformKind::kTruncate:
      return integral;
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return source.Is(TypeKind::kDate) || IsMicros(source.kind());
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return false;
  }
  return false;
}

// The transform of an integer, date or timestamp in micros.
int64_t TransformInteger(const spec::Transform& transform, TypeKind source, int64_t v) {
  const bool micros = IsMicros(source);
  switch (transform.kind()) {
    case TransformKind::kBucket:
      return (Murmur3Long(v) & 0x7fffffff) % transform.param();
    case TransformKind::kTruncate:
      return v - FloorMod(v, transform.param());
    case TransformKind::kDay:
      return micros ? FloorDiv(v, kMicrosPerDay) : v;
    case TransformKind::kHour:
      return FloorDiv(v, kMicrosPerHour);
    case TransformKind::kMonth:
      return MonthsFromDays(micros ? FloorDiv(v, kMicrosPerDay) : v);
    case TransformKind::kYear:
      return YearsFromDays(micros ? FloorDiv(v, kMicrosPerDay) : v);
    default:
      return v;
  }
}

}  // namespace

PartitionRouter::PartitionRouter(const spec::PartitionSpec& spec, const spec::Schema& schema) {
  for (const spec::PartitionField& field : spec.fields) {
    const spec::NestedField* source = schema.FindField(field.source_id);
    Field out{field.transform,
              source != nullptr ? source->type : spec::Type(),
              {},
              false,
              std::map<Value, int64_t, bool (*)(const Value&, const Value&)>(LessValue),
              {},
              {}};
    if (source != nullptr) out.path = PathTo(schema, field.source_id);
    out.integers = HasIntegerCodes(out.transform, out.source);
    fields_.push_back(std::move(out));
  }
  codes_.resize(fields_.size());
}

size_t PartitionRouter::CodesHash::operator()(const std::vector<int64_t>& codes) const {
  size_t hash = 0;
  for (int64_t code : codes)
    hash = (hash ^ static_cast<size_t>(code)) * 0x9E3779B97F4A7C15ull + (hash >> 29);
  return hash;
}

int64_t PartitionRouter::DictionaryCode(Field& field, const Value& transformed) {
  if (transformed.is_null()) return kNullCode;
  auto [it, fresh] =
      field.dictionary.emplace(transformed, static_cast<int64_t>(field.values.size()));
  if (fresh) field.values.push_back(transformed);
  return it->second;
}

Value PartitionRouter::Decode(const Field& field, int64_t code) const {
  if (code == kNullCode) return {};
  if (!field.integers) return field.values[static_cast<size_t>(code)];
  spec::Type type = field.transform.ResultType(field.source);
  bool narrow = type.Is(TypeKind::kInt) || type.Is(TypeKind::kDate);
  return narrow ? Value(static_cast<int32_t>(code)) : Value(code);
}

void PartitionRouter::Codes(Field& field, duckdb::DataChunk& chunk, std::vector<int64_t>* out) {
  const size_t count = chunk.size();
  out->assign(count, kNullCode);
  if (field.path.empty() || field.transform.is_void()) return;
  duckdb::Vector* vector = &chunk.data[field.path[0]];
  for (size_t depth = 1; depth < field.path.size(); ++depth) {
    vector->Flatten(count);
    vector = duckdb::StructVector::GetEntries(*vector)[field.path[depth]].get();
  }
  duckdb::UnifiedVectorFormat format;
  vector->ToUnifiedFormat(count, format);
  const PhysicalType physical = vector->GetType().InternalType();
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at)) continue;
    if (field.integers) {
      int64_t value = physical == PhysicalType::INT32
                          ? duckdb::UnifiedVectorFormat::GetData<int32_t>(format)[at]
                          : duckdb::UnifiedVectorFormat::GetData<int64_t>(format)[at];
      (*out)[i] = TransformInteger(field.transform, field.source.kind(), value);
    } else if (physical == PhysicalType::VARCHAR) {
      const auto& text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[at];
      auto [it, fresh] = field.texts.emplace(std::string(text.GetData(), text.GetSize()), 0);
      if (fresh) {
        Value source = FromDuckDb(vector->GetValue(i));
        it->second = DictionaryCode(field, field.transform.Apply(field.source, source));
      }
      (*out)[i] = it->second;
      constexpr size_t kMaxTexts = 100'000;  // sources of truncate and bucket may all differ
      if (field.texts.size() > kMaxTexts) field.texts.clear();
    } else {
      (*out)[i] = DictionaryCode(
          field, field.transform.Apply(field.source, FromDuckDb(vector->GetValue(i))));
    }
  }
}

const std::vector<uint32_t>& PartitionRouter::Route(duckdb::DataChunk& chunk) {
  const size_t count = chunk.size();
  rows_.assign(count, 0);
  for (size_t f = 0; f < fields_.size(); ++f) Codes(fields_[f], chunk, &codes_[f]);
  std::vector<int64_t> tuple(fields_.size());
  std::vector<int64_t> last;
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t f = 0; f < fields_.size(); ++f) tuple[f] = codes_[f][i];
    if (i == 0 || tuple != last) {
      auto [it, fresh] = numbers_.emplace(tuple, static_cast<uint32_t>(partitions_.size()));
      if (fresh) {
        std::vector<Value> values;
        for (size_t f = 0; f < fields_.size(); ++f) values.push_back(Decode(fields_[f], tuple[f]));
        partitions_.push_back(std::move(values));
      }
      number = it->second;
      last = tuple;
    }
    rows_[i] = number;
  }
  return rows_;
}

}  // namespace iceblink::exec
