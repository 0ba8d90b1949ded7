#include "exec/parquet_footer.h"

#include <cstring>
#include <map>

#include "base/decimal.h"
#include "exec/column_metrics.h"
#include "exec/duckdb_file_system.h"
#include "exec/duckdb_session.h"
#include "exec/spark_error.h"
#include "parquet_reader.hpp"
#include "spec/name_mapping.h"
#include "spec/single_value.h"

namespace iceblink::exec {

namespace {

using duckdb_parquet::SchemaElement;
using PhysicalType = duckdb_parquet::Type;

// A leaf of the file's schema: its place among the columns of a row group.
struct Leaf {
  SchemaElement element;
  std::vector<std::string> path;
  size_t column = 0;
  bool repeated = false;  // it or a parent
};

// The leaves in the order of the footer, which is pre-order.
class LeafFinder {
 public:
  explicit LeafFinder(const duckdb_parquet::FileMetaData& file) : file_(file) {
    if (!file_.schema.empty()) Visit({}, false, true);
  }
  std::vector<Leaf> leaves;

 private:
  void Visit(std::vector<std::string> path, bool repeated, bool root) {
    const SchemaElement& element = file_.schema[next_++];
    if (!root) path.push_back(element.name);
    repeated |= !root && element.repetition_type == duckdb_parquet::FieldRepetitionType::REPEATED;
    if (element.num_children == 0 && !root) {
      leaves.push_back({element, std::move(path), leaves.size(), repeated});
      return;
    }
    for (int32_t i = 0; i < element.num_children && next_ < file_.schema.size(); ++i)
      Visit(path, repeated, false);
  }
  const duckdb_parquet::FileMetaData& file_;
  size_t next_ = 0;
};

template <typename T>
std::optional<T> Plain(const std::string& bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Micros per unit of a timestamp or time column; 0: a unit that has no micros (nanoseconds).
int64_t MicrosPerUnit(const SchemaElement& element) {
  using duckdb_parquet::ConvertedType;
  if (element.__isset.logicalType) {
    const auto& logical = element.logicalType;
    const auto& unit = logical.__isset.TIMESTAMP ? logical.TIMESTAMP.unit : logical.TIME.unit;
    if (logical.__isset.TIMESTAMP || logical.__isset.TIME)
      return unit.__isset.MILLIS ? 1000 : unit.__isset.MICROS ? 1 : 0;
  }
  if (!element.__isset.converted_type) return 1;
  return element.converted_type == ConvertedType::TIMESTAMP_MILLIS ||
                 element.converted_type == ConvertedType::TIME_MILLIS
             ? 1000
             : 1;
}

std::optional<Value> WholeNumber(int64_t number, const SchemaElement& element,
                                 const spec::Type& type) {
  switch (type.kind()) {
    case spec::TypeKind::kInt:
    case spec::TypeKind::kDate:
      return Value(static_cast<int32_t>(number));
    case spec::TypeKind::kLong:
      return Value(number);
    case spec::TypeKind::kTime:
    case spec::TypeKind::kTimestamp:
    case spec::TypeKind::kTimestampTz: {
      const int64_t micros = MicrosPerUnit(element);
      return micros == 0 ? std::nullopt : std::optional(Value(number * micros));
    }
    case spec::TypeKind::kDecimal:
      return Value(Decimal{number, type.scale()});
    default:
      return std::nullopt;
  }
}

// A statistics value in the physical form of the table's type; nothing where the two do not fit.
std::optional<Value> StatisticsValue(const std::string& bytes, const SchemaElement& element,
                                     const spec::Type& type) {
  const auto wrap = [](auto value) { return value ? std::optional(Value(*value)) : std::nullopt; };
  switch (element.type) {
    case PhysicalType::BOOLEAN:
      if (!type.Is(spec::TypeKind::kBoolean) || bytes.size() != 1) return std::nullopt;
      return Value(bytes[0] != 0);
    case PhysicalType::INT32: {
      auto number = Plain<int32_t>(bytes);
      return number ? WholeNumber(*number, element, type) : std::nullopt;
    }
    case PhysicalType::INT64: {
      auto number = Plain<int64_t>(bytes);
      return number ? WholeNumber(*number, element, type) : std::nullopt;
    }
    case PhysicalType::FLOAT: {
      auto number = Plain<float>(bytes);
      if (!type.Is(spec::TypeKind::kDouble)) return wrap(number);
      return number ? std::optional(Value(static_cast<double>(*number))) : std::nullopt;
    }
    case PhysicalType::DOUBLE:
      return wrap(Plain<double>(bytes));
    case PhysicalType::BYTE_ARRAY:
    case PhysicalType::FIXED_LEN_BYTE_ARRAY:
      if (type.Is(spec::TypeKind::kString)) return Value(bytes);
      if (type.Is(spec::TypeKind::kDecimal)) {
        auto number = Int128FromBytes(bytes);
        return number ? std::optional(Value(Decimal{*number, type.scale()})) : std::nullopt;
      }
      return Value(Bytes{bytes});
    case PhysicalType::INT96:
      return std::nullopt;
  }
  return std::nullopt;
}

// Counts and bounds of one column over the row groups.
struct Gathered {
  int64_t size = 0, values = 0, nulls = 0;
  bool has_nulls = true, has_bounds = true;
  std::optional<Value> min, max;

  void Add(const duckdb_parquet::ColumnMetaData& column, const SchemaElement& element,
           const spec::Type& type) {
    size += column.total_compressed_size;
    values += column.num_values;
    const auto& statistics = column.statistics;
    const bool known = column.__isset.statistics && statistics.__isset.null_count;
    has_nulls &= known;
    if (known) nulls += statistics.null_count;
    if (known && statistics.null_count == column.num_values) return;
    if (!column.__isset.statistics || !statistics.__isset.min_value ||
        !statistics.__isset.max_value) {
      has_bounds = false;
      return;
    }
    auto low = StatisticsValue(statistics.min_value, element, type);
    auto high = StatisticsValue(statistics.max_value, element, type);
    has_bounds &= low && high;
    if (!has_bounds) return;
    if (!min || CompareValues(*low, *min) < 0) min = low;
    if (!max || CompareValues(*high, *max) > 0) max = high;
  }
};

using BoundPairs = std::vector<std::pair<int32_t, Bytes>>;
using CountPairs = std::vector<std::pair<int32_t, int64_t>>;

struct MetricPairs {
  CountPairs sizes, values, nulls;
  BoundPairs lower, upper;

  void Add(const MetricsColumn& column, const Gathered& found) {
    const int32_t id = column.field.id;
    const spec::Type& type = column.field.type;
    sizes.emplace_back(id, found.size);
    if (column.mode.mode == MetricsMode::kNone) return;
    values.emplace_back(id, found.values);
    if (found.has_nulls) nulls.emplace_back(id, found.nulls);
    if (column.mode.mode == MetricsMode::kCounts || !found.has_bounds || !found.min) return;
    Value low = *found.min;
    std::optional<Value> high = found.max;
    if (column.mode.mode == MetricsMode::kTruncate) {
      low = spec::TruncateLowerBound(type, low, column.mode.length);
      high = spec::TruncateUpperBound(type, *high, column.mode.length);
    }
    lower.emplace_back(id, spec::ToBound(type, low));
    if (high) upper.emplace_back(id, spec::ToBound(type, *high));
  }
  void Store(spec::DataFile* file) {
    file->column_sizes = spec::CountMap(std::move(sizes));
    file->value_counts = spec::CountMap(std::move(values));
    file->null_value_counts = spec::CountMap(std::move(nulls));
    file->lower_bounds = spec::BoundMap(std::move(lower));
    file->upper_bounds = spec::BoundMap(std::move(upper));
  }
};

class FooterReader {
 public:
  static Result<FooterReader> Make(const spec::TableMetadata& metadata) {
    FooterReader reader;
    for (MetricsColumn& column : MetricsColumns(metadata, metadata.schema()))
      reader.columns_.emplace(column.field.id, std::move(column));
    const std::string mapping = metadata.Property("schema.name-mapping.default");
    if (mapping.empty()) {
      reader.mapping_ = spec::CreateNameMapping(metadata.schema());
    } else {
      ASSIGN_OR_RETURN(reader.mapping_, spec::ParseNameMapping(mapping));
    }
    return reader;
  }

  spec::DataFile Read(duckdb::ClientContext& context, const std::string& path, int64_t size) const {
    duckdb::ParquetReader reader(context, duckdb::OpenFileInfo(DuckDbPath(path)),
                                 duckdb::ParquetOptions(context));
    const duckdb_parquet::FileMetaData& footer = *reader.GetFileMetadata();
    spec::DataFile file;
    file.file_path = path;
    file.file_size_in_bytes = size;
    file.record_count = footer.num_rows;
    for (const auto& group : footer.row_groups) {
      if (!group.columns.empty()) file.split_offsets.push_back(StartOf(group.columns[0].meta_data));
    }
    MetricPairs metrics;
    for (const Leaf& leaf : LeafFinder(footer).leaves) {
      const MetricsColumn* column = leaf.repeated ? nullptr : ColumnOf(leaf);
      if (column == nullptr) continue;
      Gathered found;
      for (const auto& group : footer.row_groups) {
        if (leaf.column < group.columns.size())
          found.Add(group.columns[leaf.column].meta_data, leaf.element, column->field.type);
      }
      metrics.Add(*column, found);
    }
    metrics.Store(&file);
    return file;
  }

 private:
  static int64_t StartOf(const duckdb_parquet::ColumnMetaData& column) {
    return column.__isset.dictionary_page_offset
               ? std::min(column.dictionary_page_offset, column.data_page_offset)
               : column.data_page_offset;
  }

  const MetricsColumn* ColumnOf(const Leaf& leaf) const {
    std::optional<int32_t> id;
    if (leaf.element.__isset.field_id) {
      id = leaf.element.field_id;
    } else if (const spec::MappedField* mapped = mapping_.Find(leaf.path)) {
      id = mapped->id;
    }
    auto at = id ? columns_.find(*id) : columns_.end();
    return at == columns_.end() ? nullptr : &at->second;
  }

  std::map<int32_t, MetricsColumn> columns_;
  spec::NameMapping mapping_;
};

}  // namespace

Result<std::vector<spec::DataFile>> DescribeParquetFiles(io::FileSystem& files,
                                                         const spec::TableMetadata& metadata,
                                                         const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(const FooterReader reader, FooterReader::Make(metadata));
  DuckDbSession session({.threads = 1, .files = &files});
  RETURN_IF_ERROR(session.Prepare({.core_functions = true, .parquet = true}));
  std::vector<spec::DataFile> out;
  RETURN_IF_ERROR(session.InTransaction([&](duckdb::ClientContext& context) -> Status {
    for (const std::string& path : paths) {
      ASSIGN_OR_RETURN(const io::FileInfo info, files.Stat(path));
      out.push_back(reader.Read(context, path, info.size));
    }
    return {};
  }));
  return out;
}

}  // namespace iceblink::exec
