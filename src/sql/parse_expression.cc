// Expressions: boolean operators, predicates, value operators. Precedence as in SqlBaseParser.g4:
// OR, AND, NOT, predicates, comparison, |, ^, &, shifts, + - ||, * / % DIV, unary.
#include <algorithm>
#include <utility>

#include "sql/statement_parser.h"

namespace iceblink::sql {

Result<StatementParser::Nested> StatementParser::Nest() {
  if (depth_ >= kMaxNesting) return TooComplex();
  return Nested(depth_);
}

int32_t StatementParser::ChildDepth(const Expr& expr) {
  int32_t depth = 0;
  ForEachChild(expr, [&](const Expr& child) { depth = std::max(depth, child.depth); });
  const Query* query = nullptr;
  if (const auto* in = expr.As<InSubquery>()) query = in->query.get();
  if (const auto* exists = expr.As<Exists>()) query = exists->query.get();
  if (const auto* scalar = expr.As<ScalarSubquery>()) query = scalar->query.get();
  return query ? std::max(depth, query->depth) : depth;
}

Result<ExprPtr> StatementParser::Expression() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  ASSIGN_OR_RETURN(ExprPtr expr, Disjunction());
  if (expr->depth > kMaxDepth) return TooComplex();
  return expr;
}

// Builds a balanced tree of one operator, as Spark does, so that thousands of alternatives stay
// shallow.
ExprPtr StatementParser::Balanced(BinaryOperator op, const std::vector<ExprPtr>& parts, size_t low,
                                  size_t high) {
  if (low == high) return parts[low];
  const size_t middle = high - low == 1 ? low : low + (high - low) / 2;
  BinaryOp node{op, Balanced(op, parts, low, middle), Balanced(op, parts, middle + 1, high)};
  Expr expr{ExprNode(std::move(node)), parts[low]->position, 1};
  expr.position.stop = parts[high]->position.stop;
  expr.depth = ChildDepth(expr) + 1;
  deepest_ = std::max(deepest_, expr.depth);
  return std::make_shared<const Expr>(std::move(expr));
}

Result<ExprPtr> StatementParser::Disjunction() {
  std::vector<ExprPtr> parts;
  do {
    ASSIGN_OR_RETURN(ExprPtr part, Conjunction());
    parts.push_back(std::move(part));
  } while (At(Word::kOr) && AtExpressionStart(1) && Accept(Word::kOr));
  return Balanced(BinaryOperator::kOr, parts, 0, parts.size() - 1);
}

Result<ExprPtr> StatementParser::Conjunction() {
  std::vector<ExprPtr> parts;
  do {
    ASSIGN_OR_RETURN(ExprPtr part, Negation());
    parts.push_back(std::move(part));
  } while (At(Word::kAnd) && AtExpressionStart(1) && Accept(Word::kAnd));
  return Balanced(BinaryOperator::kAnd, parts, 0, parts.size() - 1);
}

Result<ExprPtr> StatementParser::Negation() {
  const size_t first = at_;
  if (AtNot() && AtExpressionStart(1)) {
    ASSIGN_OR_RETURN(auto nested, Nest());
    Take();
    ASSIGN_OR_RETURN(ExprPtr child, Negation());
    return Make(UnaryOp{UnaryOperator::kNot, std::move(child)}, first);
  }
  return Predicated();
}

Result<ExprPtr> StatementParser::Predicated() {
  const size_t first = at_;
  if (At(Word::kExists) && At(Tok::kLeftParen, 1) && AtQuery(at_ + 2)) {
    at_ += 2;
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return Make(Exists{std::move(query)}, first);
  }
  ASSIGN_OR_RETURN(ExprPtr value, ValueExpression());
  return PredicateTail(std::move(value), first);
}

// At most one predicate follows a value.
Result<ExprPtr> StatementParser::PredicateTail(ExprPtr child, size_t first) {
  const size_t skip = AtNot() ? 1 : 0;
  const Word word = Peek(skip).word;
  if (skip == 0 && word == Word::kIs) {
    const bool alias = AtAny({Tok::kEnd, Tok::kComma, Tok::kRightParen}, 1) || At(Word::kFrom, 1);
    return alias ? Result<ExprPtr>(std::move(child)) : IsTail(std::move(child), first);
  }
  const bool in = word == Word::kIn && At(Tok::kLeftParen, skip + 1);
  const bool like = word == Word::kLike || word == Word::kIlike || word == Word::kRlike;
  const bool between = word == Word::kBetween;
  if (!in && !((like || between) && AtExpressionStart(skip + 1))) return child;
  at_ += skip;
  if (in) return InTail(std::move(child), first, skip == 1);
  if (like) return LikeTail(std::move(child), first, skip == 1);
  Take();
  ASSIGN_OR_RETURN(ExprPtr low, ValueExpression());
  RETURN_IF_ERROR(Expect(Word::kAnd));
  ASSIGN_OR_RETURN(ExprPtr high, ValueExpression());
  return Make(Between{std::move(child), std::move(low), std::move(high), skip == 1}, first);
}

