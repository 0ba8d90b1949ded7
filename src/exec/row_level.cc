#include "exec/executor.h"
namespace iceblink::exec {
Result<RowLevelOutcome> Executor::RowLevel(const plan::RowLevelPlan&, bool, const WriteSpec&, const StatementContext&) {
  return Fail(ErrorCode::kUnsupported, "row-level statements are not supported yet");
}
}  // namespace iceblink::exec
