// Session variables, and EXECUTE IMMEDIATE.
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "engine/statements.h"
#include "sql/parser.h"

namespace iceblink::engine {
namespace {

Error VariableNotFound(const sql::Name& name) {
  return FailWith(ErrorCode::kNotFound, "AnalysisException", "VARIABLE_NOT_FOUND", "42883",
                  "The variable `system`.`session`." + sql::QuoteIdentifier(name.back()) +
                      " cannot be found. Verify the spelling and correctness of the schema and "
                      "catalog.\nIf you did not "
                      "qualify the name with a schema and catalog, verify the current_schema() "
                      "output, or qualify the name with "
                      "the correct schema and catalog.\nTo tolerate the error on drop use DROP "
                      "VARIABLE IF EXISTS.")
      .value();
}

plan::ExprPtr Constant(Value value, sql::DataType type) {
  bool nullable = value.is_null();
  return std::make_shared<const plan::Expr>(
      plan::Expr{plan::LiteralExpr{std::move(value)}, std::move(type), nullable});
}

Result<sql::DataType> TypeOf(StatementScope& scope, const sql::DeclareVariable& statement) {
  if (statement.type) return *statement.type;
  if (!statement.value) return sql::DataType();
  ASSIGN_OR_RETURN(plan::TypedExpr typed, scope.analyzer.AnalyzeExpression(*statement.value->expr));
  return typed.expr->type;
}

Status AssignOne(StatementScope& scope, const sql::Name& name, const sql::Expr& expr) {
  auto at = scope.session.variables.find(Utf8Lower(name.back()));
  if (at == scope.session.variables.end()) return Fail(VariableNotFound(name));
  ASSIGN_OR_RETURN(Value value, scope.analyzer.AnalyzeConstant(expr, at->second->type));
  at->second = Constant(std::move(value), at->second->type);
  return {};
}

// The first row of the query, NULLs when there is none.
Status AssignRow(StatementScope& scope, const sql::SetVariable& statement) {
  ASSIGN_OR_RETURN(plan::PlanPtr plan, scope.analyzer.AnalyzeQuery(*statement.query));
  ASSIGN_OR_RETURN(std::unique_ptr<exec::RowCursor> cursor,
                   scope.executor().Query(plan, scope.context()));
  ASSIGN_OR_RETURN(std::vector<ValueList> rows, cursor->Next());
  if (rows.size() > 1) {
    return FailWith(ErrorCode::kInvalidArgument, "SparkException", "ROW_SUBQUERY_TOO_MANY_ROWS",
                    "21000", "More than one row returned by a subquery used as a row.");
  }
  for (size_t i = 0; i < statement.assignments.size(); i++) {
    const sql::Name& name = statement.assignments[i].column;
    auto at = scope.session.variables.find(Utf8Lower(name.back()));
    if (at == scope.session.variables.end()) return Fail(VariableNotFound(name));
    at->second =
        Constant(rows.empty() || i >= rows[0].size() ? Value() : rows[0][i], at->second->type);
  }
  return {};
}

}  // namespace

Result<StatementResult> Run(StatementScope& scope, const sql::DeclareVariable& statement) {
  ASSIGN_OR_RETURN(sql::DataType type, TypeOf(scope, statement));
  Value value;
  if (statement.value) {
    ASSIGN_OR_RETURN(value, scope.analyzer.AnalyzeConstant(*statement.value->expr, type));
  }
  for (const sql::Name& name : statement.names) {
    std::string key = Utf8Lower(name.back());
    if (scope.session.variables.count(key) > 0 && !statement.or_replace) {
      return FailWith(
          ErrorCode::kAlreadyExists, "AnalysisException", "VARIABLE_ALREADY_EXISTS", "42723",
          "Cannot create the variable `system`.`session`." + sql::QuoteIdentifier(name.back()) +
              " because it already exists.\nChoose a different name, or drop or replace the "
              "existing variable.");
    }
    scope.session.variables[key] = Constant(value, type);
  }
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::SetVariable& statement) {
  if (statement.query != nullptr) {
    RETURN_IF_ERROR(AssignRow(scope, statement));
    return StatementResult();
  }
  for (const sql::Assignment& assignment : statement.assignments) {
    RETURN_IF_ERROR(AssignOne(scope, assignment.column, *assignment.value));
  }
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::DropVariable& statement) {
  if (scope.session.variables.erase(Utf8Lower(statement.name.back())) == 0 &&
      !statement.if_exists) {
    return Fail(VariableNotFound(statement.name));
  }
  return StatementResult();
}

Result<StatementResult> Run(StatementScope& scope, const sql::ExecuteImmediate& statement) {
  if (!statement.into.empty())
    return Fail(UnsupportedStatement(scope.session.current_catalog, "EXECUTE IMMEDIATE ... INTO"));
  ASSIGN_OR_RETURN(Value text,
                   scope.analyzer.AnalyzeConstant(*statement.text, sql::TypeKind::kString));
  if (text.is_null()) {
    return FailWith(ErrorCode::kAnalysis, "AnalysisException",
                    "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", "42K09",
                    "Expression type must be string type but got \"VOID\".");
  }
  ASSIGN_OR_RETURN(sql::Statement parsed, sql::ParseStatement(text.As<std::string>()));
  StatementScope inner(scope.session, parsed);
  return Run(inner, parsed);
}

}  // namespace iceblink::engine
