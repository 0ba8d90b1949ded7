// Typed expressions of the logical plan: names are resolved to column ids, every node knows its
// Spark type and whether it can be NULL, implicit casts are explicit Cast nodes, and ANSI rules are
// already decided (a function's semantics never depend on session settings below this room).
//
// Nodes are immutable and shared; any thread may read them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/value.h"
#include "sql/data_type.h"

namespace iceblink::plan {

using DataType = sql::DataType;

// Identifies a column within one statement; never reused, so that correlated references and self
// joins cannot clash.
using ColumnId = uint32_t;

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

// A reference to a column of a child plan, of an enclosing query (correlated subquery) or to a
// lambda variable.
struct ColumnRef {
  ColumnId id = 0;
  std::string name;  // as written or as the table spells it; for messages and generated names only
};

struct LiteralExpr {
  Value value;
};

// A scalar function or operator. `function` is the canonical name in the function table
// (functions.h), e.g. "+", "and",
// "=", "substring"; it points into static storage.
struct Call {
  std::string_view function;
  std::vector<ExprPtr> args;
};

enum class CastMode : uint8_t {
  kAnsi,             // error on overflow or malformed text
  kLegacy,           // spark.sql.ansi.enabled=false: NULL on malformed text, wrap on overflow
  kTry,              // NULL instead of an error
  kStoreAssignment,  // as kAnsi; overflow names the target column (CAST_OVERFLOW_IN_TABLE_INSERT)
};

struct Cast {  // the target type is the type of the node
  ExprPtr child;
  CastMode mode = CastMode::kAnsi;
  std::string target_column;  // kStoreAssignment only
};

struct Case {
  std::vector<std::pair<ExprPtr, ExprPtr>> branches;  // condition, value
  ExprPtr otherwise;                                  // null: NULL
};

// A lambda argument of a higher-order function; its parameters are columns visible in the body
// only.
struct Lambda {
  std::vector<ColumnId> parameters;
  ExprPtr body;
};

struct SortKey {
  ExprPtr expr;
  bool ascending = true;
  bool nulls_first = true;
};

// An aggregate function; only inside Aggregate plans and WindowCall.
struct AggregateCall {
  std::string_view function;
  std::vector<ExprPtr> args;
  bool distinct = false;
  bool ignore_nulls = false;
  ExprPtr filter;                 // FILTER (WHERE ...), may be null
  std::vector<SortKey> order_by;  // WITHIN GROUP (ORDER BY ...)
};

enum class FrameUnit : uint8_t { kRows, kRange };
enum class FrameBound : uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing
};
struct WindowFrame {
  FrameUnit unit = FrameUnit::kRange;
  FrameBound start = FrameBound::kUnboundedPreceding;
  ExprPtr start_offset;
  FrameBound end = FrameBound::kCurrentRow;
  ExprPtr end_offset;
};

// A window function or aggregate over a window; only inside Window plans.
struct WindowCall {
  std::string_view function;
  std::vector<ExprPtr> args;
  bool is_aggregate = false;
  bool distinct = false;
  bool ignore_nulls = false;
  ExprPtr filter;
  std::vector<ExprPtr> partition_by;
  std::vector<SortKey> order_by;
  std::optional<WindowFrame> frame;  // absent: the function's own (ranking functions)
};

struct ScalarSubquery {
  PlanPtr plan;  // one column; more than one row is SCALAR_SUBQUERY_TOO_MANY_ROWS
};
struct ExistsSubquery {
  PlanPtr plan;
};
struct InSubquery {
  std::vector<ExprPtr> values;  // as many as the plan has columns, types already equal
  PlanPtr plan;
};

struct Expr {
  using Node = std::variant<ColumnRef, LiteralExpr, Call, Cast, Case, Lambda, AggregateCall,
                            WindowCall, ScalarSubquery, ExistsSubquery, InSubquery>;
  Node node;
  DataType type;
  bool nullable = true;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
  // Returns the call's arguments when this is a call of `function`, else null.
  const std::vector<ExprPtr>* ArgsOf(std::string_view function) const {
    const Call* call = As<Call>();
    return call != nullptr && call->function == function ? &call->args : nullptr;
  }
};

}  // namespace iceblink::plan
