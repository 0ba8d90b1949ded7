// Expressions: aggregate functions, window functions and higher-order functions.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

const DataType kBoolean(TypeKind::kBoolean);

// The arguments of an aggregate, count(*) as count(1).
Result<std::vector<TypedExpr>> AggregateArguments(QueryAnalyzer& analyzer, const FunctionRow& row,
                                                  const sql::FunctionCall& call,
                                                  const ExprContext& context) {
  std::vector<TypedExpr> args;
  for (const sql::Argument& arg : call.args) {
    const auto* star = arg.expr->As<sql::Star>();
    if (star == nullptr) {
      ASSIGN_OR_RETURN(TypedExpr typed, analyzer.Expression(*arg.expr, context));
      args.push_back(std::move(typed));
    } else if (star->qualifier.empty() && !call.distinct && row.name == "count") {
      args.push_back({MakeInt(1), "1"});
    } else {
      for (const ScopeColumn* column : VisibleColumns(*context.scope))
        if (analyzer.names().QualifierMatches(column->qualifier, star->qualifier))
          args.push_back({MakeColumn(column->column), column->column.name});
    }
  }
  return args;
}

std::string CallText(std::string_view display, bool distinct, const std::vector<TypedExpr>& args) {
  std::vector<std::string> texts;
  for (const TypedExpr& arg : args) texts.push_back(arg.text);
  return fmt::format("{}({}{})", display, distinct ? "DISTINCT " : "", iceblink::Join(texts, ", "));
}

// first(x, true) is first(x) IGNORE NULLS.
bool TakeIgnoreNulls(const FunctionRow& row, const sql::FunctionCall& call,
                     std::vector<TypedExpr>& args) {
  bool ignore = call.nulls == sql::NullTreatment::kIgnoreNulls;
  std::string_view canonical = row.CanonicalName();
  if ((canonical != "first" && canonical != "last") || args.size() != 2) return ignore;
  const Value* flag = LiteralValue(args[1].expr);
  if (flag != nullptr && flag->Is<bool>() && flag->As<bool>()) ignore = true;
  args.pop_back();
  return ignore;
}

// Defaults of aggregates and window functions are small integers and NULL.
void AppendDefaults(const FunctionRow& row, std::vector<TypedExpr>& args) {
  if (row.defaults.empty()) return;
  std::vector<std::string> defaults = Split(row.defaults, '|');
  size_t max = static_cast<size_t>(row.max_args);
  size_t first = max - defaults.size();
  while (args.size() < max && args.size() >= first) {
    const std::string& text = defaults[args.size() - first];
    if (text == "NULL") {
      args.push_back({MakeNull(), "NULL"});
    } else {
      args.push_back({MakeInt(ParseInt32(text).value_or(0)), text});
    }
  }
}

// The number of bins of histogram_numeric: a constant from two on.
Status CheckBins(QueryAnalyzer& analyzer, const TypedExpr& bins, const std::string& text,
                 ErrorPosition at) {
  if (!IsFoldable(bins.expr)) {
    return Raise("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"inputName", "`nb`"},
                  {"inputType", "\"INT\""},
                  {"inputExpr", InDoubleQuotes(bins.text)}},
                 at);
  }
  ASSIGN_OR_RETURN(const Value value, analyzer.Evaluate(bins.expr));
  if (!value.is_null() && value.AsInt64() >= 2) return {};
  return Raise("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
               {{"sqlExpr", InDoubleQuotes(text)},
                {"exprName", "nb"},
                {"valueRange", "[2, 2147483647]"},
                {"currentValue", value.is_null() ? "null" : std::to_string(value.AsInt64())}},
               at);
}

}  // namespace

