#include "server/sessions.h"

#include <algorithm>

#include "base/strings.h"
#include "base/uuid.h"
#include "engine/session_state.h"
#include "server/errors.h"

namespace iceblink::server {
namespace {

constexpr size_t kRememberedErrors = 100;
constexpr size_t kRememberedReleases = 1'000;
constexpr size_t kKeptSent = 64;

// A duration as Spark writes it: 60m, 90s, 500ms, a bare number of milliseconds.
std::chrono::milliseconds Duration(const engine::Settings& settings, const char* key,
                                   std::chrono::milliseconds fallback) {
  auto set = settings.find(key);
  if (set == settings.end()) return fallback;
  std::string_view text = set->second;
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  auto number = ParseInt64(text.substr(0, digits));
  if (!number) return fallback;
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"", 1}, {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}};
  for (const auto& [unit, millis] : kUnits)
    if (unit == text.substr(digits)) return std::chrono::milliseconds(*number * millis);
  return fallback;
}

}  // namespace

Status CheckHandle(const std::string& id) {
  if (Uuid::Parse(id)) return {};
  return Fail(InvalidHandle(
      "FORMAT", id,
      "Handle must be an UUID string of the format '00112233-4455-6677-8899-aabbccddeeff'"));
}

ConnectSession::ConnectSession(std::string id, engine::SessionOptions options)
    : id_(std::move(id)),
      server_side_id_(NewUuid()),
      engine_(std::make_unique<engine::Session>(std::move(options))) {
  Touch();
}

ConnectSession::Turn::Turn(ConnectSession& session)
    : session_(session), lock_(session.running_, std::defer_lock) {
  ++session.waiting_;
  lock_.lock();
  --session.waiting_;
  session.Touch();
}

ConnectSession::Turn::~Turn() { session_.Touch(); }

std::shared_ptr<Operation> ConnectSession::FindOperation(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto at = operations_.find(id);
  return at == operations_.end() ? nullptr : at->second;
}

void ConnectSession::AddOperation(std::shared_ptr<Operation> operation) {
  std::lock_guard lock(mutex_);
  operations_[operation->id()] = std::move(operation);
}

void ConnectSession::RemoveOperation(const std::string& id) {
  std::shared_ptr<Operation> removed;  // ends outside of the lock
  std::lock_guard lock(mutex_);
  auto at = operations_.find(id);
  if (at == operations_.end()) return;
  removed = std::move(at->second);
  operations_.erase(at);
  if (released_.size() >= kRememberedReleases) released_.pop_front();
  if (auto uuid = Uuid::Parse(id)) released_.push_back(*uuid);
}

bool ConnectSession::WasReleased(const std::string& id) {
  auto uuid = Uuid::Parse(id);
  std::lock_guard lock(mutex_);
  return uuid && std::find(released_.rbegin(), released_.rend(), *uuid) != released_.rend();
}

void ConnectSession::Streamed(Operation& operation) {
  if (!operation.sent()) return;
  std::string oldest;
  {
    std::lock_guard lock(mutex_);
    sent_.push_back(operation.id());
    if (sent_.size() <= kKeptSent) return;
    oldest = std::move(sent_.front());
    sent_.pop_front();
  }
  RemoveOperation(oldest);
}

std::vector<std::shared_ptr<Operation>> ConnectSession::Operations() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Operation>> all;
  for (const auto& [id, operation] : operations_) all.push_back(operation);
  return all;
}

std::string ConnectSession::Remember(const Error& error, std::string text) {
  std::lock_guard lock(mutex_);
  if (failures_.size() >= kRememberedErrors) failures_.erase(failures_.begin());
  failures_.push_back({NewUuid(), error, std::move(text)});
  return failures_.back().id;
}

std::optional<ConnectSession::Failure> ConnectSession::FindFailure(const std::string& id) {
  std::lock_guard lock(mutex_);
  for (const Failure& failure : failures_)
    if (failure.id == id) return failure;
  return std::nullopt;
}

void ConnectSession::PutArtifact(const std::string& name, std::string data) {
  std::lock_guard lock(mutex_);
  artifacts_[name] = std::make_shared<const std::string>(std::move(data));
}

