// Expressions: dispatch, names, fields, casts, subqueries.
#include <fmt/format.h>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string Negated(const std::string& text) { return fmt::format("(NOT {})", text); }

TypedExpr Not(TypedExpr typed) {
  std::string text = Negated(typed.text);
  return {MakeCall("not", {typed.expr}, DataType(TypeKind::kBoolean)), text};
}

tl::unexpected<Error> UnboundParameter(const sql::Parameter& node, const sql::Position& at) {
  std::string name = node.name.empty() ? fmt::format("_{}", at.start) : node.name;
  return Raise("UNBOUND_SQL_PARAMETER", {{"name", name}}, ToErrorPosition(at));
}

tl::unexpected<Error> MisplacedStar(const sql::Position& at) {
  return Raise("INVALID_USAGE_OF_STAR_OR_REGEX", {{"elem", "'*'"}, {"prettyName", "expression"}},
               ToErrorPosition(at));
}

tl::unexpected<Error> MisplacedLambda() {
  return Fail(ErrorCode::kAnalysis,
              "A lambda function should only be used in a higher order function.",
              "AnalysisException");
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::Expression(const sql::Expr& expr, const ExprContext& context) {
  const sql::Position& at = expr.position;
  using R = Result<TypedExpr>;
  return std::visit(
      Overloaded{
          [&](const sql::Literal& node) -> R {
            return TypedExpr{MakeLiteral(node.value, node.type),
                             LiteralText(node.value, node.type, settings_.time_zone)};
          },
          [&](const sql::DatetimeLiteral& node) -> R { return LiteralOf(node); },
          [&](const sql::Parameter& node) -> R { return UnboundParameter(node, at); },
          [&](const sql::NamedColumn& node) -> R {
            return node.plan_id ? DataFrameColumn(node, at, context)
                                : ColumnName(node.parts, at, context);
          },
          [&](const sql::Star&) -> R { return MisplacedStar(at); },
          [&](const sql::UnaryOp& node) -> R { return Unary(node, at, context); },
          [&](const sql::BinaryOp& node) -> R { return Binary(node, at, context); },
          [&](const sql::Cast& node) -> R { return WrittenCast(node, at, context); },
          [&](const sql::Case& node) -> R { return CaseWhen(node, at, context); },
          [&](const sql::InList& node) -> R { return InValues(node, at, context); },
          [&](const sql::InSubquery& node) -> R { return SubqueryIn(node, at, context); },
          [&](const sql::Between& node) -> R { return BetweenBounds(node, at, context); },
          [&](const sql::Like& node) -> R { return LikePattern(node, at, context); },
          [&](const sql::IsNull& node) -> R {
            return NullTest(*node.child, node.negated, context);
          },
          [&](const sql::IsTruth& node) -> R { return TruthTest(node, at, context); },
          [&](const sql::IsDistinctFrom& node) -> R { return DistinctTest(node, at, context); },
          [&](const sql::Subscript& node) -> R {
            ASSIGN_OR_RETURN(TypedExpr base, Expression(*node.child, context));
            ASSIGN_OR_RETURN(TypedExpr index, Expression(*node.index, context));
            return Subscript(std::move(base), std::move(index), ToErrorPosition(at));
          },
          [&](const sql::FieldAccess& node) -> R {
            ASSIGN_OR_RETURN(TypedExpr base, Expression(*node.child, context));
            return Field(std::move(base), node.field, std::nullopt);
          },
          [&](const sql::VariantPath& node) -> R { return VariantField(node, context); },
          [&](const sql::Collate& node) -> R { return Expression(*node.child, context); },
          [&](const sql::FunctionCall& node) -> R { return FunctionCall(node, at, context); },
          [&](const sql::Lambda&) -> R { return MisplacedLambda(); },
          [&](const sql::StructConstructor& node) -> R { return StructOf(node, context); },
          [&](const sql::Extract& node) -> R {
            ASSIGN_OR_RETURN(TypedExpr source, Expression(*node.source, context));
            std::string text = fmt::format("extract({} FROM {})", node.field, source.text);
            return ExtractField(node.field, std::move(text), std::move(source),
                                ToErrorPosition(at));
          },
          [&](const sql::Trim& node) -> R { return TrimText(node, at, context); },
          [&](const sql::Overlay& node) -> R { return OverlayText(node, at, context); },
          [&](const sql::Exists& node) -> R { return SubqueryExists(node, context); },
          [&](const sql::ScalarSubquery& node) -> R { return SubqueryScalar(node, at, context); },
      },
      expr.node);
}

// ---- small nodes
// ------------------------------------------------------------------------------------------------------

Result<TypedExpr> QueryAnalyzer::WrittenCast(const sql::Cast& node, const sql::Position& at,
                                             const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*node.child, context));
  std::string text = fmt::format("{}({} AS {})", node.is_try ? "TRY_CAST" : "CAST", child.text,
                                 node.type.SqlString());
  if (node.type.is_nested()) text = child.text;
  CastMode mode = node.is_try ? CastMode::kTry : cast_mode();
  return CastTo(std::move(child), node.type, mode, std::move(text), ToErrorPosition(at));
}

