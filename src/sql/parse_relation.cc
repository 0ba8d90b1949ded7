// Relations: tables with time travel and samples, subqueries, inline tables, functions, joins,
// PIVOT, UNPIVOT, LATERAL VIEW.
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

// FROM relation, relation ... [LATERAL VIEW ...] [PIVOT ...].
Result<RelationPtr> StatementParser::FromClause() {
  RETURN_IF_ERROR(Expect(Word::kFrom));
  const size_t first = at_;
  ASSIGN_OR_RETURN(RelationPtr from, RelationTree());
  for (int32_t count = 1; Accept(Tok::kComma); ++count) {
    if (count > kMaxDepth) return TooComplex();
    Join join;
    join.comma = true;
    join.lateral = At(Word::kLateral) && !At(Word::kView, 1);
    join.left = std::move(from);
    ASSIGN_OR_RETURN(join.right, RelationTree());
    from = MakeRelation(std::move(join), first);
  }
  ASSIGN_OR_RETURN(from, LateralViews(std::move(from), first));
  if (At(Word::kPivot) && At(Tok::kLeftParen, 1)) return PivotClause(std::move(from), first);
  if (At(Word::kUnpivot) && AtClause()) return UnpivotClause(std::move(from), first);
  return from;
}

// [LATERAL] primary (join | PIVOT | UNPIVOT)*.
Result<RelationPtr> StatementParser::RelationTree() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  const size_t first = at_;
  Accept(Word::kLateral);
  ASSIGN_OR_RETURN(RelationPtr relation, RelationPrimary());
  for (int32_t count = 0; count <= kMaxDepth; ++count) {
    bool natural = false;
    if (At(Word::kPivot) && At(Tok::kLeftParen, 1)) {
      ASSIGN_OR_RETURN(relation, PivotClause(std::move(relation), first));
    } else if (At(Word::kUnpivot) && AtClause()) {
      ASSIGN_OR_RETURN(relation, UnpivotClause(std::move(relation), first));
    } else if (const std::optional<JoinType> join = AcceptJoin(natural)) {
      ASSIGN_OR_RETURN(relation, JoinTail(std::move(relation), first, *join, natural));
    } else {
      return relation;
    }
  }
  return TooComplex();
}

// Takes the words up to and with JOIN. Nothing when no join follows.
std::optional<JoinType> StatementParser::AcceptJoin(bool& natural) {
  const size_t start = at_;
  natural = Accept(Word::kNatural);
  JoinType type = JoinType::kInner;
  const bool left = Accept(Word::kLeft);
  if (left) {
    type = JoinType::kLeftOuter;
    if (!At(Word::kSemi) && !At(Word::kAnti)) Accept(Word::kOuter);
  }
  if (Accept(Word::kSemi)) {
    type = JoinType::kLeftSemi;
  } else if (Accept(Word::kAnti)) {
    type = JoinType::kLeftAnti;
  } else if (!left && Accept(Word::kRight)) {
    type = JoinType::kRightOuter;
    Accept(Word::kOuter);
  } else if (!left && Accept(Word::kFull)) {
    type = JoinType::kFullOuter;
    Accept(Word::kOuter);
  } else if (!left && Accept(Word::kCross)) {
    type = JoinType::kCross;
  } else if (!left) {
    Accept(Word::kInner);
  }
  if (Accept(Word::kJoin)) return type;
  at_ = start;
  return std::nullopt;
}

Result<RelationPtr> StatementParser::JoinTail(RelationPtr left, size_t first, JoinType type,
                                              bool natural) {
  Join join;
  join.left = std::move(left);
  join.type = type;
  join.natural = natural;
  join.lateral = Accept(Word::kLateral);
  ASSIGN_OR_RETURN(join.right, RelationPrimary());
  if (!natural && Accept(Word::kOn)) {
    ASSIGN_OR_RETURN(join.condition, Expression());
  } else if (!natural && Accept(Word::kUsing)) {
    ASSIGN_OR_RETURN(join.using_columns, IdentifierList());
  }
  return MakeRelation(std::move(join), first);
}

