// Java's DateTimeFormatter patterns, as far as Spark accepts them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iceblink::exec {

// Formats a wall clock. Nothing when the pattern has letters that Spark refuses.
std::optional<std::string> FormatJava(std::string_view pattern, int64_t local_micros,
                                      int32_t offset_seconds, std::string_view zone);

struct JavaParse {
  bool ok = false;
  int64_t local_micros = 0;
  std::optional<int32_t> offset_seconds;
  std::string zone;            // of a VV field
  size_t error_index = 0;      // where parsing stopped
  bool unparsed_text = false;  // the pattern ended before the text
  bool bad_pattern = false;
};
JavaParse ParseJava(std::string_view pattern, std::string_view text);

}  // namespace iceblink::exec
