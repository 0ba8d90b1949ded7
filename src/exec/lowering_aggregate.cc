// Lowering of Aggregate plans, aggregate calls and window calls.
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"
#include "exec/lowering.h"

namespace iceblink::exec {

using plan::AggregateCall;
using plan::Expr;
using sql::TypeKind;

namespace {

enum class NullArguments : uint8_t { kAsDuckDb, kSkip };

struct AggregateRow {
  std::string_view name;
  // $1 ... arguments; $a is replaced by DISTINCT, $o by ORDER BY, $f by FILTER and OVER, once per
  // DuckDB aggregate in the text.
  std::string_view text;
  NullArguments nulls =
      NullArguments::kAsDuckDb;  // kSkip: rows whose first argument is NULL are filtered out
};

constexpr AggregateRow kAggregates[] = {
    {"any_value", "first($1$o)$f"},
    {"approx_count_distinct", "count(DISTINCT $1)$f"},
    {"approx_percentile", ""},
    {"avg", ""},
    {"bit_and", "bit_and($a$1)$f"},
    {"bit_or", "bit_or($a$1)$f"},
    {"bit_xor", "bit_xor($a$1)$f"},
    {"bool_and", "bool_and($a$1)$f"},
    {"bool_or", "bool_or($a$1)$f"},
    {"collect_list", "coalesce(list($a$1$o)$f, [])", NullArguments::kSkip},
    {"collect_set", "coalesce(list(DISTINCT $1$o)$f, [])", NullArguments::kSkip},
    {"array_agg", "coalesce(list($a$1$o)$f, [])", NullArguments::kSkip},
    {"corr", "corr($1, $2)$f"},
    {"count", ""},
    {"count_if", "count($aCASE WHEN $1 THEN 1 END)$f"},
    {"covar_pop", "covar_pop($1, $2)$f"},
    {"covar_samp", "covar_samp($1, $2)$f"},
    {"every", "bool_and($a$1)$f"},
    {"first", "first($1$o)$f"},
    {"first_value", "first($1$o)$f"},
    {"histogram_numeric", "", NullArguments::kSkip},
    {"kurtosis", "kurtosis_pop($1)$f"},
    {"last", "last($1$o)$f"},
    {"last_value", "last($1$o)$f"},
    {"listagg", "string_agg($a$1, coalesce($2, '')$o)$f"},
    {"max", "max($1)$f"},
    {"max_by", "arg_max_null($1, $2)$f"},
    {"mean", ""},
    {"median", "quantile_cont($a CAST($1 AS DOUBLE), 0.5)$f"},
    {"min", "min($1)$f"},
    {"min_by", "arg_min_null($1, $2)$f"},
    {"mode", "mode($1)$f"},
    {"percentile", "quantile_cont($aCAST($1 AS DOUBLE), $2)$f"},
    {"percentile_approx", "quantile_disc($1, $2)$f"},
    {"percentile_cont", "quantile_cont(CAST($k AS DOUBLE), $1)$f"},
    {"percentile_disc", "quantile_disc(CAST($k AS DOUBLE), $1)$f"},
    {"product", "product($a$1)$f"},
    {"regr_avgx", "regr_avgx($1, $2)$f"},
    {"regr_avgy", "regr_avgy($1, $2)$f"},
    {"regr_count", "regr_count($1, $2)$f"},
    {"regr_intercept", "regr_intercept($1, $2)$f"},
    {"regr_r2", "regr_r2($1, $2)$f"},
    {"regr_slope", "regr_slope($1, $2)$f"},
    {"regr_sxx", "regr_sxx($1, $2)$f"},
    {"regr_sxy", "regr_sxy($1, $2)$f"},
    {"regr_syy", "regr_syy($1, $2)$f"},
    {"skewness", "ib_skewness_pop(skewness($1)$f, count($1)$f, var_pop($1)$f)"},
    {"some", "bool_or($a$1)$f"},
    {"std", "stddev_samp($a$1)$f"},
    {"stddev", "stddev_samp($a$1)$f"},
    {"stddev_pop", "stddev_pop($a$1)$f"},
    {"stddev_samp", "stddev_samp($a$1)$f"},
    {"string_agg", "string_agg($a$1, coalesce($2, '')$o)$f"},
    {"sum", ""},
    {"try_avg", ""},
    {"try_sum", ""},
    {"var_pop", "var_pop($a$1)$f"},
    {"var_samp", "var_samp($a$1)$f"},
    {"variance", "var_samp($a$1)$f"},
};

struct Parts {
  std::vector<std::string> args;
  std::string distinct;  // "DISTINCT " or empty
  std::string order;     // " ORDER BY ..." or empty
  std::string first_key;
  std::string suffix;  // FILTER and OVER
};

std::string Fill(std::string_view text, const Parts& parts) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'a':
        out += parts.distinct;
        break;
      case 'o':
        out += parts.order;
        break;
      case 'f':
        out += parts.suffix;
        break;
      case 'k':
        out += parts.first_key;
        break;
      default: {
        size_t index = static_cast<size_t>(text[i] - '1');
        out += index < parts.args.size() ? parts.args[index] : "NULL";
      }
    }
  }
  return out;
}

