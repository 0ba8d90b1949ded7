// The functions that lowering knows: canonical Spark name -> DuckDB SQL. One row each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exec/lowering.h"

namespace iceblink::exec {

// Makes the text of a call whose arguments are lowered already.
using Emitter = Result<std::string> (*)(Lowering& lowering, const plan::Expr& expr,
                                        const plan::Call& call,
                                        const std::vector<std::string>& args);

struct FunctionSql {
  std::string_view name;
  // $1 ... $9 arguments, $* all of them separated by commas, $z the session time zone as a literal;
  // one argument may be used several times only if it is cheap. Empty when `emit` makes the text.
  std::string_view text;
  Emitter emit = nullptr;
};

// Returns null when exec does not implement the function.
const FunctionSql* FindFunctionSql(std::string_view canonical_name);

// Rows of the parts of the table.
std::span<const FunctionSql> OperatorRows();
std::span<const FunctionSql> TextRows();
std::span<const FunctionSql> DatetimeRows();
std::span<const FunctionSql> CollectionRows();

std::string FillTemplate(std::string_view text, const std::vector<std::string>& args,
                         const std::string& zone);

}  // namespace iceblink::exec
