// Strings as Spark has them: positions count code points, regular expressions are Java's as far as
// RE2 goes.
#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/decimal.h"
#include "base/strings.h"
#include "exec/functions_codes.h"
#include "exec/java_text.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

// ---- code points
// -----------------------------------------------------------------------------------------------------

// Byte offset of the code point number `index`, at most the text's end.
size_t OffsetOf(std::string_view text, int64_t index) {
  return index <= 0 ? 0 : CodePointPrefix(text, static_cast<size_t>(index)).size();
}

std::string_view Slice(std::string_view text, int64_t begin, int64_t end) {
  size_t from = OffsetOf(text, begin), to = OffsetOf(text, std::max(begin, end));
  return text.substr(from, to - from);
}

// Spark's substring: 1-based, 0 acts as 1, negative from the end.
std::pair<int64_t, int64_t> SubstringRange(int64_t length, int64_t position, int64_t count) {
  int64_t begin = position > 0 ? position - 1 : (position < 0 ? length + position : 0);
  int64_t end = count > length - begin ? length : begin + count;
  if (count <= 0) end = begin;
  return {std::max<int64_t>(begin, 0), std::max<int64_t>(end, 0)};
}

Datum Substring(const RowArgs& args) {
  std::string_view text = args.Text(0);
  auto [begin, end] =
      SubstringRange(static_cast<int64_t>(CodePointCount(text)), args.Long(1), args.Long(2));
  return std::string(Slice(text, begin, end));
}
Datum SubstringBinary(const RowArgs& args) {
  std::string_view bytes = args.Text(0);
  auto [begin, end] =
      SubstringRange(static_cast<int64_t>(bytes.size()), args.Long(1), args.Long(2));
  if (begin >= static_cast<int64_t>(bytes.size())) return std::string();
  return std::string(bytes.substr(begin, end - begin));
}
Datum Left(const RowArgs& args) { return std::string(Slice(args.Text(0), 0, args.Long(1))); }
Datum LeftBinary(const RowArgs& args) {
  return std::string(
      args.Text(0).substr(0, static_cast<size_t>(std::max<int64_t>(args.Long(1), 0))));
}
Datum Right(const RowArgs& args) {
  auto length = static_cast<int64_t>(CodePointCount(args.Text(0)));
  return std::string(Slice(args.Text(0), std::max<int64_t>(0, length - args.Long(1)), length));
}

Datum Locate(const RowArgs& args) {
  std::string_view needle = args.Text(0), text = args.Text(1);
  int64_t start = args.Long(2);
  if (start < 1) return int64_t{0};
  size_t found = text.find(needle, OffsetOf(text, start - 1));
  return found == std::string_view::npos
             ? int64_t{0}
             : static_cast<int64_t>(CodePointCount(text.substr(0, found))) + 1;
}

Datum Overlay(const RowArgs& args) {
  std::string_view text = args.Text(0), with = args.Text(1);
  int64_t position = args.Long(2), count = args.Long(3);
  if (count < 0) count = static_cast<int64_t>(CodePointCount(with));
  auto length = static_cast<int64_t>(CodePointCount(text));
  return std::string(Slice(text, 0, position - 1)) + std::string(with) +
         std::string(Slice(text, position - 1 + count, length));
}

// ---- case
// ------------------------------------------------------------------------------------------------------------

Datum Lower(const RowArgs& args) { return Utf8Lower(args.Text(0)); }

Datum Initcap(const RowArgs& args) {
  std::string lower = Utf8Lower(args.Text(0));
  bool first = true;
  for (char& c : lower) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    first = c == ' ';
  }
  return lower;
}

// ---- regular expressions
// ---------------------------------------------------------------------------------------------

