// Queries and relations as written. See ast_expression.h for ownership and equality.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sql/ast_expression.h"

namespace iceblink::sql {

struct Relation;
using RelationPtr = std::shared_ptr<const Relation>;

using PropertyMap =
    std::vector<std::pair<std::string, std::string>>;  // in the order written, keys unique

// --- relations -----------------------------------------------------------------------------------

// VERSION AS OF v: exactly one of the two is set. An integer version arrives as its digits.
struct TimeTravel {
  std::optional<std::string> version;
  ExprPtr timestamp;
  bool operator==(const TimeTravel&) const;
};

struct TableName {
  Name name;
  std::optional<TimeTravel> time_travel;
  PropertyMap options;  // WITH (k = v, ...)
  bool operator==(const TableName&) const = default;
};

struct InlineTable {  // VALUES row, row; a row of several columns is a StructConstructor
  std::vector<ExprPtr> rows;
  bool operator==(const InlineTable&) const;
};

struct TableFunction {  // range(10), explode(x), any name
  Name name;
  std::vector<Argument> args;
  bool operator==(const TableFunction&) const = default;
};

// Rows that a program hands over with their types: a DataFrame made of local data.
struct GivenRows {
  DataType schema;  // a struct
  std::shared_ptr<const std::vector<ValueList>> rows;
  bool operator==(const GivenRows&) const = default;
};

struct Subquery {
  QueryPtr query;
  bool operator==(const Subquery&) const;
};

struct Aliased {  // child AS alias (columns)
  RelationPtr child;
  std::string alias;
  std::vector<std::string> columns;
  bool operator==(const Aliased&) const;
};

struct Sampled {
  enum class Kind : uint8_t { kPercent, kRows, kBucket, kBytes };
  RelationPtr child;
  Kind kind = Kind::kPercent;
  double percent = 0;  // kPercent
  ExprPtr rows;        // kRows; for kBytes the text of the size
  int64_t bucket = 0;  // kBucket: x OUT OF y
  int64_t buckets = 0;
  std::optional<int64_t> seed;
  bool operator==(const Sampled&) const;
};

enum class JoinType : uint8_t {
  kInner,
  kCross,
  kLeftOuter,
  kRightOuter,
  kFullOuter,
  kLeftSemi,
  kLeftAnti
};
struct Join {
  RelationPtr left;
  RelationPtr right;
  JoinType type = JoinType::kInner;
  bool natural = false;
  bool comma = false;    // written `left, right`
  bool lateral = false;  // the right side may name columns of the left
  ExprPtr condition;     // ON; may be null
  std::vector<std::string> using_columns;
  bool operator==(const Join&) const;
};

struct LateralView {
  RelationPtr child;
  FunctionCall generator;
  bool outer = false;
  std::string alias;
  std::vector<std::string> columns;
  bool operator==(const LateralView&) const;
};

struct Pivot {
  RelationPtr child;
  std::vector<NamedExpr> aggregates;
  std::vector<std::string> columns;  // FOR column or FOR (a, b)
  std::vector<NamedExpr> values;     // with several columns each is a StructConstructor
  bool operator==(const Pivot&) const;
};

struct Unpivot {
  struct Set {
    std::vector<Name> columns;  // one, or several for the multi-value form
    std::string alias;          // empty when absent
    bool operator==(const Set&) const = default;
  };
  RelationPtr child;
  bool include_nulls = false;
  std::vector<std::string> value_columns;
  std::string name_column;
  std::vector<Set> sets;
  bool multi_value = false;
  bool operator==(const Unpivot&) const;
};

using RelationNode = std::variant<TableName, InlineTable, TableFunction, GivenRows, Subquery,
                                  Aliased, Sampled, Join, LateralView, Pivot, Unpivot>;

struct Relation {
  RelationNode node;
  Position position;
  std::vector<int64_t> plan_ids;  // the DataFrames that the relation is; empty for SQL text

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
  bool operator==(const Relation& other) const { return node == other.node; }
};

// --- queries -------------------------------------------------------------------------------------

struct Hint {  // /*+ NAME(parameters) */
  std::string name;
  std::vector<ExprPtr> parameters;
  bool operator==(const Hint&) const;
};

struct GroupingAnalytics;
// One element of GROUP BY or of GROUPING SETS: an expression, a parenthesized set, or ROLLUP / CUBE
// / GROUPING SETS (...).
struct GroupingElement {
  std::vector<ExprPtr> exprs;  // one for a plain expression; any number for a set
  bool is_set = false;         // written in parentheses inside an analytics
  std::shared_ptr<const GroupingAnalytics> analytics;  // then exprs is empty
  bool operator==(const GroupingElement&) const;
};
struct GroupingAnalytics {
  enum class Kind : uint8_t { kRollup, kCube, kGroupingSets };
  Kind kind = Kind::kRollup;
  std::vector<GroupingElement> elements;
  bool operator==(const GroupingAnalytics&) const = default;
};
// GROUP BY elements [WITH ROLLUP | WITH CUBE | GROUPING SETS (...)]. GROUP BY ALL arrives as the
// one column `ALL`, which the analyzer takes as the keyword unless a column has that name.
struct GroupBy {
  std::vector<GroupingElement> elements;
  std::optional<GroupingAnalytics> trailing;  // kRollup and kCube without elements of their own
  bool operator==(const GroupBy&) const = default;
};

struct NamedWindow {
  std::string name;
  WindowSpec spec;
  bool operator==(const NamedWindow&) const = default;
};

struct Select {
  std::vector<Hint> hints;
  bool distinct = false;
  std::vector<NamedExpr> items;
  RelationPtr from;  // null without FROM; commas are joins, LATERAL VIEWs are wrapped around
  ExprPtr where;
  std::optional<GroupBy> group_by;
  ExprPtr having;
  std::vector<NamedWindow> windows;
  Position position;
  bool operator==(const Select&) const;
};

enum class SetOperator : uint8_t { kUnion, kIntersect, kExcept };
struct QueryTerm;
using QueryTermPtr = std::shared_ptr<const QueryTerm>;
struct SetOperation {
  SetOperator op = SetOperator::kUnion;
  bool all = false;
  QueryTermPtr left;
  QueryTermPtr right;
  bool operator==(const SetOperation&) const;
};

struct QueryTerm {
  // A bare VALUES with alias and TABLE t are relations: SELECT * FROM them. A QueryPtr is a
  // parenthesized query.
  std::variant<Select, SetOperation, RelationPtr, QueryPtr> node;
  Position position;
  int32_t depth = 1;
  bool operator==(const QueryTerm& other) const;
};

struct Cte {
  std::string name;
  std::vector<std::string> columns;
  QueryPtr query;
  std::optional<int64_t> max_level;  // MAX RECURSION LEVEL
  bool operator==(const Cte&) const;
};

struct Query {
  std::vector<Cte> ctes;
  bool recursive = false;
  QueryTermPtr body;
  std::vector<SortItem> order_by;
  std::vector<SortItem> sort_by;
  std::vector<ExprPtr> cluster_by;
  std::vector<ExprPtr> distribute_by;
  std::vector<NamedWindow> windows;
  ExprPtr limit;  // null: none, or LIMIT ALL
  ExprPtr offset;
  Position position;
  int32_t depth = 1;  // height of the highest tree inside, bounded by the parser
  bool operator==(const Query&) const;
};

}  // namespace iceblink::sql
