// Ctrl-C: cancels the running statement; while nothing runs, a blocking read returns.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace iceblink::cli {

// Handles SIGINT for its lifetime; at most one at a time. The handler itself only sets a flag and
// writes to a pipe; `cancel` is called on a thread of this object while a statement is marked as
// running.
class InterruptHandler {
 public:
  explicit InterruptHandler(std::function<void()> cancel);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

  void StatementBegins() { running_ = true; }
  void StatementEnds() { running_ = false; }
  // Returns whether a signal came since the last call.
  bool TakeInterrupted();

 private:
  void Wait();

  std::function<void()> cancel_;
  std::atomic<bool> running_ = false;
  int read_end_ = -1;
  int write_end_ = -1;
  std::thread thread_;
};

}  // namespace iceblink::cli
