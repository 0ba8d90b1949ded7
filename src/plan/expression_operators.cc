// Expressions: operators, CASE, IN, BETWEEN, LIKE and struct constructors.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

const DataType kBoolean(TypeKind::kBoolean);

bool IsFloating(const DataType& type) {
  return type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
}

tl::unexpected<Error> DifferentTypes(const std::string& text, const TypedExpr& left,
                                     const TypedExpr& right, ErrorPosition at) {
  return Raise("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
               {{"sqlExpr", InDoubleQuotes(text)},
                {"left", InDoubleQuotes(left.expr->type.SqlString())},
                {"right", InDoubleQuotes(right.expr->type.SqlString())}},
               at);
}

tl::unexpected<Error> WrongType(const std::string& text, std::string_view wanted,
                                const DataType& actual, ErrorPosition at) {
  return Raise("DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
               {{"sqlExpr", InDoubleQuotes(text)},
                {"inputType", InDoubleQuotes(wanted)},
                {"actualDataType", InDoubleQuotes(actual.SqlString())}},
               at);
}

// Spark's operator text in names; `<>` is NOT (=).
struct OperatorRow {
  sql::BinaryOperator op;
  std::string_view function;
  enum class Kind { kLogical, kComparison, kArithmetic, kBits, kShift, kConcat } kind;
};
using Kind = OperatorRow::Kind;
constexpr OperatorRow kOperators[] = {
    {sql::BinaryOperator::kOr, "or", Kind::kLogical},
    {sql::BinaryOperator::kAnd, "and", Kind::kLogical},
    {sql::BinaryOperator::kEq, "=", Kind::kComparison},
    {sql::BinaryOperator::kNotEq, "!=", Kind::kComparison},
    {sql::BinaryOperator::kNullSafeEq, "<=>", Kind::kComparison},
    {sql::BinaryOperator::kLt, "<", Kind::kComparison},
    {sql::BinaryOperator::kLtEq, "<=", Kind::kComparison},
    {sql::BinaryOperator::kGt, ">", Kind::kComparison},
    {sql::BinaryOperator::kGtEq, ">=", Kind::kComparison},
    {sql::BinaryOperator::kAdd, "+", Kind::kArithmetic},
    {sql::BinaryOperator::kSubtract, "-", Kind::kArithmetic},
    {sql::BinaryOperator::kMultiply, "*", Kind::kArithmetic},
    {sql::BinaryOperator::kDivide, "/", Kind::kArithmetic},
    {sql::BinaryOperator::kIntDivide, "div", Kind::kArithmetic},
    {sql::BinaryOperator::kModulo, "%", Kind::kArithmetic},
    {sql::BinaryOperator::kConcat, "concat", Kind::kConcat},
    {sql::BinaryOperator::kBitAnd, "&", Kind::kBits},
    {sql::BinaryOperator::kBitOr, "|", Kind::kBits},
    {sql::BinaryOperator::kBitXor, "^", Kind::kBits},
    {sql::BinaryOperator::kShiftLeft, "<<", Kind::kShift},
    {sql::BinaryOperator::kShiftRight, ">>", Kind::kShift},
    {sql::BinaryOperator::kShiftRightUnsigned, ">>>", Kind::kShift},
};

const OperatorRow& RowOf(sql::BinaryOperator op) {
  return *std::find_if(std::begin(kOperators), std::end(kOperators),
                       [op](const OperatorRow& row) { return row.op == op; });
}

Result<TypedExpr> Logical(std::string_view op, TypedExpr left, TypedExpr right, CastMode mode,
                          ErrorPosition at) {
  std::string text = fmt::format("({} {} {})", left.text, AsciiUpper(op), right.text);
  for (TypedExpr* side : {&left, &right})
    if (side->expr->type.is_void() || side->expr->type.is_string())
      side->expr = MakeCast(side->expr, kBoolean, mode);
  if (left.expr->type != right.expr->type) return DifferentTypes(text, left, right, at);
  if (left.expr->type != kBoolean) return WrongType(text, "BOOLEAN", left.expr->type, at);
  return TypedExpr{MakeCall(op, {left.expr, right.expr}, kBoolean), text};
}

