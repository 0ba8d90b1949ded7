#include "server/connect_server.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/service.h"

namespace iceblink::server {
namespace {

constexpr int kMaxMessage = 128 << 20;

}  // namespace

struct ConnectServer::State {
  explicit State(engine::SessionOptions options) : service(std::move(options)) {}

  void ExpireUntilStopped() {
    std::unique_lock lock(mutex);
    const auto every = service.sessions().expire_every();
    while (!stop_changed.wait_for(lock, every, [&] { return stopped; }))
      service.sessions().Expire();
  }

  ConnectService service;
  std::unique_ptr<grpc::Server> server;
  std::mutex mutex;
  std::condition_variable stop_changed;
  bool stopped = false;
  std::thread expiry;
};

ConnectServer::ConnectServer(engine::SessionOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
ConnectServer::~ConnectServer() { Stop(); }

Result<int> ConnectServer::Start(const std::string& address) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMaxMessage);
  builder.SetMaxSendMessageSize(kMaxMessage);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&state_->service);
  state_->server = builder.BuildAndStart();
  if (state_->server == nullptr || port == 0)
    return Fail(ErrorCode::kIo, "Cannot listen on " + address);
  state_->expiry = std::thread([this] { state_->ExpireUntilStopped(); });
  return port;
}

void ConnectServer::Stop() {
  if (state_->server == nullptr) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->stopped = true;
  }
  state_->stop_changed.notify_all();
  state_->expiry.join();
  state_->service.sessions().InterruptAll();
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  state_->server.reset();
}

}  // namespace iceblink::server
