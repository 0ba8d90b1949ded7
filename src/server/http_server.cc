#include "server/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "base/strings.h"
#include "server/http_message.h"
#include "server/http_routes.h"
#include "server/http_socket.h"

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

// Both shapes of errors that JSON protocols here use.
HttpResponse RefusalResponse(const HttpRefusal& refusal) {
  const std::string& text = refusal.message;  // our own words: nothing to escape
  return HttpResponse::Json(
      fmt::format(
          R"({{"message":"{0}","error":{{"message":"{0}","type":"BadRequestException","code":{1}}}}})",
          text, refusal.status),
      refusal.status);
}

// Reads on for a moment after a refusal: closing on a peer that still sends would take the answer
// away from it.
void Drain(const Socket& socket, HttpStream& stream) {
  shutdown(socket.fd(), SHUT_WR);
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  char dropped[16 << 10];
  for (auto got = stream.Read(dropped, sizeof dropped, deadline); got && *got > 0;)
    got = stream.Read(dropped, sizeof dropped, deadline);
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

  struct Connection {
    Socket socket;
    std::string peer;
    bool busy = false;  // a request of it is being answered
  };

  void AcceptUntilStopped();
  void AcceptOne();
  void Serve(Connection& connection);
  // Answers one request; returns whether the connection goes on.
  bool Answer(Connection& connection, HttpStream& stream, HttpReader::Outcome& outcome);
  // False when the server is stopping and the connection must end.
  bool SetBusy(Connection& connection, bool busy);
  void Log(const HttpRequest& request, const HttpResponse& response, double seconds);
  HttpResponse Respond(HttpRequest& request);

  Clock::time_point SendDeadline() const {
    return Clock::now() + std::chrono::milliseconds(options.request_timeout_ms);
  }

  HttpOptions options;
  HttpMetrics metrics;
  std::list<HttpService> services;
  RouteTable routes;
  std::unique_ptr<StreamFactory> streams;
  Socket listener;
  Socket wake_reader, wake_writer;  // closing the second ends the accepting thread's wait
  std::thread acceptor;

  std::mutex mutex;
  std::condition_variable ended;
  std::list<Connection> connections;  // each with a thread of its own
  bool stopping = false;
};

bool HttpServer::State::SetBusy(Connection& connection, bool busy) {
  std::lock_guard lock(mutex);
  connection.busy = busy;
  return !stopping;
}

void HttpServer::State::Log(const HttpRequest& request, const HttpResponse& response,
                            double seconds) {
  const std::string status = std::to_string(response.status);
  const std::string_view route = request.route.empty() ? "(none)" : request.route;
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

bool HttpServer::State::Answer(Connection& connection, HttpStream& stream,
                               HttpReader::Outcome& outcome) {
  if (!outcome.request && !outcome.refusal) return false;
  if (outcome.refusal) {
    const std::string status = std::to_string(outcome.refusal->status);
    metrics.Count("iceblink_http_refused_total", {{"cause", status}});
    (void)WriteResponse(stream, RefusalResponse(*outcome.refusal), false, false, SendDeadline());
    Drain(connection.socket, stream);
    return false;
  }
  HttpRequest& request = *outcome.request;
  request.peer = connection.peer;
  request.is_tls = streams->is_tls();
  SetBusy(connection, true);
  const auto began = Clock::now();
  const HttpResponse response = Respond(request);
  Log(request, response, std::chrono::duration<double>(Clock::now() - began).count());
  bool keep_alive = outcome.keep_alive;
  {
    std::lock_guard lock(mutex);
    keep_alive = keep_alive && !stopping;
  }
  const Status sent =
      WriteResponse(stream, response, keep_alive, request.method == "HEAD", SendDeadline());
  return SetBusy(connection, false) && keep_alive && sent.has_value();
}

void HttpServer::State::Serve(Connection& connection) {
  auto stream = streams->Accept(connection.socket.fd(), SendDeadline());
  if (!stream) {
    metrics.Count("iceblink_http_refused_total", {{"cause", "handshake"}});
    return;
  }
  HttpReader reader(**stream, options);
  while (true) {
    HttpReader::Outcome outcome = reader.Next();
    if (!Answer(connection, **stream, outcome)) return;
  }
}

void HttpServer::State::AcceptOne() {
  Result<Accepted> accepted = Accept(listener);
  if (!accepted) return;
  std::lock_guard lock(mutex);
  if (stopping || connections.size() >= options.max_connections) {
    metrics.Count("iceblink_http_refused_total", {{"cause", "connections"}});
    return;
  }
  connections.push_front({std::move(accepted->socket), std::move(accepted->peer)});
  const auto connection = connections.begin();
  metrics.Move("iceblink_http_connections", {}, 1);
  std::thread([this, connection] {
    Serve(*connection);
    metrics.Move("iceblink_http_connections", {}, -1);
    std::lock_guard last(mutex);
    connections.erase(connection);
    ended.notify_all();  // under the lock: Stop destroys all this as soon as it has it
  }).detach();
}

void HttpServer::State::AcceptUntilStopped() {
  while (true) {
    pollfd waited[] = {{listener.fd(), POLLIN, 0}, {wake_reader.fd(), POLLIN, 0}};
    if (poll(waited, 2, -1) < 0) continue;
    if (waited[1].revents != 0) return;
    AcceptOne();
  }
}

HttpServer::HttpServer(HttpOptions options) : state_(std::make_unique<State>(std::move(options))) {}
HttpServer::~HttpServer() { Stop(); }

HttpMetrics& HttpServer::metrics() { return state_->metrics; }

void HttpServer::Mount(const std::string& path, HttpService service) {
  state_->services.push_back(std::move(service));
  state_->routes.Add(path, state_->services.back());
}

HttpResponse HttpServer::Dispatch(HttpRequest& request) { return state_->Respond(request); }

Result<int> HttpServer::Start(const std::string& address) {
  ASSIGN_OR_RETURN(state_->streams, StreamFactory::Create(state_->options.tls_certificate_file,
                                                          state_->options.tls_key_file));
  ASSIGN_OR_RETURN(state_->listener, Listen(address));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(ErrorCode::kIo, "out of file descriptors");
  state_->wake_reader = Socket(ends[0]);
  state_->wake_writer = Socket(ends[1]);
  const int port = PortOf(state_->listener);
  state_->acceptor = std::thread([state = state_.get()] { state->AcceptUntilStopped(); });
  return port;
}

void HttpServer::Stop() {
  if (!state_->acceptor.joinable()) return;
  state_->wake_writer = Socket();
  state_->acceptor.join();
  state_->listener = Socket();
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  const auto all_ended = [this] { return state_->connections.empty(); };
  for (const State::Connection& connection : state_->connections) {
    if (!connection.busy) shutdown(connection.socket.fd(), SHUT_RDWR);
  }
  const auto patience = std::chrono::milliseconds(state_->options.stop_timeout_ms);
  if (state_->ended.wait_for(lock, patience, all_ended)) return;
  for (const State::Connection& connection : state_->connections)
    shutdown(connection.socket.fd(), SHUT_RDWR);
  state_->ended.wait(lock, all_ended);
}

}  // namespace iceblink::server
