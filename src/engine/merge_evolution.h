// Writes that change their target's schema first. MERGE WITH SCHEMA EVOLUTION: columns that the
// source has and the target lacks are added to the target, and types are widened, in a commit
// before the merge itself.
#pragma once

#include "engine/statement_scope.h"
#include "sql/ast.h"

namespace iceblink::engine {

// Does nothing for branches and for tables with write.spark.auto-schema-evolution.enabled = false.
// Only columns that the clauses reach count: all of them where a clause says UPDATE SET * or INSERT
// *, else those that are assigned to.
Status EvolveTarget(StatementScope& scope, const sql::Merge& merge);

// A write with the option mergeSchema to a table with write.spark.accept-any-schema = true: its
// schema becomes the union with the written columns. Returns whether the write is such a one;
// columns go by name then.
Result<bool> MergeWriteSchema(StatementScope& scope, const sql::Insert& insert);

}  // namespace iceblink::engine
