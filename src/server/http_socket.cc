#include "server/http_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/strings.h"

namespace iceblink::server {
namespace {

struct HostPort {
  std::string host;
  std::string port;
};

Result<HostPort> ParseAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : ParseInt32(address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Not HOST:PORT: {}", address));
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{host, std::to_string(*port)};
}

std::string PeerText(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, nullptr, 0,
              NI_NUMERICHOST);
  return host;
}

}  // namespace

Result<Socket> Listen(const std::string& address) {
  ASSIGN_OR_RETURN(const HostPort where, ParseAddress(address));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(where.host.empty() ? nullptr : where.host.c_str(), where.port.c_str(),
                             &hints, &found);
  if (rc != 0)
    return Fail(ErrorCode::kIo, fmt::format("Cannot listen on {}: {}", address, gai_strerror(rc)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(socket.fd(), a->ai_addr, a->ai_addrlen) == 0 && listen(socket.fd(), 128) == 0)
      return socket;
    error = errno;
  }
  return Fail(ErrorCode::kIo,
              fmt::format("Cannot listen on {}: {}", address, std::strerror(error)));
}

int PortOf(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

Result<Accepted> Accept(const Socket& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  Socket socket(accept4(listener.fd(), reinterpret_cast<sockaddr*>(&address), &size,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.fd() < 0) return Fail(ErrorCode::kIo, std::strerror(errno));
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Accepted{std::move(socket), PeerText(address, size)};
}

}  // namespace iceblink::server
