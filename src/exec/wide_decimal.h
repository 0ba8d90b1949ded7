// Decimal arithmetic with intermediate results of up to 256 bits, rounding half up as Spark. Pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "base/value.h"

namespace iceblink::exec {

// The result of an operation at a scale; `unscaled` is nothing when it has more than 38 digits,
// `text` then says what the number would have been, for the message.
struct WideResult {
  std::optional<Int128> unscaled;
  std::string text;
};

// a + b, a - b, a * b, a / b, a % b rounded to `scale`. Requires b != 0 for / and %.
WideResult DecimalAdd(const Decimal& a, const Decimal& b, int32_t scale);
WideResult DecimalMultiply(const Decimal& a, const Decimal& b, int32_t scale);
WideResult DecimalDivide(const Decimal& a, const Decimal& b, int32_t scale);
WideResult DecimalRemainder(const Decimal& a, const Decimal& b, int32_t scale);
// Integral part of a / b.
WideResult DecimalIntegralDivide(const Decimal& a, const Decimal& b);

}  // namespace iceblink::exec
