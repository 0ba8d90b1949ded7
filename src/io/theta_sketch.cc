#include "io/theta_sketch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace iceblink::io {

namespace {

constexpr uint64_t kSeed = 9001;
constexpr uint64_t kC1 = 0x87c37b91114253d5ULL, kC2 = 0x4cf5ad432745937fULL;

uint64_t Mix1(uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
uint64_t Mix2(uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }

uint64_t Final(uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

// Up to eight bytes as a little-endian number.
uint64_t Tail(std::string_view bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<size_t>(8, bytes.size()));
  return value;
}

uint16_t SeedHash() {
  const uint64_t seed = kSeed;
  const std::string_view bytes(reinterpret_cast<const char*>(&seed), sizeof seed);
  return static_cast<uint16_t>(Murmur3X64(bytes, 0).first & 0xffff);
}

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

enum Flag : uint8_t {
  kReadOnly = 2,
  kEmpty = 4,
  kCompact = 8,
  kOrdered = 16,
  kSingleItem = 32,
};

}  // namespace

Hash128 Murmur3X64(std::string_view bytes, uint64_t seed) {
  uint64_t h1 = seed, h2 = seed;
  const uint64_t length = bytes.size();
  while (bytes.size() >= 16) {
    h1 = std::rotl(h1 ^ Mix1(Tail(bytes)), 27) + h2;
    h1 = h1 * 5 + 0x52dce729;
    h2 = std::rotl(h2 ^ Mix2(Tail(bytes.substr(8))), 31) + h1;
    h2 = h2 * 5 + 0x38495ab5;
    bytes.remove_prefix(16);
  }
  if (bytes.size() > 8) h2 ^= Mix2(Tail(bytes.substr(8)));
  if (!bytes.empty()) h1 ^= Mix1(Tail(bytes));
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = Final(h1);
  h2 = Final(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

void ThetaSketch::Update(std::string_view bytes) {
  if (bytes.empty()) return;
  const uint64_t hash = Murmur3X64(bytes, kSeed).first >> 1;
  if (hash == 0 || hash >= theta_ || !hashes_.insert(hash).second) return;
  if (hashes_.size() <= kNominal) return;
  auto last = std::prev(hashes_.end());
  theta_ = *last;
  hashes_.erase(last);
}

int64_t ThetaSketch::Estimate() const {
  const auto count = static_cast<double>(hashes_.size());
  return static_cast<int64_t>(count *
                              (static_cast<double>(kMaxTheta) / static_cast<double>(theta_)));
}

std::string ThetaSketch::Compact() const {
  const bool estimating = theta_ < kMaxTheta;
  const bool single = !estimating && hashes_.size() == 1;
  const uint8_t longs = estimating ? 3 : hashes_.size() <= 1 ? 1 : 2;
  uint8_t flags = kReadOnly | kCompact | kOrdered;
  if (hashes_.empty()) flags |= kEmpty;
  if (single) flags |= kSingleItem;
  std::string out{static_cast<char>(longs), 3, 3, 0, 0, static_cast<char>(flags)};
  Put(out, SeedHash());
  if (longs > 1) {
    Put(out, static_cast<uint32_t>(hashes_.size()));
    Put(out, 1.0f);
  }
  if (estimating) Put(out, theta_);
  for (uint64_t hash : hashes_) Put(out, hash);
  return out;
}

}  // namespace iceblink::io
