#include "exec/column_metrics.h"

#include <cmath>
#include <functional>
#include <set>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "spec/single_value.h"
#include "table/metadata_columns.h"

namespace iceblink::exec {

using duckdb::PhysicalType;
using spec::TypeKind;

namespace {

constexpr std::string_view kDefaultModeKey = "write.metadata.metrics.default";
constexpr std::string_view kColumnModePrefix = "write.metadata.metrics.column.";
constexpr std::string_view kMaxInferredKey = "write.metadata.metrics.max-inferred-column-defaults";
constexpr int32_t kDefaultMaxInferred = 100;

FieldMetricsMode ParseMode(std::string_view text) {
  std::string mode = AsciiLower(text);
  if (mode == "none") return {MetricsMode::kNone, 0};
  if (mode == "counts") return {MetricsMode::kCounts, 0};
  if (mode == "full") return {MetricsMode::kFull, 0};
  if (mode.starts_with("truncate(") && mode.ends_with(")")) {
    if (auto length = ParseInt32(mode.substr(9, mode.size() - 10)))
      return {MetricsMode::kTruncate, *length};
  }
  return {};
}

// Struct fields of a level first, then the nested structs in order: which columns get the inferred
// default.
void CollectByLevel(const std::vector<spec::NestedField>& fields, std::vector<int32_t>* ids) {
  for (const spec::NestedField& field : fields) {
    if (!field.type.is_nested()) ids->push_back(field.id);
  }
  for (const spec::NestedField& field : fields) {
    if (field.type.Is(TypeKind::kStruct)) CollectByLevel(field.type.AsStruct().fields, ids);
  }
}

std::set<int32_t> SortedColumns(const spec::TableMetadata& metadata) {
  std::set<int32_t> out;
  for (const spec::SortField& field : metadata.sort_order().fields) {
    if (field.transform.preserves_order()) out.insert(field.source_id);
  }
  return out;
}

void Collect(
    const std::vector<spec::NestedField>& fields, bool nested, std::vector<size_t>& path,
    const std::function<void(const spec::NestedField&, const std::vector<size_t>&)>& visit) {
  for (size_t i = 0; i < fields.size(); ++i) {
    path.push_back(i);
    if (nested && fields[i].type.is_nested()) visit(fields[i], path);
    if (fields[i].type.Is(TypeKind::kStruct)) {
      Collect(fields[i].type.AsStruct().fields, nested, path, visit);
    } else if (fields[i].type.is_primitive() && !fields[i].type.Is(TypeKind::kUnknown)) {
      visit(fields[i], path);
    }
    path.pop_back();
  }
}

}  // namespace

std::vector<MetricsColumn> MetricsColumns(const spec::TableMetadata& metadata,
                                          const spec::Schema& schema, spec::FileFormat format) {
  const bool orc = format == spec::FileFormat::kOrc;
  std::string configured = metadata.Property(kDefaultModeKey);
  FieldMetricsMode fallback = configured.empty() ? FieldMetricsMode{} : ParseMode(configured);
  std::set<int32_t> inferred;
  size_t limit = static_cast<size_t>(
      ParseInt32(metadata.Property(kMaxInferredKey, std::to_string(kDefaultMaxInferred)))
          .value_or(kDefaultMaxInferred));
  bool limited = configured.empty() && schema.AllFields().size() > limit;
  if (limited) {
    std::vector<int32_t> ids;
    CollectByLevel(schema.fields(), &ids);
    inferred.insert(ids.begin(),
                    ids.begin() + static_cast<std::ptrdiff_t>(std::min(limit, ids.size())));
  }
  std::set<int32_t> sorted = SortedColumns(metadata);
  std::vector<MetricsColumn> out;
  std::vector<size_t> path;
  Collect(schema.fields(), orc, path,
          [&](const spec::NestedField& field, const std::vector<size_t>& at) {
            if (table::IsReservedFieldId(field.id)) return;  // row lineage
            FieldMetricsMode mode = fallback;
            if (limited && !inferred.contains(field.id)) mode = {MetricsMode::kNone, 0};
            if (sorted.contains(field.id)) {
              mode = fallback.mode == MetricsMode::kNone || fallback.mode == MetricsMode::kCounts
                         ? FieldMetricsMode{}
                         : fallback;
            }
            std::string own =
                metadata.Property(std::string(kColumnModePrefix) + schema.FullName(field.id));
            if (!own.empty()) mode = ParseMode(own);
            // ORC keeps no bounds of bytes.
            const bool unbounded = field.type.is_nested() || field.type.Is(TypeKind::kBinary) ||
                                   field.type.Is(TypeKind::kFixed) ||
                                   field.type.Is(TypeKind::kUuid);
            if (orc && unbounded && mode.mode != MetricsMode::kNone)
              mode = {MetricsMode::kCounts, 0};
            out.push_back({at, field, mode, orc});
          });
  return out;
}

namespace {

template <typename T>
void Widen(std::optional<T>& low, std::optional<T>& high, T low_value, T high_value) {
  if (!low || low_value < *low) low = low_value;
  if (!high || high_value > *high) high = high_value;
}

template <typename T, typename Wide>
void ScanNumbers(const duckdb::UnifiedVectorFormat& format, size_t count, std::optional<Wide>& low,
                 std::optional<Wide>& high) {
  const T* data = duckdb::UnifiedVectorFormat::GetData<T>(format);
  bool any = false;
  T min{}, max{};
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at)) continue;
    T value = data[at];
    min = any ? std::min(min, value) : value;
    max = any ? std::max(max, value) : value;
    any = true;
  }
  if (any) Widen<Wide>(low, high, static_cast<Wide>(min), static_cast<Wide>(max));
}