Result<TypedExpr> Bits(std::string_view op, TypedExpr left, TypedExpr right, CastMode mode,
                       ErrorPosition at) {
  std::string text = fmt::format("({} {} {})", left.text, op, right.text);
  auto type = CommonType(left.expr->type, right.expr->type);
  if (!type) return DifferentTypes(text, left, right, at);
  if (type->is_void()) type = DataType(TypeKind::kInt);
  if (!type->is_integral()) return WrongType(text, "INTEGRAL", *type, at);
  return TypedExpr{
      MakeCall(op, {MakeCast(left.expr, *type, mode), MakeCast(right.expr, *type, mode)}, *type),
      text};
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::Binary(const sql::BinaryOp& op, const sql::Position& at,
                                        const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr left, Expression(*op.left, context));
  ASSIGN_OR_RETURN(TypedExpr right, Expression(*op.right, context));
  const OperatorRow& row = RowOf(op.op);
  ErrorPosition position = ToErrorPosition(at);
  switch (row.kind) {
    case Kind::kLogical:
      return Logical(row.function, std::move(left), std::move(right), cast_mode(), position);
    case Kind::kArithmetic:
      return Arithmetic(row.function, std::move(left), std::move(right), position);
    case Kind::kBits:
      return Bits(row.function, std::move(left), std::move(right), cast_mode(), position);
    case Kind::kConcat: {
      std::vector<TypedExpr> args;
      args.push_back(std::move(left));
      args.push_back(std::move(right));
      return ScalarCall(*FindFunction("concat"), "concat", std::move(args), position);
    }
    case Kind::kShift: {
      std::string text = fmt::format("({} {} {})", left.text, row.function, right.text);
      ExprPtr count = MakeCast(right.expr, DataType(TypeKind::kInt), cast_mode());
      if (!left.expr->type.is_integral())
        return WrongType(text, "INTEGRAL", left.expr->type, position);
      DataType type =
          left.expr->type.kind() == TypeKind::kBigInt ? left.expr->type : DataType(TypeKind::kInt);
      return TypedExpr{
          MakeCall(row.function, {MakeCast(left.expr, type, cast_mode()), count}, type), text};
    }
    case Kind::kComparison:
      break;
  }
  if (row.function != "!=")
    return Comparison(row.function, std::move(left), std::move(right), position);
  ASSIGN_OR_RETURN(TypedExpr same, Comparison("=", std::move(left), std::move(right), position));
  return TypedExpr{MakeCall("not", {same.expr}, kBoolean), fmt::format("(NOT {})", same.text)};
}

Result<TypedExpr> QueryAnalyzer::Unary(const sql::UnaryOp& op, const sql::Position& at,
                                       const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*op.child, context));
  const DataType& type = child.expr->type;
  ErrorPosition position = ToErrorPosition(at);
  switch (op.op) {
    case sql::UnaryOperator::kNot: {
      std::string text = fmt::format("(NOT {})", child.text);
      if (type.is_void() || type.is_string())
        child.expr = MakeCast(child.expr, kBoolean, cast_mode());
      if (child.expr->type != kBoolean)
        return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                     {{"sqlExpr", InDoubleQuotes(text)},
                      {"paramIndex", "first"},
                      {"requiredType", InDoubleQuotes("BOOLEAN")},
                      {"inputSql", InDoubleQuotes(child.text)},
                      {"inputType", InDoubleQuotes(type.SqlString())}},
                     position);
      return TypedExpr{MakeCall("not", {child.expr}, kBoolean), text};
    }
    case sql::UnaryOperator::kMinus:
    case sql::UnaryOperator::kPlus: {
      bool minus = op.op == sql::UnaryOperator::kMinus;
      std::string text = fmt::format("({} {})", minus ? "-" : "+", child.text);
      ExprPtr operand = type.is_string() || type.is_void()
                            ? MakeCast(child.expr, DataType(TypeKind::kDouble), cast_mode())
                            : child.expr;
      DataType result = operand->type;
      if (!result.is_numeric() && !result.is_ansi_interval() &&
          result.kind() != TypeKind::kCalendarInterval)
        return WrongType(text, "NUMERIC", result, position);
      return TypedExpr{MakeCall(minus ? Operator("negative") : "positive", {operand}, result),
                       text};
    }
    case sql::UnaryOperator::kBitNot:
      break;
  }
  std::string text = fmt::format("~{}", child.text);
  if (!type.is_integral()) return WrongType(text, "INTEGRAL", type, position);
  return TypedExpr{MakeCall("~", {child.expr}, type), text};
}

// ---- arithmetic
// -------------------------------------------------------------------------------------------------------

