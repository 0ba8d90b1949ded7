// MERGE WITH SCHEMA EVOLUTION: columns that the source has and the target lacks are added to the
// target, and types are widened, in a commit before the merge itself.
#pragma once

#include "engine/statement_scope.h"
#include "sql/ast.h"

namespace iceblink::engine {

// Does nothing for branches and for tables with write.spark.auto-schema-evolution.enabled = false.
// Only columns that the clauses reach count: all of them where a clause says UPDATE SET * or INSERT
// *, else those that are assigned to.
Status EvolveTarget(StatementScope& scope, const sql::Merge& merge);

}  // namespace iceblink::engine
