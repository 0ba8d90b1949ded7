#include <algorithm>
#include <cmath>

#include "expr/bound_compare.h"
#include "expr/evaluate.h"

namespace iceblink::expr {
namespace {

using internal::Step;

const Value& ValueAt(const Step& step, std::span<const Value> row) {
  static const Value kNull;
  const Value* value = &kNull;
  std::span<const Value> level = row;
  for (int32_t position : step.path) {
    if (static_cast<size_t>(position) >= level.size()) return kNull;
    value = &level[static_cast<size_t>(position)];
    if (!value->Is<StructValue>()) break;
    level = value->fields();
  }
  return *value;
}

bool IsNan(const Value& value) {
  if (value.Is<float>()) return std::isnan(value.As<float>());
  return value.Is<double>() && std::isnan(value.As<double>());
}

bool Contains(const std::vector<Value>& sorted, const Value& value) {
  return std::binary_search(sorted.begin(), sorted.end(), value,
                            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
}

bool StartsWith(const Value& value, const Value& prefix) {
  return value.Is<std::string>() && value.As<std::string>().starts_with(prefix.As<std::string>());
}

// Tests a value that is not null.
bool Test(const Step& step, const Value& value) {
  auto compare = [&] { return CompareValues(value, step.literals.front()); };
  switch (step.op) {
    case Op::kIsNull:
      return false;
    case Op::kNotNull:
      return true;
    case Op::kIsNan:
      return IsNan(value);
    case Op::kNotNan:
      return !IsNan(value);
    case Op::kLt:
      return compare() < 0;
    case Op::kLtEq:
      return compare() <= 0;
    case Op::kGt:
      return compare() > 0;
    case Op::kGtEq:
      return compare() >= 0;
    case Op::kEq:
      return compare() == 0;
    case Op::kNotEq:
      return compare() != 0;
    case Op::kStartsWith:
      return StartsWith(value, step.literals.front());
    case Op::kNotStartsWith:
      return !StartsWith(value, step.literals.front());
    case Op::kIn:
      return Contains(step.literals, value);
    case Op::kNotIn:
      return !Contains(step.literals, value);
    case Op::kTrue:
    case Op::kFalse:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return false;  // Run() handles these
  }
  return false;
}

bool NullMatches(Op op) {
  return op == Op::kIsNull || op == Op::kNotNan || op == Op::kNotEq || op == Op::kNotIn ||
         op == Op::kNotStartsWith;
}

}  // namespace

Result<RowEvaluator> RowEvaluator::Make(const Expression& filter, const spec::Schema& schema,
                                        bool case_sensitive) {
  ASSIGN_OR_RETURN(internal::Program program, internal::Compile(filter, schema, case_sensitive));
  return RowEvaluator(std::move(program));
}

bool RowEvaluator::Eval(std::span<const Value> row) const {
  return internal::Run(program_, [row](const Step& step) {
    const Value& value = ValueAt(step, row);
    if (value.is_null()) return NullMatches(step.op);
    if (step.transform.is_identity()) return Test(step, value);
    Value transformed = step.transform.Apply(step.source_type, value);
    return transformed.is_null() ? NullMatches(step.op) : Test(step, transformed);
  });
}

}  // namespace iceblink::expr
