#include "commit/commit_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "base/murmur3.h"

namespace iceblink::commit {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Tables share a bounded number of files; two that meet in one only wait for each other.
constexpr uint32_t kSlots = 1024;

// A folder of this user alone; empty when there is none.
std::string LockFolder() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) return {};
  const std::string folder = (temporary / fmt::format("iceblink-commit-{}", getuid())).string();
  mkdir(folder.c_str(), 0700);
  struct stat info{};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != getuid())
    return {};
  return folder;
}

int OpenLock(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

// Polls with random short waits: flock(2) alone knows no time limit.
bool LockBefore(int fd, SteadyClock::time_point deadline, bool& waited) {
  thread_local std::minstd_rand random{std::random_device{}()};
  int64_t micros = 50;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    waited = true;
    if (SteadyClock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(
        std::uniform_int_distribution<int64_t>(micros / 2, micros)(random)));
    if (micros < 1'000) micros *= 2;
  }
  return true;
}

}  // namespace

CommitTurn::CommitTurn(const std::string& table_uuid, int64_t max_wait_ms) {
  static const std::string folder = LockFolder();
  if (folder.empty() || table_uuid.empty()) return;
  const std::string name =
      fmt::format("{}/{}", folder, static_cast<uint32_t>(Murmur3(table_uuid)) % kSlots);
  const auto deadline = SteadyClock::now() + std::chrono::milliseconds(max_wait_ms);
  const int next = OpenLock(name + ".next");
  if (next < 0) return;
  const int turn = OpenLock(name + ".turn");
  if (turn >= 0 && LockBefore(next, deadline, waited_) && LockBefore(turn, deadline, waited_)) {
    turn_ = turn;
  } else if (turn >= 0) {
    close(turn);
  }
  close(next);  // frees it
}

void CommitTurn::Release() {
  if (turn_ >= 0) close(turn_);
  turn_ = -1;
}

}  // namespace iceblink::commit
