// DataWriter: rows or columns become data files (write.format.default) with metrics, ready to be
// committed.
//
//   auto writer = table.NewDataWriter();
//   (*writer)->Write({{int64_t{1}, "a"}, {int64_t{2}, Value()}});
//   auto files = (*writer)->Finish();
//   for (const DataFile& file : *files) append.AppendFile(file);
//
// Rows are routed to the partitions of the table's current spec; a file is closed when it reaches
// write.target-file-size-bytes. One thread per writer; any number of writers at once. The writer
// belongs to the caller: dropped without Finish, or after an error, it deletes what it wrote. The
// files of Finish belong to nobody until they are committed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "iceblink/data_file.h"
#include "iceblink/value.h"

namespace iceblink {

// One column of a batch, borrowed. int32_t serves int and date, int64_t the others that Value keeps
// so.
struct ColumnData {
  std::variant<std::span<const bool>, std::span<const int32_t>, std::span<const int64_t>,
               std::span<const float>, std::span<const double>, std::span<const std::string>>
      values;
  std::span<const bool> valid;  // false: NULL; empty: there is none
};

class DataWriter {
 public:
  virtual ~DataWriter() = default;

  // Rows of the table's columns in order, values in the physical form of iceblink/value.h. Errors:
  // kInvalidArgument for rows of another width, values of another form, NULL in a required column;
  // kIo.
  virtual Status Write(const std::vector<ValueList>& rows) = 0;
  // As many columns as the table has, equally long.
  virtual Status WriteColumns(const std::vector<ColumnData>& columns) = 0;
  // Closes the files. Call once.
  virtual Result<std::vector<DataFile>> Finish() = 0;
};

}  // namespace iceblink
