// PropertyLookup: reads settings that go by several names - Iceberg's (s3.endpoint), Hadoop's
// (fs.s3a.endpoint, also with "hadoop." or "spark.hadoop." before it), variables of the
// environment - out of a catalog's properties.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iceblink::io {

using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;
// Variables of the process; empty ones count as unset.
std::optional<std::string> ProcessEnvironment(const std::string& name);

// One setting: its names by precedence, null where there are fewer.
struct SettingNames {
  std::array<const char*, 3> properties;
  std::array<const char*, 2> variables;
};

class PropertyLookup {
 public:
  // `environment` outlives this.
  PropertyLookup(const std::map<std::string, std::string>& properties,
                 const EnvironmentLookup& environment);

  // Empty values count as unset.
  std::optional<std::string> Property(const SettingNames& names) const;
  // Property, else the environment, else "".
  std::string Get(const SettingNames& names) const;
  // Key (without `prefix`) and value of every property that begins with it.
  std::map<std::string, std::string> WithPrefix(std::string_view prefix) const;

  // Leave `out` alone where the property is unset; Invalid when it does not parse or is out of
  // bounds.
  Status Read(const SettingNames& names, bool& out) const;
  Status Read(const SettingNames& names, int64_t least, int64_t most, int64_t& out) const;

  // kInvalidArgument, IllegalArgumentException: "Invalid value of NAME: TEXT".
  static tl::unexpected<Error> Invalid(const SettingNames& names, std::string_view text);

 private:
  std::map<std::string, std::string, std::less<>> properties_;
  const EnvironmentLookup& environment_;
};

}  // namespace iceblink::io
