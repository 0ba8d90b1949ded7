#include "server/http_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace iceblink::server {
namespace {

using Deadline = HttpStream::Deadline;

tl::unexpected<Error> Broken() { return Fail(ErrorCode::kIo, "the connection broke"); }

// Waits for the events; kUnavailable after the deadline.
Status WaitFor(int socket, short events, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waited{socket, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) return {};
    if (ready == 0) return Fail(ErrorCode::kUnavailable, "the peer is too slow");
    if (errno != EINTR) return Broken();
  }
}

class PlainStream final : public HttpStream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}

  Result<size_t> Read(char* buffer, size_t size, Deadline deadline) override {
    while (true) {
      const ssize_t got = recv(socket_, buffer, size, 0);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return Broken();
      RETURN_IF_ERROR(WaitFor(socket_, POLLIN, deadline));
    }
  }

  Status Write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        RETURN_IF_ERROR(WaitFor(socket_, POLLOUT, deadline));
      } else if (errno != EINTR) {
        return Broken();
      }
    }
    return {};
  }

 private:
  int socket_;
};

class PlainFactory final : public StreamFactory {
 public:
  Result<std::unique_ptr<HttpStream>> Accept(int socket, Deadline) override {
    return std::make_unique<PlainStream>(socket);
  }
  bool is_tls() const override { return false; }
};

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

class TlsStream final : public HttpStream {
 public:
  TlsStream(int socket, std::unique_ptr<SSL, FreeSsl> ssl)
      : socket_(socket), ssl_(std::move(ssl)) {}
  ~TlsStream() override {
    if (healthy_) SSL_shutdown(ssl_.get());
  }

  Status Handshake(Deadline deadline) {
    RETURN_IF_ERROR(Drive(deadline, [&] { return SSL_accept(ssl_.get()); }));
    return {};
  }

  Result<size_t> Read(char* buffer, size_t size, Deadline deadline) override {
    ASSIGN_OR_RETURN(const int got, Drive(deadline, [&] {
                       return SSL_read(ssl_.get(), buffer, static_cast<int>(size));
                     }));
    return static_cast<size_t>(got);
  }

  Status Write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      constexpr size_t kMost = 1 << 20;
      const auto size = static_cast<int>(std::min(bytes.size(), kMost));
      ASSIGN_OR_RETURN(const int sent,
                       Drive(deadline, [&] { return SSL_write(ssl_.get(), bytes.data(), size); }));
      if (sent == 0) return Broken();
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return {};
  }

 private:
  // Repeats an operation until OpenSSL has what it waits for; 0 when the peer closed.
  template <typename Operation>
  Result<int> Drive(Deadline deadline, Operation operation) {
    while (true) {
      ERR_clear_error();
      const int done = operation();
      if (done > 0) return done;
      switch (SSL_get_error(ssl_.get(), done)) {
        case SSL_ERROR_WANT_READ:
          RETURN_IF_ERROR(WaitFor(socket_, POLLIN, deadline));
          break;
        case SSL_ERROR_WANT_WRITE:
          RETURN_IF_ERROR(WaitFor(socket_, POLLOUT, deadline));
          break;
        case SSL_ERROR_ZERO_RETURN:
          return 0;
        default:
          healthy_ = false;
          return Broken();
      }
    }
  }

  int socket_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  bool healthy_ = true;
};

class TlsFactory final : public StreamFactory {
 public:
  explicit TlsFactory(std::unique_ptr<SSL_CTX, FreeSsl> context) : context_(std::move(context)) {}

  Result<std::unique_ptr<HttpStream>> Accept(int socket, Deadline deadline) override {
    std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context_.get()));
    if (ssl == nullptr || SSL_set_fd(ssl.get(), socket) != 1) return Broken();
    auto stream = std::make_unique<TlsStream>(socket, std::move(ssl));
    RETURN_IF_ERROR(stream->Handshake(deadline));
    return stream;
  }
  bool is_tls() const override { return true; }

 private:
  std::unique_ptr<SSL_CTX, FreeSsl> context_;
};

std::string OpenSslReason() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? std::string(std::strerror(errno)) : std::string(reason);
}

}  // namespace

Result<std::unique_ptr<StreamFactory>> StreamFactory::Create(const std::string& certificate_file,
                                                             const std::string& key_file) {
  if (certificate_file.empty() && key_file.empty()) return std::make_unique<PlainFactory>();
  std::unique_ptr<SSL_CTX, FreeSsl> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const auto refuse = [](std::string_view what, const std::string& file) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot use the TLS {} {}: {}", what, file, OpenSslReason()));
  };
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1)
    return refuse("certificate", certificate_file);
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return refuse("key", key_file);
  return std::make_unique<TlsFactory>(std::move(context));
}

}  // namespace iceblink::server
