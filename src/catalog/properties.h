// Reading of a catalog's properties.
#pragma once

#include <cstdint>
#include <string>

#include "base/strings.h"
#include "catalog/catalog.h"

namespace iceblink::catalog {

inline std::string Get(const Properties& properties, const std::string& key,
                       const std::string& otherwise = {}) {
  const auto it = properties.find(key);
  return it == properties.end() ? otherwise : it->second;
}

inline int64_t GetInt(const Properties& properties, const std::string& key, int64_t otherwise) {
  return ParseInt64(Get(properties, key)).value_or(otherwise);
}

inline bool IsTrue(const Properties& properties, const std::string& key) {
  return EqualsIgnoreCase(Get(properties, key), "true");
}

inline bool IsFalse(const Properties& properties, const std::string& key) {
  return EqualsIgnoreCase(Get(properties, key), "false");
}

}  // namespace iceblink::catalog
