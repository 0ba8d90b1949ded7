// Column.withField and Column.dropFields of a DataFrame.
#pragma once

#include <optional>
#include <string>

#include "plan/analyzer.h"

namespace iceblink::plan {

// The struct with the field of the path (parts joined by dots) set to the value, or dropped where
// there is none. A field that does not exist is added, or left alone. Error: DATATYPE_MISMATCH for
// what is no struct.
Result<TypedExpr> UpdateField(TypedExpr structure, const std::string& path,
                              std::optional<TypedExpr> value);

}  // namespace iceblink::plan
