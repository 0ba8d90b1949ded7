#include "commit/retry.h"

#include <algorithm>
#include <random>
#include <string>

#include "base/strings.h"

namespace iceblink::commit {

namespace {

Result<RetryPolicy> PolicyOf(const spec::Properties& properties, const std::string& prefix,
                             RetryPolicy policy) {
  struct Setting {
    const char* name;
    int64_t RetryPolicy::* member;
  };
  constexpr Setting kSettings[] = {{"num-retries", &RetryPolicy::num_retries},
                                   {"min-wait-ms", &RetryPolicy::min_wait_ms},
                                   {"max-wait-ms", &RetryPolicy::max_wait_ms},
                                   {"total-timeout-ms", &RetryPolicy::total_timeout_ms}};
  for (const Setting& setting : kSettings) {
    auto it = properties.find(prefix + setting.name);
    if (it == properties.end()) continue;
    std::optional<int64_t> value = ParseInt64(it->second);
    if (!value) {
      return Fail(ErrorCode::kInvalidArgument, "For input string: \"" + it->second + "\"",
                  "NumberFormatException");
    }
    policy.*setting.member = *value;
  }
  return policy;
}

}  // namespace

Result<RetryPolicy> RetryPolicy::ForCommit(const spec::Properties& properties) {
  return PolicyOf(properties, "commit.retry.", {4, 100, 60'000, 1'800'000});
}

Result<RetryPolicy> RetryPolicy::ForStatusCheck(const spec::Properties& properties) {
  return PolicyOf(properties, "commit.status-check.", {3, 1'000, 60'000, 1'800'000});
}

bool RetryLoop::WaitForNext() {
  if (retries_ >= policy_.num_retries ||
      clock_.NowMillis() - started_ms_ > policy_.total_timeout_ms)
    return false;
  const int64_t shift = std::min<int64_t>(retries_, 30);
  const int64_t wait = std::clamp<int64_t>(policy_.min_wait_ms << shift, 0,
                                           std::max<int64_t>(policy_.max_wait_ms, 0));
  thread_local std::mt19937_64 random{std::random_device{}()};
  const int64_t half = wait / 2;
  clock_.SleepMillis(half + std::uniform_int_distribution<int64_t>(0, wait - half)(random));
  retries_++;
  return true;
}

}  // namespace iceblink::commit
