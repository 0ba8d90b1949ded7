// Queries: WITH, set operations, SELECT and its clauses.
#include <algorithm>
#include <utility>

#include "sql/statement_parser.h"

namespace iceblink::sql {

// Words that begin a clause could all be aliases too; what follows them decides.
bool StatementParser::AtClause() const {
  switch (Peek().word) {
    case Word::kFrom:
      return AtIdentifier(1) || At(Tok::kLeftParen, 1);
    case Word::kWhere:
    case Word::kHaving:
    case Word::kLimit:
    case Word::kOffset:
    case Word::kSelect:
      return AtExpressionStart(1) || At(Tok::kHintStart, 1);
    case Word::kGroup:
    case Word::kOrder:
    case Word::kSort:
    case Word::kCluster:
    case Word::kDistribute:
      return At(Word::kBy, 1);
    case Word::kLateral:
      return At(Word::kView, 1);
    case Word::kWindow:
      return AtIdentifier(1) && At(Word::kAs, 2);
    case Word::kUnion:
    case Word::kExcept:
    case Word::kMinus:
    case Word::kIntersect:
      return AtSetOperator();
    case Word::kInsert:
      return AtAny({Word::kInto, Word::kOverwrite}, 1);
    case Word::kPivot:
    case Word::kUnpivot:
      return At(Tok::kLeftParen, 1) || AtAny({Word::kInclude, Word::kExclude}, 1);
    case Word::kFor:
    case Word::kSet:
      return AtIdentifier(1) || At(Tok::kLeftParen, 1);
    default:
      return false;
  }
}

bool StatementParser::AtSetOperator() const {
  return AtAny({Word::kUnion, Word::kExcept, Word::kMinus, Word::kIntersect}) &&
         (At(Tok::kLeftParen, 1) || AtAny({Word::kSelect, Word::kAll, Word::kDistinct,
                                           Word::kValues, Word::kTable, Word::kFrom},
                                          1));
}

QueryTermPtr StatementParser::MakeTerm(
    std::variant<Select, SetOperation, RelationPtr, QueryPtr> node, size_t first, int32_t depth) {
  deepest_ = std::max(deepest_, depth);
  return std::make_shared<const QueryTerm>(QueryTerm{std::move(node), Span(first), depth});
}

Result<QueryPtr> StatementParser::QueryExpression() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  const size_t first = at_;
  const int32_t outer_deepest = std::exchange(deepest_, 0);
  Query query;
  if (At(Word::kWith)) {
    ASSIGN_OR_RETURN(query.ctes, Ctes(query.recursive));
  }
  ASSIGN_OR_RETURN(query.body, Term(0));
  RETURN_IF_ERROR(Organization(query));
  RETURN_IF_ERROR(CheckDuplicateCtes(query.ctes, first));
  query.position = Span(first);
  query.depth = deepest_ + 1;
  deepest_ = std::max(outer_deepest, query.depth);
  if (deepest_ > 8 * kMaxDepth) return TooComplex();
  return std::make_shared<const Query>(std::move(query));
}

Result<std::vector<Cte>> StatementParser::Ctes(bool& recursive) {
  Take();  // WITH
  recursive =
      At(Word::kRecursive) && AtIdentifier(1) && !At(Word::kAs, 1) && Accept(Word::kRecursive);
  std::vector<Cte> ctes;
  do {
    ASSIGN_OR_RETURN(Cte cte, NamedQuery());
    ctes.push_back(std::move(cte));
  } while (Accept(Tok::kComma));
  return ctes;
}

Result<Cte> StatementParser::NamedQuery() {
  Cte cte;
  ASSIGN_OR_RETURN(cte.name, CapturingIdentifier());
  if (At(Tok::kLeftParen) && !AtQuery(at_ + 1)) {
    ASSIGN_OR_RETURN(cte.columns, IdentifierList());
  }
  if (AcceptWords({Word::kMax, Word::kRecursion, Word::kLevel})) {
    ASSIGN_OR_RETURN(cte.max_level, IntegerValue());
  }
  Accept(Word::kAs);
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(cte.query, QueryExpression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return cte;
}

Status StatementParser::CheckDuplicateCtes(const std::vector<Cte>& ctes, size_t first) const {
  for (size_t i = 0; i < ctes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (ctes[i].name != ctes[j].name) continue;
      return CheckError(
          "DUPLICATED_CTE_NAMES", "42602",
          "CTE definition can't have duplicate names: " + QuoteIdentifier(ctes[i].name) + ".",
          Span(first));
    }
  }
  return {};
}

