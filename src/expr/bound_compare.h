// Comparison of the serialized bounds of metrics and summaries with literals, without making values
// of them.
//
// Private to the room. Pure; safe from any thread.
#pragma once

#include "expr/evaluate.h"

namespace iceblink::expr::internal {

// A bound of one column, possibly absent.
class Bound {
 public:
  Bound() = default;
  // `bytes` must outlive the bound.
  Bound(const Step& step, const Bytes* bytes);

  bool present() const { return present_; }
  bool is_nan() const;
  // Returns whether the term's transform wrapped around on the bound, which then bounds nothing.
  bool wraps() const { return wraps_; }
  // Returns the order of the bound relative to the literal. Requires present().
  int Compare(const Value& literal) const;
  // Returns the text of a string bound. Requires present() and a string.
  std::string_view text() const { return raw_; }

 private:
  bool present_ = false;
  bool is_raw_ = false;  // compared as bytes
  bool wraps_ = false;
  std::string_view raw_;  // of strings, binary, fixed and uuid
  Value value_;           // of the others, after the term's transform
};

// Returns whether some literal lies within the bounds; `literals` are sorted. Requires both
// present.
bool AnyLiteralWithin(const std::vector<Value>& literals, const Bound& lower, const Bound& upper);

// Return whether no string between the bounds can start with the prefix, and whether all must.
bool NoneStartsWith(std::string_view prefix, const Bound& lower, const Bound& upper);
bool AllStartWith(std::string_view prefix, const Bound& lower, const Bound& upper);

// Calls `leaf(step)` on the predicates that decide the program's root, left to right with short
// circuits.
template <typename Leaf>
bool Run(const Program& program, size_t index, const Leaf& leaf) {
  const Step& step = program.steps[index];
  if (step.op == Op::kTrue) return true;
  if (step.op == Op::kFalse) return false;
  auto at = [](int32_t i) { return static_cast<size_t>(i); };
  if (step.op == Op::kAnd)
    return Run(program, at(step.left), leaf) && Run(program, at(step.right), leaf);
  if (step.op == Op::kOr)
    return Run(program, at(step.left), leaf) || Run(program, at(step.right), leaf);
  return leaf(step);
}
template <typename Leaf>
bool Run(const Program& program, const Leaf& leaf) {
  return Run(program, program.steps.size() - 1, leaf);
}

}  // namespace iceblink::expr::internal
