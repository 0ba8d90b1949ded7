// Scans planned on the server: what POST .../plan started, until the client has fetched it.
//
// A plan runs on a thread of its own. One that ends soon is answered at once; a longer one is
// polled by its id. Its tasks are kept as JSON texts in pages; the first page travels with the
// plan, the others by plan-task tokens. Plans are dropped when cancelled, ten minutes after they
// ended, or when too many bytes are held, the oldest first. Safe from several threads.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace iceblink::server {

class ScanPlans {
 public:
  static constexpr int64_t kPatienceMs = 5'000;  // for a plan to end before it is "submitted"
  static constexpr int64_t kLifetimeMs = 10 * 60 * 1000;

  enum class Status : uint8_t { kSubmitted, kCompleted, kFailed, kCancelled };
  struct Plan {
    std::string id;
    Status status = Status::kSubmitted;
    std::vector<std::string> pages;  // members of ScanTasks, without braces
    std::optional<Error> error;
  };
  // Hands over pages; false means that nobody waits any more.
  using Sink = std::function<bool(std::string page)>;
  using Work = std::function<iceblink::Status(const Sink&)>;

  ScanPlans() = default;
  ~ScanPlans();
  ScanPlans(const ScanPlans&) = delete;
  ScanPlans& operator=(const ScanPlans&) = delete;

  // Starts the work and waits a while for its end. `scope` ties the plan to a table.
  Plan Start(const std::string& scope, Work work, int64_t now_ms);
  // kNotFound, NoSuchPlanIdException.
  Result<Plan> Find(const std::string& scope, const std::string& id);
  iceblink::Status Cancel(const std::string& scope, const std::string& id);
  // A page by its token. kNotFound, NoSuchPlanTaskException.
  Result<std::string> Page(const std::string& scope, const std::string& token);
  static std::string Token(const std::string& id, size_t page);

 private:
  static constexpr size_t kMaxBytes = 256 << 20;
  struct Running {
    std::string scope;
    Plan plan;
    size_t bytes = 0;
    int64_t started_ms = 0;
    bool cancelled = false;
    bool ended = false;
  };
  void Evict(int64_t now_ms);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Running>> plans_;
  size_t running_ = 0;
};

}  // namespace iceblink::server
