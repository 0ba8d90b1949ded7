#include "base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace iceblink {
namespace {

// Depth of brackets outside strings; the document need not be well formed.
bool IsTooDeep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        i++;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) return true;
    } else if (c == ']' || c == '}') {
      depth--;
    }
  }
  return false;
}

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::detail::error_handler_t::replace);
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view what) {
  if (IsTooDeep(text)) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("Cannot parse {}: nested deeper than {} levels", what, kMaxJsonDepth));
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& e) {
    return Fail(ErrorCode::kCorrupt, fmt::format("Cannot parse {}: {}", what, e.what()),
                "IllegalArgumentException");
  }
}

std::string DumpJson(const Json& json) { return Dump(json, -1); }
std::string DumpJsonPretty(const Json& json) { return Dump(json, 2); }

namespace json {
namespace {

tl::unexpected<Error> Missing(std::string_view kind, std::string_view key) {
  return Fail(ErrorCode::kCorrupt, fmt::format("Cannot parse missing {}: {}", kind, key),
              "IllegalArgumentException");
}

tl::unexpected<Error> Wrong(std::string_view kind, std::string_view key, const Json& value) {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("Cannot parse to {} value: {}: {}", kind, key, DumpJson(value)),
              "IllegalArgumentException");
}

bool IsInt64(const Json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= INT64_MAX;
  return value.is_number_integer();
}

bool IsInt32(const Json& value) {
  return IsInt64(value) && value.get<int64_t>() == static_cast<int32_t>(value.get<int64_t>());
}

// How one JSON type is named and checked; the getters below are rows of this.
struct Shape {
  std::string_view missing;
  std::string_view article;  // "a long"
  bool (*fits)(const Json&);
};
constexpr Shape kInt{"int", "an integer", IsInt32};
constexpr Shape kLong{"long", "a long", IsInt64};
constexpr Shape kBool{"boolean", "a boolean", [](const Json& v) { return v.is_boolean(); }};
constexpr Shape kString{"string", "a string", [](const Json& v) { return v.is_string(); }};
constexpr Shape kList{"list", "an array", [](const Json& v) { return v.is_array(); }};
constexpr Shape kMap{"map", "an object", [](const Json& v) { return v.is_object(); }};

Result<const Json*> Require(const Json& object, std::string_view key, const Shape& shape) {
  const Json* value = Find(object, key);
  if (value == nullptr) return Missing(shape.missing, key);
  if (!shape.fits(*value)) return Wrong(shape.article, key, *value);
  return value;
}

template <typename T>
Result<T> Get(const Json& object, std::string_view key, const Shape& shape) {
  ASSIGN_OR_RETURN(const Json* value, Require(object, key, shape));
  return value->get<T>();
}

template <typename T>
Result<std::optional<T>> FindAs(const Json& object, std::string_view key, const Shape& shape) {
  if (!Has(object, key)) return std::optional<T>();
  ASSIGN_OR_RETURN(T value, Get<T>(object, key, shape));
  return std::optional<T>(std::move(value));
}

template <typename T>
Result<std::vector<T>> GetList(const Json& object, std::string_view key, const Shape& element) {
  ASSIGN_OR_RETURN(const Json* list, Require(object, key, kList));
  std::vector<T> out;
  out.reserve(list->size());
  for (const Json& item : *list) {
    if (!element.fits(item)) return Wrong(element.article, key, item);
    out.push_back(item.get<T>());
  }
  return out;
}

}  // namespace

const Json* Find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(std::string(key));
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

bool Has(const Json& object, std::string_view key) { return Find(object, key) != nullptr; }

Result<int32_t> GetInt(const Json& object, std::string_view key) {
  return Get<int32_t>(object, key, kInt);
}
Result<int64_t> GetLong(const Json& object, std::string_view key) {
  return Get<int64_t>(object, key, kLong);
}
Result<bool> GetBool(const Json& object, std::string_view key) {
  return Get<bool>(object, key, kBool);
}
Result<std::string> GetString(const Json& object, std::string_view key) {
  return Get<std::string>(object, key, kString);
}
Result<const Json*> GetArray(const Json& object, std::string_view key) {
  return Require(object, key, kList);
}
Result<const Json*> GetObject(const Json& object, std::string_view key) {
  return Require(object, key, kMap);
}

Result<std::map<std::string, std::string>> GetStringMap(const Json& object, std::string_view key) {
  ASSIGN_OR_RETURN(const Json* map, Require(object, key, kMap));
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : map->items()) {
    if (!value.is_string()) return Wrong(kString.article, name, value);
    out.emplace(name, value.get<std::string>());
  }
  return out;
}

Result<std::vector<std::string>> GetStringList(const Json& object, std::string_view key) {
  return GetList<std::string>(object, key, kString);
}
Result<std::vector<int32_t>> GetIntList(const Json& object, std::string_view key) {
  return GetList<int32_t>(object, key, kInt);
}

Result<std::optional<int32_t>> FindInt(const Json& object, std::string_view key) {
  return FindAs<int32_t>(object, key, kInt);
}
Result<std::optional<int64_t>> FindLong(const Json& object, std::string_view key) {
  return FindAs<int64_t>(object, key, kLong);
}
Result<std::optional<bool>> FindBool(const Json& object, std::string_view key) {
  return FindAs<bool>(object, key, kBool);
}
Result<std::optional<std::string>> FindString(const Json& object, std::string_view key) {
  return FindAs<std::string>(object, key, kString);
}

}  // namespace json
}  // namespace iceblink
