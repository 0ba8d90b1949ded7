// Which state of a table a name addresses: selectors in the name, VERSION / TIMESTAMP AS OF, read options and the session's
// write-audit-publish branch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "engine/configuration.h"
#include "plan/resolver.h"

namespace iceblink::engine {

// The last part of db.t.branch_x, db.t.snapshots ...
struct Selector {
  enum class Kind : uint8_t { kBranch, kTag, kSnapshotId, kTimestamp, kMetadataTable, kChanges };
  Kind kind = Kind::kBranch;
  std::string name;    // of the branch or tag
  int64_t number = 0;  // snapshot id, or milliseconds
  table::MetadataTableKind metadata_table{};
};
// Nothing when the text has no selector's form.
std::optional<Selector> ParseSelector(std::string_view part);

// Builds what the name resolved to from the loaded table. `selector` is null for a plain name.
Result<plan::ResolvedRelation> SelectState(plan::TableRef table, const Selector* selector,
                                           const plan::RelationRequest& request, const Configuration& configuration);

// The session's write-audit-publish settings as they bear on a table (none unless write.wap.enabled).
struct WapSettings {
  std::string id;
  std::string branch;
};
WapSettings WapSettingsOf(const spec::TableMetadata& metadata, const Configuration& configuration);

}  // namespace iceblink::engine
