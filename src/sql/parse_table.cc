// CREATE and REPLACE TABLE with their columns, clauses and partition transforms.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

StatementParser::Node StatementParser::CreateStatement() {
  const bool or_replace = AtWords({Word::kCreate, Word::kOr, Word::kReplace});
  const size_t after = At(Word::kReplace) ? 1 : or_replace ? 3 : 1;
  if (At(Word::kReplace)) {
    Take();
    return CreateTableStatement(CreateTable::Mode::kReplace);
  }
  if (or_replace && At(Word::kTable, after)) {
    at_ += after;
    return CreateTableStatement(CreateTable::Mode::kCreateOrReplace);
  }
  if (AtAny({Word::kNamespace, Word::kDatabase, Word::kSchema}, 1)) return NamespaceCreate();
  const size_t view = At(Word::kGlobal, after) ? after + 1 : after;
  const size_t kind = At(Word::kTemporary, view) ? view + 1 : view;
  if (At(Word::kView, kind)) {
    at_ += after;
    return ViewCreate(or_replace);
  }
  if (At(Word::kTable, 1) || AtWords({Word::kCreate, Word::kExternal, Word::kTable})) {
    Take();
    return CreateTableStatement(CreateTable::Mode::kCreate);
  }
  Take();
  if (or_replace) at_ += 2;
  return SyntaxError();
}

// The cursor is at [EXTERNAL] TABLE.
StatementParser::Node StatementParser::CreateTableStatement(CreateTable::Mode mode) {
  CreateTable create;
  create.mode = mode;
  create.external = Accept(Word::kExternal);
  RETURN_IF_ERROR(Expect(Word::kTable));
  if (mode == CreateTable::Mode::kCreate) create.if_not_exists = AcceptIfNotExists();
  const size_t name = at_;
  ASSIGN_OR_RETURN(create.table, IdentifierReference());
  create.table_position = Span(name);
  if (mode == CreateTable::Mode::kCreate && At(Word::kLike) && create.table.size() <= 2) {
    return CreateTableLikeStatement(std::move(create));
  }
  if (At(Tok::kLeftParen) && !AtQuery(at_)) {
    RETURN_IF_ERROR(TableElements(create));
  }
  if (Accept(Word::kUsing)) {
    ASSIGN_OR_RETURN(Name provider, MultipartIdentifier());
    create.provider = iceblink::Join(provider, ".");
  }
  RETURN_IF_ERROR(CreateTableClauses(create));
  if (Accept(Word::kAs) || AtQuery(at_)) {
    ASSIGN_OR_RETURN(create.query, QueryExpression());
  }
  if (AtEnd()) RETURN_IF_ERROR(CheckCreate(create));
  return create;
}

Status StatementParser::CheckCreate(const CreateTable& create) const {
  RETURN_IF_ERROR(CheckReserved(create.properties, 0));
  if (create.query && !create.columns.empty()) {
    return NotAllowed(
        create.mode == CreateTable::Mode::kCreate
            ? "Schema may not be specified in a Create Table As Select (CTAS) statement"
            : "Schema may not be specified in a Replace Table As Select (RTAS) statement",
        Span(0));
  }
  return {};
}

// Each clause at most once, in any order.
Status StatementParser::CreateTableClauses(CreateTable& create) {
  std::vector<Word> seen;
  while (AtAny({Word::kOptions, Word::kPartitioned, Word::kSkewed, Word::kCluster, Word::kClustered,
                Word::kRow, Word::kStored, Word::kLocation, Word::kComment, Word::kDefault,
                Word::kTblproperties})) {
    const Word word = Peek().word;
    if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
      const std::string clause = word == Word::kPartitioned ? "PARTITIONED BY"
                                 : word == Word::kClustered ? "CLUSTERED BY"
                                 : word == Word::kCluster   ? "CLUSTER BY"
                                                            : std::string(WordText(word));
      return CheckError("DUPLICATE_CLAUSES", "42614",
                        "Found duplicate clauses: " + clause + ". Please, remove one of them.",
                        Span(0));
    }
    seen.push_back(word);
    RETURN_IF_ERROR(CreateTableClause(create));
  }
  return {};
}

