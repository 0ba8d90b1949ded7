// `iceblink sql`: runs statements from arguments, files, a pipe or a person.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"
#include "output.h"

namespace iceblink::cli {

// What the commands that open a session have in common.
struct SessionFlags {
  std::vector<std::string> confs;  // key=value
  std::string properties_file;
};

// Makes the options of a session: the properties file ($SPARK_CONF_DIR/spark-defaults.conf when
// none is named and it exists), then --conf. Error: kInvalidArgument for a --conf without '='.
Result<engine::SessionOptions> MakeSessionOptions(const SessionFlags& flags);

struct SqlFlags {
  SessionFlags session;
  std::vector<std::string> statements;  // -e
  std::vector<std::string> files;       // -f; "-" is stdin
  std::string format;  // empty: table on a terminal and for people, tsv never by itself
  bool keep_going = false;
  bool timing = false;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // a statement failed
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

// Returns the exit code.
int RunSqlCommand(const SqlFlags& flags);

// Prints an error for people: "ValidationException: Cannot ..." or "[CONDITION] ...".
void PrintErrorText(const Error& error);

}  // namespace iceblink::cli
