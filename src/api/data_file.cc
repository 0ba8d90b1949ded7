#include "iceblink/data_file.h"

#include <fmt/format.h>

#include "api/state.h"
#include "spec/manifest.h"
#include "spec/partition_spec.h"

namespace iceblink {

namespace {

template <typename V>
std::map<int32_t, V> ToMap(const spec::FieldMap<V>& of) {
  return {of.begin(), of.end()};
}

template <typename V>
spec::FieldMap<V> ToFieldMap(const std::map<int32_t, V>& of) {
  return spec::FieldMap<V>({of.begin(), of.end()});
}

}  // namespace

DataFile Wrap(spec::DataFile file) {
  return DataFile(std::make_shared<const spec::DataFile>(std::move(file)));
}

FileContent DataFile::content() const { return static_cast<FileContent>(rep_->content); }
const std::string& DataFile::path() const { return rep_->file_path; }
std::string DataFile::format() const { return std::string(spec::FileFormatName(rep_->format)); }
int32_t DataFile::spec_id() const { return rep_->spec_id; }
const std::vector<Value>& DataFile::partition() const { return rep_->partition; }
int64_t DataFile::record_count() const { return rep_->record_count; }
int64_t DataFile::file_size_in_bytes() const { return rep_->file_size_in_bytes; }
const std::vector<int32_t>& DataFile::equality_ids() const { return rep_->equality_ids; }
std::optional<std::string> DataFile::referenced_data_file() const {
  return rep_->referenced_data_file;
}

Metrics DataFile::metrics() const {
  return {ToMap(rep_->column_sizes),     ToMap(rep_->value_counts), ToMap(rep_->null_value_counts),
          ToMap(rep_->nan_value_counts), ToMap(rep_->lower_bounds), ToMap(rep_->upper_bounds)};
}

DataFile::Builder::Builder(const PartitionSpec& spec)
    : spec_(spec), file_(std::make_shared<spec::DataFile>()) {
  file_->spec_id = spec.spec_id();
}

DataFile::Builder& DataFile::Builder::WithPath(std::string path) {
  if (!has_format_) {
    if (auto format = spec::ParseFileFormat(path.substr(path.rfind('.') + 1)))
      file_->format = *format;
  }
  file_->file_path = std::move(path);
  return *this;
}

DataFile::Builder& DataFile::Builder::WithFormat(std::string format) {
  auto parsed = spec::ParseFileFormat(format);
  if (parsed) {
    file_->format = *parsed;
    has_format_ = true;
  } else {
    error_ = parsed.error();
  }
  return *this;
}

DataFile::Builder& DataFile::Builder::WithPartition(std::vector<Value> partition) {
  file_->partition = std::move(partition);
  return *this;
}

DataFile::Builder& DataFile::Builder::WithPartitionPath(const Schema& schema, std::string path) {
  auto parsed = spec::ParsePartitionPath(spec_.rep(), schema.rep(), path);
  if (parsed) {
    file_->partition = *std::move(parsed);
  } else {
    error_ = parsed.error();
  }
  return *this;
}

DataFile::Builder& DataFile::Builder::WithRecordCount(int64_t rows) {
  file_->record_count = rows;
  has_count_ = true;
  return *this;
}

DataFile::Builder& DataFile::Builder::WithFileSizeInBytes(int64_t bytes) {
  file_->file_size_in_bytes = bytes;
  has_size_ = true;
  return *this;
}

DataFile::Builder& DataFile::Builder::WithMetrics(Metrics metrics) {
  file_->column_sizes = ToFieldMap(metrics.column_sizes);
  file_->value_counts = ToFieldMap(metrics.value_counts);
  file_->null_value_counts = ToFieldMap(metrics.null_value_counts);
  file_->nan_value_counts = ToFieldMap(metrics.nan_value_counts);
  file_->lower_bounds = ToFieldMap(metrics.lower_bounds);
  file_->upper_bounds = ToFieldMap(metrics.upper_bounds);
  return *this;
}

DataFile::Builder& DataFile::Builder::WithSplitOffsets(std::vector<int64_t> offsets) {
  file_->split_offsets = std::move(offsets);
  return *this;
}

DataFile::Builder& DataFile::Builder::OfPositionDeletes(
    std::optional<std::string> referenced_data_file) {
  file_->content = spec::DataFileContent::kPositionDeletes;
  file_->referenced_data_file = std::move(referenced_data_file);
  return *this;
}

DataFile::Builder& DataFile::Builder::OfEqualityDeletes(std::vector<int32_t> field_ids) {
  file_->content = spec::DataFileContent::kEqualityDeletes;
  file_->equality_ids = std::move(field_ids);
  return *this;
}

Result<DataFile> DataFile::Builder::Build() const {
  if (error_) return Fail(*error_);
  if (file_->file_path.empty()) return IllegalArgument("File path is required");
  if (!has_size_) return IllegalArgument("File size is required");
  if (!has_count_) return IllegalArgument("Record count is required");
  if (file_->partition.size() != spec_.rep().fields.size()) {
    return IllegalArgument(
        fmt::format("Invalid partition data, too {} fields (expecting {}): {}",
                    file_->partition.size() < spec_.rep().fields.size() ? "few" : "many",
                    spec_.rep().fields.size(), file_->partition.size()));
  }
  return Wrap(*file_);
}

}  // namespace iceblink
