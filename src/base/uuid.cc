#include "base/uuid.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "base/strings.h"

namespace iceblink {

Uuid Uuid::Random() {
  Uuid uuid;
  size_t filled = 0;
  while (filled < uuid.bytes.size()) {
    const ssize_t got = getrandom(uuid.bytes.data() + filled, uuid.bytes.size() - filled, 0);
    if (got > 0)
      filled += static_cast<size_t>(got);
    else if (errno != EINTR)
      std::abort();  // no entropy source: nothing unique can be named
  }
  uuid.bytes[6] = static_cast<uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);
  uuid.bytes[8] = static_cast<uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}

std::optional<Uuid> Uuid::Parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string hex;
  for (size_t i = 0; i < text.size(); i++) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return std::nullopt;
    if (!dash) hex.push_back(text[i]);
  }
  const auto bytes = HexDecode(hex);
  if (!bytes) return std::nullopt;
  return FromBytes(*bytes);
}

Uuid Uuid::FromBytes(std::string_view bytes) {
  Uuid uuid;
  std::copy_n(bytes.begin(), uuid.bytes.size(), uuid.bytes.begin());
  return uuid;
}

std::string Uuid::ToString() const {
  std::string text = HexEncode(ToBytes());
  for (const size_t at : {20, 16, 12, 8}) text.insert(at, 1, '-');
  return text;
}

std::string NewUuid() { return Uuid::Random().ToString(); }

int64_t NewSnapshotId() {
  const Uuid uuid = Uuid::Random();
  const auto high = GetBigEndian<uint64_t>(uuid.bytes.data()),
             low = GetBigEndian<uint64_t>(uuid.bytes.data() + 8);
  return static_cast<int64_t>((high ^ low) & 0x7fffffffffffffffULL);
}

}  // namespace iceblink