Result<TypedExpr> QueryAnalyzer::NullTest(const sql::Expr& operand, bool negated,
                                          const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr child, Expression(operand, context));
  return TypedExpr{
      MakeCall(negated ? "isnotnull" : "isnull", {child.expr}, DataType(TypeKind::kBoolean), false),
      fmt::format("({} IS {}NULL)", child.text, negated ? "NOT " : "")};
}

Result<TypedExpr> QueryAnalyzer::TruthTest(const sql::IsTruth& node, const sql::Position& at,
                                           const ExprContext& context) {
  if (node.truth == sql::Truth::kUnknown) return NullTest(*node.child, node.negated, context);
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*node.child, context));
  bool value = node.truth == sql::Truth::kTrue;
  TypedExpr literal{MakeBool(value), value ? "true" : "false"};
  ASSIGN_OR_RETURN(TypedExpr same,
                   Comparison("<=>", std::move(child), std::move(literal), ToErrorPosition(at)));
  return node.negated ? Not(std::move(same)) : same;
}

Result<TypedExpr> QueryAnalyzer::DistinctTest(const sql::IsDistinctFrom& node,
                                              const sql::Position& at, const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr left, Expression(*node.left, context));
  ASSIGN_OR_RETURN(TypedExpr right, Expression(*node.right, context));
  ASSIGN_OR_RETURN(TypedExpr same,
                   Comparison("<=>", std::move(left), std::move(right), ToErrorPosition(at)));
  return node.negated ? same : Not(std::move(same));
}

Result<TypedExpr> QueryAnalyzer::VariantField(const sql::VariantPath& node,
                                              const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr base, Expression(*node.child, context));
  std::string text = fmt::format("variant_get({}, $.{})", base.text, node.path);
  ExprPtr path = MakeString("$." + node.path);
  return TypedExpr{MakeCall("variant_get", {base.expr, path}, DataType(TypeKind::kVariant), true),
                   text};
}

Result<TypedExpr> QueryAnalyzer::OverlayText(const sql::Overlay& node, const sql::Position& at,
                                             const ExprContext& context) {
  sql::FunctionCall call;
  call.name = {"overlay"};
  for (const auto& arg : {node.input, node.replacement, node.position, node.length})
    if (arg) call.args.push_back({{}, arg});
  return FunctionCall(call, at, context);
}

// ---- names
// ------------------------------------------------------------------------------------------------------------

