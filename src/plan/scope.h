// Scopes: the columns that names may refer to, and how names find them.
//
// A name of several parts is matched longest qualifier first: catalog.db.t.col, db.t.col, t.col,
// col, each perhaps followed by struct fields. Metadata columns (_file ...) answer only when no
// column of the table has the name, and never to a star.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/errors.h"
#include "plan/logical_plan.h"
#include "sql/ast.h"

namespace iceblink::plan {

struct ScopeColumn {
  Column column;
  sql::Name qualifier;    // as far as it is known: {catalog, namespace..., table} or {alias}
  bool metadata = false;  // _file, _pos ...: not part of *
  bool qualified_only =
      false;  // the other side's column of a USING join: not part of *, needs its qualifier
};

struct Scope {
  std::vector<ScopeColumn> columns;
  const Scope* outer = nullptr;  // of the enclosing query
};

// A column found by a name, and the parts that remain (struct fields).
struct NameMatch {
  const ScopeColumn* column = nullptr;
  size_t used_parts = 0;  // of the name, from the front
};

class NameRules {
 public:
  explicit NameRules(bool case_sensitive) : case_sensitive_(case_sensitive) {}
  bool Same(std::string_view a, std::string_view b) const;

  // Returns the column of this scope (not of outer ones), nothing when there is none.
  // Error: AMBIGUOUS_REFERENCE.
  Result<std::optional<NameMatch>> Find(const Scope& scope, const sql::Name& name,
                                        ErrorPosition at) const;

  // Whether a column's qualifier ends with `qualifier`.
  bool QualifierMatches(const sql::Name& column_qualifier, const sql::Name& qualifier) const;

 private:
  bool case_sensitive_;
};

ErrorPosition ToErrorPosition(const sql::Position& position);

// Columns that * yields.
std::vector<const ScopeColumn*> VisibleColumns(const Scope& scope);

// Scope over a plan's output with one qualifier.
Scope ScopeOf(const std::vector<Column>& columns, const sql::Name& qualifier);

// UNRESOLVED_COLUMN for a name that no column of the scope has, with Spark's five nearest
// suggestions.
Error UnresolvedColumn(const sql::Name& name, const Scope& scope, ErrorPosition at);

// `error` without the ";" of errors that print a plan.
Error WithoutPlan(Error error);

}  // namespace iceblink::plan
