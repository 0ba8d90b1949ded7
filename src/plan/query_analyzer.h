// QueryAnalyzer: the one object behind Analyzer; its members are spread over expression_*.cc
// (expressions), relations.cc (FROM), select.cc (SELECT, GROUP BY, windows, ORDER BY), queries.cc
// (set operations, CTEs) and dml*.cc (row changes).
//
// Expressions are analyzed bottom up into TypedExpr: the typed tree and the text that Spark
// generates for it. Aggregates and window calls stay inside the trees until select.cc takes them
// out into their plans.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/analyzer.h"
#include "plan/errors.h"
#include "plan/expression_tree.h"
#include "plan/functions.h"
#include "plan/resolver.h"
#include "plan/scope.h"
#include "sql/ast.h"

namespace iceblink::plan {

struct Env;

// One use of a recursive CTE while it is analyzed.
struct Recursion {
  uint32_t loop = 0;
  bool known = false;           // the anchor is analyzed
  std::vector<Column> columns;  // the anchor's, named by the CTE
  bool used = false;            // the step reads the round before
};

// A common table expression in scope, analyzed anew (with fresh ids) at each use.
struct CteFrame {
  const sql::Cte* cte = nullptr;
  std::shared_ptr<const Env> env;        // where it was defined
  std::shared_ptr<const CteFrame> next;  // further out
  bool recursive = false;                // of WITH RECURSIVE
  Recursion* recursion = nullptr;        // inside its own query
};

// The view whose text is being analyzed: completes table names of one part.
struct ViewContext {
  std::string catalog;
  sql::Name name_space;
};

// What surrounds a query: CTEs, the columns of enclosing queries, the view.
struct Env {
  std::shared_ptr<const CteFrame> ctes;
  const Scope* outer = nullptr;
  std::shared_ptr<const ViewContext> view;
};

// A name that stands for an expression: a select item's alias.
struct AliasedExpr {
  std::string name;
  TypedExpr value;
};

struct LambdaScope {
  std::vector<Column> parameters;
  const LambdaScope* outer = nullptr;
};

// Where an expression stands and what it may refer to.
struct ExprContext {
  const Env* env = nullptr;
  const Scope* scope = nullptr;
  const std::vector<AliasedExpr>* aliases =
      nullptr;  // select items; columns win unless aliases_first
  bool aliases_first = false;
  const std::vector<sql::NamedWindow>* windows = nullptr;
  const LambdaScope* lambdas = nullptr;
  bool in_aggregate = false;  // inside the arguments of an aggregate
  bool window_argument =
      false;  // the function itself is called OVER a window: its arguments may aggregate
};

struct Relation {
  PlanPtr plan;
  Scope scope;
};

class QueryAnalyzer {
 public:
  explicit QueryAnalyzer(Resolver& resolver)
      : resolver_(resolver), settings_(resolver.settings()), names_(settings_.case_sensitive) {}

  // ---- queries (queries.cc)
  Result<PlanPtr> Query(const sql::Query& query, const Env& env);
  Result<Env> WithCtes(const std::vector<sql::Cte>& ctes, const Env& env, bool recursive = false);
  // ---- recursion (recursion.cc)
  Result<PlanPtr> RecursiveCte(const CteFrame& frame);
  Result<PlanPtr> ReadRound(Recursion& recursion);
  // Fresh names and casts so that `plan` has exactly `columns`' types; used by set operations and
  // views.
  PlanPtr CastColumns(const PlanPtr& plan, const std::vector<DataType>& types, CastMode mode);
  Result<PlanPtr> SetOperation(const sql::SetOperation& operation, const sql::Position& at,
                               const Env& env);

  // ---- select (select.cc, grouping.cc)
  Result<PlanPtr> Select(const sql::Select& select, const sql::Query* around, const Env& env);

