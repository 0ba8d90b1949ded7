#include "io/deletion_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <roaring/roaring.hh>

#include "base/bytes.h"
#include "io/compression.h"

namespace iceblink::io {
namespace {

constexpr uint32_t kMagic = 1681511377;  // D1 D3 39 64, little-endian
constexpr size_t kLengthSize = 4, kMagicSize = 4, kCrcSize = 4;
constexpr uint32_t kMaxKey = 0x7ffffffe;
constexpr int64_t kKeySpan = int64_t{1} << 32;

uint32_t KeyOf(int64_t position) { return static_cast<uint32_t>(position >> 32); }
uint32_t LowOf(int64_t position) { return static_cast<uint32_t>(position); }
int64_t Position(uint32_t key, uint32_t low) {
  return static_cast<int64_t>(uint64_t{key} << 32 | low);
}

tl::unexpected<Error> Corrupt(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, std::string(what), "IllegalArgumentException");
}

// Measures a 32-bit portable bitmap and checks every invariant of it, because the library trusts
// all but the lengths.
class PortableChecker {
 public:
  explicit PortableChecker(std::string_view bytes) : bytes_(bytes) {}

  // Size in bytes, or 0 when the bitmap is not well formed.
  size_t Check() {
    if (!ReadHeader()) return 0;
    for (size_t i = 0; i < count_; i++) {
      const bool is_run = !run_flags_.empty() && (run_flags_[i / 8] >> (i % 8) & 1) != 0;
      const size_t cardinality = size_t{At(cards_, 2 * i + 1)} + 1;
      const bool fine = is_run                ? CheckRuns()
                        : cardinality <= 4096 ? CheckArray(cardinality)
                                              : CheckBits(cardinality);
      if (!fine) return 0;
    }
    return at_;
  }

 private:
  static constexpr uint32_t kPlainCookie = 12346, kRunCookie = 12347;

  static uint16_t At(std::string_view words, size_t index) {
    return GetLittleEndian<uint16_t>(words.data() + index * 2);
  }
  bool Take(size_t size, std::string_view& out) {
    if (size > bytes_.size() - at_) return false;
    out = bytes_.substr(at_, size);
    at_ += size;
    return true;
  }

  bool ReadHeader() {
    std::string_view word;
    if (!Take(4, word)) return false;
    const auto cookie = GetLittleEndian<uint32_t>(word.data());
    const bool has_runs = (cookie & 0xffff) == kRunCookie;
    if (has_runs) {
      count_ = (cookie >> 16) + 1;
      if (!Take((count_ + 7) / 8, run_flags_)) return false;
    } else {
      if (cookie != kPlainCookie || !Take(4, word)) return false;
      count_ = GetLittleEndian<uint32_t>(word.data());
    }
    if (count_ > 65536 || !Take(count_ * 4, cards_)) return false;
    for (size_t i = 1; i < count_; i++) {
      if (At(cards_, 2 * i) <= At(cards_, 2 * i - 2)) return false;
    }
    std::string_view offsets;
    return (has_runs && count_ < 4) || Take(count_ * 4, offsets);
  }

  bool CheckRuns() {
    std::string_view word, runs;
    if (!Take(2, word) || !Take(size_t{At(word, 0)} * 4, runs)) return false;
    int64_t previous_end = -1;
    for (size_t i = 0; i < runs.size() / 4; i++) {
      const int64_t start = At(runs, 2 * i), end = start + At(runs, 2 * i + 1);
      if (start <= previous_end || end > 65535) return false;
      previous_end = end;
    }
    return true;
  }

  bool CheckArray(size_t cardinality) {
    std::string_view values;
    if (!Take(cardinality * 2, values)) return false;
    for (size_t i = 1; i < cardinality; i++) {
      if (At(values, i) <= At(values, i - 1)) return false;
    }
    return true;
  }

  bool CheckBits(size_t cardinality) {
    std::string_view bits;
    if (!Take(8192, bits)) return false;
    size_t set = 0;
    for (size_t i = 0; i < bits.size(); i += 8) {
      set += static_cast<size_t>(std::popcount(GetLittleEndian<uint64_t>(bits.data() + i)));
    }
    return set == cardinality;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  size_t count_ = 0;
  std::string_view run_flags_, cards_;
};

}  // namespace

// One 32-bit bitmap per high half. Most data files have fewer than 2^32 rows, hence one.
struct PositionBitmap::Bits {
  std::map<uint32_t, Roaring> by_key;

