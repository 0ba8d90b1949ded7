// Expressions as written, before any name or type is resolved.
//
// An Expr is a position and one alternative of a closed variant. Trees are immutable and shared
// (ExprPtr), so a rewrite copies only the path it changes, and any thread may read them. Syntax
// that is only another spelling of a function call is lowered by the parser: POSITION(a IN b) is
// locate(a, b), SUBSTRING(s FROM p FOR n) is substring(s, p, n), CURRENT_DATE is current_date(),
// TIMESTAMPADD(DAY, n, t) is timestampadd('DAY', n, t), TRIM(BOTH x FROM s) keeps its own node.
// Equality compares meaning, not positions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/value.h"
#include "sql/data_type.h"
#include "sql/identifier.h"

namespace iceblink::sql {

// Where a node stands in the statement's text.
struct Position {
  int32_t line = 1;    // from 1; 0: not written as text (a DataFrame)
  int32_t column = 0;  // from 0, in code points; `line 1 pos 85`
  int32_t start = 0;   // first byte
  int32_t stop = 0;    // one past the last byte
};

struct Expr;
struct Query;
using ExprPtr = std::shared_ptr<const Expr>;
using QueryPtr = std::shared_ptr<const Query>;

// --- literals ------------------------------------------------------------------------------------

// A constant whose value does not depend on the session. NULL is a null value of type void.
// Intervals, dates, ntz timestamps, numbers, strings, binaries and booleans come here.
struct Literal {
  Value value;
  DataType type;
  bool operator==(const Literal&) const = default;
};

// TIMESTAMP '...' (always), or DATE / TIMESTAMP_NTZ with a special word: the session's zone or
// clock decides the value.
struct DatetimeLiteral {
  DataType type;        // kTimestamp, kTimestampNtz or kDate
  std::string text;     // between the quotes
  std::string special;  // "epoch", "now", "today", "tomorrow", "yesterday"; empty when local_micros
                        // holds the wall clock
  int64_t local_micros = 0;
  std::string zone;  // as written ("+01:00", "Z", "Europe/Paris"); empty: the session's zone
  bool operator==(const DatetimeLiteral&) const = default;
};

// `?` (empty name; `index` counts from 0 in the statement) or `:name`.
struct Parameter {
  std::string name;
  int32_t index = 0;
  bool operator==(const Parameter&) const = default;
};

// --- names ---------------------------------------------------------------------------------------

// a, a.b, a.b.c: a column, possibly qualified, possibly followed by struct fields.
struct NamedColumn {
  Name parts;
  std::optional<int64_t> plan_id;  // of a DataFrame: a column of the relation that has this id
  bool operator==(const NamedColumn&) const = default;
};

struct StarEdit;

// *, t.*, * EXCEPT (a, b.c).
struct Star {
  Name qualifier;
  std::vector<Name> except;
  std::shared_ptr<const StarEdit> edit;  // a DataFrame's changes to its columns; may be null
  bool operator==(const Star&) const = default;
};

// --- operators -----------------------------------------------------------------------------------

enum class UnaryOperator : uint8_t { kNot, kMinus, kPlus, kBitNot };

enum class BinaryOperator : uint8_t {
  kOr,
  kAnd,
  kEq,
  kNotEq,
  kNullSafeEq,
  kLt,
  kLtEq,
  kGt,
  kGtEq,
  kAdd,
  kSubtract,
  kConcat,
  kMultiply,
  kDivide,
  kIntDivide,
  kModulo,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
};

struct UnaryOp {
  UnaryOperator op;
  ExprPtr child;
  bool operator==(const UnaryOp&) const;
};

// Chains of AND and of OR are balanced by the parser: a AND b AND c AND d is (a AND b) AND (c AND
// d).
struct BinaryOp {
  BinaryOperator op;
  ExprPtr left;
  ExprPtr right;
  bool operator==(const BinaryOp&) const;
};

// CAST(x AS t), TRY_CAST(x AS t), x::t.
struct Cast {
  ExprPtr child;
  DataType type;
  bool is_try = false;
  bool operator==(const Cast&) const;
};

struct WhenClause {
  ExprPtr condition;  // compared with the operand when there is one
  ExprPtr result;
  bool operator==(const WhenClause&) const;
};
struct Case {
  ExprPtr operand;  // null for the searched form
  std::vector<WhenClause> whens;
  ExprPtr otherwise;  // null when absent
  bool operator==(const Case&) const;
};

struct InList {
  ExprPtr child;
  std::vector<ExprPtr> list;
  bool negated = false;
  bool operator==(const InList&) const;
};
// The child of a multi-column IN is a StructConstructor.
struct InSubquery {
  ExprPtr child;
  QueryPtr query;
  bool negated = false;
  bool operator==(const InSubquery&) const;
};
struct Between {
  ExprPtr child;
  ExprPtr low;
  ExprPtr high;
  bool negated = false;
  bool operator==(const Between&) const;
};

enum class LikeKind : uint8_t { kLike, kILike, kRLike };
enum class LikeQuantifier : uint8_t { kNone, kAny, kAll };  // SOME is ANY
struct Like {
  LikeKind kind = LikeKind::kLike;
  LikeQuantifier quantifier = LikeQuantifier::kNone;
  ExprPtr child;
  std::vector<ExprPtr> patterns;  // exactly one without a quantifier
  std::string escape = "\\";      // one character
  bool negated = false;
  bool operator==(const Like&) const;
};

struct IsNull {
  ExprPtr child;
  bool negated = false;
  bool operator==(const IsNull&) const;
};
enum class Truth : uint8_t { kTrue, kFalse, kUnknown };
struct IsTruth {  // IS [NOT] TRUE | FALSE | UNKNOWN
  ExprPtr child;
  Truth truth = Truth::kTrue;
  bool negated = false;
  bool operator==(const IsTruth&) const;
};
struct IsDistinctFrom {
  ExprPtr left;
  ExprPtr right;
  bool negated = false;
  bool operator==(const IsDistinctFrom&) const;
};

struct Subscript {  // a[i]
  ExprPtr child;
  ExprPtr index;
  bool operator==(const Subscript&) const;
};
struct FieldAccess {  // expression.field where the expression is not itself a name
  ExprPtr child;
  std::string field;
  bool operator==(const FieldAccess&) const;
};
struct VariantPath {  // v:a.b[0]; path holds the text after the first colon
  ExprPtr child;
  std::string path;
  bool operator==(const VariantPath&) const;
};
struct Collate {
  ExprPtr child;
  Name collation;
  bool operator==(const Collate&) const;
};

// --- calls ---------------------------------------------------------------------------------------

enum class NullOrder : uint8_t {
  kDefault,
  kFirst,
  kLast
};  // default: first for ASC, last for DESC
struct SortItem {
  ExprPtr expr;
  bool descending = false;
  NullOrder nulls = NullOrder::kDefault;
  bool nulls_first() const {
    return nulls == NullOrder::kDefault ? !descending : nulls == NullOrder::kFirst;
  }
  bool operator==(const SortItem&) const;
};

struct FrameBound {
  enum class Kind : uint8_t {
    kUnboundedPreceding,
    kPreceding,
    kCurrentRow,
    kFollowing,
    kUnboundedFollowing
  };
  Kind kind = Kind::kCurrentRow;
  ExprPtr offset;  // for kPreceding and kFollowing
  bool operator==(const FrameBound&) const;
};
struct WindowFrame {
  bool rows = false;  // ROWS; else RANGE
  FrameBound start;
  FrameBound end;  // CURRENT ROW when not written
  bool operator==(const WindowFrame&) const = default;
};
struct WindowSpec {
  std::string reference;  // OVER w; then the rest is empty
  std::vector<ExprPtr> partition_by;
  std::vector<SortItem> order_by;
  std::optional<WindowFrame> frame;
  bool operator==(const WindowSpec&) const;
};

struct Argument {
  std::string name;  // of `name => expr`; empty for a positional argument
  ExprPtr expr;
  bool operator==(const Argument&) const;
};
enum class NullTreatment : uint8_t { kDefault, kIgnoreNulls, kRespectNulls };
struct FunctionCall {
  Name name;
  std::vector<Argument> args;  // count(*) has one Star
  bool distinct = false;
  NullTreatment nulls = NullTreatment::kDefault;
  ExprPtr filter;                      // FILTER (WHERE ...); may be null
  std::vector<SortItem> within_group;  // WITHIN GROUP (ORDER BY ...)
  std::optional<WindowSpec> window;
  bool operator==(const FunctionCall&) const;
};

struct Lambda {
  std::vector<std::string> parameters;
  ExprPtr body;
  bool operator==(const Lambda&) const;
};

// A select item, a struct field, a pivot aggregate: an expression and perhaps the names AS gave to
// it.
struct NamedExpr {
  ExprPtr expr;
  std::string alias;                 // empty when absent
  std::vector<std::string> aliases;  // AS (a, b) of a generator; then alias is empty
  bool operator==(const NamedExpr&) const;
};

// What withColumns, withColumnsRenamed and drop of a DataFrame do to the columns of *. Names that
// no column has are passed over by `rename` and `drop`.
struct StarEdit {
  std::vector<NamedExpr> put;  // take the place of the columns of their names, or follow them all
  std::vector<std::pair<std::string, std::string>> rename;
  std::vector<ExprPtr> drop;
};

// (a, b) or STRUCT(a, b AS c).
struct StructConstructor {
  std::vector<NamedExpr> fields;
  bool operator==(const StructConstructor&) const;
};

struct Extract {  // EXTRACT(field FROM source)
  std::string field;
  ExprPtr source;
  bool operator==(const Extract&) const;
};
enum class TrimSide : uint8_t { kBoth, kLeading, kTrailing };
struct Trim {  // TRIM([side] [characters] FROM source)
  TrimSide side = TrimSide::kBoth;
  ExprPtr characters;  // may be null: spaces
  ExprPtr source;
  bool operator==(const Trim&) const;
};
struct Overlay {  // OVERLAY(input PLACING replacement FROM position [FOR length])
  ExprPtr input;
  ExprPtr replacement;
  ExprPtr position;
  ExprPtr length;  // may be null
  bool operator==(const Overlay&) const;
};

struct Exists {
  QueryPtr query;
  bool operator==(const Exists&) const;
};
struct ScalarSubquery {
  QueryPtr query;
  bool operator==(const ScalarSubquery&) const;
};

// DEFAULT as a value of INSERT, UPDATE and MERGE arrives as NamedColumn{{"DEFAULT"}}, as in Spark.
using ExprNode =
    std::variant<Literal, DatetimeLiteral, Parameter, NamedColumn, Star, UnaryOp, BinaryOp, Cast,
                 Case, InList, InSubquery, Between, Like, IsNull, IsTruth, IsDistinctFrom,
                 Subscript, FieldAccess, VariantPath, Collate, FunctionCall, Lambda,
                 StructConstructor, Extract, Trim, Overlay, Exists, ScalarSubquery>;

struct Expr {
  ExprNode node;
  Position position;
  int32_t depth = 1;  // height of the tree below, bounded by the parser

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
  bool operator==(const Expr& other) const { return node == other.node; }
};

// Returns whether both are null or both point to equal trees.
template <typename T>
bool SameTree(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

// Calls `visit` with every direct child expression, in the order of the text; null children and
// subqueries are left out.
template <typename Visit>
void ForEachChild(const Expr& expr, Visit&& visit);

// Returns "+", "AND", "<=>" ...; for kNot "NOT".
std::string_view OperatorText(BinaryOperator op);
std::string_view OperatorText(UnaryOperator op);

// Makes an expression outside the parser (analyzer, Connect plans). Depth is not tracked.
template <typename T>
ExprPtr MakeExpr(T node, Position position = {}) {
  return std::make_shared<const Expr>(Expr{ExprNode(std::move(node)), position, 1});
}

namespace internal {

template <typename Visit>
void VisitPointer(const ExprPtr& child, Visit& visit) {
  if (child) visit(*child);
}
template <typename Visit>
void VisitWindow(const WindowSpec& window, Visit& visit) {
  for (const ExprPtr& expr : window.partition_by) VisitPointer(expr, visit);
  for (const SortItem& item : window.order_by) VisitPointer(item.expr, visit);
  if (window.frame) {
    VisitPointer(window.frame->start.offset, visit);
    VisitPointer(window.frame->end.offset, visit);
  }
}
template <typename Visit>
void VisitCall(const FunctionCall& call, Visit& visit) {
  for (const Argument& arg : call.args) VisitPointer(arg.expr, visit);
  for (const SortItem& item : call.within_group) VisitPointer(item.expr, visit);
  VisitPointer(call.filter, visit);
  if (call.window) VisitWindow(*call.window, visit);
}

}  // namespace internal

template <typename Visit>
void ForEachChild(const Expr& expr, Visit&& visit) {
  using internal::VisitPointer;
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, UnaryOp> || std::is_same_v<T, Cast> ||
                      std::is_same_v<T, InSubquery> || std::is_same_v<T, IsNull> ||
                      std::is_same_v<T, IsTruth> || std::is_same_v<T, FieldAccess> ||
                      std::is_same_v<T, VariantPath> || std::is_same_v<T, Collate>) {
          VisitPointer(n.child, visit);
        } else if constexpr (std::is_same_v<T, BinaryOp> || std::is_same_v<T, IsDistinctFrom>) {
          VisitPointer(n.left, visit);
          VisitPointer(n.right, visit);
        } else if constexpr (std::is_same_v<T, Case>) {
          VisitPointer(n.operand, visit);
          for (const WhenClause& when : n.whens) {
            VisitPointer(when.condition, visit);
            VisitPointer(when.result, visit);
          }
          VisitPointer(n.otherwise, visit);
        } else if constexpr (std::is_same_v<T, InList>) {
          VisitPointer(n.child, visit);
          for (const ExprPtr& item : n.list) VisitPointer(item, visit);
        } else if constexpr (std::is_same_v<T, Between>) {
          VisitPointer(n.child, visit);
          VisitPointer(n.low, visit);
          VisitPointer(n.high, visit);
        } else if constexpr (std::is_same_v<T, Like>) {
          VisitPointer(n.child, visit);
          for (const ExprPtr& pattern : n.patterns) VisitPointer(pattern, visit);
        } else if constexpr (std::is_same_v<T, Subscript>) {
          VisitPointer(n.child, visit);
          VisitPointer(n.index, visit);
        } else if constexpr (std::is_same_v<T, FunctionCall>) {
          internal::VisitCall(n, visit);
        } else if constexpr (std::is_same_v<T, Lambda>) {
          VisitPointer(n.body, visit);
        } else if constexpr (std::is_same_v<T, StructConstructor>) {
          for (const NamedExpr& field : n.fields) VisitPointer(field.expr, visit);
        } else if constexpr (std::is_same_v<T, Extract>) {
          VisitPointer(n.source, visit);
        } else if constexpr (std::is_same_v<T, Trim>) {
          VisitPointer(n.characters, visit);
          VisitPointer(n.source, visit);
        } else if constexpr (std::is_same_v<T, Overlay>) {
          VisitPointer(n.input, visit);
          VisitPointer(n.replacement, visit);
          VisitPointer(n.position, visit);
          VisitPointer(n.length, visit);
        }
      },
      expr.node);
}

}  // namespace iceblink::sql
