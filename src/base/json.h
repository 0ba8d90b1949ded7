// JSON documents. A thin cover over nlohmann::ordered_json (member order is kept, as files must
// read like Java's): parsing that never throws nor overflows the stack, and typed access whose
// errors name the field in the words of Iceberg's JsonUtil. Only .cc files include
// <nlohmann/json.hpp>.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iceblink {

using Json = nlohmann::ordered_json;

// Nesting beyond this is refused: no schema needs it, and printing recurses.
inline constexpr int kMaxJsonDepth = 500;

// Parses a whole document. kCorrupt with `what` (a file name or "schema") and the position on
// malformed input.
Result<Json> ParseJson(std::string_view text, std::string_view what = "JSON");

// Compact text; malformed UTF-8 in strings becomes U+FFFD instead of an exception.
std::string DumpJson(const Json& json);
// Two-space indented text.
std::string DumpJsonPretty(const Json& json);

namespace json {

// The member, or null when `object` is no object, lacks it or holds JSON null.
const Json* Find(const Json& object, std::string_view key);
bool Has(const Json& object, std::string_view key);

// Required members: kCorrupt, IllegalArgumentException: "Cannot parse missing long: snapshot-id",
// "Cannot parse to a long value: snapshot-id: \"x\"".
Result<int32_t> GetInt(const Json& object, std::string_view key);
Result<int64_t> GetLong(const Json& object, std::string_view key);
Result<bool> GetBool(const Json& object, std::string_view key);
Result<std::string> GetString(const Json& object, std::string_view key);
Result<const Json*> GetArray(const Json& object, std::string_view key);
Result<const Json*> GetObject(const Json& object, std::string_view key);
Result<std::map<std::string, std::string>> GetStringMap(const Json& object, std::string_view key);
Result<std::vector<std::string>> GetStringList(const Json& object, std::string_view key);
Result<std::vector<int32_t>> GetIntList(const Json& object, std::string_view key);

// Optional members: nothing when absent or JSON null; an error only when the value has the wrong
// type.
Result<std::optional<int32_t>> FindInt(const Json& object, std::string_view key);
Result<std::optional<int64_t>> FindLong(const Json& object, std::string_view key);
Result<std::optional<bool>> FindBool(const Json& object, std::string_view key);
Result<std::optional<std::string>> FindString(const Json& object, std::string_view key);

}  // namespace json
}  // namespace iceblink
