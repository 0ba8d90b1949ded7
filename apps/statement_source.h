// Where the statements of `iceblink sql` come from when nobody types them: arguments, files, a
// pipe.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "sql/parser.h"

namespace iceblink::cli {

// Returns whether to go on.
using RunStatement = std::function<bool(const std::string& sql)>;

// Runs the statements of a text.
void RunText(const std::string& text, const RunStatement& run);

// Reads a file descriptor and runs each statement as soon as its semicolon has arrived; the rest at
// the end of the input. Stops early when `run` says so or a signal interrupts the wait.
Status RunDescriptor(int descriptor, const RunStatement& run);

}  // namespace iceblink::cli
