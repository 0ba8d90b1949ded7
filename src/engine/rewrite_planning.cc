#include "engine/rewrite_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "engine/errors.h"
#include "spec/properties.h"

namespace iceblink::engine {
namespace {

constexpr std::string_view kCommonOptions[] = {"target-file-size-bytes",
                                               "min-file-size-bytes",
                                               "max-file-size-bytes",
                                               "min-input-files",
                                               "rewrite-all",
                                               "max-file-group-size-bytes",
                                               "max-file-group-input-files",
                                               "delete-file-threshold",
                                               "delete-ratio-threshold",
                                               "max-files-to-rewrite",
                                               "max-concurrent-file-group-rewrites",
                                               "partial-progress.enabled",
                                               "partial-progress.max-commits",
                                               "partial-progress.max-failed-commits",
                                               "use-starting-sequence-number",
                                               "rewrite-job-order",
                                               "output-spec-id",
                                               "remove-dangling-deletes"};
constexpr std::string_view kSortOptions[] = {"compression-factor", "shuffle-partitions-per-file"};
constexpr std::string_view kZorderOptions[] = {"max-output-size", "var-length-contribution"};

template <size_t N>
bool Contains(const std::string_view (&list)[N], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

Status CheckKeys(const std::map<std::string, std::string>& options, std::string_view rewriter) {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : options) {
    bool known = Contains(kCommonOptions, key) ||
                 (rewriter != "BIN-PACK" && Contains(kSortOptions, key)) ||
                 (rewriter == "Z-ORDER" && Contains(kZorderOptions, key));
    if (!known) unknown.push_back(key);
  }
  if (unknown.empty()) return {};
  return IllegalArgument("Cannot use options [" + Join(unknown, ", ") +
                         "], they are not supported by the action or the rewriter " +
                         std::string(rewriter));
}

// Reads typed options; the first bad one is remembered.
class OptionReader {
 public:
  explicit OptionReader(const std::map<std::string, std::string>& options) : options_(options) {}

  void Number(const char* key, int64_t minimum, const char* rule, int64_t& value) {
    auto at = options_.find(key);
    if (at == options_.end()) return;
    auto number = ParseInt64(at->second);
    if (!number) return Refuse("For input string: \"" + at->second + "\"", "NumberFormatException");
    if (*number < minimum) {
      return Refuse("'" + std::string(key) + "' is set to " + at->second + " but must be " + rule,
                    "IllegalArgumentException");
    }
    value = *number;
  }
  void Flag(const char* key, bool& value) {
    if (auto at = options_.find(key); at != options_.end())
      value = EqualsIgnoreCase(at->second, "true");
  }
  void Ratio(const char* key, double& value) {
    auto at = options_.find(key);
    if (at == options_.end()) return;
    auto number = ParseDouble(at->second);
    if (!number || !(*number > 0) || *number > 1) {
      return Refuse(
          "'" + std::string(key) + "' is set to " + at->second + " but must be > 0 and <= 1",
          "IllegalArgumentException");
    }
    value = *number;
  }
  void Positive(const char* key) {
    auto at = options_.find(key);
    if (at == options_.end()) return;
    auto number = ParseDouble(at->second);
    if (number && *number > 0) return;
    Refuse("'" + std::string(key) + "' is set to " +
               (number ? fmt::format("{:#}", *number) : at->second) + " but must be > 0",
           "IllegalArgumentException");
  }
  // `rule` is the message up to the key.
  void Bytes(const char* key, const char* rule, int64_t& value) {
    auto at = options_.find(key);
    if (at == options_.end()) return;
    Number(key, INT64_MIN, "", value);
    if (status_ && value < 1) {
      Refuse(std::string(rule) + "'" + key + "' was set to " + at->second,
             "IllegalArgumentException");
    }
  }
  Status status() const { return status_; }

