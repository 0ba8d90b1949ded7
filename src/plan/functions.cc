#include "plan/functions.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/strings.h"

namespace iceblink::plan {
namespace {

constexpr auto kA = FunctionKind::kAggregate;
constexpr auto kW = FunctionKind::kWindow;
constexpr auto kG = FunctionKind::kGenerator;
constexpr auto kNever = NullRule::kNever;
constexpr auto kAlways = NullRule::kAlways;

constexpr FunctionRow kAggregateRows[] = {
    {"count", kA, 1, -1, ".", "l", kNever},
    {"sum", kA, 1, 1, "m", "*", kAlways},
    {"avg", kA, 1, 1, "m", "*", kAlways},
    {"mean", kA, 1, 1, "m", "*", kAlways, "avg", "mean"},
    {"try_sum", kA, 1, 1, "m", "*", kAlways},
    {"try_avg", kA, 1, 1, "m", "*", kAlways},
    {"min", kA, 1, 1, "o", "1", kAlways},
    {"max", kA, 1, 1, "o", "1", kAlways},
    {"first", kA, 1, 2, ".b", "1", kAlways},
    {"first_value", kA, 1, 2, ".b", "1", kAlways, "first", "first_value"},
    {"last", kA, 1, 2, ".b", "1", kAlways},
    {"last_value", kA, 1, 2, ".b", "1", kAlways, "last", "last_value"},
    {"any_value", kA, 1, 2, ".b", "1", kAlways, "first", "any_value"},
    {"collect_list", kA, 1, 1, ".", "[1", kNever},
    {"array_agg", kA, 1, 1, ".", "[1", kNever, "collect_list", "collect_list"},
    {"collect_set", kA, 1, 1, ".", "[1", kNever},
    {"count_if", kA, 1, 1, "b", "l", kNever},
    {"stddev", kA, 1, 1, "d", "d", kAlways, "stddev_samp", "stddev"},
    {"std", kA, 1, 1, "d", "d", kAlways, "stddev_samp", "std"},
    {"stddev_samp", kA, 1, 1, "d", "d", kAlways},
    {"stddev_pop", kA, 1, 1, "d", "d", kAlways},
    {"variance", kA, 1, 1, "d", "d", kAlways, "var_samp", "variance"},
    {"var_samp", kA, 1, 1, "d", "d", kAlways},
    {"var_pop", kA, 1, 1, "d", "d", kAlways},
    {"skewness", kA, 1, 1, "d", "d", kAlways},
    {"kurtosis", kA, 1, 1, "d", "d", kAlways},
    {"corr", kA, 2, 2, "dd", "d", kAlways},
    {"covar_samp", kA, 2, 2, "dd", "d", kAlways},
    {"covar_pop", kA, 2, 2, "dd", "d", kAlways},
    {"regr_count", kA, 2, 2, "dd", "l", kNever},
    {"regr_slope", kA, 2, 2, "dd", "d", kAlways},
    {"regr_intercept", kA, 2, 2, "dd", "d", kAlways},
    {"regr_r2", kA, 2, 2, "dd", "d", kAlways},
    {"regr_avgx", kA, 2, 2, "dd", "d", kAlways},
    {"regr_avgy", kA, 2, 2, "dd", "d", kAlways},
    {"regr_sxx", kA, 2, 2, "dd", "d", kAlways},
    {"regr_syy", kA, 2, 2, "dd", "d", kAlways},
    {"regr_sxy", kA, 2, 2, "dd", "d", kAlways},
    {"approx_count_distinct", kA, 1, 2, ".d", "l", kNever},
    {"max_by", kA, 2, 2, ".o", "1", kAlways},
    {"min_by", kA, 2, 2, ".o", "1", kAlways},
    {"bool_and", kA, 1, 1, "b", "b", kAlways},
    {"every", kA, 1, 1, "b", "b", kAlways, "bool_and", "every"},
    {"bool_or", kA, 1, 1, "b", "b", kAlways},
    {"any", kA, 1, 1, "b", "b", kAlways, "bool_or", "any"},
    {"some", kA, 1, 1, "b", "b", kAlways, "bool_or", "some"},
    {"bit_and", kA, 1, 1, "*", "1", kAlways},
    {"bit_or", kA, 1, 1, "*", "1", kAlways},
    {"bit_xor", kA, 1, 1, "*", "1", kAlways},
    {"median", kA, 1, 1, "d", "d", kAlways},
    {"percentile", kA, 2, 3, "d.l", "*", kAlways, "", "", "1"},
    {"percentile_approx", kA, 2, 3, "n.i", "*", kAlways, "", "", "10000"},
    {"approx_percentile", kA, 2, 3, "n.i", "*", kAlways, "percentile_approx", "approx_percentile",
     "10000"},
    {"percentile_cont", kA, 1, 1, "d", "d", kAlways},
    {"percentile_disc", kA, 1, 1, "d", "d", kAlways},
    {"mode", kA, 0, 2, ".b", "1", kAlways},
    {"histogram_numeric", kA, 2, 2, ".i", "*", kAlways},
    {"listagg", kA, 1, 2, "ss", "s", kAlways, "", "", "NULL"},
    {"string_agg", kA, 1, 2, "ss", "s", kAlways, "listagg", "string_agg", "NULL"},
    {"grouping", kA, 1, 1, ".", "y", kNever},
    {"grouping_id", kA, 0, -1, ".", "l", kNever},
};

constexpr FunctionRow kWindowRows[] = {
    {"row_number", kW, 0, 0, "", "i", kNever},
    {"rank", kW, 0, 0, "", "i", kNever, "", "RANK"},
    {"dense_rank", kW, 0, 0, "", "i", kNever, "", "DENSE_RANK"},
    {"percent_rank", kW, 0, 0, "", "d", kNever, "", "PERCENT_RANK"},
    {"cume_dist", kW, 0, 0, "", "d", kNever},
    {"ntile", kW, 0, 1, "i", "i", kNever, "", "", "1"},
    {"lag", kW, 1, 3, ".i.", "1", kAlways, "", "", "1|NULL"},
    {"lead", kW, 1, 3, ".i.", "1", kAlways, "", "", "1|NULL"},
    {"nth_value", kW, 2, 2, ".i", "1", kAlways},
};

constexpr FunctionRow kGeneratorRows[] = {
    {"explode", kG, 1, 1, "C", "*", kAlways},
    {"explode_outer", kG, 1, 1, "C", "*", kAlways, "explode"},
    {"posexplode", kG, 1, 1, "C", "*", kAlways},
    {"posexplode_outer", kG, 1, 1, "C", "*", kAlways, "posexplode"},
    {"inline", kG, 1, 1, "A", "*", kAlways},
    {"inline_outer", kG, 1, 1, "A", "*", kAlways, "inline"},
    {"stack", kG, 2, -1, "*", "*", kAlways},
    {"json_tuple", kG, 2, -1, "s", "*", kAlways},
};

constexpr std::string_view kOperators[] = {"+",
                                           "-",
                                           "*",
                                           "/",
                                           "%",
                                           "div",
                                           "&",
                                           "|",
                                           "^",
                                           "~",
                                           "<<",
                                           ">>",
                                           ">>>",
                                           "and",
                                           "or",
                                           "not",
                                           "=",
                                           "<=>",
                                           "<",
                                           "<=",
                                           ">",
                                           ">=",
                                           "in",
                                           "like",
                                           "ilike",
                                           "rlike",
                                           "isnull",
                                           "isnotnull",
                                           "positive",
                                           "negative",
                                           "if",
                                           "get_struct_field",
                                           "get_array_struct_fields",
                                           "get_array_item",
                                           "get_map_value",
                                           "named_struct",
                                           "array",
                                           "map",
                                           "assert_not_null",
                                           "date_add_interval",
                                           "date_diff_days",
                                           "timestamp_diff",
                                           "check_length",
                                           "char_pad",
                                           "wrap_add",
                                           "wrap_subtract",
                                           "wrap_multiply",
                                           "wrap_negative",
                                           "wrap_abs",
                                           "try_divide",
                                           "try_mod",
                                           "try_int_divide",
                                           "get",
                                           "try_element_at",
                                           "interval_multiply",
                                           "interval_divide",
                                           "struct_with_field",
                                           "iceberg_zorder",
                                           "time_windows"};

struct AnsiPair {
  std::string_view ansi, legacy;
};
constexpr AnsiPair kWithoutAnsi[] = {
    {"+", "wrap_add"},
    {"-", "wrap_subtract"},
    {"*", "wrap_multiply"},
    {"/", "try_divide"},
    {"%", "try_mod"},
    {"div", "try_int_divide"},
    {"negative", "wrap_negative"},
    {"abs", "wrap_abs"},
    {"get_array_item", "get"},
    {"element_at", "try_element_at"},
    {"sum", "sum"},
    {"to_date", "try_to_date"},
    {"to_timestamp", "try_to_timestamp"},
};

}  // namespace

std::span<const FunctionRow> ScalarFunctionsBase();
std::span<const FunctionRow> NestedFunctions();
std::span<const FunctionRow> SystemFunctions();

std::span<const FunctionRow> ScalarFunctions() {
  static const std::vector<FunctionRow> rows = [] {
    auto base = ScalarFunctionsBase();
    auto nested = NestedFunctions();
    std::vector<FunctionRow> all(base.begin(), base.end());
    all.insert(all.end(), nested.begin(), nested.end());
    return all;
  }();
  return rows;
}
std::span<const FunctionRow> AggregateFunctions() { return kAggregateRows; }
std::span<const FunctionRow> WindowFunctions() { return kWindowRows; }
std::span<const FunctionRow> GeneratorFunctions() { return kGeneratorRows; }

const FunctionRow* FindFunction(std::string_view name) {
  static const std::unordered_map<std::string_view, const FunctionRow*> index = [] {
    std::unordered_map<std::string_view, const FunctionRow*> map;
    for (auto rows :
         {ScalarFunctions(), AggregateFunctions(), WindowFunctions(), GeneratorFunctions()})
      for (const FunctionRow& row : rows) map.emplace(row.name, &row);
    return map;
  }();
  auto it = index.find(AsciiLower(name));
  return it == index.end() ? nullptr : it->second;
}

const FunctionRow* FindSystemFunction(std::string_view name) {
  for (const FunctionRow& row : SystemFunctions())
    if (EqualsIgnoreCase(row.name, name)) return &row;
  return nullptr;
}

std::span<const std::string_view> OperatorNames() { return kOperators; }

std::string_view CanonicalFunctionName(std::string_view name) {
  for (std::string_view op : kOperators)
    if (op == name) return op;
  if (const FunctionRow* row = FindFunction(name)) return row->CanonicalName();
  for (const FunctionRow& row : SystemFunctions())
    if (row.canonical == name) return row.canonical;
  return {};
}

std::string_view WithoutAnsi(std::string_view canonical) {
  for (const AnsiPair& pair : kWithoutAnsi)
    if (pair.ansi == canonical) return pair.legacy;
  return canonical;
}

}  // namespace iceblink::plan
