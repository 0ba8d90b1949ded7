#include "base/murmur3.h"

#include <bit>

#include "base/bytes.h"

namespace iceblink {
namespace {

constexpr uint32_t kC1 = 0xcc9e2d51, kC2 = 0x1b873593;

uint32_t MixBlock(uint32_t k) { return std::rotl(k * kC1, 15) * kC2; }

uint32_t MixHash(uint32_t h, uint32_t k) { return std::rotl(h ^ MixBlock(k), 13) * 5 + 0xe6546b64; }

uint32_t Finish(uint32_t h, size_t length) {
  h ^= static_cast<uint32_t>(length);
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

}  // namespace

int32_t Murmur3(std::string_view bytes, uint32_t seed) {
  uint32_t h = seed;
  const size_t whole = bytes.size() / 4 * 4;
  for (size_t i = 0; i < whole; i += 4) h = MixHash(h, GetLittleEndian<uint32_t>(bytes.data() + i));
  uint32_t tail = 0;
  for (size_t i = bytes.size(); i > whole; i--)
    tail = tail << 8 | static_cast<uint8_t>(bytes[i - 1]);
  if (bytes.size() > whole) h ^= MixBlock(tail);
  return static_cast<int32_t>(Finish(h, bytes.size()));
}

int32_t Murmur3Long(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  const uint32_t h =
      MixHash(MixHash(0, static_cast<uint32_t>(bits)), static_cast<uint32_t>(bits >> 32));
  return static_cast<int32_t>(Finish(h, 8));
}

}  // namespace iceblink