std::string Count(const AggregateCall& call, const Parts& parts) {
  bool constant = call.args.empty();
  if (call.args.size() == 1) {
    auto* literal = call.args[0]->As<plan::LiteralExpr>();
    constant = literal != nullptr && !literal->value.is_null();
  }
  if (constant && !call.distinct) return "count(*)" + parts.suffix;
  if (parts.args.size() == 1) return Fill("count($a$1)$f", parts);
  std::vector<std::string> present;
  for (const std::string& arg : parts.args) present.push_back(arg + " IS NOT NULL");
  std::string row = call.distinct ? "ROW(" + Join(parts.args, ", ") + ")" : "1";
  return fmt::format("count({}CASE WHEN {} THEN {} END){}", parts.distinct, Join(present, " AND "),
                     row, parts.suffix);
}

std::string Sum(const Expr& expr, const Parts& parts, bool try_mode) {
  std::string sum = Fill("sum($a$1)$f", parts);
  switch (expr.type.kind()) {
    case TypeKind::kBigInt:
      return try_mode ? "TRY_CAST(" + sum + " AS BIGINT)" : "ib_sum_to_bigint(" + sum + ")";
    case TypeKind::kDecimal:
      return fmt::format("ib_sum_to_decimal(CAST({} AS DECIMAL(38,{})), {}, {})", sum,
                         expr.type.scale(), expr.type.precision(), try_mode);
    default:
      return sum;
  }
}

std::string Avg(const Expr& expr, const AggregateCall& call, const Parts& parts, bool try_mode) {
  const plan::DataType& in = call.args[0]->type;
  if (expr.type.kind() == TypeKind::kDecimal) {
    return fmt::format(
        "ib_decimal('{}', CAST({} AS DECIMAL(38,{})), CAST({} AS DECIMAL(38,0)), {}, {}, 0)",
        try_mode ? "try/" : "avg", Fill("sum($a$1)$f", parts), in.scale(),
        Fill("count($a$1)$f", parts), expr.type.precision(), expr.type.scale());
  }
  if (expr.type.is_ansi_interval()) return Fill("CAST(round(avg($a$1)$f) AS BIGINT)", parts);
  return Fill("avg($a$1)$f", parts);
}

// Values and bins are numbers of the values' type: days, micros, months.
std::string Histogram(const AggregateCall& call, const Parts& parts) {
  const plan::DataType& type = call.args[0]->type;
  const std::string sql = TypeSql(type);
  std::string value = "$1", back = "e.x";
  switch (type.kind()) {
    case TypeKind::kDate:
      value = "($1 - DATE '1970-01-01')";
      back = "DATE '1970-01-01' + CAST(trunc(e.x) AS INTEGER)";
      break;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      value = "epoch_us($1)";
      back = "make_timestamp(CAST(trunc(e.x) AS BIGINT))";
      break;
    default:
      if (type.is_integral() || type.is_ansi_interval()) back = "trunc(e.x)";
      break;
  }
  return fmt::format(
      "list_transform(ib_histogram({}, CAST({} AS BIGINT)), "
      "lambda e: struct_pack(x := CAST({} AS {}), y := e.y))",
      Fill("list($aCAST(" + value + " AS DOUBLE))$f", parts), parts.args[1], back, sql);
}

}  // namespace

