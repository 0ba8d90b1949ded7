// MurmurHash3 x86 32-bit, the hash of Iceberg's bucket transform and object-store paths.
#pragma once

#include <cstdint>
#include <string_view>

namespace iceblink {

int32_t Murmur3(std::string_view bytes, uint32_t seed = 0);

// Hash of the 8 little-endian bytes: int, long, date, time and timestamps.
int32_t Murmur3Long(int64_t value);

}  // namespace iceblink
