#include "serve_command.h"

#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>

#include "server/connect_server.h"
#include "server/http_front.h"

namespace iceblink::cli {
namespace {

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }

int PrintHashOfSecret() {
  std::string secret;
  std::getline(std::cin, secret);
  std::printf("%s\n", server::HashSecret(secret).c_str());
  return kExitOk;
}

// The doors, opened in turn and closed in reverse.
struct Doors {
  std::unique_ptr<server::ConnectServer> connect;
  std::unique_ptr<server::HttpFront> http;

  Status Open(const ServeFlags& flags, const engine::SessionOptions& options) {
    if (!flags.no_http) {
      ASSIGN_OR_RETURN(http, server::HttpFront::Create(options.settings));
      ASSIGN_OR_RETURN(const int port, http->Start(flags.http));
      std::printf("Iceberg REST catalog: %s://%s:%d\n", http->is_tls() ? "https" : "http",
                  HostOf(flags.http).c_str(), port);
    }
    if (!flags.no_connect) {
      connect = std::make_unique<server::ConnectServer>(options);
      ASSIGN_OR_RETURN(const int port, connect->Start(flags.connect));
      std::printf("Spark Connect: sc://%s:%d\n", HostOf(flags.connect).c_str(), port);
    }
    return {};
  }

  void Close() {
    if (connect) connect->Stop();
    if (http) http->Stop();
  }
};

}  // namespace

int RunServeCommand(const ServeFlags& flags) {
  if (flags.hash_secret) return PrintHashOfSecret();
  auto options = MakeSessionOptions(flags.session);
  if (!options) {
    PrintErrorText(options.error());
    return kExitUsage;
  }
  if (flags.no_connect && flags.no_http) {
    std::fputs("iceblink serve: --no-connect and --no-http leave no door open\n", stderr);
    return kExitUsage;
  }
  // Threads that start from here on leave the signals to this one.
  sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Doors doors;
  if (const Status open = doors.Open(flags, *options); !open) {
    PrintErrorText(open.error());
    doors.Close();
    return kExitFailed;
  }
  std::puts("ready");
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  doors.Close();
  return kExitOk;
}

}  // namespace iceblink::cli
