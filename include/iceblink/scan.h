// Scans: which files hold the rows that match a filter, and those rows (specification: "Scan
// Planning").
//
//   auto scan = table.NewScan().Filter(Equal("country", "DE")).Select({"id", "total"});
//   auto tasks = scan.PlanFiles();
//   auto rows = scan.ReadRows();
//   while (auto batch = (*rows)->Next()) { if (batch->empty()) break; ... }
//
// A scan is a value, made ready by one thread, that keeps its table alive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "iceblink/data_file.h"
#include "iceblink/expression.h"
#include "iceblink/session.h"
#include "iceblink/table.h"

namespace iceblink {

// A data file to read, with the deletes that apply to its rows and what is left to check on them.
struct FileScanTask {
  DataFile file;
  int64_t data_sequence_number = 0;
  std::vector<DataFile> deletes;
  Expression residual;  // always true when no row needs a check
};

class TableScan {
 public:
  TableScan& Filter(const Expression& filter);  // a further one is added with AND
  TableScan& Select(std::vector<std::string> columns);
  TableScan& CaseSensitive(bool case_sensitive);
  TableScan& UseSnapshot(int64_t snapshot_id);
  TableScan& UseRef(std::string branch_or_tag);
  TableScan& AsOfTime(int64_t timestamp_ms);
  TableScan& IncludeColumnStats();  // keep the metrics of the planned files

  // Files that can hold matching rows, by partitions and metrics. Errors: kInvalidArgument
  // ValidationException for columns that do not exist, IllegalArgumentException "Cannot find
  // snapshot with ID %s", "Cannot find ref %s".
  Result<std::vector<FileScanTask>> PlanFiles() const;
  // The matching rows, without those deleted. The reader has threads and memory of its own.
  Result<std::unique_ptr<RowReader>> ReadRows() const;

  struct State;
  explicit TableScan(std::shared_ptr<TableState> table);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace iceblink
