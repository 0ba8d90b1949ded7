#include "exec/wide_decimal.h"

#include <algorithm>
#include <array>

#include "base/decimal.h"

namespace iceblink::exec {

namespace {

using UInt128 = unsigned __int128;

// An unsigned number of 256 bits, least significant limb first.
struct UInt256 {
  std::array<uint64_t, 4> limb{};

  static UInt256 Of(UInt128 v) {
    UInt256 out;
    out.limb[0] = static_cast<uint64_t>(v);
    out.limb[1] = static_cast<uint64_t>(v >> 64);
    return out;
  }
  bool fits128() const { return limb[2] == 0 && limb[3] == 0; }
  UInt128 low() const { return (static_cast<UInt128>(limb[1]) << 64) | limb[0]; }
  bool zero() const { return limb == std::array<uint64_t, 4>{}; }
};

// a * b, nothing on overflow.
std::optional<UInt256> Multiply(const UInt256& a, UInt128 b) {
  std::array<uint64_t, 6> out{};
  const uint64_t factors[2] = {static_cast<uint64_t>(b), static_cast<uint64_t>(b >> 64)};
  for (size_t j = 0; j < 2; ++j) {
    UInt128 carry = 0;
    for (size_t i = 0; i < 4; ++i) {
      UInt128 sum = static_cast<UInt128>(a.limb[i]) * factors[j] + out[i + j] + carry;
      out[i + j] = static_cast<uint64_t>(sum);
      carry = sum >> 64;
    }
    for (size_t k = j + 4; k < 6 && carry != 0; ++k) {
      UInt128 sum = static_cast<UInt128>(out[k]) + carry;
      out[k] = static_cast<uint64_t>(sum);
      carry = sum >> 64;
    }
  }
  if (out[4] != 0 || out[5] != 0) return std::nullopt;
  UInt256 result;
  std::copy_n(out.begin(), 4, result.limb.begin());
  return result;
}

// Quotient and remainder, bit by bit; quick when everything fits 128 bits.
UInt256 Divide(const UInt256& a, UInt128 b, UInt128* remainder) {
  if (a.fits128()) {
    *remainder = a.low() % b;
    return UInt256::Of(a.low() / b);
  }
  UInt256 quotient;
  UInt128 rest = 0;
  for (int bit = 255; bit >= 0; --bit) {
    bool high = (rest >> 127) != 0;
    rest = (rest << 1) | ((a.limb[bit / 64] >> (bit % 64)) & 1);
    if (high || rest >= b) {
      rest -= b;
      quotient.limb[bit / 64] |= uint64_t{1} << (bit % 64);
    }
  }
  *remainder = rest;
  return quotient;
}

std::string Text(UInt256 value, bool negative, int32_t scale) {
  std::string digits;
  while (!value.zero()) {
    UInt128 digit = 0;
    value = Divide(value, 10, &digit);
    digits += static_cast<char>('0' + static_cast<int>(digit));
  }
  while (digits.size() <= static_cast<size_t>(scale)) digits += '0';
  std::reverse(digits.begin(), digits.end());
  size_t whole = digits.size() - static_cast<size_t>(scale);
  std::string text = negative ? "-" : "";
  text.append(digits, 0, whole);
  if (scale > 0) text.append(1, '.').append(digits, whole);
  return text;
}

UInt128 Magnitude(Int128 v) { return v < 0 ? -static_cast<UInt128>(v) : static_cast<UInt128>(v); }

// Rounds value / divisor half up (away from zero) and gives it its sign.
WideResult Round(const UInt256& value, UInt128 divisor, bool negative, int32_t scale) {
  UInt128 rest = 0;
  UInt256 quotient = Divide(value, divisor, &rest);
  if (rest >= divisor - rest) {
    for (uint64_t& limb : quotient.limb) {
      if (++limb != 0) break;
    }
  }
  WideResult out;
  if (quotient.fits128() && quotient.low() < static_cast<UInt128>(PowerOfTen(38))) {
    Int128 magnitude = static_cast<Int128>(quotient.low());
    out.unscaled = negative ? -magnitude : magnitude;
  } else {
    out.text = Text(quotient, negative, scale);
  }
  return out;
}

// value * 10^exponent / 10^-exponent, rounded.
WideResult Scaled(UInt256 value, int32_t exponent, UInt128 divisor, bool negative, int32_t scale) {
  while (exponent > 0) {
    int32_t step = std::min(exponent, 38);
    auto product = Multiply(value, static_cast<UInt128>(PowerOfTen(step)));
    if (!product) return {std::nullopt, "Infinity"};
    value = *product;
    exponent -= step;
  }
  while (exponent < -38) {
    UInt128 rest = 0;
    value = Divide(value, 10, &rest);
    ++exponent;
  }
  if (exponent < 0) {
    if (divisor != 1) return {std::nullopt, "Infinity"};
    divisor = static_cast<UInt128>(PowerOfTen(-exponent));
  }
  return Round(value, divisor, negative, scale);
}

// Both numbers at the greater scale; nothing when one has too many digits then.
std::optional<std::pair<Int128, Int128>> Aligned(const Decimal& a, const Decimal& b,
                                                 int32_t scale) {
  auto x = Rescale(a, scale, Rounding::kUnnecessary), y = Rescale(b, scale, Rounding::kUnnecessary);
  if (!x || !y) return std::nullopt;
  return std::pair(x->unscaled, y->unscaled);
}

}  // namespace

WideResult DecimalAdd(const Decimal& a, const Decimal& b, int32_t scale) {
  int32_t common = std::max(a.scale, b.scale);
  auto pair = Aligned(a, b, common);
  // Digits beyond 38 at the common scale: give up the fraction's last ones, as the result must
  // anyway.
  if (!pair) {
    common = scale;
    auto x = Rescale(a, scale, Rounding::kHalfUp), y = Rescale(b, scale, Rounding::kHalfUp);
    if (!x || !y) return {std::nullopt, DecimalToPlainString(a)};
    pair = std::pair(x->unscaled, y->unscaled);
  }
  Int128 sum = 0;
  if (__builtin_add_overflow(pair->first, pair->second, &sum))
    return {std::nullopt, DecimalToPlainString(a)};
  return Scaled(UInt256::Of(Magnitude(sum)), scale - common, 1, sum < 0, scale);
}

WideResult DecimalMultiply(const Decimal& a, const Decimal& b, int32_t scale) {
  auto product = Multiply(UInt256::Of(Magnitude(a.unscaled)), Magnitude(b.unscaled));
  bool negative = (a.unscaled < 0) != (b.unscaled < 0);
  return Scaled(*product, scale - a.scale - b.scale, 1, negative, scale);
}

WideResult DecimalDivide(const Decimal& a, const Decimal& b, int32_t scale) {
  bool negative = (a.unscaled < 0) != (b.unscaled < 0);
  int32_t exponent = scale + b.scale - a.scale;
  UInt128 divisor = Magnitude(b.unscaled);
  if (exponent < 0) {
    auto scaled = Multiply(UInt256::Of(divisor), static_cast<UInt128>(PowerOfTen(-exponent)));
    if (!scaled || !scaled->fits128()) return {Int128{0}, ""};
    divisor = scaled->low();
    exponent = 0;
  }
  return Scaled(UInt256::Of(Magnitude(a.unscaled)), exponent, divisor, negative, scale);
}

WideResult DecimalRemainder(const Decimal& a, const Decimal& b, int32_t scale) {
  int32_t common = std::max(a.scale, b.scale);
  auto pair = Aligned(a, b, common);
  if (!pair) return {std::nullopt, DecimalToPlainString(a)};
  Int128 rest = pair->first % pair->second;
  return Scaled(UInt256::Of(Magnitude(rest)), scale - common, 1, rest < 0, scale);
}

WideResult DecimalIntegralDivide(const Decimal& a, const Decimal& b) {
  auto pair = Aligned(a, b, std::max(a.scale, b.scale));
  if (!pair) return {std::nullopt, DecimalToPlainString(a)};
  return {pair->first / pair->second, ""};
}

}  // namespace iceblink::exec
