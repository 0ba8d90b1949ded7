#include "sql/iceberg_parser.h"

#include <algorithm>
#include <utility>

#include "base/decimal.h"
#include "base/strings.h"

namespace iceblink::sql {

namespace {

// Lower case, without comments and back-quotes, white space collapsed.
std::string Normalized(std::string_view text) {
  std::string out;
  for (const Token& token : Tokenize(text).tokens) {
    std::string piece = AsciiLower(text.substr(token.start, token.stop - token.start));
    piece.erase(std::remove(piece.begin(), piece.end(), '`'), piece.end());
    if (!out.empty()) out += ' ';
    out += piece;
  }
  return out;
}

constexpr std::string_view kPhrases[] = {
    "add partition field",
    "drop partition field",
    "replace partition field",
    "write ordered by",
    "write locally ordered by",
    "write distributed by",
    "write unordered",
    "set identifier fields",
    "drop identifier fields",
    "create branch",
    "replace branch",
    "drop branch",
    "create tag",
    "replace tag",
    "drop tag",
};

constexpr std::string_view kUnits[] = {"DAYS", "HOURS", "MINUTES"};
constexpr int64_t kUnitMillis[] = {86'400'000, 3'600'000, 60'000};

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

bool IsIcebergStatement(std::string_view text) {
  // Cheap refusal before the text is normalized.
  if (!EqualsIgnoreCase(iceblink::Trim(text).substr(0, 5), "alter") &&
      text.find("--") == std::string_view::npos && text.find("/*") == std::string_view::npos) {
    return false;
  }
  const std::string normalized = Normalized(text);
  if (!normalized.starts_with("alter table")) return false;
  return std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](std::string_view phrase) {
    return normalized.find(phrase) != std::string::npos;
  });
}

Result<Statement> ParseIcebergStatement(std::string_view text) {
  return IcebergParser(text).ParseStatement();
}
Result<std::vector<OrderField>> ParseSortOrder(std::string_view text) {
  return IcebergParser(text).ParseSortOrder();
}

// --- errors --------------------------------------------------------------------------------------

tl::unexpected<Error> IcebergParser::Raise(std::string message) const {
  return Fail(ErrorCode::kSyntax, std::move(message) + "\n== SQL ==\n" + std::string(text_),
              "IcebergParseException");
}

tl::unexpected<Error> IcebergParser::Mismatched(const Expected& expected) const {
  const std::string shown = At(Tok::kEnd) ? "<EOF>" : std::string(Text(Peek()));
  std::string list = iceblink::Join(expected, ", ");
  if (expected.size() > 1) list = "{" + list + "}";
  return Raise("mismatched input " + Quoted(shown) + " expecting " + list);
}

tl::unexpected<Error> IcebergParser::NoViable(size_t first) const {
  const int32_t stop = At(Tok::kEnd) ? LastStop() : Peek().stop;
  return Raise("no viable alternative at input " +
               Quoted(TextBetween(tokens_[first].start, std::max(stop, tokens_[first].start))));
}

Status IcebergParser::Require(Word word) {
  if (Accept(word)) return {};
  return Mismatched({Quoted(WordText(word))});
}

Status IcebergParser::Require(Tok kind) {
  if (Accept(kind)) return {};
  return Mismatched({Quoted(TokText(kind))});
}

// `optional` lists the clauses that could still follow.
Status IcebergParser::End(Expected optional) {
  while (Accept(Tok::kSemicolon)) {
  }
  if (At(Tok::kEnd)) return {};
  optional.insert(optional.begin(), "<EOF>");
  if (!At(Tok::kEnd, 1)) return Mismatched(optional);
  std::string list = iceblink::Join(optional, ", ");
  if (optional.size() > 1) list = "{" + list + "}";
  return Raise("extraneous input " + Quoted(Text(Peek())) + " expecting " + list);
}

// --- statements ----------------------------------------------------------------------------------

Result<Statement> IcebergParser::ParseStatement() {
  RETURN_IF_ERROR(Require(Word::kAlter));
  RETURN_IF_ERROR(Require(Word::kTable));
  AlterTable alter;
  const size_t first = at_;
  ASSIGN_OR_RETURN(alter.table, Multipart());
  alter.table_position = Span(first);
  ASSIGN_OR_RETURN(alter.change, Change());
  return Statement{std::move(alter), std::string(text_)};
}

Result<TableChange> IcebergParser::Change() {
  if (At(Word::kAdd)) return AddField();
  if (At(Word::kReplace) && At(Word::kPartition, 1)) return ReplaceField();
  if (At(Word::kDrop)) return DropClause();
  if (At(Word::kWrite)) return WriteClauses();
  if (AtAny({Word::kCreate, Word::kReplace})) return RefClause();
  if (Accept(Word::kSet) && At(Word::kIdentifier)) {
    Take();
    RETURN_IF_ERROR(Require(Word::kFields));
    SetIdentifierFields set;
    ASSIGN_OR_RETURN(set.fields, FieldList());
    RETURN_IF_ERROR(End({"','", "'.'"}));
    return set;
  }
  return NoViable(0);
}

Result<TableChange> IcebergParser::AddField() {
  Take();
  RETURN_IF_ERROR(Require(Word::kPartition));
  RETURN_IF_ERROR(Require(Word::kField));
  AddPartitionField add;
  ASSIGN_OR_RETURN(add.transform, ParseTransform());
  if (!Accept(Word::kAs)) {
    RETURN_IF_ERROR(End({"'AS'"}));
    return add;
  }
  ASSIGN_OR_RETURN(add.name, Identifier());
  RETURN_IF_ERROR(End({}));
  return add;
}

Result<TableChange> IcebergParser::ReplaceField() {
  at_ += 2;
  RETURN_IF_ERROR(Require(Word::kField));
  ReplacePartitionField replace;
  ASSIGN_OR_RETURN(replace.from, ParseTransform());
  RETURN_IF_ERROR(Require(Word::kWith));
  ASSIGN_OR_RETURN(replace.to, ParseTransform());
  if (!Accept(Word::kAs)) {
    RETURN_IF_ERROR(End({"'AS'"}));
    return replace;
  }
  ASSIGN_OR_RETURN(replace.name, Identifier());
  RETURN_IF_ERROR(End({}));
  return replace;
}

// DROP PARTITION FIELD, DROP IDENTIFIER FIELDS, DROP BRANCH, DROP TAG.
Result<TableChange> IcebergParser::DropClause() {
  Take();
  if (Accept(Word::kPartition)) {
    RETURN_IF_ERROR(Require(Word::kField));
    DropPartitionField drop;
    ASSIGN_OR_RETURN(drop.transform, ParseTransform());
    RETURN_IF_ERROR(End({}));
    return drop;
  }
  if (Accept(Word::kIdentifier)) {
    RETURN_IF_ERROR(Require(Word::kFields));
    DropIdentifierFields drop;
    ASSIGN_OR_RETURN(drop.fields, FieldList());
    RETURN_IF_ERROR(End({"','", "'.'"}));
    return drop;
  }
  if (!AtAny({Word::kBranch, Word::kTag})) return NoViable(0);
  DropRef drop;
  drop.tag = Take().word == Word::kTag;
  drop.if_exists = AcceptWords({Word::kIf, Word::kExists});
  ASSIGN_OR_RETURN(drop.name, Identifier());
  RETURN_IF_ERROR(End({}));
  return drop;
}

// At most one distribution and one ordering, in either order.
Result<TableChange> IcebergParser::WriteClauses() {
  Take();
  int distributions = 0;
  int orderings = 0;
  bool unordered = false;
  bool locally = false;
  WriteOrder write;
  while (!AtEnd()) {
    if (Accept(Word::kDistributed)) {
      RETURN_IF_ERROR(Require(Word::kBy));
      RETURN_IF_ERROR(Require(Word::kPartition));
      ++distributions;
    } else if (Accept(Word::kUnordered)) {
      unordered = true;
      ++orderings;
    } else if (AtAny({Word::kLocally, Word::kOrdered})) {
      locally = Accept(Word::kLocally);
      RETURN_IF_ERROR(Require(Word::kOrdered));
      RETURN_IF_ERROR(Require(Word::kBy));
      ASSIGN_OR_RETURN(write.order, Order());
      ++orderings;
    } else {
      RETURN_IF_ERROR(End({"'DISTRIBUTED'", "'LOCALLY'", "'ORDERED'", "'UNORDERED'"}));
    }
  }
  RETURN_IF_ERROR(End({}));
  const auto refuse = [](std::string message) {
    return Fail(ErrorCode::kAnalysis, std::move(message), "AnalysisException");
  };
  if (distributions > 1) return refuse("ALTER TABLE contains multiple distribution clauses");
  if (orderings > 1) return refuse("ALTER TABLE contains multiple ordering clauses");
  if (distributions + orderings == 0)
    return refuse("ALTER TABLE has no changes: missing both distribution and ordering clauses");
  write.distribution = distributions == 1 ? "hash" : unordered ? "none" : locally ? "" : "range";
  return write;
}

// [CREATE OR] REPLACE (BRANCH | TAG) name options, CREATE (BRANCH | TAG) [IF NOT EXISTS] name
// options.
Result<TableChange> IcebergParser::RefClause() {
  PutRef ref;
  ref.create = Accept(Word::kCreate);
  ref.replace = !ref.create || At(Word::kOr);
  if (ref.create && ref.replace) Take();
  if (ref.replace) RETURN_IF_ERROR(Require(Word::kReplace));
  if (!AtAny({Word::kBranch, Word::kTag})) return NoViable(0);
  ref.tag = Take().word == Word::kTag;
  if (!ref.replace) ref.if_not_exists = AcceptWords({Word::kIf, Word::kNot, Word::kExists});
  ASSIGN_OR_RETURN(ref.name, Identifier());
  RETURN_IF_ERROR(RefOptions(ref));
  return ref;
}

// [AS OF VERSION n] [RETAIN n unit] [WITH SNAPSHOT RETENTION ...].
Status IcebergParser::RefOptions(PutRef& ref) {
  Expected following = {"'AS'", "'RETAIN'"};
  if (!ref.tag) following.emplace_back("'WITH'");
  if (Accept(Word::kAs)) {
    RETURN_IF_ERROR(Require(Word::kOf));
    RETURN_IF_ERROR(Require(Word::kVersion));
    ASSIGN_OR_RETURN(ref.snapshot_id, Number({"'-'", "INTEGER_VALUE"}));
    following.erase(following.begin());
  }
  if (Accept(Word::kRetain)) {
    ASSIGN_OR_RETURN(int64_t count, Number({"'-'", "INTEGER_VALUE"}));
    ASSIGN_OR_RETURN(ref.max_ref_age_ms, Duration(count));
    following = ref.tag ? Expected{} : Expected{"'WITH'"};
  }
  if (!ref.tag && At(Word::kWith)) {
    RETURN_IF_ERROR(Retention(ref));
    following.clear();
  }
  return End(following);
}

// WITH SNAPSHOT RETENTION (n SNAPSHOTS | n unit | n SNAPSHOTS n unit).
Status IcebergParser::Retention(PutRef& ref) {
  const size_t first = at_;
  Take();
  for (Word word : {Word::kSnapshot, Word::kRetention}) {
    if (!Accept(word)) return NoViable(first);
  }
  if (!AtNumber()) return NoViable(first);
  ASSIGN_OR_RETURN(int64_t count, Number({"INTEGER_VALUE"}));
  if (!Accept(Word::kSnapshots)) {
    if (!AtAny({Word::kDays, Word::kHours, Word::kMinutes})) return NoViable(first);
    ASSIGN_OR_RETURN(ref.max_snapshot_age_ms, Duration(count));
    return {};
  }
  ref.min_snapshots_to_keep = static_cast<int32_t>(count);
  if (!AtNumber()) return {};
  ASSIGN_OR_RETURN(int64_t age, Number({"INTEGER_VALUE"}));
  ASSIGN_OR_RETURN(ref.max_snapshot_age_ms, Duration(age));
  return {};
}

Result<int64_t> IcebergParser::Duration(int64_t count) {
  for (size_t i = 0; i < std::size(kUnits); ++i) {
    if (WordText(Peek().word) != kUnits[i]) continue;
    Take();
    int64_t millis = 0;
    if (__builtin_mul_overflow(count, kUnitMillis[i], &millis))
      return Raise("Retention is too long: " + std::to_string(count));
    return millis;
  }
  return Mismatched({"'DAYS'", "'HOURS'", "'MINUTES'"});
}

// --- orders and transforms -----------------------------------------------------------------------

Result<std::vector<OrderField>> IcebergParser::ParseSortOrder() {
  ASSIGN_OR_RETURN(std::vector<OrderField> order, Order());
  RETURN_IF_ERROR(End({}));
  return order;
}

Result<std::vector<OrderField>> IcebergParser::Order() {
  std::vector<OrderField> order;
  const bool parenthesized = Accept(Tok::kLeftParen);
  do {
    ASSIGN_OR_RETURN(OrderField field, OrderEntry());
    order.push_back(std::move(field));
  } while (Accept(Tok::kComma));
  if (parenthesized) RETURN_IF_ERROR(Require(Tok::kRightParen));
  return order;
}

Result<OrderField> IcebergParser::OrderEntry() {
  OrderField field;
  ASSIGN_OR_RETURN(field.transform, ParseTransform());
  field.descending = At(Word::kDesc);
  if (AtAny({Word::kAsc, Word::kDesc})) Take();
  field.nulls_first = !field.descending;
  if (Accept(Word::kNulls)) {
    if (!AtAny({Word::kFirst, Word::kLast})) return Mismatched({"'FIRST'", "'LAST'"});
    field.nulls_first = Take().word == Word::kFirst;
  }
  return field;
}

Result<Transform> IcebergParser::ParseTransform() {
  const size_t first = at_;
  Transform transform;
  if (AtIdentifier() && At(Tok::kLeftParen, 1)) {
    ASSIGN_OR_RETURN(transform.name, Identifier());
    Take();
    do {
      ASSIGN_OR_RETURN(TransformArgument argument, Argument());
      transform.args.push_back(std::move(argument));
    } while (Accept(Tok::kComma));
    RETURN_IF_ERROR(Require(Tok::kRightParen));
  } else {
    transform.name = "identity";
    ASSIGN_OR_RETURN(Name column, Multipart());
    transform.args.emplace_back(std::move(column));
  }
  transform.position = Span(first);
  return transform;
}

Result<TransformArgument> IcebergParser::Argument() {
  const bool name = AtIdentifier() && !AtString(1) && !AtAny({Word::kTrue, Word::kFalse});
  if (name) {
    ASSIGN_OR_RETURN(Name column, Multipart());
    return column;
  }
  ASSIGN_OR_RETURN(Literal literal, Constant());
  return literal;
}

// Numbers, booleans and strings, in the types of Spark's literals.
Result<Literal> IcebergParser::Constant() {
  const size_t first = at_;
  if (AtNumber() || (At(Tok::kMinus) && AtNumber(1))) {
    Accept(Tok::kMinus);
    Take();
  } else if (AtString() || AtAny({Word::kTrue, Word::kFalse})) {
    Take();
  } else if (AtIdentifier() && AtString(1)) {
    at_ += 2;
  } else {
    return NoViable(first);
  }
  ASSIGN_OR_RETURN(ExprPtr expr, ParseExpression(TextBetween(tokens_[first].start, LastStop())));
  const auto* literal = expr->As<Literal>();
  if (literal == nullptr) return NoViable(first);
  return *literal;
}

// --- names and numbers ---------------------------------------------------------------------------

Result<std::string> IcebergParser::Identifier() {
  if (At(Tok::kBackquoted)) return UnquoteIdentifier(Text(Take()));
  if (!At(Tok::kWord) || AtAny({Word::kRetention, Word::kArray})) return NoViable(at_);
  return std::string(Text(Take()));
}

Result<Name> IcebergParser::Multipart() {
  Name name;
  do {
    ASSIGN_OR_RETURN(std::string part, Identifier());
    name.push_back(std::move(part));
  } while (Accept(Tok::kDot));
  return name;
}

Result<std::vector<Name>> IcebergParser::FieldList() {
  std::vector<Name> fields;
  do {
    ASSIGN_OR_RETURN(Name field, Multipart());
    fields.push_back(std::move(field));
  } while (Accept(Tok::kComma));
  return fields;
}

Result<int64_t> IcebergParser::Number(const Expected& expected) {
  const bool negative = At(Tok::kMinus) && At(Tok::kInteger, 1) && Accept(Tok::kMinus);
  if (!AtAny({Tok::kInteger, Tok::kBigInt})) return Mismatched(expected);
  std::string digits(Text(Take()));
  if (digits.back() == 'L' || digits.back() == 'l') digits.pop_back();
  const auto value = ParseInt64((negative ? "-" : "") + digits);
  if (!value) return Raise("For input string: \"" + digits + "\"");
  return *value;
}

}  // namespace iceblink::sql