// Compiled patterns, shared by all threads.
const RE2& Pattern(std::string_view text) {
  static std::mutex mutex;
  static auto* const patterns = new std::map<std::string, std::unique_ptr<RE2>, std::less<>>();
  constexpr size_t kMaxPatterns = 4096;
  thread_local std::string last_text;
  thread_local const RE2* last = nullptr;
  if (last != nullptr && last_text == text) return *last;
  std::lock_guard lock(mutex);
  auto it = patterns->find(text);
  if (it == patterns->end()) {
    RE2::Options options;
    options.set_log_errors(false);
    auto pattern = std::make_unique<RE2>(std::string(text), options);
    if (!pattern->ok()) {
      ThrowSpark(
          {"INVALID_PARAMETER_VALUE.PATTERN", "22023", "SparkRuntimeException",
           fmt::format("The value of parameter(s) `regexp` in `rlike` is invalid: '{}'.", text)});
    }
    // A column of patterns is rare; then each is compiled anew rather than kept for good.
    if (patterns->size() >= kMaxPatterns)
      ThrowSpark({"INVALID_PARAMETER_VALUE.PATTERN", "22023", "SparkRuntimeException",
                  "too many different regular expressions"});
    it = patterns->emplace(std::string(text), std::move(pattern)).first;
  }
  last_text = text;
  last = it->second.get();
  return *last;
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

Datum Rlike(const RowArgs& args) {
  return RE2::PartialMatch(Piece(args.Text(0)), Pattern(args.Text(1)));
}

// Java writes groups as $1 and escapes with a backslash.
std::string JavaReplacement(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() &&
        std::isdigit(static_cast<unsigned char>(text[i + 1]))) {
      out += '\\';
      out += text[++i];
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      if (text[i] == '\\')
        out += "\\\\";
      else
        out += text[i];
    } else if (text[i] == '\\') {
      out += "\\\\";
    } else {
      out += text[i];
    }
  }
  return out;
}

Datum RegexpReplace(const RowArgs& args) {
  std::string_view text = args.Text(0);
  size_t start = OffsetOf(text, args.Long(3) - 1);
  std::string rest(text.substr(start));
  RE2::GlobalReplace(&rest, Pattern(args.Text(1)), JavaReplacement(args.Text(2)));
  return std::string(text.substr(0, start)) + rest;
}

// Calls `visit` with the groups of each match, in order.
void ForEachMatch(std::string_view text, const RE2& pattern,
                  const std::function<bool(const std::vector<re2::StringPiece>&)>& visit) {
  std::vector<re2::StringPiece> groups(pattern.NumberOfCapturingGroups() + 1);
  size_t at = 0;
  re2::StringPiece piece = Piece(text);
  while (at <= text.size() && pattern.Match(piece, at, text.size(), RE2::UNANCHORED, groups.data(),
                                            static_cast<int>(groups.size()))) {
    if (!visit(groups)) return;
    size_t end = static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
  }
}

void CheckGroup(int64_t group, const RE2& pattern, std::string_view function) {
  if (group >= 0 && group <= pattern.NumberOfCapturingGroups()) return;
  ThrowSpark({"INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX", "22023", "SparkRuntimeException",
              fmt::format("The value of parameter(s) `idx` in `{}` is invalid: Expects group index "
                          "between 0 and {}, but got {}.",
                          function, pattern.NumberOfCapturingGroups(), group)});
}

Datum RegexpExtract(const RowArgs& args) {
  const RE2& pattern = Pattern(args.Text(1));
  CheckGroup(args.Long(2), pattern, "regexp_extract");
  std::string out;
  ForEachMatch(args.Text(0), pattern, [&](const auto& groups) {
    out = std::string(groups[static_cast<size_t>(args.Long(2))]);
    return false;
  });
  return out;
}

Datum RegexpExtractAll(const RowArgs& args) {
  const RE2& pattern = Pattern(args.Text(1));
  CheckGroup(args.Long(2), pattern, "regexp_extract_all");
  TextList out;
  ForEachMatch(args.Text(0), pattern, [&](const auto& groups) {
    out.emplace_back(groups[static_cast<size_t>(args.Long(2))]);
    return true;
  });
  return out;
}

Datum RegexpCount(const RowArgs& args) {
  int64_t count = 0;
  ForEachMatch(args.Text(0), Pattern(args.Text(1)), [&](const auto&) { return ++count > 0; });
  return count;
}

