// SelectBuilder: one SELECT from its clauses to a plan.
//
// Expressions are first analyzed over the columns of FROM, aggregates and window calls left inside
// ("raw"). Then the aggregates are taken out into an Aggregate plan, the window calls into a Window
// plan, generators into Generate plans, and what remains is projected. ORDER BY may use what the
// projection does not show; such keys ride along as extra columns and are dropped after the sort.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "plan/query_analyzer.h"

namespace iceblink::plan {

class SelectBuilder {
 public:
  SelectBuilder(QueryAnalyzer& analyzer, const sql::Select& select, const sql::Query* around,
                const Env& env)
      : analyzer_(analyzer), select_(select), around_(around), env_(env) {}

  Result<PlanPtr> Build();

 private:
  // An expression that a clause needs, rewritten step by step.
  struct Key {
    SortKey sort;
    std::string text;
  };
  struct Generator {
    std::string_view function;
    std::vector<ExprPtr> args;
    bool outer = false;
    std::vector<Column> columns;
  };

  Status Source();
  Status Where();
  Status TimeWindows();  // time_windows.cc
  std::string InvalidParts(const TypedExpr& condition) const;
  // ---- items (select.cc)
  Status Items();
  Status ExpandStar(const sql::Star& star, const sql::Position& at);
  Status EditItems(const sql::StarEdit& edit);  // dataframes.cc
  Status GeneratorItem(const FunctionRow& row, const sql::FunctionCall& call,
                       const sql::NamedExpr& item);
  void AddItem(std::string name, TypedExpr value);
  // ---- grouping (grouping.cc)
  Status GroupBy();
  Status GroupByAll();
  Result<ExprPtr> GroupExpr(const sql::Expr& expr);
  Result<uint32_t> AddGroup(ExprPtr raw, const std::string& text, ErrorPosition at);
  using Sets = std::vector<std::vector<uint32_t>>;
  Result<Sets> ElementSets(const sql::GroupingElement& element);
  Result<Sets> AnalyticsSets(const sql::GroupingAnalytics& analytics);
  bool IsAggregated() const;
  Status Having();
  Status BuildAggregate();
  Result<ExprPtr> WithoutAggregates(const ExprPtr& raw, const std::string& text);
  ExprPtr GroupingCall(const Expr& call);
  // ---- order (select_order.cc)
  Status OrderKeys(const std::vector<sql::SortItem>& items, std::vector<Key>& keys);
  Result<ExprPtr> OrderExpr(const sql::SortItem& item, std::string* text);
  Status BuildWindows();
  Status BuildGenerators();
  Result<PlanPtr> Project();
  Status Hints(PlanPtr& plan);
  Status Distribute(PlanPtr& plan);

  ExprContext Context() const;

  QueryAnalyzer& analyzer_;
  const sql::Select& select_;
  const sql::Query* around_;  // whose ORDER BY belongs to this SELECT; may be null
  const Env& env_;

  PlanPtr plan_;
  Scope scope_;
  std::vector<sql::NamedWindow> windows_;
  std::vector<AliasedExpr> items_;
  std::vector<Generator> generators_;
  std::vector<Key> order_;
  std::vector<Key> sort_;
  ExprPtr having_;
  std::string having_text_;

  std::vector<ExprPtr> group_raw_;
  std::vector<NamedExpr> groups_;
  std::optional<Sets> sets_;
  std::vector<ExprPtr> aggregate_raw_;
  std::vector<NamedExpr> aggregates_;
  std::unordered_set<ColumnId> input_ids_;
};

}  // namespace iceblink::plan
