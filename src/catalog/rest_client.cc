#include "catalog/rest_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "base/strings.h"
#include "base/uuid.h"
#include "catalog/errors.h"
#include "catalog/properties.h"
#include "catalog/rest_messages.h"

namespace iceblink::catalog::rest {
namespace {

constexpr int64_t kMaxRetryAfterMs = 120'000;
constexpr int64_t kMaxWaitMs = 10'000;
constexpr int kMaxRetriesOfBroken = 2;  // of a connection; each may have waited for a timeout

io::HttpClient::Options HttpOptions(const Properties& properties) {
  io::HttpClient::Options http;
  http.connect_timeout_ms =
      GetInt(properties, "rest.client.connection-timeout-ms", http.connect_timeout_ms);
  http.timeout_ms = GetInt(properties, "rest.client.socket-timeout-ms", http.timeout_ms);
  http.verify_tls = !IsFalse(properties, "rest.tls.verify");
  http.ca_file = Get(properties, "rest.tls.ca-file");
  http.client_certificate = Get(properties, "rest.tls.client-certificate");
  http.client_key = Get(properties, "rest.tls.client-key");
  const std::string proxy = Get(properties, "rest.client.proxy.hostname");
  if (!proxy.empty())
    http.proxy = "http://" + proxy + ":" + Get(properties, "rest.client.proxy.port", "8080");
  return http;
}

// X-Client-Version, what the user adds with header.*, and that credentials are welcome.
io::HeaderList FixedHeaders(const Properties& properties) {
  constexpr std::string_view kPrefix = "header.";
  Properties headers = {{"X-Client-Version", "Iceblink"},
                        {"X-Iceberg-Access-Delegation", "vended-credentials"}};
  for (const auto& [key, value] : properties) {
    if (!key.starts_with(kPrefix)) continue;
    const std::string name = key.substr(kPrefix.size());
    std::erase_if(headers, [&](const auto& h) { return EqualsIgnoreCase(h.first, name); });
    headers[name] = value;
  }
  std::erase_if(headers, [](const auto& h) { return h.second.empty(); });
  return {headers.begin(), headers.end()};
}

// The properties that decide where requests go and how they prove themselves.
Properties OfConnection(const Properties& properties) {
  constexpr std::string_view kPrefixes[] = {"uri",   "header.",  "rest.",    "token",  "credential",
                                            "scope", "audience", "resource", "oauth2-"};
  Properties out;
  for (const auto& [key, value] : properties) {
    for (const std::string_view prefix : kPrefixes) {
      if (key.starts_with(prefix)) out[key] = value;
    }
  }
  return out;
}

bool IsRead(const Call& call) { return call.method == "GET" || call.method == "HEAD"; }

bool IsSuccess(int status) { return (status >= 200 && status < 300) || status == 304; }

// Seconds; dates are not read.
std::optional<int64_t> RetryAfterMillis(const io::HttpResponse& response) {
  const auto seconds = ParseInt64(response.Header("retry-after"));
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::min(*seconds * 1000, kMaxRetryAfterMs);
}

int64_t GrowingWait(int64_t first_ms, int attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  const int64_t wait = std::min(first_ms << std::min(attempt, 10), kMaxWaitMs);
  return wait + std::uniform_int_distribution<int64_t>(0, wait / 2)(random);
}

// An error without a response, in the words for the caller of this call.
Error TransportError(const Error& error, const Call& call) {
  if (IsCommit(call.subject) && error.code == ErrorCode::kIo)
    return CommitStateUnknown(error).value();
  Error out = error;
  if (out.exception.empty()) out.exception = "RESTException";
  return out;
}

}  // namespace

std::string NewIdempotencyKey(int64_t now_ms) {
  Uuid uuid = Uuid::Random();
  for (int i = 0; i < 6; i++)
    uuid.bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(now_ms >> (8 * (5 - i)));
  uuid.bytes[6] = static_cast<uint8_t>((uuid.bytes[6] & 0x0f) | 0x70);
  return uuid.ToString();
}

RestClient::RestClient(Options options, Properties properties, const Clock& clock)
    : options_(std::move(options)),
      properties_(std::move(properties)),
      clock_(clock),
      http_(std::make_unique<io::HttpClient>(options_.http)) {}

Result<std::unique_ptr<RestClient>> RestClient::Make(const Properties& properties,
                                                     const Clock& clock) {
  const std::string uri(StripTrailing(Get(properties, "uri"), '/'));
  if (uri.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "Invalid uri for http client: null",
                "IllegalArgumentException");
  }
  Options options{uri, FixedHeaders(properties)};
  options.max_retries =
      static_cast<int>(GetInt(properties, "rest.client.max-retries", options.max_retries));
  options.http = HttpOptions(properties);
  std::unique_ptr<RestClient> client(
      new RestClient(std::move(options), OfConnection(properties), clock));
  ASSIGN_OR_RETURN(client->auth_, MakeRestAuth(properties, uri, *client->http_, clock));
  return client;
}

