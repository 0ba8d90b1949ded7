// HTTP/1.1 messages on a stream: reads requests one after the other, writes answers.
//
//   request line   METHOD SP target SP HTTP/1.x CRLF, target in origin form
//   headers        name ":" value CRLF ..., then an empty line
//   body           Content-Length bytes, or chunks
//
// What could be read in two ways is refused (both lengths, repeated lengths, folded lines, white
// space before a colon, control characters): that is how requests are smuggled past a proxy.
#pragma once

#include <optional>

#include "server/http_server.h"
#include "server/http_stream.h"

namespace iceblink::server {

// A request that cannot be answered by a route: what to say, and that the connection ends.
struct HttpRefusal {
  int status = 400;
  std::string message;
};

class HttpReader {
 public:
  // Both outlive the reader.
  HttpReader(HttpStream& stream, const HttpOptions& options) : stream_(stream), options_(options) {}

  // The next request. Nothing when the peer closed or stayed idle between requests, or the
  // connection broke; a refusal when what came is no request that may be answered.
  struct Outcome {
    std::optional<HttpRequest> request;
    std::optional<HttpRefusal> refusal;
    bool keep_alive = true;
  };
  Outcome Next();

 private:
  using Deadline = HttpStream::Deadline;
  // Reads more into buffer_; false when no more comes.
  Result<bool> Fill(Deadline deadline);
  // The text up to and without CRLF, which must come within `limit` bytes.
  Result<std::string> Line(size_t limit, Deadline deadline);
  Status ReadHead(HttpRequest& request, Deadline deadline);
  Status ReadHeaders(HttpRequest& request, size_t limit, Deadline deadline);
  Status ReadBody(HttpRequest& request, Deadline deadline);
  Status ReadSized(HttpRequest& request, size_t size, Deadline deadline);
  Status ReadChunks(HttpRequest& request, Deadline deadline);
  tl::unexpected<Error> Refuse(int status, std::string message);

  HttpStream& stream_;
  const HttpOptions& options_;
  std::string buffer_;  // came and is not yet read
  bool is_http10_ = false;
  std::optional<HttpRefusal> refusal_;
};

// Writes status line, headers and body; `head_only` leaves the body out but says its length.
Status WriteResponse(HttpStream& stream, const HttpResponse& response, bool keep_alive,
                     bool head_only, HttpStream::Deadline deadline);

}  // namespace iceblink::server