Result<std::vector<SortKey>> QueryAnalyzer::SortKeys(const std::vector<sql::SortItem>& items,
                                                     const ExprContext& context,
                                                     std::vector<std::string>* texts) {
  std::vector<SortKey> keys;
  for (const sql::SortItem& item : items) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*item.expr, context));
    std::string text = fmt::format("{} {} NULLS {}", typed.text, item.descending ? "DESC" : "ASC",
                                   item.nulls_first() ? "FIRST" : "LAST");
    if (!IsOrderable(typed.expr->type))
      return Raise("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                   {{"sqlExpr", InDoubleQuotes(text)},
                    {"functionName", "`sortorder`"},
                    {"dataType", InDoubleQuotes(typed.expr->type.SqlString())}},
                   ToErrorPosition(item.expr->position));
    keys.push_back({typed.expr, !item.descending, item.nulls_first()});
    if (texts != nullptr) texts->push_back(std::move(text));
  }
  return keys;
}

Result<TypedExpr> QueryAnalyzer::AggregateFunction(const FunctionRow& row,
                                                   const sql::FunctionCall& call,
                                                   const sql::Position& at,
                                                   const ExprContext& context) {
  ErrorPosition position = ToErrorPosition(at);
  if (context.in_aggregate) return Raise("NESTED_AGGREGATE_FUNCTION", {}, position);
  ExprContext inside = context;
  inside.in_aggregate = !context.window_argument;
  inside.window_argument = false;
  ASSIGN_OR_RETURN(std::vector<TypedExpr> args, AggregateArguments(*this, row, call, inside));
  AggregateCall aggregate;
  aggregate.ignore_nulls = TakeIgnoreNulls(row, call, args);
  bool too_few = args.size() < static_cast<size_t>(row.min_args);
  bool too_many = row.max_args >= 0 && args.size() > static_cast<size_t>(row.max_args);
  if (too_few || too_many)
    return Raise("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                 {{"functionName", fmt::format("`{}`", AsciiLower(call.name.back()))},
                  {"expectedNum", std::to_string(too_few ? row.min_args : row.max_args)},
                  {"actualNum", std::to_string(args.size())}},
                 position);
  AppendDefaults(row, args);
  std::string text = CallText(row.DisplayName(), call.distinct, args);
  if (row.name == "grouping" || row.name == "grouping_id") {
    std::vector<ExprPtr> values;
    for (const TypedExpr& arg : args) values.push_back(arg.expr);
    DataType type(row.name == "grouping" ? TypeKind::kTinyInt : TypeKind::kBigInt);
    aggregate.function = row.CanonicalName();
    aggregate.args = std::move(values);
    return TypedExpr{MakeExpr(std::move(aggregate), type, false), text};
  }
  std::vector<std::string> order_texts;
  ASSIGN_OR_RETURN(aggregate.order_by, SortKeys(call.within_group, inside, &order_texts));
  if (!call.within_group.empty()) {
    bool percentile = row.name.starts_with("percentile_");
    if (percentile && order_texts.size() == 1 && order_texts[0].ends_with(" ASC NULLS FIRST"))
      order_texts[0].resize(order_texts[0].size() - std::string_view(" ASC NULLS FIRST").size());
    text += fmt::format(" WITHIN GROUP (ORDER BY {})", iceblink::Join(order_texts, ", "));
  }
  ASSIGN_OR_RETURN(args, CoerceArguments(row, call.name.back(), std::move(args), position));
  if (call.filter) {
    ASSIGN_OR_RETURN(TypedExpr filter, Condition(*call.filter, inside));
    text += fmt::format(" FILTER (WHERE {})", filter.text);
    aggregate.filter = filter.expr;
  }
  if (row.name == "histogram_numeric") RETURN_IF_ERROR(CheckBins(*this, args[1], text, position));
  for (const TypedExpr& arg : args) aggregate.args.push_back(arg.expr);
  ASSIGN_OR_RETURN(CallType type, TypeOfCall(row, aggregate.args, settings_.ansi));
  if (row.name == "percentile_disc" && !aggregate.order_by.empty())
    type.type = DataType(TypeKind::kDouble);
  if (row.name == "mode" && !aggregate.order_by.empty())
    type.type = aggregate.order_by[0].expr->type;
  aggregate.function = row.CanonicalName();
  aggregate.distinct = call.distinct;
  return TypedExpr{MakeExpr(std::move(aggregate), type.type, type.nullable), text};
}

