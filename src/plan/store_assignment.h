// Store assignment: how a value becomes the value of a table's column - type checks, casts, structs
// by name or position, and NOT NULL. Errors are Spark's INCOMPATIBLE_DATA_FOR_TABLE.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/logical_plan.h"
#include "plan/resolver.h"

namespace iceblink::plan {

struct AssignmentRules {
  StoreAssignmentPolicy policy = StoreAssignmentPolicy::kAnsi;
  bool by_name = false;  // fields of structs are matched by name
  bool case_sensitive = false;
  bool fill_fields = false;  // fields that a struct lacks become NULL
  std::string table;         // quoted, for messages; "``" in UPDATE and MERGE
};

// Returns `value` as a value of the field: cast, rebuilt and guarded against NULL where the field
// is required. With `fill_fields`, structs take the fields that `value` lacks from `own`, if given.
Result<ExprPtr> AssignTo(const spec::NestedField& field, const ExprPtr& value,
                         const AssignmentRules& rules, const ExprPtr& own = nullptr);

// The value a field gets when a statement names none: its write default or NULL.
// Error: INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA when the field is required and has no
// default.
Result<ExprPtr> DefaultOf(const spec::NestedField& field, const AssignmentRules& rules);

}  // namespace iceblink::plan
