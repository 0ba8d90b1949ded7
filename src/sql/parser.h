// The Spark 4.1 dialect with the Iceberg extensions, from text to AST.
//
// Hand-written recursive descent over a token vector. Errors are those of Spark: condition
// PARSE_SYNTAX_ERROR with the offending token and its place, the conditions of checks made while
// the tree is built (MERGE_WITHOUT_WHEN, ...), or an IcebergParseException for statements that the
// extensions claim. Pure functions, safe from any thread. Nesting is bounded, so no input exhausts
// the stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/data_type.h"

namespace iceblink::sql {

// Parses one statement; trailing semicolons are allowed. Error code kSyntax, exception
// ParseException or IcebergParseException; the message's first line is Spark's, the following lines
// show the text and the place.
Result<Statement> ParseStatement(std::string_view text);

// Parses a query (what a view stores).
Result<QueryPtr> ParseQuery(std::string_view text);

// Parses a boolean or value expression, as in the `where` argument of a procedure or
// Dataset.filter(text).
Result<ExprPtr> ParseExpression(std::string_view text);
// Parses `expr [AS alias]`, as Dataset.selectExpr takes it.
Result<NamedExpr> ParseNamedExpression(std::string_view text);

// Parses a type: `array<struct<a: int>>`.
Result<DataType> ParseDataType(std::string_view text);
// Parses column definitions `a INT NOT NULL, b STRING COMMENT 'x'` to a struct.
Result<DataType> ParseTableSchema(std::string_view text);

// Parses `a.b.`c d``.
Result<Name> ParseMultipartIdentifier(std::string_view text);

// Parses sort orders as rewrite_data_files takes them: `zorder(a, b)` or `bucket(4, id) DESC NULLS
// LAST, b`, with the Iceberg parser and its errors.
Result<std::vector<OrderField>> ParseSortOrder(std::string_view text);

// Returns whether the Iceberg extensions claim the statement (and so which error style it has).
bool IsIcebergStatement(std::string_view text);

// Cuts a stream of text into statements at semicolons outside of strings, comments and back-quotes.
//
//   StatementSplitter splitter;
//   for each chunk: for (std::string& sql : splitter.Feed(chunk)) run(sql);
//   run(splitter.Finish());
//
// Not safe for concurrent use. A scripting block (BEGIN ... END) is not kept together; its first
// statement fails to parse.
class StatementSplitter {
 public:
  // Returns the statements completed by `text`, trimmed, without semicolons, and without those that
  // hold nothing but comments.
  std::vector<std::string> Feed(std::string_view text);
  // Returns what remains, trimmed (empty when only space and comments remain), and starts over.
  std::string Finish();
  // Returns whether a statement has begun: the shell then shows its continuation prompt.
  bool pending() const { return has_code_; }

 private:
  enum class State : uint8_t {
    kCode,
    kString,
    kRawString,
    kBackquote,
    kLineComment,
    kBlockComment
  };
  void Take(char c);
  void TakeCode(char c);

  std::string current_;
  State state_ = State::kCode;
  char quote_ = 0;         // the quote that closes the string
  char previous_ = 0;      // the last character when it may pair with the next one, else 0
  int comment_depth_ = 0;  // block comments nest
  bool has_code_ = false;
};

}  // namespace iceblink::sql
