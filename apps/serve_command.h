// `iceblink serve`: Spark Connect and the Iceberg REST catalog in the foreground, until Ctrl-C or
// SIGTERM.
#pragma once

#include <string>

#include "sql_command.h"

namespace iceblink::cli {

struct ServeFlags {
  SessionFlags session;
  std::string connect = "127.0.0.1:15002";
  std::string http = "127.0.0.1:8181";
  bool no_connect = false;
  bool no_http = false;
  bool hash_secret = false;  // print the hash of the secret on stdin and end
};

// Returns the exit code.
int RunServeCommand(const ServeFlags& flags);

}  // namespace iceblink::cli
