// Row filters (Java's Expressions): what scans select and what writers promise about conflicts.
//
//   using namespace iceblink::expressions;
//   Expression filter = And(Equal("country", "DE"), GreaterThanOrEqual("id", int64_t{100}));
//
// Columns are resolved and literals converted when the expression meets a table. Immutable: copying
// costs one shared pointer and any thread may read one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "iceblink/partitioning.h"
#include "iceblink/value.h"

namespace iceblink {

namespace expr {
class Expression;
}

class Expression {
 public:
  Expression();  // always true
  // Java's text: `ref(name="id") == 5`, `(a and b)`, `not(a)`, `true`.
  std::string ToString() const;

  explicit Expression(std::shared_ptr<const expr::Expression> rep) : rep_(std::move(rep)) {}
  const expr::Expression& rep() const { return *rep_; }  // for the library itself

 private:
  std::shared_ptr<const expr::Expression> rep_;
};

namespace expressions {

// What a predicate tests: a column by its full name, or a transform of one.
struct Term {
  std::string column;
  TransformText transform = "identity";
  Term(const char* name) : column(name) {}             // NOLINT: converts on purpose
  Term(std::string name) : column(std::move(name)) {}  // NOLINT
  Term(std::string name, TransformText of) : column(std::move(name)), transform(std::move(of)) {}
};

Expression AlwaysTrue();
Expression AlwaysFalse();
Expression And(const Expression& left, const Expression& right);
Expression Or(const Expression& left, const Expression& right);
Expression Not(const Expression& child);

// Literals are in the physical form of the column's type (iceblink/value.h), or of a type that
// converts to it.
Expression Equal(const Term& term, Value literal);
Expression NotEqual(const Term& term, Value literal);
Expression LessThan(const Term& term, Value literal);
Expression LessThanOrEqual(const Term& term, Value literal);
Expression GreaterThan(const Term& term, Value literal);
Expression GreaterThanOrEqual(const Term& term, Value literal);
Expression In(const Term& term, std::vector<Value> literals);
Expression NotIn(const Term& term, std::vector<Value> literals);
Expression StartsWith(const Term& term, std::string prefix);
Expression NotStartsWith(const Term& term, std::string prefix);
Expression IsNull(const Term& term);
Expression NotNull(const Term& term);
Expression IsNaN(const Term& term);
Expression NotNaN(const Term& term);

}  // namespace expressions

}  // namespace iceblink
