#include "sql/token_reader.h"

#include <algorithm>

#include "base/strings.h"
#include "sql/query_context.h"

namespace iceblink::sql {

namespace {

// Token text as messages show it.
std::string Shown(std::string_view text) {
  std::string shown = ReplaceAll(text, "\n", "\\n");
  shown = ReplaceAll(shown, "\r", "\\r");
  return ReplaceAll(shown, "\t", "\\t");
}

}  // namespace

TokenReader::TokenReader(std::string_view text) : text_(text) {
  TokenList list = Tokenize(text);
  tokens_ = std::move(list.tokens);
  unclosed_comment_ = list.unclosed_comment;
  matching_.assign(tokens_.size(), static_cast<uint32_t>(tokens_.size() - 1));
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind == Tok::kLeftParen) open.push_back(i);
    if (tokens_[i].kind == Tok::kRightParen && !open.empty()) {
      matching_[open.back()] = i;
      open.pop_back();
    }
  }
}

bool TokenReader::AtAny(std::initializer_list<Word> words, size_t ahead) const {
  const Word word = Peek(ahead).word;
  return word != Word::kNotAWord && std::find(words.begin(), words.end(), word) != words.end();
}

bool TokenReader::AtAny(std::initializer_list<Tok> kinds, size_t ahead) const {
  return std::find(kinds.begin(), kinds.end(), Peek(ahead).kind) != kinds.end();
}

bool TokenReader::AtWords(std::initializer_list<Word> words) const {
  size_t ahead = 0;
  return std::all_of(words.begin(), words.end(), [&](Word word) { return At(word, ahead++); });
}

bool TokenReader::AtStrictIdentifier(size_t ahead) const {
  return AtIdentifier(ahead) &&
         !AtAny({Word::kAnti, Word::kCross, Word::kExcept, Word::kFull, Word::kInner,
                 Word::kIntersect, Word::kJoin, Word::kLateral, Word::kLeft, Word::kNatural,
                 Word::kOn, Word::kRight, Word::kSemi, Word::kMinus, Word::kUnion, Word::kUsing},
                ahead);
}

bool TokenReader::Accept(Tok kind) {
  if (!At(kind)) return false;
  Take();
  return true;
}

bool TokenReader::Accept(Word word) {
  if (!At(word)) return false;
  Take();
  return true;
}

bool TokenReader::AcceptWords(std::initializer_list<Word> words) {
  if (!AtWords(words)) return false;
  at_ += words.size();
  return true;
}

Status TokenReader::Expect(Tok kind, bool insertable) {
  if (Accept(kind)) return {};
  if (At(kind, 1) && !At(Tok::kEnd))
    return SyntaxError(Peek(), ": extra input '" + Shown(Text(Peek())) + "'");
  if (insertable) return SyntaxError(Peek(), ": missing '" + std::string(TokText(kind)) + "'");
  return SyntaxError();
}

Status TokenReader::Expect(Word word, bool insertable) {
  if (Accept(word)) return {};
  if (insertable) return SyntaxError(Peek(), ": missing '" + std::string(WordText(word)) + "'");
  return SyntaxError();
}

Status TokenReader::ExpectWords(std::initializer_list<Word> words) {
  for (Word word : words) RETURN_IF_ERROR(Expect(word));
  return {};
}

Status TokenReader::ExpectEnd() {
  const size_t before = at_;
  while (Accept(Tok::kSemicolon)) {
  }
  if (At(Tok::kEnd)) return {};
  const bool extra = AtAny({Tok::kEnd, Tok::kSemicolon}, 1) && before == at_;
  return extra ? SyntaxError(Peek(), ": extra input '" + Shown(Text(Peek())) + "'") : SyntaxError();
}

Position TokenReader::Span(size_t first) const {
  const Token& begin = tokens_[first];
  return {begin.line, begin.column, begin.start, at_ > first ? tokens_[at_ - 1].stop : begin.stop};
}

tl::unexpected<Error> TokenReader::SyntaxError(const Token& token, std::string_view hint) const {
  const std::string near =
      token.kind == Tok::kEnd ? "end of input" : "'" + Shown(Text(token)) + "'";
  return Fail(PointError("PARSE_SYNTAX_ERROR", "42601",
                         "Syntax error at or near " + near + std::string(hint) + ".", text_,
                         token.line, token.column));
}

tl::unexpected<Error> TokenReader::CheckError(std::string_view condition,
                                              std::string_view sql_state, std::string_view message,
                                              const Position& position) const {
  return Fail(ContextError(ErrorCode::kSyntax, "ParseException", condition, sql_state, message,
                           text_, position));
}

tl::unexpected<Error> TokenReader::NotAllowed(std::string_view message,
                                              const Position& position) const {
  return CheckError("_LEGACY_ERROR_TEMP_0035", "",
                    "Operation not allowed: " + std::string(message) + ".", position);
}

size_t TokenReader::AfterMatching(size_t index) const {
  return std::min<size_t>(matching_[index] + 1, tokens_.size() - 1);
}

}  // namespace iceblink::sql
