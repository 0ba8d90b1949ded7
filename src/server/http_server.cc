#include "server/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <list>
#include <mutex>
#include <thread>

#include "base/strings.h"
#include "server/http_routes.h"

namespace iceblink::server {
namespace {

using Clock = std::chrono::steady_clock;

// The path with what a terminal or a log reader would act on made harmless.
std::string LogText(std::string_view path) {
  constexpr size_t kMost = 512;
  std::string out;
  for (const char c : path.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x21 || byte > 0x7E)
      out += fmt::format("%{:02X}", byte);
    else
      out += c;
  }
  return out;
}

HttpResponse PlainError(const HttpRequest&, const Error& error) {
  HttpResponse response = HttpResponse::Json(error.message + "\n", 404);
  response.content_type = "text/plain; charset=utf-8";
  return response;
}

// Both shapes of errors that JSON protocols here use, for what no route may answer.
std::string RefusalBody(int status) {
  const std::string text = status == 413   ? "The request is too large"
                           : status == 414 ? "The request's path is too long"
                                           : "Malformed request";
  return fmt::format(
      R"({{"message":"{0}","error":{{"message":"{0}","type":"BadRequestException","code":{1}}}}})",
      text, status);
}

// A thread for each connection, up to a bound beyond which connections wait for one.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  ConnectionThreads(size_t most, HttpMetrics& metrics) : most_(most), metrics_(metrics) {}

  void enqueue(std::function<void()> serve) override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ < most_; });
    ++running_;
    metrics_.Move("iceblink_http_connections", {}, 1);
    std::thread([this, serve = std::move(serve)] {
      serve();
      metrics_.Move("iceblink_http_connections", {}, -1);
      std::lock_guard last(mutex_);
      --running_;
      ended_.notify_all();  // under the lock: the waiting side destroys all this at once
    }).detach();
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  const size_t most_;
  HttpMetrics& metrics_;
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t running_ = 0;
};

// What the library adds to the headers that came.
bool IsOwnHeader(std::string_view name) {
  return name == "REMOTE_ADDR" || name == "REMOTE_PORT" || name == "LOCAL_ADDR" ||
         name == "LOCAL_PORT";
}

HttpRequest FromLibrary(const httplib::Request& from, bool is_tls) {
  HttpRequest request;
  request.method = from.method;
  request.target = from.target;
  request.body = from.body;
  request.peer = from.remote_addr;
  request.is_tls = is_tls;
  request.query = ParseQuery(request.raw_query());
  for (const auto& [name, value] : from.headers) {
    if (IsOwnHeader(name)) continue;
    auto [at, fresh] = request.headers.emplace(AsciiLower(name), value);
    if (!fresh) at->second += ", " + value;
  }
  return request;
}

void ToLibrary(const HttpResponse& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name, value);
  if (!from.body.empty()) to.set_content(from.body, from.content_type);
}

struct HostPort {
  std::string host;
  int port = 0;
};

Result<HostPort> ParseAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : ParseInt32(address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("Not HOST:PORT: {}", address));
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{host.empty() ? "0.0.0.0" : host, *port};
}

}  // namespace

std::string_view HttpRequest::raw_path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::raw_query() const {
  const size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

const std::string* HttpRequest::Header(std::string_view name) const {
  const auto at = headers.find(std::string(name));
  return at == headers.end() ? nullptr : &at->second;
}

const std::string* HttpRequest::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

const std::string& HttpRequest::Parameter(std::string_view name) const {
  static const std::string kNone;
  const auto at = parameters.find(std::string(name));
  return at == parameters.end() ? kNone : at->second;
}

std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& part : Split(text, '&')) {
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    pairs.emplace_back(FormUrlDecode(part.substr(0, equals)),
                       FormUrlDecode(part.substr(std::min(equals + 1, part.size()))));
  }
  return pairs;
}

struct HttpServer::State {
  explicit State(HttpOptions given) : options(std::move(given)) {}

  Status MakeServer();
  void Answer(const httplib::Request& request, httplib::Response& response);
  void Log(const HttpRequest& request, const HttpResponse& response, double seconds);
  HttpResponse Respond(HttpRequest& request);

  HttpOptions options;
  HttpMetrics metrics;
  std::list<HttpService> services;
  RouteTable routes;
  std::unique_ptr<httplib::Server> server;
  std::thread listener;
};

