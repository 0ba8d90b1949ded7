#include "commit/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "commit/commit_queue.h"
#include "commit/retry.h"
#include "commit/snapshot_producer.h"

namespace iceblink::commit {

namespace {

using Updates = std::vector<spec::TableUpdate>;

// Steps without files of their own.
class FunctionStep final : public Step {
 public:
  explicit FunctionStep(UpdateFunction function) : function_(std::move(function)) {}
  Result<Updates> Apply(const spec::TableMetadata& base) override { return function_(base); }

 private:
  UpdateFunction function_;
};

enum class Mode : uint8_t { kUpdate, kCreate, kReplace };

// What one attempt would write.
struct Prepared {
  spec::TableMetadata metadata;
  std::vector<int64_t> added_snapshots;
  bool changed = false;
};

enum class Landing : uint8_t { kCommitted, kNotCommitted, kUnknown };

// `by_server`: a server applied the updates by its own clock.
bool SameContent(const spec::TableMetadata& a, const spec::TableMetadata& b, bool by_server) {
  spec::TableMetadata x = a;
  spec::TableMetadata y = b;
  for (spec::TableMetadata* m : {&x, &y}) {
    if (by_server) {
      m->last_updated_ms = 0;
      m->snapshot_log.clear();
    }
    m->metadata_log.clear();
    m->metadata_file_location.clear();
  }
  return x == y;
}

// Whether the table as it is now holds what the attempt wrote.
Landing Classify(const catalog::LoadedTable& now, const catalog::LoadedTable& base,
                 const Prepared& prepared, bool by_server) {
  for (int64_t id : prepared.added_snapshots) {
    if (now.metadata->SnapshotById(id) != nullptr) return Landing::kCommitted;
  }
  if (SameContent(*now.metadata, prepared.metadata, by_server)) return Landing::kCommitted;
  return now.metadata_location == base.metadata_location ? Landing::kNotCommitted
                                                         : Landing::kUnknown;
}

void DescribeSnapshot(const spec::TableMetadata& metadata, int64_t id, CommitOutcome& outcome) {
  outcome.committed = true;
  outcome.snapshot_id = id;
  if (const spec::Snapshot* snapshot = metadata.SnapshotById(id)) {
    outcome.operation = snapshot->operation.value_or("");
    outcome.summary = snapshot->summary;
  }
}

bool MayRetry(const Error& error) {
  return (error.code == ErrorCode::kConflict && error.retryable) ||
         error.code == ErrorCode::kUnavailable;
}

}  // namespace

struct Transaction::State {
  catalog::Catalog& catalog;
  catalog::TableIdentifier id;
  catalog::LoadedTable base;
  Options options;
  Mode mode = Mode::kUpdate;
  spec::TableMetadataPtr start;               // what steps of a create or replace apply to
  std::optional<spec::NewTable> replacement;  // kReplace
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<int64_t>
      tried_snapshots;  // of earlier attempts; one that is in the table landed late
  std::optional<spec::TableMetadata> tried;  // what the last attempt of an update was to make
  bool was_unknown = false;                  // an attempt is, perhaps, still on its way

