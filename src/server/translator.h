// PlanTranslator: Connect's relations and expressions as the syntax trees of SQL, so that one
// analyzer resolves both.
//
// Nothing is resolved here. Filters, sorts and limits join the SELECT below them where SQL means
// the same; other relations become subqueries, each marked with the ids of the DataFrames that it
// is. One translator serves one request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/logical_plan.h"
#include "spark/connect/base.pb.h"
#include "sql/ast.h"

namespace iceblink::server {

namespace connect = spark::connect;

class PlanTranslator {
 public:
  // What the translator asks of the session.
  struct Session {
    // Columns of a query, for the relations whose meaning depends on them (fillna, unionByName
    // ...).
    std::function<Result<std::vector<plan::Column>>(const sql::Query&)> describe;
    std::function<Result<std::vector<ValueList>>(const sql::Query&)>
        rows;  // runs a small query: values of a pivot
    std::function<std::shared_ptr<const std::string>(const std::string& name)> artifact;
  };
  explicit PlanTranslator(Session session) : session_(std::move(session)) {}

  Result<sql::QueryPtr> Query(const connect::Relation& relation);
  // As an item of FROM.
  Result<sql::RelationPtr> Source(const connect::Relation& relation);

  Result<sql::ExprPtr> Expression(const connect::Expression& expression);
  // An item of SELECT: aliases count.
  Result<sql::NamedExpr> Item(const connect::Expression& expression);
  Result<sql::SortItem> SortOrder(const connect::Expression::SortOrder& order);
  Result<sql::ExprPtr> Literal(const connect::Expression::Literal& literal);

  // The statement of a SQL relation with its arguments put in: the text is parsed anew with them.
  Result<sql::Statement> Statement(const connect::SQL& sql);
  // What df.observe asks for: aggregates over a part of the plan, found while it was translated.
  struct Observation {
    std::string name;
    int64_t plan_id;
    sql::Query metrics;
  };
  const std::vector<Observation>& observations() const { return observations_; }

  // Binds the relations that the root of WithRelations refers to.
  Status Bind(const connect::WithRelations& with);
  const std::vector<sql::Cte>& bound_views() const { return views_; }

 private:
  struct Built {
    sql::Query query;
    std::vector<int64_t> plan_ids;
  };
  using Rel = connect::Relation;

  // relations.cc
  Result<Built> Build(const Rel& relation);
  Result<Built> BuildOperation(const Rel& relation);
  Result<sql::RelationPtr> SourceNode(const Rel& relation);
  Result<Built> Projected(const connect::Project& project);
  Result<sql::Select> SelectFrom(const Rel& input);  // SELECT * FROM input
  Result<sql::RelationNode> ReadTable(const connect::Read& read);
  Result<sql::RelationNode> Local(const connect::LocalRelation& local);
  Result<sql::RelationNode> LocalRows(std::string_view data, std::string_view schema);
  Result<sql::RelationNode> Chunked(const connect::ChunkedCachedLocalRelation& local);
  Result<sql::RelationNode> JoinOf(const connect::Join& join);
  Result<sql::RelationNode> LateralJoinOf(const connect::LateralJoin& join);
  Result<sql::RelationNode> TableFunctionOf(const connect::UnresolvedTableValuedFunction& function);
  Result<sql::RelationNode> UnpivotOf(const connect::Unpivot& unpivot);
  Result<Built> SetOp(const connect::SetOperation& operation);
  Result<sql::QueryTermPtr> Term(const Rel& relation, const std::vector<sql::NamedExpr>* items);
  Result<Built> Sorted(const connect::Sort& sort);
  Result<Built> Limited(const Rel& input, int32_t limit);
  Result<Built> Skipped(const Rel& input, int32_t offset);
  Result<Built> DistinctRows(const connect::Deduplicate& node);
  Result<Built> Hinted(const connect::Hint& hint);
  Result<Built> Repartitioned(const Rel& input, std::string_view hint,
                              std::vector<sql::ExprPtr> parameters);
  Result<Built> RepartitionedTo(const connect::Repartition& node);
  Result<Built> RepartitionedBy(const connect::RepartitionByExpression& node);
  Result<Built> Edited(const Rel& input, sql::StarEdit edit);
  Result<Built> WithColumns(const connect::WithColumns& node);
  Result<Built> Renamed(const connect::WithColumnsRenamed& node);
  Result<Built> Dropped(const connect::Drop& node);
  Result<Built> ToSchema(const connect::ToSchema& node);
  Result<Built> ToNames(const connect::ToDF& node);
  Result<Built> WithViews(const connect::WithRelations& with);
  // aggregates.cc
  Result<Built> Aggregated(const connect::Aggregate& aggregate);
  Result<Built> Pivoted(const connect::Aggregate& aggregate);
  Result<sql::GroupBy> Groups(const connect::Aggregate& aggregate,
                              std::vector<sql::NamedExpr>& items);
  // relation_statistics.cc
  Result<Built> FromText(const std::string& text, const Rel& input);  // which it calls __input
  Result<std::vector<plan::Column>> ColumnsOf(const Rel& input);
  Result<std::vector<ValueList>> RowsOf(const std::string& text, const Rel& input);
  Result<Built> Statistic(const Rel& relation);
  Result<Built> Summarized(const Rel& input, std::vector<std::string> statistics,
                           const std::vector<std::string>& names);
  Result<Built> CrossTab(const connect::StatCrosstab& node);
  Result<Built> Correlated(const Rel& input, std::string_view function, std::string_view label,
                           const std::string& a, const std::string& b);
  Result<Built> Quantiles(const connect::StatApproxQuantile& node);
  Result<Built> FrequentItems(const connect::StatFreqItems& node);
  Result<Built> SampledBy(const connect::StatSampleBy& node);
  Result<Built> SampledWithReplacement(const connect::Sample& node);
  Result<Built> Split(const connect::Sample& node);
  Result<Built> Transposed(const connect::Transpose& node);
  Result<Built> Observed(const Rel& relation);
  // relation_parse.cc
  Result<Built> Parsed(const connect::Parse& node);
  // NA functions
  Result<Built> FillNa(const connect::NAFill& node);
  Result<Built> DropNa(const connect::NADrop& node);
  Result<Built> ReplaceValues(const connect::NAReplace& node);

