// Text: splitting, trimming, case, URL form encoding, hexadecimal, code points and near names.
// Every function is pure and safe from any thread. Text is UTF-8; malformed bytes are passed
// through, never rejected, unless said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iceblink {

// Splits at every `separator`; "" gives one empty part, "a..b" three parts.
std::vector<std::string> Split(std::string_view text, char separator);

// Splits at every `separator`, trims each part and drops the empty ones.
std::vector<std::string> SplitTrimmed(std::string_view text, char separator);

// Joins anything iterable whose elements append to a string.
template <typename Range>
std::string Join(const Range& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    out += part;
    first = false;
  }
  return out;
}

// Strips ASCII white space and control characters at both ends, as Java's String.trim.
std::string_view Trim(std::string_view text);

// Strips every `c` at the end: StripTrailing("a//", '/') is "a".
std::string_view StripTrailing(std::string_view text, char c);

// Replaces every occurrence of `from`, which must not be empty.
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

// ASCII letters only; other bytes are kept.
std::string AsciiLower(std::string_view text);
std::string AsciiUpper(std::string_view text);

// Lower case of each code point (one to one, as Java's toLowerCase(Locale.ROOT) for all but a few
// special cases).
std::string Utf8Lower(std::string_view text);

// Equality by Utf8Lower; the quick path is ASCII.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// Whole-text integer; nothing on white space, sign alone, overflow or trailing characters.
std::optional<int64_t> ParseInt64(std::string_view text);
std::optional<int32_t> ParseInt32(std::string_view text);
// Whole-text double in C syntax (also "NaN", "Infinity", "-Infinity").
std::optional<double> ParseDouble(std::string_view text);
// "true" or "false" in any case.
std::optional<bool> ParseBool(std::string_view text);

// application/x-www-form-urlencoded as java.net.URLEncoder in UTF-8: space is '+'; letters, digits
// and . - * _ stay.
std::string FormUrlEncode(std::string_view text);
// Inverse; a '%' that two hex digits do not follow is kept.
std::string FormUrlDecode(std::string_view text);

std::string HexEncode(std::string_view bytes, bool upper = false);
// Nothing when the length is odd or a digit is wrong. Both cases are read.
std::optional<std::string> HexDecode(std::string_view hex);

// True for well-formed UTF-8: no overlong forms, surrogates or code points above 10FFFF.
bool IsValidUtf8(std::string_view text);
// Number of code points of well-formed UTF-8.
size_t CodePointCount(std::string_view text);
// The first `count` code points (all of the text when it has fewer).
std::string_view CodePointPrefix(std::string_view text, size_t count);
void AppendUtf8(uint32_t code_point, std::string& out);

// Number of single-character insertions, removals and substitutions that turn `a` into `b`, in code
// points.
size_t LevenshteinDistance(std::string_view a, std::string_view b);

// Candidates by growing distance to `name`, equal distances in the given order: Spark's order of
// suggestions. Callers quote and cut to Spark's limit of five.
std::vector<std::string> OrderBySimilarity(std::string_view name,
                                           std::vector<std::string> candidates);

// The candidate that resembles `name` so closely that a typing error is likely: differs only in
// case, or by at most one edit per three characters (at least one). Nothing when none does or
// `name` is one of them.
std::optional<std::string> NearName(std::string_view name,
                                    const std::vector<std::string>& candidates);

}  // namespace iceblink
