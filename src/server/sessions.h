// Sessions of Connect clients: each has an engine session of its own, its operations, and the data
// it has uploaded.
//
// Threads: all of it may be called from any RPC thread. An engine session runs one statement at a
// time: whoever uses it holds a Turn. Sessions are shared pointers; one that is removed lives on
// until its last operation ends.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/uuid.h"
#include "engine/session.h"
#include "server/operation.h"

namespace iceblink::server {

// Ids of sessions and of operations are UUIDs. Errors: INVALID_HANDLE.FORMAT.
Status CheckHandle(const std::string& id);

class ConnectSession {
 public:
  ConnectSession(std::string id, engine::SessionOptions options);

  const std::string& id() const { return id_; }
  const std::string& server_side_id() const { return server_side_id_; }

  // The right to use the engine session.
  class Turn {
   public:
    explicit Turn(ConnectSession& session);
    ~Turn();
    engine::Session& operator*() const { return *session_.engine_; }
    engine::Session* operator->() const { return session_.engine_.get(); }

   private:
    ConnectSession& session_;
    std::unique_lock<std::mutex> lock_;
  };
  bool crowded() const { return waiting_ > 0; }
  // Which operation holds the turn, so that an interrupt meets no other.
  void SetRunning(const Operation* operation) { running_operation_ = operation; }
  void Interrupt(Operation& operation) {
    operation.Interrupt();
    if (running_operation_ == &operation) engine_->Interrupt();
  }

  // Operations by id.
  std::shared_ptr<Operation> FindOperation(const std::string& id);
  void AddOperation(std::shared_ptr<Operation> operation);
  void RemoveOperation(const std::string& id);
  bool WasReleased(const std::string& id);
  // After a stream of it has ended. Clients release what they have read late, from a few threads of
  // their own; of the operations that were sent to the end only the last ones are kept for a
  // stream that broke.
  void Streamed(Operation& operation);
  std::vector<std::shared_ptr<Operation>> Operations();

  // Errors that FetchErrorDetails may ask for; a few of the last.
  struct Failure {
    std::string id;
    Error error;
    std::string text;  // of the statement, where there is one
  };
  std::string Remember(const Error& error, std::string text);
  std::optional<Failure> FindFailure(const std::string& id);

  // Uploaded data by name: `cache/<sha256>`.
  void PutArtifact(const std::string& name, std::string data);
  std::shared_ptr<const std::string> FindArtifact(const std::string& name);

  void Touch() { last_used_ = std::chrono::steady_clock::now().time_since_epoch().count(); }
  std::chrono::steady_clock::duration idle() const;
  bool busy();  // a statement has not ended

 private:
  const std::string id_, server_side_id_;
  std::unique_ptr<engine::Session> engine_;
  std::mutex running_;
  std::atomic<int> waiting_ = 0;
  std::atomic<const Operation*> running_operation_ = nullptr;
  std::atomic<int64_t> last_used_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<Operation>> operations_;
  std::deque<std::string> sent_;  // ids of operations, oldest first
  std::deque<Uuid> released_;     // oldest first
  std::vector<Failure> failures_;
  std::map<std::string, std::shared_ptr<const std::string>> artifacts_;
};

class SessionRegistry {
 public:
  // Takes Spark's settings of the two timeouts from the options.
  explicit SessionRegistry(engine::SessionOptions options);

  // Returns the session, made at its first use. Errors: INVALID_HANDLE.* for a malformed id, a
  // closed session, or one that the client knows from an earlier run of the server.
  Result<std::shared_ptr<ConnectSession>> Get(const std::string& user, const std::string& id,
                                              const std::string& observed);
  // A session with the same settings and temporary views under another id.
  Result<std::shared_ptr<ConnectSession>> Clone(const std::string& user, const std::string& id,
                                                const std::string& new_id);
  // `forget`: the id may be used again.
  void Close(const std::string& user, const std::string& id, bool forget);
  // Drops sessions that were not used for long, and operations that nobody listens to any more.
  void Expire();
  std::chrono::milliseconds expire_every() const;
  void InterruptAll();

 private:
  using Key = std::pair<std::string, std::string>;
  engine::SessionOptions options_;
  std::chrono::milliseconds idle_timeout_, detached_timeout_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<ConnectSession>> sessions_;
  std::set<Key> closed_;
};

}  // namespace iceblink::server
