// SELECT, EXPLAIN and DESCRIBE QUERY.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/statements.h"

namespace iceblink::engine {

Result<StatementResult> Run(StatementScope& scope, const sql::QueryStatement& statement) {
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*statement.query));
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                   scope.executor().Query(plan, scope.context()));
  return StatementResult(std::move(cursor));
}

namespace {

std::string LowerStatement(StatementScope& scope, const sql::Statement& statement,
                           std::string_view title) {
  const auto* query = statement.As<sql::QueryStatement>();
  if (query == nullptr)
    return "== " + std::string(title) + " ==\n(a command: it is run as it is)\n";
  auto plan = scope.analyzer.AnalyzeQuery(*query->query);
  if (!plan) return "Error occurred during query planning: \n" + plan.error().message + "\n";
  auto text = scope.executor().Lower(*plan, scope.context());
  if (!text) return "Error occurred during query planning: \n" + text.error().message + "\n";
  return "== " + std::string(title) + " ==\n" + *text + "\n";
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::Explain& statement) {
  std::string title = statement.mode == sql::Explain::Mode::kSimple ? "Physical Plan"
                                                                    : "Physical Plan (DuckDB SQL)";
  std::string text = LowerStatement(scope, *statement.statement, title);
  return StatementResult({StringColumn("plan")}, {{Value(std::move(text))}});
}

Result<StatementResult> Run(StatementScope& scope, const sql::DescribeQuery& statement) {
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*statement.query));
  std::vector<ValueList> rows;
  for (const plan::Column& column : plan->output) {
    rows.push_back({Value(column.name), Value(column.type.SimpleString()), Value()});
  }
  return StatementResult(
      {StringColumn("col_name"), StringColumn("data_type"), StringColumn("comment")},
      std::move(rows));
}

}  // namespace iceblink::engine
