// Field summaries of manifests against partition predicates. A summary without a lower bound has no
// value but nulls (and, for floating-point types, NaN).
#include "expr/bound_compare.h"
#include "expr/evaluate.h"

namespace iceblink::expr {
namespace {

using internal::Bound;
using internal::Step;
using spec::FieldSummary;

bool AllNull(const Step& step, const FieldSummary& summary) {
  if (!summary.contains_null || summary.lower_bound) return false;
  bool floating = step.type.Is(spec::TypeKind::kFloat) || step.type.Is(spec::TypeKind::kDouble);
  return !floating || (summary.contains_nan && !*summary.contains_nan);
}

bool AllNan(const FieldSummary& summary) {
  return summary.contains_nan.value_or(false) && !summary.contains_null && !summary.lower_bound;
}

const Bytes* Get(const std::optional<Bytes>& bytes) { return bytes ? &*bytes : nullptr; }

bool MayMatchValue(const Step& step, const FieldSummary& summary) {
  if (!summary.lower_bound || !summary.upper_bound) return false;
  Bound lower(step, Get(summary.lower_bound));
  Bound upper(step, Get(summary.upper_bound));
  if (!lower.present() || !upper.present()) return true;
  if (step.op == Op::kIn) return internal::AnyLiteralWithin(step.literals, lower, upper);
  if (step.op == Op::kStartsWith) {
    return !internal::NoneStartsWith(step.literals.front().As<std::string>(), lower, upper);
  }
  int low = lower.Compare(step.literals.front());
  int high = upper.Compare(step.literals.front());
  if (step.op == Op::kLt) return low < 0;
  if (step.op == Op::kLtEq) return low <= 0;
  if (step.op == Op::kGt) return high > 0;
  if (step.op == Op::kGtEq) return high >= 0;
  return low <= 0 && high >= 0;  // kEq
}

bool MayMatch(const Step& step, const FieldSummary& summary) {
  switch (step.op) {
    case Op::kIsNull:
      return summary.contains_null;
    case Op::kNotNull:
      return !AllNull(step, summary);
    case Op::kIsNan:
      return summary.contains_nan.value_or(true) && !AllNull(step, summary);
    case Op::kNotNan:
      return !AllNan(summary);
    case Op::kLt:
    case Op::kLtEq:
    case Op::kGt:
    case Op::kGtEq:
    case Op::kEq:
    case Op::kIn:
    case Op::kStartsWith:
      return MayMatchValue(step, summary);
    case Op::kNotStartsWith: {
      if (summary.contains_null) return true;
      Bound lower(step, Get(summary.lower_bound));
      Bound upper(step, Get(summary.upper_bound));
      return !internal::AllStartWith(step.literals.front().As<std::string>(), lower, upper);
    }
    case Op::kNotEq:
    case Op::kNotIn:
      return true;  // bounds need not be values of the field
    case Op::kTrue:
    case Op::kFalse:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return true;  // Run() handles these
  }
  return true;
}

}  // namespace

Result<ManifestEvaluator> ManifestEvaluator::ForRowFilter(const Expression& filter,
                                                          const spec::Schema& schema,
                                                          const spec::PartitionSpec& spec,
                                                          bool case_sensitive) {
  ASSIGN_OR_RETURN(Expression projected, ProjectInclusive(filter, schema, spec, case_sensitive));
  return ForPartitionFilter(projected, schema, spec, case_sensitive);
}

Result<ManifestEvaluator> ManifestEvaluator::ForPartitionFilter(const Expression& partition_filter,
                                                                const spec::Schema& schema,
                                                                const spec::PartitionSpec& spec,
                                                                bool case_sensitive) {
  ASSIGN_OR_RETURN(
      internal::Program program,
      internal::Compile(partition_filter, PartitionSchema(spec, schema), case_sensitive));
  return ManifestEvaluator(std::move(program));
}

bool ManifestEvaluator::Eval(const spec::ManifestFile& manifest) const {
  if (!manifest.partitions) {
    const Step& root = program_.root();
    return root.op != Op::kFalse;
  }
  const std::vector<FieldSummary>& summaries = *manifest.partitions;
  return internal::Run(program_, [&summaries](const Step& step) {
    if (step.path.size() != 1 || static_cast<size_t>(step.path[0]) >= summaries.size()) return true;
    return MayMatch(step, summaries[static_cast<size_t>(step.path[0])]);
  });
}

}  // namespace iceblink::expr
