// Pipe syntax: `FROM t |> WHERE p |> AGGREGATE ...`. Each step is rewritten to a query over what
// stands before it.
#include <utility>

#include "sql/statement_parser.h"

namespace iceblink::sql {

bool StatementParser::AtOrganization() const {
  return (AtAny({Word::kOrder, Word::kSort, Word::kCluster, Word::kDistribute}) &&
          At(Word::kBy, 1)) ||
         AtAny({Word::kLimit, Word::kOffset});
}

RelationPtr StatementParser::AsRelation(const QueryTermPtr& term, size_t first) {
  if (const auto* relation = std::get_if<RelationPtr>(&term->node)) return *relation;
  if (const auto* query = std::get_if<QueryPtr>(&term->node))
    return MakeRelation(Subquery{*query}, first);
  Query query;
  query.body = term;
  query.position = Span(first);
  query.depth = term->depth + 1;
  return MakeRelation(Subquery{std::make_shared<const Query>(std::move(query))}, first);
}

Result<QueryTermPtr> StatementParser::SelectAll(RelationPtr from, size_t first) {
  Select select;
  select.items.push_back({Make(Star{}, first), "", {}});
  select.from = std::move(from);
  select.position = Span(first);
  return MakeTerm(std::move(select), first);
}

Result<QueryTermPtr> StatementParser::PipeStep(QueryTermPtr input, size_t first) {
  ++depth_;  // each step nests the steps before it
  if (depth_ >= kMaxNesting) return TooComplex();
  if (AtAny({Word::kUnion, Word::kExcept, Word::kMinus, Word::kIntersect})) {
    SetOperation node;
    const Word word = Take().word;
    node.op = word == Word::kUnion       ? SetOperator::kUnion
              : word == Word::kIntersect ? SetOperator::kIntersect
                                         : SetOperator::kExcept;
    node.all = At(Word::kAll);
    if (AtAny({Word::kAll, Word::kDistinct})) Take();
    node.left = std::move(input);
    ASSIGN_OR_RETURN(node.right, TermPrimary());
    const int32_t depth = std::max(node.left->depth, node.right->depth) + 1;
    return MakeTerm(std::move(node), first, depth);
  }
  if (AtOrganization()) {
    Query query;
    const int32_t depth = input->depth + 1;
    query.body = std::move(input);
    RETURN_IF_ERROR(Organization(query));
    query.position = Span(first);
    query.depth = depth;
    return MakeTerm(QueryPtr(std::make_shared<const Query>(std::move(query))), first, depth + 1);
  }
  RelationPtr relation = AsRelation(input, first);
  const int32_t depth = input->depth + 2;
  Result<QueryTermPtr> step = PipeRelation(std::move(relation), first);
  if (!step) return step;
  return MakeTerm((*step)->node, first, depth);
}

Result<QueryTermPtr> StatementParser::PipeRelation(RelationPtr input, size_t first) {
  const size_t step = at_;
  Select select;
  if (At(Word::kSelect)) return SelectTerm(std::move(input));
  if (At(Word::kAggregate)) return PipeAggregate(std::move(input), first);
  if (At(Word::kDrop)) return PipeDrop(std::move(input), first);
  if (Accept(Word::kWhere)) {
    ASSIGN_OR_RETURN(select.where, Expression());
  } else if (Accept(Word::kExtend)) {
    ASSIGN_OR_RETURN(select.items, NamedExpressions());
  } else if (Accept(Word::kAs)) {
    Aliased aliased{std::move(input), "", {}};
    ASSIGN_OR_RETURN(aliased.alias, CapturingIdentifier());
    input = MakeRelation(std::move(aliased), step);
  } else if (At(Word::kPivot)) {
    ASSIGN_OR_RETURN(input, PivotClause(std::move(input), step));
  } else if (At(Word::kUnpivot)) {
    ASSIGN_OR_RETURN(input, UnpivotClause(std::move(input), step));
  } else if (At(Word::kTablesample)) {
    ASSIGN_OR_RETURN(input, OptionalSample(std::move(input), step));
  } else if (At(Word::kSet)) {
    return Fail(ErrorCode::kUnsupported, "The pipe operator |> SET is not supported",
                "UnsupportedOperationException");
  } else {
    bool natural = false;
    const std::optional<JoinType> join = AcceptJoin(natural);
    if (!join) return SyntaxError();
    ASSIGN_OR_RETURN(input, JoinTail(std::move(input), step, *join, natural));
  }
  select.items.insert(select.items.begin(), {Make(Star{}, step), "", {}});
  select.from = std::move(input);
  select.position = Span(step);
  return MakeTerm(std::move(select), first);
}

// AGGREGATE functions [GROUP BY keys]: the keys come out first.
Result<QueryTermPtr> StatementParser::PipeAggregate(RelationPtr input, size_t first) {
  const size_t step = at_;
  Take();
  Select select;
  std::vector<NamedExpr> functions;
  if (!AtWords({Word::kGroup, Word::kBy})) {
    ASSIGN_OR_RETURN(functions, NamedExpressions());
  }
  if (AcceptWords({Word::kGroup, Word::kBy})) {
    ASSIGN_OR_RETURN(select.items, NamedExpressions());
    select.group_by.emplace();
    for (const NamedExpr& key : select.items)
      select.group_by->elements.push_back({{key.expr}, false, nullptr});
  }
  select.items.insert(select.items.end(), functions.begin(), functions.end());
  select.from = std::move(input);
  select.position = Span(step);
  return MakeTerm(std::move(select), first);
}

Result<QueryTermPtr> StatementParser::PipeDrop(RelationPtr input, size_t first) {
  const size_t step = at_;
  Take();
  Star star;
  do {
    ASSIGN_OR_RETURN(std::string column, CapturingIdentifier());
    star.except.push_back({std::move(column)});
  } while (Accept(Tok::kComma));
  Select select;
  select.items.push_back({Make(std::move(star), step), "", {}});
  select.from = std::move(input);
  select.position = Span(step);
  return MakeTerm(std::move(select), first);
}

}  // namespace iceblink::sql
