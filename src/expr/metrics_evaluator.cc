// File metrics against predicates. Every missing count or bound means: may match (inclusive), may
// not match (strict).
#include "expr/bound_compare.h"
#include "expr/evaluate.h"

namespace iceblink::expr {
namespace {

using internal::Bound;
using internal::Step;
using spec::DataFile;

// What a file's counts say of one column.
struct Counts {
  const int64_t* values;
  const int64_t* nulls;
  const int64_t* nans;

  Counts(const Step& step, const DataFile& file)
      : values(file.value_counts.Find(step.field_id)),
        nulls(file.null_value_counts.Find(step.field_id)),
        nans(file.nan_value_counts.Find(step.field_id)) {}

  bool all_null() const { return values != nullptr && nulls != nullptr && *values == *nulls; }
  bool all_nan() const { return values != nullptr && nans != nullptr && *values == *nans; }
  bool no_nulls() const { return nulls != nullptr && *nulls == 0; }
  bool no_nans() const { return nans != nullptr && *nans == 0; }
};

Bound LowerOf(const Step& step, const DataFile& file) {
  return {step, file.lower_bounds.Find(step.field_id)};
}
Bound UpperOf(const Step& step, const DataFile& file) {
  return {step, file.upper_bounds.Find(step.field_id)};
}

// Returns whether the bounds leave room for a value equal to the literal.
bool MayEqual(const Bound& lower, const Bound& upper, const Value& literal) {
  if (lower.present() && lower.is_nan()) return true;
  if (lower.present() && lower.Compare(literal) > 0) return false;
  return !upper.present() || upper.Compare(literal) >= 0;
}

bool MayBeIn(const Bound& lower, const Bound& upper, const std::vector<Value>& literals) {
  if (!lower.present() || lower.is_nan() || !upper.present()) {
    for (const Value& literal : literals) {
      if (MayEqual(lower, upper, literal)) return true;
    }
    return false;
  }
  return internal::AnyLiteralWithin(literals, lower, upper);
}

// Returns whether some row may match a comparison; at least one value is neither null nor NaN.
// Returns whether some value between the bounds may have a result that wrapped around, so that the
// bounds' results say nothing.
bool MayWrap(const Step& step, const DataFile& file) {
  if (!step.transform.Is(spec::TransformKind::kTruncate) &&
      !step.transform.Is(spec::TransformKind::kHour)) {
    return false;
  }
  Bound lower = LowerOf(step, file);
  Bound upper = UpperOf(step, file);
  return !lower.present() || !upper.present() || lower.wraps() || upper.wraps();
}

bool MayMatchValue(const Step& step, const DataFile& file) {
  const auto& literals = step.literals;
  if (MayWrap(step, file)) return true;
  if (step.op == Op::kGt || step.op == Op::kGtEq) {
    Bound upper = UpperOf(step, file);
    if (!upper.present()) return true;
    int order = upper.Compare(literals.front());
    return step.op == Op::kGt ? order > 0 : order >= 0;
  }
  Bound lower = LowerOf(step, file);
  if (step.op == Op::kLt || step.op == Op::kLtEq) {
    if (!lower.present() || lower.is_nan()) return true;  // NaN: an old writer's bounds, unreliable
    int order = lower.Compare(literals.front());
    return step.op == Op::kLt ? order < 0 : order <= 0;
  }
  Bound upper = UpperOf(step, file);
  if (step.op == Op::kEq) return MayEqual(lower, upper, literals.front());
  if (step.op == Op::kIn) return MayBeIn(lower, upper, literals);
  if (!step.transform.is_identity()) return true;
  return !internal::NoneStartsWith(literals.front().As<std::string>(), lower,
                                   upper);  // kStartsWith
}

bool MayMatch(const Step& step, const DataFile& file) {
  Counts counts(step, file);
  bool keeps_nulls =
      step.transform.preserves_order();  // the transform is null just where the column is
  switch (step.op) {
    case Op::kIsNull:
      return !(keeps_nulls && counts.no_nulls());
    case Op::kNotNull:
      return !counts.all_null();
    case Op::kIsNan:
      return !counts.all_null() && !counts.no_nans();
    case Op::kNotNan:
      return !counts.all_nan();
    case Op::kLt:
    case Op::kLtEq:
    case Op::kGt:
    case Op::kGtEq:
    case Op::kEq:
    case Op::kIn:
    case Op::kStartsWith:
      return !counts.all_null() && !counts.all_nan() && MayMatchValue(step, file);
    case Op::kNotStartsWith:
      if (!counts.no_nulls() || !step.transform.is_identity()) return true;
      return !internal::AllStartWith(step.literals.front().As<std::string>(), LowerOf(step, file),
                                     UpperOf(step, file));
    case Op::kNotEq:
    case Op::kNotIn:
      return true;  // bounds need not be values of the column
    case Op::kTrue:
    case Op::kFalse:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return true;  // Run() handles these
  }
  return true;
}

bool IsFloating(const Step& step) {
  return step.type.Is(spec::TypeKind::kFloat) || step.type.Is(spec::TypeKind::kDouble);
}

// Returns whether all rows match a comparison, given that no value is null or NaN.
bool MustMatchValue(const Step& step, const DataFile& file) {
  const auto& literals = step.literals;
  if (step.op == Op::kLt || step.op == Op::kLtEq) {
    Bound upper = UpperOf(step, file);
    if (!upper.present()) return false;
    int order = upper.Compare(literals.front());
    return step.op == Op::kLt ? order < 0 : order <= 0;
  }
  Bound lower = LowerOf(step, file);
  if (!lower.present() || lower.is_nan()) return false;
  if (step.op == Op::kGt || step.op == Op::kGtEq) {
    int order = lower.Compare(literals.front());
    return step.op == Op::kGt ? order > 0 : order >= 0;
  }
  Bound upper = UpperOf(step, file);
  if (!upper.present()) return false;
  for (const Value& literal : literals) {  // kEq and kIn: one value only, and it is a literal
    if (lower.Compare(literal) == 0 && upper.Compare(literal) == 0) return true;
  }
  return false;
}

// Returns whether no value equals a literal; nulls and NaN differ from all of them.
bool MustDiffer(const Step& step, const DataFile& file) {
  Bound lower = LowerOf(step, file);
  Bound upper = UpperOf(step, file);
  if (lower.present() && lower.is_nan()) return false;
  for (const Value& literal : step.literals) {
    bool below = lower.present() && lower.Compare(literal) > 0;
    bool above = upper.present() && upper.Compare(literal) < 0;
    if (!below && !above) return false;
  }
  return true;
}

bool MustMatch(const Step& step, const DataFile& file) {
  // Counts of nested columns count elements or leave out null parents, and a transform's values
  // have no bounds of their own.
  if (step.path.size() != 1 || !step.transform.is_identity()) return false;
  Counts counts(step, file);
  switch (step.op) {
    case Op::kIsNull:
      return counts.all_null();
    case Op::kNotNull:
      return step.required || counts.no_nulls();
    case Op::kIsNan:
      return counts.all_nan();
    case Op::kNotNan:
      return counts.no_nans() || counts.all_null();
    case Op::kLt:
    case Op::kLtEq:
    case Op::kGt:
    case Op::kGtEq:
    case Op::kEq:
    case Op::kIn: {
      bool no_nulls = step.required || counts.no_nulls();
      return no_nulls && (!IsFloating(step) || counts.no_nans()) && MustMatchValue(step, file);
    }
    case Op::kNotEq:
    case Op::kNotIn:
      return counts.all_null() || counts.all_nan() || MustDiffer(step, file);
    case Op::kStartsWith:
    case Op::kNotStartsWith:
      return false;
    case Op::kTrue:
    case Op::kFalse:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return false;  // Run() handles these
  }
  return false;
}

}  // namespace

Result<InclusiveMetricsEvaluator> InclusiveMetricsEvaluator::Make(const Expression& filter,
                                                                  const spec::Schema& schema,
                                                                  bool case_sensitive) {
  ASSIGN_OR_RETURN(internal::Program program, internal::Compile(filter, schema, case_sensitive));
  return InclusiveMetricsEvaluator(std::move(program));
}

bool InclusiveMetricsEvaluator::Eval(const DataFile& file) const {
  if (file.record_count == 0) return false;
  if (file.record_count < 0) return true;  // importers of old Avro files did not count
  return internal::Run(program_, [&file](const Step& step) { return MayMatch(step, file); });
}

Result<StrictMetricsEvaluator> StrictMetricsEvaluator::Make(const Expression& filter,
                                                            const spec::Schema& schema,
                                                            bool case_sensitive) {
  ASSIGN_OR_RETURN(internal::Program program, internal::Compile(filter, schema, case_sensitive));
  return StrictMetricsEvaluator(std::move(program));
}

bool StrictMetricsEvaluator::Eval(const DataFile& file) const {
  if (file.record_count == 0) return true;
  return internal::Run(program_, [&file](const Step& step) { return MustMatch(step, file); });
}

}  // namespace iceblink::expr