  // ---- relations (relations.cc, joins.cc)
  Result<Relation> From(const sql::RelationPtr& relation, const Env& env);
  Result<Relation> Source(const sql::RelationPtr& relation, const Env& env);
  Result<Relation> Table(const sql::TableName& table, const sql::Position& at, const Env& env);
  Result<Relation> ScanTable(const DataTable& table, const sql::Name& qualifier);
  Result<Relation> ViewRelation(const ResolvedRelation& view, const sql::Name& name,
                                const sql::Position& at, const Env& env);
  Result<Relation> InlineTable(const sql::InlineTable& table, const sql::Position& at,
                               const Env& env);
  Result<Relation> TableFunction(const sql::TableFunction& function, const sql::Position& at,
                                 const Env& env);
  Result<Relation> Join(const sql::Join& join, const sql::Position& at, const Env& env);
  Relation FullOuterKeys(Relation joined, const std::vector<std::pair<Column, Column>>& keys);
  Result<Relation> LateralView(const sql::LateralView& view, const Env& env);
  Result<Relation> Pivot(const sql::Pivot& pivot, const Env& env);
  Result<Relation> Unpivot(const sql::Unpivot& unpivot, const Env& env);
  Result<Relation> AliasedRelation(const sql::Aliased& aliased, const Env& env);
  Result<Relation> Sampled(const sql::Sampled& sampled, const Env& env);
  Result<ResolvedRelation> Resolve(RelationRequest request, const sql::Position& at,
                                   const Env& env);
  // Generator columns: names and types of explode and its kin.
  Result<std::vector<Column>> GeneratedColumns(std::string_view function,
                                               const std::vector<ExprPtr>& args);

  // ---- DataFrames (dataframes.cc)
  Relation GivenRows(const sql::GivenRows& rows);
  // Remembers which columns the DataFrames' ids stand for, and gives a subquery's columns the
  // qualifiers that they had inside: aliases of a DataFrame outlive filters and sorts.
  void NameDataFrame(const sql::Relation& relation, Relation& found);
  // Says that an output column is another column as it is, so that names of DataFrames find it
  // further up.
  void PassesThrough(ColumnId output, ColumnId from) { origins_[output] = from; }
  // The column of `scope` that a DataFrame's column is; nothing when the scope does not show it.
  const ScopeColumn* FindDataFrameColumn(const Scope& scope, const sql::NamedColumn& name) const;
  // A column by the DataFrame it comes from, or by its name alone.
  Result<TypedExpr> DataFrameColumn(const sql::NamedColumn& name, const sql::Position& at,
                                    const ExprContext& context);

  // ---- expressions (expression_*.cc)
  Result<TypedExpr> Expression(const sql::Expr& expr, const ExprContext& context);
  Result<TypedExpr> Boolean(const sql::Expr& expr, const ExprContext& context);
  // A condition of WHERE, ON, HAVING: boolean, FILTER_NOT_BOOLEAN otherwise.
  Result<TypedExpr> Condition(const sql::Expr& expr, const ExprContext& context);
  Result<TypedExpr> ColumnName(const sql::Name& name, const sql::Position& at,
                               const ExprContext& context);
  Result<TypedExpr> Field(TypedExpr base, const std::string& field,
                          std::optional<ErrorPosition> at);
  Result<TypedExpr> LiteralOf(const sql::DatetimeLiteral& literal);
  Result<TypedExpr> Arithmetic(std::string_view op, TypedExpr left, TypedExpr right,
                               ErrorPosition at);
  Result<TypedExpr> Comparison(std::string_view op, TypedExpr left, TypedExpr right,
                               ErrorPosition at);
  Result<TypedExpr> Subscript(TypedExpr base, TypedExpr index, ErrorPosition at);
  Result<TypedExpr> CastTo(TypedExpr child, const DataType& type, CastMode mode, std::string text,
                           ErrorPosition at);
  Result<TypedExpr> FunctionCall(const sql::FunctionCall& call, const sql::Position& at,
                                 const ExprContext& context);
  Result<TypedExpr> ScalarCall(const FunctionRow& row, std::string_view written,
                               std::vector<TypedExpr> args, ErrorPosition at);
  Result<TypedExpr> AggregateFunction(const FunctionRow& row, const sql::FunctionCall& call,
                                      const sql::Position& at, const ExprContext& context);
  Result<TypedExpr> WindowFunction(const FunctionRow& row, const sql::FunctionCall& call,
                                   const sql::Position& at, const ExprContext& context);
  Result<TypedExpr> HigherOrder(const FunctionRow& row, const sql::FunctionCall& call,
                                const sql::Position& at, const ExprContext& context);
  Result<std::vector<SortKey>> SortKeys(const std::vector<sql::SortItem>& items,
                                        const ExprContext& context,
                                        std::vector<std::string>* texts);
  // Brings expressions to their common type; false when they have none.
  bool ToCommonType(std::vector<TypedExpr>& exprs);
  Result<std::vector<TypedExpr>> CoerceArguments(const FunctionRow& row, std::string_view written,
                                                 std::vector<TypedExpr> args, ErrorPosition at);

