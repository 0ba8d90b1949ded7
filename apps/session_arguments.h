// The arguments that every command with a session takes.
#pragma once

#include <CLI/CLI.hpp>

#include "sql_command.h"

namespace iceblink::cli {

void AddSessionFlags(CLI::App* command, SessionFlags& flags);
// "iceblink 0.1.0 (Spark 4.1.3, Iceberg 1.11.0)"
std::string VersionText();

}  // namespace iceblink::cli
