#include "server/operation_threads.h"

#include <utility>

namespace iceblink::server {

OperationThreads::~OperationThreads() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OperationThreads::Run(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_)
    threads_.emplace_back([this] { Work(); });
  else
    changed_.notify_one();
}

void OperationThreads::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it held goes before the lock is taken
    lock.lock();
  }
}

}  // namespace iceblink::server