  // expressions.cc
  Result<std::vector<sql::ExprPtr>> Expressions(
      const google::protobuf::RepeatedPtrField<connect::Expression>& list);
  Result<std::vector<sql::NamedExpr>> Items(
      const google::protobuf::RepeatedPtrField<connect::Expression>& list);
  Result<sql::ExprPtr> StarOf(const connect::Expression::UnresolvedStar& star);
  Result<sql::ExprPtr> Attribute(const connect::Expression::UnresolvedAttribute& attribute);
  Result<sql::ExprPtr> Function(const connect::Expression::UnresolvedFunction& function);
  Result<sql::ExprPtr> Operator(const std::string& name, const std::vector<sql::ExprPtr>& args);
  Result<sql::ExprPtr> NestedLiteral(const connect::Expression::Literal& literal);
  Result<sql::ExprPtr> UpdatedFields(const connect::Expression::UpdateFields& update);
  // The input's columns whose names match df.colRegex.
  Result<std::vector<sql::NamedExpr>> Matching(
      const connect::Expression::UnresolvedRegex& expression, const Rel& input);
  Result<sql::ExprPtr> CastOf(const connect::Expression::Cast& cast);
  Result<sql::ExprPtr> WindowOf(const connect::Expression::Window& window);
  Result<sql::FrameBound> Bound(
      const connect::Expression::Window::WindowFrame::FrameBoundary& boundary, bool lower);
  Result<sql::ExprPtr> LambdaOf(const connect::Expression::LambdaFunction& lambda);
  Result<sql::ExprPtr> SubqueryOf(const connect::SubqueryExpression& subquery);
  Result<sql::ExprPtr> Call(sql::Name name,
                            const google::protobuf::RepeatedPtrField<connect::Expression>& args);

  Session session_;
  std::vector<sql::Cte> views_;               // references that have a name
  std::map<int64_t, const Rel*> references_;  // of subquery expressions, by plan id
  std::vector<Observation> observations_;
};

// A value of a result as a literal; nested values become NULL.
void ToMessage(const Value& value, const sql::DataType& type, connect::Expression::Literal* out);

// Nodes without a place in a text.
inline constexpr sql::Position kNoPlace{0, 0, 0, 0};
template <typename T>
sql::ExprPtr MakeNode(T node) {
  return sql::MakeExpr(std::move(node), kNoPlace);
}
sql::ExprPtr IntLiteral(int32_t value);
sql::ExprPtr StringLiteral(std::string text);
sql::ExprPtr ColumnNamed(std::string name);
sql::RelationPtr MakeRelation(sql::RelationNode node, std::vector<int64_t> plan_ids = {});
sql::RelationPtr SubqueryRelation(sql::Query query, std::vector<int64_t> plan_ids);
sql::Query QueryOf(sql::Select select);
sql::NamedExpr AllColumns();

}  // namespace iceblink::server
