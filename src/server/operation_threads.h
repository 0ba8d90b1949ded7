// OperationThreads: threads that statements run on. One is made when all are busy and kept for the
// next, so that a statement costs no thread and a finished one holds none.
//
// Threads: Run from any thread. The destructor waits for what runs.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace iceblink::server {

class OperationThreads {
 public:
  OperationThreads() = default;
  ~OperationThreads();
  OperationThreads(const OperationThreads&) = delete;
  OperationThreads& operator=(const OperationThreads&) = delete;

  void Run(std::function<void()> work);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopped_ = false;
};

}  // namespace iceblink::server
