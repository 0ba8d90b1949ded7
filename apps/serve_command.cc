#include "serve_command.h"

#include <pthread.h>

#include <csignal>
#include <cstdio>

#include "server/connect_server.h"

namespace iceblink::cli {
namespace {

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

int RunServeCommand(const ServeFlags& flags) {
  auto options = MakeSessionOptions(flags.session);
  if (!options) {
    PrintErrorText(options.error());
    return kExitUsage;
  }
  if (flags.no_connect) {
    std::fputs("iceblink serve: nothing to serve: --no-connect leaves no door open\n", stderr);
    return kExitUsage;
  }
  // Threads that start from here on leave the signals to this one.
  sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  server::ConnectServer server(std::move(*options));
  auto port = server.Start(flags.connect);
  if (!port) {
    PrintErrorText(port.error());
    return kExitFailed;
  }
  std::string host = flags.connect.substr(0, flags.connect.rfind(':'));
  std::printf("Spark Connect: sc://%s:%d\n", host.c_str(), *port);
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server.Stop();
  return kExitOk;
}

}  // namespace iceblink::cli
