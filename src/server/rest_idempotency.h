// Answers by Idempotency-Key, so that a request sent twice has its effect once.
//
// The first request with a key runs; one that comes meanwhile waits for it and then has its answer,
// as has every later one within the lifetime. Answers of 5xx are not kept: the next request runs.
// A key that comes with another request is refused (422). Kept in memory, within a bound of bytes,
// the oldest going first. Safe from several threads.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "server/http_server.h"

namespace iceblink::server {

class IdempotentAnswers {
 public:
  static constexpr int64_t kLifetimeMs = 30 * 60 * 1000;
  static constexpr const char* kLifetimeText = "PT30M";

  struct Outcome {
    HttpResponse response;
    bool is_replay = false;
  };
  // Runs `run`, or answers as the earlier request with `key` of `principal` was. Errors:
  // kInvalidArgument for a malformed key, UnprocessableEntityException for one of another request.
  Result<Outcome> Answer(const HttpRequest& request, const std::string& key, int64_t now_ms,
                         const std::function<HttpResponse()>& run);

 private:
  static constexpr size_t kMaxBytes = 64 << 20;
  struct Entry {
    std::string fingerprint;
    bool running = true;
    int64_t since_ms = 0;
    HttpResponse response;
  };
  void Finish(const std::string& key, const HttpResponse& response, int64_t now_ms);
  // Drops what is too old or too much. Requires mutex_.
  void Evict(int64_t now_ms);

  std::mutex mutex_;
  std::condition_variable finished_;
  std::map<std::string, Entry> entries_;
  std::list<std::string> order_;  // of finished ones, oldest first
  size_t bytes_ = 0;
};

}  // namespace iceblink::server
