#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace iceblink {
namespace {

// One running ParallelFor. Shared with the tasks, which may start after the loop is over and then
// find nothing to do.
struct Loop {
  explicit Loop(size_t n, const std::function<Status(size_t)>& b) : count(n), body(b) {}

  void Work() {
    for (;;) {
      const size_t index = Claim();
      if (index == count) return;
      Status status = body(index);
      const std::lock_guard lock(mutex);
      if (!status && index < failed_index) {
        failed_index = index;
        error = std::move(status).error();
      }
      if (--running == 0) idle.notify_all();
    }
  }

  // The next index, marked as running, or `count` when none is left. `body` is alive while
  // something runs.
  size_t Claim() {
    const std::lock_guard lock(mutex);
    if (next >= count || failed_index < count) return count;
    running++;
    return next++;
  }

  void Await() {
    std::unique_lock lock(mutex);
    next = std::max(next, count);
    idle.wait(lock, [this] { return running == 0; });
  }

  const size_t count;
  const std::function<Status(size_t)>& body;
  std::mutex mutex;
  std::condition_variable idle;
  size_t next = 0;
  size_t running = 0;
  size_t failed_index = SIZE_MAX;
  Error error;
};

}  // namespace

struct ThreadPool::State {
  size_t threads = 0;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> workers;
  bool stopping = false;

  void Run() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stopping || !queue.empty(); });
      if (queue.empty()) return;
      auto task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
};

ThreadPool::ThreadPool(size_t threads) : state_(std::make_unique<State>()) {
  state_->threads = threads;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

ThreadPool& ThreadPool::Shared() {
  // Never destroyed: tasks may outlive static destruction order.
  static auto* pool = new ThreadPool(std::max(1u, std::thread::hardware_concurrency()));
  return *pool;
}

size_t ThreadPool::threads() const { return state_->threads; }

void ThreadPool::Submit(std::function<void()> task) {
  if (state_->threads == 0) return task();
  {
    const std::lock_guard lock(state_->mutex);
    state_->queue.push_back(std::move(task));
    if (state_->workers.size() < state_->threads) {
      state_->workers.emplace_back([state = state_.get()] { state->Run(); });
    }
  }
  state_->wake.notify_one();
}

Status ThreadPool::ParallelFor(size_t count, const std::function<Status(size_t)>& body) {
  if (count == 0) return {};
  const auto loop = std::make_shared<Loop>(count, body);
  const size_t tasks = std::min(threads(), count - 1);
  for (size_t i = 0; i < tasks; i++) Submit([loop] { loop->Work(); });
  loop->Work();
  loop->Await();
  if (loop->failed_index < count) return Fail(std::move(loop->error));
  return {};
}

}  // namespace iceblink
