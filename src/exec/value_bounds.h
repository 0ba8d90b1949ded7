// What values an expression of integers or decimals can have, as its shape alone tells: x % 60 lies
// between -59 and 59. Lowering leaves checks out where bounds make errors impossible, and computes
// in narrower decimals. Pure functions.
#pragma once

#include <optional>

#include "plan/expression.h"

namespace iceblink::exec {

// Both inclusive; of a decimal, the unscaled values at the type's scale. NULL lies within any
// bounds.
struct Bounds {
  Int128 min = 0;
  Int128 max = 0;
};

// Returns the bounds of an expression's values, nothing where its type is no integer or decimal.
// Evaluations that fail have no value: bounds say what can come out, never that nothing fails.
std::optional<Bounds> BoundsOf(const plan::Expr& expr);

// Whether every value within the bounds is one of the type (at the same scale).
bool Fits(const Bounds& bounds, const plan::DataType& type);

// Decimal digits of the greatest magnitude; at least 1.
int32_t DigitsOf(const Bounds& bounds);

}  // namespace iceblink::exec