Result<RelationPtr> StatementParser::RelationPrimary() {
  if (At(Tok::kLeftParen)) return ParenthesizedRelation();
  if (At(Word::kValues) && AtExpressionStart(1) && !At(Tok::kDot, 1)) return InlineTableRelation();
  if (At(Word::kStream) && AtIdentifier(1) && !At(Word::kAs, 1)) {
    return Fail(ErrorCode::kUnsupported, "STREAM relations are not supported",
                "UnsupportedOperationException");
  }
  return TableOrFunction();
}

Result<RelationPtr> StatementParser::ParenthesizedRelation() {
  ASSIGN_OR_RETURN(auto nested, Nest());
  const size_t first = at_;
  Take();
  RelationPtr inner;
  if (AtQuery(at_)) {
    ASSIGN_OR_RETURN(QueryPtr query, QueryExpression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    inner = MakeRelation(Subquery{std::move(query)}, first);
  } else {
    ASSIGN_OR_RETURN(inner, RelationTree());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  ASSIGN_OR_RETURN(inner, OptionalSample(std::move(inner), first));
  return TableAlias(std::move(inner), first);
}

Result<RelationPtr> StatementParser::InlineTableRelation() {
  const size_t first = at_;
  Take();  // VALUES
  InlineTable table;
  ASSIGN_OR_RETURN(table.rows, Expressions());
  const auto width = [](const ExprPtr& row) {
    const auto* fields = row->As<StructConstructor>();
    return fields ? fields->fields.size() : 1;
  };
  std::vector<size_t> widths;
  for (const ExprPtr& row : table.rows) widths.push_back(width(row));
  RelationPtr inner = MakeRelation(std::move(table), first);
  ASSIGN_OR_RETURN(RelationPtr relation, TableAlias(std::move(inner), first));
  const auto* aliased = relation->As<Aliased>();
  const size_t expected =
      aliased && !aliased->columns.empty() ? aliased->columns.size() : widths[0];
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == expected) continue;
    return CheckError("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "42000",
                      "Invalid inline table. Inline table expected " + std::to_string(expected) +
                          " columns but found " + std::to_string(widths[i]) + " columns in row " +
                          std::to_string(i) + ".",
                      Span(first));
  }
  return relation;
}

// name(arguments) alias; or name [AS OF ...] [WITH (...)] [TABLESAMPLE ...] alias.
Result<RelationPtr> StatementParser::TableOrFunction() {
  const size_t first = at_;
  if (!AtIdentifier()) return SyntaxError();
  ASSIGN_OR_RETURN(Name name, IdentifierReference());
  if (Accept(Tok::kLeftParen)) {
    TableFunction function{std::move(name), {}};
    while (!At(Tok::kRightParen)) {
      ASSIGN_OR_RETURN(Argument argument, TableFunctionArgument());
      function.args.push_back(std::move(argument));
      if (!Accept(Tok::kComma)) break;
    }
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    RelationPtr inner = MakeRelation(std::move(function), first);
    return TableAlias(std::move(inner), first);
  }
  TableName table{std::move(name), {}, {}};
  ASSIGN_OR_RETURN(table.time_travel, OptionalTimeTravel());
  if (At(Word::kWith) && At(Tok::kLeftParen, 1)) {
    Take();
    ASSIGN_OR_RETURN(table.options, PropertyList());
  }
  RelationPtr relation = MakeRelation(std::move(table), first);
  ASSIGN_OR_RETURN(relation, OptionalSample(std::move(relation), first));
  return TableAlias(std::move(relation), first);
}

Result<Argument> StatementParser::TableFunctionArgument() {
  const size_t table = AtIdentifier() && At(Tok::kFatArrow, 1) ? 2 : 0;
  if (At(Word::kTable, table) && (AtIdentifier(table + 1) || At(Tok::kLeftParen, table + 1))) {
    return Fail(ErrorCode::kUnsupported, "Table arguments of table functions are not supported",
                "UnsupportedOperationException");
  }
  return FunctionArgument();
}