Datum RegexpInstr(const RowArgs& args) {
  int64_t at = 0;
  std::string_view text = args.Text(0);
  ForEachMatch(text, Pattern(args.Text(1)), [&](const auto& groups) {
    at = static_cast<int64_t>(CodePointCount(text.substr(0, groups[0].data() - text.data()))) + 1;
    return false;
  });
  return at;
}

Datum RegexpSubstr(const RowArgs& args) {
  Datum out;
  ForEachMatch(args.Text(0), Pattern(args.Text(1)), [&](const auto& groups) {
    out = std::string(groups[0]);
    return false;
  });
  return out;
}

Datum SplitText(const RowArgs& args) {
  std::string_view text = args.Text(0);
  int64_t limit = args.Long(2);
  TextList out;
  size_t begin = 0;
  ForEachMatch(text, Pattern(args.Text(1)), [&](const auto& groups) {
    size_t at = static_cast<size_t>(groups[0].data() - text.data());
    if (limit > 0 && static_cast<int64_t>(out.size()) == limit - 1) return false;
    if (groups[0].empty() && (at == 0 || at >= text.size()))
      return true;  // no empty first part, as Java
    out.emplace_back(text.substr(begin, at - begin));
    begin = at + groups[0].size();
    return true;
  });
  out.emplace_back(text.substr(begin));
  return out;
}

// ---- lists of texts
// --------------------------------------------------------------------------------------------------

Datum JoinTexts(const RowArgs& args) { return Join(args.Texts(0), ", "); }
Datum JoinWith(const RowArgs& args) { return Join(args.Texts(1), args.Text(0)); }

// Keys or values of "a:1,b:2"; the delimiters are regular expressions.
Datum SplitPairs(const RowArgs& args) {
  std::string_view text = args.Text(0);
  const RE2 &pairs = Pattern(args.Text(1)), &inside = Pattern(args.Text(2));
  const bool keys = args.Bool(3);
  TextList out;
  auto add = [&](std::string_view pair) {
    re2::StringPiece match;
    bool split =
        inside.Match(Piece(pair), 0, pair.size(), RE2::UNANCHORED, &match, 1) && !match.empty();
    size_t at = split ? static_cast<size_t>(match.data() - pair.data()) : pair.size();
    size_t rest = split ? at + match.size() : pair.size();
    out.emplace_back(keys ? pair.substr(0, at) : pair.substr(rest));
  };
  size_t begin = 0;
  ForEachMatch(text, pairs, [&](const auto& groups) {
    size_t at = static_cast<size_t>(groups[0].data() - text.data());
    if (groups[0].empty()) return true;
    add(text.substr(begin, at - begin));
    begin = at + groups[0].size();
    return true;
  });
  add(text.substr(begin));
  return out;
}

Datum Words(const RowArgs& args) {
  TextList out;
  ForEachMatch(args.Text(0), Pattern("[\\p{L}\\p{N}'_-]+"), [&](const auto& groups) {
    out.emplace_back(groups[0]);
    return true;
  });
  return out;
}

// ---- URLs
// ------------------------------------------------------------------------------------------------------------

Datum ParseUrl(const RowArgs& args) {
  if (args.IsNull(0) || args.IsNull(1)) return {};
  static const RE2* const kUrl =
      new RE2(R"((?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?)");
  std::string scheme, authority, path, query, ref;
  if (!RE2::FullMatch(Piece(args.Text(0)), *kUrl, &scheme, &authority, &path, &query, &ref))
    return {};
  size_t at = authority.rfind('@');
  std::string user = at == std::string::npos ? "" : authority.substr(0, at);
  std::string host = at == std::string::npos ? authority : authority.substr(at + 1);
  host = host.substr(0, host.find(':'));
  auto text = [](const std::string& part) { return part.empty() ? Datum() : Datum(part); };
  std::string_view part = args.Text(1);
  if (part == "PROTOCOL") return text(scheme);
  if (part == "AUTHORITY") return text(authority);
  if (part == "USERINFO") return text(user);
  if (part == "HOST") return text(host);
  if (part == "PATH") return path;
  if (part == "REF") return text(ref);
  if (part == "FILE") return query.empty() ? path : path + "?" + query;
  if (part != "QUERY") return {};
  if (args.IsNull(2)) return text(query);
  for (const std::string& pair : Split(query, '&')) {
    size_t equals = pair.find('=');
    if (equals != std::string::npos && pair.substr(0, equals) == args.Text(2))
      return pair.substr(equals + 1);
  }
  return {};
}

