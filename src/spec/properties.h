// Table properties: keys, kinds and defaults as data, typed getters, and the metrics mode of each
// column.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "spec/schema.h"
#include "spec/sort_order.h"

namespace iceblink::spec {

using Properties = std::map<std::string, std::string>;

enum class PropertyKind : uint8_t { kBool, kInt, kDouble, kText };

struct PropertyDef {
  std::string_view key;
  PropertyKind kind;
  std::string_view default_value;  // empty: none
  std::string_view
      fallback_key;  // read when the key is unset (delete properties -> data properties)
};

// Returns every known property in the order of the documentation.
std::span<const PropertyDef> KnownProperties();

// Return the value, else that of the fallback key, else the default. Requires a known key of the
// kind; a value that does not parse gives the Java error (NumberFormatException `For input string:
// "x"`).
Result<int64_t> IntProperty(const Properties& properties, std::string_view key);
Result<double> DoubleProperty(const Properties& properties, std::string_view key);
bool BoolProperty(const Properties& properties, std::string_view key);
std::string TextProperty(const Properties& properties, std::string_view key);

namespace property {
inline constexpr std::string_view kFormatVersion = "format-version";
inline constexpr std::string_view kDefaultFileFormat = "write.format.default";
inline constexpr std::string_view kDeleteFileFormat = "write.delete.format.default";
inline constexpr std::string_view kTargetFileSize = "write.target-file-size-bytes";
inline constexpr std::string_view kDeleteTargetFileSize = "write.delete.target-file-size-bytes";
inline constexpr std::string_view kDeleteGranularity = "write.delete.granularity";
inline constexpr std::string_view kParquetRowGroupSize = "write.parquet.row-group-size-bytes";
inline constexpr std::string_view kParquetCompression = "write.parquet.compression-codec";
inline constexpr std::string_view kParquetCompressionLevel = "write.parquet.compression-level";
inline constexpr std::string_view kDeleteMode = "write.delete.mode";
inline constexpr std::string_view kUpdateMode = "write.update.mode";
inline constexpr std::string_view kMergeMode = "write.merge.mode";
inline constexpr std::string_view kDeleteIsolation = "write.delete.isolation-level";
inline constexpr std::string_view kUpdateIsolation = "write.update.isolation-level";
inline constexpr std::string_view kMergeIsolation = "write.merge.isolation-level";
inline constexpr std::string_view kDistributionMode = "write.distribution-mode";
inline constexpr std::string_view kDataPath = "write.data.path";
inline constexpr std::string_view kMetadataPath = "write.metadata.path";
inline constexpr std::string_view kObjectStorage = "write.object-storage.enabled";
inline constexpr std::string_view kObjectStoragePartitionedPaths =
    "write.object-storage.partitioned-paths";
inline constexpr std::string_view kMetadataCompression = "write.metadata.compression-codec";
inline constexpr std::string_view kMetadataPreviousVersionsMax =
    "write.metadata.previous-versions-max";
inline constexpr std::string_view kMetadataDeleteAfterCommit =
    "write.metadata.delete-after-commit.enabled";
inline constexpr std::string_view kMetricsDefault = "write.metadata.metrics.default";
inline constexpr std::string_view kMetricsColumnPrefix = "write.metadata.metrics.column.";
inline constexpr std::string_view kMetricsMaxInferred =
    "write.metadata.metrics.max-inferred-column-defaults";
inline constexpr std::string_view kBloomColumnPrefix = "write.parquet.bloom-filter-enabled.column.";
inline constexpr std::string_view kStatsColumnPrefix = "write.parquet.stats-enabled.column.";
inline constexpr std::string_view kSummaryPartitionLimit = "write.summary.partition-limit";
inline constexpr std::string_view kManifestCompression = "write.manifest.compression-codec";
inline constexpr std::string_view kWapEnabled = "write.wap.enabled";
inline constexpr std::string_view kManifestTargetSize = "commit.manifest.target-size-bytes";
inline constexpr std::string_view kManifestMinMergeCount = "commit.manifest.min-count-to-merge";
inline constexpr std::string_view kManifestMergeEnabled = "commit.manifest-merge.enabled";
inline constexpr std::string_view kRetryCount = "commit.retry.num-retries";
inline constexpr std::string_view kRetryMinWait = "commit.retry.min-wait-ms";
inline constexpr std::string_view kRetryMaxWait = "commit.retry.max-wait-ms";
inline constexpr std::string_view kRetryTotalTimeout = "commit.retry.total-timeout-ms";
inline constexpr std::string_view kSplitSize = "read.split.target-size";
inline constexpr std::string_view kSplitLookback = "read.split.planning-lookback";
inline constexpr std::string_view kSplitOpenCost = "read.split.open-file-cost";
inline constexpr std::string_view kMaxSnapshotAge = "history.expire.max-snapshot-age-ms";
inline constexpr std::string_view kMinSnapshotsToKeep = "history.expire.min-snapshots-to-keep";
inline constexpr std::string_view kMaxRefAge = "history.expire.max-ref-age-ms";
inline constexpr std::string_view kGcEnabled = "gc.enabled";
inline constexpr std::string_view kNameMapping = "schema.name-mapping.default";
inline constexpr std::string_view kSnapshotIdInheritance =
    "compatibility.snapshot-id-inheritance.enabled";
}  // namespace property

struct MetricsMode {
  enum class Kind : uint8_t { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  int32_t length = 16;  // of kTruncate

  // Returns "none", "counts", "truncate(16)", "full".
  std::string ToString() const;
  friend bool operator==(const MetricsMode&, const MetricsMode&) = default;
};

// Parses a mode of any case. Error: InvalidArgument "Invalid metrics mode: %s".
Result<MetricsMode> ParseMetricsMode(std::string_view text);

// Returns the mode of every primitive and variant field by id: explicit mode > sorted-column
// promotion > default, with the limit on inferred defaults. Modes that do not parse fall back to
// the default, as in Java.
std::map<int32_t, MetricsMode> ResolveMetricsModes(const Schema& schema, const SortOrder& order,
                                                   const Properties& properties);
// Returns the modes of position delete files: file_path and pos full, others none.
std::map<int32_t, MetricsMode> PositionDeleteMetricsModes();

// Checks that every column named by a metrics property exists. Error: ValidationException "Invalid
// metrics config, ...".
Status CheckMetricsProperties(const Schema& schema, const Properties& properties);

// Checks that the commit.retry properties are integers that are not negative. Error:
// ValidationException "Table property %s must have integer value".
Status CheckCommitProperties(const Properties& properties);

}  // namespace iceblink::spec
