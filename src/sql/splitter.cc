#include "base/strings.h"
#include "sql/parser.h"

namespace iceblink::sql {

std::vector<std::string> StatementSplitter::Feed(std::string_view text) {
  std::vector<std::string> done;
  for (char c : text) {
    if (c == ';' && state_ == State::kCode) {
      std::string statement = Finish();
      if (!statement.empty()) done.push_back(std::move(statement));
    } else {
      Take(c);
    }
  }
  return done;
}

std::string StatementSplitter::Finish() {
  std::string statement = has_code_ ? std::string(iceblink::Trim(current_)) : std::string();
  *this = StatementSplitter();
  return statement;
}

void StatementSplitter::Take(char c) {
  current_ += c;
  const char before = previous_;
  previous_ = c;
  switch (state_) {
    case State::kCode:
      previous_ = before;
      TakeCode(c);
      return;
    case State::kString:
      if (before == '\\') {
        previous_ = 0;  // escaped, whatever it is
      } else if (c == quote_) {
        state_ = State::kCode;  // a doubled quote opens the string again at once
        previous_ = 0;
      }
      return;
    case State::kRawString:
    case State::kBackquote:
      if (c == quote_) {
        state_ = State::kCode;
        previous_ = 0;
      }
      return;
    case State::kLineComment:
      if (c == '\n') state_ = State::kCode;
      return;
    case State::kBlockComment:
      if (before == '/' && c == '*') {
        ++comment_depth_;
        previous_ = 0;
      } else if (before == '*' && c == '/') {
        previous_ = 0;
        if (--comment_depth_ == 0) state_ = State::kCode;
      }
      return;
  }
}

void StatementSplitter::TakeCode(char c) {
  const char before = previous_;
  previous_ = c;
  if (before == '-' && c == '-') {
    state_ = State::kLineComment;
  } else if (before == '/' && c == '*') {
    state_ = State::kBlockComment;
    comment_depth_ = 1;
    previous_ = 0;
  } else if (c == '\'' || c == '"') {
    state_ = before == 'r' || before == 'R' ? State::kRawString : State::kString;
    quote_ = c;
    previous_ = 0;
    has_code_ = true;
  } else if (c == '`') {
    state_ = State::kBackquote;
    quote_ = c;
    has_code_ = true;
  } else if (c != ' ' && (c < '\t' || c > '\r')) {
    // A lone - or / may open a comment: the character after it decides whether there was code.
    if ((c != '-' && c != '/') || before == '-' || before == '/') has_code_ = true;
  } else if (before == '-' || before == '/') {
    has_code_ = true;
  }
}

}  // namespace iceblink::sql