  const Roaring* Find(uint32_t key) const {
    const auto it = by_key.find(key);
    return it == by_key.end() ? nullptr : &it->second;
  }
};

PositionBitmap::PositionBitmap() : bits_(std::make_unique<Bits>()) {}
PositionBitmap::~PositionBitmap() = default;
PositionBitmap::PositionBitmap(const PositionBitmap& other)
    : bits_(std::make_unique<Bits>(*other.bits_)) {}
PositionBitmap::PositionBitmap(PositionBitmap&& other) noexcept : bits_(std::move(other.bits_)) {
  other.bits_ = std::make_unique<Bits>();
}
PositionBitmap& PositionBitmap::operator=(const PositionBitmap& other) {
  if (this != &other) *bits_ = *other.bits_;
  return *this;
}
PositionBitmap& PositionBitmap::operator=(PositionBitmap&& other) noexcept {
  std::swap(bits_, other.bits_);
  return *this;
}

void PositionBitmap::Add(int64_t position) { bits_->by_key[KeyOf(position)].add(LowOf(position)); }

void PositionBitmap::AddRange(int64_t begin, int64_t end) {
  while (begin < end) {
    const uint32_t key = KeyOf(begin);
    const int64_t key_end = std::min(end, (int64_t{key} + 1) * kKeySpan);
    bits_->by_key[key].addRange(LowOf(begin),
                                static_cast<uint64_t>(key_end - int64_t{key} * kKeySpan));
    begin = key_end;
  }
}

void PositionBitmap::AddMany(const int64_t* positions, size_t count) {
  std::vector<uint32_t> lows;
  for (size_t i = 0; i < count;) {
    const uint32_t key = KeyOf(positions[i]);
    lows.clear();
    for (; i < count && KeyOf(positions[i]) == key; i++) lows.push_back(LowOf(positions[i]));
    bits_->by_key[key].addMany(lows.size(), lows.data());
  }
}

void PositionBitmap::Merge(const PositionBitmap& other) {
  for (const auto& [key, bitmap] : other.bits_->by_key) bits_->by_key[key] |= bitmap;
}

bool PositionBitmap::Contains(int64_t position) const {
  const Roaring* bitmap = position < 0 ? nullptr : bits_->Find(KeyOf(position));
  return bitmap != nullptr && bitmap->contains(LowOf(position));
}

bool PositionBitmap::empty() const {
  return std::all_of(bits_->by_key.begin(), bits_->by_key.end(),
                     [](const auto& e) { return e.second.isEmpty(); });
}

int64_t PositionBitmap::Cardinality() const {
  uint64_t sum = 0;
  for (const auto& [key, bitmap] : bits_->by_key) sum += bitmap.cardinality();
  return static_cast<int64_t>(sum);
}

int64_t PositionBitmap::CountRange(int64_t begin, int64_t end) const {
  int64_t sum = 0;
  for (auto it = bits_->by_key.lower_bound(KeyOf(begin)); it != bits_->by_key.end(); ++it) {
    const int64_t base = Position(it->first, 0);
    if (base >= end) break;
    const int64_t from = std::max(begin - base, int64_t{0}), to = std::min(end - base, kKeySpan);
    if (from >= to) continue;
    // rank(x) counts values <= x.
    const uint64_t below = from == 0 ? 0 : it->second.rank(static_cast<uint32_t>(from - 1));
    sum += static_cast<int64_t>(it->second.rank(static_cast<uint32_t>(to - 1)) - below);
  }
  return sum;
}

void PositionBitmap::ForEach(const std::function<bool(int64_t)>& visit) const {
  for (const auto& [key, bitmap] : bits_->by_key) {
    roaring_uint32_iterator_t it;
    for (roaring_init_iterator(&bitmap.roaring, &it); it.has_value;
         roaring_advance_uint32_iterator(&it)) {
      if (!visit(Position(key, it.current_value))) return;
    }
  }
}

void PositionBitmap::MarkSurvivors(int64_t begin, size_t count, bool* out) const {
  std::fill_n(out, count, true);
  const int64_t end = begin + static_cast<int64_t>(count);
  for (auto it = bits_->by_key.lower_bound(KeyOf(begin)); it != bits_->by_key.end(); ++it) {
    const int64_t base = Position(it->first, 0);
    if (base >= end) break;
    roaring_uint32_iterator_t at;
    roaring_init_iterator(&it->second.roaring, &at);
    if (begin > base && !roaring_move_uint32_iterator_equalorlarger(&at, LowOf(begin))) continue;
    for (; at.has_value && base + at.current_value < end; roaring_advance_uint32_iterator(&at)) {
      out[base + at.current_value - begin] = false;
    }
  }
}

bool PositionBitmap::operator==(const PositionBitmap& other) const {
  if (Cardinality() != other.Cardinality()) return false;
  return std::all_of(bits_->by_key.begin(), bits_->by_key.end(), [&](const auto& entry) {
    const Roaring* bitmap = other.bits_->Find(entry.first);
    return entry.second.isEmpty() || (bitmap != nullptr && *bitmap == entry.second);
  });
}

std::string PositionBitmap::ToPortable() const {
  std::string out;
  PutLittleEndian(uint64_t{bits_->by_key.size()}, out);
  for (const auto& [key, bitmap] : bits_->by_key) {
    PutLittleEndian(key, out);
    const size_t at = out.size();
    out.resize(at + bitmap.getSizeInBytes());
    bitmap.write(out.data() + at);
  }
  return out;
}

Result<PositionBitmap> PositionBitmap::FromPortable(std::string_view bytes) {
  if (bytes.size() < 8) return Corrupt("Invalid bitmap: truncated");
  const auto count = GetLittleEndian<uint64_t>(bytes.data());
  bytes.remove_prefix(8);
  PositionBitmap out;
  for (uint64_t i = 0; i < count; i++) {
    if (bytes.size() < 4) return Corrupt("Invalid bitmap: truncated");
    const auto key = GetLittleEndian<uint32_t>(bytes.data());
    bytes.remove_prefix(4);
    if (key > kMaxKey) return Corrupt(fmt::format("Invalid unsigned key: {}", key));
    auto& by_key = out.bits_->by_key;
    if (!by_key.empty() && key <= by_key.rbegin()->first)
      return Corrupt("Keys must be sorted in ascending order");
    const size_t size = PortableChecker(bytes).Check();
    if (size == 0) return Corrupt(fmt::format("Invalid bitmap of key {}", key));
    roaring_bitmap_t* bitmap = roaring_bitmap_portable_deserialize_safe(bytes.data(), size);
    if (bitmap == nullptr) return Corrupt(fmt::format("Invalid bitmap of key {}", key));
    by_key.emplace_hint(by_key.end(), key, Roaring(bitmap));
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) return Corrupt("Invalid bitmap: trailing bytes");
  return out;
}

std::string PositionBitmap::ToBlob() {
  for (auto& [key, bitmap] : bits_->by_key) bitmap.runOptimize();
  std::string body;
  PutLittleEndian(kMagic, body);
  body += ToPortable();
  std::string blob;
  blob.reserve(kLengthSize + body.size() + kCrcSize);
  PutBigEndian(static_cast<int32_t>(body.size()), blob);
  blob += body;
  PutBigEndian(Crc32(body), blob);
  return blob;
}

Result<PositionBitmap> PositionBitmap::FromBlob(std::string_view blob) {
  if (blob.size() < kLengthSize + kMagicSize + kCrcSize)
    return Corrupt("Invalid deletion vector: truncated");
  const int64_t length = GetBigEndian<int32_t>(blob.data());
  const auto expected = static_cast<int64_t>(blob.size() - kLengthSize - kCrcSize);
  if (length != expected) {
    return Corrupt(fmt::format("Invalid bitmap data length: {}, expected {}", length, expected));
  }
  const std::string_view body = blob.substr(kLengthSize, static_cast<size_t>(length));
  const auto magic = GetLittleEndian<uint32_t>(body.data());
  if (magic != kMagic)
    return Corrupt(fmt::format("Invalid magic number: {}, expected {}", magic, kMagic));
  if (GetBigEndian<uint32_t>(blob.data() + blob.size() - kCrcSize) != Crc32(body))
    return Corrupt("Invalid CRC");
  return FromPortable(body.substr(kMagicSize));
}

}  // namespace iceblink::io
