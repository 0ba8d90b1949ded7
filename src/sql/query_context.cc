#include "sql/query_context.h"

#include <algorithm>

#include "base/strings.h"

namespace iceblink::sql {

namespace {

constexpr size_t kExtraContext = 32;
constexpr std::string_view kCut = "...";

// Old conditions have neither a name nor a state in their message.
std::string Numbered(std::string_view condition, std::string_view sql_state,
                     std::string_view message) {
  if (sql_state.empty()) return std::string(message);
  return "[" + std::string(condition) + "] " + std::string(message) +
         " SQLSTATE: " + std::string(sql_state);
}

}  // namespace

std::string QueryContext(std::string_view text, const Position& position) {
  const size_t start = std::min<size_t>(std::max(position.start, 0), text.size());
  const size_t stop = std::clamp<size_t>(std::max(position.stop, 0), start, text.size());
  const size_t newline = start == 0 ? std::string_view::npos : text.rfind('\n', start - 1);
  size_t from = newline == std::string_view::npos ? 0 : newline + 1;
  size_t to = std::min(text.find('\n', stop == start ? stop : stop - 1), text.size());
  std::string shown;
  if (start - from > kExtraContext) {
    from = start - kExtraContext;
    shown = kCut;
  }
  size_t at = from;  // of the first byte of the line shown, in the text
  std::string indent(shown.size(), ' ');
  shown += text.substr(from, (to - stop > kExtraContext ? stop + kExtraContext : to) - from);
  if (to - stop > kExtraContext) shown += kCut;

  std::string out = "== SQL (line " + std::to_string(position.line) + ", position " +
                    std::to_string(position.column + 1) + ") ==";
  for (const std::string& line : Split(shown, '\n')) {
    out += "\n" + line + "\n" + indent;
    const size_t first = std::max(at, start);
    const size_t last = std::min(at + line.size() - indent.size(), stop);
    if (first < last) out += std::string(first - at, ' ') + std::string(last - first, '^');
    at += line.size() - indent.size() + 1;
    indent.clear();
  }
  return out;
}

Error ContextError(ErrorCode code, std::string_view exception, std::string_view condition,
                   std::string_view sql_state, std::string_view message, std::string_view text,
                   const Position& position) {
  Error error = Error::Make(
      code, Numbered(condition, sql_state, message) + "\n" + QueryContext(text, position),
      std::string(exception));
  error.condition = condition;
  error.sql_state = sql_state;
  return error;
}

Error PointError(std::string_view condition, std::string_view sql_state, std::string_view message,
                 std::string_view text, int32_t line, int32_t column) {
  std::string out = Numbered(condition, sql_state, message) + " (line " + std::to_string(line) +
                    ", pos " + std::to_string(column) + ")\n\n== SQL ==";
  int32_t number = 0;
  for (const std::string& shown : Split(text, '\n')) {
    out += "\n" + shown;
    if (++number == line) out += "\n" + std::string(column, '-') + "^^^";
  }
  Error error = Error::Make(ErrorCode::kSyntax, std::move(out), "ParseException");
  error.condition = condition;
  error.sql_state = sql_state;
  return error;
}

}  // namespace iceblink::sql