std::vector<std::string> SplitPlain(std::string_view text, std::string_view delimiter) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (!delimiter.empty()) {
    size_t at = text.find(delimiter, begin);
    if (at == std::string_view::npos) break;
    out.emplace_back(text.substr(begin, at - begin));
    begin = at + delimiter.size();
  }
  out.emplace_back(text.substr(begin));
  return out;
}

Datum SplitPart(const RowArgs& args) {
  int64_t part = args.Long(2);
  if (part == 0) ThrowCondition("INVALID_INDEX_OF_ZERO");
  std::vector<std::string> parts = SplitPlain(args.Text(0), args.Text(1));
  auto count = static_cast<int64_t>(parts.size());
  int64_t index = part > 0 ? part - 1 : count + part;
  return index >= 0 && index < count ? parts[index] : std::string();
}

Datum SubstringIndex(const RowArgs& args) {
  std::vector<std::string> parts = SplitPlain(args.Text(0), args.Text(1));
  auto count = static_cast<int64_t>(parts.size());
  int64_t wanted = args.Long(2);
  if (wanted == 0 || args.Text(1).empty()) return std::string();
  if (wanted > 0) parts.resize(static_cast<size_t>(std::min(wanted, count)));
  if (wanted < 0 && -wanted < count) parts.erase(parts.begin(), parts.begin() + (count + wanted));
  return Join(parts, args.Text(1));
}

Datum FindInSet(const RowArgs& args) {
  if (args.Text(0).find(',') != std::string_view::npos) return int64_t{0};
  int64_t at = 1;
  for (const std::string& part : Split(args.Text(1), ',')) {
    if (part == args.Text(0)) return at;
    ++at;
  }
  return int64_t{0};
}

// ---- the rest
// --------------------------------------------------------------------------------------------------------

std::vector<std::string_view> CodePoints(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    out.push_back(CodePointPrefix(text, 1));
    text.remove_prefix(out.back().size());
  }
  return out;
}

Datum Translate(const RowArgs& args) {
  std::vector<std::string_view> from = CodePoints(args.Text(1)), to = CodePoints(args.Text(2));
  std::string out;
  for (std::string_view c : CodePoints(args.Text(0))) {
    size_t at = static_cast<size_t>(std::find(from.begin(), from.end(), c) - from.begin());
    if (at == from.size())
      out += c;
    else if (at < to.size())
      out += to[at];
  }
  return out;
}

Datum Chr(const RowArgs& args) {
  int64_t code = args.Long(0);
  if (code < 0) return std::string();
  std::string out;
  AppendUtf8(static_cast<uint32_t>(code & 0xff), out);
  return out;
}

Datum Mask(const RowArgs& args) {
  if (args.IsNull(0)) return {};
  std::string out;
  for (std::string_view c : CodePoints(args.Text(0))) {
    size_t which = 4;
    if (c.size() == 1 && std::isupper(static_cast<unsigned char>(c[0]))) which = 1;
    if (c.size() == 1 && std::islower(static_cast<unsigned char>(c[0]))) which = 2;
    if (c.size() == 1 && std::isdigit(static_cast<unsigned char>(c[0]))) which = 3;
    out += args.IsNull(which) ? c : args.Text(which);
  }
  return out;
}

Datum UrlEncode(const RowArgs& args) { return FormUrlEncode(args.Text(0)); }
Datum UrlDecode(const RowArgs& args) { return FormUrlDecode(args.Text(0)); }

