// Predicates compiled for many evaluations: on rows and partition tuples, on file metrics, on
// manifests, and residuals.
//
// Each class is made once per (schema or spec, filter); Eval is const, allocates nothing for
// decided files and may run in several threads at once.
#pragma once

#include "expr/expression.h"
#include "expr/projection.h"
#include "spec/manifest.h"

namespace iceblink::expr {

namespace internal {
// One predicate or connective of a compiled filter; connectives hold the indexes of their operands.
struct Step {
  Op op = Op::kTrue;
  int32_t left = -1;
  int32_t right = -1;
  int32_t field_id = -1;
  std::vector<int32_t> path;  // positions from the root struct to the column
  spec::Transform transform;
  spec::Type source_type;
  spec::Type type;
  bool required = false;
  std::vector<Value> literals;  // sorted for kIn and kNotIn
};
struct Program {
  std::vector<Step> steps;  // operands before their connective; the last is the root
  const Step& root() const { return steps.back(); }
};
// Binds, removes NOT and flattens.
Result<Program> Compile(const Expression& filter, const spec::Schema& schema, bool case_sensitive);
}  // namespace internal

// Evaluates on rows whose values are in the order of the schema's fields (nested ones as
// StructValue). As in Iceberg, null matches kNotEq, kNotIn and kNotStartsWith and no other
// comparison (SQL adds NotNull where it means that), and NaN is greater than every number.
class RowEvaluator {
 public:
  static Result<RowEvaluator> Make(const Expression& filter, const spec::Schema& schema,
                                   bool case_sensitive = true);
  bool Eval(std::span<const Value> row) const;

 private:
  explicit RowEvaluator(internal::Program program) : program_(std::move(program)) {}
  internal::Program program_;
};

// Returns false only when no row of the file can match.
class InclusiveMetricsEvaluator {
 public:
  static Result<InclusiveMetricsEvaluator> Make(const Expression& filter,
                                                const spec::Schema& schema,
                                                bool case_sensitive = true);
  bool Eval(const spec::DataFile& file) const;

 private:
  explicit InclusiveMetricsEvaluator(internal::Program program) : program_(std::move(program)) {}
  internal::Program program_;
};

// Returns true only when all rows of the file match.
class StrictMetricsEvaluator {
 public:
  static Result<StrictMetricsEvaluator> Make(const Expression& filter, const spec::Schema& schema,
                                             bool case_sensitive = true);
  bool Eval(const spec::DataFile& file) const;

 private:
  explicit StrictMetricsEvaluator(internal::Program program) : program_(std::move(program)) {}
  internal::Program program_;
};

// Returns false only when no file of the manifest can match, by its field summaries.
class ManifestEvaluator {
 public:
  static Result<ManifestEvaluator> ForRowFilter(const Expression& filter,
                                                const spec::Schema& schema,
                                                const spec::PartitionSpec& spec,
                                                bool case_sensitive = true);
  static Result<ManifestEvaluator> ForPartitionFilter(const Expression& partition_filter,
                                                      const spec::Schema& schema,
                                                      const spec::PartitionSpec& spec,
                                                      bool case_sensitive = true);
  bool Eval(const spec::ManifestFile& manifest) const;

 private:
  explicit ManifestEvaluator(internal::Program program) : program_(std::move(program)) {}
  internal::Program program_;
};

// What is left of a filter within one partition: true when the partition implies it, false when it
// excludes it, else the predicates that the partition does not decide.
class ResidualEvaluator {
 public:
  static Result<ResidualEvaluator> Make(const Expression& filter, const spec::Schema& schema,
                                        const spec::PartitionSpec& spec,
                                        bool case_sensitive = true);
  // Returns the residual with the filter's own (unbound) predicates.
  Expression ResidualFor(std::span<const Value> partition) const;

 private:
  struct Leaf {
    Expression original;
    std::vector<RowEvaluator> strict;     // any true: the predicate holds in the whole partition
    std::vector<RowEvaluator> inclusive;  // any false: it holds nowhere in it
  };
  struct Node {
    Op op = Op::kTrue;
    int32_t left = -1;
    int32_t right = -1;
    int32_t leaf = -1;
  };
  Expression Residual(int32_t node, std::span<const Value> partition) const;
  Expression LeafResidual(const Leaf& leaf, std::span<const Value> partition) const;
  Result<int32_t> Add(const Expression& filter, const spec::Schema& schema,
                      const spec::PartitionSpec& spec, bool case_sensitive);

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  bool unpartitioned_ = false;
  Expression filter_;
};

}  // namespace iceblink::expr