  // Evaluates a foldable expression: simple ones here, others through the resolver.
  Result<Value> Evaluate(const ExprPtr& expr);

  // ---- row changes (dml.cc, merge.cc)
  Result<InsertPlan> Insert(const sql::Insert& insert);
  Result<RowLevelPlan> Delete(const sql::Delete& statement);
  Result<RowLevelPlan> Update(const sql::Update& statement);
  Result<RowLevelPlan> Merge(const sql::Merge& statement);
  // The data table that a statement writes to.
  Result<TableRef> Target(const sql::Name& name, const sql::Position& at,
                          const sql::PropertyMap& options, const Env& env);

  ColumnId NextId() { return next_id_++; }
  Column NewColumn(std::string name, DataType type, bool nullable) {
    return {NextId(), std::move(name), std::move(type), nullable};
  }
  const SessionSettings& settings() const { return settings_; }
  const NameRules& names() const { return names_; }
  Resolver& resolver() { return resolver_; }
  CastMode cast_mode() const { return settings_.ansi ? CastMode::kAnsi : CastMode::kLegacy; }
  // `name` or what stands for it without ANSI.
  std::string_view Operator(std::string_view name) const {
    return settings_.ansi ? name : WithoutAnsi(name);
  }
  const std::vector<sql::Name>& temporary_views() const { return temporary_views_; }
  // The source of a MERGE, for schema evolution before its analysis.
  Result<std::vector<Column>> MergeSource(const sql::Merge& statement);