namespace {

// Brings strings and NULL to the number they are computed as.
void StringsToNumbers(TypedExpr& side, const DataType& other, bool ansi, CastMode mode) {
  if (side.expr->type.is_string()) {
    bool integral = ansi && other.is_integral();
    side.expr =
        MakeCast(side.expr, DataType(integral ? TypeKind::kBigInt : TypeKind::kDouble), mode);
  } else if (side.expr->type.is_void()) {
    side.expr = MakeNull(other.is_numeric() ? other : DataType(TypeKind::kDouble));
  }
}

bool AlwaysNullable(std::string_view op) { return op == "/" || op == "%" || op == "div"; }

TypedExpr Decimals(std::string_view op, std::string_view function, const TypedExpr& left,
                   const TypedExpr& right, bool ansi, CastMode mode, std::string text) {
  auto literal = [](const ExprPtr& expr) {
    return expr->type.is_integral() ? LiteralValue(expr) : nullptr;
  };
  DataType a = DecimalOf(left.expr->type, literal(left.expr));
  DataType b = DecimalOf(right.expr->type, literal(right.expr));
  std::vector<ExprPtr> args = {MakeCast(left.expr, a, mode), MakeCast(right.expr, b, mode)};
  DataType type = op == "div" ? DataType(TypeKind::kBigInt) : DecimalResult(op, a, b);
  bool nullable = AlwaysNullable(op) || !ansi || args[0]->nullable || args[1]->nullable;
  return {MakeCall(function, std::move(args), std::move(type), nullable), std::move(text)};
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::Arithmetic(std::string_view op, TypedExpr left, TypedExpr right,
                                            ErrorPosition at) {
  bool handled = false;
  ASSIGN_OR_RETURN(TypedExpr dates, DateArithmetic(op, left, right, &handled));
  if (handled) return dates;
  std::string text = fmt::format("({} {} {})", left.text, op, right.text);
  CastMode mode = cast_mode();
  DataType left_type = left.expr->type, right_type = right.expr->type;
  StringsToNumbers(left, right_type, settings_.ansi, mode);
  StringsToNumbers(right, left_type, settings_.ansi, mode);
  const DataType& a = left.expr->type;
  const DataType& b = right.expr->type;
  if (!a.is_numeric() || !b.is_numeric()) {
    if (!(a == b)) return DifferentTypes(text, left, right, at);
    return WrongType(
        text,
        op == "+" || op == "-"
            ? "(NUMERIC or INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH or INTERVAL)"
            : "NUMERIC",
        a, at);
  }
  std::string_view function = Operator(op);
  bool decimal = a.kind() == TypeKind::kDecimal || b.kind() == TypeKind::kDecimal;
  if (decimal && !IsFloating(a) && !IsFloating(b))
    return Decimals(op, function, left, right, settings_.ansi, mode, std::move(text));
  DataType type = *CommonType(a, b);
  if (op == "/") type = DataType(TypeKind::kDouble);
  if (op == "div") type = DataType(TypeKind::kBigInt);
  bool nullable = AlwaysNullable(op) || left.expr->nullable || right.expr->nullable;
  return TypedExpr{
      MakeCall(function, {MakeCast(left.expr, type, mode), MakeCast(right.expr, type, mode)}, type,
               nullable),
      text};
}

// ---- comparison
// -------------------------------------------------------------------------------------------------------

Result<TypedExpr> QueryAnalyzer::Comparison(std::string_view op, TypedExpr left, TypedExpr right,
                                            ErrorPosition at) {
  std::string text = fmt::format("({} {} {})", left.text, op, right.text);
  DataType a = left.expr->type, b = right.expr->type;
  // A literal integer meets a decimal with its own digits.
  auto own_digits = [](const DataType& type, const DataType& other, const ExprPtr& expr) {
    const Value* value = LiteralValue(expr);
    bool decimal = other.kind() == TypeKind::kDecimal && type.is_integral() && value != nullptr;
    return decimal ? DecimalOf(type, value) : type;
  };
  auto type = CommonType(own_digits(a, b, left.expr), own_digits(b, a, right.expr), true);
  if (!type) return DifferentTypes(text, left, right, at);
  bool variant = type->kind() == TypeKind::kVariant || type->kind() == TypeKind::kMap;
  if (variant || !IsOrderable(*type))
    return Raise("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"functionName", fmt::format("`{}`", op)},
                  {"dataType", InDoubleQuotes(type->SqlString())}},
                 at);
  std::vector<ExprPtr> args = {MakeCast(left.expr, *type, cast_mode()),
                               MakeCast(right.expr, *type, cast_mode())};
  if (op == "<=>") return TypedExpr{MakeCall(op, std::move(args), kBoolean, false), text};
  return TypedExpr{MakeCall(op, std::move(args), kBoolean), text};
}

Result<TypedExpr> QueryAnalyzer::BetweenBounds(const sql::Between& node, const sql::Position& at,
                                               const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*node.child, context));
  ASSIGN_OR_RETURN(TypedExpr low, Expression(*node.low, context));
  ASSIGN_OR_RETURN(TypedExpr high, Expression(*node.high, context));
  std::string text = fmt::format("between({}, {}, {})", child.text, low.text, high.text);
  ErrorPosition position = ToErrorPosition(at);
  ASSIGN_OR_RETURN(TypedExpr above, Comparison(">=", child, std::move(low), position));
  ASSIGN_OR_RETURN(TypedExpr below, Comparison("<=", std::move(child), std::move(high), position));
  ExprPtr both = MakeAnd(above.expr, below.expr);
  if (!node.negated) return TypedExpr{both, text};
  return TypedExpr{MakeCall("not", {both}, kBoolean), fmt::format("(NOT {})", text)};
}

