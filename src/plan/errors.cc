#include "plan/errors.h"

#include <unordered_map>

#include "base/strings.h"
#include "fmt/format.h"

namespace iceblink::plan {

std::span<const ErrorCondition> AnalysisConditions();
std::span<const ErrorCondition> RuntimeConditions();

const ErrorCondition* FindErrorCondition(std::string_view condition) {
  static const std::unordered_map<std::string_view, const ErrorCondition*> index = [] {
    std::unordered_map<std::string_view, const ErrorCondition*> map;
    for (auto rows : {AnalysisConditions(), RuntimeConditions()})
      for (const ErrorCondition& row : rows) map.emplace(row.condition, &row);
    return map;
  }();
  auto it = index.find(condition);
  return it == index.end() ? nullptr : it->second;
}

namespace {

std::string Substitute(std::string_view text, ErrorParameters parameters) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t close = text[i] == '<' ? text.find('>', i) : std::string_view::npos;
    if (close != std::string_view::npos) {
      std::string_view name = text.substr(i + 1, close - i - 1);
      bool found = false;
      for (const auto& [key, value] : parameters) {
        if (key != name) continue;
        out += value;
        found = true;
        break;
      }
      if (found) {
        i = close + 1;
        continue;
      }
    }
    out += text[i++];
  }
  return out;
}

}  // namespace

Error MakeError(std::string_view condition, ErrorParameters parameters,
                std::optional<ErrorPosition> at) {
  const ErrorCondition* row = FindErrorCondition(condition);
  if (row == nullptr)
    return Error::Make(ErrorCode::kInternal, fmt::format("unknown error condition {}", condition),
                       "SparkException");
  std::string text = Substitute(row->message, parameters);
  bool legacy = condition.starts_with("_LEGACY");
  if (!legacy) text = fmt::format("[{}] {}", condition, text);
  if (!row->sql_state.empty()) text += fmt::format(" SQLSTATE: {}", row->sql_state);
  if (at && at->line > 0) text += fmt::format("; line {} pos {}", at->line, at->column);
  if (row->extended) text += ';';
  Error error = Error::Make(row->code, std::move(text), std::string(row->exception));
  error.condition = std::string(condition);
  error.sql_state = std::string(row->sql_state);
  return error;
}

std::string OrdinalWord(size_t ordinal) {
  static constexpr std::string_view kWords[] = {"zeroth", "first", "second", "third"};
  return ordinal < std::size(kWords) ? std::string(kWords[ordinal]) : fmt::format("{}th", ordinal);
}

std::string InDoubleQuotes(std::string_view text) { return fmt::format("\"{}\"", text); }

}  // namespace iceblink::plan
