#include "exec/json_text.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace iceblink::exec {

std::optional<Json> FirstJson(const std::string& text) {
  auto whole = ParseJson(text);
  if (whole) return *std::move(whole);
  if (whole.error().exception.empty()) return std::nullopt;  // too deep
  std::istringstream stream(text);
  try {
    Json first;
    stream >> first;
    return first;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace iceblink::exec
