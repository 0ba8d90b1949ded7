#include "server/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace iceblink::server {
namespace {

constexpr size_t kMaxHeaders = 100;
constexpr size_t kMaxChunkLine = 256;

bool IsTokenChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsPrintable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
}

// Whole-text number in `base`; nothing on anything else.
std::optional<size_t> ParseSize(std::string_view text, int base) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool HasToken(const std::string* header, std::string_view token) {
  if (header == nullptr) return false;
  const auto parts = SplitTrimmed(AsciiLower(*header), ',');
  return std::find(parts.begin(), parts.end(), token) != parts.end();
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

}  // namespace

tl::unexpected<Error> HttpReader::Refuse(int status, std::string message) {
  refusal_ = HttpRefusal{status, message};
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Result<bool> HttpReader::Fill(Deadline deadline) {
  char chunk[16 << 10];
  ASSIGN_OR_RETURN(const size_t got, stream_.Read(chunk, sizeof chunk, deadline));
  buffer_.append(chunk, got);
  return got > 0;
}

Result<std::string> HttpReader::Line(size_t limit, Deadline deadline) {
  size_t searched = 0;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos && end <= limit) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (!line.ends_with('\r')) return Refuse(400, "a line of the request ends without CR LF");
      line.pop_back();
      return line;
    }
    if (buffer_.size() > limit) return Refuse(431, "the request's headers are too large");
    searched = buffer_.size();
    ASSIGN_OR_RETURN(const bool more, Fill(deadline));
    if (!more) return Fail(ErrorCode::kIo, "the connection closed inside of a request");
  }
}

Status HttpReader::ReadHeaders(HttpRequest& request, size_t limit, Deadline deadline) {
  for (size_t count = 0;; ++count) {
    ASSIGN_OR_RETURN(const std::string line, Line(limit, deadline));
    if (line.empty()) return {};
    if (count == kMaxHeaders) return Refuse(431, "the request has too many headers");
    limit -= std::min(limit, line.size());
    const size_t colon = line.find(':');
    const std::string_view name = std::string_view(line).substr(0, std::min(colon, line.size()));
    const std::string_view value = colon == std::string::npos
                                       ? std::string_view()
                                       : Trim(std::string_view(line).substr(colon + 1));
    if (colon == std::string::npos || !IsToken(name) || !IsPrintable(value))
      return Refuse(400, "a header of the request is malformed");
    auto [at, is_new] = request.headers.try_emplace(AsciiLower(name), value);
    if (is_new) continue;
    if (at->first == "content-length" || at->first == "host" || at->first == "transfer-encoding")
      return Refuse(400, fmt::format("the header {} is repeated", at->first));
    at->second += fmt::format(", {}", value);
  }
}

Status HttpReader::ReadHead(HttpRequest& request, Deadline deadline) {
  ASSIGN_OR_RETURN(const std::string line, Line(options_.max_header_bytes, deadline));
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string::npos || last == first) return Refuse(400, "malformed request line");
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = std::string_view(line).substr(last + 1);
  const bool clean =
      IsPrintable(request.target) && request.target.find_first_of(" \t") == std::string::npos;
  if (!IsToken(request.method) || !clean || !request.target.starts_with('/'))
    return Refuse(400, "malformed request line");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refuse(505, "only HTTP/1.1 is spoken here");
  is_http10_ = version == "HTTP/1.0";
  RETURN_IF_ERROR(ReadHeaders(
      request, options_.max_header_bytes - std::min(options_.max_header_bytes, line.size()),
      deadline));
  request.query = ParseQuery(request.raw_query());
  return {};
}

Status HttpReader::ReadSized(HttpRequest& request, size_t size, Deadline deadline) {
  while (buffer_.size() < size) {
    ASSIGN_OR_RETURN(const bool more, Fill(deadline));
    if (!more) return Fail(ErrorCode::kIo, "the connection closed inside of a request");
  }
  request.body.append(buffer_, 0, size);
  buffer_.erase(0, size);
  return {};
}

