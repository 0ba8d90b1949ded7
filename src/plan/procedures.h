// The Iceberg procedures of `catalog.system` as data - parameters in positional order and output
// columns - and the binding of a CALL's arguments to them with Spark's errors. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/expression.h"
#include "plan/logical_plan.h"

namespace iceblink::plan {

struct ProcedureParameter {
  std::string_view name;
  std::string_view type;  // Spark DDL text: "bigint", "array<bigint>", "map<string,string>"
  bool required = false;
};

struct ProcedureColumn {
  std::string_view name;
  std::string_view type;
  bool nullable = false;
};

struct Procedure {
  std::string_view name;
  std::span<const ProcedureParameter> parameters;
  std::span<const ProcedureColumn> output;
};

std::span<const Procedure> Procedures();

// Case-insensitive; null when there is none.
const Procedure* FindProcedure(std::string_view name);

// Spark type of one of the table's type texts.
DataType ProcedureType(std::string_view type);

std::vector<Column> OutputColumns(const Procedure& procedure);

// One argument of a CALL, already analyzed as an expression without columns; `name` is empty for a
// positional one.
struct ProcedureArgument {
  std::string name;
  ExprPtr value;
  std::string text;  // display form, for messages
};

// Returns one expression per parameter, cast to the parameter's type; null where the argument is
// absent. Errors: UNEXPECTED_POSITIONAL_ARGUMENT, UNRECOGNIZED_PARAMETER_NAME,
// DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.*, WRONG_NUM_ARGS, REQUIRED_PARAMETER_NOT_FOUND,
// DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE.
Result<std::vector<ExprPtr>> BindArguments(const Procedure& procedure,
                                           const std::vector<ProcedureArgument>& arguments);

}  // namespace iceblink::plan