Datum CheckLength(const RowArgs& args) {
  std::string_view text = args.Text(0);
  auto limit = static_cast<size_t>(args.Long(1));
  if (CodePointCount(text) <= limit) return std::string(text);
  std::string_view kept = CodePointPrefix(text, limit);
  bool blanks = text.substr(kept.size()).find_first_not_of(' ') == std::string_view::npos;
  if (!blanks) ThrowCondition("EXCEED_LIMIT_LENGTH", {{"limit", std::to_string(limit)}});
  return std::string(kept);
}

}  // namespace

void RegisterTextFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType text = LogicalType::VARCHAR, i32 = LogicalType::INTEGER,
                    i64 = LogicalType::BIGINT, blob = LogicalType::BLOB,
                    flag = LogicalType::BOOLEAN, texts = LogicalType::LIST(LogicalType::VARCHAR);
  RegisterFormatFunctions(loader);
  Register(loader, {
                       {"ib_substring", {text, i64, i64}, text, Substring},
                       {"ib_substring_binary", {blob, i64, i64}, blob, SubstringBinary},
                       {"ib_left", {text, i64}, text, Left},
                       {"ib_left_binary", {blob, i64}, blob, LeftBinary},
                       {"ib_right", {text, i64}, text, Right},
                       {"ib_locate", {text, text, i64}, i32, Locate},
                       {"ib_overlay", {text, text, i64, i64}, text, Overlay},
                       {"ib_lower", {text}, text, Lower},
                       {"ib_initcap", {text}, text, Initcap},
                       {"ib_rlike", {text, text}, flag, Rlike},
                       {"ib_regexp_replace", {text, text, text, i64}, text, RegexpReplace},
                       {"ib_regexp_extract", {text, text, i64}, text, RegexpExtract},
                       {"ib_regexp_extract_all", {text, text, i64}, texts, RegexpExtractAll},
                       {"ib_regexp_count", {text, text}, i32, RegexpCount},
                       {"ib_regexp_instr", {text, text}, i32, RegexpInstr},
                       {"ib_regexp_substr", {text, text}, text, RegexpSubstr},
                       {"ib_split", {text, text, i64}, texts, SplitText},
                       {"ib_split_part", {text, text, i64}, text, SplitPart},
                       {"ib_substring_index", {text, text, i64}, text, SubstringIndex},
                       {"ib_find_in_set", {text, text}, i32, FindInSet},
                       {"ib_split_pairs", {text, text, text, flag}, texts, SplitPairs},
                       {"ib_words", {text}, texts, Words},
                       {"ib_parse_url", {text, text, text}, text, ParseUrl, true},
                       {"ib_join", {texts}, text, JoinTexts},
                       {"ib_join_with", {text, texts}, text, JoinWith},
                       {"ib_translate", {text, text, text}, text, Translate},
                       {"ib_chr", {i64}, text, Chr},
                       {"ib_soundex", {text}, text, Soundex},
                       {"ib_mask", {text, text, text, text, text}, text, Mask, true},
                       {"ib_url_encode", {text}, text, UrlEncode},
                       {"ib_url_decode", {text}, text, UrlDecode},
                       {"ib_luhn_check", {text}, flag, Luhn},
                       {"ib_check_length", {text, i64}, text, CheckLength},
                       {"ib_raise_error",
                        {text},
                        i32,
                        [](const RowArgs& args) -> Datum {
                          ThrowCondition("USER_RAISED_EXCEPTION",
                                         {{"errorMessage",
                                           std::string(args.IsNull(0) ? "null" : args.Text(0))}});
                        },
                        true,
                        true},
                       {"ib_not_null_violation",
                        {text},
                        i32,
                        [](const RowArgs& args) -> Datum {
                          ThrowCondition("NOT_NULL_ASSERT_VIOLATION",
                                         {{"walkedTypePath", std::string(args.Text(0))}});
                        },
                        true,
                        true},
                   });
}

}  // namespace iceblink::exec
