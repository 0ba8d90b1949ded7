// INSERT, DELETE, UPDATE, MERGE, TRUNCATE, CALL.
#include <algorithm>
#include <utility>

#include "sql/statement_parser.h"

namespace iceblink::sql {

StatementParser::Node StatementParser::DmlStatement(std::vector<Cte> ctes) {
  switch (Peek().word) {
    case Word::kInsert:
      return InsertStatement(std::move(ctes));
    case Word::kFrom:
      return FromInsertStatement(std::move(ctes));
    case Word::kDelete:
      return DeleteStatement(std::move(ctes));
    case Word::kUpdate:
      return UpdateStatement(std::move(ctes));
    case Word::kMerge:
      return MergeStatement(std::move(ctes));
    default:
      return SyntaxError();
  }
}

// Everything of an INSERT before its query.
Result<Insert> StatementParser::InsertTarget() {
  Insert insert;
  Take();  // INSERT
  if (!AtAny({Word::kInto, Word::kOverwrite})) return SyntaxError();
  insert.overwrite = Take().word == Word::kOverwrite;
  if (insert.overwrite && (At(Word::kDirectory) || AtWords({Word::kLocal, Word::kDirectory}))) {
    return Fail(ErrorCode::kUnsupported, "INSERT OVERWRITE DIRECTORY is not supported",
                "UnsupportedOperationException");
  }
  if (At(Word::kTable) && AtIdentifier(1)) Take();
  const size_t name = at_;
  ASSIGN_OR_RETURN(insert.table, IdentifierReference());
  insert.table_position = Span(name);
  if (At(Word::kWith) && At(Tok::kLeftParen, 1)) {
    Take();
    ASSIGN_OR_RETURN(insert.options, PropertyList());
  }
  if (!insert.overwrite && At(Word::kReplace) && At(Word::kWhere, 1)) {
    at_ += 2;
    ASSIGN_OR_RETURN(insert.replace_where, Expression());
    return insert;
  }
  ASSIGN_OR_RETURN(insert.partition, OptionalPartitionSpec());
  const size_t clause = at_;
  insert.if_not_exists = AcceptIfNotExists();
  if (insert.if_not_exists && !insert.overwrite) {
    return NotAllowed("INSERT INTO ... IF NOT EXISTS", Span(clause));
  }
  if (AcceptWords({Word::kBy, Word::kName})) {
    insert.by_name = true;
  } else if (At(Tok::kLeftParen) && !AtQuery(at_) && !AtQuery(at_ + 1)) {
    ASSIGN_OR_RETURN(insert.columns, IdentifierList());
  }
  return insert;
}

StatementParser::Node StatementParser::InsertStatement(std::vector<Cte> ctes) {
  ASSIGN_OR_RETURN(Insert insert, InsertTarget());
  insert.ctes = std::move(ctes);
  ASSIGN_OR_RETURN(insert.query, QueryExpression());
  return insert;
}

// FROM source (INSERT ... SELECT ...)+.
StatementParser::Node StatementParser::FromInsertStatement(std::vector<Cte> ctes) {
  ASSIGN_OR_RETURN(RelationPtr source, FromClause());
  MultiInsert multi;
  do {
    ASSIGN_OR_RETURN(Insert insert, InsertTarget());
    if (!At(Word::kSelect)) return SyntaxError();
    const size_t first = at_;
    Query query;
    ASSIGN_OR_RETURN(query.body, SelectTerm(source));
    RETURN_IF_ERROR(Organization(query));
    query.position = Span(first);
    query.depth = query.body->depth + 1;
    insert.ctes = ctes;
    insert.query = std::make_shared<const Query>(std::move(query));
    multi.inserts.push_back(std::move(insert));
  } while (At(Word::kInsert));
  if (multi.inserts.size() == 1) return std::move(multi.inserts[0]);
  return multi;
}

// The alias of a changed table; column aliases are refused.
Result<std::string> StatementParser::DmlAlias(std::string_view statement) {
  const bool as = At(Word::kAs) && AtStrictIdentifier(1);
  if (as) Take();
  if (!as && !AtTableAlias()) return std::string();
  ASSIGN_OR_RETURN(std::string alias, StrictIdentifier());
  if (At(Tok::kLeftParen)) {
    RETURN_IF_ERROR(IdentifierList());
    return CheckError("COLUMN_ALIASES_NOT_ALLOWED", "42601",
                      "Column aliases are not allowed in " + std::string(statement) + ".", Span(0));
  }
  return alias;
}

StatementParser::Node StatementParser::DeleteStatement(std::vector<Cte> ctes) {
  Take();
  RETURN_IF_ERROR(Expect(Word::kFrom, AtIdentifier()));
  Delete node;
  node.ctes = std::move(ctes);
  const size_t name = at_;
  ASSIGN_OR_RETURN(node.table, IdentifierReference());
  node.table_position = Span(name);
  ASSIGN_OR_RETURN(node.alias, DmlAlias("DELETE"));
  if (Accept(Word::kWhere)) {
    ASSIGN_OR_RETURN(node.where, Expression());
  }
  return node;
}

StatementParser::Node StatementParser::UpdateStatement(std::vector<Cte> ctes) {
  Take();
  Update node;
  node.ctes = std::move(ctes);
  const size_t name = at_;
  ASSIGN_OR_RETURN(node.table, IdentifierReference());
  node.table_position = Span(name);
  ASSIGN_OR_RETURN(node.alias, DmlAlias("UPDATE"));
  RETURN_IF_ERROR(Expect(Word::kSet, AtIdentifier()));
  ASSIGN_OR_RETURN(node.assignments, Assignments());
  if (Accept(Word::kWhere)) {
    ASSIGN_OR_RETURN(node.where, Expression());
  }
  return node;
}

Result<std::vector<Assignment>> StatementParser::Assignments() {
  std::vector<Assignment> assignments;
  do {
    Assignment assignment;
    const size_t first = at_;
    ASSIGN_OR_RETURN(assignment.column, MultipartIdentifier());
    assignment.position = Span(first);
    RETURN_IF_ERROR(Expect(Tok::kEq));
    ASSIGN_OR_RETURN(assignment.value, Expression());
    assignments.push_back(std::move(assignment));
  } while (Accept(Tok::kComma));
  return assignments;
}

StatementParser::Node StatementParser::MergeStatement(std::vector<Cte> ctes) {
  const size_t first = at_;
  Take();
  Merge merge;
  merge.ctes = std::move(ctes);
  merge.with_schema_evolution = AcceptWords({Word::kWith, Word::kSchema, Word::kEvolution});
  RETURN_IF_ERROR(Expect(Word::kInto, AtIdentifier()));
  const size_t name = at_;
  ASSIGN_OR_RETURN(merge.table, IdentifierReference());
  merge.table_position = Span(name);
  const bool alias_columns = AtStrictIdentifier() && At(Tok::kLeftParen, At(Word::kAs) ? 2 : 1);
  if (!alias_columns) {
    ASSIGN_OR_RETURN(merge.alias, DmlAlias("MERGE"));
  } else {
    Accept(Word::kAs);
    ASSIGN_OR_RETURN(merge.alias, StrictIdentifier());
    RETURN_IF_ERROR(IdentifierList());
  }
  RETURN_IF_ERROR(Expect(Word::kUsing, AtIdentifier() || At(Tok::kLeftParen)));
  ASSIGN_OR_RETURN(merge.source, MergeSource());
  RETURN_IF_ERROR(Expect(Word::kOn));
  ASSIGN_OR_RETURN(merge.condition, Expression());
  while (At(Word::kWhen)) {
    ASSIGN_OR_RETURN(MergeClause clause, MergeWhen());
    if (!merge.clauses.empty() && merge.clauses.back().match > clause.match) return SyntaxError();
    merge.clauses.push_back(std::move(clause));
  }
  // The whole statement is parsed before anything of it is checked.
  if (!AtEnd()) return merge;
  const auto* source = merge.source->As<Aliased>();
  if (alias_columns || (source && !source->columns.empty())) {
    return CheckError("COLUMN_ALIASES_NOT_ALLOWED", "42601",
                      "Column aliases are not allowed in MERGE.", Span(first));
  }
  RETURN_IF_ERROR(CheckMerge(merge, first));
  return merge;
}

// A table or a query with an alias, no other relation.
Result<RelationPtr> StatementParser::MergeSource() {
  const size_t first = at_;
  RelationPtr source;
  if (Accept(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    source = MakeRelation(Subquery{std::move(query)}, first);
  } else {
    ASSIGN_OR_RETURN(Name name, IdentifierReference());
    source = MakeRelation(TableName{std::move(name), {}, {}}, first);
  }
  return TableAlias(std::move(source), first);
}

Result<MergeClause> StatementParser::MergeWhen() {
  Take();  // WHEN
  MergeClause clause;
  if (AcceptNot()) clause.match = MergeClause::Match::kNotMatched;
  RETURN_IF_ERROR(Expect(Word::kMatched));
  if (clause.match == MergeClause::Match::kNotMatched && Accept(Word::kBy)) {
    if (!AtAny({Word::kSource, Word::kTarget})) return SyntaxError();
    if (Take().word == Word::kSource) clause.match = MergeClause::Match::kNotMatchedBySource;
  }
  if (Accept(Word::kAnd)) {
    ASSIGN_OR_RETURN(clause.condition, Expression());
  }
  RETURN_IF_ERROR(Expect(Word::kThen, AtAny({Word::kDelete, Word::kUpdate, Word::kInsert})));
  if (clause.match == MergeClause::Match::kNotMatched) {
    RETURN_IF_ERROR(MergeInsert(clause));
  } else {
    RETURN_IF_ERROR(MergeAction(clause));
  }
  return clause;
}

Status StatementParser::MergeAction(MergeClause& clause) {
  if (Accept(Word::kDelete)) return {};
  RETURN_IF_ERROR(Expect(Word::kUpdate));
  RETURN_IF_ERROR(Expect(Word::kSet));
  if (clause.match == MergeClause::Match::kMatched && Accept(Tok::kStar)) {
    clause.action = MergeClause::Action::kUpdateAll;
    return {};
  }
  clause.action = MergeClause::Action::kUpdate;
  ASSIGN_OR_RETURN(clause.assignments, Assignments());
  return {};
}

Status StatementParser::MergeInsert(MergeClause& clause) {
  RETURN_IF_ERROR(Expect(Word::kInsert));
  if (Accept(Tok::kStar)) {
    clause.action = MergeClause::Action::kInsertAll;
    return {};
  }
  clause.action = MergeClause::Action::kInsert;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(std::vector<Name> columns, MultipartIdentifierList());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  RETURN_IF_ERROR(Expect(Word::kValues));
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(std::vector<ExprPtr> values, Expressions());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  const size_t count = std::max(columns.size(), values.size());
  columns.resize(
      count);  // an unequal count leaves an empty name or a null value, which CheckMerge refuses
  values.resize(count);
  for (size_t i = 0; i < count; ++i)
    clause.assignments.push_back({std::move(columns[i]), std::move(values[i]), {}});
  return {};
}

Status StatementParser::CheckMerge(const Merge& merge, size_t first) const {
  for (const MergeClause& clause : merge.clauses) {
    for (const Assignment& assignment : clause.assignments) {
      if (!assignment.column.empty() && assignment.value) continue;
      return CheckError("_LEGACY_ERROR_TEMP_0006", "",
                        "The number of inserted values cannot match the fields.", Span(first));
    }
  }
  if (merge.clauses.empty()) {
    return CheckError("MERGE_WITHOUT_WHEN", "42601",
                      "There must be at least one WHEN clause in a MERGE statement.", Span(first));
  }
  constexpr std::string_view kConditions[] = {
      "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
      "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
      "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION"};
  constexpr std::string_view kShown[] = {"MATCHED", "NOT MATCHED [BY TARGET]",
                                         "NOT MATCHED BY SOURCE"};
  for (size_t i = 0; i + 1 < merge.clauses.size(); ++i) {
    if (merge.clauses[i].condition || merge.clauses[i + 1].match != merge.clauses[i].match)
      continue;
    const auto kind = static_cast<size_t>(merge.clauses[i].match);
    return CheckError(kConditions[kind], "42613",
                      "When there are more than one " + std::string(kShown[kind]) +
                          " clauses in a MERGE statement, only the last " +
                          std::string(kShown[kind]) + " clause can omit the condition.",
                      Span(first));
  }
  return {};
}

StatementParser::Node StatementParser::TruncateStatement() {
  Take();
  RETURN_IF_ERROR(Expect(Word::kTable, AtIdentifier()));
  Truncate node;
  ASSIGN_OR_RETURN(node.table, IdentifierReference());
  ASSIGN_OR_RETURN(node.partition, OptionalPartitionSpec());
  return node;
}

StatementParser::Node StatementParser::CallStatement() {
  Take();
  Call call;
  const size_t name = at_;
  ASSIGN_OR_RETURN(call.procedure, IdentifierReference());
  call.procedure_position = Span(name);
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  if (Accept(Tok::kRightParen)) return call;
  do {
    ASSIGN_OR_RETURN(Argument argument, FunctionArgument());
    call.args.push_back(std::move(argument));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return call;
}

}  // namespace iceblink::sql
