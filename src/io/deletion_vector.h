// Row positions of one data file as a compressed 64-bit Roaring bitmap, and its
// "deletion-vector-v1" form:
//
//   int32be length of (magic + bitmap) | D1 D3 39 64 | bitmap | int32be CRC-32 of (magic + bitmap)
//   bitmap = int64le number of keys, per key ascending: int32le key (high half), 32-bit Roaring
//   portable bitmap
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iceblink::io {

// A set of positions from 0 to kMaxPosition. Copies are deep. Const calls are safe from several
// threads.
class PositionBitmap {
 public:
  static constexpr int64_t kMaxPosition =
      (int64_t{0x7ffffffe} << 32) | 0x80000000LL;  // Iceberg's limit

  PositionBitmap();
  ~PositionBitmap();
  PositionBitmap(const PositionBitmap& other);
  PositionBitmap(PositionBitmap&& other) noexcept;
  PositionBitmap& operator=(const PositionBitmap& other);
  PositionBitmap& operator=(PositionBitmap&& other) noexcept;

  // Positions must lie within 0 ... kMaxPosition.
  void Add(int64_t position);
  // Adds begin ... end - 1.
  void AddRange(int64_t begin, int64_t end);
  void AddMany(const int64_t* positions, size_t count);
  // Adds all of `other`.
  void Merge(const PositionBitmap& other);

  bool Contains(int64_t position) const;
  bool empty() const;
  int64_t Cardinality() const;
  // Number of positions in begin ... end - 1.
  int64_t CountRange(int64_t begin, int64_t end) const;
  // Ascending; `visit` answers false to stop.
  void ForEach(const std::function<bool(int64_t)>& visit) const;
  // Sets out[i] = !Contains(begin + i) for i < count: the rows of a vector that survive.
  void MarkSurvivors(int64_t begin, size_t count, bool* out) const;
  bool operator==(const PositionBitmap& other) const;

  // The deletion-vector-v1 blob; run-length optimizes first, as Java does.
  std::string ToBlob();
  // kCorrupt on a wrong length, magic, checksum or bitmap.
  static Result<PositionBitmap> FromBlob(std::string_view blob);
  // The bitmap alone (between magic and checksum).
  std::string ToPortable() const;
  static Result<PositionBitmap> FromPortable(std::string_view bytes);

 private:
  struct Bits;
  std::unique_ptr<Bits> bits_;
};

}  // namespace iceblink::io
