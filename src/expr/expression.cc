#include "expr/expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "spec/single_value.h"

namespace iceblink::expr {
namespace {

using spec::Type;

// Returns the text of Java's Literal.toString: strings quoted, bytes as X'hex', dates and times as
// bare numbers.
std::string LiteralText(const Value& value) {
  if (value.Is<std::string>()) return fmt::format("\"{}\"", value.As<std::string>());
  if (value.Is<Bytes>()) return fmt::format("X'{}'", HexEncode(value.As<Bytes>().data, true));
  return spec::HumanString(Type(), value);
}

std::string TermText(const Term& term) {
  std::string ref = term.bound ? fmt::format("ref(id={}, accessor-type={})", term.field_id,
                                             term.source_type.ToString())
                               : fmt::format("ref(name=\"{}\")", term.column);
  return term.transform.is_identity() ? ref : fmt::format("{}({})", term.transform.ToString(), ref);
}

std::string LiteralTexts(const std::vector<Value>& literals) {
  std::vector<std::string> texts;
  for (const Value& literal : literals) texts.push_back(LiteralText(literal));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Op Negate(Op op) {
  switch (op) {
    case Op::kTrue:
      return Op::kFalse;
    case Op::kFalse:
      return Op::kTrue;
    case Op::kIsNull:
      return Op::kNotNull;
    case Op::kNotNull:
      return Op::kIsNull;
    case Op::kIsNan:
      return Op::kNotNan;
    case Op::kNotNan:
      return Op::kIsNan;
    case Op::kLt:
      return Op::kGtEq;
    case Op::kLtEq:
      return Op::kGt;
    case Op::kGt:
      return Op::kLtEq;
    case Op::kGtEq:
      return Op::kLt;
    case Op::kEq:
      return Op::kNotEq;
    case Op::kNotEq:
      return Op::kEq;
    case Op::kStartsWith:
      return Op::kNotStartsWith;
    case Op::kNotStartsWith:
      return Op::kStartsWith;
    case Op::kIn:
      return Op::kNotIn;
    case Op::kNotIn:
      return Op::kIn;
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return op;  // connectives have no opposite of their own
  }
  return op;
}

Expression::Expression() : Expression(True()) {}

Expression Expression::True() {
  static const auto kNode = std::make_shared<const Node>(Node{Op::kTrue, {}, {}, {}});
  return Expression(kNode);
}

Expression Expression::False() {
  static const auto kNode = std::make_shared<const Node>(Node{Op::kFalse, {}, {}, {}});
  return Expression(kNode);
}

Expression Expression::And(Expression left, Expression right) {
  if (left.is_false() || right.is_false()) return False();
  if (left.is_true()) return right;
  if (right.is_true()) return left;
  return Expression(
      std::make_shared<const Node>(Node{Op::kAnd, {std::move(left), std::move(right)}, {}, {}}));
}

Expression Expression::Or(Expression left, Expression right) {
  if (left.is_true() || right.is_true()) return True();
  if (left.is_false()) return right;
  if (right.is_false()) return left;
  return Expression(
      std::make_shared<const Node>(Node{Op::kOr, {std::move(left), std::move(right)}, {}, {}}));
}

Expression Expression::Not(Expression child) {
  if (child.is_true()) return False();
  if (child.is_false()) return True();
  if (child.op() == Op::kNot) return child.left();
  return Expression(std::make_shared<const Node>(Node{Op::kNot, {std::move(child)}, {}, {}}));
}

Expression Expression::Predicate(Op op, Term term, std::vector<Value> literals) {
  return Expression(
      std::make_shared<const Node>(Node{op, {}, std::move(term), std::move(literals)}));
}

Expression Expression::Predicate(Op op, std::string column, std::vector<Value> literals) {
  Term term;
  term.column = std::move(column);
  return Predicate(op, std::move(term), std::move(literals));
}

std::string Expression::ToString() const {
  auto compare = [this](std::string_view symbol) {
    return fmt::format("{} {} {}", TermText(term()), symbol, LiteralText(literal()));
  };
  switch (op()) {
    case Op::kTrue:
      return "true";
    case Op::kFalse:
      return "false";
    case Op::kAnd:
      return fmt::format("({} and {})", left().ToString(), right().ToString());
    case Op::kOr:
      return fmt::format("({} or {})", left().ToString(), right().ToString());
    case Op::kNot:
      return fmt::format("not({})", left().ToString());
    case Op::kIsNull:
      return fmt::format("is_null({})", TermText(term()));
    case Op::kNotNull:
      return fmt::format("not_null({})", TermText(term()));
    case Op::kIsNan:
      return fmt::format("is_nan({})", TermText(term()));
    case Op::kNotNan:
      return fmt::format("not_nan({})", TermText(term()));
    case Op::kLt:
      return compare("<");
    case Op::kLtEq:
      return compare("<=");
    case Op::kGt:
      return compare(">");
    case Op::kGtEq:
      return compare(">=");
    case Op::kEq:
      return compare("==");
    case Op::kNotEq:
      return compare("!=");
    case Op::kStartsWith:  // Java quotes the literal, which is quoted already
      return fmt::format("{} startsWith \"{}\"", TermText(term()), LiteralText(literal()));
    case Op::kNotStartsWith:
      return fmt::format("{} notStartsWith \"{}\"", TermText(term()), LiteralText(literal()));
    case Op::kIn:
      return fmt::format("{} in ({})", TermText(term()), LiteralTexts(literals()));
    case Op::kNotIn:
      return fmt::format("{} not in ({})", TermText(term()), LiteralTexts(literals()));
  }
  return {};
}

bool operator==(const Expression& a, const Expression& b) {
  if (a.node_ == b.node_) return true;
  return a.node_->op == b.node_->op && a.node_->term == b.node_->term &&
         a.node_->literals == b.node_->literals && a.node_->children == b.node_->children;
}

Expression AndAll(std::span<const Expression> parts) {
  Expression out = Expression::True();
  for (const Expression& part : parts) out = Expression::And(std::move(out), part);
  return out;
}

namespace {

Expression Rewrite(const Expression& e, bool negated) {
  if (e.op() == Op::kNot) return Rewrite(e.left(), !negated);
  if (e.op() == Op::kAnd || e.op() == Op::kOr) {
    bool conjunction = (e.op() == Op::kAnd) != negated;
    Expression left = Rewrite(e.left(), negated);
    Expression right = Rewrite(e.right(), negated);
    return conjunction ? Expression::And(std::move(left), std::move(right))
                       : Expression::Or(std::move(left), std::move(right));
  }
  if (!negated) return e;
  if (e.is_true()) return Expression::False();
  if (e.is_false()) return Expression::True();
  return Expression::Predicate(Negate(e.op()), e.term(), e.literals());
}

}  // namespace

Expression RewriteNot(const Expression& expression) { return Rewrite(expression, false); }

void ForEachPredicate(const Expression& e, const std::function<void(const Expression&)>& visit) {
  if (e.is_predicate()) return visit(e);
  if (e.op() == Op::kAnd || e.op() == Op::kOr) {
    ForEachPredicate(e.left(), visit);
    ForEachPredicate(e.right(), visit);
  } else if (e.op() == Op::kNot) {
    ForEachPredicate(e.left(), visit);
  }
}

std::set<int32_t> ReferencedFieldIds(const Expression& expression, const spec::Schema& schema,
                                     bool case_sensitive) {
  std::set<int32_t> ids;
  ForEachPredicate(expression, [&](const Expression& predicate) {
    const Term& term = predicate.term();
    if (term.bound) {
      ids.insert(term.field_id);
    } else if (const spec::NestedField* field = schema.FindField(term.column, case_sensitive)) {
      ids.insert(field->id);
    }
  });
  return ids;
}

std::vector<Expression> Conjuncts(const Expression& e) {
  if (e.op() != Op::kAnd) return {e};
  std::vector<Expression> out = Conjuncts(e.left());
  std::vector<Expression> right = Conjuncts(e.right());
  out.insert(out.end(), right.begin(), right.end());
  return out;
}

}  // namespace iceblink::expr
