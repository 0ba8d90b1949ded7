#include "interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace iceblink::cli {
namespace {

volatile std::sig_atomic_t signal_pipe = -1;
std::atomic<bool> signalled = false;  // lock-free, hence allowed in a handler
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void OnInterrupt(int) {
  int saved = errno;
  signalled = true;
  char byte = 'i';
  // A full pipe already holds the news.
  [[maybe_unused]] ssize_t ignored = write(signal_pipe, &byte, 1);
  errno = saved;
}

}  // namespace

InterruptHandler::InterruptHandler(std::function<void()> cancel) : cancel_(std::move(cancel)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  read_end_ = ends[0];
  write_end_ = ends[1];
  fcntl(write_end_, F_SETFL, O_NONBLOCK);
  signal_pipe = write_end_;
  thread_ = std::thread([this] { Wait(); });
  struct sigaction action = {};
  action.sa_handler =
      OnInterrupt;  // without SA_RESTART: a read of the terminal or the pipe returns
  sigaction(SIGINT, &action, nullptr);
}

InterruptHandler::~InterruptHandler() {
  if (write_end_ < 0) return;
  std::signal(SIGINT, SIG_DFL);
  signal_pipe = -1;
  close(write_end_);
  thread_.join();
  close(read_end_);
}

bool InterruptHandler::TakeInterrupted() { return signalled.exchange(false); }

void InterruptHandler::Wait() {
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the main thread is the one to be woken
  char byte;
  while (read(read_end_, &byte, 1) == 1) {
    if (running_) cancel_();
  }
}

}  // namespace iceblink::cli
