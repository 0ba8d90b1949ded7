// Theta sketch: a small summary of a set that tells about how many distinct values it holds
// (Apache DataSketches, blob type apache-datasketches-theta-v1 of Puffin files).
//
//   update   h = murmur3_x64_128(bytes, 9001).first >> 1; the 4096 smallest hashes are kept
//   estimate kept / (theta / 2^63), theta being the least hash that was dropped, else 1
//
//   compact form, little-endian:
//   preamble longs | version 3 | family 3 | 0 | 0 | flags | seed hash (2)
//   count (4) | 1.0f                     from two preamble longs on
//   theta (8)                            with three
//   hashes (8 each), ascending
//
// One thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace iceblink::io {

class ThetaSketch {
 public:
  // Empty values are not counted, as in DataSketches.
  void Update(std::string_view bytes);
  int64_t Estimate() const;
  std::string Compact() const;

 private:
  static constexpr size_t kNominal = 4096;
  static constexpr uint64_t kMaxTheta = INT64_MAX;
  uint64_t theta_ = kMaxTheta;
  std::set<uint64_t> hashes_;
};

// The two halves of MurmurHash3 x64 128.
struct Hash128 {
  uint64_t first = 0, second = 0;
};
Hash128 Murmur3X64(std::string_view bytes, uint64_t seed);

}  // namespace iceblink::io
