// Data files and delete files as a manifest lists them (specification: "Manifests").
//
// Immutable values: copying costs one shared pointer and any thread may read one. They come from a
// DataWriter, from a scan, or from DataFile::Builder for files that something else wrote.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iceblink/partitioning.h"
#include "iceblink/value.h"

namespace iceblink {

namespace spec {
struct DataFile;
}

// Counts and bounds of columns by field id. Bounds are in the specification's single-value binary
// form.
struct Metrics {
  std::map<int32_t, int64_t> column_sizes;
  std::map<int32_t, int64_t> value_counts;
  std::map<int32_t, int64_t> null_value_counts;
  std::map<int32_t, int64_t> nan_value_counts;
  std::map<int32_t, Bytes> lower_bounds;
  std::map<int32_t, Bytes> upper_bounds;
};

enum class FileContent : uint8_t { kData, kPositionDeletes, kEqualityDeletes };

class DataFile {
 public:
  class Builder;

  FileContent content() const;
  const std::string& path() const;
  std::string format() const;  // "PARQUET", "AVRO", "ORC", "PUFFIN"
  int32_t spec_id() const;
  const std::vector<Value>& partition() const;  // in the order of the spec's fields
  int64_t record_count() const;
  int64_t file_size_in_bytes() const;
  Metrics metrics() const;
  const std::vector<int32_t>& equality_ids() const;
  std::optional<std::string> referenced_data_file() const;

  explicit DataFile(std::shared_ptr<const spec::DataFile> rep) : rep_(std::move(rep)) {}
  const spec::DataFile& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const spec::DataFile> rep_;
};

// Describes a file that exists. One thread.
class DataFile::Builder {
 public:
  explicit Builder(const PartitionSpec& spec);
  Builder& WithPath(std::string path);
  Builder& WithFormat(std::string format);  // of the path's extension unless it is given
  Builder& WithPartition(std::vector<Value> partition);
  // "region=EU/id_bucket=3", as a path of folders has it.
  Builder& WithPartitionPath(const Schema& schema, std::string path);
  Builder& WithRecordCount(int64_t rows);
  Builder& WithFileSizeInBytes(int64_t bytes);
  Builder& WithMetrics(Metrics metrics);
  Builder& WithSplitOffsets(std::vector<int64_t> offsets);
  Builder& OfPositionDeletes(std::optional<std::string> referenced_data_file = {});
  Builder& OfEqualityDeletes(std::vector<int32_t> field_ids);
  // Errors: kInvalidArgument "File path is required", "File size is required", "Record count is
  // required", a partition that does not fit the spec.
  Result<DataFile> Build() const;

 private:
  PartitionSpec spec_;
  std::shared_ptr<spec::DataFile> file_;
  std::optional<Error> error_;
  bool has_count_ = false, has_size_ = false, has_format_ = false;
};

}  // namespace iceblink
