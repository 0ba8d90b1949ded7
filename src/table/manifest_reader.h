// Reads the entries of a manifest (an Avro file of spec::ManifestEntry) of format versions 1 to 3.
//
//   file metadata: schema (JSON), partition-spec (JSON array of fields), partition-spec-id,
//   format-version, content record       : status, snapshot_id, sequence_number,
//   file_sequence_number, data_file{...}
//
// Columns are resolved by field id, unknown ones are skipped. The file's Avro schema is compiled
// once into a list of steps; each record is decoded by running them, so columns that were not asked
// for cost no allocation. What an entry leaves out is inherited from the row of the manifest list:
// snapshot id, sequence numbers, first row id.
//
// A reader streams block by block (or out of the cache) and belongs to one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/manifest.h"
#include "table/manifest_cache.h"
#include "table/partition_types.h"

namespace iceblink::table {

// Which metrics (column sizes, counts, bounds) are decoded.
struct StatsSelection {
  bool all = false;
  std::set<int32_t> field_ids;  // when not `all`; bounds and counts of these columns only

  static StatsSelection All() { return {true, {}}; }
  static StatsSelection None() { return {}; }
  static StatsSelection Of(std::set<int32_t> ids) { return {false, std::move(ids)}; }
};

struct ManifestReadOptions {
  StatsSelection stats = StatsSelection::All();
  bool live_only = false;  // skip DELETED entries before their data file is decoded
  bool split_offsets = true;
};

class ManifestReader {
 public:
  // Opens the manifest of a manifest list's row. `types` knows the manifest's spec and outlives the
  // reader. Errors: kNotFound, kIo, kCorrupt; kUnsupported for a format version above 3.
  static Result<std::unique_ptr<ManifestReader>> Open(const ReadContext& context,
                                                      const spec::ManifestFile& manifest,
                                                      const PartitionTypes& types,
                                                      ManifestReadOptions options = {});
  ~ManifestReader();
  ManifestReader(const ManifestReader&) = delete;
  ManifestReader& operator=(const ManifestReader&) = delete;

  // Decodes the next entry into the reader's own buffer, valid until the next call; null at the
  // end. Error: kCorrupt with the file's path, e.g. for an existing entry without a sequence number
  // in v2.
  Result<const spec::ManifestEntry*> Next();
  // Moves the entry that Next returned out of the buffer.
  spec::ManifestEntry Take();

 private:
  struct State;
  explicit ManifestReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Calls `visit` for each entry. An error of `visit` stops and is returned.
Status ForEachEntry(const ReadContext& context, const spec::ManifestFile& manifest,
                    const PartitionTypes& types, const ManifestReadOptions& options,
                    const std::function<Status(const spec::ManifestEntry&)>& visit);

// Returns all entries; for manifests known to be small, and tests.
Result<std::vector<spec::ManifestEntry>> ReadManifest(const ReadContext& context,
                                                      const spec::ManifestFile& manifest,
                                                      const PartitionTypes& types,
                                                      ManifestReadOptions options = {});

// What a manifest says of itself, without any list: for v1 tables whose snapshots name manifests,
// for registering foreign manifests and for tests. Counts stay absent; added_snapshot_id is the
// first entry's.
struct ManifestHeader {
  spec::ManifestFile file;
  int32_t format_version = 1;
  spec::Schema schema;
  spec::PartitionSpec spec;
};
Result<ManifestHeader> ReadManifestHeader(const ReadContext& context, const std::string& path);

}  // namespace iceblink::table
