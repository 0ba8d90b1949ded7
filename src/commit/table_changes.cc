#include "commit/table_changes.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "spec/properties.h"

namespace iceblink::commit {

namespace {

using Updates = std::vector<spec::TableUpdate>;

// Updates that turn `before` into `after`.
void AppendPropertyChanges(const spec::Properties& before, const spec::Properties& after,
                           Updates& updates) {
  spec::update::SetProperties set;
  spec::update::RemoveProperties remove;
  for (const auto& [key, value] : after) {
    auto old = before.find(key);
    if (old == before.end() || old->second != value) set.updates.emplace(key, value);
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) remove.removals.push_back(key);
  }
  if (!set.updates.empty()) updates.emplace_back(std::move(set));
  if (!remove.removals.empty()) updates.emplace_back(std::move(remove));
}

}  // namespace

Result<Updates> PropertyUpdates(const spec::TableMetadata& base,
                                const std::map<std::string, std::string>& set,
                                const std::vector<std::string>& remove) {
  Updates updates;
  spec::Properties after = base.properties;
  for (const auto& [key, value] : set) {
    if (key != spec::property::kFormatVersion) {
      after[key] = value;
      continue;
    }
    const std::optional<int32_t> version = ParseInt32(value);
    if (!version) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("For input string: \"{}\"", value),
                  "NumberFormatException");
    }
    updates.emplace_back(spec::update::UpgradeFormatVersion{*version});
  }
  for (const std::string& key : remove) after.erase(key);
  RETURN_IF_ERROR(spec::CheckMetricsProperties(base.schema(), after));
  AppendPropertyChanges(base.properties, after, updates);
  return updates;
}

Result<Updates> SchemaUpdates(const spec::TableMetadata& base,
                              const std::function<Status(spec::SchemaUpdate&)>& change) {
  spec::SchemaUpdate builder(base.schema(), base.last_column_id);
  RETURN_IF_ERROR(change(builder));
  ASSIGN_OR_RETURN(spec::Schema schema, builder.Apply());
  Updates updates;
  if (!schema.SameSchema(base.schema())) {
    updates.emplace_back(spec::update::AddSchema{std::move(schema), builder.last_column_id()});
    updates.emplace_back(spec::update::SetCurrentSchema{});
  }
  AppendPropertyChanges(base.properties, builder.UpdateProperties(base.properties), updates);
  return updates;
}

Result<Updates> SpecUpdates(const spec::TableMetadata& base,
                            const std::function<Status(spec::SpecUpdate&)>& change) {
  spec::SpecUpdate builder(base);
  RETURN_IF_ERROR(change(builder));
  ASSIGN_OR_RETURN(spec::PartitionSpec spec, builder.Apply());
  Updates updates;
  updates.emplace_back(spec::update::AddSpec{std::move(spec)});
  updates.emplace_back(spec::update::SetDefaultSpec{});
  return updates;
}

Result<CommitOutcome> ChangeProperties(catalog::Catalog& catalog,
                                       const catalog::TableIdentifier& id,
                                       const std::map<std::string, std::string>& set,
                                       const std::vector<std::string>& remove) {
  return CommitUpdates(catalog, id, [&](const spec::TableMetadata& base) {
    return PropertyUpdates(base, set, remove);
  });
}

Result<CommitOutcome> ChangeSchema(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   const std::function<Status(spec::SchemaUpdate&)>& change) {
  return CommitUpdates(
      catalog, id, [&](const spec::TableMetadata& base) { return SchemaUpdates(base, change); });
}

Result<CommitOutcome> ChangeSpec(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                 const std::function<Status(spec::SpecUpdate&)>& change) {
  return CommitUpdates(catalog, id,
                       [&](const spec::TableMetadata& base) { return SpecUpdates(base, change); });
}

Result<CommitOutcome> ChangeSortOrder(
    catalog::Catalog& catalog, const catalog::TableIdentifier& id,
    const std::function<Result<spec::SortOrder>(const spec::Schema&)>& build) {
  return CommitUpdates(catalog, id, [&](const spec::TableMetadata& base) -> Result<Updates> {
    ASSIGN_OR_RETURN(spec::SortOrder order, build(base.schema()));
    Updates updates;
    updates.emplace_back(spec::update::AddSortOrder{std::move(order)});
    updates.emplace_back(spec::update::SetDefaultSortOrder{});
    return updates;
  });
}

Result<CommitOutcome> ChangeLocation(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                     const std::string& location) {
  return CommitUpdates(catalog, id, [&](const spec::TableMetadata&) -> Result<Updates> {
    return Updates{spec::update::SetLocation{location}};
  });
}

}  // namespace iceblink::commit