 private:
  void Refuse(std::string message, std::string exception) {
    if (status_)
      status_ = Fail(ErrorCode::kInvalidArgument, std::move(message), std::move(exception));
  }
  const std::map<std::string, std::string>& options_;
  Status status_;
};

Status CheckSizes(const RewriteOptions& options) {
  auto text = [](int64_t n) { return std::to_string(n); };
  if (options.target_size <= options.min_size) {
    return IllegalArgument("'target-file-size-bytes' (" + text(options.target_size) +
                           ") must be > 'min-file-size-bytes' (" + text(options.min_size) +
                           "), all new files will be smaller than the min threshold");
  }
  if (options.target_size >= options.max_size) {
    return IllegalArgument("'target-file-size-bytes' (" + text(options.target_size) +
                           ") must be < 'max-file-size-bytes' (" + text(options.max_size) +
                           "), all new files will be larger than the max threshold");
  }
  return {};
}

bool DeletesJustifyRewrite(const table::FileScanTask& task, const RewriteOptions& options) {
  if (static_cast<int64_t>(task.deletes.size()) >= options.delete_file_threshold) return true;
  int64_t deleted = 0;
  for (const auto& file : task.deletes) {
    if (table::ReferencedDataFile(file->file)) deleted += file->file.record_count;
  }
  if (deleted == 0 || task.file.record_count == 0) return false;
  double ratio = static_cast<double>(std::min(deleted, task.file.record_count)) /
                 static_cast<double>(task.file.record_count);
  return ratio >= options.delete_ratio_threshold;
}

bool FileNeedsRewrite(const table::FileScanTask& task, const RewriteOptions& options) {
  int64_t size = task.file.file_size_in_bytes;
  return size < options.min_size || size > options.max_size || DeletesJustifyRewrite(task, options);
}

bool GroupNeedsRewrite(const FileGroup& group, const RewriteOptions& options) {
  auto count = static_cast<int64_t>(group.tasks.size());
  if (count > 1 && (count >= options.min_input_files || group.bytes > options.target_size))
    return true;
  if (group.bytes > options.max_size) return true;
  return std::any_of(group.tasks.begin(), group.tasks.end(), [&](const table::FileScanTask& task) {
    return DeletesJustifyRewrite(task, options);
  });
}

// Bins in order, each closed when the next file does not fit.
std::vector<FileGroup> Pack(std::vector<table::FileScanTask> tasks, const RewriteOptions& options) {
  std::vector<FileGroup> bins;
  for (table::FileScanTask& task : tasks) {
    int64_t size = task.file.file_size_in_bytes;
    bool full = bins.empty() || bins.back().bytes + size > options.max_group_size ||
                static_cast<int64_t>(bins.back().tasks.size()) >= options.max_group_files;
    if (full) bins.emplace_back();
    bins.back().other_spec = task.file.spec_id != options.output_spec_id;
    bins.back().bytes += size;
    bins.back().tasks.push_back(std::move(task));
  }
  return bins;
}

// Partition tuples in a total order; the files of other specs share the empty one.
struct TupleLess {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
    if (a.size() != b.size()) return a.size() < b.size();
    for (size_t i = 0; i < a.size(); i++) {
      if (a[i].is_null() || b[i].is_null()) {
        if (a[i].is_null() != b[i].is_null()) return a[i].is_null();
        continue;
      }
      if (int order = CompareValues(a[i], b[i]); order != 0) return order < 0;
    }
    return false;
  }
};

void OrderJobs(std::vector<FileGroup>& groups, const std::string& order) {
  auto by = [&](auto key, bool descending) {
    std::stable_sort(groups.begin(), groups.end(), [&](const FileGroup& a, const FileGroup& b) {
      return descending ? key(a) > key(b) : key(a) < key(b);
    });
  };
  auto bytes = [](const FileGroup& g) { return g.bytes; };
  auto files = [](const FileGroup& g) { return static_cast<int64_t>(g.tasks.size()); };
  if (order.starts_with("bytes")) by(bytes, order.ends_with("desc"));
  if (order.starts_with("files")) by(files, order.ends_with("desc"));
}

}  // namespace