// ORDER BY, CLUSTER BY, DISTRIBUTE BY, SORT BY, WINDOW, LIMIT, OFFSET, in this order.
Status StatementParser::Organization(Query& query) {
  const size_t first = at_;
  if (AcceptWords({Word::kOrder, Word::kBy})) {
    ASSIGN_OR_RETURN(query.order_by, SortItems());
  }
  if (AcceptWords({Word::kCluster, Word::kBy})) {
    ASSIGN_OR_RETURN(query.cluster_by, Expressions());
  }
  if (AcceptWords({Word::kDistribute, Word::kBy})) {
    ASSIGN_OR_RETURN(query.distribute_by, Expressions());
  }
  if (AcceptWords({Word::kSort, Word::kBy})) {
    ASSIGN_OR_RETURN(query.sort_by, SortItems());
  }
  const int clauses = !query.order_by.empty() + !query.cluster_by.empty() +
                      (!query.distribute_by.empty() || !query.sort_by.empty());
  if (clauses > 1) {
    return CheckError(
        "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", "0A000",
        "The feature is not supported: Combination of ORDER BY/SORT BY/DISTRIBUTE BY/CLUSTER BY.",
        Span(first));
  }
  if (At(Word::kWindow) && AtClause()) {
    Take();
    ASSIGN_OR_RETURN(query.windows, NamedWindows());
  }
  if (Accept(Word::kLimit) && !(At(Word::kAll) && Accept(Word::kAll))) {
    ASSIGN_OR_RETURN(query.limit, Expression());
  }
  if (Accept(Word::kOffset)) {
    ASSIGN_OR_RETURN(query.offset, Expression());
  }
  return {};
}

// INTERSECT (2) binds tighter than UNION, EXCEPT and MINUS (1); |> (0) is the loosest.
Result<QueryTermPtr> StatementParser::Term(int min_precedence) {
  const size_t first = at_;
  ASSIGN_OR_RETURN(QueryTermPtr left, TermPrimary());
  while (true) {
    if (left->depth > kMaxDepth) return TooComplex();
    if (min_precedence == 0 && Accept(Tok::kPipeOperator)) {
      ASSIGN_OR_RETURN(left, PipeStep(std::move(left), first));
      continue;
    }
    const int precedence = At(Word::kIntersect) ? 2 : 1;
    if (!AtAny({Word::kUnion, Word::kExcept, Word::kMinus, Word::kIntersect}) ||
        precedence < min_precedence)
      return left;
    const Word word = Take().word;
    SetOperation node;
    node.op = word == Word::kUnion       ? SetOperator::kUnion
              : word == Word::kIntersect ? SetOperator::kIntersect
                                         : SetOperator::kExcept;
    node.all = At(Word::kAll);
    if (AtAny({Word::kAll, Word::kDistinct})) Take();
    ASSIGN_OR_RETURN(node.right, Term(precedence + 1));
    const int32_t depth = std::max(left->depth, node.right->depth) + 1;
    node.left = std::move(left);
    left = MakeTerm(std::move(node), first, depth);
  }
}

Result<QueryTermPtr> StatementParser::TermPrimary() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  const size_t first = at_;
  if (At(Word::kSelect)) return SelectTerm(nullptr);
  if (At(Word::kFrom)) return FromTerm();
  if (At(Word::kValues)) {
    ASSIGN_OR_RETURN(RelationPtr values, InlineTableRelation());
    return MakeTerm(std::move(values), first);
  }
  if (Accept(Word::kTable)) {
    ASSIGN_OR_RETURN(Name name, IdentifierReference());
    RelationPtr table = MakeRelation(TableName{std::move(name)}, first + 1);
    return MakeTerm(std::move(table), first);
  }
  if (Accept(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    const int32_t depth = query->depth;
    return MakeTerm(std::move(query), first, std::min(depth, kMaxDepth));
  }
  return SyntaxError();
}

// FROM relation [SELECT ...].
Result<QueryTermPtr> StatementParser::FromTerm() {
  const size_t first = at_;
  ASSIGN_OR_RETURN(RelationPtr from, FromClause());
  if (At(Word::kSelect)) return SelectTerm(std::move(from));
  return SelectAll(std::move(from), first);
}

// `from` is given when it stood before SELECT.
Result<QueryTermPtr> StatementParser::SelectTerm(RelationPtr from) {
  const size_t first = at_;
  Take();  // SELECT
  Select select;
  ASSIGN_OR_RETURN(select.hints, Hints());
  if (At(Word::kTransform) && At(Tok::kLeftParen, 1) &&
      tokens_[AfterMatching(at_ + 1)].word == Word::kUsing) {
    return Fail(ErrorCode::kUnsupported, "SELECT TRANSFORM is not supported",
                "UnsupportedOperationException");
  }
  if (AtAny({Word::kDistinct, Word::kAll}) && AtExpressionStart(1) &&
      !(At(Word::kAll) && At(Tok::kLeftParen, 1))) {
    select.distinct = Take().word == Word::kDistinct;
  }
  ASSIGN_OR_RETURN(select.items, NamedExpressions());
  if (from) {
    ASSIGN_OR_RETURN(select.from, LateralViews(std::move(from), first));
  } else if (At(Word::kFrom)) {
    ASSIGN_OR_RETURN(select.from, FromClause());
  } else if (At(Word::kLateral) && At(Word::kView, 1)) {
    ASSIGN_OR_RETURN(select.from, LateralViews(nullptr, first));
  }
  RETURN_IF_ERROR(SelectTail(select));
  select.position = Span(first);
  return MakeTerm(std::move(select), first);
}

