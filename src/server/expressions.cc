// Connect's expressions as SQL's.
#include <re2/re2.h>

#include <algorithm>

#include "base/strings.h"
#include "server/errors.h"
#include "server/translator.h"
#include "server/types.h"
#include "sql/parser.h"

namespace iceblink::server {

using E = connect::Expression;
using sql::BinaryOperator;
using sql::DataType;
using sql::ExprPtr;
using sql::TypeKind;

ExprPtr IntLiteral(int32_t value) { return MakeNode(sql::Literal{Value(value), TypeKind::kInt}); }
ExprPtr StringLiteral(std::string text) {
  return MakeNode(sql::Literal{Value(std::move(text)), TypeKind::kString});
}
ExprPtr ColumnNamed(std::string name) { return MakeNode(sql::NamedColumn{{std::move(name)}, {}}); }

Result<ExprPtr> PlanTranslator::StarOf(const E::UnresolvedStar& star) {
  sql::Star out;
  std::string target = star.unparsed_target();
  if (target.ends_with(".*")) target.resize(target.size() - 2);
  if (!target.empty()) {
    ASSIGN_OR_RETURN(out.qualifier, sql::ParseMultipartIdentifier(target));
  }
  return MakeNode(std::move(out));
}

Result<ExprPtr> PlanTranslator::Expression(const E& expression) {
  switch (expression.expr_type_case()) {
    case E::kLiteral:
      return Literal(expression.literal());
    case E::kUnresolvedAttribute:
      return Attribute(expression.unresolved_attribute());
    case E::kUnresolvedFunction:
      return Function(expression.unresolved_function());
    case E::kExpressionString:
      return sql::ParseExpression(expression.expression_string().expression());
    case E::kUnresolvedStar:
      return StarOf(expression.unresolved_star());
    case E::kAlias:
      return Expression(expression.alias().expr());
    case E::kCast:
      return CastOf(expression.cast());
    case E::kSortOrder:
      return Expression(expression.sort_order().child());
    case E::kLambdaFunction:
      return LambdaOf(expression.lambda_function());
    case E::kUnresolvedNamedLambdaVariable: {
      const auto& parts = expression.unresolved_named_lambda_variable().name_parts();
      return MakeNode(sql::NamedColumn{{parts.begin(), parts.end()}, {}});
    }
    case E::kWindow:
      return WindowOf(expression.window());
    case E::kUnresolvedExtractValue: {
      ASSIGN_OR_RETURN(ExprPtr child, Expression(expression.unresolved_extract_value().child()));
      ASSIGN_OR_RETURN(ExprPtr index,
                       Expression(expression.unresolved_extract_value().extraction()));
      return MakeNode(sql::Subscript{std::move(child), std::move(index)});
    }
    case E::kCallFunction: {
      ASSIGN_OR_RETURN(sql::Name name,
                       sql::ParseMultipartIdentifier(expression.call_function().function_name()));
      return Call(std::move(name), expression.call_function().arguments());
    }
    case E::kNamedArgumentExpression:
      return Expression(expression.named_argument_expression().value());
    case E::kSubqueryExpression:
      return SubqueryOf(expression.subquery_expression());
    case E::kUnresolvedRegex:
      return Fail(NotSupported("colRegex outside of select"));
    case E::kUpdateFields:
      return UpdatedFields(expression.update_fields());
    case E::kCommonInlineUserDefinedFunction:
      return Fail(NotSupported("a Python UDF"));
    case E::kTypedAggregateExpression:
      return Fail(NotSupported("a typed aggregate"));
    case E::kMergeAction:
      return Fail(InvalidInput("MergeAction is not an expression"));
    default:
      return Fail(NotSupported("this expression (" + expression.GetTypeName() + ")"));
  }
}

Result<std::vector<ExprPtr>> PlanTranslator::Expressions(
    const google::protobuf::RepeatedPtrField<E>& list) {
  std::vector<ExprPtr> out;
  for (const E& expression : list) {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression(expression));
    out.push_back(std::move(expr));
  }
  return out;
}

Result<sql::NamedExpr> PlanTranslator::Item(const E& expression) {
  if (expression.has_expression_string())
    return sql::ParseNamedExpression(expression.expression_string().expression());
  sql::NamedExpr item;
  ASSIGN_OR_RETURN(item.expr, Expression(expression));
  if (!expression.has_alias()) return item;
  const auto& names = expression.alias().name();
  if (names.size() == 1)
    item.alias = names[0];
  else
    item.aliases.assign(names.begin(), names.end());
  return item;
}