Result<RewriteOptions> ParseRewriteOptions(const std::map<std::string, std::string>& given,
                                           const spec::TableMetadata& metadata,
                                           std::string_view rewriter) {
  RETURN_IF_ERROR(CheckKeys(given, rewriter));
  RewriteOptions options;
  ASSIGN_OR_RETURN(options.target_size,
                   spec::IntProperty(metadata.properties, spec::property::kTargetFileSize));
  OptionReader reader(given);
  reader.Number("target-file-size-bytes", 1, "> 0", options.target_size);
  options.min_size = static_cast<int64_t>(static_cast<double>(options.target_size) * 0.75);
  options.max_size = static_cast<int64_t>(static_cast<double>(options.target_size) * 1.8);
  reader.Number("min-file-size-bytes", 0, ">= 0", options.min_size);
  reader.Number("max-file-size-bytes", INT64_MIN, "", options.max_size);
  reader.Number("min-input-files", 1, "> 0", options.min_input_files);
  reader.Flag("rewrite-all", options.rewrite_all);
  reader.Number("max-file-group-size-bytes", 1, "> 0", options.max_group_size);
  reader.Number("max-file-group-input-files", 1, "> 0", options.max_group_files);
  reader.Number("delete-file-threshold", 0, ">= 0", options.delete_file_threshold);
  reader.Ratio("delete-ratio-threshold", options.delete_ratio_threshold);
  reader.Number("max-files-to-rewrite", 1, "> 0", options.max_files_to_rewrite);
  reader.Flag("partial-progress.enabled", options.partial_progress);
  reader.Number("partial-progress.max-commits", options.partial_progress ? 1 : INT64_MIN, "> 0",
                options.max_commits);
  reader.Flag("use-starting-sequence-number", options.use_starting_sequence_number);
  reader.Flag("remove-dangling-deletes", options.remove_dangling_deletes);
  int64_t shuffle_partitions = 1;
  reader.Positive("compression-factor");
  reader.Number("shuffle-partitions-per-file", 1, "> 0", shuffle_partitions);
  reader.Bytes("max-output-size", "Cannot have the interleaved ZOrder value use less than 1 byte, ",
               options.max_output_size);
  reader.Bytes("var-length-contribution",
               "Cannot use less than 1 byte for variable length types with ZOrder, ",
               options.var_length_contribution);
  int64_t spec_id = metadata.default_spec_id;
  reader.Number("output-spec-id", INT64_MIN, "", spec_id);
  RETURN_IF_ERROR(reader.status());
  RETURN_IF_ERROR(CheckSizes(options));
  if (metadata.SpecById(static_cast<int32_t>(spec_id)) == nullptr) {
    return IllegalArgument("Cannot use output spec id " + std::to_string(spec_id) +
                           " because the table does not contain a reference to this spec-id.");
  }
  options.output_spec_id = static_cast<int32_t>(spec_id);
  if (auto at = given.find("rewrite-job-order"); at != given.end())
    options.job_order = AsciiLower(at->second);
  return options;
}

std::vector<FileGroup> PlanGroups(std::vector<table::FileScanTask> tasks,
                                  const RewriteOptions& options) {
  std::map<std::vector<Value>, std::vector<table::FileScanTask>, TupleLess> by_partition;
  for (table::FileScanTask& task : tasks) {
    if (!options.rewrite_all && !FileNeedsRewrite(task, options)) continue;
    bool same_spec = task.file.spec_id == options.output_spec_id;
    by_partition[same_spec ? task.file.partition : std::vector<Value>()].push_back(std::move(task));
  }
  std::vector<FileGroup> groups;
  int64_t files = 0;
  for (auto& [partition, members] : by_partition) {
    for (FileGroup& group : Pack(std::move(members), options)) {
      if (!options.rewrite_all && !GroupNeedsRewrite(group, options)) continue;
      if (files >= options.max_files_to_rewrite) continue;
      files += static_cast<int64_t>(group.tasks.size());
      groups.push_back(std::move(group));
    }
  }
  OrderJobs(groups, options.job_order);
  return groups;
}

}  // namespace iceblink::engine