Status StatementParser::CreateTableClause(CreateTable& create) {
  switch (Take().word) {
    case Word::kOptions: {
      ASSIGN_OR_RETURN(create.options, PropertyList(true));
      return {};
    }
    case Word::kPartitioned: {
      RETURN_IF_ERROR(Expect(Word::kBy));
      ASSIGN_OR_RETURN(create.partitioning, PartitioningFields());
      return {};
    }
    case Word::kCluster: {
      RETURN_IF_ERROR(Expect(Word::kBy));
      RETURN_IF_ERROR(Expect(Tok::kLeftParen));
      ASSIGN_OR_RETURN(create.cluster_by, MultipartIdentifierList());
      return Expect(Tok::kRightParen);
    }
    case Word::kClustered:
      return BucketSpec(create);
    case Word::kLocation: {
      ASSIGN_OR_RETURN(create.location, StringLiteral());
      return {};
    }
    case Word::kComment: {
      ASSIGN_OR_RETURN(create.comment, StringLiteral());
      return {};
    }
    case Word::kTblproperties: {
      ASSIGN_OR_RETURN(create.properties, PropertyList());
      return {};
    }
    case Word::kDefault: {
      RETURN_IF_ERROR(Expect(Word::kCollation));
      ASSIGN_OR_RETURN(create.collation, Identifier());
      return {};
    }
    case Word::kStored: {
      if (AcceptWords({Word::kAs}) && AtIdentifier() && !At(Word::kInputformat)) {
        ASSIGN_OR_RETURN(create.stored_as, Identifier());
        return {};
      }
      return Fail(ErrorCode::kUnsupported, "STORED BY and INPUTFORMAT are not supported",
                  "UnsupportedOperationException");
    }
    default:
      return Fail(ErrorCode::kUnsupported, "ROW FORMAT and SKEWED BY are not supported",
                  "UnsupportedOperationException");
  }
}

// CLUSTERED BY (a) [SORTED BY (b)] INTO n BUCKETS.
Status StatementParser::BucketSpec(CreateTable& create) {
  RETURN_IF_ERROR(Expect(Word::kBy));
  create.buckets.emplace();
  ASSIGN_OR_RETURN(create.buckets->columns, IdentifierList());
  if (AcceptWords({Word::kSorted, Word::kBy})) {
    RETURN_IF_ERROR(Expect(Tok::kLeftParen));
    do {
      ASSIGN_OR_RETURN(std::string column, CapturingIdentifier());
      create.buckets->sorted_by.push_back(std::move(column));
      if (AtAny({Word::kAsc, Word::kDesc})) Take();
    } while (Accept(Tok::kComma));
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  }
  RETURN_IF_ERROR(Expect(Word::kInto));
  ASSIGN_OR_RETURN(create.buckets->count, IntegerValue());
  return Expect(Word::kBuckets);
}

// (column type options, ..., CONSTRAINT ...).
Status StatementParser::TableElements(CreateTable& create) {
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(bool constraint, ConstraintText(create.constraints, nullptr));
    if (constraint) continue;
    ColumnDefinition column;
    ASSIGN_OR_RETURN(std::string name, CapturingIdentifier());
    column.name.push_back(std::move(name));
    ASSIGN_OR_RETURN(column.type, Type());
    RETURN_IF_ERROR(ColumnOptions(column, create.constraints, false));
    create.columns.push_back(std::move(column));
  } while (Accept(Tok::kComma));
  return Expect(Tok::kRightParen);
}

Status StatementParser::ColumnOptions(ColumnDefinition& column,
                                      std::vector<std::string>& constraints, bool with_position) {
  while (true) {
    if (AtNot() && At(Word::kNull, 1)) {
      at_ += 2;
      column.not_null = true;
    } else if (At(Word::kDefault) && AtExpressionStart(1)) {
      Take();
      ASSIGN_OR_RETURN(column.default_value, DefaultText());
    } else if (At(Word::kComment) && AtString(1)) {
      Take();
      ASSIGN_OR_RETURN(column.comment, StringLiteral());
    } else if (with_position && Accept(Word::kFirst)) {
      column.position = ColumnPosition{};
    } else if (with_position && Accept(Word::kAfter)) {
      column.position.emplace();
      ASSIGN_OR_RETURN(column.position->after, CapturingIdentifier());
    } else if (!with_position && At(Word::kGenerated)) {
      RETURN_IF_ERROR(Generated(column));
    } else {
      if (with_position) return {};
      ASSIGN_OR_RETURN(bool constraint, ConstraintText(constraints, &column));
      if (!constraint) return {};
    }
  }
}

Result<DefaultValue> StatementParser::DefaultText() {
  const size_t first = at_;
  DefaultValue value;
  ASSIGN_OR_RETURN(value.expr, Expression());
  value.text = TextBetween(tokens_[first].start, LastStop());
  return value;
}

// GENERATED ALWAYS AS (expression) | GENERATED (ALWAYS | BY DEFAULT) AS IDENTITY [(options)].
Status StatementParser::Generated(ColumnDefinition& column) {
  Take();
  if (!AcceptWords({Word::kBy, Word::kDefault})) RETURN_IF_ERROR(Expect(Word::kAlways));
  RETURN_IF_ERROR(Expect(Word::kAs));
  if (Accept(Word::kIdentity)) {
    column.identity = true;
    if (At(Tok::kLeftParen)) at_ = AfterMatching(at_);
    return {};
  }
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(column.generated, DefaultText());
  return Expect(Tok::kRightParen);
}

