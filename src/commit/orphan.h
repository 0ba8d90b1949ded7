// Orphan files: files below a table's location that its metadata does not reach.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"

namespace iceblink::commit {

enum class PrefixMismatch : uint8_t { kError, kIgnore, kDelete };
// Parses ERROR, IGNORE, DELETE in any case. Error: IllegalArgumentException "Invalid mode: %s".
Result<PrefixMismatch> ParsePrefixMismatch(std::string_view name);

// A file that may be an orphan, when the caller lists instead of us (file_list_view).
struct ListedFile {
  std::string path;
  int64_t modified_ms = 0;
};

struct OrphanOptions {
  std::optional<int64_t> older_than_ms;  // absent: now - 3 days
  std::string location;                  // empty: the table's
  bool dry_run = false;
  std::optional<std::vector<ListedFile>> listed_files;
  // Schemes and authorities that mean the same: {"s3n,s3a", "s3"} is always there.
  std::map<std::string, std::string> equal_schemes;
  std::map<std::string, std::string> equal_authorities;
  PrefixMismatch prefix_mismatch = PrefixMismatch::kError;
  const Clock* clock = &SystemClock();
};

// Returns the orphans, deleted unless dry_run. Failures to delete are logged.
// Errors: ValidationException "Cannot delete orphan files: GC is disabled (deleting files may
// corrupt other tables)", "Unable to determine whether certain files are orphan. ..." on prefix
// conflicts.
Result<std::vector<std::string>> RemoveOrphanFiles(catalog::Catalog& catalog,
                                                   const catalog::TableIdentifier& id,
                                                   const OrphanOptions& options);

}  // namespace iceblink::commit
