// SET, RESET, SET TIME ZONE, and the cache statements, which have nothing to do here.
#include <utility>

#include "base/strings.h"
#include "catalog/rest_auth.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "plan/errors.h"

namespace iceblink::engine {
namespace {

StatementResult KeyValue(std::vector<ValueList> rows) {
  return StatementResult({StringColumn("key"), StringColumn("value")}, std::move(rows));
}

// As Spark writes what must not be seen.
std::string Shown(const std::string& key, const std::string& value) {
  return catalog::rest::IsSecretProperty(key) ? "*********(redacted)" : value;
}

StatementResult AllSettings(const Configuration& configuration) {
  std::vector<ValueList> rows;
  for (const auto& [key, value] : configuration.all())
    rows.push_back({Value(key), Value(Shown(key, value))});
  return KeyValue(std::move(rows));
}

StatementResult DescribedSettings(const Configuration& configuration) {
  std::vector<ValueList> rows;
  for (const SettingDef& def : KnownSettings()) {
    rows.push_back({Value(std::string(def.key)), Value(configuration.Get(def.key, "<undefined>")),
                    Value(std::string(def.description)), Value("")});
  }
  return StatementResult({StringColumn("key"), StringColumn("value"), StringColumn("meaning"),
                          StringColumn("Since version")},
                         std::move(rows));
}

// INTERVAL offsets are whole seconds within 18 hours.
std::string OffsetName(const Interval& offset) {
  int64_t minutes = offset.micros / 60'000'000;
  char sign = minutes < 0 ? '-' : '+';
  minutes = minutes < 0 ? -minutes : minutes;
  auto two = [](int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return sign + two(minutes / 60) + ":" + two(minutes % 60);
}

Status Assign(StatementScope& scope, const std::string& key, const std::string& value) {
  RETURN_IF_ERROR(scope.session.configuration.Set(key, value));
  scope.session.UpdateTimeZone();
  return {};
}

Status RequireTable(StatementScope& scope, const sql::Name& name) {
  ASSIGN_OR_RETURN(auto relation, scope.names.Resolve({name, {}, {}, {}, false}));
  if (!relation) return Fail(TableNotFound(name, "ExtendedAnalysisException"));
  return {};
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::SetConfig& statement) {
  const Configuration& configuration = scope.configuration();
  if (!statement.key)
    return statement.verbose ? DescribedSettings(configuration) : AllSettings(configuration);
  const std::string& key = *statement.key;
  if (statement.value) {
    RETURN_IF_ERROR(Assign(scope, key, *statement.value));
    return KeyValue({{Value(key), Value(Shown(key, *statement.value))}});
  }
  if (!configuration.IsSet(key))
    return KeyValue({{Value(key), Value(configuration.Get(key, "<undefined>"))}});
  return KeyValue({{Value(key), Value(Shown(key, configuration.Get(key, "")))}});
}

Result<StatementResult> Run(StatementScope& scope, const sql::SetTimeZone& statement) {
  constexpr char kKey[] = "spark.sql.session.timeZone";
  std::string zone = statement.offset            ? OffsetName(*statement.offset)
                     : statement.zone == "LOCAL" ? "UTC"
                                                 : statement.zone;
  RETURN_IF_ERROR(Assign(scope, kKey, zone));
  return KeyValue({{Value(kKey), Value(zone)}});
}

Result<StatementResult> Run(StatementScope& scope, const sql::Reset& statement) {
  if (statement.key) {
    RETURN_IF_ERROR(scope.session.configuration.Reset(*statement.key));
  } else {
    scope.session.configuration.ResetAll();
  }
  scope.session.UpdateTimeZone();
  return StatementResult();
}

namespace {

// CACHE TABLE v AS SELECT makes a temporary view of a plan.
Result<StatementResult> CacheQuery(StatementScope& scope, const sql::CacheTable& statement) {
  const std::string& name = statement.table.back();
  if (scope.session.temporary_views.contains(Utf8Lower(name)))
    return Fail(TemporaryViewExists(name));
  plan::TemporaryView view;
  view.name = name;
  ASSIGN_OR_RETURN(view.plan, scope.analyzer.AnalyzeQuery(*statement.query));
  scope.session.temporary_views[Utf8Lower(name)] = std::move(view);
  return StatementResult();
}

}  // namespace

// Metadata is read anew by each statement and data is never kept, so caching is a promise kept
// already.
Result<StatementResult> Run(StatementScope& scope, const sql::CacheTable& statement) {
  if (statement.query != nullptr) return CacheQuery(scope, statement);
  RETURN_IF_ERROR(RequireTable(scope, statement.table));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::UncacheTable& statement) {
  if (!statement.if_exists) RETURN_IF_ERROR(RequireTable(scope, statement.table));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope&, const sql::ClearCache&) { return StatementResult(); }

Result<StatementResult> Run(StatementScope& scope, const sql::RefreshTable& statement) {
  RETURN_IF_ERROR(RequireTable(scope, statement.table));
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::AnalyzeTable& statement) {
  RETURN_IF_ERROR(RequireTable(scope, statement.table));
  return Fail(NotSupportedForV2("ANALYZE TABLE"));
}

}  // namespace iceblink::engine
