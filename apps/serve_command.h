// `iceblink serve`: a Spark Connect server in the foreground, until Ctrl-C or SIGTERM.
#pragma once

#include <string>

#include "sql_command.h"

namespace iceblink::cli {

struct ServeFlags {
  SessionFlags session;
  std::string connect = "127.0.0.1:15002";
  bool no_connect = false;
};

// Returns the exit code.
int RunServeCommand(const ServeFlags& flags);

}  // namespace iceblink::cli
