#include "server/rest_idempotency.h"

#include <algorithm>

#include "base/strings.h"
#include "base/uuid.h"
#include "io/sigv4.h"
#include "server/rest_errors.h"

namespace iceblink::server {
namespace {

bool IsFinal(int status) { return status < 500 && status != 401 && status != 403 && status != 429; }

size_t Weight(const HttpResponse& response) { return response.body.size() + 512; }

}  // namespace

Result<IdempotentAnswers::Outcome> IdempotentAnswers::Answer(
    const HttpRequest& request, const std::string& given_key, int64_t now_ms,
    const std::function<HttpResponse()>& run) {
  if (!Uuid::Parse(given_key)) return BadRequest("Idempotency-Key must be a UUID of 36 characters");
  const std::string key = request.principal + '\n' + AsciiLower(given_key);
  const std::string fingerprint =
      io::Sha256Hex(request.method + ' ' + request.target + '\n' + request.body);
  {
    std::unique_lock lock(mutex_);
    Evict(now_ms);
    for (auto at = entries_.find(key); at != entries_.end(); at = entries_.find(key)) {
      if (at->second.fingerprint != fingerprint) {
        return Fail(ErrorCode::kInvalidArgument,
                    "Idempotency-Key was used for another request: " + given_key,
                    "UnprocessableEntityException");
      }
      if (!at->second.running) return Outcome{at->second.response, true};
      finished_.wait(lock);
    }
    entries_[key] = {fingerprint, true, now_ms, {}};
  }
  HttpResponse response = run();
  Finish(key, response, now_ms);
  return Outcome{std::move(response), false};
}

void IdempotentAnswers::Finish(const std::string& key, const HttpResponse& response,
                               int64_t now_ms) {
  std::lock_guard lock(mutex_);
  if (IsFinal(response.status)) {
    Entry& entry = entries_[key];
    entry.running = false;
    entry.since_ms = now_ms;
    entry.response = response;
    bytes_ += Weight(response);
    order_.push_back(key);
  } else {
    entries_.erase(key);
  }
  finished_.notify_all();
}

void IdempotentAnswers::Evict(int64_t now_ms) {
  while (!order_.empty()) {
    const auto oldest = entries_.find(order_.front());
    if (bytes_ <= kMaxBytes && now_ms - oldest->second.since_ms < kLifetimeMs) return;
    bytes_ -= Weight(oldest->second.response);
    entries_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace iceblink::server
