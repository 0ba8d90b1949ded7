// The parser of the Iceberg extensions: ALTER TABLE ... PARTITION FIELD, WRITE ORDERED BY,
// IDENTIFIER FIELDS, BRANCH, TAG.
//
// It is asked first, but claims a statement only when its text holds one of the extensions'
// phrases; then its errors are the ones reported. They are IcebergParseExceptions in ANTLR's own
// words, without condition or place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/parser.h"
#include "sql/token_reader.h"

namespace iceblink::sql {

// Requires IsIcebergStatement(text).
Result<Statement> ParseIcebergStatement(std::string_view text);

class IcebergParser : private TokenReader {
 public:
  explicit IcebergParser(std::string_view text) : TokenReader(text) {}

  Result<Statement> ParseStatement();
  Result<std::vector<OrderField>> ParseSortOrder();

 private:
  using Expected = std::vector<std::string>;  // as ANTLR shows them: 'DAYS', <EOF>

  Result<TableChange> Change();
  Result<TableChange> AddField();
  Result<TableChange> DropClause();
  Result<TableChange> ReplaceField();
  Result<TableChange> WriteClauses();
  Result<TableChange> RefClause();
  Status RefOptions(PutRef& ref);
  Status Retention(PutRef& ref);
  Result<std::vector<OrderField>> Order();
  Result<OrderField> OrderEntry();
  Result<Transform> ParseTransform();
  Result<TransformArgument> Argument();
  Result<Literal> Constant();
  Result<Name> Multipart();
  Result<std::vector<Name>> FieldList();
  Result<std::string> Identifier();
  Result<int64_t> Number(const Expected& expected);
  Result<int64_t> Duration(int64_t count);
  Status Require(Word word);
  Status Require(Tok kind);
  Status End(Expected optional);

  tl::unexpected<Error> Mismatched(const Expected& expected) const;
  tl::unexpected<Error> NoViable(size_t first) const;
  tl::unexpected<Error> Raise(std::string message) const;
};

}  // namespace iceblink::sql
