#include "plan/system_functions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"

namespace iceblink::plan {
namespace {

using sql::DataType;
using sql::TypeKind;

// Kinds of types as letters: integers up to 32 bits, bigint, decimal, string, binary, date,
// timestamps.
struct SystemRule {
  std::string_view function;
  std::string_view count_text;
  std::string_view width_types;  // of a first argument before the value; empty: there is none
  std::string_view width_text;
  std::string_view value_types;  // empty: there is no value
  std::string_view value_text;   // ends with ':' where the type follows
};
constexpr SystemRule kRules[] = {
    {"bucket", "Wrong number of inputs (expected numBuckets and value)", "i",
     "Expected number of buckets to be tinyint, shortint or int", "ilnsbdt",
     "Expected column to be date, tinyint, smallint, int, bigint, decimal, timestamp, string, or "
     "binary"},
    {"truncate", "Wrong number of inputs (expected width and value)", "i",
     "Expected truncation width to be tinyint, shortint or int", "ilnsb",
     "Expected truncation col to be tinyint, shortint, int, bigint, decimal, string, or binary"},
    {"years", "Wrong number of inputs (expected value)", "", "", "dt",
     "Expected value to be date or timestamp:"},
    {"months", "Wrong number of inputs (expected value)", "", "", "dt",
     "Expected value to be date or timestamp:"},
    {"days", "Wrong number of inputs (expected value)", "", "", "dt",
     "Expected value to be date or timestamp:"},
    {"hours", "Wrong number of inputs (expected value)", "", "", "t",
     "Expected value to be timestamp:"},
    {"iceberg_version", "Cannot bind: iceberg_version does not accept arguments", "", "", "", ""},
};

char LetterOf(const DataType& type) {
  if (type.is_string()) return 's';
  if (type.kind() == TypeKind::kBigInt) return 'l';
  if (type.is_integral()) return 'i';
  if (type.kind() == TypeKind::kDecimal) return 'n';
  if (type.kind() == TypeKind::kBinary) return 'b';
  if (type.kind() == TypeKind::kDate) return 'd';
  if (type.is_datetime()) return 't';
  return '-';
}

bool Takes(std::string_view letters, const DataType& type) {
  return letters.find(LetterOf(type)) != std::string_view::npos;
}

std::string ReasonOf(const SystemRule& rule, std::span<const DataType> types) {
  const size_t count = (rule.width_types.empty() ? 0 : 1) + (rule.value_types.empty() ? 0 : 1);
  if (types.size() != count) return std::string(rule.count_text);
  if (!rule.width_types.empty() && !Takes(rule.width_types, types.front()))
    return std::string(rule.width_text);
  if (rule.value_types.empty() || Takes(rule.value_types, types.back())) return {};
  std::string reason(rule.value_text);
  return reason.ends_with(':') ? reason + " " + types.back().SimpleString() : reason;
}

}  // namespace

Status CheckSystemArguments(std::string_view function, std::span<const DataType> types,
                            ErrorPosition at) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const SystemRule& r) { return r.function == function; });
  if (rule == std::end(kRules)) return {};
  std::string reason = ReasonOf(*rule, types);
  if (reason.empty()) return {};
  std::vector<std::string> names;
  for (const DataType& type : types) names.push_back(type.SimpleString());
  return Raise("_LEGACY_ERROR_TEMP_1198",
               {{"unbound", std::string(function)},
                {"arguments", Join(names, ", ")},
                {"unsupported", std::move(reason)}},
               at);
}

}  // namespace iceblink::plan
