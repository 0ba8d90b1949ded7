#include "sql_command.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/strings.h"
#include "repl.h"
#include "statement_runner.h"
#include "statement_source.h"

namespace iceblink::cli {
namespace {

bool ConfPair(const std::string& text, engine::Settings& settings) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return false;
  settings[std::string(Trim(text.substr(0, at)))] = std::string(Trim(text.substr(at + 1)));
  return true;
}

std::string DefaultPropertiesFile() {
  for (const char* variable : {"SPARK_CONF_DIR", "SPARK_HOME"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr) continue;
    std::string path = std::string(folder) +
                       (variable == std::string("SPARK_HOME") ? "/conf" : "") +
                       "/spark-defaults.conf";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

Result<std::string> ReadTextFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kNotFound, "Cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Runs -e and -f in the order of their kind; returns false when one of the files cannot be read.
bool RunGiven(const SqlFlags& flags, StatementRunner& runner, int& exit_code) {
  bool go_on = true;
  auto run = [&](const std::string& sql) { return go_on = runner.Run(sql); };
  for (const std::string& text : flags.statements) {
    if (go_on) RunText(text, run);
  }
  for (const std::string& path : flags.files) {
    if (!go_on) break;
    if (path == "-") {
      if (auto status = RunDescriptor(STDIN_FILENO, run); !status) return false;
      continue;
    }
    auto text = ReadTextFile(path);
    if (!text) {
      PrintErrorText(text.error());
      exit_code = kExitUsage;
      return false;
    }
    RunText(*text, run);
  }
  return true;
}

}  // namespace

void PrintErrorText(const Error& error) {
  std::string prefix =
      error.condition.empty() && !error.exception.empty() ? error.exception + ": " : "";
  std::fprintf(stderr, "Error: %s%s\n", prefix.c_str(), error.message.c_str());
}

Result<engine::SessionOptions> MakeSessionOptions(const SessionFlags& flags) {
  engine::SessionOptions options;
  std::string path =
      flags.properties_file.empty() ? DefaultPropertiesFile() : flags.properties_file;
  if (!path.empty()) {
    ASSIGN_OR_RETURN(options.settings, engine::ReadPropertiesFile(path));
  }
  for (const std::string& conf : flags.confs) {
    if (!ConfPair(conf, options.settings)) {
      return Fail(ErrorCode::kInvalidArgument, "--conf takes key=value, but got " + conf);
    }
  }
  return options;
}

int RunSqlCommand(const SqlFlags& flags) {
  auto options = MakeSessionOptions(flags.session);
  if (!options) {
    PrintErrorText(options.error());
    return kExitUsage;
  }
  std::optional<Format> format = ParseFormat(flags.format.empty() ? "table" : flags.format);
  if (!format) return kExitUsage;  // the argument parser has refused it already
  bool given = !flags.statements.empty() || !flags.files.empty();
  bool interactive = !given && isatty(STDIN_FILENO) == 1;
  StatementRunner runner(std::move(*options),
                         {*format, flags.keep_going || interactive, flags.timing});
  int exit_code = kExitOk;
  if (interactive) return RunRepl(runner);
  if (given) {
    RunGiven(flags, runner, exit_code);
  } else if (auto status = RunDescriptor(STDIN_FILENO,
                                         [&](const std::string& sql) { return runner.Run(sql); });
             !status) {
    exit_code = runner.interrupts().TakeInterrupted() ? kExitInterrupted : kExitFailed;
  }
  return exit_code != kExitOk ? exit_code : runner.exit_code();
}

}  // namespace iceblink::cli
