// A fixed set of worker threads and a parallel loop over them.
//
// The caller of ParallelFor works too and needs no worker to finish, so loops may nest without
// deadlock. Threads start with the first use; a process that never loops in parallel has none.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"

namespace iceblink {

// Safe from any thread. The destructor runs what is queued, then joins.
class ThreadPool {
 public:
  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process, one worker per processor; lives until exit.
  static ThreadPool& Shared();

  size_t threads() const;
  void Submit(std::function<void()> task);

  // Calls body(0) ... body(count - 1), each once, in any order and on at most threads() + 1
  // threads; returns when all calls have returned. After an error no further index is started; the
  // error of the lowest failed index is returned.
  Status ParallelFor(size_t count, const std::function<Status(size_t)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iceblink
