// The interactive shell: line editing, history in ~/.iceblink_history, statements over several
// lines, completion of keywords and names with Tab.
#pragma once

#include "statement_runner.h"

namespace iceblink::cli {

// Runs until the end of the input, `quit` or `exit`. Returns the exit code.
int RunRepl(StatementRunner& runner);

}  // namespace iceblink::cli
