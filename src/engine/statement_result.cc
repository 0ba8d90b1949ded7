#include "engine/statement_result.h"

#include <iterator>

namespace iceblink::engine {

StatementResult::StatementResult(std::vector<ResultColumn> columns, std::vector<ValueList> rows)
    : columns_(std::move(columns)), rows_(std::move(rows)) {}

StatementResult::StatementResult(std::unique_ptr<exec::RowCursor> cursor)
    : cursor_(std::move(cursor)) {
  for (const plan::Column& column : cursor_->columns()) {
    columns_.push_back({column.name, column.type, column.nullable});
  }
}

Result<std::vector<ValueList>> StatementResult::Next() {
  if (cursor_ != nullptr) return cursor_->Next();
  return std::exchange(rows_, {});
}

Result<std::vector<ValueList>> StatementResult::All() {
  std::vector<ValueList> all;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> batch, Next());
    if (batch.empty()) return all;
    all.insert(all.end(), std::make_move_iterator(batch.begin()),
               std::make_move_iterator(batch.end()));
  }
}

ResultColumn StringColumn(std::string name) { return {std::move(name), sql::TypeKind::kString}; }
ResultColumn BigIntColumn(std::string name) { return {std::move(name), sql::TypeKind::kBigInt}; }
ResultColumn IntColumn(std::string name) { return {std::move(name), sql::TypeKind::kInt}; }
ResultColumn BooleanColumn(std::string name) { return {std::move(name), sql::TypeKind::kBoolean}; }

}  // namespace iceblink::engine
