// SET and RESET. Key and value of an ordinary SET are raw text up to the end, whatever tokens they
// hold.
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/strings.h"
#include "sql/statement_parser.h"

namespace iceblink::sql {

namespace {

bool IsPlainKey(std::string_view key) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == ':' || c == '\\';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), allowed);
}

}  // namespace

StatementParser::Node StatementParser::SetStatement() {
  const size_t first = at_;
  if (At(Word::kRole, 1)) {
    return CheckError("INVALID_STATEMENT_OR_CLAUSE", "42601",
                      "The statement or clause: SET ROLE is not valid.", Span(first));
  }
  if (AtWords({Word::kSet, Word::kTime, Word::kZone})) return SetTimeZoneStatement();
  if (AtAny({Word::kVariable, Word::kVar}, 1) && (AtIdentifier(2) || At(Tok::kLeftParen, 2)))
    return SetVariableStatement();
  if (At(Word::kCatalog, 1) && (AtIdentifier(2) || AtString(2))) {
    at_ += 2;
    SetCatalog set;
    ASSIGN_OR_RETURN(set.name, AtString() ? StringLiteral() : CapturingIdentifier());
    return set;
  }
  const int32_t start = Take().stop;  // SET
  SetConfig set;
  if (At(Tok::kBackquoted)) {
    set.key = UnquoteIdentifier(Text(Take()));
    if (Accept(Tok::kEq)) set.value = ConfigText(LastStop());
  } else {
    const std::string raw = ConfigText(start);
    const size_t equals = raw.find('=');
    const std::string_view key = iceblink::Trim(std::string_view(raw).substr(0, equals));
    if (raw == "-v") {
      set.verbose = true;
    } else if (IsPlainKey(key)) {
      set.key = key;
      if (equals != std::string::npos)
        set.value = iceblink::Trim(std::string_view(raw).substr(equals + 1));
    } else if (!raw.empty()) {
      return CheckError(
          "INVALID_SET_SYNTAX", "42000",
          "Expected format is 'SET', 'SET key', or 'SET key=value'. If you want to include special "
          "characters in "
          "key, or include semicolon in value, please use backquotes, e.g., SET `key`=`value`.",
          Span(first));
    }
  }
  if (set.value && set.value->size() >= 2 && set.value->front() == '`' &&
      set.value->back() == '`') {
    set.value = UnquoteIdentifier(*set.value);
  }
  at_ = tokens_.size() - 1;
  return set;
}

// The text from `start` to the end or the semicolon, trimmed.
std::string StatementParser::ConfigText(int32_t start) const {
  std::string_view rest = text_.substr(start);
  const size_t quoted = rest.find('`');
  const size_t semicolon = rest.find(';');
  if (quoted == std::string_view::npos || semicolon < quoted) rest = rest.substr(0, semicolon);
  while (!rest.empty() &&
         (rest.back() == ';' || std::isspace(static_cast<unsigned char>(rest.back()))))
    rest.remove_suffix(1);
  return std::string(iceblink::Trim(rest));
}

StatementParser::Node StatementParser::SetTimeZoneStatement() {
  const size_t first = at_;
  at_ += 3;
  SetTimeZone set;
  if (AtString()) {
    ASSIGN_OR_RETURN(set.zone, StringLiteral());
    return set;
  }
  if (Accept(Word::kLocal)) {
    set.zone = "LOCAL";
    return set;
  }
  if (AtInterval()) {
    ASSIGN_OR_RETURN(ExprPtr interval, IntervalExpression());
    set.offset = interval->As<Literal>()->value.As<Interval>();
    return set;
  }
  return CheckError("_LEGACY_ERROR_TEMP_0045", "", "Invalid time zone displacement value.",
                    Span(first));
}

// SET VARIABLE a = x, b = y; SET VARIABLE (a, b) = (query).
StatementParser::Node StatementParser::SetVariableStatement() {
  at_ += 2;
  SetVariable set;
  if (!At(Tok::kLeftParen)) {
    ASSIGN_OR_RETURN(set.assignments, Assignments());
    return set;
  }
  Take();
  ASSIGN_OR_RETURN(std::vector<Name> names, MultipartIdentifierList());
  for (Name& name : names) set.assignments.push_back({std::move(name), nullptr});
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  RETURN_IF_ERROR(Expect(Tok::kEq));
  RETURN_IF_ERROR(Expect(Tok::kLeftParen));
  ASSIGN_OR_RETURN(set.query, QueryExpression());
  RETURN_IF_ERROR(Expect(Tok::kRightParen));
  return set;
}

StatementParser::Node StatementParser::ResetStatement() {
  const size_t first = at_;
  const int32_t start = Take().stop;
  Reset reset;
  std::string raw = ConfigText(start);
  if (raw.size() >= 2 && raw.front() == '`' && raw.back() == '`') {
    reset.key = UnquoteIdentifier(raw);
  } else if (IsPlainKey(raw)) {
    reset.key = std::move(raw);
  } else if (!raw.empty()) {
    return CheckError("INVALID_RESET_COMMAND_FORMAT", "42000",
                      "Expected format is 'RESET' or 'RESET key'. If you want to include special "
                      "characters in key, please use "
                      "quotes, e.g., RESET `key`.",
                      Span(first));
  }
  at_ = tokens_.size() - 1;
  return reset;
}

}  // namespace iceblink::sql
