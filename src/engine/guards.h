// Guards: statements that are right by the book and surprising in practice are refused or warned
// of, as the setting iceblink.guards (default, error, warn, off) says. `off` is what Spark does.
#pragma once

#include "engine/statement_scope.h"
#include "spec/manifest.h"

namespace iceblink::engine {

enum class Guard : uint8_t { kOff, kWarn, kError };

// How a guard acts that `default` refuses, and one that `default` warns of.
Guard StrictGuard(const Configuration& configuration);
Guard LenientGuard(const Configuration& configuration);

// spark.wap.branch or spark.wap.id is set, but the table lacks write.wap.enabled: the rows would go
// to main. And: the branch does not exist yet, but one with a similar name does.
Status CheckWapGuards(StatementScope& scope, const plan::TableRef& table);

// A static INSERT OVERWRITE that empties partitions it does not write: `emptied` counts them.
Status CheckEmptiedPartitions(StatementScope& scope, const plan::TableRef& table, int64_t emptied);

}  // namespace iceblink::engine
