// rewrite_manifests: the live entries of one spec's manifests, sorted by partition, in few
// manifests of the target size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "commit/transaction.h"

namespace iceblink::commit {

struct RewriteManifestsOptions {
  std::optional<int32_t> spec_id;  // absent: the current spec
  std::optional<std::vector<std::string>>
      sort_by;  // names of partition fields; absent: all, in spec order
  std::map<std::string, std::string> summary;
};

struct RewriteManifestsResult {
  int32_t rewritten = 0;
  int32_t added = 0;
  CommitOutcome outcome;
};

// Data and delete manifests are rewritten apart; nothing happens where it would be one for one.
// Errors: IllegalArgumentException "Invalid spec id %s", "sort_by must not be empty when provided",
// "Cannot set manifest sorting because specified field(s) %s were not found in current partition
// spec %s. Spec ID %s".
Result<RewriteManifestsResult> RewriteManifests(catalog::Catalog& catalog,
                                                const catalog::TableIdentifier& id,
                                                const RewriteManifestsOptions& options);

}  // namespace iceblink::commit
