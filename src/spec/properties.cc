#include "spec/properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace iceblink::spec {
namespace {

using enum PropertyKind;

constexpr PropertyDef kProperties[] = {
    {"read.split.target-size", kInt, "134217728", {}},
    {"read.split.metadata-target-size", kInt, "33554432", {}},
    {"read.split.planning-lookback", kInt, "10", {}},
    {"read.split.open-file-cost", kInt, "4194304", {}},
    {"read.split.adaptive-size.enabled", kBool, "true", {}},
    {"read.parquet.vectorization.enabled", kBool, "true", {}},
    {"read.parquet.vectorization.batch-size", kInt, "5000", {}},
    {"read.orc.vectorization.enabled", kBool, "false", {}},
    {"read.orc.vectorization.batch-size", kInt, "5000", {}},
    {"read.data-planning-mode", kText, "auto", {}},
    {"read.delete-planning-mode", kText, "auto", {}},
    {"identifier-fields.rely", kBool, "false", {}},
    {"schema.name-mapping.default", kText, {}, {}},
    {"write.format.default", kText, "parquet", {}},
    {"write.delete.format.default", kText, "parquet", "write.format.default"},
    {"write.target-file-size-bytes", kInt, "536870912", {}},
    {"write.delete.target-file-size-bytes", kInt, "67108864", {}},
    {"write.delete.granularity", kText, "file", {}},
    {"write.parquet.row-group-size-bytes", kInt, "134217728", {}},
    {"write.delete.parquet.row-group-size-bytes", kInt, "134217728",
     "write.parquet.row-group-size-bytes"},
    {"write.parquet.row-group-size-track-uncompressed", kBool, "false", {}},
    {"write.parquet.page-size-bytes", kInt, "1048576", {}},
    {"write.delete.parquet.page-size-bytes", kInt, "1048576", "write.parquet.page-size-bytes"},
    {"write.parquet.page-version", kText, "v1", {}},
    {"write.delete.parquet.page-version", kText, "v1", "write.parquet.page-version"},
    {"write.parquet.page-row-limit", kInt, "20000", {}},
    {"write.delete.parquet.page-row-limit", kInt, "20000", "write.parquet.page-row-limit"},
    {"write.parquet.dict-size-bytes", kInt, "2097152", {}},
    {"write.delete.parquet.dict-size-bytes", kInt, "2097152", "write.parquet.dict-size-bytes"},
    {"write.parquet.compression-codec", kText, "gzip", {}},
    {"write.delete.parquet.compression-codec", kText, "gzip", "write.parquet.compression-codec"},
    {"write.parquet.compression-level", kText, {}, {}},
    {"write.delete.parquet.compression-level", kText, {}, "write.parquet.compression-level"},
    {"write.parquet.row-group-check-min-record-count", kInt, "100", {}},
    {"write.parquet.row-group-check-max-record-count", kInt, "10000", {}},
    {"write.parquet.shred-variants", kBool, "false", {}},
    {"write.parquet.variant-inference-buffer-size", kInt, "100", {}},
    {"write.parquet.bloom-filter-max-bytes", kInt, "1048576", {}},
    {"write.parquet.bloom-filter-adaptive-enabled", kBool, "false", {}},
    {"write.avro.compression-codec", kText, "gzip", {}},
    {"write.delete.avro.compression-codec", kText, "gzip", "write.avro.compression-codec"},
    {"write.avro.compression-level", kText, {}, {}},
    {"write.delete.avro.compression-level", kText, {}, "write.avro.compression-level"},
    {"write.orc.stripe-size-bytes", kInt, "67108864", {}},
    {"write.orc.block-size-bytes", kInt, "268435456", {}},
    {"write.orc.vectorized.batch-size", kInt, "1024", {}},
    {"write.orc.compression-codec", kText, "zlib", {}},
    {"write.orc.compression-strategy", kText, "speed", {}},
    {"write.orc.bloom.filter.columns", kText, {}, {}},
    {"write.orc.bloom.filter.fpp", kDouble, "0.05", {}},
    {"write.data.path", kText, {}, {}},
    {"write.metadata.path", kText, {}, {}},
    {"write.object-storage.enabled", kBool, "false", {}},
    {"write.object-storage.partitioned-paths", kBool, "true", {}},
    {"write.location-provider.impl", kText, {}, {}},
    {"write.folder-storage.path", kText, {}, {}},
    {"write.object-storage.path", kText, {}, {}},
    {"write.metadata.compression-codec", kText, "none", {}},
    {"write.metadata.previous-versions-max", kInt, "100", {}},
    {"write.metadata.delete-after-commit.enabled", kBool, "false", {}},
    {"write.metadata.metrics.default", kText, "truncate(16)", {}},
    {"write.metadata.metrics.max-inferred-column-defaults", kInt, "100", {}},
    {"write.manifest.compression-codec", kText, "gzip", {}},
    {"write.manifest.compression-level", kText, {}, {}},
    {"write.summary.partition-limit", kInt, "0", {}},
    {"write.wap.enabled", kBool, "false", {}},
    {"write.upsert.enabled", kBool, "false", {}},
    {"write.delete.mode", kText, "copy-on-write", {}},
    {"write.update.mode", kText, "copy-on-write", {}},
    {"write.merge.mode", kText, "copy-on-write", {}},
    {"write.delete.isolation-level", kText, "serializable", {}},
    {"write.update.isolation-level", kText, "serializable", {}},
    {"write.merge.isolation-level", kText, "serializable", {}},
    {"write.distribution-mode", kText, {}, {}},
    {"write.delete.distribution-mode", kText, "hash", {}},
    {"write.update.distribution-mode", kText, "hash", {}},
    {"write.merge.distribution-mode", kText, {}, {}},
    {"write.spark.fanout.enabled", kText, {}, {}},
    {"write.spark.accept-any-schema", kBool, "false", {}},
    {"write.spark.auto-schema-evolution.enabled", kBool, "true", {}},
    {"write.spark.advisory-partition-size-bytes", kText, {}, {}},
    {"commit.retry.num-retries", kInt, "4", {}},
    {"commit.retry.min-wait-ms", kInt, "100", {}},
    {"commit.retry.max-wait-ms", kInt, "60000", {}},
    {"commit.retry.total-timeout-ms", kInt, "1800000", {}},
    {"commit.status-check.num-retries", kInt, "3", {}},
    {"commit.status-check.min-wait-ms", kInt, "1000", {}},
    {"commit.status-check.max-wait-ms", kInt, "60000", {}},
    {"commit.status-check.total-timeout-ms", kInt, "1800000", {}},
    {"commit.manifest.target-size-bytes", kInt, "8388608", {}},
    {"commit.manifest.min-count-to-merge", kInt, "100", {}},
    {"commit.manifest-merge.enabled", kBool, "true", {}},
    {"history.expire.max-snapshot-age-ms", kInt, "432000000", {}},
    {"history.expire.min-snapshots-to-keep", kInt, "1", {}},
    {"history.expire.max-ref-age-ms", kInt, "9223372036854775807", {}},
    {"gc.enabled", kBool, "true", {}},
    {"compatibility.snapshot-id-inheritance.enabled", kBool, "false", {}},
    {"format-version", kInt, "2", {}},
    {"engine.hive.enabled", kBool, "false", {}},
    {"engine.hive.lock-enabled", kBool, "true", {}},
    {"encryption.key-id", kText, {}, {}},
    {"encryption.data-key-length", kInt, "16", {}},
    {"comment", kText, {}, {}},
    {"version.history.num-entries", kInt, "10", {}},
    {"replace.drop-dialect.allowed", kBool, "false", {}},
};

const PropertyDef* FindDef(std::string_view key) {
  auto it = std::find_if(std::begin(kProperties), std::end(kProperties),
                         [&](const auto& p) { return p.key == key; });
  return it == std::end(kProperties) ? nullptr : it;
}

auto NotANumber(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("For input string: \"{}\"", text),
              "NumberFormatException");
}

auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

}  // namespace

std::span<const PropertyDef> KnownProperties() { return kProperties; }

std::string TextProperty(const Properties& properties, std::string_view key) {
  if (auto it = properties.find(std::string(key)); it != properties.end()) return it->second;
  const PropertyDef* def = FindDef(key);
  if (def == nullptr) return {};
  if (!def->fallback_key.empty()) {
    auto it = properties.find(std::string(def->fallback_key));
    if (it != properties.end()) return it->second;
  }
  return std::string(def->default_value);
}

Result<int64_t> IntProperty(const Properties& properties, std::string_view key) {
  std::string text = TextProperty(properties, key);
  auto value = ParseInt64(text);
  if (!value) return NotANumber(text);
  return *value;
}

Result<double> DoubleProperty(const Properties& properties, std::string_view key) {
  std::string text = TextProperty(properties, key);
  auto value = ParseDouble(text);
  if (!value) return NotANumber(text);
  return *value;
}

bool BoolProperty(const Properties& properties, std::string_view key) {
  return EqualsIgnoreCase(TextProperty(properties, key), "true");
}

Status CheckCommitProperties(const Properties& properties) {
  for (std::string_view key : {property::kRetryCount, property::kRetryMinWait,
                               property::kRetryMaxWait, property::kRetryTotalTimeout}) {
    auto it = properties.find(std::string(key));
    if (it == properties.end()) continue;
    auto value = ParseInt32(it->second);
    if (!value) return NotValid(fmt::format("Table property {} must have integer value", key));
    if (*value < 0)
      return NotValid(fmt::format("Table property {} must have non negative integer value", key));
  }
  return {};
}

}  // namespace iceblink::spec