Result<ExprPtr> StatementParser::InTail(ExprPtr child, size_t first, bool negated) {
  at_ += 2;  // IN (
  if (AtQuery(at_)) {
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return Make(InSubquery{std::move(child), std::move(query), negated}, first);
  }
  ASSIGN_OR_RETURN(std::vector<ExprPtr> list, Expressions());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return Make(InList{std::move(child), std::move(list), negated}, first);
}

Result<ExprPtr> StatementParser::LikeTail(ExprPtr child, size_t first, bool negated) {
  const Word word = Take().word;
  Like like;
  like.kind = word == Word::kRlike   ? LikeKind::kRLike
              : word == Word::kIlike ? LikeKind::kILike
                                     : LikeKind::kLike;
  like.child = std::move(child);
  like.negated = negated;
  if (word != Word::kRlike && AtAny({Word::kAny, Word::kSome, Word::kAll}) &&
      At(Tok::kLeftParen, 1)) {
    like.quantifier = Take().word == Word::kAll ? LikeQuantifier::kAll : LikeQuantifier::kAny;
    Take();
    if (At(Tok::kRightParen)) {
      Take();
      return CheckError("_LEGACY_ERROR_TEMP_0064", "", "Expected something between '(' and ')'.",
                        Span(first));
    }
    ASSIGN_OR_RETURN(like.patterns, Expressions());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return Make(std::move(like), first);
  }
  ASSIGN_OR_RETURN(ExprPtr pattern, ValueExpression());
  like.patterns.push_back(std::move(pattern));
  if (word != Word::kRlike && At(Word::kEscape) && AtString(1)) {
    Take();
    ASSIGN_OR_RETURN(like.escape, StringLiteral());
    const auto continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    if (like.escape.size() - std::count_if(like.escape.begin(), like.escape.end(), continuation) !=
        1) {
      return CheckError("INVALID_ESCAPE_CHAR", "42604",
                        "Invalid escape char: '" + like.escape +
                            "'. Escape character must be a single character.",
                        Span(first));
    }
  }
  return Make(std::move(like), first);
}

Result<ExprPtr> StatementParser::IsTail(ExprPtr child, size_t first) {
  Take();  // IS
  const bool negated = AcceptNot();
  if (Accept(Word::kNull)) return Make(IsNull{std::move(child), negated}, first);
  if (Accept(Word::kTrue)) return Make(IsTruth{std::move(child), Truth::kTrue, negated}, first);
  if (Accept(Word::kFalse)) return Make(IsTruth{std::move(child), Truth::kFalse, negated}, first);
  if (Accept(Word::kUnknown))
    return Make(IsTruth{std::move(child), Truth::kUnknown, negated}, first);
  RETURN_IF_ERROR(ExpectWords({Word::kDistinct, Word::kFrom}));
  ASSIGN_OR_RETURN(ExprPtr right, ValueExpression());
  return Make(IsDistinctFrom{std::move(child), std::move(right), negated}, first);
}

// Returns the operator at the cursor and its precedence; `tokens` is how many tokens spell it.
std::optional<std::pair<BinaryOperator, int>> StatementParser::PeekBinaryOperator(
    size_t& tokens) const {
  tokens = 1;
  if (At(Word::kDiv)) return std::pair{BinaryOperator::kIntDivide, 7};
  switch (Peek().kind) {
    case Tok::kStar:
      return std::pair{BinaryOperator::kMultiply, 7};
    case Tok::kSlash:
      return std::pair{BinaryOperator::kDivide, 7};
    case Tok::kPercent:
      return std::pair{BinaryOperator::kModulo, 7};
    case Tok::kPlus:
      return std::pair{BinaryOperator::kAdd, 6};
    case Tok::kMinus:
      return std::pair{BinaryOperator::kSubtract, 6};
    case Tok::kConcat:
      return std::pair{BinaryOperator::kConcat, 6};
    case Tok::kShiftLeft:
      return std::pair{BinaryOperator::kShiftLeft, 5};
    case Tok::kAmpersand:
      return std::pair{BinaryOperator::kBitAnd, 4};
    case Tok::kHat:
      return std::pair{BinaryOperator::kBitXor, 3};
    case Tok::kPipe:
      return std::pair{BinaryOperator::kBitOr, 2};
    case Tok::kEq:
      return std::pair{BinaryOperator::kEq, 1};
    case Tok::kNotEq:
    case Tok::kBangEq:
      return std::pair{BinaryOperator::kNotEq, 1};
    case Tok::kNullSafeEq:
      return std::pair{BinaryOperator::kNullSafeEq, 1};
    case Tok::kLt:
      return std::pair{BinaryOperator::kLt, 1};
    case Tok::kLtEq:
      return std::pair{BinaryOperator::kLtEq, 1};
    case Tok::kGtEq:
      return std::pair{BinaryOperator::kGtEq, 1};
    case Tok::kGt:
      break;
    default:
      return std::nullopt;
  }
  const auto touching = [&](size_t ahead) {
    return At(Tok::kGt, ahead) && Peek(ahead).start == Peek(ahead - 1).stop;
  };
  if (!touching(1)) return std::pair{BinaryOperator::kGt, 1};
  tokens = touching(2) ? 3 : 2;
  return std::pair{tokens == 3 ? BinaryOperator::kShiftRightUnsigned : BinaryOperator::kShiftRight,
                   5};
}

