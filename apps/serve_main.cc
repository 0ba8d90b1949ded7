// The server, a program of its own that `iceblink serve` becomes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "serve_command.h"
#include "session_arguments.h"

int main(int argc, char** argv) {
  using namespace iceblink::cli;
  CLI::App app("Serve Spark Connect (SparkSession.builder.remote(\"sc://localhost\")) and the Iceberg REST catalog",
               "iceblink serve");
  app.set_version_flag("--version", VersionText());
  ServeFlags flags;
  app.add_option("--connect", flags.connect, "Address of Spark Connect (default: 127.0.0.1:15002)")->type_name("HOST:PORT");
  app.add_option("--http", flags.http, "Address of the REST catalog (default: 127.0.0.1:8181)")->type_name("HOST:PORT");
  app.add_flag("--no-connect", flags.no_connect, "Do not serve Spark Connect");
  app.add_flag("--no-http", flags.no_http, "Do not serve the REST catalog");
  app.add_flag("--hash-secret", flags.hash_secret, "Read a secret from stdin, print its hash for the principals file, and end");
  AddSessionFlags(&app, flags.session);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == "serve") arguments.erase(arguments.begin());
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return RunServeCommand(flags);
}
