// RowChangeBuilder: what DELETE, UPDATE and MERGE share - the scan of the target, assignments to
// columns and nested fields, and the filter that prunes the target.
#pragma once

#include <string>
#include <vector>

#include "plan/query_analyzer.h"
#include "plan/store_assignment.h"

namespace iceblink::plan {

// What becomes of a target's column that the source of UPDATE SET * and INSERT * lacks.
enum class Missing : uint8_t { kError, kKeeps, kDefault };

class RowChangeBuilder {
 public:
  RowChangeBuilder(QueryAnalyzer& analyzer, TableRef target, const std::string& alias);

  // Makes the target scan: all fields, then _file, _pos, _spec_id and, in version 3, the lineage
  // columns.
  Status ScanTarget();

  RowLevelPlan& plan() { return plan_; }
  Scope& target_scope() { return target_scope_; }  // the fields of the table
  QueryAnalyzer& analyzer() { return analyzer_; }

  // The scope in which the names of an assignment's value or a clause's condition are looked up.
  ExprContext ContextOver(const Scope& scope, const Env& env) const;

  // Returns one value per field of the table: the assigned ones, else the row's own.
  // `values` sees `scope`; unresolved names are reported with the columns of `suggestions`,
  // unranked as MERGE does.
  Result<std::vector<ExprPtr>> Updated(const std::vector<sql::Assignment>& assignments,
                                       const Scope& scope, const Env& env,
                                       const Scope* suggestions);
  // The same for INSERT (columns) VALUES: fields that are not named get their defaults.
  Result<std::vector<ExprPtr>> Inserted(const std::vector<sql::Assignment>& assignments,
                                        const Scope& scope, const Env& env);
  // Structs of the source may have fewer fields than the target's.
  void FillFields() { rules_.fill_fields = true; }
  // UPDATE SET * and INSERT *: the source's columns by name; `missing`: those that it lacks.
  Result<std::vector<ExprPtr>> FromSource(const Scope& source, Missing missing);

  // Sets target_filter and filter_is_exact from the condition.
  void Prune();
  // Drops the columns of the target and source that nothing uses, and pushes filters into the
  // source.
  void Finish();

 private:
  struct Target {
    std::vector<std::string> path;  // canonical spelling, top-level column first
    ExprPtr value;
    std::string text;  // of the value
  };
  Result<Target> ResolveTarget(const sql::Assignment& assignment, const Scope& scope,
                               const Env& env, bool suggest_plain, const Scope* suggestions);
  Result<sql::Name> FieldPath(const sql::Name& name, const sql::Position& at, bool plain) const;
  Status CheckConflicts(const std::vector<Target>& targets) const;
  Result<ExprPtr> Nested(const ExprPtr& current, const DataType& type, size_t depth,
                         const std::vector<const Target*>& targets);
  Result<TypedExpr> ValueOf(const sql::Assignment& assignment, const Scope& scope, const Env& env,
                            const Scope* suggestions);

  QueryAnalyzer& analyzer_;
  RowLevelPlan plan_;
  std::string alias_;
  sql::Name qualifier_;
  Scope target_scope_;
  AssignmentRules rules_;
};

}  // namespace iceblink::plan
