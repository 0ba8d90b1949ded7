#include "engine/session.h"

#include <exception>
#include <set>
#include <utility>

#include "engine/errors.h"
#include "engine/session_state.h"
#include "engine/statement_scope.h"
#include "engine/statements.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

// Runs `body` so that nothing it throws ends the process.
template <typename Body>
Result<StatementResult> Guarded(const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    return FailWith(ErrorCode::kInternal, "SparkException", "INTERNAL_ERROR", "XX000", e.what());
  }
}

}  // namespace

Session::Session(SessionOptions options)
    : state_(std::make_unique<SessionState>(std::move(options))) {}
Session::~Session() = default;

Result<StatementResult> Session::Execute(std::string_view text) {
  return Guarded([&]() -> Result<StatementResult> {
    ASSIGN_OR_RETURN(sql::Statement statement, sql::ParseStatement(text));
    return Execute(statement);
  });
}

Result<StatementResult> Session::Execute(const sql::Statement& statement) {
  return Guarded([&]() -> Result<StatementResult> {
    state_->BeginStatement();
    StatementScope scope(*state_, statement);
    auto result = Run(scope, statement);
    if (result) result->warnings = std::move(scope.warnings);
    return result;
  });
}

Result<StatementResult> Session::Execute(const plan::PlanPtr& plan) {
  return Guarded([&]() -> Result<StatementResult> {
    state_->BeginStatement();
    NameResolver names(*state_, state_->clock().NowMicros());
    ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                     state_->executor().Query(plan, names.statement_context()));
    return StatementResult(std::move(cursor));
  });
}

void Session::Interrupt() { state_->Interrupt(); }

void Session::OnProgress(std::function<void(double)> callback) {
  state_->on_progress = std::move(callback);
}

const Configuration& Session::configuration() const { return state_->configuration; }

const TimeZone& Session::time_zone() const { return state_->time_zone(); }

std::vector<std::string> Session::CompletionNames() {
  std::set<std::string> names;
  for (std::string& name : state_->catalogs.Names()) names.insert(std::move(name));
  for (const auto& [key, view] : state_->temporary_views) names.insert(view.name);
  NameResolver resolver(*state_, 0);
  if (auto current = resolver.QualifyNamespace({})) {
    if (auto tables = current->catalog->ListTables(current->rest)) {
      for (const auto& table : *tables) names.insert(table.name);
    }
    if (auto children = current->catalog->ListNamespaces({})) {
      for (const auto& child : *children) names.insert(sql::QuoteNameIfNeeded(child));
    }
  }
  return {names.begin(), names.end()};
}

Result<plan::TableRef> Session::FindTable(std::string_view name) {
  ASSIGN_OR_RETURN(sql::Name parts, sql::ParseMultipartIdentifier(name));
  NameResolver resolver(*state_, state_->clock().NowMicros());
  ASSIGN_OR_RETURN(TableHandle handle, resolver.GetTable(parts));
  plan::TableRef table;
  table.catalog = handle.catalog_name;
  table.identifier = handle.id.ns;
  table.identifier.push_back(handle.id.name);
  table.metadata = handle.loaded.metadata;
  table.metadata_location = handle.loaded.metadata_location;
  table.snapshot_id = handle.metadata().current_snapshot_id;
  table.schema = std::make_shared<const spec::Schema>(handle.metadata().schema());
  return table;
}

Result<StatementResult> Run(StatementScope& scope, const sql::Statement& statement) {
  return std::visit([&](const auto& node) { return Run(scope, node); }, statement.node);
}

Result<StatementResult> Run(StatementScope& scope, const sql::UnsupportedStatement& statement) {
  if (statement.name == "MSCK REPAIR TABLE" || statement.name == "LOAD DATA")
    return Fail(NotSupportedForV2(statement.name));
  const std::string& catalog = scope.session.current_catalog;
  if (statement.name == "CREATE FUNCTION") {
    return FailWith(ErrorCode::kUnsupported, "AnalysisException",
                    "MISSING_CATALOG_ABILITY.CREATE_FUNCTION", "0A000",
                    "Catalog " + catalog + " does not support CREATE FUNCTION.");
  }
  return Fail(UnsupportedStatement(catalog, statement.name));
}

}  // namespace iceblink::engine
