// Analyzer: from the AST of one statement to its typed logical plan.
//
// Names resolve to column ids, types are checked and implicit casts become explicit, aggregates,
// windows, generators and subqueries get their plans, and every error reads as Spark's. One
// Analyzer serves one statement on one thread; the ids it gives are unique within it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/expression.h"
#include "plan/logical_plan.h"
#include "plan/procedures.h"
#include "plan/resolver.h"
#include "sql/ast.h"

namespace iceblink::plan {

// An analyzed expression and the text Spark generates for it (column names, messages).
struct TypedExpr {
  ExprPtr expr;
  std::string text;
};

// What CREATE VIEW stores beside the text.
struct ViewDefinition {
  PlanPtr plan;                                 // of the query, for temporary views
  std::vector<Column> columns;                  // with the names of the view's column list
  std::vector<std::string> query_column_names;  // the query's own
  std::vector<sql::Name> temporary_views;       // temporary views the query refers to
};

class Analyzer {
 public:
  explicit Analyzer(Resolver& resolver);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // Returns an optimized plan (filters pushed, unused columns pruned) whose output columns carry
  // the result's names.
  Result<PlanPtr> AnalyzeQuery(const sql::Query& query);
  // As AnalyzeQuery, for CREATE TABLE AS and REPLACE TABLE AS: also refuses two columns of one
  // name.
  Result<PlanPtr> AnalyzeCreateTableAs(const sql::CreateTable& statement);

  Result<InsertPlan> AnalyzeInsert(const sql::Insert& insert);
  Result<RowLevelPlan> AnalyzeDelete(const sql::Delete& statement);
  Result<RowLevelPlan> AnalyzeUpdate(const sql::Update& statement);
  Result<RowLevelPlan> AnalyzeMerge(const sql::Merge& statement);
  // Returns the columns of a MERGE's source. MERGE WITH SCHEMA EVOLUTION adds those that the target
  // lacks to the target's schema first; the statement is then analyzed against the new schema by
  // another Analyzer.
  Result<std::vector<Column>> AnalyzeMergeSource(const sql::Merge& statement);

  // Analyzes an expression over columns that the caller knows (none: a constant expression).
  // Subqueries are allowed.
  Result<TypedExpr> AnalyzeExpression(const sql::Expr& expr, std::span<const Column> columns = {});
  // As AnalyzeExpression without columns, cast to `type` by store assignment rules, and evaluated.
  Result<Value> AnalyzeConstant(const sql::Expr& expr, const DataType& type);

  // Returns the Iceberg filter that says exactly what a predicate over the schema says.
  // Error: kUnsupported when a part has no Iceberg form (`where` options of procedures).
  Result<expr::Expression> AnalyzePredicate(const sql::Expr& expr, const spec::Schema& schema);

  // Returns a procedure's arguments, one per parameter (null: absent), cast to the parameters'
  // types.
  Result<std::vector<ExprPtr>> AnalyzeArguments(const Procedure& procedure, const sql::Call& call);

  // Checks a view's query and column list: CREATE_VIEW_COLUMN_ARITY_MISMATCH,
  // COLUMN_ALREADY_EXISTS. `view_name` is the dotted name that messages show.
  Result<ViewDefinition> AnalyzeCreateView(const sql::CreateView& statement,
                                           const std::string& view_name);

 private:
  std::unique_ptr<class QueryAnalyzer> queries_;
};

// Returns UNRESOLVED_COLUMN.* for a name, with suggestions ranked by similarity (as queries do, at
// most five) or all in the given order (as ALTER TABLE does).
Error UnresolvedColumnError(const sql::Name& name, const std::vector<sql::Name>& candidates,
                            bool by_similarity, std::optional<sql::Position> at);

}  // namespace iceblink::plan
