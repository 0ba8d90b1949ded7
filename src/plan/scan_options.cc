#include "plan/scan_options.h"

#include <fmt/format.h>

#include <string_view>

#include "base/strings.h"

namespace iceblink::plan {
namespace {

struct SplitRule {
  std::string_view option, property, text;
  int64_t least;
};
constexpr SplitRule kRules[] = {
    {"split-size", "read.split.target-size", "Split size must be > 0: ", 1},
    {"lookback", "read.split.planning-lookback", "Split planning lookback must be > 0: ", 1},
    {"file-open-cost", "read.split.open-file-cost", "File open cost must be >= 0: ", 0}};

}  // namespace

Status CheckSplits(const spec::TableMetadata& metadata,
                   const std::map<std::string, std::string>& options) {
  for (const SplitRule& rule : kRules) {
    auto given = options.find(std::string(rule.option));
    const std::string text =
        given == options.end() ? metadata.Property(rule.property, "1") : given->second;
    const auto number = ParseInt64(text);
    if (!number)
      return Fail(ErrorCode::kInvalidArgument, fmt::format("For input string: \"{}\"", text),
                  "NumberFormatException");
    if (*number < rule.least) return IllegalArgument(fmt::format("{}{}", rule.text, *number));
  }
  return {};
}

}  // namespace iceblink::plan
