// Lowering of expressions: everything but casts, aggregates and the function table.
#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"
#include "exec/lowering.h"
#include "plan/functions.h"

namespace iceblink::exec {

using plan::Expr;
using plan::ExprPtr;

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

// Calls whose text has the right DuckDB type by itself.
bool NeedsNoCast(const Expr& expr) {
  return expr.type.kind() == sql::TypeKind::kBoolean || expr.type.is_void();
}

}  // namespace

Result<std::string> Lowering::Expression(const ExprPtr& expr) {
  using R = Result<std::string>;
  return std::visit(
      Overloaded{
          [&](const plan::ColumnRef& ref) -> R { return Name(ref.id); },
          [&](const plan::LiteralExpr& literal) -> R {
            if (expr->type.kind() == sql::TypeKind::kVariant) extensions_.json = true;
            if (expr->type.is_nested()) NeedCoreFunctions();  // list_value, map
            return LiteralSql(literal.value, expr->type);
          },
          [&](const plan::Call& call) -> R { return Call(*expr, call); },
          [&](const plan::Cast& cast) -> R {
            ASSIGN_OR_RETURN(std::optional<std::string> exact, ExactCast(cast, expr->type));
            if (exact) return std::move(*exact);
            ASSIGN_OR_RETURN(std::string text, Expression(cast.child));
            return CastText(text, cast.child->type, expr->type, cast.mode, cast.target_column);
          },
          [&](const plan::Case& node) -> R {
            ASSIGN_OR_RETURN(std::string text, CaseText(node));
            return "CAST(" + text + " AS " + TypeSql(expr->type) + ")";
          },
          [&](const plan::Lambda& lambda) -> R { return LambdaText(lambda); },
          [&](const plan::AggregateCall& call) -> R { return Aggregate(*expr, call, ""); },
          [&](const plan::WindowCall& call) -> R { return WindowText(*expr, call); },
          [&](const plan::ScalarSubquery& subquery) -> R {
            ASSIGN_OR_RETURN(std::string text, Query(subquery.plan));
            return "(" + text + ")";
          },
          [&](const plan::ExistsSubquery& subquery) -> R {
            ASSIGN_OR_RETURN(std::string text, Query(subquery.plan));
            return "EXISTS (" + text + ")";
          },
          [&](const plan::InSubquery& subquery) -> R {
            std::vector<std::string> values;
            for (const ExprPtr& value : subquery.values) {
              ASSIGN_OR_RETURN(std::string text, Expression(value));
              values.push_back(std::move(text));
            }
            ASSIGN_OR_RETURN(std::string text, Query(subquery.plan));
            return "((" + Join(values, ", ") + ") IN (" + text + "))";
          },
      },
      expr->node);
}

Result<std::string> Lowering::Call(const Expr& expr, const plan::Call& call) {
  const FunctionSql* row = FindFunctionSql(call.function);
  if (row == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "Function " + std::string(call.function) + " is not supported yet",
                "UnsupportedOperationException");
  }
  // NULL of no type has no place in DuckDB's overloads.
  const plan::FunctionRow* known = plan::FindFunction(call.function);
  if (known != nullptr && known->nulls == plan::NullRule::kIfAnyArgument &&
      call.function != "concat_ws") {
    for (const ExprPtr& arg : call.args) {
      if (arg->type.is_void()) return "CAST(NULL AS " + TypeSql(expr.type) + ")";
    }
  }
  std::vector<std::string> args;
  for (const ExprPtr& arg : call.args) {
    ASSIGN_OR_RETURN(std::string text, Expression(arg));
    args.push_back(std::move(text));
  }
  std::string text;
  if (row->emit != nullptr) {
    ASSIGN_OR_RETURN(text, row->emit(*this, expr, call, args));
  } else {
    text = FillTemplate(row->text, args, context_.time_zone);
  }
  if (text.find('(') != std::string::npos) extensions_.core_functions = true;
  if (NeedsNoCast(expr)) return text;
  return "CAST(" + text + " AS " + TypeSql(expr.type) + ")";
}

Result<std::string> Lowering::CaseText(const plan::Case& node) {
  std::string out = "CASE";
  for (const auto& [condition, value] : node.branches) {
    ASSIGN_OR_RETURN(std::string when, Expression(condition));
    ASSIGN_OR_RETURN(std::string then, Expression(value));
    out += " WHEN " + when + " THEN " + then;
  }
  if (node.otherwise != nullptr) {
    ASSIGN_OR_RETURN(std::string otherwise, Expression(node.otherwise));
    out += " ELSE " + otherwise;
  }
  return out + " END";
}

Result<std::string> Lowering::LambdaText(const plan::Lambda& node) {
  std::vector<std::string> names;
  for (plan::ColumnId id : node.parameters) names.push_back(Name(id));
  ASSIGN_OR_RETURN(std::string body, Expression(node.body));
  return "lambda " + Join(names, ", ") + ": " + body;
}

namespace {

// Fields of a struct one by one: inside nested values DuckDB puts NULL last, Spark first.
void AddStructKeys(const std::string& text, const plan::DataType& type, bool ascending,
                   std::vector<std::string>* parts) {
  const char* order = ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST";
  std::vector<std::string> names = StructNames(type);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string field = "struct_extract(" + text + ", " + QuoteText(names[i]) + ")";
    if (type.fields()[i].type.kind() == sql::TypeKind::kStruct) {
      parts->push_back("(" + field + " IS NOT NULL)" + (ascending ? " ASC" : " DESC"));
      AddStructKeys(field, type.fields()[i].type, ascending, parts);
    } else {
      parts->push_back(field + order);
    }
  }
}

}  // namespace

Result<std::string> Lowering::Keys(const std::vector<plan::SortKey>& keys) {
  std::vector<std::string> parts;
  for (const plan::SortKey& key : keys) {
    ASSIGN_OR_RETURN(std::string text, Expression(key.expr));
    if (key.expr->type.kind() == sql::TypeKind::kStruct &&
        key.expr->As<plan::ColumnRef>() != nullptr) {
      parts.push_back("(" + text + " IS NULL)" + (key.nulls_first ? " DESC" : " ASC"));
      AddStructKeys(text, key.expr->type, key.ascending, &parts);
      continue;
    }
    // A bare number would be an ordinal.
    if (key.expr->As<plan::LiteralExpr>() != nullptr) text = "(" + text + " IS NULL)";
    parts.push_back(text + (key.ascending ? " ASC" : " DESC") +
                    (key.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
  }
  return Join(parts, ", ");
}

}  // namespace iceblink::exec
