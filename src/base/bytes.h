// Fixed-width integers and floats in bytes, either byte order. Readers take a pointer to at least
// sizeof(T) bytes, aligned or not; bounds are the caller's.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace iceblink {

template <typename T>
  requires std::is_trivially_copyable_v<T>
T GetLittleEndian(const void* p) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <typename T>
  requires std::is_trivially_copyable_v<T>
void PutLittleEndian(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <std::integral T>
T GetBigEndian(const void* p) {
  const auto* b = static_cast<const uint8_t*>(p);
  std::make_unsigned_t<T> value = 0;
  for (size_t i = 0; i < sizeof(T); i++)
    value = static_cast<decltype(value)>((uint64_t{value} << 8) | b[i]);
  return static_cast<T>(value);
}

template <std::integral T>
void PutBigEndian(T value, std::string& out) {
  auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (int shift = static_cast<int>(sizeof(T) * 8) - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((uint64_t{bits} >> shift) & 0xff));
  }
}

}  // namespace iceblink