// ---- windows
// ----------------------------------------------------------------------------------------------------------

namespace {

std::string BoundText(const sql::FrameBound& bound, const std::string& offset) {
  using BoundKind = sql::FrameBound::Kind;
  switch (bound.kind) {
    case BoundKind::kUnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case BoundKind::kPreceding:
      return fmt::format("{} PRECEDING", offset);
    case BoundKind::kCurrentRow:
      return "CURRENT ROW";
    case BoundKind::kFollowing:
      return fmt::format("{} FOLLOWING", offset);
    case BoundKind::kUnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return {};
}

struct DefaultFrame {
  std::optional<WindowFrame> frame;
  std::string text;
};

DefaultFrame FrameWithoutClause(const FunctionRow& row, bool ordered,
                                const std::vector<TypedExpr>& args) {
  constexpr auto kFirst = FrameBound::kUnboundedPreceding;
  if (row.name == "lag" || row.name == "lead") {
    std::string offset = args.size() > 1 ? args[1].text : "1";
    std::string shown =
        row.name == "lag" ? (offset.starts_with('-') ? offset.substr(1) : "-" + offset) : offset;
    return {std::nullopt, fmt::format("ROWS BETWEEN {0} FOLLOWING AND {0} FOLLOWING", shown)};
  }
  if (row.kind == FunctionKind::kWindow && row.name != "nth_value")
    return {std::nullopt, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"};
  if (ordered)
    return {WindowFrame{FrameUnit::kRange, kFirst, nullptr, FrameBound::kCurrentRow, nullptr},
            "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"};
  return {WindowFrame{FrameUnit::kRows, kFirst, nullptr, FrameBound::kUnboundedFollowing, nullptr},
          "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"};
}

Result<const sql::WindowSpec*> FindWindow(const sql::WindowSpec& spec, const ExprContext& context,
                                          const NameRules& names) {
  if (spec.reference.empty()) return &spec;
  if (context.windows != nullptr)
    for (const sql::NamedWindow& window : *context.windows)
      if (names.Same(window.name, spec.reference)) return &window.spec;
  return Raise("MISSING_WINDOW_SPECIFICATION", {{"windowName", spec.reference}});
}

}  // namespace

Result<WindowFrame> QueryAnalyzer::WrittenFrame(const sql::WindowFrame& written,
                                                const ExprContext& context, std::string* text) {
  WindowFrame frame;
  frame.unit = written.rows ? FrameUnit::kRows : FrameUnit::kRange;
  auto bound = [&](const sql::FrameBound& side, FrameBound& kind,
                   ExprPtr& offset) -> Result<std::string> {
    std::string offset_text;
    if (side.offset) {
      ASSIGN_OR_RETURN(TypedExpr typed, Expression(*side.offset, context));
      offset = typed.expr;
      offset_text = typed.text;
    }
    kind = static_cast<FrameBound>(side.kind);
    return BoundText(side, offset_text);
  };
  ASSIGN_OR_RETURN(std::string start, bound(written.start, frame.start, frame.start_offset));
  ASSIGN_OR_RETURN(std::string end, bound(written.end, frame.end, frame.end_offset));
  *text = fmt::format("{} BETWEEN {} AND {}", written.rows ? "ROWS" : "RANGE", start, end);
  return frame;
}

Result<std::string> QueryAnalyzer::WindowParts(const FunctionRow& row, const sql::WindowSpec& spec,
                                               const std::vector<TypedExpr>& args,
                                               const ExprContext& context, WindowCall& window) {
  std::vector<std::string> parts, partition_texts, order_texts;
  for (const sql::ExprPtr& expr : spec.partition_by) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*expr, context));
    window.partition_by.push_back(typed.expr);
    partition_texts.push_back(typed.text);
  }
  ASSIGN_OR_RETURN(window.order_by, SortKeys(spec.order_by, context, &order_texts));
  if (!partition_texts.empty())
    parts.push_back("PARTITION BY " + iceblink::Join(partition_texts, ", "));
  if (!order_texts.empty()) parts.push_back("ORDER BY " + iceblink::Join(order_texts, ", "));
  std::string frame_text;
  if (spec.frame) {
    ASSIGN_OR_RETURN(window.frame, WrittenFrame(*spec.frame, context, &frame_text));
  } else {
    DefaultFrame frame = FrameWithoutClause(row, !window.order_by.empty(), args);
    window.frame = frame.frame;
    frame_text = frame.text;
  }
  parts.push_back(frame_text);
  return iceblink::Join(parts, " ");
}

