// The rows of a statement as the library hands them out. Internal to the library.
#pragma once

#include <memory>
#include <vector>

#include "engine/session.h"
#include "engine/session_state.h"
#include "iceblink/session.h"

namespace iceblink {

class ResultReader final : public RowReader {
 public:
  // `session`, where given, ran the statement and goes with the reader.
  ResultReader(engine::StatementResult result, std::unique_ptr<engine::Session> session);
  const std::vector<ResultColumn>& columns() const override { return columns_; }
  Result<std::vector<ValueList>> Next() override;

 private:
  std::unique_ptr<engine::Session> session_;  // outlives the result
  engine::StatementResult result_;
  std::vector<ResultColumn> columns_;
};

}  // namespace iceblink