Status StatementParser::SelectTail(Select& select) {
  if (Accept(Word::kWhere)) {
    ASSIGN_OR_RETURN(select.where, Expression());
  }
  if (AcceptWords({Word::kGroup, Word::kBy})) {
    ASSIGN_OR_RETURN(select.group_by, GroupByClause());
  }
  if (Accept(Word::kHaving)) {
    ASSIGN_OR_RETURN(select.having, Expression());
  }
  if (At(Word::kWindow) && AtClause()) {
    Take();
    ASSIGN_OR_RETURN(select.windows, NamedWindows());
  }
  return {};
}

// /*+ NAME, NAME(parameters) */ any number of times.
Result<std::vector<Hint>> StatementParser::Hints() {
  std::vector<Hint> hints;
  while (Accept(Tok::kHintStart)) {
    do {
      Hint hint;
      ASSIGN_OR_RETURN(hint.name, Identifier());
      if (Accept(Tok::kLeftParen)) {
        do {
          ASSIGN_OR_RETURN(ExprPtr parameter, Primary());
          hint.parameters.push_back(std::move(parameter));
        } while (Accept(Tok::kComma));
        RETURN_IF_ERROR(Expect(Tok::kRightParen));
      }
      hints.push_back(std::move(hint));
      Accept(Tok::kComma);
    } while (!At(Tok::kHintEnd));
    Take();
  }
  return hints;
}

Result<GroupBy> StatementParser::GroupByClause() {
  GroupBy group_by;
  do {
    ASSIGN_OR_RETURN(GroupingElement element, Grouping(false));
    group_by.elements.push_back(std::move(element));
  } while (Accept(Tok::kComma));
  if (AcceptWords({Word::kWith, Word::kRollup})) {
    group_by.trailing = GroupingAnalytics{GroupingAnalytics::Kind::kRollup, {}};
  } else if (AcceptWords({Word::kWith, Word::kCube})) {
    group_by.trailing = GroupingAnalytics{GroupingAnalytics::Kind::kCube, {}};
  } else if (AcceptWords({Word::kGrouping, Word::kSets})) {
    ASSIGN_OR_RETURN(std::vector<GroupingElement> sets, GroupingList());
    group_by.trailing = GroupingAnalytics{GroupingAnalytics::Kind::kGroupingSets, std::move(sets)};
  }
  return group_by;
}

// An expression, ROLLUP / CUBE / GROUPING SETS (...); `inside_sets`: a parenthesized set or an
// expression.
Result<GroupingElement> StatementParser::Grouping(bool inside_sets) {
  ASSIGN_OR_RETURN(auto nested, Nest());
  GroupingElement element;
  const bool rollup_or_cube = AtAny({Word::kRollup, Word::kCube}) && At(Tok::kLeftParen, 1);
  if (rollup_or_cube || (AtWords({Word::kGrouping, Word::kSets}) && At(Tok::kLeftParen, 2))) {
    GroupingAnalytics analytics;
    analytics.kind = At(Word::kRollup) ? GroupingAnalytics::Kind::kRollup
                     : At(Word::kCube) ? GroupingAnalytics::Kind::kCube
                                       : GroupingAnalytics::Kind::kGroupingSets;
    at_ += rollup_or_cube ? 1 : 2;
    ASSIGN_OR_RETURN(analytics.elements, GroupingList());
    element.analytics = std::make_shared<const GroupingAnalytics>(std::move(analytics));
    return element;
  }
  const Token& after = At(Tok::kLeftParen) ? tokens_[AfterMatching(at_)] : Peek();
  if (inside_sets && At(Tok::kLeftParen) &&
      (after.kind == Tok::kComma || after.kind == Tok::kRightParen)) {
    Take();
    element.is_set = true;
    if (!At(Tok::kRightParen)) {
      ASSIGN_OR_RETURN(element.exprs, Expressions());
    }
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    return element;
  }
  ASSIGN_OR_RETURN(ExprPtr expr, Expression());
  element.exprs.push_back(std::move(expr));
  return element;
}

Result<std::vector<GroupingElement>> StatementParser::GroupingList() {
  std::vector<GroupingElement> elements;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(GroupingElement element, Grouping(true));
    elements.push_back(std::move(element));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return elements;
}

}  // namespace iceblink::sql
