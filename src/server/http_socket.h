// Sockets of the HTTP server: owned descriptors, listening and accepting. All are non-blocking.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace iceblink::server {

// Closes at the end of its scope.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Listens on "host:port", port 0 for any that is free. Errors name the address.
Result<Socket> Listen(const std::string& address);
int PortOf(const Socket& socket);

struct Accepted {
  Socket socket;
  std::string peer;  // its address without port
};
// kIo when nobody waits or the process is out of descriptors.
Result<Accepted> Accept(const Socket& listener);

}  // namespace iceblink::server
