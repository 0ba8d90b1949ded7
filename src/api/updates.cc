#include "iceblink/updates.h"

#include <fmt/format.h>

#include "api/state.h"
#include "commit/table_changes.h"

namespace iceblink {

namespace {

using Updates = std::vector<spec::TableUpdate>;

// "a.b.c" is c below a.b.
std::pair<std::string, std::string> SplitParent(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

// ---- schema ------------------------------------------------------------------------------------

struct UpdateSchema::State {
  std::shared_ptr<ChangeTarget> target;
  std::vector<std::function<Status(spec::SchemaUpdate&)>> calls;
};

UpdateSchema::UpdateSchema(std::shared_ptr<ChangeTarget> target)
    : state_(std::make_shared<State>()) {
  state_->target = std::move(target);
}

UpdateSchema& UpdateSchema::AllowIncompatibleChanges() {
  state_->calls.push_back([](spec::SchemaUpdate& update) -> Status {
    update.AllowIncompatibleChanges();
    return {};
  });
  return *this;
}

UpdateSchema& UpdateSchema::AddColumn(std::string name, Type type, std::optional<std::string> doc,
                                      std::optional<Value> default_value) {
  state_->calls.push_back([=, split = SplitParent(name)](spec::SchemaUpdate& update) {
    return update.AddColumn(split.first, split.second, type.rep(), doc, default_value);
  });
  return *this;
}

UpdateSchema& UpdateSchema::AddRequiredColumn(std::string name, Type type,
                                              std::optional<std::string> doc,
                                              std::optional<Value> default_value) {
  state_->calls.push_back([=, split = SplitParent(name)](spec::SchemaUpdate& update) {
    return update.AddRequiredColumn(split.first, split.second, type.rep(), doc, default_value);
  });
  return *this;
}

UpdateSchema& UpdateSchema::RenameColumn(std::string name, std::string new_name) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.RenameColumn(name, new_name); });
  return *this;
}

UpdateSchema& UpdateSchema::UpdateColumn(std::string name, Type type) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.UpdateColumnType(name, type.rep()); });
  return *this;
}

UpdateSchema& UpdateSchema::UpdateColumnDoc(std::string name, std::string doc) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.UpdateColumnDoc(name, doc); });
  return *this;
}

UpdateSchema& UpdateSchema::MakeColumnOptional(std::string name) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.MakeColumnOptional(name); });
  return *this;
}

UpdateSchema& UpdateSchema::RequireColumn(std::string name) {
  state_->calls.push_back([=](spec::SchemaUpdate& update) { return update.RequireColumn(name); });
  return *this;
}

UpdateSchema& UpdateSchema::DeleteColumn(std::string name) {
  state_->calls.push_back([=](spec::SchemaUpdate& update) { return update.DeleteColumn(name); });
  return *this;
}

UpdateSchema& UpdateSchema::MoveFirst(std::string name) {
  state_->calls.push_back([=](spec::SchemaUpdate& update) {
    return update.MoveColumn(name, spec::ColumnPosition::First());
  });
  return *this;
}

UpdateSchema& UpdateSchema::MoveBefore(std::string name, std::string before) {
  state_->calls.push_back([=](spec::SchemaUpdate& update) {
    return update.MoveColumn(name, spec::ColumnPosition::Before(before));
  });
  return *this;
}

UpdateSchema& UpdateSchema::MoveAfter(std::string name, std::string after) {
  state_->calls.push_back([=](spec::SchemaUpdate& update) {
    return update.MoveColumn(name, spec::ColumnPosition::After(after));
  });
  return *this;
}

UpdateSchema& UpdateSchema::SetIdentifierFields(std::vector<std::string> names) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.SetIdentifierFields(names); });
  return *this;
}

UpdateSchema& UpdateSchema::UnionByNameWith(const Schema& schema) {
  state_->calls.push_back(
      [=](spec::SchemaUpdate& update) { return update.UnionByNameWith(schema.rep()); });
  return *this;
}

Result<CommitReport> UpdateSchema::Commit() {
  return state_->target->Commit([&](commit::Transaction& transaction) {
    transaction.Add([state = state_](const spec::TableMetadata& base) {
      return commit::SchemaUpdates(base, [&](spec::SchemaUpdate& update) -> Status {
        for (const auto& call : state->calls) RETURN_IF_ERROR(call(update));
        return {};
      });
    });
  });
}

// ---- partition spec ----------------------------------------------------------------------------

struct UpdatePartitionSpec::State {
  std::shared_ptr<ChangeTarget> target;
  std::vector<std::function<Status(spec::SpecUpdate&)>> calls;
};

