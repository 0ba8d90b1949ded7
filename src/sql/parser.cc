// Entry points, names and the small parts that many statements share.
#include "sql/parser.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "sql/iceberg_parser.h"
#include "sql/query_context.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

// --- entry points --------------------------------------------------------------------------------

Result<Statement> ParseStatement(std::string_view text) {
  return IsIcebergStatement(text) ? ParseIcebergStatement(text)
                                  : StatementParser(text).ParseStatement();
}
Result<QueryPtr> ParseQuery(std::string_view text) { return StatementParser(text).ParseQuery(); }
Result<NamedExpr> ParseNamedExpression(std::string_view text) {
  return StatementParser(text).ParseNamedExpression();
}
Result<ExprPtr> ParseExpression(std::string_view text) {
  ASSIGN_OR_RETURN(NamedExpr named, StatementParser(text).ParseNamedExpression());
  return std::move(named.expr);
}
Result<DataType> ParseDataType(std::string_view text) {
  return StatementParser(text).ParseDataType();
}
Result<DataType> ParseTableSchema(std::string_view text) {
  return StatementParser(text).ParseTableSchema();
}
Result<Name> ParseMultipartIdentifier(std::string_view text) {
  return StatementParser(text).ParseMultipartIdentifier();
}

template <typename T>
Result<T> StatementParser::Whole(Result<T> parsed) {
  if (unclosed_comment_) {
    return Fail(PointError(
        "UNCLOSED_BRACKETED_COMMENT", "42601",
        "Found an unclosed bracketed comment. Please, append */ at the end of the comment.", text_,
        Peek().line, Peek().column));
  }
  if (parsed) RETURN_IF_ERROR(ExpectEnd());
  return parsed;
}

Result<Statement> StatementParser::ParseStatement() {
  if (iceblink::Trim(text_).empty()) {
    return Fail(PointError("PARSE_EMPTY_STATEMENT", "42617",
                           "Syntax error, unexpected empty statement.", text_, 1, 0));
  }
  ASSIGN_OR_RETURN(StatementNode node, Whole(StatementBody()));
  return Statement{std::move(node), std::string(text_)};
}

Result<QueryPtr> StatementParser::ParseQuery() { return Whole(QueryExpression()); }
Result<NamedExpr> StatementParser::ParseNamedExpression() { return Whole(NamedExpression()); }
Result<Name> StatementParser::ParseMultipartIdentifier() { return Whole(MultipartIdentifier()); }
Result<DataType> StatementParser::ParseDataType() { return Whole(Type()); }

Result<DataType> StatementParser::ParseTableSchema() {
  ASSIGN_OR_RETURN(std::vector<StructField> fields, Whole(StructFields()));
  return DataType::Struct(std::move(fields));
}

tl::unexpected<Error> StatementParser::TooComplex() const {
  return Fail(
      PointError("FAILED_TO_PARSE_TOO_COMPLEX", "54001",
                 "The statement, including potential SQL functions and referred views, was too "
                 "complex to parse. To "
                 "mitigate this error divide the statement into multiple, less complex chunks.",
                 text_, Peek().line, Peek().column));
}

// --- names ---------------------------------------------------------------------------------------

tl::unexpected<Error> StatementParser::InvalidIdentifier(std::string_view identifier,
                                                         const Position& position) const {
  const std::string name(identifier);
  return Fail(PointError(
      "INVALID_IDENTIFIER", "42602",
      "The unquoted identifier " + name + " is invalid and must be back quoted as: `" + name +
          "`. Unquoted identifiers can only contain ASCII letters ('a' - 'z', 'A' - 'Z'), digits "
          "('0' - '9'), "
          "and underbar ('_'). Unquoted identifiers must also not start with a digit. Different "
          "data sources "
          "and meta stores may impose additional restrictions on valid identifiers.",
      text_, position.line, position.column));
}

Result<std::string> StatementParser::CheckedWord(const Token& token) const {
  if (token.kind == Tok::kBackquoted) return UnquoteIdentifier(Text(token));
  const std::string_view text = Text(token);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (std::all_of(text.begin(), text.end(), allowed)) return std::string(text);
  return InvalidIdentifier(text, {token.line, token.column, token.start, token.stop});
}

