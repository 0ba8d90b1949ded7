// Spark's error conditions as data, and how a message is put together from them.
//
// A message reads "[CONDITION] text with parameters SQLSTATE: xxxxx; line L pos P", as Spark prints
// it. Conditions that Spark raises while it checks a whole plan ("extended") end with a further ";"
// - the printed plan would follow. The table serves analysis here and run-time errors of exec
// alike. All functions are pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace iceblink::plan {

struct ErrorCondition {
  std::string_view condition;  // with its subclass: "DATATYPE_MISMATCH.NULL_TYPE"
  std::string_view sql_state;
  ErrorCode code;
  std::string_view exception;
  bool extended;             // message ends with ";" when the plan follows it
  std::string_view message;  // <name> stands for a parameter
};

// Returns null when the table has no such condition.
const ErrorCondition* FindErrorCondition(std::string_view condition);

// Where an expression starts in the statement's text; line from 1 (0: it was not written as text),
// column from 0.
struct ErrorPosition {
  int line = 1;
  int column = 0;
};

using ErrorParameters = std::initializer_list<std::pair<std::string_view, std::string>>;

// Returns the error of a condition of the table; an unknown condition yields kInternal.
Error MakeError(std::string_view condition, ErrorParameters parameters = {},
                std::optional<ErrorPosition> at = {});

// The same as a failed Result: return Raise("UNRESOLVED_ROUTINE", {{"routineName", name}},
// position);
inline tl::unexpected<Error> Raise(std::string_view condition, ErrorParameters parameters = {},
                                   std::optional<ErrorPosition> at = {}) {
  return tl::unexpected<Error>(MakeError(condition, parameters, at));
}

// "first", "second", "third", then "4th": how messages number parameters.
std::string OrdinalWord(size_t ordinal);

// "text" in double quotes, the form of types and expressions in messages.
std::string InDoubleQuotes(std::string_view text);

}  // namespace iceblink::plan
