// A connection's bytes, plain or TLS, with a deadline on every call. One thread uses a stream; Shut
// may be called from another one. OpenSSL stays behind this header.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iceblink::server {

class HttpStream {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~HttpStream() = default;
  // Bytes that have come, at least one; 0 when the peer has closed. kUnavailable after the
  // deadline, kIo when the connection broke.
  virtual Result<size_t> Read(char* buffer, size_t size, Deadline deadline) = 0;
  virtual Status Write(std::string_view bytes, Deadline deadline) = 0;
};

// What a listener makes streams with: nothing for plain connections, a certificate for TLS.
class StreamFactory {
 public:
  // An empty certificate file means no TLS. Errors name the file.
  static Result<std::unique_ptr<StreamFactory>> Create(const std::string& certificate_file,
                                                       const std::string& key_file);
  virtual ~StreamFactory() = default;
  // Shakes hands before `deadline`. The caller keeps the socket, which becomes non-blocking.
  virtual Result<std::unique_ptr<HttpStream>> Accept(int socket, HttpStream::Deadline deadline) = 0;
  virtual bool is_tls() const = 0;
};

}  // namespace iceblink::server
