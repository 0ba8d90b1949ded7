// Lowering: from a typed plan to one DuckDB SQL text.
//
// Every plan node becomes a SELECT over its children as subqueries, every column is named c<ID>, so
// that names never clash and correlated references need no qualification. A function is one row of
// a table (function_table.cc): its canonical name and a template, or an emitter where the text
// depends on types. Each call is cast to the DuckDB type of its Spark type, so DuckDB's own typing
// rules never show.
//
// What a text cannot hold (rows, scans, time zones) is registered in StatementObjects and named by
// number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exec/duckdb_session.h"
#include "exec/executor.h"
#include "exec/statement_objects.h"
#include "exec/writing_tasks.h"
#include "plan/logical_plan.h"

namespace iceblink::exec {

class Lowering {
 public:
  // Both outlive the Lowering. The session runs queries of its own when a scan has delete files.
  Lowering(const StatementContext& context, DuckDbSession& session)
      : context_(context), session_(session), objects_(session.objects()) {}

  // Restricts nodes to slices of their rows.
  void Restrict(TaskSlices slices) { slices_ = std::move(slices); }

  // Return the SQL text of a plan (its columns are the output's, in order) and of an expression.
  Result<std::string> Query(const plan::PlanPtr& plan);
  Result<std::string> Expression(const plan::ExprPtr& expr);

  // What the texts made so far need.
  const Extensions& extensions() const { return extensions_; }
  static std::string Name(plan::ColumnId id) { return "c" + std::to_string(id); }
  // A scan of a DuckDB relation by its SQL text, in place of a plan: MERGE's source as a temporary
  // table.
  void Replace(const plan::Plan* plan, std::string sql) {
    replaced_.emplace_back(plan, std::move(sql));
  }

  // ---- for emitters ----
  const std::string& time_zone() const { return context_.time_zone; }
  const StatementContext& context() const { return context_; }
  // SQL of CAST(text AS to), text being of type `from`.
  Result<std::string> CastText(const std::string& text, const plan::DataType& from,
                               const plan::DataType& to, plan::CastMode mode,
                               const std::string& target_column = {});
  // The wall clock of an instant in the session zone (TIMESTAMP WITH TIME ZONE to TIMESTAMP), and
  // back.
  std::string ToLocal(const std::string& text) const;
  std::string FromLocal(const std::string& text) const;
  // Marks that the text needs more than DuckDB's built-in core.
  void NeedCoreFunctions() { extensions_.core_functions = true; }
  void NeedParquet() { extensions_.parquet = true; }
  void NeedJson() { extensions_.json = true; }
  StatementObjects& objects() { return objects_; }
  DuckDbSession& session() { return session_; }
  // SQL of a decimal expression in a decimal of 64 bits or fewer that holds whatever it can be, and
  // that type's digits; the scale is the expression's. Nothing where the shape does not promise
  // that.
  struct NarrowText {
    std::string text;
    int32_t width = 0;
  };
  Result<std::optional<NarrowText>> NarrowDecimal(const plan::ExprPtr& expr);
  std::string FreshName() { return "v" + std::to_string(++fresh_); }

 private:
  Result<std::string> Columns(const std::vector<plan::Column>& columns);
  Result<std::string> Select(const plan::Plan& plan, const plan::TableScan& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::MetadataScan& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::ChangelogScan& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Values& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Range& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::FileScan& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Project& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Filter& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Join& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Aggregate& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Window& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Sort& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Limit& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::SetOp& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Distinct& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Generate& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Sample& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::Repartition& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::RecursiveUnion& node);
  Result<std::string> Select(const plan::Plan& plan, const plan::RecursiveRead& node);
  Result<std::string> Call(const plan::Expr& expr, const plan::Call& call);
  Result<std::string> CaseText(const plan::Case& node);
  Result<std::string> LambdaText(const plan::Lambda& node);
  Result<std::string> Aggregate(const plan::Expr& expr, const plan::AggregateCall& call,
                                const std::string& over);
  Result<std::string> WindowText(const plan::Expr& expr, const plan::WindowCall& call);
  Result<std::string> OverText(const plan::WindowCall& call);
  Result<std::string> Keys(const std::vector<plan::SortKey>& keys);
  // SQL of a cast between integers and decimals that no value fails.
  Result<std::optional<std::string>> ExactCast(const plan::Cast& cast, const plan::DataType& to);
  Result<std::string> CastToString(const std::string& text, const plan::DataType& from);
  std::string CastToOther(const std::string& text, const plan::DataType& from,
                          const plan::DataType& to) const;
  Result<std::string> ArrayCast(const std::string& text, const plan::DataType& from,
                                const plan::DataType& to, plan::CastMode mode);
  Result<std::string> StructCast(const std::string& text, const plan::DataType& from,
                                 const plan::DataType& to, plan::CastMode mode);
  Result<std::string> MapCast(const std::string& text, const plan::DataType& from,
                              const plan::DataType& to, plan::CastMode mode);
  Result<std::string> NestedToString(const std::string& text, const plan::DataType& from);

  const StatementContext& context_;
  DuckDbSession& session_;
  StatementObjects& objects_;
  Extensions extensions_;
  const Slice* SliceOf(const plan::Plan& plan) const {
    auto it = slices_.find(&plan);
    return it == slices_.end() ? nullptr : &it->second;
  }
  TaskSlices slices_;
  std::vector<std::pair<const plan::Plan*, std::string>> replaced_;
  int fresh_ = 0;
};

}  // namespace iceblink::exec