Result<ExprPtr> StatementParser::ValueExpression(int min_precedence) {
  const size_t first = at_;
  ASSIGN_OR_RETURN(ExprPtr left, Unary());
  size_t tokens = 0;
  for (auto op = PeekBinaryOperator(tokens); op && op->second >= min_precedence;
       op = PeekBinaryOperator(tokens)) {
    if (At(Word::kDiv) && !AtExpressionStart(1)) break;  // an alias named div
    at_ += tokens;
    ASSIGN_OR_RETURN(ExprPtr right, ValueExpression(op->second + 1));
    left = Make(BinaryOp{op->first, std::move(left), std::move(right)}, first);
    if (left->depth > kMaxDepth) return TooComplex();
  }
  return left;
}

Result<ExprPtr> StatementParser::Unary() {
  const size_t first = at_;
  const bool negative_number = At(Tok::kMinus) && AtNumber(1);
  if (negative_number || !AtAny({Tok::kMinus, Tok::kPlus, Tok::kTilde})) return Primary();
  ASSIGN_OR_RETURN(auto nested, Nest());
  const Tok sign = Take().kind;
  // A sign binds tighter than every binary operator but looser than a cast or a subscript.
  ASSIGN_OR_RETURN(ExprPtr child, Unary());
  const UnaryOperator op = sign == Tok::kMinus  ? UnaryOperator::kMinus
                           : sign == Tok::kPlus ? UnaryOperator::kPlus
                                                : UnaryOperator::kBitNot;
  return Make(UnaryOp{op, std::move(child)}, first);
}

Result<std::vector<ExprPtr>> StatementParser::Expressions() {
  std::vector<ExprPtr> list;
  do {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression());
    list.push_back(std::move(expr));
  } while (Accept(Tok::kComma));
  return list;
}

// A word that begins a clause is an alias only where the clause could not follow.
bool StatementParser::AtAlias() const {
  if (At(Tok::kBackquoted)) return true;
  if (At(Word::kFrom) && (At(Word::kFrom, 1) || At(Tok::kComma, 1))) return true;
  return At(Tok::kWord) && !AtClause();
}

Result<NamedExpr> StatementParser::NamedExpression() {
  NamedExpr named;
  ASSIGN_OR_RETURN(named.expr, Expression());
  const bool as = At(Word::kAs) && (AtIdentifier(1) || At(Tok::kLeftParen, 1));
  if (as) Take();
  if (At(Tok::kLeftParen) && as) {
    ASSIGN_OR_RETURN(named.aliases, IdentifierList());
  } else if (as || AtAlias()) {
    ASSIGN_OR_RETURN(named.alias, CapturingIdentifier());
  } else if (At(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(named.aliases, IdentifierList());
  }
  return named;
}

Result<std::vector<NamedExpr>> StatementParser::NamedExpressions() {
  std::vector<NamedExpr> list;
  do {
    ASSIGN_OR_RETURN(NamedExpr named, NamedExpression());
    list.push_back(std::move(named));
  } while (Accept(Tok::kComma));
  return list;
}

// Whether the token can begin an expression; a word before it is then an operator or a clause, not
// a name.
bool StatementParser::AtExpressionStart(size_t ahead) const {
  if (AtIdentifier(ahead)) {
    // `a AND FROM t`: the word after an operator is rarely a clause, except right before something
    // that fits it.
    return true;
  }
  return AtString(ahead) || AtNumber(ahead) ||
         AtAny({Tok::kLeftParen, Tok::kMinus, Tok::kPlus, Tok::kTilde, Tok::kStar, Tok::kBang,
                Tok::kQuestion, Tok::kColon, Tok::kUnrecognized},
               ahead);
}

}  // namespace iceblink::sql
