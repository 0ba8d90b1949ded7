// window(time, duration [, slide [, start]]) in a query: every row gets the window its time falls
// into, or one row for each of overlapping ones, as a column `window` that is not part of *. Rows
// without a time go.
#include <fmt/format.h>

#include "base/strings.h"
#include "plan/expression_tree.h"
#include "plan/select.h"
#include "sql/interval_text.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

constexpr std::string_view kWindow = "window";

bool IsTimeWindow(const sql::FunctionCall& call) {
  return call.name.size() == 1 && EqualsIgnoreCase(call.name[0], kWindow) && !call.window;
}

// Distinct calls, each at its first place.
void Collect(const sql::Expr& expr, std::vector<const sql::Expr*>& found) {
  const auto* call = expr.As<sql::FunctionCall>();
  if (call != nullptr && IsTimeWindow(*call)) {
    for (const sql::Expr* other : found)
      if (*other->As<sql::FunctionCall>() == *call) return;
    found.push_back(&expr);
    return;
  }
  sql::ForEachChild(expr, [&](const sql::Expr& child) { Collect(child, found); });
}

void CollectAll(const sql::Select& select, std::vector<const sql::Expr*>& found) {
  for (const sql::NamedExpr& item : select.items) Collect(*item.expr, found);
  if (!select.group_by) return;
  for (const sql::GroupingElement& element : select.group_by->elements)
    for (const sql::ExprPtr& expr : element.exprs) Collect(*expr, found);
}

// Microseconds of '5 minutes', or a number of them.
Result<int64_t> Micros(const sql::Expr& expr, ErrorPosition at) {
  const auto* literal = expr.As<sql::Literal>();
  if (literal == nullptr || literal->value.is_null() ||
      (!literal->type.is_string() && !literal->type.is_integral()))
    return Raise("_LEGACY_ERROR_TEMP_1207", {}, at);
  if (literal->type.is_integral()) return literal->value.AsInt64();
  const std::string& text = literal->value.As<std::string>();
  const auto parsed = sql::ParseIntervalText(text);
  if (!parsed) return Raise("CANNOT_PARSE_INTERVAL", {{"intervalString", "'" + text + "'"}}, at);
  if (!parsed->value.Is<Interval>()) return parsed->value.AsInt64();
  const auto& interval = parsed->value.As<Interval>();
  if (interval.months != 0) return Raise("_LEGACY_ERROR_TEMP_3231", {{"interval", text}});
  return interval.days * int64_t{86'400'000'000} + interval.micros;
}

struct Spans {
  int64_t duration = 0, slide = 0, start = 0;  // microseconds
};

Result<Spans> SpansOf(const sql::FunctionCall& call, ErrorPosition at) {
  if (call.args.size() < 2 || call.args.size() > 4) {
    return Raise("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                 {{"functionName", "`window`"},
                  {"expectedNum", "[2, 3, 4]"},
                  {"actualNum", std::to_string(call.args.size())}},
                 at);
  }
  Spans spans;
  ASSIGN_OR_RETURN(spans.duration, Micros(*call.args[1].expr, at));
  spans.slide = spans.duration;
  if (call.args.size() > 2) {
    ASSIGN_OR_RETURN(spans.slide, Micros(*call.args[2].expr, at));
  }
  if (call.args.size() > 3) {
    ASSIGN_OR_RETURN(spans.start, Micros(*call.args[3].expr, at));
  }
  return spans;
}

Status CheckSpans(const Spans& spans, const TypedExpr& time, ErrorPosition at) {
  const std::string text = InDoubleQuotes(
      fmt::format("window({}, {}, {}, {})", time.text, spans.duration, spans.slide, spans.start));
  const TypeKind kind = time.expr->type.kind();
  if (kind != TypeKind::kTimestamp && kind != TypeKind::kTimestampNtz) {
    return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                 {{"sqlExpr", text},
                  {"paramIndex", "first"},
                  {"requiredType",
                   "(\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\" or \"STRUCT<start: TIMESTAMP, "
                   "end: TIMESTAMP>\" or \"STRUCT<start: TIMESTAMP_NTZ, end: TIMESTAMP_NTZ>\")"},
                  {"inputSql", InDoubleQuotes(time.text)},
                  {"inputType", InDoubleQuotes(time.expr->type.SqlString())}},
                 at);
  }
  const std::pair<const char*, int64_t> lengths[] = {{"window_duration", spans.duration},
                                                     {"slide_duration", spans.slide}};
  for (const auto& [name, value] : lengths) {
    if (value > 0) continue;
    return Raise("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                 {{"sqlExpr", text},
                  {"exprName", fmt::format("`{}`", name)},
                  {"valueRange", "(0, 9223372036854775807]"},
                  {"currentValue", fmt::format("{}L", value)}},
                 at);
  }
  if (spans.slide <= spans.duration) return {};
  return Raise("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
               {{"sqlExpr", text},
                {"leftExprName", "`slide_duration`"},
                {"leftExprValue", fmt::format("{}L", spans.slide)},
                {"constraint", "<="},
                {"rightExprName", "`window_duration`"},
                {"rightExprValue", fmt::format("{}L", spans.duration)}},
               at);
}

ExprPtr Long(int64_t value) {
  return MakeExpr(LiteralExpr{Value(value)}, DataType(TypeKind::kBigInt), false);
}

}  // namespace

Status SelectBuilder::TimeWindows() {
  std::vector<const sql::Expr*> found;
  CollectAll(select_, found);
  if (found.empty()) return {};
  if (found.size() > 1) return Raise("_LEGACY_ERROR_TEMP_1039", {}, ErrorPosition{1, 0});
  const ErrorPosition at = ToErrorPosition(found[0]->position);
  const auto& call = *found[0]->As<sql::FunctionCall>();
  ASSIGN_OR_RETURN(const Spans spans, SpansOf(call, at));
  ASSIGN_OR_RETURN(const TypedExpr time, analyzer_.Expression(*call.args[0].expr, Context()));
  RETURN_IF_ERROR(CheckSpans(spans, time, at));
  const DataType& type = time.expr->type;
  const DataType window = DataType::Struct({{"start", type, true, {}}, {"end", type, true, {}}});
  const Column column = analyzer_.NewColumn(std::string(kWindow), window, false);
  plan::Call windows{CanonicalFunctionName("time_windows"),
                     {time.expr, Long(spans.duration), Long(spans.slide), Long(spans.start)}};
  std::vector<Column> output = plan_->output;
  output.push_back(column);
  Generate generate{plan_,
                    "explode",
                    {MakeExpr(std::move(windows), DataType::Array(window, false), true)},
                    false,
                    {column}};
  plan_ = MakePlan(std::move(generate), std::move(output));
  scope_.columns.push_back({column, {}, true, false});
  input_ids_.insert(column.id);
  return {};
}

}  // namespace iceblink::plan