// Keeps the text of a constraint; one of a column is turned into the table's form. Returns whether
// there was one.
Result<bool> StatementParser::ConstraintText(std::vector<std::string>& constraints,
                                             const ColumnDefinition* column) {
  const size_t first = at_;
  const size_t kind = At(Word::kConstraint) && AtIdentifier(1) ? 2 : 0;
  const bool check = At(Word::kCheck, kind) && At(Tok::kLeftParen, kind + 1);
  const bool key = AtAny({Word::kPrimary, Word::kForeign}, kind) && At(Word::kKey, kind + 1);
  const bool unique = At(Word::kUnique, kind) && (column || At(Tok::kLeftParen, kind + 1));
  const bool references = column && At(Word::kReferences, kind);
  if (!check && !key && !unique && !references) return false;
  at_ += kind;
  std::string text(kind > 0 ? TextBetween(tokens_[first].start, LastStop()) : "");
  if (!text.empty()) text += " ";
  size_t body = at_;
  if (Accept(Word::kCheck)) {
    RETURN_IF_ERROR(Expect(Tok::kLeftParen));
    RETURN_IF_ERROR(Expression());
    RETURN_IF_ERROR(Expect(Tok::kRightParen));
  } else if (column) {
    at_ += key ? 2 : unique ? 1 : 0;
    const std::string columns = " (" + QuoteIfNeeded(column->name.back()) + ")";
    text += references ? "FOREIGN KEY" + columns + " "
                       : std::string(TextBetween(tokens_[body].start, LastStop())) + columns;
    body = at_;
  } else {
    at_ += key ? 2 : 1;
    RETURN_IF_ERROR(IdentifierList());
  }
  if (Accept(Word::kReferences)) {
    RETURN_IF_ERROR(MultipartIdentifier());
    if (At(Tok::kLeftParen)) RETURN_IF_ERROR(IdentifierList());
  }
  while (AtAny({Word::kEnforced, Word::kRely, Word::kNorely}) ||
         (AtNot() && At(Word::kEnforced, 1)))
    Take();
  if (at_ > body) text += TextBetween(tokens_[body].start, LastStop());
  constraints.push_back(std::move(text));
  return true;
}

Result<std::vector<PartitioningField>> StatementParser::PartitioningFields() {
  std::vector<PartitioningField> fields;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(PartitioningField field, PartitioningEntry());
    fields.push_back(std::move(field));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return fields;
}

// transform(arguments), a.b, or name type.
Result<PartitioningField> StatementParser::PartitioningEntry() {
  const size_t first = at_;
  if (AtIdentifier() && AtIdentifier(1)) {
    ASSIGN_OR_RETURN(StructField field, ColumnType(false));
    ColumnDefinition column;
    column.name = {std::move(field.name)};
    column.type = std::move(field.type);
    column.not_null = !field.nullable;
    column.comment = std::move(field.comment);
    return column;
  }
  ASSIGN_OR_RETURN(Transform transform, TransformCall(first));
  return transform;
}

Result<Transform> StatementParser::TransformCall(size_t first) {
  Transform transform;
  ASSIGN_OR_RETURN(Name name, MultipartIdentifier());
  if (name.size() > 1 || !Accept(Tok::kLeftParen)) {
    transform.name = "identity";
    transform.args.emplace_back(std::move(name));
    transform.position = Span(first);
    return transform;
  }
  transform.name = std::move(name[0]);
  do {
    if (auto constant = Constant()) {
      ASSIGN_OR_RETURN(ExprPtr literal, *std::move(constant));
      const auto* value = literal->As<Literal>();
      if (value == nullptr) return SyntaxError();
      transform.args.emplace_back(*value);
      continue;
    }
    if (!AtIdentifier()) return SyntaxError();
    ASSIGN_OR_RETURN(Name column, MultipartIdentifier());
    transform.args.emplace_back(std::move(column));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  transform.position = Span(first);
  return transform;
}

// CREATE TABLE [IF NOT EXISTS] a LIKE b: both names have at most two parts.
StatementParser::Node StatementParser::CreateTableLikeStatement(CreateTable create) {
  Take();  // LIKE
  CreateTableLike like;
  like.table = std::move(create.table);
  like.if_not_exists = create.if_not_exists;
  ASSIGN_OR_RETURN(std::string part, CapturingIdentifier());
  like.source.push_back(std::move(part));
  if (Accept(Tok::kDot)) {
    ASSIGN_OR_RETURN(std::string table, CapturingIdentifier());
    like.source.push_back(std::move(table));
  }
  while (!AtEnd()) {
    if (Accept(Word::kUsing)) {
      ASSIGN_OR_RETURN(Name provider, MultipartIdentifier());
      like.provider = iceblink::Join(provider, ".");
    } else if (Accept(Word::kLocation)) {
      ASSIGN_OR_RETURN(like.location, StringLiteral());
    } else if (Accept(Word::kTblproperties)) {
      ASSIGN_OR_RETURN(like.properties, PropertyList());
    } else {
      return SyntaxError();
    }
  }
  return like;
}

}  // namespace iceblink::sql
