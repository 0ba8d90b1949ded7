// A cursor over tokens with the errors of Spark's parser: the base of the Spark and the Iceberg
// statement parsers.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast_expression.h"
#include "sql/token.h"

namespace iceblink::sql {

class TokenReader {
 public:
  // Keeps the text by reference: it outlives the reader.
  explicit TokenReader(std::string_view text);

 protected:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool At(Tok kind, size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  bool At(Word word, size_t ahead = 0) const { return Peek(ahead).word == word; }
  bool AtAny(std::initializer_list<Word> words, size_t ahead = 0) const;
  bool AtAny(std::initializer_list<Tok> kinds, size_t ahead = 0) const;
  // True when the next tokens are these words.
  bool AtWords(std::initializer_list<Word> words) const;
  bool AtString(size_t ahead = 0) const { return AtAny({Tok::kString, Tok::kDoubleString}, ahead); }
  bool AtNumber(size_t ahead = 0) const {
    return Peek(ahead).kind >= Tok::kInteger && Peek(ahead).kind <= Tok::kBigDecimal;
  }
  // Any word or back-quoted name: almost every keyword of Spark may name something.
  bool AtIdentifier(size_t ahead = 0) const { return AtAny({Tok::kWord, Tok::kBackquoted}, ahead); }
  // As AtIdentifier without the join and set words, which cannot be a table alias.
  bool AtStrictIdentifier(size_t ahead = 0) const;
  bool AtEnd() const { return AtEndAt(0); }
  bool AtEndAt(size_t ahead) const { return AtAny({Tok::kEnd, Tok::kSemicolon}, ahead); }

  const Token& Take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool Accept(Tok kind);
  bool Accept(Word word);
  // Takes all of the words when they are next, none otherwise.
  bool AcceptWords(std::initializer_list<Word> words);

  // Take the token or fail at the next one. Where the token could simply be put in (`insertable`),
  // the message says what is missing; where one token too many stands before it, what is extra.
  Status Expect(Tok kind, bool insertable = false);
  Status Expect(Word word, bool insertable = false);
  Status ExpectWords(std::initializer_list<Word> words);
  Status ExpectEnd();

  std::string_view Text(const Token& token) const {
    return text_.substr(token.start, token.stop - token.start);
  }
  std::string_view TextBetween(int32_t start, int32_t stop) const {
    return text_.substr(start, stop - start);
  }
  // Returns the position of tokens `first` up to the last one taken.
  Position Span(size_t first) const;
  int32_t LastStop() const { return at_ == 0 ? 0 : tokens_[at_ - 1].stop; }

  // PARSE_SYNTAX_ERROR at the token; `hint` is "", ": missing 'FROM'" or ": extra input 'x'".
  tl::unexpected<Error> SyntaxError(const Token& token, std::string_view hint = {}) const;
  tl::unexpected<Error> SyntaxError() const { return SyntaxError(Peek()); }
  // An error of a check made while the tree is built, shown with the text of `position`.
  tl::unexpected<Error> CheckError(std::string_view condition, std::string_view sql_state,
                                   std::string_view message, const Position& position) const;

  // "Operation not allowed: message."
  tl::unexpected<Error> NotAllowed(std::string_view message, const Position& position) const;

  // Index of the token after the bracket that closes the one at `index`; the end token's when there
  // is none.
  size_t AfterMatching(size_t index) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<uint32_t> matching_;  // per token: index of its closing parenthesis
  size_t at_ = 0;
  bool unclosed_comment_ = false;
};

}  // namespace iceblink::sql
