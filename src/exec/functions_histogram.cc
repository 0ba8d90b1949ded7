// ib_histogram(values, bins): Spark's histogram_numeric over the values in their order - the
// streaming histogram of Ben-Haim and Tom-Tov as Hive wrote it, with java.util.Random to choose
// among equally near bins, so that the answer is Spark's for one task.
#include <vector>

#include "exec/row_function.h"

namespace iceblink::exec {
namespace {

using duckdb::LogicalType;

// java.util.Random with Hive's seed.
class JavaRandom {
 public:
  double NextDouble() {
    const int64_t high = Next(26);
    return static_cast<double>((high << 27) + Next(27)) * 0x1.0p-53;
  }

 private:
  static constexpr uint64_t kMask = (uint64_t{1} << 48) - 1;
  int64_t Next(int bits) {
    seed_ = (seed_ * 0x5DEECE66Du + 0xB) & kMask;
    return static_cast<int64_t>(seed_ >> (48 - bits));
  }
  uint64_t seed_ = (31183 ^ 0x5DEECE66Du) & kMask;
};

struct Bin {
  double x = 0, y = 0;
};

class Histogram {
 public:
  explicit Histogram(size_t bins) : limit_(bins) {}

  void Add(double value) {
    size_t at = 0;
    for (size_t low = 0, high = bins_.size(); low < high;) {
      at = (low + high) / 2;
      if (bins_[at].x > value) {
        high = at;
      } else if (bins_[at].x < value) {
        low = ++at;
      } else {
        break;
      }
    }
    if (at < bins_.size() && bins_[at].x == value) {
      bins_[at].y += 1;
      return;
    }
    bins_.insert(bins_.begin() + static_cast<std::ptrdiff_t>(at), Bin{value, 1});
    if (bins_.size() > limit_) MergeNearest();
  }
  const std::vector<Bin>& bins() const { return bins_; }

 private:
  void MergeNearest() {
    double nearest = bins_[1].x - bins_[0].x;
    size_t at = 0;
    int equal = 1;
    for (size_t i = 1; i + 1 < bins_.size(); ++i) {
      const double distance = bins_[i + 1].x - bins_[i].x;
      if (distance < nearest) {
        nearest = distance;
        at = i;
        equal = 1;
      } else if (distance == nearest && random_.NextDouble() <= 1.0 / ++equal) {
        at = i;
      }
    }
    Bin& left = bins_[at];
    const Bin& right = bins_[at + 1];
    const double weight = left.y + right.y;
    left.x *= left.y / weight;
    left.x += right.x / weight * right.y;
    left.y = weight;
    bins_.erase(bins_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }

  size_t limit_;
  std::vector<Bin> bins_;
  JavaRandom random_;
};

// One list of bins for each list of values.
void HistogramRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::Vector& values = chunk.data[0];
  duckdb::UnifiedVectorFormat lists, numbers, counts;
  values.ToUnifiedFormat(chunk.size(), lists);
  chunk.data[1].ToUnifiedFormat(chunk.size(), counts);
  duckdb::ListVector::GetEntry(values).ToUnifiedFormat(duckdb::ListVector::GetListSize(values),
                                                       numbers);
  const auto* entries = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(lists);
  const auto* doubles = duckdb::UnifiedVectorFormat::GetData<double>(numbers);
  const auto* bins = duckdb::UnifiedVectorFormat::GetData<int64_t>(counts);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  size_t written = 0;
  for (size_t row = 0; row < chunk.size(); ++row) {
    const size_t at = lists.sel->get_index(row);
    if (!lists.validity.RowIsValid(at)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    Histogram histogram(static_cast<size_t>(bins[counts.sel->get_index(row)]));
    for (size_t i = 0; i < entries[at].length; ++i)
      histogram.Add(doubles[numbers.sel->get_index(entries[at].offset + i)]);
    const size_t size = histogram.bins().size();
    duckdb::ListVector::Reserve(result, written + size);
    auto& fields = duckdb::StructVector::GetEntries(duckdb::ListVector::GetEntry(result));
    for (size_t i = 0; i < size; ++i) {
      duckdb::FlatVector::GetData<double>(*fields[0])[written + i] = histogram.bins()[i].x;
      duckdb::FlatVector::GetData<double>(*fields[1])[written + i] = histogram.bins()[i].y;
    }
    out[row] = {written, size};
    written += size;
    duckdb::ListVector::SetListSize(result, written);
  }
}

}  // namespace

void RegisterHistogramFunction(duckdb::ExtensionLoader& loader) {
  const LogicalType number = LogicalType::DOUBLE;
  duckdb::ScalarFunction function(
      "ib_histogram", {LogicalType::LIST(number), LogicalType::BIGINT},
      LogicalType::LIST(LogicalType::STRUCT({{"x", number}, {"y", number}})), HistogramRows);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(std::move(function));
}

}  // namespace iceblink::exec
