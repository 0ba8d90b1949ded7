// What a statement answers: columns and rows, the rows either at hand (SHOW, CALL, DDL) or streamed
// from the executor.
//
// Not thread-safe. A streamed result must be read to its end, or dropped, before the session runs
// the next statement.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "exec/executor.h"
#include "sql/data_type.h"

namespace iceblink::engine {

struct ResultColumn {
  std::string name;
  sql::DataType type;
  bool nullable = true;
};

class StatementResult {
 public:
  StatementResult() = default;  // a statement that answers nothing
  StatementResult(std::vector<ResultColumn> columns, std::vector<ValueList> rows);
  explicit StatementResult(std::unique_ptr<exec::RowCursor> cursor);

  const std::vector<ResultColumn>& columns() const { return columns_; }
  bool streamed() const { return cursor_ != nullptr; }

  // Returns the next rows; empty at the end.
  Result<std::vector<ValueList>> Next();
  // The same as columns; exec::RowCursor says how many. Requires streamed().
  Result<exec::ColumnBatch> NextColumns(size_t rows, size_t bytes) {
    return cursor_->NextColumns(rows, bytes);
  }
  // Returns all rows that are left.
  Result<std::vector<ValueList>> All();

  // What a person should read and a program need not: one line each.
  std::vector<std::string> warnings;

 private:
  std::vector<ResultColumn> columns_;
  std::vector<ValueList> rows_;
  std::unique_ptr<exec::RowCursor> cursor_;
};

// Short forms for results that statements make themselves.
ResultColumn StringColumn(std::string name);
ResultColumn BigIntColumn(std::string name);
ResultColumn IntColumn(std::string name);
ResultColumn BooleanColumn(std::string name);

}  // namespace iceblink::engine
