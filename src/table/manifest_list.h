// Manifest lists: Avro files of spec::ManifestFile, one for each snapshot. Columns are resolved by
// field id, so lists of all versions and with the old count names are read; values that v1 lacks
// take their defaults.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/manifest.h"
#include "spec/snapshot.h"
#include "table/manifest_cache.h"

namespace iceblink::table {

// Calls `visit` for each manifest of the snapshot, in the list's order, holding one at a time. A v1
// snapshot that names its manifests itself is served by their headers. An error of `visit` stops
// and is returned.
Status ForEachManifest(const ReadContext& context, const spec::Snapshot& snapshot,
                       const std::function<Status(spec::ManifestFile&&)>& visit);
// The same of a list given by path.
Status ForEachManifestInList(const ReadContext& context, const std::string& manifest_list,
                             const std::function<Status(spec::ManifestFile&&)>& visit);

// All manifests of the snapshot.
Result<std::vector<spec::ManifestFile>> ReadManifests(const ReadContext& context,
                                                      const spec::Snapshot& snapshot);

struct ManifestListOptions {
  int32_t format_version = 2;
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;          // of the snapshot; 0 in v1
  std::optional<int64_t> first_row_id;  // v3: the table's next-row-id
  std::string codec = "deflate";
  int level = 0;
};

// Writes a manifest list as Java does. Add replaces unassigned sequence numbers by the snapshot's
// and gives data manifests without one their first row id (v3). Nothing stays behind unless Close
// succeeds. One thread.
class ManifestListWriter {
 public:
  static Result<std::unique_ptr<ManifestListWriter>> Create(io::FileSystem& files,
                                                            const std::string& path,
                                                            ManifestListOptions options);
  ~ManifestListWriter();
  ManifestListWriter(const ManifestListWriter&) = delete;
  ManifestListWriter& operator=(const ManifestListWriter&) = delete;

  // Returns the row as written. Error: IllegalArgumentException for delete manifests in v1;
  // IllegalStateException "Found unassigned sequence number for a manifest from snapshot: %s" when
  // another snapshot's manifest lacks its number.
  Result<spec::ManifestFile> Add(spec::ManifestFile manifest);
  // Closes the file and returns the next row id after all manifests (v3; otherwise nothing).
  Result<std::optional<int64_t>> Close();

 private:
  struct State;
  explicit ManifestListWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace iceblink::table
