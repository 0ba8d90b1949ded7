// The few JSON shapes that REST messages share. For rest_*messages.cc alone.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "catalog/rest_messages.h"
#include "spec/json.h"

namespace iceblink::catalog::rest {

inline Json OrNull(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

// An object even when empty.
inline Json PropertiesToJson(const Properties& properties) {
  Json json = Json::object();
  for (const auto& [key, value] : properties) json[key] = value;
  return json;
}

// Empty when the member is missing. A null value drops its key, as clients that print nulls mean.
inline Result<Properties> FindProperties(const Json& json, std::string_view key) {
  const Json* members = json::Find(json, key);
  if (members == nullptr) return Properties();
  if (!members->is_object()) return json::GetStringMap(json, key);
  Properties properties;
  for (const auto& [name, value] : members->items()) {
    if (value.is_null()) continue;
    if (!value.is_string()) return json::GetStringMap(json, key);  // its error
    properties[name] = value.get<std::string>();
  }
  return properties;
}

// Empty when the member is missing.
inline Result<std::vector<std::string>> FindStringList(const Json& json, std::string_view key) {
  if (!json::Has(json, key)) return std::vector<std::string>();
  return json::GetStringList(json, key);
}

inline Result<std::vector<std::string>> StringListFromJson(const Json& json) {
  return json::GetStringList(Json{{"list", json}}, "list");
}

// Each element of the required list `key` through `read`.
template <typename Read>
auto ReadList(const Json& json, std::string_view key, Read read)
    -> Result<std::vector<typename decltype(read(json))::value_type>> {
  ASSIGN_OR_RETURN(const Json* elements, json::GetArray(json, key));
  std::vector<typename decltype(read(json))::value_type> out;
  out.reserve(elements->size());
  for (const Json& element : *elements) {
    ASSIGN_OR_RETURN(auto value, read(element));
    out.push_back(std::move(value));
  }
  return out;
}

template <typename T>
Json WriteList(const std::vector<T>& values) {
  using rest::ToJson, spec::ToJson;  // variants and identifiers are not found by their arguments
  Json json = Json::array();
  for (const T& value : values) json.push_back(ToJson(value));
  return json;
}

}  // namespace iceblink::catalog::rest
