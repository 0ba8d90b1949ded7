// The time of day, injectable so that tests decide what "now" is.
#pragma once

#include <atomic>
#include <cstdint>

namespace iceblink {

// Safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMicros() const = 0;  // since the epoch
  int64_t NowMillis() const { return NowMicros() / 1000; }
  virtual void SleepMillis(int64_t millis) const = 0;
};

// The real one; lives until exit.
const Clock& SystemClock();

// Stands still until told; sleeping advances it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t micros) : micros_(micros) {}
  int64_t NowMicros() const override { return micros_.load(); }
  void SleepMillis(int64_t millis) const override { micros_ += millis * 1000; }
  void AdvanceMillis(int64_t millis) { micros_ += millis * 1000; }

 private:
  mutable std::atomic<int64_t> micros_;
};

}  // namespace iceblink
