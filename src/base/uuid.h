// UUIDs as 16 big-endian bytes, and the random numbers that Iceberg draws from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iceblink {

struct Uuid {
  std::array<uint8_t, 16> bytes{};

  // A random version 4 UUID from the operating system's entropy. Safe from any thread and across
  // fork.
  static Uuid Random();
  // 36 characters 8-4-4-4-12, either case; nothing otherwise.
  static std::optional<Uuid> Parse(std::string_view text);
  // Requires 16 bytes.
  static Uuid FromBytes(std::string_view bytes);

  std::string ToString() const;  // lower case
  std::string ToBytes() const { return std::string(bytes.begin(), bytes.end()); }
  bool operator==(const Uuid&) const = default;
};

// Uuid::Random().ToString().
std::string NewUuid();

// A positive snapshot id, drawn as Iceberg does: the two halves of a random UUID, xor-ed, without
// the sign.
int64_t NewSnapshotId();

}  // namespace iceblink
