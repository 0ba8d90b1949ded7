#include "base/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace iceblink {
namespace {

using UInt128 = unsigned __int128;

UInt128 Magnitude(Int128 value) {
  return value < 0 ? UInt128{0} - static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

const std::array<Int128, 39>& Powers() {
  static const std::array<Int128, 39> powers = [] {
    std::array<Int128, 39> out{};
    out[0] = 1;
    for (size_t i = 1; i < out.size(); i++) out[i] = out[i - 1] * 10;
    return out;
  }();
  return powers;
}

std::string DigitsOf(UInt128 value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

tl::unexpected<Error> NotANumber(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("Cannot parse decimal: {}", text),
              "NumberFormatException");
}

bool RoundsAway(Int128 quotient_sign, UInt128 remainder, UInt128 divisor, Rounding rounding) {
  switch (rounding) {
    case Rounding::kHalfUp:
      return remainder >= divisor - remainder;
    case Rounding::kDown:
      return false;
    case Rounding::kFloor:
      return remainder != 0 && quotient_sign < 0;
    case Rounding::kCeiling:
      return remainder != 0 && quotient_sign > 0;
    case Rounding::kUnnecessary:
      return false;
  }
  return false;
}

}  // namespace

Int128 PowerOfTen(int32_t n) { return Powers()[static_cast<size_t>(n)]; }

std::string Int128ToString(Int128 value) {
  return (value < 0 ? "-" : "") + DigitsOf(Magnitude(value));
}

std::optional<Int128> ParseInt128(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const UInt128 limit = (UInt128{1} << 127) - (negative ? 0 : 1);
  UInt128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<UInt128>(c - '0');
    if (value > (limit - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return static_cast<Int128>(negative ? UInt128{0} - value : value);
}

std::string DecimalToPlainString(const Decimal& value) {
  std::string digits = DigitsOf(Magnitude(value.unscaled));
  if (value.scale < 0 && value.unscaled != 0) digits.append(static_cast<size_t>(-value.scale), '0');
  if (value.scale > 0) {
    const auto scale = static_cast<size_t>(value.scale);
    if (digits.size() <= scale) digits.insert(0, scale - digits.size() + 1, '0');
    digits.insert(digits.size() - scale, ".");
  }
  return (value.unscaled < 0 ? "-" : "") + digits;
}

std::string DecimalToString(const Decimal& value) {
  std::string digits = DigitsOf(Magnitude(value.unscaled));
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - value.scale;
  if (value.scale >= 0 && exponent >= -6) return DecimalToPlainString(value);
  if (digits.size() > 1) digits.insert(1, ".");
  if (exponent != 0) digits += fmt::format("E{:+}", exponent);
  return (value.unscaled < 0 ? "-" : "") + digits;
}

Result<Decimal> ParseDecimal(std::string_view text) {
  const size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    const auto parsed = ParseInt32(text.substr(e + 1));
    if (!parsed) return NotANumber(text);
    exponent = *parsed;
  }
  const size_t dot = mantissa.find('.');
  std::string digits(mantissa.substr(0, dot));
  int64_t scale = 0;
  if (dot != std::string_view::npos) {
    const std::string_view fraction = mantissa.substr(dot + 1);
    digits += fraction;
    scale = static_cast<int64_t>(fraction.size());
  }
  const auto unscaled = ParseInt128(digits);
  scale -= exponent;
  if (!unscaled || scale != static_cast<int32_t>(scale)) return NotANumber(text);
  return Decimal{*unscaled, static_cast<int32_t>(scale)};
}

int32_t DecimalPrecision(Int128 unscaled) {
  const UInt128 magnitude = Magnitude(unscaled);
  const auto& powers = Powers();
  const auto it = std::upper_bound(
      powers.begin() + 1, powers.end(), magnitude,
      [](UInt128 value, Int128 power) { return value < static_cast<UInt128>(power); });
  return static_cast<int32_t>(it - powers.begin());
}

bool FitsPrecision(Int128 unscaled, int32_t precision) {
  return Magnitude(unscaled) < static_cast<UInt128>(PowerOfTen(precision));
}

std::optional<Decimal> Rescale(const Decimal& value, int32_t scale, Rounding rounding) {
  const int64_t up = int64_t{scale} - value.scale;
  if (up == 0 || value.unscaled == 0) return Decimal{value.unscaled, scale};
  Int128 result = 0;
  if (up > 0) {
    if (up > 38 ||
        __builtin_mul_overflow(value.unscaled, PowerOfTen(static_cast<int32_t>(up)), &result)) {
      return std::nullopt;
    }
    return Decimal{result, scale};
  }
  // Beyond 38 dropped digits nothing is left but the sign's rounding; 10^38 then serves as "larger
  // than twice the value".
  const bool all_dropped = -up > 38;
  const auto divisor =
      static_cast<UInt128>(PowerOfTen(all_dropped ? 38 : static_cast<int32_t>(-up)));
  const UInt128 magnitude = Magnitude(value.unscaled);
  UInt128 quotient = all_dropped ? 0 : magnitude / divisor;
  const UInt128 remainder = all_dropped ? 1 : magnitude % divisor;
  if (rounding == Rounding::kUnnecessary && remainder != 0) return std::nullopt;
  if (RoundsAway(value.unscaled < 0 ? -1 : 1, remainder, divisor, rounding)) quotient++;
  result = static_cast<Int128>(quotient);
  return Decimal{value.unscaled < 0 ? -result : result, scale};
}

std::string Int128ToFixedBytes(Int128 value, size_t length) {
  std::string out(length, value < 0 ? '\xff' : '\0');
  for (size_t i = 0; i < std::min<size_t>(length, 16); i++) {
    out[length - 1 - i] = static_cast<char>(static_cast<UInt128>(value) >> (8 * i) & 0xff);
  }
  return out;
}

std::string Int128ToMinimalBytes(Int128 value) {
  std::string bytes = Int128ToFixedBytes(value, 16);
  const char fill = value < 0 ? '\xff' : '\0';
  size_t start = 0;
  // A leading byte may go while the next one still carries the sign.
  while (start < 15 && bytes[start] == fill && ((bytes[start + 1] ^ fill) & 0x80) == 0) start++;
  return bytes.substr(start);
}

std::optional<Int128> Int128FromBytes(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const char fill = (bytes.front() & 0x80) != 0 ? '\xff' : '\0';
  while (bytes.size() > 16) {
    if (bytes[0] != fill || ((bytes[1] ^ fill) & 0x80) != 0) return std::nullopt;
    bytes.remove_prefix(1);
  }
  UInt128 value = fill != 0 ? ~UInt128{0} : 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return static_cast<Int128>(value);
}

int32_t DecimalRequiredBytes(int32_t precision) {
  const Int128 largest = PowerOfTen(precision) - 1;
  return static_cast<int32_t>(Int128ToMinimalBytes(largest).size());
}

int CompareDecimals(const Decimal& a, const Decimal& b) {
  const auto sign = [](Int128 v) { return v < 0 ? -1 : v > 0 ? 1 : 0; };
  if (sign(a.unscaled) != sign(b.unscaled)) return sign(a.unscaled) < sign(b.unscaled) ? -1 : 1;
  if (a.unscaled == 0) return 0;
  const int32_t scale = std::max(a.scale, b.scale);
  const auto x = Rescale(a, scale, Rounding::kUnnecessary),
             y = Rescale(b, scale, Rounding::kUnnecessary);
  // The one that overflows at the finer scale is the larger in magnitude; both cannot, one keeps
  // its scale.
  if (!x) return sign(a.unscaled);
  if (!y) return -sign(b.unscaled);
  return x->unscaled < y->unscaled ? -1 : x->unscaled > y->unscaled ? 1 : 0;
}

}  // namespace iceblink
