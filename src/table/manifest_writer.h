// Writes manifests as Iceberg's Java library does: the same Avro schema text, file metadata and
// codec, for format versions 1 to 3; and computes what the manifest list says of them (counts,
// partition summaries, least sequence number).
//
// Nothing stays behind unless Close succeeds. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"
#include "spec/manifest.h"
#include "spec/table_metadata.h"

namespace iceblink::table {

struct ManifestWriteOptions {
  int32_t format_version = 2;
  spec::ManifestContent content = spec::ManifestContent::kData;
  std::optional<int64_t> snapshot_id;  // absent: entries and the list row inherit it (v2 and later)
  std::optional<int64_t> first_row_id;  // v3: of a manifest that already has one assigned
                                        // (rewritten manifests never have)
  std::string codec =
      "deflate";  // write.avro.compression-codec: gzip is deflate; snappy, zstandard, null
  int level = 0;
};

class ManifestWriter {
 public:
  // `schema` is the table's current schema, `spec` the spec of all entries.
  // Error: IllegalArgumentException when delete files meet format version 1; those of io.
  static Result<std::unique_ptr<ManifestWriter>> Create(io::FileSystem& files,
                                                        const std::string& path,
                                                        const spec::Schema& schema,
                                                        const spec::PartitionSpec& spec,
                                                        spec::StructType partition_type,
                                                        ManifestWriteOptions options);
  ~ManifestWriter();
  ManifestWriter(const ManifestWriter&) = delete;
  ManifestWriter& operator=(const ManifestWriter&) = delete;

  // A file that this snapshot adds; its sequence numbers are inherited unless a data sequence
  // number is given (a rewrite that keeps its sources' number).
  Status AddAdded(const spec::DataFile& file,
                  std::optional<int64_t> data_sequence_number = std::nullopt);
  // A file that stays, with its original snapshot and sequence numbers.
  Status AddExisting(const spec::DataFile& file, int64_t snapshot_id, int64_t sequence_number,
                     std::optional<int64_t> file_sequence_number);
  // A file that this snapshot removes.
  Status AddDeleted(const spec::DataFile& file, int64_t sequence_number,
                    std::optional<int64_t> file_sequence_number);
  // The entry as it is, status, snapshot and sequence numbers included.
  Status Add(const spec::ManifestEntry& entry);

  // Number of entries so far, and an upper estimate of the file's length: for rolling.
  int64_t entries() const;
  int64_t length() const;

  // Closes the file and returns its row for the manifest list; sequence_number is
  // kUnassignedSequence, and so is min_sequence_number when the entries inherit theirs.
  Result<spec::ManifestFile> Close();

 private:
  struct State;
  explicit ManifestWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Maps write.avro.compression-codec (gzip, zstd, snappy, uncompressed, any case) to the name in
// Avro files. Error: IllegalArgumentException "Unsupported compression codec: %s".
Result<std::string> AvroCodecName(std::string_view property);

}  // namespace iceblink::table