Status HttpReader::ReadChunks(HttpRequest& request, Deadline deadline) {
  while (true) {
    ASSIGN_OR_RETURN(const std::string line, Line(kMaxChunkLine, deadline));
    const auto size = ParseSize(Trim(std::string_view(line).substr(0, line.find(';'))), 16);
    if (!size) return Refuse(400, "malformed chunk");
    if (*size > options_.max_body_bytes - request.body.size())
      return Refuse(
          413, fmt::format("the request's body is larger than {} bytes", options_.max_body_bytes));
    if (*size == 0) break;
    RETURN_IF_ERROR(ReadSized(request, *size, deadline));
    ASSIGN_OR_RETURN(const std::string end, Line(kMaxChunkLine, deadline));
    if (!end.empty()) return Refuse(400, "malformed chunk");
  }
  HttpRequest trailers;  // read and dropped
  return ReadHeaders(trailers, options_.max_header_bytes, deadline);
}

Status HttpReader::ReadBody(HttpRequest& request, Deadline deadline) {
  const std::string* length = request.Header("content-length");
  const std::string* coding = request.Header("transfer-encoding");
  if (length == nullptr && coding == nullptr) return {};
  if (length != nullptr && coding != nullptr) return Refuse(400, "the request has two lengths");
  const auto size = length == nullptr ? std::nullopt : ParseSize(*length, 10);
  if (length != nullptr && !size) return Refuse(400, "malformed Content-Length");
  if (coding != nullptr && !EqualsIgnoreCase(*coding, "chunked"))
    return Refuse(501, "only the chunked transfer coding is known here");
  if (size.value_or(0) > options_.max_body_bytes)
    return Refuse(
        413, fmt::format("the request's body is larger than {} bytes", options_.max_body_bytes));
  if (HasToken(request.Header("expect"), "100-continue"))
    RETURN_IF_ERROR(stream_.Write("HTTP/1.1 100 Continue\r\n\r\n", deadline));
  if (coding != nullptr) return ReadChunks(request, deadline);
  request.body.reserve(*size);
  return ReadSized(request, *size, deadline);
}

HttpReader::Outcome HttpReader::Next() {
  Outcome outcome;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  if (buffer_.empty()) {
    const auto more = Fill(now() + std::chrono::milliseconds(options_.idle_timeout_ms));
    if (!more || !*more) return outcome;
  }
  const Deadline deadline = now() + std::chrono::milliseconds(options_.request_timeout_ms);
  HttpRequest request;
  Status read = ReadHead(request, deadline);
  if (read) read = ReadBody(request, deadline);
  if (!read) {
    if (read.error().code == ErrorCode::kUnavailable)
      refusal_ = HttpRefusal{408, "the request took too long to arrive"};
    outcome.refusal = std::move(refusal_);
    return outcome;
  }
  const std::string* connection = request.Header("connection");
  outcome.keep_alive =
      is_http10_ ? HasToken(connection, "keep-alive") : !HasToken(connection, "close");
  outcome.request = std::move(request);
  return outcome;
}

Status WriteResponse(HttpStream& stream, const HttpResponse& response, bool keep_alive,
                     bool head_only, HttpStream::Deadline deadline) {
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  const bool has_body = response.status != 204 && response.status != 304;
  if (has_body) out += fmt::format("Content-Length: {}\r\n", response.body.size());
  if (has_body && !response.body.empty() && !response.content_type.empty())
    out += fmt::format("Content-Type: {}\r\n", response.content_type);
  for (const auto& [name, value] : response.headers) {
    if (IsPrintable(value)) out += fmt::format("{}: {}\r\n", name, value);
  }
  if (!keep_alive) out += "Connection: close\r\n";
  out += "\r\n";
  if (has_body && !head_only) out += response.body;
  return stream.Write(out, deadline);
}

}  // namespace iceblink::server