Result<TypedExpr> QueryAnalyzer::WindowFunction(const FunctionRow& row,
                                                const sql::FunctionCall& call,
                                                const sql::Position& at,
                                                const ExprContext& context) {
  WindowCall window;
  std::string text;
  std::vector<TypedExpr> args;
  DataType type;
  bool nullable = true;
  if (row.kind == FunctionKind::kAggregate) {
    sql::FunctionCall plain = call;
    plain.window.reset();
    ExprContext inside = context;
    inside.window_argument = true;
    ASSIGN_OR_RETURN(TypedExpr typed, AggregateFunction(row, plain, at, inside));
    const auto& aggregate = std::get<AggregateCall>(typed.expr->node);
    window = WindowCall{aggregate.function,
                        aggregate.args,
                        true,
                        aggregate.distinct,
                        aggregate.ignore_nulls,
                        aggregate.filter,
                        {},
                        {},
                        {}};
    text = typed.text;
    type = typed.expr->type;
    nullable = typed.expr->nullable;
  } else {
    ASSIGN_OR_RETURN(args, AggregateArguments(*this, row, call, context));
    AppendDefaults(row, args);
    text = CallText(row.DisplayName(), false, args);
    ASSIGN_OR_RETURN(args,
                     CoerceArguments(row, call.name.back(), std::move(args), ToErrorPosition(at)));
    for (const TypedExpr& arg : args) window.args.push_back(arg.expr);
    if ((row.name == "lag" || row.name == "lead") && window.args.size() == 3) {
      if (window.args[2]->type.is_void())
        window.args.pop_back();
      else
        window.args[2] = MakeCast(window.args[2], window.args[0]->type, cast_mode());
    }
    ASSIGN_OR_RETURN(CallType call_type, TypeOfCall(row, window.args, settings_.ansi));
    type = call_type.type;
    nullable = call_type.nullable;
    window.function = row.CanonicalName();
    window.ignore_nulls = call.nulls == sql::NullTreatment::kIgnoreNulls;
  }
  ASSIGN_OR_RETURN(const sql::WindowSpec* spec, FindWindow(*call.window, context, names_));
  ASSIGN_OR_RETURN(std::string over, WindowParts(row, *spec, args, context, window));
  text += fmt::format(" OVER ({})", over);
  return TypedExpr{MakeExpr(std::move(window), type, nullable), text};
}

// ---- higher-order functions
// -------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kDefaultComparator =
    "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, "
    "(IF((namedlambdavariable() "
    "IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, (IF((namedlambdavariable() < "
    "namedlambdavariable()), -1, "
    "(IF((namedlambdavariable() > namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), "
    "namedlambdavariable())";

// Types of a lambda's parameters, from the arguments before it. `count` is how many the lambda
// names.
std::vector<std::pair<DataType, bool>> ParameterTypes(std::string_view function,
                                                      const std::vector<TypedExpr>& args,
                                                      size_t count) {
  auto element = [&](size_t i) {
    const DataType& type = args[i].expr->type;
    bool array = type.kind() == TypeKind::kArray;
    return std::pair(array ? type.element() : DataType(), array ? type.contains_null() : true);
  };
  const DataType& first = args[0].expr->type;
  if (function == "map_zip_with" && first.kind() == TypeKind::kMap)
    return {{first.key(), false}, {first.value(), true}, {args[1].expr->type.value(), true}};
  if (first.kind() == TypeKind::kMap)
    return {{first.key(), false}, {first.value(), first.value_contains_null()}};
  if (function == "aggregate") {
    std::pair<DataType, bool> state(args[1].expr->type, true);
    return args.size() == 2 ? std::vector{state, element(0)} : std::vector{state};
  }
  if (function == "zip_with") return {{element(0).first, true}, {element(1).first, true}};
  if (function == "array_sort") return {element(0), element(0)};
  if (count == 2 && (function == "transform" || function == "filter"))
    return {element(0), {DataType(TypeKind::kInt), false}};
  return {element(0)};
}