 private:
  // expression_operators.cc
  Result<TypedExpr> Binary(const sql::BinaryOp& op, const sql::Position& at,
                           const ExprContext& context);
  Result<TypedExpr> Unary(const sql::UnaryOp& op, const sql::Position& at,
                          const ExprContext& context);
  Result<TypedExpr> CaseWhen(const sql::Case& node, const sql::Position& at,
                             const ExprContext& context);
  Result<TypedExpr> InValues(const sql::InList& node, const sql::Position& at,
                             const ExprContext& context);
  Result<TypedExpr> BetweenBounds(const sql::Between& node, const sql::Position& at,
                                  const ExprContext& context);
  Result<TypedExpr> LikePattern(const sql::Like& node, const sql::Position& at,
                                const ExprContext& context);
  Result<TypedExpr> DateArithmetic(std::string_view op, const TypedExpr& left,
                                   const TypedExpr& right, bool* handled);
  Result<TypedExpr> SubqueryIn(const sql::InSubquery& node, const sql::Position& at,
                               const ExprContext& context);
  Result<TypedExpr> SubqueryScalar(const sql::ScalarSubquery& node, const sql::Position& at,
                                   const ExprContext& context);
  Result<TypedExpr> SubqueryExists(const sql::Exists& node, const ExprContext& context);
  Result<TypedExpr> StructOf(const sql::StructConstructor& node, const ExprContext& context);
  Result<TypedExpr> ExtractField(std::string_view field, std::string text, TypedExpr source,
                                 ErrorPosition at);
  Result<TypedExpr> TrimText(const sql::Trim& node, const sql::Position& at,
                             const ExprContext& context);
  Result<TypedExpr> WrittenCast(const sql::Cast& node, const sql::Position& at,
                                const ExprContext& context);
  Result<TypedExpr> NullTest(const sql::Expr& operand, bool negated, const ExprContext& context);
  Result<TypedExpr> TruthTest(const sql::IsTruth& node, const sql::Position& at,
                              const ExprContext& context);
  Result<TypedExpr> DistinctTest(const sql::IsDistinctFrom& node, const sql::Position& at,
                                 const ExprContext& context);
  Result<TypedExpr> VariantField(const sql::VariantPath& node, const ExprContext& context);
  Result<TypedExpr> OverlayText(const sql::Overlay& node, const sql::Position& at,
                                const ExprContext& context);
  // Of a function of catalog.system: the number and types of what it is given.
  Status CheckSystemCall(const FunctionRow& row, const sql::FunctionCall& call, ErrorPosition at,
                         const ExprContext& context);
  // A name that is not in the function table: int(x), date_part(...), or UNRESOLVED_ROUTINE.
  Result<TypedExpr> OtherFunction(const sql::FunctionCall& call, const sql::Position& at,
                                  const ExprContext& context);
  // Frame, partition and order of a window call, and their text.
  Result<std::string> WindowParts(const FunctionRow& row, const sql::WindowSpec& spec,
                                  const std::vector<TypedExpr>& args, const ExprContext& context,
                                  WindowCall& window);
  Result<WindowFrame> WrittenFrame(const sql::WindowFrame& frame, const ExprContext& context,
                                   std::string* text);
  ExprPtr KnownCall(const FunctionRow& row, const std::vector<TypedExpr>& args) const;
  Result<PlanPtr> SubqueryPlan(const sql::Query& query, const ExprContext& context);

  Resolver& resolver_;
  const SessionSettings& settings_;
  NameRules names_;
  ColumnId next_id_ = 1;
  std::vector<sql::Name> temporary_views_;
  std::map<int64_t, std::vector<Column>> dataframes_;  // columns by the id of the DataFrame's plan
  std::map<ColumnId, ColumnId> origins_;               // a column and the one it passes through
  std::map<ColumnId, sql::Name> qualifiers_;           // of columns of DataFrames
  int view_depth_ = 0;
};

// ---- texts (expression_text.cc)

// How Spark shows a literal in generated names: strings bare, dates DATE '...', NULL.
std::string LiteralText(const Value& value, const DataType& type, const std::string& time_zone);
// Double.toString and Float.toString of Java.
std::string JavaDouble(double value);
std::string JavaFloat(float value);
// "INTERVAL '1-2' YEAR TO MONTH"
std::string IntervalText(const Interval& value, const DataType& type);

// Name of an unaliased select item.
std::string GeneratedName(const sql::Expr& expr, const TypedExpr& typed);

// ---- constants (constant_folding.cc)

// Returns the value of simple constant expressions: literals, casts between literals, + and - of
// dates and intervals. Nothing when it is not simple or would fail.
std::optional<Value> FoldConstant(const ExprPtr& expr, const SessionSettings& settings);

// The whole-string forms that CAST to DATE, TIMESTAMP accept: micros or days. Nothing when
// malformed.
std::optional<int64_t> ParseSparkDate(std::string_view text);
std::optional<int64_t> ParseSparkTimestamp(std::string_view text, const std::string& time_zone,
                                           bool ntz);
// Offset of a zone that needs no rules ("UTC", "Z", "+02:00"); nothing for regions.
std::optional<int64_t> FixedZoneOffsetMicros(std::string_view zone);

}  // namespace iceblink::plan
