#include "base/clock.h"

#include <chrono>
#include <thread>

namespace iceblink {
namespace {

class RealClock final : public Clock {
 public:
  int64_t NowMicros() const override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }
  void SleepMillis(int64_t millis) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(millis));
  }
};

}  // namespace

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace iceblink
