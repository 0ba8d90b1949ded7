// Decimal numbers of up to 38 digits on Int128: text, minimal two's-complement bytes, scale changes
// and precision checks. All pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value.h"

namespace iceblink {

inline constexpr int32_t kMaxDecimalPrecision = 38;

// 10^n. Requires 0 <= n <= 38.
Int128 PowerOfTen(int32_t n);

std::string Int128ToString(Int128 value);
// Whole-text integer with optional sign; nothing on overflow or other characters.
std::optional<Int128> ParseInt128(std::string_view text);

// Plain notation, never an exponent: {1420, 2} -> "14.20"; {5, -2} -> "500".
std::string DecimalToPlainString(const Decimal& value);
// java.math.BigDecimal.toString: plain, or scientific ("5E+2", "1E-7") as Java decides.
std::string DecimalToString(const Decimal& value);
// Reads "[+-]digits[.digits][(e|E)[+-]digits]"; the scale is what the text says (may be negative
// with an exponent). kInvalidArgument (NumberFormatException) on malformed text or more than 38
// digits.
Result<Decimal> ParseDecimal(std::string_view text);

// Number of decimal digits; 1 for zero.
int32_t DecimalPrecision(Int128 unscaled);
bool FitsPrecision(Int128 unscaled, int32_t precision);

enum class Rounding : uint8_t { kHalfUp, kDown, kFloor, kCeiling, kUnnecessary };
// The number with another scale. Nothing on overflow, or when kUnnecessary would drop a digit other
// than zero.
std::optional<Decimal> Rescale(const Decimal& value, int32_t scale, Rounding rounding);

// Minimal two's-complement big-endian bytes, as BigInteger.toByteArray (at least one byte).
std::string Int128ToMinimalBytes(Int128 value);
// Sign-extended to exactly `length` bytes, big-endian. Requires that the value fits.
std::string Int128ToFixedBytes(Int128 value, size_t length);
// Reads 1-16 bytes, big-endian, and longer input whose leading bytes only extend the sign. Nothing
// otherwise.
std::optional<Int128> Int128FromBytes(std::string_view bytes);
// Bytes of a FIXED that hold any decimal of this precision: 9 -> 4, 18 -> 8, 38 -> 16. Requires 1
// <= precision <= 38.
int32_t DecimalRequiredBytes(int32_t precision);

// -1, 0, 1 by numeric value whatever the scales.
int CompareDecimals(const Decimal& a, const Decimal& b);

}  // namespace iceblink
