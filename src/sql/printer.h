// From AST back to text.
//
// Print* yield text that parses to an equal tree. Expressions are fully parenthesized only where
// precedence needs it. ColumnName yields the name Spark gives to an unaliased select item as far as
// syntax alone decides it; the analyzer prints resolved expressions itself.
#pragma once

#include <string>
#include <string_view>

#include "sql/ast.h"

namespace iceblink::sql {

std::string PrintExpression(const Expr& expr);
std::string PrintQuery(const Query& query);
std::string PrintRelation(const Relation& relation);
std::string PrintStatement(const Statement& statement);
std::string PrintTransform(const Transform& transform);

// Returns the string as a literal: 'it\'s'.
std::string PrintString(std::string_view text);

// Returns Spark's column name for an unaliased item: `(1 + 2)`, `CAST(10 AS INT)`, `count(1)`; for
// a column its last part.
std::string ColumnName(const Expr& expr);

}  // namespace iceblink::sql
