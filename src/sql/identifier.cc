#include "sql/identifier.h"

#include <algorithm>

namespace iceblink::sql {

std::string QuoteIdentifier(std::string_view name) {
  std::string quoted = "`";
  for (char c : name) {
    if (c == '`') quoted += '`';
    quoted += c;
  }
  return quoted + "`";
}

std::string QuoteIfNeeded(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), is_word) &&
                     !std::all_of(name.begin(), name.end(), is_digit);
  return plain ? std::string(name) : QuoteIdentifier(name);
}

namespace {

template <typename Quote>
std::string Join(const Name& name, Quote quote) {
  std::string joined;
  for (const std::string& part : name) {
    if (!joined.empty()) joined += '.';
    joined += quote(part);
  }
  return joined;
}

}  // namespace

std::string QuoteName(const Name& name) { return Join(name, QuoteIdentifier); }
std::string QuoteNameIfNeeded(const Name& name) { return Join(name, QuoteIfNeeded); }

}  // namespace iceblink::sql