Result<std::vector<sql::NamedExpr>> PlanTranslator::Items(
    const google::protobuf::RepeatedPtrField<E>& list) {
  std::vector<sql::NamedExpr> out;
  for (const E& expression : list) {
    ASSIGN_OR_RETURN(sql::NamedExpr item, Item(expression));
    out.push_back(std::move(item));
  }
  return out;
}

Result<sql::SortItem> PlanTranslator::SortOrder(const E::SortOrder& order) {
  sql::SortItem item;
  ASSIGN_OR_RETURN(item.expr, Expression(order.child()));
  item.descending = order.direction() == E::SortOrder::SORT_DIRECTION_DESCENDING;
  if (order.null_ordering() == E::SortOrder::SORT_NULLS_FIRST) item.nulls = sql::NullOrder::kFirst;
  if (order.null_ordering() == E::SortOrder::SORT_NULLS_LAST) item.nulls = sql::NullOrder::kLast;
  return item;
}

Result<ExprPtr> PlanTranslator::Attribute(const E::UnresolvedAttribute& attribute) {
  sql::NamedColumn column;
  ASSIGN_OR_RETURN(column.parts, sql::ParseMultipartIdentifier(attribute.unparsed_identifier()));
  if (attribute.has_plan_id()) column.plan_id = attribute.plan_id();
  return MakeNode(std::move(column));
}

// ---- functions
// --------------------------------------------------------------------------------------------------------

namespace {

struct BinaryRow {
  std::string_view name;
  BinaryOperator op;
};
constexpr BinaryRow kBinary[] = {
    {"or", BinaryOperator::kOr},     {"and", BinaryOperator::kAnd},
    {"==", BinaryOperator::kEq},     {"=", BinaryOperator::kEq},
    {"!=", BinaryOperator::kNotEq},  {"<=>", BinaryOperator::kNullSafeEq},
    {"<", BinaryOperator::kLt},      {"<=", BinaryOperator::kLtEq},
    {">", BinaryOperator::kGt},      {">=", BinaryOperator::kGtEq},
    {"+", BinaryOperator::kAdd},     {"-", BinaryOperator::kSubtract},
    {"||", BinaryOperator::kConcat}, {"*", BinaryOperator::kMultiply},
    {"/", BinaryOperator::kDivide},  {"div", BinaryOperator::kIntDivide},
    {"%", BinaryOperator::kModulo},  {"&", BinaryOperator::kBitAnd},
    {"|", BinaryOperator::kBitOr},   {"^", BinaryOperator::kBitXor},
};

struct UnaryRow {
  std::string_view name;
  sql::UnaryOperator op;
};
constexpr UnaryRow kUnary[] = {{"not", sql::UnaryOperator::kNot},
                               {"!", sql::UnaryOperator::kNot},
                               {"~", sql::UnaryOperator::kBitNot}};

ExprPtr CaseOf(const std::vector<ExprPtr>& args) {
  sql::Case out;
  for (size_t i = 0; i + 1 < args.size(); i += 2) out.whens.push_back({args[i], args[i + 1]});
  if (args.size() % 2 == 1) out.otherwise = args.back();
  return MakeNode(std::move(out));
}

}  // namespace

// Returns null when the name is no operator.
Result<ExprPtr> PlanTranslator::Operator(const std::string& name,
                                         const std::vector<ExprPtr>& args) {
  if (args.size() == 2) {
    for (const BinaryRow& row : kBinary)
      if (row.name == name) return MakeNode(sql::BinaryOp{row.op, args[0], args[1]});
    for (auto [text, kind] :
         {std::pair{"like", sql::LikeKind::kLike}, std::pair{"ilike", sql::LikeKind::kILike},
          std::pair{"rlike", sql::LikeKind::kRLike}}) {
      if (name != text) continue;
      sql::Like like;
      like.kind = kind;
      like.child = args[0];
      like.patterns = {args[1]};
      return MakeNode(std::move(like));
    }
  }
  if (args.size() == 1) {
    for (const UnaryRow& row : kUnary)
      if (row.name == name) return MakeNode(sql::UnaryOp{row.op, args[0]});
    if (name == "isnull") return MakeNode(sql::IsNull{args[0], false});
    if (name == "isnotnull") return MakeNode(sql::IsNull{args[0], true});
  }
  if (name == "when" && args.size() >= 2) return CaseOf(args);
  if (name == "in" && !args.empty())
    return MakeNode(
        sql::InList{args[0], std::vector<ExprPtr>(args.begin() + 1, args.end()), false});
  return ExprPtr();
}