void HttpServer::State::Log(const HttpRequest& request, const HttpResponse& response,
                            double seconds) {
  const std::string status = std::to_string(response.status);
  const std::string route = request.route.empty() ? "(none)" : request.route;
  metrics.Count("iceblink_http_requests_total",
                {{"route", route}, {"method", request.method}, {"status", status}});
  metrics.Observe("iceblink_http_request_seconds", {{"route", route}}, seconds);
  if (!options.access_log) return;
  const std::string principal = request.principal.empty() ? "-" : LogText(request.principal);
  options.access_log(fmt::format("{} {} {} {} {} {} bytes {:.1f} ms", request.peer, principal,
                                 LogText(request.method), LogText(request.raw_path()), status,
                                 response.body.size(), seconds * 1000));
}

HttpResponse HttpServer::State::Respond(HttpRequest& request) {
  RouteTable::Match match = routes.Find(request.method, request.raw_path());
  request.mount = std::move(match.mount);
  request.parameters = std::move(match.parameters);
  const auto in_words = [&](const Error& error) {
    const bool own = match.service != nullptr && match.service->error_response;
    return own ? match.service->error_response(request, error) : PlainError(request, error);
  };
  if (match.route == nullptr) {
    const std::string what = fmt::format("{} {}", request.method, request.raw_path());
    return in_words(match.path_exists
                        ? Error::Make(ErrorCode::kUnsupported, "Method not allowed: " + what,
                                      "MethodNotAllowedException")
                        : Error::Make(ErrorCode::kNotFound, "No route for request: " + what,
                                      "NoSuchRouteException"));
  }
  request.route = request.mount + match.route->pattern;
  if (match.service->before) {
    const Status allowed = match.service->before(request);
    if (!allowed) return in_words(allowed.error());
  }
  Result<HttpResponse> response = match.route->handler(request);
  return response ? std::move(*response) : in_words(response.error());
}

void HttpServer::State::Answer(const httplib::Request& from, httplib::Response& to) {
  HttpRequest request = FromLibrary(from, !options.tls_certificate_file.empty());
  const auto began = Clock::now();
  const HttpResponse response = Respond(request);
  Log(request, response, std::chrono::duration<double>(Clock::now() - began).count());
  ToLibrary(response, to);
}

Status HttpServer::State::MakeServer() {
  if (options.tls_certificate_file.empty()) {
    server = std::make_unique<httplib::Server>();
  } else {
    server = std::make_unique<httplib::SSLServer>(options.tls_certificate_file.c_str(),
                                                  options.tls_key_file.c_str());
  }
  if (!server->is_valid()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot use the certificate {} with the key {}",
                            options.tls_certificate_file, options.tls_key_file));
  }
  server->new_task_queue = [this] {
    return new ConnectionThreads(options.max_connections, metrics);  // the library deletes it
  };
  server->set_tcp_nodelay(true);
  server->set_payload_max_length(options.max_body_bytes);
  server->set_keep_alive_max_count(std::numeric_limits<size_t>::max());
  server->set_keep_alive_timeout(options.idle_timeout_ms / 1000);
  server->set_read_timeout(std::chrono::milliseconds(options.request_timeout_ms));
  server->set_write_timeout(std::chrono::milliseconds(options.request_timeout_ms));
  // One pattern for all: routes are matched on the target as it was sent.
  const std::string any = R"([\s\S]*)";
  const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
    Answer(request, response);
  };
  server->Get(any, answer).Post(any, answer).Put(any, answer);
  server->Patch(any, answer).Delete(any, answer).Options(any, answer);
  server->set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty() || request.method == "HEAD" || response.status < 400) return;
    metrics.Count("iceblink_http_refused_total", {{"cause", std::to_string(response.status)}});
    response.set_content(RefusalBody(response.status), "application/json");
  });
  return {};
}

HttpServer::HttpServer(HttpOptions options) : state_(std::make_unique<State>(std::move(options))) {}
HttpServer::~HttpServer() { Stop(); }

HttpMetrics& HttpServer::metrics() { return state_->metrics; }

void HttpServer::Mount(const std::string& path, HttpService service) {
  state_->services.push_back(std::move(service));
  state_->routes.Add(path, state_->services.back());
}

Result<int> HttpServer::Start(const std::string& address) {
  ASSIGN_OR_RETURN(const HostPort where, ParseAddress(address));
  RETURN_IF_ERROR(state_->MakeServer());
  httplib::Server& server = *state_->server;
  const int port = where.port == 0 ? server.bind_to_any_port(where.host)
                   : server.bind_to_port(where.host, where.port) ? where.port
                                                                 : -1;
  if (port < 0)
    return Fail(ErrorCode::kIo,
                fmt::format("Cannot listen on {}: {}", address, std::strerror(errno)));
  state_->listener = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return port;
}

void HttpServer::Stop() {
  if (!state_->listener.joinable()) return;
  state_->server->stop();
  state_->listener.join();
}

}  // namespace iceblink::server
