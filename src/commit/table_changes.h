// Changes of a table's definition as single commits: properties, schema, partition spec, sort
// order, location, statistics.
//
// Each function computes its updates from the table as the catalog has it, again on every attempt,
// so that it composes with whatever other writers committed in between.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "commit/transaction.h"
#include "spec/schema_update.h"
#include "spec/spec_update.h"

namespace iceblink::commit {

// Sets and removes properties; format-version upgrades the table. Errors: ValidationException for
// metrics properties of unknown columns, those of the upgrade.
Result<CommitOutcome> ChangeProperties(catalog::Catalog& catalog,
                                       const catalog::TableIdentifier& id,
                                       const std::map<std::string, std::string>& set,
                                       const std::vector<std::string>& remove);

// Changes the schema by the calls that `change` makes, and the properties that follow (name
// mapping, per-column keys).
Result<CommitOutcome> ChangeSchema(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                   const std::function<Status(spec::SchemaUpdate&)>& change);

// Makes the spec that `change` builds the default one.
Result<CommitOutcome> ChangeSpec(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                 const std::function<Status(spec::SpecUpdate&)>& change);

// Makes the order that `build` computes from the schema the default one.
Result<CommitOutcome> ChangeSortOrder(
    catalog::Catalog& catalog, const catalog::TableIdentifier& id,
    const std::function<Result<spec::SortOrder>(const spec::Schema&)>& build);

Result<CommitOutcome> ChangeLocation(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                     const std::string& location);

// The updates of one ALTER statement, for callers that combine several in a Transaction.
Result<std::vector<spec::TableUpdate>> SchemaUpdates(
    const spec::TableMetadata& base, const std::function<Status(spec::SchemaUpdate&)>& change);
Result<std::vector<spec::TableUpdate>> SpecUpdates(
    const spec::TableMetadata& base, const std::function<Status(spec::SpecUpdate&)>& change);
Result<std::vector<spec::TableUpdate>> PropertyUpdates(
    const spec::TableMetadata& base, const std::map<std::string, std::string>& set,
    const std::vector<std::string>& remove);

}  // namespace iceblink::commit