bool QueryAnalyzer::ToCommonType(std::vector<TypedExpr>& exprs) {
  std::vector<DataType> types;
  for (const TypedExpr& typed : exprs) types.push_back(typed.expr->type);
  auto common = CommonType(types, settings_.ansi);
  if (!common) return false;
  for (TypedExpr& typed : exprs) typed.expr = MakeCast(typed.expr, *common, cast_mode());
  return true;
}

Result<TypedExpr> QueryAnalyzer::InValues(const sql::InList& node, const sql::Position& at,
                                          const ExprContext& context) {
  std::vector<TypedExpr> values;
  std::vector<std::string> texts, types;
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*node.child, context));
  values.push_back(std::move(child));
  for (const sql::ExprPtr& item : node.list) {
    ASSIGN_OR_RETURN(TypedExpr value, Expression(*item, context));
    texts.push_back(value.text);
    values.push_back(std::move(value));
  }
  std::string text = fmt::format("({} IN ({}))", values[0].text, iceblink::Join(texts, ", "));
  for (const TypedExpr& value : values)
    types.push_back(InDoubleQuotes(value.expr->type.SqlString()));
  if (!ToCommonType(values))
    return Raise("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"functionName", "`in`"},
                  {"dataType", fmt::format("[{}]", iceblink::Join(types, ", "))}},
                 ToErrorPosition(at));
  std::vector<ExprPtr> args;
  for (TypedExpr& value : values) args.push_back(value.expr);
  ExprPtr in = MakeCall("in", std::move(args), kBoolean);
  if (!node.negated) return TypedExpr{in, text};
  return TypedExpr{MakeCall("not", {in}, kBoolean), fmt::format("(NOT {})", text)};
}

// ---- LIKE
// -------------------------------------------------------------------------------------------------------------

Result<TypedExpr> QueryAnalyzer::LikePattern(const sql::Like& node, const sql::Position& at,
                                             const ExprContext& context) {
  ASSIGN_OR_RETURN(TypedExpr child, Expression(*node.child, context));
  const DataType string(TypeKind::kString);
  ASSIGN_OR_RETURN(TypedExpr subject, CastTo(child, string, cast_mode(), {}, ToErrorPosition(at)));
  static constexpr std::string_view kFunctions[] = {"like", "ilike", "rlike"};
  std::string_view function = kFunctions[static_cast<size_t>(node.kind)];
  bool any = node.quantifier == sql::LikeQuantifier::kAny;
  ExprPtr result;
  std::string pattern_text;
  for (const sql::ExprPtr& item : node.patterns) {
    ASSIGN_OR_RETURN(TypedExpr pattern, Expression(*item, context));
    pattern_text = pattern.text;
    std::vector<ExprPtr> args = {subject.expr, MakeCast(pattern.expr, string, cast_mode())};
    if (node.kind != sql::LikeKind::kRLike && node.escape != "\\")
      args.push_back(MakeString(node.escape));
    ExprPtr one = MakeCall(function, std::move(args), kBoolean);
    if (node.quantifier != sql::LikeQuantifier::kNone && node.negated)
      one = MakeCall("not", {one}, kBoolean);
    result = result ? MakeCall(any ? "or" : "and", {result, one}, kBoolean) : one;
  }
  if (node.quantifier != sql::LikeQuantifier::kNone)
    return TypedExpr{result, fmt::format("{}like{}({})", node.negated ? "not" : "",
                                         any ? "any" : "all", child.text)};
  std::string escape = node.escape == "\\" ? "" : fmt::format(" ESCAPE '{}'", node.escape);
  std::string text;
  switch (node.kind) {
    case sql::LikeKind::kLike:
      text = fmt::format("{} LIKE {}{}", child.text, pattern_text, escape);
      break;
    case sql::LikeKind::kILike:
      text = fmt::format("ilike({}, {})", child.text, pattern_text);
      break;
    case sql::LikeKind::kRLike:
      text = fmt::format("RLIKE({}, {})", child.text, pattern_text);
      break;
  }
  if (!node.negated) return TypedExpr{result, text};
  return TypedExpr{MakeCall("not", {result}, kBoolean), fmt::format("(NOT {})", text)};
}

