#include "io/http.h"

#include <fmt/format.h>

#include <mutex>

#include "base/strings.h"
#include "io/curl_library.h"

namespace iceblink::io {
namespace {

// One request under way: what libcurl's callbacks write to.
struct Exchange {
  const HttpRequest& request;
  size_t max_bytes;
  HttpResponse response;
  bool too_large = false;
  bool cancelled = false;
};

size_t TakeBody(char* bytes, size_t, size_t count, void* target) {
  auto& exchange = *static_cast<Exchange*>(target);
  exchange.too_large = exchange.response.body.size() + count > exchange.max_bytes;
  if (exchange.too_large) return 0;
  exchange.response.body.append(bytes, count);
  return count;
}

size_t TakeHeader(char* bytes, size_t, size_t count, void* target) {
  HttpResponse& response = static_cast<Exchange*>(target)->response;
  const std::string_view line(bytes, count);
  if (line.starts_with("HTTP/")) response.headers.clear();  // the answer after "100 Continue"
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return count;
  response.headers.emplace_back(AsciiLower(Trim(line.substr(0, colon))),
                                std::string(Trim(line.substr(colon + 1))));
  return count;
}

int AskWhetherCancelled(void* target, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& exchange = *static_cast<Exchange*>(target);
  exchange.cancelled = exchange.request.cancelled && exchange.request.cancelled();
  return exchange.cancelled ? 1 : 0;
}

// Whether the server cannot have seen a request that ended so.
bool NeverSent(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return true;
    default:
      return false;
  }
}

// A list of "Name: value" lines, freed at the end.
class HeaderLines {
 public:
  HeaderLines(const CurlLibrary& curl, const HeaderList& headers) : curl_(curl) {
    for (const auto& [name, value] : headers) Add(value.empty() ? name + ";" : name + ": " + value);
    Add("Expect:");  // no round trip to ask whether the body is welcome
  }
  ~HeaderLines() { curl_.list_free(lines_); }
  HeaderLines(const HeaderLines&) = delete;
  HeaderLines& operator=(const HeaderLines&) = delete;
  curl_slist* get() const { return lines_; }

 private:
  void Add(const std::string& line) { lines_ = curl_.list_append(lines_, line.c_str()); }
  const CurlLibrary& curl_;
  curl_slist* lines_ = nullptr;
};

void SetClientOptions(const CurlLibrary& curl, CURL* handle, const HttpClient::Options& options) {
  const auto text = [&](CURLoption option, const std::string& value) {
    if (!value.empty()) curl.set_option(handle, option, value.c_str());
  };
  curl.set_option(handle, CURLOPT_NOSIGNAL, 1L);
  curl.set_option(handle, CURLOPT_TCP_NODELAY, 1L);
  curl.set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout_ms));
  curl.set_option(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl.set_option(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_ms / 1000));
  curl.set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  if (options.decompress) curl.set_option(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  text(CURLOPT_USERAGENT, options.user_agent);
  text(CURLOPT_PROXY, options.proxy);
  text(CURLOPT_CAINFO, options.ca_file);
  text(CURLOPT_SSLCERT, options.client_certificate);
  text(CURLOPT_SSLKEY, options.client_key);
  if (options.verify_tls) return;
  curl.set_option(handle, CURLOPT_SSL_VERIFYPEER, 0L);
  curl.set_option(handle, CURLOPT_SSL_VERIFYHOST, 0L);
}

void SetRequest(const CurlLibrary& curl, CURL* handle, const HttpRequest& request,
                int64_t timeout_ms) {
  curl.set_option(handle, CURLOPT_URL, request.url.c_str());
  curl.set_option(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
  if (request.method == "HEAD") {
    curl.set_option(handle, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    curl.set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                    static_cast<curl_off_t>(request.body.size()));
    curl.set_option(handle, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl.set_option(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void SetCallbacks(const CurlLibrary& curl, CURL* handle, Exchange& exchange) {
  curl.set_option(handle, CURLOPT_WRITEFUNCTION, TakeBody);
  curl.set_option(handle, CURLOPT_WRITEDATA, &exchange);
  curl.set_option(handle, CURLOPT_HEADERFUNCTION, TakeHeader);
  curl.set_option(handle, CURLOPT_HEADERDATA, &exchange);
  if (!exchange.request.cancelled) return;
  curl.set_option(handle, CURLOPT_NOPROGRESS, 0L);
  curl.set_option(handle, CURLOPT_XFERINFOFUNCTION, AskWhetherCancelled);
  curl.set_option(handle, CURLOPT_XFERINFODATA, &exchange);
}

Error Failure(const HttpRequest& request, const Exchange& exchange, CURLcode code,
              const std::string& cause) {
  const std::string what = request.method + " " + UrlForMessages(request.url) + ": ";
  if (exchange.cancelled) return Error::Make(ErrorCode::kIo, what + "cancelled");
  if (exchange.too_large) {
    return Error::Make(ErrorCode::kIo,
                       fmt::format("{}response larger than {} bytes", what, exchange.max_bytes));
  }
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
    return Error::Make(ErrorCode::kInvalidArgument, what + cause);
  return Error::Make(NeverSent(code) ? ErrorCode::kUnavailable : ErrorCode::kIo, what + cause);
}

}  // namespace

std::string_view HttpResponse::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string UrlForMessages(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const size_t host = scheme + 3;
  const std::string_view authority = url.substr(host, url.find('/', host) - host);
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(host + at + 1));
}

// Idle handles; each keeps the connections it opened.
struct HttpClient::Pool {
  std::mutex mutex;
  std::vector<CURL*> idle;
  const CurlLibrary* curl = nullptr;  // set with the first handle

  ~Pool() {
    for (CURL* handle : idle) curl->cleanup(handle);
  }
  CURL* Take(const CurlLibrary& library) {
    const std::lock_guard lock(mutex);
    curl = &library;
    if (idle.empty()) return library.easy_init();
    CURL* handle = idle.back();
    idle.pop_back();
    return handle;
  }
  void GiveBack(CURL* handle, size_t max_idle) {
    curl->reset(handle);  // options go, connections stay
    const std::lock_guard lock(mutex);
    if (idle.size() < max_idle)
      idle.push_back(handle);
    else
      curl->cleanup(handle);
  }
};

HttpClient::HttpClient(Options options)
    : options_(std::move(options)), pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::Send(const HttpRequest& request) {
  ASSIGN_OR_RETURN(const CurlLibrary* curl, CurlLibrary::Get());
  CURL* handle = pool_->Take(*curl);
  if (handle == nullptr) return Fail(ErrorCode::kInternal, "libcurl gives no handle");
  Exchange exchange{request, options_.max_response_bytes, {}};
  char cause[CURL_ERROR_SIZE] = "";
  const HeaderLines lines(*curl, request.headers);
  SetClientOptions(*curl, handle, options_);
  SetRequest(*curl, handle, request,
             request.timeout_ms > 0 ? request.timeout_ms : options_.timeout_ms);
  SetCallbacks(*curl, handle, exchange);
  curl->set_option(handle, CURLOPT_HTTPHEADER, lines.get());
  curl->set_option(handle, CURLOPT_ERRORBUFFER, cause);
  const CURLcode code = curl->perform(handle);
  long status = 0;
  curl->get_info(handle, CURLINFO_RESPONSE_CODE, &status);
  pool_->GiveBack(handle, options_.max_idle_connections);
  if (code != CURLE_OK)
    return Fail(Failure(request, exchange, code, cause[0] ? cause : curl->error_text(code)));
  exchange.response.status = static_cast<int>(status);
  return std::move(exchange.response);
}

}  // namespace iceblink::io