namespace {

std::optional<size_t> FindLambdaParameter(const LambdaScope& scope, const NameRules& names,
                                          const std::string& name) {
  for (size_t i = 0; i < scope.parameters.size(); ++i)
    if (names.Same(scope.parameters[i].name, name)) return i;
  return std::nullopt;
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::ColumnName(const sql::Name& name, const sql::Position& at,
                                            const ExprContext& context) {
  ErrorPosition position = ToErrorPosition(at);
  auto with_fields = [&](TypedExpr base, size_t used) -> Result<TypedExpr> {
    for (size_t i = used; i < name.size(); ++i) {
      ASSIGN_OR_RETURN(base, Field(std::move(base), name[i], position));
    }
    return base;
  };
  for (const LambdaScope* lambda = context.lambdas; lambda != nullptr; lambda = lambda->outer)
    if (auto index = FindLambdaParameter(*lambda, names_, name[0]))
      return with_fields({MakeColumn(lambda->parameters[*index]), "namedlambdavariable()"}, 1);

  auto alias = [&]() -> Result<std::optional<TypedExpr>> {
    const AliasedExpr* found = nullptr;
    if (context.aliases == nullptr) return std::nullopt;
    for (const AliasedExpr& item : *context.aliases) {
      if (!names_.Same(item.name, name[0])) continue;
      if (found != nullptr && !SameExpr(found->value.expr, item.value.expr))
        return Raise("AMBIGUOUS_REFERENCE",
                     {{"name", sql::QuoteName(name)},
                      {"referenceNames", fmt::format("[`{}`, `{}`]", found->name, item.name)}},
                     position);
      if (found == nullptr) found = &item;
    }
    if (found == nullptr) return std::nullopt;
    return TypedExpr{found->value.expr, name[0]};
  };
  if (context.aliases_first) {
    ASSIGN_OR_RETURN(auto found, alias());
    if (found) return with_fields(std::move(*found), 1);
  }
  bool inner = true;
  for (const Scope* scope = context.scope; scope != nullptr; scope = scope->outer) {
    ASSIGN_OR_RETURN(auto match, names_.Find(*scope, name, position));
    if (match) {
      Column column = match->column->column;
      column.name = name[match->used_parts - 1];
      return with_fields({MakeColumn(column), column.name}, match->used_parts);
    }
    if (inner && !context.aliases_first) {
      ASSIGN_OR_RETURN(auto found, alias());
      if (found) return with_fields(std::move(*found), 1);
    }
    inner = false;
  }
  if (ExprPtr variable = resolver_.FindVariable(name)) return TypedExpr{variable, name.back()};
  return Fail(
      UnresolvedColumn(name, context.scope != nullptr ? *context.scope : Scope(), position));
}

Result<TypedExpr> QueryAnalyzer::Field(TypedExpr base, const std::string& field,
                                       std::optional<ErrorPosition> at) {
  const DataType& type = base.expr->type;
  std::string text = fmt::format("{}.{}", base.text, field);
  if (type.kind() == TypeKind::kMap && type.key().is_string())
    return TypedExpr{MakeCall("get_map_value", {base.expr, MakeString(field)}, type.value(), true),
                     fmt::format("{}[{}]", base.text, field)};
  bool array = type.kind() == TypeKind::kArray;
  const DataType& holder = array ? type.element() : type;
  if (holder.kind() != TypeKind::kStruct)
    return Raise("INVALID_EXTRACT_BASE_FIELD_TYPE",
                 {{"base", InDoubleQuotes(base.text)}, {"other", InDoubleQuotes(type.SqlString())}},
                 at);
  const auto& fields = holder.fields();
  std::vector<size_t> found;
  std::vector<std::string> known;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (names_.Same(fields[i].name, field)) found.push_back(i);
    known.push_back(sql::QuoteIdentifier(fields[i].name));
  }
  if (found.empty())
    return Raise(
        "FIELD_NOT_FOUND",
        {{"fieldName", sql::QuoteIdentifier(field)}, {"fields", iceblink::Join(known, ", ")}}, at);
  if (found.size() > 1)
    return Raise("AMBIGUOUS_REFERENCE_TO_FIELDS",
                 {{"field", sql::QuoteIdentifier(field)}, {"count", std::to_string(found.size())}},
                 at);
  const sql::StructField& target = fields[found[0]];
  std::vector<ExprPtr> args = {base.expr, MakeInt(static_cast<int32_t>(found[0])),
                               MakeString(target.name)};
  if (array)
    return TypedExpr{MakeCall("get_array_struct_fields", std::move(args),
                              DataType::Array(target.type, target.nullable || type.contains_null()),
                              base.expr->nullable),
                     text};
  return TypedExpr{MakeCall("get_struct_field", std::move(args), target.type,
                            base.expr->nullable || target.nullable),
                   text};
}

Result<TypedExpr> QueryAnalyzer::Subscript(TypedExpr base, TypedExpr index, ErrorPosition at) {
  const DataType& type = base.expr->type;
  std::string text = fmt::format("{}[{}]", base.text, index.text);
  switch (type.kind()) {
    case TypeKind::kArray:
      if (!index.expr->type.is_integral())
        return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                     {{"sqlExpr", InDoubleQuotes(text)},
                      {"paramIndex", "second"},
                      {"requiredType", InDoubleQuotes("INTEGRAL")},
                      {"inputSql", InDoubleQuotes(index.text)},
                      {"inputType", InDoubleQuotes(index.expr->type.SqlString())}},
                     at);
      return TypedExpr{
          MakeCall(Operator("get_array_item"), {base.expr, index.expr}, type.element(), true),
          text};
    case TypeKind::kMap: {
      ASSIGN_OR_RETURN(TypedExpr key, CastTo(std::move(index), type.key(), cast_mode(), {}, at));
      return TypedExpr{MakeCall("get_map_value", {base.expr, key.expr}, type.value(), true), text};
    }
    case TypeKind::kStruct:
      if (const Value* name = LiteralValue(index.expr); name != nullptr && name->Is<std::string>())
        return Field(std::move(base), name->As<std::string>(), at);
      return Raise("INVALID_EXTRACT_FIELD_TYPE", {{"extraction", InDoubleQuotes(index.text)}}, at);
    default:
      return Raise(
          "INVALID_EXTRACT_BASE_FIELD_TYPE",
          {{"base", InDoubleQuotes(base.text)}, {"other", InDoubleQuotes(type.SqlString())}}, at);
  }
}

