// Tokens of Spark SQL text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iceblink::sql {

enum class Word : uint16_t {
  kNotAWord,  // an identifier without a meaning of its own, or no word at all
#define WORD(enumerator, text) enumerator,
#include "sql/words.inc"
#undef WORD
};

enum class Tok : uint8_t {
  kEnd,
  kWord,          // keyword or unquoted identifier
  kBackquoted,    // `a`
  kString,        // 'a', r'a', r"a"
  kDoubleString,  // "a"
  kInteger,       // 12
  kBigInt,        // 12L
  kSmallInt,      // 12S
  kTinyInt,       // 12Y
  kExponent,      // 1e3
  kDecimal,       // 1.2
  kFloat,         // 1.2F
  kDouble,        // 1.2D
  kBigDecimal,    // 1.2BD
  kSemicolon,
  kLeftParen,
  kRightParen,
  kComma,
  kDot,
  kLeftBracket,
  kRightBracket,
  kBang,
  kEq,          // = ==
  kNullSafeEq,  // <=>
  kNotEq,       // <>
  kBangEq,      // !=
  kLt,
  kLtEq,  // <= !>
  kGt,
  kGtEq,       // >= !<
  kShiftLeft,  // <<; right shifts are adjacent kGt, so that nested types close
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kTilde,
  kAmpersand,
  kPipe,
  kConcat,        // ||
  kPipeOperator,  // |>
  kHat,
  kColon,
  kDoubleColon,
  kArrow,      // ->
  kFatArrow,   // =>
  kHintStart,  // /*+
  kHintEnd,    // */
  kQuestion,
  kUnrecognized,
};

struct Token {
  Tok kind = Tok::kEnd;
  Word word = Word::kNotAWord;
  int32_t start = 0;   // first byte
  int32_t stop = 0;    // one past the last byte
  int32_t line = 1;    // from 1
  int32_t column = 0;  // from 0, in code points
};

struct TokenList {
  std::vector<Token> tokens;      // the last is kEnd
  bool unclosed_comment = false;  // a /* without its */
};

// Cuts the text into tokens; space and comments vanish. Never fails: what no rule knows is
// kUnrecognized.
TokenList Tokenize(std::string_view text);

// Returns the word of a spelling in any case; kNotAWord for other identifiers.
Word FindWord(std::string_view text);
// Returns the word's spelling in upper case; "" for kNotAWord.
std::string_view WordText(Word word);
// Returns the operator's or bracket's spelling; "" for tokens with variable text.
std::string_view TokText(Tok kind);

// Returns the value of a string token, with quotes removed and escapes replaced.
std::string UnescapeString(std::string_view token_text);
// Returns the name in a back-quoted token.
std::string UnquoteIdentifier(std::string_view token_text);

}  // namespace iceblink::sql
