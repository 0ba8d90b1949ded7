#include "base/log.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdio>

#include "base/clock.h"
#include "base/datetime.h"

namespace iceblink {
namespace {

std::atomic<LogLevel> threshold{LogLevel::kWarn};

constexpr std::array<std::string_view, 5> kNames = {"DEBUG", "INFO", "WARN", "ERROR", "OFF"};

}  // namespace

void SetLogLevel(LogLevel level) { threshold = level; }

bool LogEnabled(LogLevel level) { return level >= threshold && level != LogLevel::kOff; }

void Log(LogLevel level, std::string_view text) {
  if (!LogEnabled(level)) return;
  const int64_t millis = SystemClock().NowMillis();
  // One write per line keeps lines of several threads whole.
  const std::string line = fmt::format("{} {} {}\n", FormatTimestamp(millis * 1000, "Z"),
                                       kNames[static_cast<size_t>(level)], text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace iceblink