template <typename T>
int64_t ScanFloats(const duckdb::UnifiedVectorFormat& format, size_t count,
                   std::optional<double>& low, std::optional<double>& high) {
  const T* data = duckdb::UnifiedVectorFormat::GetData<T>(format);
  int64_t nans = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at)) continue;
    double value = data[at];
    if (std::isnan(value)) {
      ++nans;
    } else {
      Widen(low, high, value, value);
    }
  }
  return nans;
}

void ScanTexts(const duckdb::UnifiedVectorFormat& format, size_t count,
               std::optional<std::string>& low, std::optional<std::string>& high) {
  const auto* data = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at)) continue;
    std::string_view value(data[at].GetData(), data[at].GetSize());
    if (!low || value < std::string_view(*low)) low = std::string(value);
    if (!high || value > std::string_view(*high)) high = std::string(value);
  }
}

void ScanWide(const duckdb::UnifiedVectorFormat& format, size_t count, std::optional<Int128>& low,
              std::optional<Int128>& high) {
  const auto* data = duckdb::UnifiedVectorFormat::GetData<duckdb::hugeint_t>(format);
  for (size_t i = 0; i < count; ++i) {
    size_t at = format.sel->get_index(i);
    if (!format.validity.RowIsValid(at)) continue;
    Int128 value = ToInt128(data[at]);
    Widen(low, high, value, value);
  }
}

}  // namespace

void ColumnMetrics::UpdateLeaf(const MetricsColumn& column, duckdb::Vector& vector, size_t count,
                               State& state) {
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(count, format);
  state.values += static_cast<int64_t>(count);
  if (!format.validity.AllValid()) {
    for (size_t i = 0; i < count; ++i)
      state.nulls += !format.validity.RowIsValid(format.sel->get_index(i));
  }
  const PhysicalType physical = vector.GetType().InternalType();
  const bool bounds =
      column.mode.mode == MetricsMode::kTruncate || column.mode.mode == MetricsMode::kFull;
  if (physical == PhysicalType::FLOAT) {
    state.nans += ScanFloats<float>(format, count, state.min_double, state.max_double);
    return;
  }
  if (physical == PhysicalType::DOUBLE) {
    state.nans += ScanFloats<double>(format, count, state.min_double, state.max_double);
    return;
  }
  if (!bounds) return;
  switch (physical) {
    case PhysicalType::BOOL:
      return ScanNumbers<bool>(format, count, state.min_int, state.max_int);
    case PhysicalType::INT16:
      return ScanNumbers<int16_t>(format, count, state.min_int, state.max_int);
    case PhysicalType::INT32:
      return ScanNumbers<int32_t>(format, count, state.min_int, state.max_int);
    case PhysicalType::INT64:
      return ScanNumbers<int64_t>(format, count, state.min_int, state.max_int);
    case PhysicalType::INT128:
      return ScanWide(format, count, state.min_wide, state.max_wide);
    case PhysicalType::VARCHAR:
      return ScanTexts(format, count, state.min_text, state.max_text);
    default:
      return;
  }
}

void ColumnMetrics::Update(duckdb::DataChunk& chunk) {
  for (size_t c = 0; c < columns_->size(); ++c) {
    const MetricsColumn& column = (*columns_)[c];
    if (column.mode.mode == MetricsMode::kNone) continue;
    duckdb::Vector* vector = &chunk.data[column.path[0]];
    for (size_t depth = 1; depth < column.path.size(); ++depth) {
      vector->Flatten(chunk.size());
      // Below a null struct all is null; the innermost parent knows all of them.
      if (column.skips_parents && depth + 1 == column.path.size()) {
        const auto& present = duckdb::FlatVector::Validity(*vector);
        states_[c].orphans += static_cast<int64_t>(chunk.size() - present.CountValid(chunk.size()));
      }
      vector = duckdb::StructVector::GetEntries(*vector)[column.path[depth]].get();
    }
    UpdateLeaf(column, *vector, chunk.size(), states_[c]);
  }
}

