#include "io/property_lookup.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/strings.h"

namespace iceblink::io {

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

PropertyLookup::PropertyLookup(const std::map<std::string, std::string>& properties,
                               const EnvironmentLookup& environment)
    : environment_(environment) {
  for (const auto& [key, value] : properties) {
    std::string_view name = key;
    if (name.starts_with("spark.")) name.remove_prefix(6);
    if (name.starts_with("hadoop.")) name.remove_prefix(7);
    if (!value.empty()) properties_.emplace(name, value);
  }
}

std::optional<std::string> PropertyLookup::Property(const SettingNames& names) const {
  for (const char* name : names.properties) {
    const auto it = name == nullptr ? properties_.end() : properties_.find(name);
    if (it != properties_.end()) return it->second;
  }
  return std::nullopt;
}

std::string PropertyLookup::Get(const SettingNames& names) const {
  if (auto property = Property(names)) return *property;
  for (const char* name : names.variables) {
    const auto value = name == nullptr ? std::nullopt : environment_(name);
    if (value) return *value;
  }
  return {};
}

std::map<std::string, std::string> PropertyLookup::WithPrefix(std::string_view prefix) const {
  std::map<std::string, std::string> out;
  for (auto it = properties_.lower_bound(prefix);
       it != properties_.end() && it->first.starts_with(prefix); ++it)
    out.emplace(it->first.substr(prefix.size()), it->second);
  return out;
}

Status PropertyLookup::Read(const SettingNames& names, bool& out) const {
  const auto text = Property(names);
  const auto value = text ? ParseBool(*text) : std::nullopt;
  if (text && !value) return Invalid(names, *text);
  if (value) out = *value;
  return {};
}

Status PropertyLookup::Read(const SettingNames& names, int64_t least, int64_t most,
                            int64_t& out) const {
  const auto text = Property(names);
  const auto value = text ? ParseInt64(*text) : std::nullopt;
  if (text && (!value || *value < least || *value > most)) return Invalid(names, *text);
  if (value) out = *value;
  return {};
}

tl::unexpected<Error> PropertyLookup::Invalid(const SettingNames& names, std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("Invalid value of {}: {}", names.properties[0], text),
              "IllegalArgumentException");
}

}  // namespace iceblink::io
