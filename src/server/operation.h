// Operation: one ExecutePlan and the responses it has made, kept until the client says that it has
// them, so that a broken stream can be taken up again (ReattachExecute).
//
// The statement runs on one of the server's threads and appends; any RPC thread streams.
// Responses that nobody fetches hold the statement up once they are many, unless another statement
// of the session waits for its turn.
#pragma once

#include <grpcpp/support/sync_stream.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "spark/connect/base.pb.h"

namespace iceblink::server {

namespace connect = spark::connect;

class Operation {
 public:
  using Writer = grpc::ServerWriterInterface<connect::ExecutePlanResponse>;

  Operation(std::string session_id, std::string server_side_session_id, std::string id,
            bool reattachable, std::vector<std::string> tags, std::string plan);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const std::string& id() const { return id_; }
  const std::string& plan() const { return plan_; }  // serialized, to know a repeated request
  bool reattachable() const { return reattachable_; }
  bool HasTag(const std::string& tag) const;

  // Ends the stream.
  void Finish(grpc::Status status);

  // A response with the handles filled in, to be completed and appended.
  connect::ExecutePlanResponse NewResponse() const;
  // `crowded` says whether others wait for the session. Returns false when the operation was
  // interrupted.
  bool Append(connect::ExecutePlanResponse response, const std::function<bool()>& crowded);

  // Writes the responses after `last_response_id` (empty: from the first) until the end, then the
  // status. `gone` says whether the client has left.
  grpc::Status Stream(Writer& writer, const std::string& last_response_id,
                      const std::function<bool()>& gone);
  // How long nobody has streamed it; zero while somebody does.
  std::chrono::steady_clock::duration detached();
  void ReleaseUntil(const std::string& response_id);

  void Interrupt();
  bool interrupted() const { return interrupted_; }
  bool finished();
  bool sent();  // ended, and every response was written to a stream

 private:
  struct Entry {
    uint64_t index;
    std::shared_ptr<const connect::ExecutePlanResponse> response;
    size_t bytes;
  };

  const std::string session_id_, server_side_session_id_, id_, plan_;
  const bool reattachable_;
  const std::vector<std::string> tags_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  uint64_t next_index_ = 0;
  uint64_t next_sent_ = 0;  // the first that was never written to a stream
  size_t unsent_bytes_ = 0;
  bool complete_ = false;  // result_complete was appended
  bool done_ = false;
  std::atomic<bool> interrupted_ = false;
  int streams_ = 0;
  std::chrono::steady_clock::time_point left_ = std::chrono::steady_clock::now();
  grpc::Status status_;
};

}  // namespace iceblink::server
