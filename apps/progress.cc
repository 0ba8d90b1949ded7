#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace iceblink::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 40;

bool TerminalShowsBars() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string(term) != "dumb";
}

}  // namespace

ProgressBar::ProgressBar() : enabled_(TerminalShowsBars()) {}

void ProgressBar::Begin() {
  std::lock_guard lock(mutex_);
  active_ = true;
  drawn_ = false;
  start_ = last_ = std::chrono::steady_clock::now();
}

void ProgressBar::Update(double fraction) {
  if (!enabled_) return;
  std::lock_guard lock(mutex_);
  auto now = std::chrono::steady_clock::now();
  if (!active_ || now - start_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  drawn_ = true;
  int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kWidth);
  std::string bar(static_cast<size_t>(full), '#');
  bar.resize(kWidth, ' ');
  double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r[%s] %3d %%  %.1f s", bar.c_str(), full * 100 / kWidth, seconds);
  std::fflush(stderr);
}

void ProgressBar::End() {
  std::lock_guard lock(mutex_);
  active_ = false;
  if (drawn_) std::fputs("\r\033[K", stderr);
}

}  // namespace iceblink::cli
