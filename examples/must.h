// What the examples do with an error: say it and end.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "iceblink/result.h"

// The value, or the end of the program.
template <typename T>
T Must(iceblink::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", result.error().exception.c_str(),
                 result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}
