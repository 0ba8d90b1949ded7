#include "server/rest_scan_plans.h"

#include <algorithm>
#include <chrono>

#include "base/strings.h"
#include "base/uuid.h"

namespace iceblink::server {
namespace {

tl::unexpected<Error> NoSuchPlan(const std::string& id) {
  return Fail(ErrorCode::kNotFound, "Cannot find plan with id: " + id, "NoSuchPlanIdException");
}

}  // namespace

ScanPlans::~ScanPlans() {
  std::unique_lock lock(mutex_);
  for (auto& [id, plan] : plans_) plan->cancelled = true;
  changed_.wait(lock, [this] { return running_ == 0; });
}

ScanPlans::Plan ScanPlans::Start(const std::string& scope, Work work, int64_t now_ms) {
  auto running = std::make_shared<Running>();
  running->scope = scope;
  running->plan.id = NewUuid();
  running->started_ms = now_ms;
  std::unique_lock lock(mutex_);
  Evict(now_ms);
  plans_[running->plan.id] = running;
  ++running_;
  std::thread([this, running, work = std::move(work)] {
    const auto sink = [&](std::string page) {
      std::lock_guard guard(mutex_);
      if (running->cancelled) return false;
      running->bytes += page.size();
      running->plan.pages.push_back(std::move(page));
      return true;
    };
    const iceblink::Status done = work(sink);
    std::lock_guard guard(mutex_);
    running->ended = true;
    running->plan.status = running->cancelled ? Status::kCancelled
                           : done             ? Status::kCompleted
                                              : Status::kFailed;
    if (!done) running->plan.error = done.error();
    --running_;
    changed_.notify_all();
  }).detach();
  changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs), [&] { return running->ended; });
  if (running->plan.status == Status::kSubmitted) return {running->plan.id};
  return running->plan;
}

Result<ScanPlans::Plan> ScanPlans::Find(const std::string& scope, const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto at = plans_.find(id);
  if (at == plans_.end() || at->second->scope != scope) return NoSuchPlan(id);
  if (at->second->cancelled) return Plan{id, Status::kCancelled};
  if (at->second->plan.status == Status::kSubmitted) return Plan{id};
  return at->second->plan;
}

iceblink::Status ScanPlans::Cancel(const std::string& scope, const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto at = plans_.find(id);
  if (at == plans_.end() || at->second->scope != scope) return NoSuchPlan(id);
  at->second->cancelled = true;
  at->second->plan.pages.clear();
  at->second->bytes = 0;
  return {};
}

std::string ScanPlans::Token(const std::string& id, size_t page) {
  return id + "-" + std::to_string(page);
}

Result<std::string> ScanPlans::Page(const std::string& scope, const std::string& token) {
  const size_t dash = token.rfind('-');
  const auto page = dash == std::string::npos ? std::nullopt : ParseInt64(token.substr(dash + 1));
  std::lock_guard lock(mutex_);
  const auto at = plans_.find(token.substr(0, std::min(dash, token.size())));
  const bool exists = page && *page >= 0 && at != plans_.end() && at->second->scope == scope &&
                      static_cast<size_t>(*page) < at->second->plan.pages.size();
  if (!exists) {
    return Fail(ErrorCode::kNotFound, "Cannot find plan task: " + token, "NoSuchPlanTaskException");
  }
  return at->second->plan.pages[static_cast<size_t>(*page)];
}

void ScanPlans::Evict(int64_t now_ms) {
  size_t bytes = 0;
  auto oldest = plans_.end();
  for (auto at = plans_.begin(); at != plans_.end();) {
    const bool stale = at->second->ended && now_ms - at->second->started_ms > kLifetimeMs;
    if (stale) {
      at = plans_.erase(at);
      continue;
    }
    bytes += at->second->bytes;
    const bool older =
        oldest == plans_.end() || at->second->started_ms < oldest->second->started_ms;
    if (at->second->ended && older) oldest = at;
    ++at;
  }
  if (bytes > kMaxBytes && oldest != plans_.end()) plans_.erase(oldest);
}

}  // namespace iceblink::server