// ---- CASE and structs
// -------------------------------------------------------------------------------------------------

Result<TypedExpr> QueryAnalyzer::CaseWhen(const sql::Case& node, const sql::Position& at,
                                          const ExprContext& context) {
  std::vector<TypedExpr> conditions, values;
  std::string text = "CASE";
  std::vector<std::string> branches;
  for (const sql::WhenClause& when : node.whens) {
    ASSIGN_OR_RETURN(TypedExpr condition, Expression(*when.condition, context));
    if (node.operand) {
      ASSIGN_OR_RETURN(TypedExpr operand, Expression(*node.operand, context));
      ASSIGN_OR_RETURN(condition, Comparison("=", std::move(operand), std::move(condition),
                                             ToErrorPosition(at)));
    }
    ASSIGN_OR_RETURN(TypedExpr value, Expression(*when.result, context));
    text += fmt::format(" WHEN {} THEN {}", condition.text, value.text);
    conditions.push_back(std::move(condition));
    values.push_back(std::move(value));
  }
  if (node.otherwise) {
    ASSIGN_OR_RETURN(TypedExpr value, Expression(*node.otherwise, context));
    text += fmt::format(" ELSE {}", value.text);
    values.push_back(std::move(value));
  }
  text += " END";
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].expr->type == kBoolean) continue;
    return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"paramIndex", OrdinalWord(i + 1)},
                  {"requiredType", InDoubleQuotes("BOOLEAN")},
                  {"inputSql", InDoubleQuotes(conditions[i].text)},
                  {"inputType", InDoubleQuotes(conditions[i].expr->type.SqlString())}},
                 ToErrorPosition(at));
  }
  std::vector<std::string> types;
  for (const TypedExpr& value : values)
    types.push_back(InDoubleQuotes(value.expr->type.SqlString()));
  if (!ToCommonType(values))
    return Raise("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"functionName", "`casewhen`"},
                  {"dataType", fmt::format("[{}]", iceblink::Join(types, ", "))}},
                 ToErrorPosition(at));
  Case result;
  bool nullable = !node.otherwise;
  for (size_t i = 0; i < conditions.size(); ++i)
    result.branches.emplace_back(conditions[i].expr, values[i].expr);
  if (node.otherwise) result.otherwise = values.back().expr;
  for (const TypedExpr& value : values) nullable = nullable || value.expr->nullable;
  DataType type = values[0].expr->type;
  return TypedExpr{MakeExpr(std::move(result), std::move(type), nullable), text};
}

Result<TypedExpr> QueryAnalyzer::StructOf(const sql::StructConstructor& node,
                                          const ExprContext& context) {
  std::vector<ExprPtr> args;
  std::vector<sql::StructField> fields;
  std::vector<std::string> texts;
  for (const sql::NamedExpr& field : node.fields) {
    ASSIGN_OR_RETURN(TypedExpr value, Expression(*field.expr, context));
    std::string name = field.alias;
    const bool named = field.expr->As<sql::NamedColumn>() != nullptr ||
                       field.expr->As<sql::FieldAccess>() != nullptr;
    if (name.empty())
      name = named ? GeneratedName(*field.expr, value) : fmt::format("col{}", fields.size() + 1);
    texts.push_back(field.alias.empty() ? value.text
                                        : fmt::format("{} AS {}", value.text, field.alias));
    fields.push_back({name, value.expr->type, value.expr->nullable, std::nullopt});
    args.push_back(MakeString(name));
    args.push_back(value.expr);
  }
  return TypedExpr{
      MakeCall("named_struct", std::move(args), DataType::Struct(std::move(fields)), false),
      fmt::format("struct({})", iceblink::Join(texts, ", "))};
}

}  // namespace iceblink::plan
