// Base64 of RFC 4648.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace iceblink {

// Standard alphabet with padding.
std::string Base64Encode(std::string_view bytes);
// URL-safe alphabet without padding.
std::string Base64UrlEncode(std::string_view bytes);
// Reads both alphabets, padded or not. Nothing on any other character or an impossible length.
std::optional<std::string> Base64Decode(std::string_view text);

}  // namespace iceblink