Status RestClient::Reconfigure(const Properties& properties) {
  Properties changed = OfConnection(properties);
  if (changed == properties_) return {};  // a token that was fetched stays
  properties_ = std::move(changed);
  options_.uri = StripTrailing(Get(properties, "uri", options_.uri), '/');
  options_.headers = FixedHeaders(properties);
  ASSIGN_OR_RETURN(auth_, MakeRestAuth(properties, options_.uri, *http_, clock_));
  return {};
}

io::HttpRequest RestClient::Prepare(const Call& call) const {
  io::HttpRequest request;
  request.method = call.method;
  request.url = options_.uri + "/" + call.path;
  char separator = '?';
  for (const auto& [key, value] : call.query) {
    request.url += separator + EncodeSegment(key) + "=" + EncodeSegment(value);
    separator = '&';
  }
  request.headers = options_.headers;
  request.headers.insert(request.headers.end(), call.headers.begin(), call.headers.end());
  request.headers.emplace_back("Accept", "application/json");
  if (call.method == "POST") request.headers.emplace_back("Content-Type", "application/json");
  if (idempotency_keys_ && !IsRead(call))
    request.headers.emplace_back("Idempotency-Key", NewIdempotencyKey(clock_.NowMillis()));
  request.body = call.body;
  return request;
}

Result<io::HttpResponse> RestClient::SendOnce(const io::HttpRequest& prepared) {
  io::HttpRequest request = prepared;
  RETURN_IF_ERROR(auth_->Authorize(request));
  auto response = http_->Send(request);
  if (!response || (response->status != 401 && response->status != 419) || !auth_->Renew())
    return response;
  request = prepared;
  RETURN_IF_ERROR(auth_->Authorize(request));
  return http_->Send(request);
}

std::optional<int64_t> RestClient::WaitBeforeRetry(const Call& call, bool keyed,
                                                   const Result<io::HttpResponse>& answer,
                                                   int attempt) const {
  if (attempt >= options_.max_retries) return std::nullopt;
  const bool repeatable = keyed || IsRead(call) || call.method == "DELETE";
  const int64_t wait = GrowingWait(options_.retry_wait_ms, attempt);
  if (!answer) {
    const bool broken = answer.error().code == ErrorCode::kIo && answer.error().exception.empty();
    const bool again = broken && repeatable && attempt < kMaxRetriesOfBroken;
    return again ? std::optional(wait) : std::nullopt;
  }
  const int status = answer->status;
  const bool again = status == 429 || (repeatable && status >= 502 && status <= 504);
  if (!again) return std::nullopt;
  return RetryAfterMillis(*answer).value_or(wait);
}

Result<io::HttpResponse> RestClient::Send(const Call& call) {
  const io::HttpRequest request = Prepare(call);
  const bool keyed = idempotency_keys_ && !IsRead(call);
  bool maybe_done = false;  // an earlier attempt may have been carried out
  for (int attempt = 0;; attempt++) {
    auto answer = SendOnce(request);
    if (const auto wait = WaitBeforeRetry(call, keyed, answer, attempt)) {
      maybe_done = maybe_done || !answer || answer->status != 429;
      clock_.SleepMillis(*wait);
      continue;
    }
    if (!answer) return Fail(TransportError(answer.error(), call));
    if (IsSuccess(answer->status)) return answer;
    if (call.method == "DELETE" && maybe_done && answer->status == 404) return answer;  // by us
    return Fail(ErrorOfResponse(*answer, call.subject));
  }
}

Result<Json> RestClient::SendForJson(const Call& call) {
  ASSIGN_OR_RETURN(const io::HttpResponse response, Send(call));
  auto json = ParseJson(response.body, "response");
  if (json) return json;
  return Fail(TransportError(
      Error::Make(ErrorCode::kIo,
                  "Received a success response code of " + std::to_string(response.status) +
                      ", but failed to parse response body: " + json.error().message),
      call));
}

}  // namespace iceblink::catalog::rest
