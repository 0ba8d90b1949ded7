#include "statement_runner.h"

#include <chrono>
#include <utility>

#include "sql_command.h"

namespace iceblink::cli {

StatementRunner::StatementRunner(engine::SessionOptions session, Options options)
    : options_(options),
      session_(std::move(session)),
      printer_(options.format, stdout),
      interrupts_([this] { session_.Interrupt(); }) {
  session_.OnProgress([this](double fraction) { progress_.Update(fraction); });
}

bool StatementRunner::Run(const std::string& sql) {
  auto start = std::chrono::steady_clock::now();
  interrupts_.StatementBegins();
  progress_.Begin();
  Result<int64_t> rows = 0;
  if (auto result = session_.Execute(sql); !result) {
    progress_.End();
    printer_.PrintError(result.error());
    rows = Fail(std::move(result).error());
  } else {
    progress_.End();
    for (const std::string& warning : result->warnings)
      std::fprintf(stderr, "Warning: %s\n", warning.c_str());
    rows = printer_.Print(*result, session_.time_zone());
  }
  interrupts_.StatementEnds();
  if (!rows) Report(rows.error());
  if (options_.timing) {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::fprintf(stderr, "Time: %.3f s\n", seconds);
  }
  if (interrupts_.TakeInterrupted()) {
    exit_code_ = kExitInterrupted;
    return false;
  }
  return rows.has_value() || options_.keep_going;
}

void StatementRunner::Report(const Error& error) {
  exit_code_ = kExitFailed;
  if (options_.format != Format::kJsonl) PrintErrorText(error);
}

}  // namespace iceblink::cli