void ColumnMetrics::Merge(const ColumnMetrics& other) {
  for (size_t c = 0; c < states_.size(); ++c) {
    State& to = states_[c];
    const State& from = other.states_[c];
    to.values += from.values;
    to.nulls += from.nulls;
    to.nans += from.nans;
    to.orphans += from.orphans;
    if (from.min_int) Widen(to.min_int, to.max_int, *from.min_int, *from.max_int);
    if (from.min_double) Widen(to.min_double, to.max_double, *from.min_double, *from.max_double);
    if (from.min_wide) Widen(to.min_wide, to.max_wide, *from.min_wide, *from.max_wide);
    if (from.min_text) Widen(to.min_text, to.max_text, *from.min_text, *from.max_text);
  }
}

std::optional<Value> ColumnMetrics::Bound(const MetricsColumn& column, const State& state,
                                          bool lower) const {
  auto integer = lower ? state.min_int : state.max_int;
  auto wide = lower ? state.min_wide : state.max_wide;
  auto number = lower ? state.min_double : state.max_double;
  const auto& text = lower ? state.min_text : state.max_text;
  const spec::Type& type = column.field.type;
  if (number && *number == 0) number = lower ? -0.0 : 0.0;
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return integer ? std::optional<Value>(Value(*integer != 0)) : std::nullopt;
    case TypeKind::kInt:
    case TypeKind::kDate:
      return integer ? std::optional<Value>(Value(static_cast<int32_t>(*integer))) : std::nullopt;
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return integer ? std::optional<Value>(Value(*integer)) : std::nullopt;
    case TypeKind::kFloat:
      return number ? std::optional<Value>(Value(static_cast<float>(*number))) : std::nullopt;
    case TypeKind::kDouble:
      return number ? std::optional<Value>(Value(*number)) : std::nullopt;
    case TypeKind::kDecimal:
      if (integer) return Value(Decimal{*integer, type.scale()});
      return wide ? std::optional<Value>(Value(Decimal{*wide, type.scale()})) : std::nullopt;
    case TypeKind::kString:
      return text ? std::optional<Value>(Value(*text)) : std::nullopt;
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return text ? std::optional<Value>(Value(Bytes{*text})) : std::nullopt;
    case TypeKind::kUuid:
      if (!wide) return std::nullopt;
      return FromDuckDb(duckdb::Value::UUID(ToHugeint(*wide)));
    default:
      return std::nullopt;
  }
}

void ColumnMetrics::Store(spec::DataFile* file) const {
  std::vector<std::pair<int32_t, int64_t>> values, nulls, nans;
  std::vector<std::pair<int32_t, Bytes>> lowers, uppers;
  for (size_t c = 0; c < columns_->size(); ++c) {
    const MetricsColumn& column = (*columns_)[c];
    const State& state = states_[c];
    const int32_t id = column.field.id;
    const spec::Type& type = column.field.type;
    if (column.mode.mode == MetricsMode::kNone) continue;
    // OrcMetrics counts the rows without a parent only beside other nulls.
    const int64_t left_out = state.nulls == state.orphans ? state.orphans : 0;
    values.emplace_back(id, state.values - left_out);
    nulls.emplace_back(id, state.nulls - left_out);
    if (type.Is(TypeKind::kFloat) || type.Is(TypeKind::kDouble)) nans.emplace_back(id, state.nans);
    if (column.mode.mode == MetricsMode::kCounts) continue;
    std::optional<Value> lower = Bound(column, state, true), upper = Bound(column, state, false);
    if (column.mode.mode == MetricsMode::kTruncate) {
      if (lower) lower = spec::TruncateLowerBound(type, *lower, column.mode.length);
      if (upper) upper = spec::TruncateUpperBound(type, *upper, column.mode.length);
    }
    if (lower) lowers.emplace_back(id, spec::ToBound(type, *lower));
    if (upper) uppers.emplace_back(id, spec::ToBound(type, *upper));
  }
  file->value_counts = spec::CountMap(std::move(values));
  file->null_value_counts = spec::CountMap(std::move(nulls));
  file->nan_value_counts = spec::CountMap(std::move(nans));
  file->lower_bounds = spec::BoundMap(std::move(lowers));
  file->upper_bounds = spec::BoundMap(std::move(uppers));
}

}  // namespace iceblink::exec
