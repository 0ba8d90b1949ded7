// `iceblink tree`: a table as its files tell it, from the catalog's pointer down to the data files.
#pragma once

#include <string>

#include "sql_command.h"

namespace iceblink::cli {

struct TreeFlags {
  SessionFlags session;
  std::string table;
  std::string version;  // snapshot id, branch or tag; empty: main
  int files_per_manifest = 20;
};

// Returns the exit code.
int RunTreeCommand(const TreeFlags& flags);

}  // namespace iceblink::cli
