#include "iceblink/expression.h"

#include "api/state.h"
#include "expr/expression.h"

namespace iceblink {

Expression Wrap(expr::Expression expression) {
  return Expression(std::make_shared<const expr::Expression>(std::move(expression)));
}

Expression::Expression() : Expression(std::make_shared<const expr::Expression>()) {}
std::string Expression::ToString() const { return rep_->ToString(); }

namespace expressions {

namespace {

Expression Test(expr::Op op, const Term& term, std::vector<Value> literals = {}) {
  expr::Term of;
  of.column = term.column;
  of.transform = spec::Transform::Parse(term.transform);
  return Wrap(expr::Expression::Predicate(op, std::move(of), std::move(literals)));
}

}  // namespace

Expression AlwaysTrue() { return Wrap(expr::Expression::True()); }
Expression AlwaysFalse() { return Wrap(expr::Expression::False()); }
Expression And(const Expression& left, const Expression& right) {
  return Wrap(expr::Expression::And(left.rep(), right.rep()));
}
Expression Or(const Expression& left, const Expression& right) {
  return Wrap(expr::Expression::Or(left.rep(), right.rep()));
}
Expression Not(const Expression& child) { return Wrap(expr::Expression::Not(child.rep())); }

Expression Equal(const Term& term, Value literal) {
  return Test(expr::Op::kEq, term, {std::move(literal)});
}
Expression NotEqual(const Term& term, Value literal) {
  return Test(expr::Op::kNotEq, term, {std::move(literal)});
}
Expression LessThan(const Term& term, Value literal) {
  return Test(expr::Op::kLt, term, {std::move(literal)});
}
Expression LessThanOrEqual(const Term& term, Value literal) {
  return Test(expr::Op::kLtEq, term, {std::move(literal)});
}
Expression GreaterThan(const Term& term, Value literal) {
  return Test(expr::Op::kGt, term, {std::move(literal)});
}
Expression GreaterThanOrEqual(const Term& term, Value literal) {
  return Test(expr::Op::kGtEq, term, {std::move(literal)});
}
Expression In(const Term& term, std::vector<Value> literals) {
  return Test(expr::Op::kIn, term, std::move(literals));
}
Expression NotIn(const Term& term, std::vector<Value> literals) {
  return Test(expr::Op::kNotIn, term, std::move(literals));
}
Expression StartsWith(const Term& term, std::string prefix) {
  return Test(expr::Op::kStartsWith, term, {Value(std::move(prefix))});
}
Expression NotStartsWith(const Term& term, std::string prefix) {
  return Test(expr::Op::kNotStartsWith, term, {Value(std::move(prefix))});
}
Expression IsNull(const Term& term) { return Test(expr::Op::kIsNull, term); }
Expression NotNull(const Term& term) { return Test(expr::Op::kNotNull, term); }
Expression IsNaN(const Term& term) { return Test(expr::Op::kIsNan, term); }
Expression NotNaN(const Term& term) { return Test(expr::Op::kNotNan, term); }

}  // namespace expressions

}  // namespace iceblink
