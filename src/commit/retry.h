// How often and how long a commit is tried: commit.retry.* and commit.status-check.* of a table.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "spec/properties.h"

namespace iceblink::commit {

struct RetryPolicy {
  int64_t num_retries = 4;
  int64_t min_wait_ms = 100;
  int64_t max_wait_ms = 60'000;
  int64_t total_timeout_ms = 1'800'000;

  // Error: NumberFormatException for a value that is no number.
  static Result<RetryPolicy> ForCommit(const spec::Properties& properties);
  static Result<RetryPolicy> ForStatusCheck(const spec::Properties& properties);
};

// Counts the attempts of one commit. One thread.
class RetryLoop {
 public:
  RetryLoop(const RetryPolicy& policy, const Clock& clock)
      : policy_(policy), clock_(clock), started_ms_(clock.NowMillis()) {}

  // After a failed attempt: returns false when no further one is due, else sleeps and returns true.
  // The wait doubles from attempt to attempt; its second half is random, so that writers that
  // collided once do not collide again.
  bool WaitForNext();
  int64_t retries() const { return retries_; }

 private:
  const RetryPolicy policy_;
  const Clock& clock_;
  const int64_t started_ms_;
  int64_t retries_ = 0;
};

}  // namespace iceblink::commit
