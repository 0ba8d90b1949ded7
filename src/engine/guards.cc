#include "engine/guards.h"

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/table_selection.h"

namespace iceblink::engine {
namespace {

Guard Level(const Configuration& configuration, Guard by_default) {
  std::string level = AsciiLower(configuration.Get("iceblink.guards", "default"));
  if (level == "off") return Guard::kOff;
  if (level == "warn") return Guard::kWarn;
  if (level == "error") return Guard::kError;
  return by_default;
}

Status Act(StatementScope& scope, Guard guard, const std::string& text) {
  switch (guard) {
    case Guard::kOff:
      return {};
    case Guard::kWarn:
      scope.warnings.push_back(text);
      return {};
    case Guard::kError:
      return Validation(text);
  }
  return {};
}

}  // namespace

Guard StrictGuard(const Configuration& configuration) {
  return Level(configuration, Guard::kError);
}
Guard LenientGuard(const Configuration& configuration) {
  return Level(configuration, Guard::kWarn);
}

Status CheckWapGuards(StatementScope& scope, const plan::TableRef& table) {
  const Configuration& conf = scope.configuration();
  std::string branch = conf.Get("spark.wap.branch", "");
  std::string id = conf.Get("spark.wap.id", "");
  if (branch.empty() && id.empty()) return {};
  bool enabled = EqualsIgnoreCase(table.metadata->Property("write.wap.enabled", "false"), "true");
  std::string key = branch.empty() ? "spark.wap.id" : "spark.wap.branch";
  if (!enabled && !table.branch) {
    return Act(scope, StrictGuard(conf),
               key + " is set to '" + (branch.empty() ? id : branch) + "', but table " +
                   table.DottedName() +
                   " does not take part in write-audit-publish: the change would go to main. Set "
                   "its property "
                   "write.wap.enabled to true, or RESET " +
                   key + ", or SET iceblink.guards=off to write to main");
  }
  if (!enabled || branch.empty() || table.metadata->Ref(branch) != nullptr) return {};
  std::vector<std::string> names;
  for (const auto& [name, ref] : table.metadata->refs) names.push_back(name);
  std::optional<std::string> near = NearName(branch, names);
  if (!near) return {};
  return Act(scope, LenientGuard(conf),
             "branch '" + branch + "' of " + table.DottedName() +
                 " does not exist yet; did you mean '" + *near + "'?");
}

Status CheckEmptiedPartitions(StatementScope& scope, const plan::TableRef& table, int64_t emptied) {
  if (emptied <= 0) return {};
  return Act(scope, LenientGuard(scope.configuration()),
             "INSERT OVERWRITE removes " + std::to_string(emptied) +
                 (emptied == 1 ? " partition" : " partitions") + " of " + table.DottedName() +
                 " that it does not write. To replace only partitions that receive rows, SET "
                 "spark.sql.sources.partitionOverwriteMode=dynamic");
}

}  // namespace iceblink::engine
