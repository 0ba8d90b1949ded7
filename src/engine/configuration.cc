#include "engine/configuration.h"

#include <algorithm>
#include <fstream>

#include "base/strings.h"
#include "base/time_zone.h"
#include "engine/errors.h"

namespace iceblink::engine {

const std::vector<SettingDef>& KnownSettings() {
  static const std::vector<SettingDef> kSettings = {
      {"iceblink.guards", "default",
       "Refuse or warn of statements that look like accidents: default, error, warn, off"},
      {"iceblink.skip-empty-commits", "false",
       "Commit no snapshot for a DELETE, UPDATE or MERGE that changes no row"},
      {"spark.default.parallelism", "", "Writing tasks of VALUES, range and scans; default: 1"},
      {"spark.sql.ansi.enabled", "true",
       "Errors instead of NULL or wrapped values on overflow and malformed text"},
      {"spark.sql.caseSensitive", "false", "Whether names are compared with case"},
      {"spark.sql.cteRecursionLevelLimit", "100",
       "Rounds of a recursive query before it fails; -1: any number"},
      {"spark.sql.cteRecursionRowLimit", "1000000",
       "Rows of a recursive query before it fails; -1: any number"},
      {"spark.sql.defaultCatalog", "spark_catalog", "Catalog of names without one"},
      {"spark.sql.iceberg.merge-schema", "false", "Add columns that a write brings along"},
      {"spark.sql.leafNodeDefaultParallelism", "", "The same; wins over spark.default.parallelism"},
      {"spark.sql.session.timeZone", "UTC", "Zone that timestamps are shown and parsed in"},
      {"spark.sql.shuffle.partitions", "200", "Accepted for compatibility"},
      {"spark.sql.sources.partitionOverwriteMode", "STATIC",
       "What INSERT OVERWRITE replaces: STATIC, DYNAMIC"},
      {"spark.sql.storeAssignmentPolicy", "ANSI",
       "Which casts an INSERT may add: ANSI, LEGACY, STRICT"},
      {"spark.sql.warehouse.dir", "spark-warehouse", "Folder of the session catalog", true},
  };
  return kSettings;
}

namespace {

const SettingDef* FindSetting(std::string_view key) {
  const auto& all = KnownSettings();
  auto at = std::lower_bound(all.begin(), all.end(), key,
                             [](const SettingDef& d, std::string_view k) { return d.key < k; });
  return at != all.end() && at->key == key ? &*at : nullptr;
}

Status CheckChange(const std::string& key) {
  const SettingDef* def = FindSetting(key);
  if (def == nullptr || !def->is_static) return {};
  return FailWith(
      ErrorCode::kInvalidArgument, "AnalysisException", "CANNOT_MODIFY_CONFIG", "46110",
      "Cannot modify the value of the Spark config: \"" + key +
          "\". See also "
          "'https://spark.apache.org/docs/latest/sql-migration-guide.html#ddl-statements'.");
}

Status CheckValue(const std::string& key, const std::string& value) {
  struct Choice {
    std::string_view key;
    std::vector<std::string_view> values;
  };
  static const std::vector<Choice> kChoices = {
      {"spark.sql.sources.partitionOverwriteMode", {"STATIC", "DYNAMIC"}},
      {"spark.sql.storeAssignmentPolicy", {"ANSI", "LEGACY", "STRICT"}},
      {"iceblink.guards", {"DEFAULT", "ERROR", "WARN", "OFF"}},
  };
  for (const Choice& choice : kChoices) {
    if (choice.key != key) continue;
    std::string upper = AsciiUpper(value);
    if (std::find(choice.values.begin(), choice.values.end(), upper) != choice.values.end())
      return {};
    return FailWith(ErrorCode::kInvalidArgument, "SparkIllegalArgumentException",
                    "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", "22022",
                    "The value '" + value + "' in the config \"" + key +
                        "\" is invalid. It should be one of '" + Join(choice.values, ", ") + "'.");
  }
  if (key == "spark.sql.session.timeZone") {
    if (TimeZone::Find(value) != nullptr) return {};
    return FailWith(ErrorCode::kInvalidArgument, "SparkIllegalArgumentException",
                    "INVALID_CONF_VALUE.TIME_ZONE", "22022",
                    "The value '" + value + "' in the config \"" + key +
                        "\" is invalid. Cannot resolve the given timezone.");
  }
  return {};
}

}  // namespace

std::optional<std::string> Configuration::Get(std::string_view key) const {
  if (auto at = current_.find(std::string(key)); at != current_.end()) return at->second;
  const SettingDef* def = FindSetting(key);
  if (def == nullptr || def->default_value.empty()) return std::nullopt;
  return std::string(def->default_value);
}

std::string Configuration::Get(std::string_view key, std::string_view fallback) const {
  return Get(key).value_or(std::string(fallback));
}

bool Configuration::GetBool(std::string_view key, bool fallback) const {
  auto value = Get(key);
  return value ? ParseBool(*value).value_or(fallback) : fallback;
}

bool Configuration::IsSet(std::string_view key) const {
  return current_.count(std::string(key)) > 0;
}

Status Configuration::Set(const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(CheckChange(key));
  RETURN_IF_ERROR(CheckValue(key, value));
  current_[key] = value;
  return {};
}

Status Configuration::Reset(const std::string& key) {
  RETURN_IF_ERROR(CheckChange(key));
  if (auto at = initial_.find(key); at != initial_.end()) {
    current_[key] = at->second;
  } else {
    current_.erase(key);
  }
  return {};
}

Settings Configuration::WithPrefix(std::string_view prefix) const {
  Settings found;
  for (auto at = current_.lower_bound(std::string(prefix));
       at != current_.end() && at->first.starts_with(prefix); ++at) {
    found[at->first.substr(prefix.size())] = at->second;
  }
  return found;
}

Result<Settings> ReadPropertiesFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kNotFound, "Cannot read properties file " + path);
  Settings settings;
  for (std::string line; std::getline(file, line);) {
    std::string_view text = Trim(line);
    if (text.empty() || text[0] == '#' || text[0] == '!') continue;
    size_t end = text.find_first_of("=: \t");
    if (end == std::string_view::npos) {
      settings[std::string(text)] = "";
      continue;
    }
    std::string_view value = Trim(text.substr(end));
    // One separator may stand between the spaces: `key = value`.
    if (!value.empty() && (value[0] == '=' || value[0] == ':')) value = Trim(value.substr(1));
    settings[std::string(text.substr(0, end))] = std::string(value);
  }
  return settings;
}

}  // namespace iceblink::engine
