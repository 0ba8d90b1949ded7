#include "plan/translatable.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "plan/expression_tree.h"

namespace iceblink::plan {
namespace {

// Spark's V2ExpressionBuilder, by the names functions have here.
constexpr std::string_view kForms[] = {
    "abs",         "acos",       "aes_encrypt",  "and",          "asin",      "atan",
    "atan2",       "between",    "bit_length",   "btrim",        "cbrt",      "ceil",
    "char_length", "coalesce",   "concat",       "contains",     "cos",       "cosh",
    "cot",         "crc32",      "date_add",     "datediff",     "day",       "dayofweek",
    "dayofyear",   "degrees",    "endswith",     "exp",          "floor",     "greatest",
    "hour",        "if",         "in",           "isnotnull",    "isnull",    "least",
    "left",        "length",     "like",         "ln",           "log",       "log10",
    "log2",        "lower",      "ltrim",        "md5",          "minute",    "mod",
    "month",       "negative",   "not",          "octet_length", "or",        "overlay",
    "pow",         "power",      "quarter",      "radians",      "rand",      "round",
    "rtrim",       "second",     "sha1",         "sha2",         "sign",      "signum",
    "sin",         "sinh",       "sqrt",         "startswith",   "substr",    "substring",
    "tan",         "tanh",       "translate",    "trim",         "trunc",     "upper",
    "weekday",     "weekofyear", "width_bucket", "year",         "yearofweek"};

bool IsOperator(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
}

}  // namespace

bool HasSourceForm(const ExprPtr& expr) {
  return !AnyNode(expr, [](const Expr& node) {
    const auto* call = std::get_if<Call>(&node.node);
    return call != nullptr && !IsOperator(call->function) &&
           std::find(std::begin(kForms), std::end(kForms), call->function) == std::end(kForms);
  });
}

}  // namespace iceblink::plan
