// Commits to one table and to several at once.
//
// An attempt loads the table, checks the requirements, applies the updates and swaps. A swap lost
// to another writer is tried again; requirements that no longer hold, and updates that no longer
// apply, go back to the client, who alone can make new ones.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catalog/errors.h"
#include "catalog/rest_messages.h"
#include "commit/retry.h"
#include "server/rest_body.h"
#include "server/rest_handlers.h"

namespace iceblink::server::rest_handlers {
namespace {

using catalog::LoadedTable;
using catalog::TableIdentifier;
using catalog::rest::CommitTableRequest;

// A failure that another attempt on newer metadata cannot mend.
struct Refusal {
  Error error;
};

bool IsCreate(const CommitTableRequest& request) {
  return std::any_of(request.requirements.begin(), request.requirements.end(), [](const auto& r) {
    return std::holds_alternative<spec::requirement::AssertCreate>(r);
  });
}

// Java's clients make another snapshot of these when the answer is 409.
bool IsStaleSnapshot(const Error& error) {
  return error.message.starts_with("Cannot add snapshot with sequence number") ||
         error.message.starts_with(
             "Cannot add a snapshot, first-row-id is behind table next-row-id");
}

void CountFailure(const RestCall& call, const Error& error) {
  const std::string writer = call.Writer();
  const HttpMetrics::Labels labels = {{"writer", writer}};
  if (error.code == ErrorCode::kCommitUnknown)
    call.server.metrics.Count("iceblink_commit_unknown_total", labels);
  else if (error.code == ErrorCode::kConflict && error.retryable)
    call.server.metrics.Count("iceblink_commit_conflicts_total", labels);
  else
    call.server.metrics.Count("iceblink_commit_validation_failures_total", labels);
}

// The metadata that the request makes of `base`, which has none for a table that is created.
Result<spec::TableMetadata> Apply(RestCall& call, const TableIdentifier& id,
                                  const CommitTableRequest& request, const LoadedTable& base) {
  const spec::TableMetadata* current = base.metadata.get();
  RETURN_IF_ERROR(spec::CheckRequirements(current, request.requirements));
  auto updated = current == nullptr ? spec::ApplyCreateUpdates(request.updates, call.now_ms())
                                    : spec::ApplyUpdates(*current, request.updates, call.now_ms());
  if (!updated) {
    if (IsStaleSnapshot(updated.error())) return catalog::CommitFailed(updated.error().message);
    return updated;
  }
  if (updated->location.empty()) {
    ASSIGN_OR_RETURN(updated->location, call.catalog->DefaultTableLocation(id));
  }
  return updated;
}

Result<LoadedTable> BaseOf(RestCall& call, const TableIdentifier& id,
                           const CommitTableRequest& request) {
  if (!IsCreate(request)) return call.catalog->LoadTable(id);
  if (request.requirements.size() > 1)
    return BadRequest("Invalid create requirements: assert-create stands alone");
  ASSIGN_OR_RETURN(const bool has_namespace, call.catalog->NamespaceExists(id.ns));
  if (!has_namespace) return catalog::NoSuchNamespace(id.ns);
  ASSIGN_OR_RETURN(const bool exists, call.catalog->TableExists(id));
  if (exists)
    return catalog::AlreadyExists("Requirement failed: table already exists: " + id.ToString());
  return LoadedTable();
}

std::mutex& TurnOf(RestServer& server, const TableIdentifier& id) {
  return server.commit_turns[std::hash<std::string>()(id.ToString()) % server.commit_turns.size()];
}

// Runs attempts while `attempt` loses swaps. An attempt's own refusals have `retryable` cleared.
template <typename T, typename Attempt>
Result<T> Retry(RestCall& call, Attempt attempt) {
  const std::string writer = call.Writer();
  commit::RetryLoop loop({}, *call.server.options.clock);
  while (true) {
    call.server.metrics.Count("iceblink_commit_attempts_total", {{"writer", writer}});
    std::optional<Refusal> refusal;
    Result<T> done = attempt(refusal);
    if (done) {
      call.server.metrics.Count("iceblink_commits_total", {{"writer", writer}});
      return done;
    }
    CountFailure(call, done.error());
    const bool again = !refusal && done.error().code == ErrorCode::kConflict &&
                       done.error().retryable && loop.WaitForNext();
    if (!again) return done;
    call.server.metrics.Count("iceblink_commit_retries_total", {{"writer", writer}});
  }
}

Result<LoadedTable> CommitOnce(RestCall& call, const TableIdentifier& id,
                               const CommitTableRequest& request, std::optional<Refusal>& refusal) {
  ASSIGN_OR_RETURN(const LoadedTable base, BaseOf(call, id, request));
  auto updated = Apply(call, id, request, base);
  if (!updated) {
    refusal = Refusal{updated.error()};
    return Fail(updated.error());
  }
  if (base.metadata == nullptr) return call.catalog->CreateTable(id, std::move(*updated));
  if (*updated == *base.metadata) return base;
  return call.catalog->CommitTable(id, base, std::move(*updated));
}

// The changes that a transaction makes of the tables as they are now.
Result<std::vector<catalog::TableChange>> ChangesOf(RestCall& call,
                                                    const std::vector<CommitTableRequest>& requests,
                                                    std::optional<Refusal>& refusal) {
  std::vector<catalog::TableChange> changes;
  for (const CommitTableRequest& request : requests) {
    const TableIdentifier& id = *request.identifier;
    ASSIGN_OR_RETURN(LoadedTable base, BaseOf(call, id, request));
    auto updated = Apply(call, id, request, base);
    if (!updated) {
      refusal = Refusal{updated.error()};
      return Fail(updated.error());
    }
    if (base.metadata != nullptr && *updated == *base.metadata) continue;
    changes.push_back({id, std::move(base), std::move(*updated)});
  }
  return changes;
}

Result<bool> CommitAllOnce(RestCall& call, const std::vector<CommitTableRequest>& requests,
                           std::optional<Refusal>& refusal) {
  ASSIGN_OR_RETURN(auto changes, ChangesOf(call, requests, refusal));
  if (changes.empty()) return true;
  if (changes.size() > 1) {
    RETURN_IF_ERROR(call.catalog->CommitTables(std::move(changes)));
    return true;
  }
  catalog::TableChange& only = changes.front();
  if (only.base.metadata == nullptr)
    RETURN_IF_ERROR(call.catalog->CreateTable(only.id, std::move(only.updated)));
  else
    RETURN_IF_ERROR(call.catalog->CommitTable(only.id, only.base, std::move(only.updated)));
  return true;
}

}  // namespace

Result<HttpResponse> UpdateTable(RestCall& call) {
  ASSIGN_OR_RETURN(const CommitTableRequest request,
                   ReadBody(call, catalog::rest::CommitTableRequestFromJson));
  if (request.identifier && *request.identifier != call.id)
    return BadRequest(fmt::format("The identifier {} is not that of the path: {}",
                                  request.identifier->ToString(), call.id.ToString()));
  if (IsCreate(request)) RETURN_IF_ERROR(call.Require(Privilege::kManage, call.ns()));
  std::lock_guard turn(TurnOf(call.server, call.id));
  ASSIGN_OR_RETURN(const LoadedTable table,
                   Retry<LoadedTable>(call, [&](std::optional<Refusal>& refusal) {
                     return CommitOnce(call, call.id, request, refusal);
                   }));
  return AnswerCommit(call, table);
}

Result<HttpResponse> CommitTransaction(RestCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ReadBody(call, catalog::rest::CommitTransactionRequestFromJson));
  std::set<TableIdentifier> ids;
  std::set<std::mutex*> turns;  // in one order for all, so that two transactions cannot block
  for (const CommitTableRequest& change : request.table_changes) {
    if (!change.identifier) return BadRequest("Invalid table identifier: null");
    const TableIdentifier& id = *change.identifier;
    if (!ids.insert(id).second)
      return BadRequest("A transaction changes a table once: " + id.ToString());
    RETURN_IF_ERROR(call.Require(IsCreate(change) ? Privilege::kManage : Privilege::kWrite, id.ns));
    turns.insert(&TurnOf(call.server, id));
  }
  std::vector<std::unique_lock<std::mutex>> held;
  for (std::mutex* turn : turns) held.emplace_back(*turn);
  RETURN_IF_ERROR(Retry<bool>(call, [&](std::optional<Refusal>& refusal) {
    return CommitAllOnce(call, request.table_changes, refusal);
  }));
  return HttpResponse::Empty();
}

}  // namespace iceblink::server::rest_handlers