// [FOR] (VERSION | SYSTEM_VERSION) AS OF version | [FOR] (TIMESTAMP | SYSTEM_TIME) AS OF
// expression.
Result<std::optional<TimeTravel>> StatementParser::OptionalTimeTravel() {
  const size_t word = At(Word::kFor) ? 1 : 0;
  const bool version = AtAny({Word::kVersion, Word::kSystemVersion}, word);
  if (!version && !AtAny({Word::kTimestamp, Word::kSystemTime}, word)) return std::nullopt;
  if (!At(Word::kAs, word + 1)) return std::nullopt;
  at_ += word + 2;
  RETURN_IF_ERROR(
      Expect(Word::kOf, version ? AtString() || At(Tok::kInteger) : AtExpressionStart(0)));
  TimeTravel travel;
  if (!version) {
    ASSIGN_OR_RETURN(travel.timestamp, ValueExpression());
    return travel;
  }
  if (At(Tok::kInteger)) {
    travel.version = std::string(Text(Take()));
    return travel;
  }
  ASSIGN_OR_RETURN(travel.version, StringLiteral());
  return travel;
}

// TABLESAMPLE (n PERCENT | n ROWS | BUCKET x OUT OF y | size) [REPEATABLE (seed)].
Result<RelationPtr> StatementParser::OptionalSample(RelationPtr child, size_t first) {
  if (!At(Word::kTablesample) || !At(Tok::kLeftParen, 1)) return child;
  at_ += 2;
  Sampled sample;
  sample.child = std::move(child);
  const bool negative =
      At(Tok::kMinus) && AtAny({Tok::kInteger, Tok::kDecimal}, 1) && At(Word::kPercent, 2);
  if (negative || (AtAny({Tok::kInteger, Tok::kDecimal}) && At(Word::kPercent, 1))) {
    if (negative) Take();
    sample.percent = ParseDouble(Text(Take())).value_or(0) * (negative ? -1 : 1);
    Take();
    if (sample.percent < 0 || sample.percent > 100) {
      return CheckError("_LEGACY_ERROR_TEMP_0064", "",
                        "Sampling fraction (" + std::to_string(sample.percent / 100) +
                            ") must be on interval [0, 1].",
                        Span(first));
    }
  } else if (At(Word::kBucket) && At(Tok::kInteger, 1)) {
    Take();
    sample.kind = Sampled::Kind::kBucket;
    ASSIGN_OR_RETURN(sample.bucket, IntegerValue());
    RETURN_IF_ERROR(ExpectWords({Word::kOut, Word::kOf}));
    ASSIGN_OR_RETURN(sample.buckets, IntegerValue());
  } else {
    ASSIGN_OR_RETURN(sample.rows, Expression());
    sample.kind = Accept(Word::kRows) ? Sampled::Kind::kRows : Sampled::Kind::kBytes;
  }
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  if (At(Word::kRepeatable) && At(Tok::kLeftParen, 1)) {
    at_ += 2;
    ASSIGN_OR_RETURN(sample.seed, IntegerValue());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  return MakeRelation(std::move(sample), first);
}

bool StatementParser::AtTableAlias() const { return AtStrictIdentifier() && !AtClause(); }

// [[AS] alias [(columns)]].
Result<RelationPtr> StatementParser::TableAlias(RelationPtr child, size_t first) {
  const bool as = At(Word::kAs) && AtStrictIdentifier(1);
  if (as) Take();
  if (!as && !AtTableAlias()) return child;
  Aliased aliased;
  aliased.child = std::move(child);
  ASSIGN_OR_RETURN(aliased.alias, StrictIdentifier());
  if (At(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(aliased.columns, IdentifierList());
  }
  return MakeRelation(std::move(aliased), first);
}

Result<RelationPtr> StatementParser::LateralViews(RelationPtr child, size_t first) {
  for (int32_t count = 0; At(Word::kLateral) && At(Word::kView, 1); ++count) {
    if (count > kMaxDepth) return TooComplex();
    at_ += 2;
    LateralView view;
    view.child = std::move(child);
    view.outer = At(Word::kOuter) && AtIdentifier(1) && Accept(Word::kOuter);
    ASSIGN_OR_RETURN(view.generator.name, MultipartIdentifier());
    RETURN_IF_ERROR(Expect(Tok::kLeftParen));
    while (!At(Tok::kRightParen)) {
      ASSIGN_OR_RETURN(ExprPtr argument, Expression());
      view.generator.args.push_back({"", std::move(argument)});
      if (!Accept(Tok::kComma)) break;
    }
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
    ASSIGN_OR_RETURN(view.alias, Identifier());
    const bool as = Accept(Word::kAs);
    if (as || (AtIdentifier() && !AtClause())) {
      do {
        ASSIGN_OR_RETURN(std::string column, Identifier());
        view.columns.push_back(std::move(column));
      } while (Accept(Tok::kComma));
    }
    child = MakeRelation(std::move(view), first);
  }
  return child;
}

// PIVOT (aggregates FOR column IN (value [AS alias], ...)).
Result<RelationPtr> StatementParser::PivotClause(RelationPtr child, size_t first) {
  at_ += 2;
  Pivot pivot;
  pivot.child = std::move(child);
  ASSIGN_OR_RETURN(pivot.aggregates, NamedExpressions());
  RETURN_IF_ERROR(Expect(Word::kFor));
  if (At(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(pivot.columns, IdentifierList());
  } else {
    ASSIGN_OR_RETURN(std::string column, CapturingIdentifier());
    pivot.columns.push_back(std::move(column));
  }
  RETURN_IF_ERROR(Expect(Word::kIn));
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(pivot.values, NamedExpressions());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return MakeRelation(std::move(pivot), first);
}

// UNPIVOT [INCLUDE NULLS] (value FOR name IN (column [AS alias], ...)), or with (value, value) and
// (column, column).
Result<RelationPtr> StatementParser::UnpivotClause(RelationPtr child, size_t first) {
  Take();
  Unpivot unpivot;
  unpivot.child = std::move(child);
  unpivot.include_nulls = At(Word::kInclude);
  if (AtAny({Word::kInclude, Word::kExclude})) {
    Take();
    RETURN_IF_ERROR(Expect(Word::kNulls));
  }
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  unpivot.multi_value = At(Tok::kLeftParen);
  if (unpivot.multi_value) {
    ASSIGN_OR_RETURN(unpivot.value_columns, IdentifierList());
  } else {
    ASSIGN_OR_RETURN(std::string value, Identifier());
    unpivot.value_columns.push_back(std::move(value));
  }
  RETURN_IF_ERROR(Expect(Word::kFor));
  ASSIGN_OR_RETURN(unpivot.name_column, Identifier());
  RETURN_IF_ERROR(Expect(Word::kIn));
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(Unpivot::Set set, UnpivotSet(unpivot.multi_value));
    unpivot.sets.push_back(std::move(set));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  RelationPtr relation = MakeRelation(std::move(unpivot), first);
  return TableAlias(std::move(relation), first);
}

Result<Unpivot::Set> StatementParser::UnpivotSet(bool multi_value) {
  Unpivot::Set set;
  if (multi_value) {
    RETURN_IF_ERROR(Expect(Tok::kLeftParen));
    ASSIGN_OR_RETURN(set.columns, MultipartIdentifierList());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  } else {
    ASSIGN_OR_RETURN(Name column, MultipartIdentifier());
    set.columns.push_back(std::move(column));
  }
  const bool as = Accept(Word::kAs);
  if (as || AtIdentifier()) {
    ASSIGN_OR_RETURN(set.alias, CapturingIdentifier());
  }
  return set;
}

}  // namespace iceblink::sql