// ---- casts
// ------------------------------------------------------------------------------------------------------------

namespace {

// Functions that do what a refused cast between two types was meant to do.
std::string_view CastSuggestion(const DataType& from, const DataType& to) {
  if (from.kind() == TypeKind::kDate && to.is_numeric()) return "`UNIX_DATE`";
  if (from.is_numeric() && to.kind() == TypeKind::kDate) return "`DATE_FROM_UNIX_DATE`";
  if (from.kind() == TypeKind::kTimestamp && to.kind() == TypeKind::kBoolean) return "";
  return "";
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::CastTo(TypedExpr child, const DataType& type, CastMode mode,
                                        std::string text, ErrorPosition at) {
  const DataType& from = child.expr->type;
  bool ansi = mode != CastMode::kLegacy;
  if (text.empty()) text = child.text;
  if (type.kind() == TypeKind::kTime) return Raise("UNSUPPORTED_TIME_TYPE");
  if (!CanCast(from, type, ansi)) {
    std::string_view functions = CastSuggestion(from, type);
    return Raise(functions.empty() ? "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"
                                   : "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"srcType", InDoubleQuotes(from.SqlString())},
                  {"targetType", InDoubleQuotes(type.SqlString())},
                  {"functionNames", std::string(functions)}},
                 at);
  }
  DataType target = type.kind() == TypeKind::kChar || type.kind() == TypeKind::kVarchar
                        ? DataType(TypeKind::kString)
                        : type;
  bool renames = target.is_nested() && !(from == target);
  if (renames && DataType::EqualsIgnoringNullability(from, target, true) &&
      !DataType::EqualsIgnoringNullability(from, target))
    return TypedExpr{MakeExpr(Cast{child.expr, mode, {}}, target, child.expr->nullable), text};
  return TypedExpr{MakeCast(child.expr, target, mode), text};
}

// ---- conditions
// -------------------------------------------------------------------------------------------------------

Result<TypedExpr> QueryAnalyzer::Boolean(const sql::Expr& expr, const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr typed, Expression(expr, context));
  if (typed.expr->type.is_void() || typed.expr->type.is_string())
    typed.expr = MakeCast(typed.expr, DataType(TypeKind::kBoolean), cast_mode());
  return typed;
}

