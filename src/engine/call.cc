// CALL: finds the procedure, binds and evaluates its arguments, runs it.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/procedures.h"
#include "engine/statements.h"

namespace iceblink::engine {
namespace {

Error CannotLoadRoutine(const sql::Name& name) {
  return FailWith(ErrorCode::kNotFound, "AnalysisException", "FAILED_TO_LOAD_ROUTINE", "38000",
                  "Failed to load routine " + sql::QuoteName(name) + ".")
      .value();
}

Result<ValueList> Evaluate(StatementScope& scope, const plan::Procedure& procedure,
                           const std::vector<plan::ExprPtr>& bound) {
  ValueList values;
  for (size_t i = 0; i < bound.size(); i++) {
    Value value;
    if (bound[i] != nullptr) {
      const auto* literal = bound[i]->As<plan::LiteralExpr>();
      if (literal != nullptr) {
        value = literal->value;
      } else {
        ASSIGN_OR_RETURN(value, scope.names.Evaluate(bound[i]));
      }
    }
    if (value.is_null() && procedure.parameters[i].required) {
      return IllegalArgument("Parameter '" + std::string(procedure.parameters[i].name) +
                             "' is not set");
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::Call& statement) {
  ASSIGN_OR_RETURN(QualifiedName name, scope.names.QualifyNamespace(statement.procedure));
  const plan::Procedure* procedure = nullptr;
  if (name.rest.size() == 2 && EqualsIgnoreCase(name.rest.front(), "system"))
    procedure = plan::FindProcedure(name.rest.back());
  if (procedure == nullptr) return Fail(CannotLoadRoutine(name.full()));
  ASSIGN_OR_RETURN(std::vector<plan::ExprPtr> bound,
                   scope.analyzer.AnalyzeArguments(*procedure, statement));
  ProcedureFunction function = FindProcedureFunction(procedure->name);
  if (function == nullptr)
    return Fail(UnsupportedFeature("CALL system." + std::string(procedure->name)));
  ASSIGN_OR_RETURN(ValueList arguments, Evaluate(scope, *procedure, bound));
  ProcedureCall call{scope, std::move(name.catalog), std::move(name.catalog_name), *procedure,
                     std::move(arguments)};
  ASSIGN_OR_RETURN(ProcedureRows rows, function(call));
  std::vector<ResultColumn> columns;
  for (const plan::Column& column : plan::OutputColumns(*procedure)) {
    columns.push_back({column.name, column.type, column.nullable});
  }
  return StatementResult(std::move(columns), std::move(rows));
}

}  // namespace iceblink::engine