  table::ReadContext Read() { return {&catalog.file_system(), options.cache}; }
  Result<catalog::LoadedTable> Refresh(bool may_skip);
  Result<spec::TableMetadata> Definition(const catalog::LoadedTable& current);
  Result<Prepared> Prepare(const catalog::LoadedTable& current);
  Result<catalog::LoadedTable> Swap(const catalog::LoadedTable& current, const Prepared& prepared);
  Result<catalog::LoadedTable> Settle(const catalog::LoadedTable& current, const Prepared& prepared,
                                      Error unknown);
  Result<CommitOutcome> Attempt(const catalog::LoadedTable& current);
  bool LandedEarlier(const catalog::LoadedTable& current) const;
  void Finish(const CommitOutcome& outcome);
  void Abandon();
};

// A remote catalog checks what the base was: a first attempt on one that nobody is known to have
// changed saves the round trip.
Result<catalog::LoadedTable> Transaction::State::Refresh(bool may_skip) {
  if (mode == Mode::kCreate || (may_skip && catalog.is_remote())) return base;
  return catalog.LoadTable(id);
}

// The metadata to which the first step applies.
Result<spec::TableMetadata> Transaction::State::Definition(const catalog::LoadedTable& current) {
  switch (mode) {
    case Mode::kUpdate:
      return *current.metadata;
    case Mode::kCreate:
      return *start;
    case Mode::kReplace:
      break;
  }
  if (current.metadata_location == base.metadata_location) return *start;
  ASSIGN_OR_RETURN(auto replaced, spec::ReplaceTableMetadata(*current.metadata, *replacement,
                                                             options.clock->NowMillis()));
  if (!replaced.schema().SameSchema(start->schema())) {
    return Fail(ErrorCode::kConflict,
                "Cannot commit: the schema of the replaced table was changed concurrently",
                "CommitFailedException");
  }
  return replaced;
}

Result<Prepared> Transaction::State::Prepare(const catalog::LoadedTable& current) {
  ASSIGN_OR_RETURN(const spec::TableMetadata first, Definition(current));
  Prepared prepared;
  prepared.changed = mode != Mode::kUpdate;
  prepared.metadata = first;
  Updates updates;
  for (const auto& step : steps) {
    ASSIGN_OR_RETURN(Updates more, step->Apply(prepared.metadata));
    if (more.empty()) continue;
    for (const spec::TableUpdate& update : more) {
      if (const auto* add = std::get_if<spec::update::AddSnapshot>(&update)) {
        prepared.added_snapshots.push_back(add->snapshot.snapshot_id);
      }
    }
    std::move(more.begin(), more.end(), std::back_inserter(updates));
    // All updates from the start each time: -1 ids and the snapshot log look at the commit as a
    // whole.
    ASSIGN_OR_RETURN(prepared.metadata,
                     spec::ApplyUpdates(first, updates, options.clock->NowMillis()));
  }
  prepared.changed = prepared.changed || !prepared.added_snapshots.empty() ||
                     (!updates.empty() && !(first == prepared.metadata));
  return prepared;
}

Result<catalog::LoadedTable> Transaction::State::Swap(const catalog::LoadedTable& current,
                                                      const Prepared& prepared) {
  auto landed = mode == Mode::kCreate ? catalog.CreateTable(id, prepared.metadata)
                                      : catalog.CommitTable(id, current, prepared.metadata);
  if (landed) return landed;
  if (was_unknown && landed.error().code == ErrorCode::kAlreadyExists) {
    auto now = catalog.LoadTable(id);  // perhaps by an earlier attempt of ours
    if (now && LandedEarlier(*now)) return now;
  }
  if (landed.error().code != ErrorCode::kCommitUnknown) return landed;
  was_unknown = true;
  return Settle(current, prepared, std::move(landed).error());
}

Result<catalog::LoadedTable> Transaction::State::Settle(const catalog::LoadedTable& current,
                                                        const Prepared& prepared, Error unknown) {
  ASSIGN_OR_RETURN(const RetryPolicy policy,
                   RetryPolicy::ForStatusCheck(current.metadata->properties));
  RetryLoop loop(policy, *options.clock);
  Error lost = Error::Make(ErrorCode::kConflict, "Commit did not land: " + unknown.message,
                           "CommitFailedException");
  lost.retryable = true;
  do {
    auto now = catalog.LoadTable(id);
    if (!now && mode == Mode::kCreate && now.error().code == ErrorCode::kNotFound)
      return Fail(std::move(lost));
    if (!now) continue;
    switch (Classify(*now, current, prepared, catalog.is_remote())) {
      case Landing::kCommitted:
        return now;
      case Landing::kNotCommitted:
        return Fail(std::move(lost));
      case Landing::kUnknown:
        break;
    }
  } while (loop.WaitForNext());
  return Fail(std::move(unknown));
}

Result<CommitOutcome> Transaction::State::Attempt(const catalog::LoadedTable& current) {
  CommitOutcome outcome;
  if (LandedEarlier(current)) {
    outcome.committed = outcome.landed_late = true;
    if (!tried_snapshots.empty())
      DescribeSnapshot(*current.metadata, tried_snapshots.back(), outcome);
    outcome.table = current;
    return outcome;
  }
  ASSIGN_OR_RETURN(const Prepared prepared, Prepare(current));
  if (!prepared.changed) {
    outcome.table = current;
    return outcome;
  }
  tried_snapshots = prepared.added_snapshots;
  if (mode == Mode::kUpdate) tried = prepared.metadata;
  ASSIGN_OR_RETURN(outcome.table, Swap(current, prepared));
  outcome.committed = true;
  if (!prepared.added_snapshots.empty()) {
    DescribeSnapshot(prepared.metadata, prepared.added_snapshots.back(), outcome);
  }
  return outcome;
}

bool Transaction::State::LandedEarlier(const catalog::LoadedTable& current) const {
  if (tried && tried_snapshots.empty())
    return SameContent(*current.metadata, *tried, catalog.is_remote());
  return std::any_of(tried_snapshots.begin(), tried_snapshots.end(),
                     [&](int64_t id) { return current.metadata->SnapshotById(id) != nullptr; });
}

void Transaction::State::Finish(const CommitOutcome& outcome) {
  for (const auto& step : steps) outcome.committed ? step->Committed() : step->Abandoned();
}

void Transaction::State::Abandon() {
  for (const auto& step : steps) step->Abandoned();
}

Transaction::Transaction(catalog::Catalog& catalog, catalog::TableIdentifier id,
                         catalog::LoadedTable base, Options options)
    : state_(new State{catalog,
                       std::move(id),
                       std::move(base),
                       options,
                       Mode::kUpdate,
                       nullptr,
                       std::nullopt,
                       {}}) {}
Transaction::Transaction(std::unique_ptr<State> state) : state_(std::move(state)) {}
Transaction::~Transaction() = default;
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;

Transaction Transaction::ForCreate(catalog::Catalog& catalog, catalog::TableIdentifier id,
                                   spec::TableMetadata initial, Options options) {
  auto start = std::make_shared<const spec::TableMetadata>(std::move(initial));
  return Transaction(std::unique_ptr<State>(new State{
      catalog, std::move(id), {"", start}, options, Mode::kCreate, start, std::nullopt, {}}));
}

Result<Transaction> Transaction::ForReplace(catalog::Catalog& catalog, catalog::TableIdentifier id,
                                            catalog::LoadedTable base, const spec::NewTable& table,
                                            Options options) {
  ASSIGN_OR_RETURN(auto replaced,
                   spec::ReplaceTableMetadata(*base.metadata, table, options.clock->NowMillis()));
  auto start = std::make_shared<const spec::TableMetadata>(std::move(replaced));
  return Transaction(std::unique_ptr<State>(new State{
      catalog, std::move(id), std::move(base), options, Mode::kReplace, start, table, {}}));
}

const spec::TableMetadata& Transaction::metadata() const {
  return state_->start != nullptr ? *state_->start : *state_->base.metadata;
}

Transaction& Transaction::Add(SnapshotChange change) {
  return Add(std::make_unique<SnapshotProducer>(state_->Read(), std::move(change),
                                                *state_->options.clock));
}

Transaction& Transaction::Add(UpdateFunction step) {
  return Add(std::make_unique<FunctionStep>(std::move(step)));
}

Transaction& Transaction::Add(std::unique_ptr<Step> step) {
  state_->steps.push_back(std::move(step));
  return *this;
}

Transaction& Transaction::Add(std::vector<spec::TableUpdate> updates,
                              std::vector<spec::TableRequirement> requirements) {
  return Add([updates = std::move(updates), requirements = std::move(requirements)](
                 const spec::TableMetadata& base) -> Result<Updates> {
    Status holds = spec::CheckRequirements(&base, requirements);
    if (holds) return updates;
    Error error = std::move(holds).error();
    error.retryable = false;  // the table was just refreshed
    return Fail(std::move(error));
  });
}

Result<CommitOutcome> Transaction::Commit() {
  State& state = *state_;
  ASSIGN_OR_RETURN(const RetryPolicy policy, RetryPolicy::ForCommit(metadata().properties));
  RetryLoop loop(policy, *state.options.clock);
  while (true) {
    std::optional<CommitTurn> turn;
    if (state.options.queue && state.mode != Mode::kCreate) turn.emplace(metadata().uuid);
    const bool may_skip = loop.retries() == 0 && !(turn && turn->waited());
    auto current = state.Refresh(may_skip);
    Result<CommitOutcome> outcome =
        current ? state.Attempt(*current) : Result<CommitOutcome>(Fail(current.error()));
    if (outcome) {
      turn.reset();
      if (!outcome->landed_late) state.Finish(*outcome);
      outcome->attempts = static_cast<int32_t>(loop.retries()) + 1;
      return outcome;
    }
    turn.reset();
    if (outcome.error().code == ErrorCode::kCommitUnknown)
      return outcome;  // files may be the table's: keep them
    const bool once = state.mode == Mode::kCreate && !state.was_unknown;
    if (once || !MayRetry(outcome.error()) || !loop.WaitForNext()) {
      if (!state.was_unknown) state.Abandon();  // else what was sent may still arrive
      return outcome;
    }
    LogInfo(
        fmt::format("Retrying the commit to {}: {}", state.id.ToString(), outcome.error().message));
  }
}

Result<CommitOutcome> CommitChange(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   SnapshotChange change, Transaction::Options options) {
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  Transaction transaction(catalog, id, std::move(table), options);
  return transaction.Add(std::move(change)).Commit();
}

Result<CommitOutcome> CommitUpdates(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                    UpdateFunction step, Transaction::Options options) {
  ASSIGN_OR_RETURN(auto table, catalog.LoadTable(id));
  Transaction transaction(catalog, id, std::move(table), options);
  return transaction.Add(std::move(step)).Commit();
}

}  // namespace iceblink::commit