Result<ExprPtr> PlanTranslator::Call(sql::Name name,
                                     const google::protobuf::RepeatedPtrField<E>& args) {
  sql::FunctionCall call;
  call.name = std::move(name);
  for (const E& arg : args) {
    std::string key =
        arg.has_named_argument_expression() ? arg.named_argument_expression().key() : "";
    ASSIGN_OR_RETURN(ExprPtr expr, Expression(arg));
    call.args.push_back({std::move(key), std::move(expr)});
  }
  return MakeNode(std::move(call));
}

Result<ExprPtr> PlanTranslator::Function(const E::UnresolvedFunction& function) {
  std::string name = AsciiLower(function.function_name());
  if (name == "struct") {
    sql::StructConstructor out;
    ASSIGN_OR_RETURN(out.fields, Items(function.arguments()));
    return MakeNode(std::move(out));
  }
  ASSIGN_OR_RETURN(std::vector<ExprPtr> args, Expressions(function.arguments()));
  ASSIGN_OR_RETURN(ExprPtr op, Operator(name, args));
  if (op) return op;
  sql::Name parts = {function.function_name()};
  if (function.is_user_defined_function()) {
    ASSIGN_OR_RETURN(parts, sql::ParseMultipartIdentifier(function.function_name()));
  }
  sql::FunctionCall call;
  call.name = std::move(parts);
  call.distinct = function.is_distinct();
  for (int i = 0; i < function.arguments_size(); ++i) {
    const E& arg = function.arguments(i);
    std::string key =
        arg.has_named_argument_expression() ? arg.named_argument_expression().key() : "";
    call.args.push_back({std::move(key), args[static_cast<size_t>(i)]});
  }
  return MakeNode(std::move(call));
}

// The analyzer knows the call by its name, which cannot be written.
Result<ExprPtr> PlanTranslator::UpdatedFields(const E::UpdateFields& update) {
  sql::FunctionCall call;
  call.name = {"", "update_fields"};
  ASSIGN_OR_RETURN(ExprPtr child, Expression(update.struct_expression()));
  call.args = {{{}, std::move(child)}, {{}, StringLiteral(update.field_name())}};
  if (update.has_value_expression()) {
    ASSIGN_OR_RETURN(ExprPtr value, Expression(update.value_expression()));
    call.args.push_back({{}, std::move(value)});
  }
  return MakeNode(std::move(call));
}

Result<std::vector<sql::NamedExpr>> PlanTranslator::Matching(const E::UnresolvedRegex& expression,
                                                             const connect::Relation& input) {
  std::string pattern = expression.col_name();
  if (pattern.size() >= 2 && pattern.front() == '`' && pattern.back() == '`')
    pattern = pattern.substr(1, pattern.size() - 2);
  re2::RE2 regex("(?i)" + pattern, re2::RE2::Quiet);
  if (!regex.ok()) return Fail(InvalidInput("Invalid regular expression: " + pattern));
  ASSIGN_OR_RETURN(std::vector<plan::Column> columns, ColumnsOf(input));
  std::vector<sql::NamedExpr> items;
  for (const plan::Column& column : columns)
    if (re2::RE2::FullMatch(column.name, regex))
      items.push_back({ColumnNamed(column.name), {}, {}});
  return items;
}

Result<ExprPtr> PlanTranslator::CastOf(const E::Cast& cast) {
  sql::Cast out;
  ASSIGN_OR_RETURN(out.child, Expression(cast.expr()));
  out.is_try = cast.eval_mode() == E::Cast::EVAL_MODE_TRY;
  if (cast.has_type()) {
    ASSIGN_OR_RETURN(out.type, FromMessage(cast.type()));
  } else {
    ASSIGN_OR_RETURN(out.type, ParseSchema(cast.type_str()));
  }
  return MakeNode(std::move(out));
}

