// The part of an error message that shows where in the statement the failing node stands.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sql/ast_expression.h"

namespace iceblink::sql {

// Returns Spark's query context, lines joined by \n without a last one:
//   == SQL (line 1, position 8) ==
//   SELECT DATE 'nonsense'
//          ^^^^^^^^^^^^^^^
// Long text around the place is cut to 32 bytes with "...".
std::string QueryContext(std::string_view text, const Position& position);

// Returns an error with a condition: message "[CONDITION] text SQLSTATE: 42601" followed by the
// query context.
Error ContextError(ErrorCode code, std::string_view exception, std::string_view condition,
                   std::string_view sql_state, std::string_view message, std::string_view text,
                   const Position& position);

// Returns the PARSE_SYNTAX_ERROR or other error at one point: "... SQLSTATE: 42601 (line 1, pos
// 7)", then the text with the place marked by dashes.
Error PointError(std::string_view condition, std::string_view sql_state, std::string_view message,
                 std::string_view text, int32_t line, int32_t column);

}  // namespace iceblink::sql