Result<std::string> StatementParser::Identifier() {
  if (!AtIdentifier()) return SyntaxError();
  return CheckedWord(Take());
}

Result<std::string> StatementParser::StrictIdentifier() {
  if (!AtStrictIdentifier()) return SyntaxError();
  return CheckedWord(Take());
}

// An identifier where no expression can follow: `test-table` gets its own error.
Result<std::string> StatementParser::CapturingIdentifier() {
  const size_t first = at_;
  ASSIGN_OR_RETURN(std::string name, Identifier());
  if (!At(Tok::kMinus) || !AtIdentifier(1)) return name;
  while (At(Tok::kMinus) && AtIdentifier(1)) at_ += 2;
  const Position position = Span(first);
  return InvalidIdentifier(TextBetween(position.start, position.stop), position);
}

Result<Name> StatementParser::MultipartIdentifier() {
  Name name;
  do {
    ASSIGN_OR_RETURN(std::string part, CapturingIdentifier());
    name.push_back(std::move(part));
  } while (Accept(Tok::kDot));
  return name;
}

Result<Name> StatementParser::IdentifierReference() {
  if (At(Word::kIdentifier) && At(Tok::kLeftParen, 1)) return IdentifierFunction();
  return MultipartIdentifier();
}

// IDENTIFIER('a.b'): the constant text is parsed as a name.
Result<Name> StatementParser::IdentifierFunction() {
  const size_t first = at_;
  at_ += 2;
  ASSIGN_OR_RETURN(ExprPtr expr, Expression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  std::string text;
  for (std::vector<const Expr*> pending{expr.get()}; !pending.empty();) {
    const Expr* next = pending.back();
    pending.pop_back();
    const auto* literal = next->As<Literal>();
    const auto* concat = next->As<BinaryOp>();
    if (literal && literal->value.Is<std::string>()) {
      text += literal->value.As<std::string>();
    } else if (concat && concat->op == BinaryOperator::kConcat) {
      pending.push_back(concat->right.get());
      pending.push_back(concat->left.get());
    } else {
      return CheckError(
          "NOT_A_CONSTANT_STRING.NOT_CONSTANT", "42601",
          "The expression " +
              std::string(TextBetween(tokens_[first + 2].start, tokens_[at_ - 1].start)) +
              " used for the routine or clause IDENTIFIER must be a constant STRING which is NOT "
              "NULL. To be "
              "considered constant the expression must not depend on any columns, contain a "
              "subquery, or invoke a "
              "non deterministic function such as rand().",
          Span(first));
    }
  }
  return sql::ParseMultipartIdentifier(text);
}

Result<std::vector<std::string>> StatementParser::IdentifierList() {
  std::vector<std::string> names;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(std::string name, CapturingIdentifier());
    names.push_back(std::move(name));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return names;
}

Result<std::vector<Name>> StatementParser::MultipartIdentifierList() {
  std::vector<Name> names;
  do {
    ASSIGN_OR_RETURN(Name name, MultipartIdentifier());
    names.push_back(std::move(name));
  } while (Accept(Tok::kComma));
  return names;
}

Result<Name> StatementParser::OptionalIn() {
  if (!AtAny({Word::kFrom, Word::kIn}) || !AtIdentifier(1)) return Name{};
  Take();
  return IdentifierReference();
}

bool StatementParser::AcceptIfNotExists() {
  if (!At(Word::kIf) || !AtNot(1) || !At(Word::kExists, 2)) return false;
  at_ += 3;
  return true;
}

// --- constants and properties --------------------------------------------------------------------

Result<std::string> StatementParser::StringLiteral() {
  if (!AtString()) return SyntaxError();
  std::string text;
  while (AtString()) text += UnescapeString(Text(Take()));
  return text;
}

Result<std::optional<std::string>> StatementParser::OptionalPattern() {
  const bool like = Accept(Word::kLike);
  if (!like && !AtString()) return std::nullopt;
  return StringLiteral();
}

Result<int64_t> StatementParser::IntegerValue() {
  if (!At(Tok::kInteger)) return SyntaxError();
  const size_t first = at_;
  const std::string text(Text(Take()));
  if (const auto value = ParseInt64(text)) return *value;
  return CheckError("INVALID_NUMERIC_LITERAL_RANGE", "22003",
                    "Numeric literal " + text +
                        " is outside the valid range for bigint with minimum value of "
                        "-9223372036854775808 and maximum value of "
                        "9223372036854775807. Please adjust the value accordingly.",
                    Span(first));
}

// A key of one literal: a second one is the value, before which the equals sign may be left out.
Result<std::string> StatementParser::PropertyKey() {
  if (AtString()) return UnescapeString(Text(Take()));
  ASSIGN_OR_RETURN(Name key, MultipartIdentifier());
  return iceblink::Join(key, ".");
}

// A constant as text; with `expressions` (OPTIONS) any expression.
Result<std::string> StatementParser::PropertyValue(bool expressions) {
  if (AtString() && !(expressions && AtAny({Tok::kConcat, Tok::kDoubleColon}, 1)))
    return StringLiteral();
  if (AtAny({Word::kTrue, Word::kFalse})) return AsciiLower(Text(Take()));
  if (AtAny({Tok::kInteger, Tok::kDecimal})) return std::string(Text(Take()));
  if (!expressions) return SyntaxError();
  const int32_t start = Peek().start;
  RETURN_IF_ERROR(Expression());
  return std::string(TextBetween(start, LastStop()));
}

Result<PropertyMap> StatementParser::PropertyList(bool expressions) {
  const size_t first = at_;
  PropertyMap properties;
  std::string without_value;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(std::string key, PropertyKey());
    std::string value;
    if (Accept(Tok::kEq) || !AtAny({Tok::kComma, Tok::kRightParen})) {
      ASSIGN_OR_RETURN(value, PropertyValue(expressions));
    } else {
      without_value += (without_value.empty() ? "" : ",") + key;
    }
    for (const auto& property : properties) {
      if (property.first != key) continue;
      return CheckError("DUPLICATE_KEY", "23505",
                        "Found duplicate keys " + QuoteIdentifier(key) + ".", Span(first));
    }
    properties.emplace_back(std::move(key), std::move(value));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  if (!without_value.empty())
    return NotAllowed("Values must be specified for key(s): [" + without_value + "]", Span(first));
  return properties;
}

// The keys of UNSET.
Result<std::vector<std::string>> StatementParser::PropertyKeys() {
  const size_t first = at_;
  std::vector<std::string> keys;
  std::string with_value;
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    ASSIGN_OR_RETURN(std::string key, PropertyKey());
    if (Accept(Tok::kEq) || !AtAny({Tok::kComma, Tok::kRightParen})) {
      RETURN_IF_ERROR(PropertyValue(false));
      with_value += (with_value.empty() ? "" : ",") + key;
    }
    keys.push_back(std::move(key));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  if (!with_value.empty())
    return NotAllowed("Values should not be specified for key(s): [" + with_value + "]",
                      Span(first));
  return keys;
}

Result<PartitionSpec> StatementParser::OptionalPartitionSpec() {
  if (!At(Word::kPartition) || !At(Tok::kLeftParen, 1)) return PartitionSpec{};
  return RequiredPartitionSpec();
}

// PARTITION (a = 1, b).
Result<PartitionSpec> StatementParser::RequiredPartitionSpec() {
  const size_t first = at_;
  PartitionSpec spec;
  RETURN_IF_ERROR(Expect(Word::kPartition));
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  do {
    PartitionValue entry;
    ASSIGN_OR_RETURN(entry.name, Identifier());
    if (Accept(Tok::kEq)) {
      ASSIGN_OR_RETURN(entry.value, ConstantOnly());
    }
    for (const PartitionValue& other : spec) {
      if (other.name != entry.name) continue;
      return CheckError("DUPLICATE_KEY", "23505",
                        "Found duplicate keys " + QuoteIdentifier(entry.name) + ".", Span(first));
    }
    spec.push_back(std::move(entry));
  } while (Accept(Tok::kComma));
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return spec;
}

}  // namespace iceblink::sql