Result<std::string> Lowering::Aggregate(const Expr& expr, const AggregateCall& call,
                                        const std::string& over) {
  extensions_.core_functions = true;
  const AggregateRow* row = nullptr;
  for (const AggregateRow& candidate : kAggregates) {
    if (candidate.name == call.function) row = &candidate;
  }
  if (row == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "Aggregate function " + std::string(call.function) + " is not supported yet",
                "UnsupportedOperationException");
  }
  Parts parts;
  for (const plan::ExprPtr& arg : call.args) {
    ASSIGN_OR_RETURN(std::string text, Expression(arg));
    parts.args.push_back(std::move(text));
  }
  if (call.distinct) parts.distinct = "DISTINCT ";
  if (!call.order_by.empty()) {
    ASSIGN_OR_RETURN(std::string keys, Keys(call.order_by));
    ASSIGN_OR_RETURN(parts.first_key, Expression(call.order_by[0].expr));
    parts.order = " ORDER BY " + keys;
  }
  std::string condition;
  if (call.filter != nullptr) {
    ASSIGN_OR_RETURN(condition, Expression(call.filter));
  }
  if (row->nulls == NullArguments::kSkip || call.ignore_nulls) {
    condition = (condition.empty() ? "" : condition + " AND ") + parts.args[0] + " IS NOT NULL";
  }
  if (!condition.empty()) parts.suffix = " FILTER (WHERE " + condition + ")";
  parts.suffix += over;
  std::string text;
  if (call.function == "count") {
    text = Count(call, parts);
  } else if (call.function == "sum" || call.function == "try_sum") {
    text = Sum(expr, parts, call.function == "try_sum");
  } else if (call.function == "avg" || call.function == "mean" || call.function == "try_avg") {
    text = Avg(expr, call, parts, call.function == "try_avg");
  } else if (call.function == "histogram_numeric") {
    text = Histogram(call, parts);
  } else if (call.function == "approx_percentile") {
    text = Fill("quantile_disc($1, $2)$f", parts);
  } else {
    text = Fill(row->text, parts);
  }
  return "CAST(" + text + " AS " + TypeSql(expr.type) + ")";
}

Result<std::string> Lowering::Select(const plan::Plan&, const plan::Aggregate& node) {
  ASSIGN_OR_RETURN(std::string child, Query(node.child));
  // Grouping expressions become columns of their own first: GROUPING SETS and GROUPING() name them,
  // and an aggregate's argument must not see their NULLs.
  std::vector<std::string> keys, names, items;
  for (const plan::NamedExpr& group : node.groups) {
    ASSIGN_OR_RETURN(std::string text, Expression(group.expr));
    names.push_back("g" + std::to_string(group.column.id));
    keys.push_back(text + " AS " + names.back());
    items.push_back(names.back() + " AS " + Name(group.column.id));
  }
  for (const plan::NamedExpr& item : node.aggregates) {
    const plan::Call* grouping = item.expr->As<plan::Call>();
    if (grouping == nullptr) {
      ASSIGN_OR_RETURN(std::string text, Expression(item.expr));
      items.push_back(text + " AS " + Name(item.column.id));
      continue;
    }
    std::vector<std::string> args;
    for (const plan::ExprPtr& arg : grouping->args) {
      const plan::ColumnRef* ref = arg->As<plan::ColumnRef>();
      if (ref == nullptr) return Fail(ErrorCode::kInternal, "grouping over an expression");
      args.push_back("g" + std::to_string(ref->id));
    }
    if (args.empty()) args = names;
    std::string text = args.empty() ? "0" : "GROUPING(" + Join(args, ", ") + ")";
    items.push_back("CAST(" + text + " AS " + TypeSql(item.expr->type) + ") AS " +
                    Name(item.column.id));
  }
  if (items.empty()) items.push_back("0 AS z");
  std::string from = "(" + child + ")";
  if (!keys.empty()) from = "(SELECT *, " + Join(keys, ", ") + " FROM (" + child + "))";
  std::string out = "SELECT " + Join(items, ", ") + " FROM " + from;
  if (node.grouping_sets) {
    std::vector<std::string> sets;
    for (const auto& set : *node.grouping_sets) {
      std::vector<std::string> members;
      for (uint32_t index : set) members.push_back(names[index]);
      sets.push_back("(" + Join(members, ", ") + ")");
    }
    return out + " GROUP BY GROUPING SETS (" + Join(sets, ", ") + ")";
  }
  return names.empty() ? out : out + " GROUP BY " + Join(names, ", ");
}

