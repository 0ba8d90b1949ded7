// Settings of a session: Spark's keys with their defaults, what the command line and spark-defaults
// gave, what SET changed.
//
// A value type; not for several threads at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace iceblink::engine {

using Settings = std::map<std::string, std::string>;

class Configuration {
 public:
  Configuration() = default;
  // What RESET returns to.
  explicit Configuration(Settings initial) : initial_(initial), current_(std::move(initial)) {}

  // Returns the value set, else Spark's default for known keys.
  std::optional<std::string> Get(std::string_view key) const;
  std::string Get(std::string_view key, std::string_view fallback) const;
  bool GetBool(std::string_view key, bool fallback) const;
  bool IsSet(std::string_view key) const;

  // Errors: kInvalidArgument for a static setting, or a value outside of the key's set.
  Status Set(const std::string& key, const std::string& value);
  // Back to the initial value, or to unset.
  Status Reset(const std::string& key);
  void ResetAll() { current_ = initial_; }

  // Keys that begin with `prefix`, without it.
  Settings WithPrefix(std::string_view prefix) const;
  // Everything that is set, sorted by key.
  const Settings& all() const { return current_; }

 private:
  Settings initial_;
  Settings current_;
};

// A known setting: for SET -v and defaults.
struct SettingDef {
  std::string_view key;
  std::string_view default_value;
  std::string_view description;
  bool is_static = false;
};
// Sorted by key.
const std::vector<SettingDef>& KnownSettings();

// Parses a spark-defaults.conf: `key value`, `key=value`, `key: value`; # comments. kNotFound when
// there is no such file.
Result<Settings> ReadPropertiesFile(const std::string& path);

}  // namespace iceblink::engine
