// A queue of the writers of one table on one machine, so that they commit one after another instead
// of undoing each other's attempts. It is advice: a catalog's compare and swap alone decides, and a
// writer that waited too long goes ahead.
//
// Two lock files per table in the temporary folder, held with flock(2), which a killed process lets
// go of. A writer first takes `next`, then `turn`, then frees `next`: one that has just committed
// cannot overtake the one that waits.
#pragma once

#include <cstdint>
#include <string>

namespace iceblink::commit {

// Holds the place from construction to Release or destruction. One thread.
class CommitTurn {
 public:
  // Waits for at most `max_wait_ms`; does not wait where the files cannot be made.
  explicit CommitTurn(const std::string& table_uuid, int64_t max_wait_ms = 3'000);
  ~CommitTurn() { Release(); }
  CommitTurn(const CommitTurn&) = delete;
  CommitTurn& operator=(const CommitTurn&) = delete;

  void Release();
  bool held() const { return turn_ >= 0; }
  // Whether somebody else had the place before: what was read then is out of date.
  bool waited() const { return waited_; }

 private:
  int turn_ = -1;
  bool waited_ = false;
};

}  // namespace iceblink::commit
