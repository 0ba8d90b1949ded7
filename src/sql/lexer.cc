// The lexer of Spark SQL: longest match, keywords in any case, as SqlBaseLexer.g4 has it.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "sql/token.h"

namespace iceblink::sql {

namespace {

struct WordRow {
  std::string_view text;
  Word word;
};
constexpr WordRow kWords[] = {
#define WORD(enumerator, text) {text, Word::enumerator},
#include "sql/words.inc"
#undef WORD
};

struct OperatorRow {
  std::string_view text;
  Tok kind;
};
// Longer spellings before their prefixes.
constexpr OperatorRow kOperators[] = {
    {"<=>", Tok::kNullSafeEq},
    {"/*+", Tok::kHintStart},
    {"==", Tok::kEq},
    {"=>", Tok::kFatArrow},
    {"<>", Tok::kNotEq},
    {"!=", Tok::kBangEq},
    {"<=", Tok::kLtEq},
    {"!>", Tok::kLtEq},
    {">=", Tok::kGtEq},
    {"!<", Tok::kGtEq},
    {"<<", Tok::kShiftLeft},
    {"||", Tok::kConcat},
    {"|>", Tok::kPipeOperator},
    {"::", Tok::kDoubleColon},
    {"->", Tok::kArrow},
    {"*/", Tok::kHintEnd},
    {";", Tok::kSemicolon},
    {"(", Tok::kLeftParen},
    {")", Tok::kRightParen},
    {",", Tok::kComma},
    {".", Tok::kDot},
    {"[", Tok::kLeftBracket},
    {"]", Tok::kRightBracket},
    {"!", Tok::kBang},
    {"=", Tok::kEq},
    {"<", Tok::kLt},
    {">", Tok::kGt},
    {"+", Tok::kPlus},
    {"-", Tok::kMinus},
    {"*", Tok::kStar},
    {"/", Tok::kSlash},
    {"%", Tok::kPercent},
    {"~", Tok::kTilde},
    {"&", Tok::kAmpersand},
    {"|", Tok::kPipe},
    {"^", Tok::kHat},
    {":", Tok::kColon},
    {"?", Tok::kQuestion},
};

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsWordByte(char c) {
  return IsAsciiLetter(c) || IsDigit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
constexpr char ToUpper(char c) {
  return (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  TokenList Run() {
    while (SkipSpaceAndComments()) {
      const int32_t start = at_;
      const int32_t line = line_;
      const int32_t column = column_;
      const Token token = Next();
      list_.tokens.push_back({token.kind, token.word, start, token.stop, line, column});
      Advance(token.stop);
    }
    list_.tokens.push_back({Tok::kEnd, Word::kNotAWord, at_, at_, line_, column_});
    return std::move(list_);
  }

 private:
  char At(int32_t i) const { return i < Size() ? text_[i] : '\0'; }
  int32_t Size() const { return static_cast<int32_t>(text_.size()); }
  bool StartsWith(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  // Moves to `stop`, keeping line and column (in code points).
  void Advance(int32_t stop) {
    for (; at_ < stop; ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        column_ = 0;
      } else if ((static_cast<unsigned char>(text_[at_]) & 0xC0) != 0x80) {
        ++column_;
      }
    }
  }

  // Returns the length of the white space character at `at_`, 0 when there is none.
  int32_t SpaceLength() const {
    const char c = At(at_);
    if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
    constexpr std::string_view kUnicodeSpaces[] = {
        "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
        "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87",
        "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xAF",
        "\xE2\x81\x9F", "\xE3\x80\x80"};
    if (static_cast<unsigned char>(c) < 0x80) return 0;
    for (std::string_view space : kUnicodeSpaces) {
      if (StartsWith(space)) return static_cast<int32_t>(space.size());
    }
    return 0;
  }

  // Returns false at the end of the text.
  bool SkipSpaceAndComments() {
    while (at_ < Size()) {
      if (const int32_t space = SpaceLength(); space > 0) {
        Advance(at_ + space);
      } else if (StartsWith("--")) {
        Advance(LineCommentEnd());
      } else if (StartsWith("/*") && !StartsWith("/*+")) {
        Advance(BlockCommentEnd());
      } else {
        return true;
      }
    }
    return false;
  }

  int32_t LineCommentEnd() const {
    int32_t i = at_ + 2;
    while (i < Size() && text_[i] != '\n' && text_[i] != '\r') {
      i += (text_[i] == '\\' && At(i + 1) == '\n') ? 2 : 1;
    }
    return i;
  }

  // Comments nest. An unclosed one reaches to the end of the text.
  int32_t BlockCommentEnd() {
    int depth = 0;
    for (int32_t i = at_; i < Size();) {
      const std::string_view pair = text_.substr(i, 2);
      if (pair == "/*") {
        ++depth;
        i += 2;
      } else if (pair == "*/") {
        i += 2;
        if (--depth == 0) return i;
      } else {
        ++i;
      }
    }
    list_.unclosed_comment = true;
    return Size();
  }

  static Token Make(Tok kind, int32_t stop, Word word = Word::kNotAWord) {
    return {kind, word, 0, stop, 0, 0};
  }

  Token Next() {
    const char c = At(at_);
    if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) return Number();
    if ((c == 'r' || c == 'R') && (At(at_ + 1) == '\'' || At(at_ + 1) == '"')) return RawString();
    if (IsWordByte(c)) return WordToken();
    if (c == '\'') return QuotedToken('\'', Tok::kString);
    if (c == '"') return QuotedToken('"', Tok::kDoubleString);
    if (c == '`') return BackquotedToken();
    for (const OperatorRow& row : kOperators) {
      if (StartsWith(row.text)) return Make(row.kind, at_ + static_cast<int32_t>(row.text.size()));
    }
    return Make(Tok::kUnrecognized, at_ + 1);
  }

  int32_t WordEnd(int32_t i) const {
    while (i < Size() && IsWordByte(text_[i])) ++i;
    return i;
  }

  Token WordToken() const {
    const int32_t end = WordEnd(at_);
    // A bare URI (s3://bucket/path) is one identifier, refused later with advice to quote it.
    if (text_.substr(end).starts_with("://")) {
      int32_t i = end + 3;
      const auto is_uri = [](char c) {
        return IsWordByte(c) || std::string_view("/-.?=&#%").find(c) != std::string_view::npos;
      };
      while (i < Size() && is_uri(text_[i])) ++i;
      if (i > end + 3) return Make(Tok::kWord, i);
    }
    return Make(Tok::kWord, end, FindWord(text_.substr(at_, end - at_)));
  }

  Token RawString() const {
    const size_t close = text_.find(text_[at_ + 1], at_ + 2);
    if (close == std::string_view::npos) return WordToken();
    return Make(Tok::kString, static_cast<int32_t>(close) + 1);
  }

  // 'it''s', 'it\'s'. Without a closing quote the quote alone is a token that fits nowhere.
  Token QuotedToken(char quote, Tok kind) const {
    for (int32_t i = at_ + 1; i < Size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (At(i + 1) != quote) return Make(kind, i + 1);
        ++i;
      }
    }
    return Make(Tok::kUnrecognized, at_ + 1);
  }

  Token BackquotedToken() const {
    for (int32_t i = at_ + 1; i < Size(); ++i) {
      if (text_[i] != '`') continue;
      if (At(i + 1) != '`') return Make(Tok::kBackquoted, i + 1);
      ++i;
    }
    return Make(Tok::kUnrecognized, at_ + 1);
  }

  int32_t DigitsEnd(int32_t i) const {
    while (IsDigit(At(i))) ++i;
    return i;
  }

  // Returns the end of an exponent at `i`, or `i` itself.
  int32_t ExponentEnd(int32_t i) const {
    if (ToUpper(At(i)) != 'E') return i;
    int32_t digits = i + 1;
    if (At(digits) == '+' || At(digits) == '-') ++digits;
    return IsDigit(At(digits)) ? DigitsEnd(digits) : i;
  }

  // Digits, an optional fraction and exponent, an optional suffix. Where letters follow, `12abc` is
  // a word and `1.2abc` is the integer 1, a dot and a word.
  Token Number() const {
    const int32_t digits = DigitsEnd(at_);
    const bool fraction = At(digits) == '.' && !(At(digits + 1) == '.');
    const int32_t mantissa = fraction ? DigitsEnd(digits + 1) : digits;
    const int32_t exponent = ExponentEnd(mantissa);
    const Token token = Suffixed(exponent, fraction, exponent > mantissa);
    if (!IsWordByte(At(token.stop))) return token;
    if (!fraction) return WordToken();
    if (digits == at_) return Make(Tok::kDot, at_ + 1);
    return IsWordByte(At(digits)) ? WordToken() : Make(Tok::kInteger, digits);
  }

  Token Suffixed(int32_t end, bool fraction, bool exponent) const {
    const char c = ToUpper(At(end));
    if (c == 'B' && ToUpper(At(end + 1)) == 'D') return Make(Tok::kBigDecimal, end + 2);
    if (c == 'D') return Make(Tok::kDouble, end + 1);
    if (c == 'F') return Make(Tok::kFloat, end + 1);
    if (exponent) return Make(Tok::kExponent, end);
    if (fraction) return Make(Tok::kDecimal, end);
    if (c == 'L') return Make(Tok::kBigInt, end + 1);
    if (c == 'S') return Make(Tok::kSmallInt, end + 1);
    if (c == 'Y') return Make(Tok::kTinyInt, end + 1);
    return Make(Tok::kInteger, end);
  }

  std::string_view text_;
  int32_t at_ = 0;
  int32_t line_ = 1;
  int32_t column_ = 0;
  TokenList list_;
};

// Reads `count` hexadecimal digits; returns false when there are fewer.
bool ReadHex(std::string_view text, size_t at, size_t count, uint32_t& value) {
  if (at + count > text.size()) return false;
  value = 0;
  for (char c : text.substr(at, count)) {
    const char upper = ToUpper(c);
    if (!IsDigit(c) && !(upper >= 'A' && upper <= 'F')) return false;
    value = value * 16 + static_cast<uint32_t>(IsDigit(c) ? c - '0' : upper - 'A' + 10);
  }
  return true;
}

bool ReadOctal(std::string_view text, size_t at, uint32_t& value) {
  if (at + 3 > text.size() || text[at] < '0' || text[at] > '1') return false;
  value = 0;
  for (char c : text.substr(at, 3)) {
    if (c < '0' || c > '7') return false;
    value = value * 8 + static_cast<uint32_t>(c - '0');
  }
  return true;
}

// Appends what the escape after the backslash at `at` stands for; returns the index after it.
size_t AppendEscape(std::string_view body, size_t at, std::string& out) {
  const size_t next = at + 1;
  uint32_t code = 0;
  if (next >= body.size()) return next;
  if (body[next] == 'u' && ReadHex(body, next + 1, 4, code)) {
    uint32_t low = 0;  // a surrogate pair is one character
    if (code >= 0xD800 && code < 0xDC00 && body.substr(next + 5, 2) == "\\u" &&
        ReadHex(body, next + 7, 4, low) && low >= 0xDC00 && low < 0xE000) {
      AppendUtf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
      return next + 11;
    }
    AppendUtf8(code, out);
    return next + 5;
  }
  if (body[next] == 'U' && ReadHex(body, next + 1, 8, code)) {
    AppendUtf8(code, out);
    return next + 9;
  }
  if (ReadOctal(body, next, code)) {
    AppendUtf8(code, out);
    return next + 3;
  }
  switch (body[next]) {
    case '0':
      out += '\0';
      break;
    case 'b':
      out += '\b';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case 'Z':
      out += '\x1A';
      break;
    case '%':
      out += "\\%";
      break;  // kept for LIKE
    case '_':
      out += "\\_";
      break;
    default:
      out += body[next];
      break;
  }
  return next + 1;
}

}  // namespace

Word FindWord(std::string_view text) {
  std::array<char, 24> upper;
  if (text.size() > upper.size()) return Word::kNotAWord;
  std::transform(text.begin(), text.end(), upper.begin(), ToUpper);
  const std::string_view key(upper.data(), text.size());
  const auto* row =
      std::lower_bound(std::begin(kWords), std::end(kWords), key,
                       [](const WordRow& r, std::string_view k) { return r.text < k; });
  if (row != std::end(kWords) && row->text == key) return row->word;
  if (key == "REGEXP") return Word::kRlike;
  if (key == "TEMP") return Word::kTemporary;
  return Word::kNotAWord;
}

TokenList Tokenize(std::string_view text) { return Lexer(text).Run(); }

std::string_view WordText(Word word) {
  return word == Word::kNotAWord ? "" : kWords[static_cast<size_t>(word) - 1].text;
}

std::string_view TokText(Tok kind) {
  // The last row of a kind is its usual spelling, except for == and !>.
  if (kind == Tok::kEq) return "=";
  for (const OperatorRow& row : kOperators) {
    if (row.kind == kind) return row.text;
  }
  return "";
}

std::string UnescapeString(std::string_view token_text) {
  if (token_text[0] == 'r' || token_text[0] == 'R')
    return std::string(token_text.substr(2, token_text.size() - 3));
  const char quote = token_text[0];
  const std::string_view body = token_text.substr(1, token_text.size() - 2);
  std::string out;
  out.reserve(body.size());
  for (size_t i = 0; i < body.size();) {
    if (body[i] == '\\') {
      i = AppendEscape(body, i, out);
    } else if (body[i] == quote) {  // doubled
      out += quote;
      i += 2;
    } else {
      out += body[i++];
    }
  }
  return out;
}

std::string UnquoteIdentifier(std::string_view token_text) {
  return ReplaceAll(token_text.substr(1, token_text.size() - 2), "``", "`");
}

}  // namespace iceblink::sql
