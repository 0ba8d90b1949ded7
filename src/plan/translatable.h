// Which predicates Spark hands to a table at all, as its DataSource V2 expressions.
#pragma once

#include "plan/expression.h"

namespace iceblink::plan {

// False when a function of the expression has no V2 form: Iceberg then never sees the predicate.
bool HasSourceForm(const ExprPtr& expr);

}  // namespace iceblink::plan