DataType HigherOrderType(std::string_view function, const std::vector<TypedExpr>& args) {
  const DataType& first = args[0].expr->type;
  const ExprPtr& last = args.back().expr;
  if (function == "transform" || function == "zip_with")
    return DataType::Array(last->type, last->nullable);
  if (function == "exists" || function == "forall") return kBoolean;
  if (function == "aggregate") return args.size() == 4 ? last->type : args[1].expr->type;
  if (function == "transform_keys")
    return DataType::Map(last->type, first.value(), first.value_contains_null());
  if (function == "transform_values" || function == "map_zip_with")
    return DataType::Map(first.key(), last->type, last->nullable);
  return first;
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::HigherOrder(const FunctionRow& row, const sql::FunctionCall& call,
                                             const sql::Position& at, const ExprContext& context) {
  std::string_view function = row.CanonicalName();
  std::vector<TypedExpr> args;
  for (const sql::Argument& arg : call.args) {
    const auto* lambda = arg.expr->As<sql::Lambda>();
    if (lambda == nullptr) {
      ASSIGN_OR_RETURN(TypedExpr typed, Expression(*arg.expr, context));
      args.push_back(std::move(typed));
      continue;
    }
    auto types = ParameterTypes(function, args, lambda->parameters.size());
    if (types.size() != lambda->parameters.size())
      return Raise("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                   {{"expectedNumArgs", std::to_string(lambda->parameters.size())},
                    {"actualNumArgs", std::to_string(types.size())}},
                   ToErrorPosition(arg.expr->position));
    LambdaScope scope{{}, context.lambdas};
    Lambda typed_lambda;
    std::string text;
    for (size_t i = 0; i < types.size(); ++i) {
      scope.parameters.push_back(NewColumn(lambda->parameters[i], types[i].first, types[i].second));
      typed_lambda.parameters.push_back(scope.parameters.back().id);
      text += ", namedlambdavariable()";
    }
    ExprContext inside = context;
    inside.lambdas = &scope;
    ASSIGN_OR_RETURN(TypedExpr body, Expression(*lambda->body, inside));
    if (function == "aggregate" && args.size() == 2)
      body.expr = MakeCast(body.expr, args[1].expr->type, cast_mode());
    typed_lambda.body = body.expr;
    text = fmt::format("lambdafunction({}{})", body.text, text);
    args.push_back({MakeExpr(std::move(typed_lambda), body.expr->type, body.expr->nullable), text});
  }
  if (function == "aggregate" && args.size() == 3)
    args.push_back({nullptr, "lambdafunction(namedlambdavariable(), namedlambdavariable())"});
  if (row.name == "array_sort" && args.size() == 1)
    args.push_back({nullptr, std::string(kDefaultComparator)});
  std::string text = CallText(row.DisplayName(), false, args);
  if (!args.back().expr) args.pop_back();
  std::vector<TypedExpr> plain(args.begin(), args.begin() + 1);
  ASSIGN_OR_RETURN(plain,
                   CoerceArguments(row, call.name.back(), std::move(plain), ToErrorPosition(at)));
  std::vector<ExprPtr> values;
  for (const TypedExpr& arg : args) values.push_back(arg.expr);
  DataType type = HigherOrderType(function, args);
  return TypedExpr{MakeCall(function, std::move(values), std::move(type), true), text};
}

}  // namespace iceblink::plan