std::shared_ptr<const std::string> ConnectSession::FindArtifact(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto at = artifacts_.find(name);
  return at == artifacts_.end() ? nullptr : at->second;
}

bool ConnectSession::busy() {
  for (const auto& operation : Operations())
    if (!operation->finished()) return true;
  return false;
}

std::chrono::steady_clock::duration ConnectSession::idle() const {
  return std::chrono::steady_clock::now().time_since_epoch() -
         std::chrono::steady_clock::duration(last_used_.load());
}

SessionRegistry::SessionRegistry(engine::SessionOptions options)
    : options_(std::move(options)),
      idle_timeout_(Duration(options_.settings,
                             "spark.connect.session.manager.defaultSessionTimeout",
                             std::chrono::minutes(60))),
      detached_timeout_(Duration(options_.settings, "spark.connect.execute.manager.detachedTimeout",
                                 std::chrono::minutes(5))) {}

std::chrono::milliseconds SessionRegistry::expire_every() const {
  constexpr std::chrono::milliseconds kMost = std::chrono::seconds(30), kLeast{100};
  return std::clamp(std::min(idle_timeout_, detached_timeout_) / 4, kLeast, kMost);
}

Result<std::shared_ptr<ConnectSession>> SessionRegistry::Get(const std::string& user,
                                                             const std::string& id,
                                                             const std::string& observed) {
  RETURN_IF_ERROR(CheckHandle(id));
  std::lock_guard lock(mutex_);
  Key key(user, id);
  if (closed_.count(key) > 0)
    return Fail(InvalidHandle("SESSION_CLOSED", id, "Session was closed."));
  auto& session = sessions_[key];
  if (session == nullptr) session = std::make_shared<ConnectSession>(id, options_);
  if (!observed.empty() && observed != session->server_side_id()) {
    return Fail(InvalidHandle(
        "SESSION_CHANGED", id,
        "The existing Spark server driver instance has restarted. Please reconnect."));
  }
  session->Touch();
  return session;
}

Result<std::shared_ptr<ConnectSession>> SessionRegistry::Clone(const std::string& user,
                                                               const std::string& id,
                                                               const std::string& new_id) {
  ASSIGN_OR_RETURN(std::shared_ptr<ConnectSession> from, Get(user, id, {}));
  ASSIGN_OR_RETURN(std::shared_ptr<ConnectSession> to, Get(user, new_id, {}));
  ConnectSession::Turn source(*from), target(*to);
  engine::SessionState &a = source->state(), &b = target->state();
  b.configuration = a.configuration;
  b.UpdateTimeZone();
  b.current_catalog = a.current_catalog;
  b.current_namespace = a.current_namespace;
  b.temporary_views = a.temporary_views;
  b.variables = a.variables;
  return to;
}

void SessionRegistry::Close(const std::string& user, const std::string& id, bool forget) {
  std::shared_ptr<ConnectSession> closed;
  {
    std::lock_guard lock(mutex_);
    Key key(user, id);
    auto at = sessions_.find(key);
    if (at != sessions_.end()) {
      closed = std::move(at->second);
      sessions_.erase(at);
    }
    if (closed_.size() >= 1'000) closed_.clear();
    if (!forget) closed_.insert(key);
  }
  if (closed == nullptr) return;
  for (const auto& operation : closed->Operations()) {
    closed->Interrupt(*operation);
    closed->RemoveOperation(operation->id());
  }
}

void SessionRegistry::Expire() {
  std::vector<Key> idle;
  std::vector<std::shared_ptr<ConnectSession>> live;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [key, session] : sessions_) {
      if (session->idle() > idle_timeout_ && !session->busy())
        idle.push_back(key);
      else
        live.push_back(session);
    }
  }
  for (const Key& key : idle) Close(key.first, key.second, false);
  for (const auto& session : live) {
    for (const auto& operation : session->Operations()) {
      if (operation->detached() <= detached_timeout_) continue;
      session->Interrupt(*operation);
      session->RemoveOperation(operation->id());
    }
  }
}

void SessionRegistry::InterruptAll() {
  std::lock_guard lock(mutex_);
  for (const auto& [key, session] : sessions_) {
    for (const auto& operation : session->Operations()) session->Interrupt(*operation);
  }
}

}  // namespace iceblink::server
