// Which data files rewrite_data_files puts together: Iceberg's bin-pack planning as a pure function
// of scan tasks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/table_metadata.h"
#include "table/scan.h"

namespace iceblink::engine {

struct RewriteOptions {
  int64_t target_size = 0;
  int64_t min_size = 0;
  int64_t max_size = 0;
  int64_t min_input_files = 5;
  bool rewrite_all = false;
  int64_t max_group_size = int64_t{100} << 30;
  int64_t max_group_files = INT64_MAX;
  int64_t delete_file_threshold = INT32_MAX;
  double delete_ratio_threshold = 0.3;
  int64_t max_files_to_rewrite = INT64_MAX;
  bool partial_progress = false;
  int64_t max_commits = 10;
  bool use_starting_sequence_number = true;
  bool remove_dangling_deletes = false;
  int32_t output_spec_id = 0;
  std::string job_order = "none";
  int64_t max_output_size = INT32_MAX;  // of a Z-order key, in bytes
  int64_t var_length_contribution = 8;  // bytes of a text in it
};

// Reads the procedure's options. `rewriter` names it in messages: BIN-PACK, SORT, Z-ORDER.
// Error: IllegalArgumentException "Cannot use options [...], they are not supported by the action
// or the rewriter %s",
// "'%s' is set to %s but must be ...".
Result<RewriteOptions> ParseRewriteOptions(const std::map<std::string, std::string>& options,
                                           const spec::TableMetadata& metadata,
                                           std::string_view rewriter);

struct FileGroup {
  std::vector<table::FileScanTask> tasks;
  int64_t bytes = 0;
  bool other_spec = false;  // files of specs other than the output's
};

// Groups by partition, drops files and groups that need no rewriting, packs the rest into bins.
std::vector<FileGroup> PlanGroups(std::vector<table::FileScanTask> tasks,
                                  const RewriteOptions& options);

}  // namespace iceblink::engine
