// Runs statements one by one in a session and prints what they answer.
#pragma once

#include <string>

#include "engine/session.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

namespace iceblink::cli {

class StatementRunner {
 public:
  struct Options {
    Format format = Format::kTable;
    bool keep_going = false;
    bool timing = false;
  };

  StatementRunner(engine::SessionOptions session, Options options);

  // Returns whether to go on with the next statement.
  bool Run(const std::string& sql);

  int exit_code() const { return exit_code_; }
  engine::Session& session() { return session_; }
  InterruptHandler& interrupts() { return interrupts_; }

 private:
  void Report(const Error& error);

  Options options_;
  engine::Session session_;
  ResultPrinter printer_;
  ProgressBar progress_;
  InterruptHandler interrupts_;
  int exit_code_ = 0;
};

}  // namespace iceblink::cli