// ---- windows
// ---------------------------------------------------------------------------------------------------------

namespace {

std::string BoundText(plan::FrameBound bound, const std::string& offset) {
  switch (bound) {
    case plan::FrameBound::kUnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case plan::FrameBound::kPreceding:
      return offset + " PRECEDING";
    case plan::FrameBound::kCurrentRow:
      return "CURRENT ROW";
    case plan::FrameBound::kFollowing:
      return offset + " FOLLOWING";
    case plan::FrameBound::kUnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return {};
}

}  // namespace

Result<std::string> Lowering::OverText(const plan::WindowCall& call) {
  std::vector<std::string> parts;
  if (!call.partition_by.empty()) {
    std::vector<std::string> keys;
    for (const plan::ExprPtr& key : call.partition_by) {
      ASSIGN_OR_RETURN(std::string text, Expression(key));
      keys.push_back(std::move(text));
    }
    parts.push_back("PARTITION BY " + Join(keys, ", "));
  }
  if (!call.order_by.empty()) {
    ASSIGN_OR_RETURN(std::string keys, Keys(call.order_by));
    parts.push_back("ORDER BY " + keys);
  }
  if (call.frame) {
    std::string start, end;
    if (call.frame->start_offset != nullptr) {
      ASSIGN_OR_RETURN(start, Expression(call.frame->start_offset));
    }
    if (call.frame->end_offset != nullptr) {
      ASSIGN_OR_RETURN(end, Expression(call.frame->end_offset));
    }
    parts.push_back(fmt::format(
        "{} BETWEEN {} AND {}", call.frame->unit == plan::FrameUnit::kRows ? "ROWS" : "RANGE",
        BoundText(call.frame->start, start), BoundText(call.frame->end, end)));
  }
  return " OVER (" + Join(parts, " ") + ")";
}

Result<std::string> Lowering::WindowText(const Expr& expr, const plan::WindowCall& call) {
  extensions_.core_functions = true;
  ASSIGN_OR_RETURN(std::string over, OverText(call));
  static constexpr std::array<std::string_view, 4> kValueFunctions = {"lag", "lead", "nth_value",
                                                                      "ntile"};
  bool value_function = std::find(kValueFunctions.begin(), kValueFunctions.end(), call.function) !=
                        kValueFunctions.end();
  if (call.is_aggregate) {
    // first_value and last_value are window functions in DuckDB, with IGNORE NULLS of their own.
    bool edge = call.function == "first" || call.function == "last" ||
                call.function == "first_value" || call.function == "last_value" ||
                call.function == "any_value";
    if (!edge) {
      AggregateCall aggregate{call.function,     call.args,   call.distinct,
                              call.ignore_nulls, call.filter, {}};
      return Aggregate(expr, aggregate, over);
    }
  }
  std::vector<std::string> args;
  for (const plan::ExprPtr& arg : call.args) {
    ASSIGN_OR_RETURN(std::string text, Expression(arg));
    args.push_back(std::move(text));
  }
  std::string name(call.function);
  if (name == "first" || name == "any_value") name = "first_value";
  if (name == "last") name = "last_value";
  bool takes_arguments = value_function || name == "first_value" || name == "last_value";
  if (name == "first_value" || name == "last_value") args.resize(std::min<size_t>(args.size(), 1));
  if (name == "nth_value") args.resize(std::min<size_t>(args.size(), 2));
  std::string inside = takes_arguments ? Join(args, ", ") : "";
  if (call.ignore_nulls) inside += " IGNORE NULLS";
  return "CAST(" + name + "(" + inside + ")" + over + " AS " + TypeSql(expr.type) + ")";
}

}  // namespace iceblink::exec