Result<TypedExpr> QueryAnalyzer::Condition(const sql::Expr& expr, const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr typed, Expression(expr, context));
  if (typed.expr->type.kind() != TypeKind::kBoolean)
    return Raise("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                 {{"sqlExpr", InDoubleQuotes(typed.text)},
                  {"filter", InDoubleQuotes(typed.text)},
                  {"type", InDoubleQuotes(typed.expr->type.SqlString())}},
                 ErrorPosition{1, 0});
  return typed;
}

// ---- subqueries
// -------------------------------------------------------------------------------------------------------

Result<PlanPtr> QueryAnalyzer::SubqueryPlan(const sql::Query& query, const ExprContext& context) {
  Env env = *context.env;
  env.outer = context.scope;
  return Query(query, env);
}

Result<TypedExpr> QueryAnalyzer::SubqueryScalar(const sql::ScalarSubquery& node,
                                                const sql::Position& at,
                                                const ExprContext& context) {
  ASSIGN_OR_RETURN(PlanPtr plan, SubqueryPlan(*node.query, context));
  if (plan->output.size() != 1)
    return Raise("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
                 {{"number", std::to_string(plan->output.size())}}, ToErrorPosition(at));
  DataType type = plan->output[0].type;
  return TypedExpr{MakeExpr(ScalarSubquery{std::move(plan)}, std::move(type), true),
                   "scalarsubquery()"};
}

Result<TypedExpr> QueryAnalyzer::SubqueryExists(const sql::Exists& node,
                                                const ExprContext& context) {
  ASSIGN_OR_RETURN(PlanPtr plan, SubqueryPlan(*node.query, context));
  return TypedExpr{MakeExpr(ExistsSubquery{std::move(plan)}, DataType(TypeKind::kBoolean), false),
                   "exists()"};
}

Result<TypedExpr> QueryAnalyzer::SubqueryIn(const sql::InSubquery& node, const sql::Position& at,
                                            const ExprContext& context) {
  std::vector<TypedExpr> values;
  if (const auto* row = node.child->As<sql::StructConstructor>()) {
    for (const sql::NamedExpr& field : row->fields) {
      ASSIGN_OR_RETURN(TypedExpr value, Expression(*field.expr, context));
      values.push_back(std::move(value));
    }
  } else {
    ASSIGN_OR_RETURN(TypedExpr value, Expression(*node.child, context));
    values.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(PlanPtr plan, SubqueryPlan(*node.query, context));
  std::vector<std::string> texts, quoted, columns;
  for (const TypedExpr& value : values)
    texts.push_back(value.text), quoted.push_back(InDoubleQuotes(value.text));
  for (const Column& column : plan->output) columns.push_back(InDoubleQuotes(column.name));
  std::string left =
      texts.size() == 1 ? texts[0] : fmt::format("named_struct({})", iceblink::Join(texts, ", "));
  std::string text = fmt::format("({} IN (listquery()))", left);
  // Spark points at the word IN.
  ErrorPosition position = ToErrorPosition(at);
  position.column += node.child->position.stop - node.child->position.start + 1;
  if (plan->output.size() != values.size())
    return Raise("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"leftLength", std::to_string(values.size())},
                  {"leftColumns", iceblink::Join(quoted, ", ")},
                  {"rightLength", std::to_string(columns.size())},
                  {"rightColumns", iceblink::Join(columns, ", ")}},
                 position);
  std::vector<DataType> types;
  InSubquery in;
  bool nullable = false;
  for (size_t i = 0; i < values.size(); ++i) {
    auto type = CommonType(values[i].expr->type, plan->output[i].type, settings_.ansi);
    if (!type)
      return Raise("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
                   {{"sqlExpr", InDoubleQuotes(text)},
                    {"left", InDoubleQuotes(values[i].expr->type.SqlString())},
                    {"right", InDoubleQuotes(plan->output[i].type.SqlString())}},
                   position);
    types.push_back(*type);
    in.values.push_back(MakeCast(values[i].expr, *type, cast_mode()));
    nullable = nullable || values[i].expr->nullable || plan->output[i].nullable;
  }
  in.plan = CastColumns(plan, types, cast_mode());
  TypedExpr typed{MakeExpr(std::move(in), DataType(TypeKind::kBoolean), nullable), text};
  return node.negated ? Not(std::move(typed)) : typed;
}

}  // namespace iceblink::plan
