// Predicates as immutable trees.
//
// An Expression is one shared pointer: copying is cheap and any thread may read it. Unbound
// predicates name a column and carry literals in whatever physical form the caller had; Bind
// resolves the column and converts the literals to its type.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "spec/schema.h"
#include "spec/transform.h"

namespace iceblink::expr {

enum class Op : uint8_t {
  kTrue,
  kFalse,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kNotNull,
  kIsNan,
  kNotNan,
  kLt,
  kLtEq,
  kGt,
  kGtEq,
  kEq,
  kNotEq,
  kStartsWith,
  kNotStartsWith,
  kIn,
  kNotIn,
};

// Returns the operation that NOT turns a predicate's operation into. Requires a predicate's
// operation or true or false.
Op Negate(Op op);

// What a predicate tests: a column, or a transform of one (`bucket(16, id) = 3`).
struct Term {
  std::string column;         // dotted name; the schema's full name once bound
  spec::Transform transform;  // identity: the column itself

  // Set by Bind.
  bool bound = false;
  int32_t field_id = -1;
  spec::Type source_type;  // of the column
  spec::Type type;         // of the term's values
  bool required = false;   // the column and all its parents are required
  friend bool operator==(const Term&, const Term&) = default;
};

class Expression {
 public:
  Expression();  // true

  static Expression True();
  static Expression False();
  // Return the connective, simplified where an operand is true or false.
  static Expression And(Expression left, Expression right);
  static Expression Or(Expression left, Expression right);
  static Expression Not(Expression child);
  // Returns a predicate. Unary operations take no literal, comparisons one, kIn and kNotIn any
  // number (Bind folds none to a constant and one to kEq or kNotEq).
  static Expression Predicate(Op op, Term term, std::vector<Value> literals = {});
  static Expression Predicate(Op op, std::string column, std::vector<Value> literals = {});

  Op op() const { return node_->op; }
  bool is_true() const { return op() == Op::kTrue; }
  bool is_false() const { return op() == Op::kFalse; }
  bool is_predicate() const { return op() >= Op::kIsNull; }

  const Expression& left() const { return node_->children[0]; }   // of kAnd, kOr, kNot
  const Expression& right() const { return node_->children[1]; }  // of kAnd, kOr
  const Term& term() const { return node_->term; }                // of a predicate
  const std::vector<Value>& literals() const { return node_->literals; }
  const Value& literal() const { return node_->literals.front(); }  // of a comparison

  // Returns Java's text: `ref(name="id") == 5`, `(a and b)`, `not(a)`, `bucket[16](ref(name="id"))
  // == 3`, `true`.
  std::string ToString() const;

  friend bool operator==(const Expression& a, const Expression& b);

 private:
  struct Node {
    Op op = Op::kTrue;
    std::vector<Expression> children;
    Term term;
    std::vector<Value> literals;
  };
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

// Returns the conjunction of all, true for none.
Expression AndAll(std::span<const Expression> parts);

// Returns an equal expression without kNot.
Expression RewriteNot(const Expression& expression);

// Resolves columns in the schema and converts literals to their types; literals beyond the type's
// range fold to true or false, IN lists lose duplicates and IS NULL of required columns folds, all
// as in Java. Bound predicates pass unchanged. Errors: ValidationException "Cannot find field '%s'
// in struct: %s", "Invalid value for conversion to type %s: ...".
Result<Expression> Bind(const Expression& expression, const spec::Schema& schema,
                        bool case_sensitive = true);

// Calls `visit` for every predicate.
void ForEachPredicate(const Expression& expression,
                      const std::function<void(const Expression&)>& visit);

// Returns the ids of the columns that the expression names and the schema has.
std::set<int32_t> ReferencedFieldIds(const Expression& expression, const spec::Schema& schema,
                                     bool case_sensitive);

// Returns the expression split at its top-level ANDs.
std::vector<Expression> Conjuncts(const Expression& expression);

// The value of a literal converted to a type as Java's Literal.to: a value, or beyond the type's
// range, or impossible.
struct ConvertedLiteral {
  enum class Kind : uint8_t { kValue, kAboveMax, kBelowMin, kInvalid };
  Kind kind = Kind::kInvalid;
  Value value;
};
ConvertedLiteral ConvertLiteral(const Value& literal, const spec::Type& type);

}  // namespace iceblink::expr
