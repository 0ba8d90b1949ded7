// A progress bar on the terminal for statements that take longer than a second.
#pragma once

#include <chrono>
#include <mutex>

namespace iceblink::cli {

// Draws on stderr when that is a terminal. Update may come from any thread.
class ProgressBar {
 public:
  ProgressBar();
  void Begin();
  void Update(double fraction);
  // Wipes the bar.
  void End();

 private:
  std::mutex mutex_;
  bool enabled_;
  bool active_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace iceblink::cli