UpdatePartitionSpec::UpdatePartitionSpec(std::shared_ptr<ChangeTarget> target)
    : state_(std::make_shared<State>()) {
  state_->target = std::move(target);
}

UpdatePartitionSpec& UpdatePartitionSpec::AddField(std::string column, TransformText transform,
                                                   std::string name) {
  state_->calls.push_back(
      [=, parsed = spec::Transform::Parse(transform)](spec::SpecUpdate& update) {
        return update.AddField(column, parsed, name);
      });
  return *this;
}

UpdatePartitionSpec& UpdatePartitionSpec::RemoveField(std::string name) {
  state_->calls.push_back([=](spec::SpecUpdate& update) { return update.RemoveField(name); });
  return *this;
}

UpdatePartitionSpec& UpdatePartitionSpec::RemoveField(std::string column, TransformText transform) {
  state_->calls.push_back(
      [=, parsed = spec::Transform::Parse(transform)](spec::SpecUpdate& update) {
        return update.RemoveField(column, parsed);
      });
  return *this;
}

UpdatePartitionSpec& UpdatePartitionSpec::RenameField(std::string name, std::string new_name) {
  state_->calls.push_back(
      [=](spec::SpecUpdate& update) { return update.RenameField(name, new_name); });
  return *this;
}

Result<CommitReport> UpdatePartitionSpec::Commit() {
  return state_->target->Commit([&](commit::Transaction& transaction) {
    transaction.Add([state = state_](const spec::TableMetadata& base) {
      return commit::SpecUpdates(base, [&](spec::SpecUpdate& update) -> Status {
        for (const auto& call : state->calls) RETURN_IF_ERROR(call(update));
        return {};
      });
    });
  });
}

// ---- properties --------------------------------------------------------------------------------

struct UpdateProperties::State {
  std::shared_ptr<ChangeTarget> target;
  std::map<std::string, std::string> set;
  std::vector<std::string> remove;
};

UpdateProperties::UpdateProperties(std::shared_ptr<ChangeTarget> target)
    : state_(std::make_shared<State>()) {
  state_->target = std::move(target);
}

UpdateProperties& UpdateProperties::Set(std::string key, std::string value) {
  state_->set[std::move(key)] = std::move(value);
  return *this;
}

UpdateProperties& UpdateProperties::Remove(std::string key) {
  state_->remove.push_back(std::move(key));
  return *this;
}

Result<CommitReport> UpdateProperties::Commit() {
  for (const std::string& key : state_->remove) {
    if (state_->set.count(key) == 0) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Cannot remove and update the same key: {}", key),
                "IllegalArgumentException");
  }
  return state_->target->Commit([&](commit::Transaction& transaction) {
    transaction.Add([state = state_](const spec::TableMetadata& base) {
      return commit::PropertyUpdates(base, state->set, state->remove);
    });
  });
}

// ---- sort order --------------------------------------------------------------------------------

struct ReplaceSortOrder::State {
  std::shared_ptr<ChangeTarget> target;
  std::vector<spec::SortTerm> terms;
};

ReplaceSortOrder::ReplaceSortOrder(std::shared_ptr<ChangeTarget> target)
    : state_(std::make_shared<State>()) {
  state_->target = std::move(target);
}

namespace {

spec::SortTerm TermOf(std::string column, bool ascending, Nulls nulls,
                      const TransformText& transform) {
  return {std::move(column), spec::Transform::Parse(transform),
          ascending ? spec::SortDirection::kAsc : spec::SortDirection::kDesc,
          nulls == Nulls::kFirst ? spec::NullOrder::kNullsFirst : spec::NullOrder::kNullsLast};
}

}  // namespace

ReplaceSortOrder& ReplaceSortOrder::Asc(std::string column, Nulls nulls, TransformText transform) {
  state_->terms.push_back(TermOf(std::move(column), true, nulls, transform));
  return *this;
}

ReplaceSortOrder& ReplaceSortOrder::Desc(std::string column, Nulls nulls, TransformText transform) {
  state_->terms.push_back(TermOf(std::move(column), false, nulls, transform));
  return *this;
}

Result<CommitReport> ReplaceSortOrder::Commit() {
  return state_->target->Commit([&](commit::Transaction& transaction) {
    transaction.Add([state = state_](const spec::TableMetadata& base) -> Result<Updates> {
      ASSIGN_OR_RETURN(spec::SortOrder order, spec::BuildSortOrder(base.schema(), state->terms));
      return Updates{spec::update::AddSortOrder{std::move(order)},
                     spec::update::SetDefaultSortOrder{}};
    });
  });
}

}  // namespace iceblink
