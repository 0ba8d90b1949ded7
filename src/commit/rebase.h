// Rebase: replays the snapshots of a branch on the head of another one that has moved meanwhile, so
// that a fast-forward of the other one succeeds. What write-audit-publish needs when main took
// commits while the branch was audited.
//
// Each snapshot is replayed by its files, oldest first, and checked against what the other branch
// got since the two parted: removed and delete-marked files must still be there without new
// deletes, and the partitions of a dynamic overwrite must be untouched. Filters of the original
// statements are not recorded in snapshots, so rows that appeared meanwhile are accepted as under
// snapshot isolation. All snapshots land in one commit, or none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "commit/transaction.h"

namespace iceblink::commit {

struct RebaseResult {
  int64_t previous_head = 0;  // of the branch
  int64_t current_head = 0;
  std::vector<std::pair<int64_t, int64_t>> replayed;  // old snapshot id, new one; oldest first
  CommitOutcome outcome;
};

// Moves `branch` to the head of `onto` with its own snapshots replayed on top. Does nothing when
// `onto` has nothing new. Errors: IllegalArgumentException "Ref does not exist: %s", "Ref %s is a
// tag not a branch", "Cannot rebase %s onto itself"; ValidationException "Cannot rebase %s onto %s:
// no common ancestor", "Cannot rebase %s onto %s: snapshot %s (%s): " + the conflict with the files
// it is about.
Result<RebaseResult> RebaseBranch(catalog::Catalog& catalog, const catalog::TableIdentifier& id,
                                  const std::string& branch, const std::string& onto,
                                  const std::map<std::string, std::string>& summary = {});

}  // namespace iceblink::commit
