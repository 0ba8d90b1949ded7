// RowSink: rows that a program pushes become data files of one table, through the same writer as
// INSERT's (exec/data_writer.h).
//
// It has a DuckDB instance of its own, so that any number of sinks and statements run side by side.
// One thread. Dropped before Finish, or after an error, it deletes what it wrote.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "exec/executor.h"

namespace iceblink::exec {

// One column of a batch, borrowed: values in their physical form, and which of them are not NULL.
struct FlatColumn {
  using Values =
      std::variant<std::span<const bool>, std::span<const int32_t>, std::span<const int64_t>,
                   std::span<const float>, std::span<const double>, std::span<const std::string>>;
  Values values;
  std::span<const bool> valid;  // empty: all

  size_t size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
  }
};

class RowSink {
 public:
  // `files` outlives the sink.
  static Result<std::unique_ptr<RowSink>> Open(io::FileSystem& files, const WriteSpec& write);
  ~RowSink();
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;

  // Rows of the write's schema. Errors: kInvalidArgument for a row of another width, a value of
  // another form, NULL in a required column; kIo.
  Status Append(std::span<const ValueList> rows);
  Status Append(std::span<const FlatColumn> columns);
  // Closes the files. Call once.
  Result<std::vector<spec::DataFile>> Finish();

 private:
  struct State;
  explicit RowSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace iceblink::exec