Result<ExprPtr> PlanTranslator::LambdaOf(const E::LambdaFunction& lambda) {
  sql::Lambda out;
  for (const auto& argument : lambda.arguments())
    out.parameters.push_back(Join(argument.name_parts(), "."));
  ASSIGN_OR_RETURN(out.body, Expression(lambda.function()));
  return MakeNode(std::move(out));
}

// ---- windows
// ----------------------------------------------------------------------------------------------------------

Result<sql::FrameBound> PlanTranslator::Bound(const E::Window::WindowFrame::FrameBoundary& boundary,
                                              bool lower) {
  using Kind = sql::FrameBound::Kind;
  if (boundary.current_row()) return sql::FrameBound{Kind::kCurrentRow, nullptr};
  if (boundary.unbounded())
    return sql::FrameBound{lower ? Kind::kUnboundedPreceding : Kind::kUnboundedFollowing, nullptr};
  const E::Literal& literal = boundary.value().literal();
  int64_t distance = literal.has_long_() ? literal.long_() : literal.integer();
  bool counts = boundary.value().has_literal() && (literal.has_long_() || literal.has_integer());
  if (!counts) {
    ASSIGN_OR_RETURN(ExprPtr offset, Expression(boundary.value()));
    return sql::FrameBound{lower ? Kind::kPreceding : Kind::kFollowing, std::move(offset)};
  }
  if (distance == 0) return sql::FrameBound{Kind::kCurrentRow, nullptr};
  return sql::FrameBound{distance < 0 ? Kind::kPreceding : Kind::kFollowing,
                         IntLiteral(static_cast<int32_t>(distance < 0 ? -distance : distance))};
}

Result<ExprPtr> PlanTranslator::WindowOf(const E::Window& window) {
  ASSIGN_OR_RETURN(ExprPtr function, Expression(window.window_function()));
  const auto* call = function->As<sql::FunctionCall>();
  if (call == nullptr) return Fail(InvalidInput("A window needs a function"));
  sql::FunctionCall out = *call;
  sql::WindowSpec spec;
  ASSIGN_OR_RETURN(spec.partition_by, Expressions(window.partition_spec()));
  for (const auto& order : window.order_spec()) {
    ASSIGN_OR_RETURN(sql::SortItem item, SortOrder(order));
    spec.order_by.push_back(std::move(item));
  }
  if (window.has_frame_spec()) {
    sql::WindowFrame frame;
    frame.rows = window.frame_spec().frame_type() == E::Window::WindowFrame::FRAME_TYPE_ROW;
    ASSIGN_OR_RETURN(frame.start, Bound(window.frame_spec().lower(), true));
    ASSIGN_OR_RETURN(frame.end, Bound(window.frame_spec().upper(), false));
    spec.frame = std::move(frame);
  }
  out.window = std::move(spec);
  return MakeNode(std::move(out));
}

// ---- subqueries
// -------------------------------------------------------------------------------------------------------

Result<ExprPtr> PlanTranslator::SubqueryOf(const connect::SubqueryExpression& subquery) {
  auto found = references_.find(subquery.plan_id());
  if (found == references_.end())
    return Fail(InvalidInput("No relation has the plan id of a subquery"));
  ASSIGN_OR_RETURN(sql::QueryPtr query, Query(*found->second));
  switch (subquery.subquery_type()) {
    case connect::SubqueryExpression::SUBQUERY_TYPE_SCALAR:
      return MakeNode(sql::ScalarSubquery{std::move(query)});
    case connect::SubqueryExpression::SUBQUERY_TYPE_EXISTS:
      return MakeNode(sql::Exists{std::move(query)});
    case connect::SubqueryExpression::SUBQUERY_TYPE_IN: {
      ASSIGN_OR_RETURN(std::vector<ExprPtr> values, Expressions(subquery.in_subquery_values()));
      if (values.size() == 1) return MakeNode(sql::InSubquery{values[0], std::move(query), false});
      sql::StructConstructor row;
      for (ExprPtr& value : values) row.fields.push_back({std::move(value), {}, {}});
      return MakeNode(sql::InSubquery{MakeNode(std::move(row)), std::move(query), false});
    }
    default:
      return Fail(NotSupported("a table argument"));
  }
}

}  // namespace iceblink::server
