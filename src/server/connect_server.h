// ConnectServer: Spark Connect on one address, for PySpark and other clients of the protocol.
// Nothing of gRPC shows here.
//
// Threads: gRPC's own, one more a running statement, and one that drops idle sessions. Start and
// Stop from one thread.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/session.h"

namespace iceblink::server {

class ConnectServer {
 public:
  // `options` are those of every session.
  explicit ConnectServer(engine::SessionOptions options);
  ~ConnectServer();
  ConnectServer(const ConnectServer&) = delete;
  ConnectServer& operator=(const ConnectServer&) = delete;

  // Listens on "host:port" (port 0: any that is free). Returns the port.
  Result<int> Start(const std::string& address);
  // Interrupts what runs and returns when all has ended.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iceblink::server
