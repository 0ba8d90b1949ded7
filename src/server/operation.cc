#include "server/operation.h"

#include <algorithm>
#include <chrono>

#include "base/uuid.h"
#include "server/errors.h"

namespace iceblink::server {
namespace {

constexpr size_t kUnsentLimit = 64 << 20;
constexpr auto kGoneEvery = std::chrono::milliseconds(500);

// Counts a stream; made and dropped under the operation's lock.
struct Attachment {
  Attachment(int& streams, std::chrono::steady_clock::time_point& left)
      : streams(streams), left(left) {
    ++streams;
  }
  ~Attachment() {
    --streams;
    left = std::chrono::steady_clock::now();
  }
  int& streams;
  std::chrono::steady_clock::time_point& left;
};

}  // namespace

Operation::Operation(std::string session_id, std::string server_side_session_id, std::string id,
                     bool reattachable, std::vector<std::string> tags, std::string plan)
    : session_id_(std::move(session_id)),
      server_side_session_id_(std::move(server_side_session_id)),
      id_(std::move(id)),
      plan_(std::move(plan)),
      reattachable_(reattachable),
      tags_(std::move(tags)) {}

bool Operation::HasTag(const std::string& tag) const {
  return std::find(tags_.begin(), tags_.end(), tag) != tags_.end();
}

void Operation::Finish(grpc::Status status) {
  std::lock_guard lock(mutex_);
  status_ = std::move(status);
  done_ = true;
  changed_.notify_all();
}

connect::ExecutePlanResponse Operation::NewResponse() const {
  connect::ExecutePlanResponse response;
  response.set_session_id(session_id_);
  response.set_server_side_session_id(server_side_session_id_);
  response.set_operation_id(id_);
  response.set_response_id(NewUuid());
  return response;
}

bool Operation::Append(connect::ExecutePlanResponse response,
                       const std::function<bool()>& crowded) {
  std::unique_lock lock(mutex_);
  while (unsent_bytes_ > kUnsentLimit && !interrupted_ && !crowded())
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  if (interrupted_) return false;
  size_t bytes = response.ByteSizeLong();
  complete_ = complete_ || response.has_result_complete();
  unsent_bytes_ += bytes;
  entries_.push_back({next_index_++,
                      std::make_shared<const connect::ExecutePlanResponse>(std::move(response)),
                      bytes});
  changed_.notify_all();
  return true;
}

std::chrono::steady_clock::duration Operation::detached() {
  std::lock_guard lock(mutex_);
  return streams_ > 0 ? std::chrono::steady_clock::duration::zero()
                      : std::chrono::steady_clock::now() - left_;
}

grpc::Status Operation::Stream(Writer& writer, const std::string& last_response_id,
                               const std::function<bool()>& gone) {
  std::unique_lock lock(mutex_);
  Attachment attachment(streams_, left_);
  uint64_t next = 0;
  if (!last_response_id.empty()) {
    auto last = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.response->response_id() == last_response_id;
    });
    if (last != entries_.end()) {
      next = last->index + 1;
    } else if (entries_.empty() || entries_.front().index == 0) {
      return ToStatus(
          InvalidHandle("OPERATION_NOT_FOUND", id_, "Unknown response " + last_response_id + "."),
          {});
    } else {
      next = entries_.front().index;
    }
  }
  while (true) {
    while (!changed_.wait_for(lock, kGoneEvery, [&] { return done_ || next < next_index_; })) {
      if (!gone()) continue;
      if (!reattachable_) Interrupt();
      return grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone");
    }
    if (next >= next_index_) return status_;
    auto entry = std::find_if(entries_.begin(), entries_.end(),
                              [&](const Entry& e) { return e.index >= next; });
    if (entry == entries_.end()) return status_;
    std::shared_ptr<const connect::ExecutePlanResponse> response = entry->response;
    next = entry->index + 1;
    if (entry->index >= next_sent_) {
      next_sent_ = next;
      unsent_bytes_ -= entry->bytes;
    }
    if (!reattachable_) entries_.erase(entry);
    changed_.notify_all();
    lock.unlock();
    const bool written = writer.Write(*response);
    lock.lock();
    if (!written) {
      if (!reattachable_) Interrupt();
      return grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone");
    }
  }
}

void Operation::ReleaseUntil(const std::string& response_id) {
  std::lock_guard lock(mutex_);
  auto last = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.response->response_id() == response_id;
  });
  // The last response stays: its id says where a stream goes on.
  if (last != entries_.end()) entries_.erase(entries_.begin(), last);
}

void Operation::Interrupt() {
  interrupted_ = true;
  changed_.notify_all();
}

bool Operation::finished() {
  std::lock_guard lock(mutex_);
  return done_ || complete_;
}

bool Operation::sent() {
  std::lock_guard lock(mutex_);
  return done_ && next_sent_ >= next_index_;
}

}  // namespace iceblink::server
