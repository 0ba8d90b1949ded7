// What a statement's DuckDB SQL text refers to by number: lists of rows, planned scans, writers.
// The text says `iceblink_scan('db.t', 3)`, and the table function finds object 3 here. One per
// DuckDB instance, emptied when a statement ends. Safe from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace iceblink::exec {

class StatementObjects {
 public:
  template <typename T>
  int64_t Add(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    objects_[++last_] = std::move(object);
    return last_;
  }
  // Returns null when there is no such object. Requires the type it was added with.
  template <typename T>
  std::shared_ptr<T> Find(int64_t id) const {
    std::lock_guard lock(mutex_);
    auto it = objects_.find(id);
    return it == objects_.end() ? nullptr : std::static_pointer_cast<T>(it->second);
  }
  void Clear() {
    std::lock_guard lock(mutex_);
    objects_.clear();
    rows_ = 0;
  }
  // Rows that the statement's scans read, by their files' counts: what is large runs in parallel.
  void AddRows(int64_t rows) { rows_ += rows; }
  int64_t rows() const { return rows_; }

 private:
  mutable std::mutex mutex_;
  int64_t last_ = 0;
  std::atomic<int64_t> rows_{0};
  std::map<int64_t, std::shared_ptr<void>> objects_;
};

}  // namespace iceblink::exec
