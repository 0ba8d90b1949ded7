// Column metrics of a data file in the making: value, null and NaN counts and bounds, taken from
// the values as they are written. Exec-internal: includes DuckDB.
//
// Fields below lists and maps have no metrics, as in Iceberg's writers. ORC's count structs, lists
// and maps too, and leave rows without a parent out where a field has no other nulls. One object
// serves one thread; Merge adds what another has seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "spec/manifest.h"
#include "spec/table_metadata.h"

namespace iceblink::exec {

enum class MetricsMode : uint8_t { kNone, kCounts, kTruncate, kFull };

struct FieldMetricsMode {
  MetricsMode mode = MetricsMode::kTruncate;
  int32_t length = 16;  // kTruncate
};

// A field: how to reach it in a row and how it is measured.
struct MetricsColumn {
  std::vector<size_t> path;  // top-level column, then struct children
  spec::NestedField field;
  FieldMetricsMode mode;
  bool skips_parents = false;  // rows without a parent do not count
};

// The columns of a schema that files of the format have metrics of, with their modes by table
// properties and sort order.
std::vector<MetricsColumn> MetricsColumns(const spec::TableMetadata& metadata,
                                          const spec::Schema& schema,
                                          spec::FileFormat format = spec::FileFormat::kParquet);

class ColumnMetrics {
 public:
  // `columns` outlives the object.
  explicit ColumnMetrics(const std::vector<MetricsColumn>& columns)
      : columns_(&columns), states_(columns.size()) {}

  void Update(duckdb::DataChunk& chunk);
  void Merge(const ColumnMetrics& other);
  // Sets counts and bounds of the file.
  void Store(spec::DataFile* file) const;

 private:
  struct State {
    int64_t values = 0, nulls = 0, nans = 0;
    int64_t orphans = 0;  // nulls below a null parent, where such may be left out
    std::optional<int64_t> min_int, max_int;
    std::optional<double> min_double, max_double;
    std::optional<Int128> min_wide, max_wide;
    std::optional<std::string> min_text, max_text;
  };
  void UpdateLeaf(const MetricsColumn& column, duckdb::Vector& vector, size_t count, State& state);
  std::optional<Value> Bound(const MetricsColumn& column, const State& state, bool lower) const;

  const std::vector<MetricsColumn>* columns_;
  std::vector<State> states_;
};

}  // namespace iceblink::exec
