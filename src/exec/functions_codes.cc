#include "exec/functions_codes.h"

#include "base/strings.h"

namespace iceblink::exec {

Datum Soundex(const RowArgs& args) {
  static constexpr std::string_view kCodes = "01230120022455012623010202";
  std::string text = AsciiUpper(args.Text(0));
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return std::string(args.Text(0));
  std::string out(1, text[0]);
  char last = kCodes[text[0] - 'A'];
  for (size_t i = 1; i < text.size() && out.size() < 4; ++i) {
    if (text[i] < 'A' || text[i] > 'Z') continue;
    char code = kCodes[text[i] - 'A'];
    if (code != '0' && code != last) out += code;
    if (text[i] != 'H' && text[i] != 'W') last = code;
  }
  out.resize(4, '0');
  return out;
}

Datum Luhn(const RowArgs& args) {
  std::string_view text = args.Text(0);
  int sum = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[text.size() - 1 - i];
    if (c < '0' || c > '9') return false;
    int digit = (c - '0') * (i % 2 == 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return !text.empty() && sum % 10 == 0;
}

}  // namespace iceblink::exec
