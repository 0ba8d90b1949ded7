// format_string, format_number and to_char: numbers as patterned text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "exec/java_text.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

std::string Grouped(const std::string& digits) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// format_number(x, digits) and format_number(x, '#,###.##').
Datum FormatNumber(const RowArgs& args) {
  double value = args.Double(0);
  std::string_view how = args.Text(1);
  auto digits = ParseInt32(how);
  if (digits && *digits < 0) return {};
  size_t dot = how.find('.');
  bool group = digits.has_value() || how.find(',') != std::string_view::npos;
  int decimals = digits
                     ? *digits
                     : (dot == std::string_view::npos ? 0 : static_cast<int>(how.size() - dot - 1));
  std::string text = fmt::format("{:.{}f}", std::fabs(value), decimals);
  size_t point = text.find('.');
  std::string whole = text.substr(0, point),
              fraction = point == std::string::npos ? "" : text.substr(point);
  if (!digits) {  // '#' digits are optional
    size_t keep = dot == std::string_view::npos ? 0 : how.substr(dot).find('#');
    keep = keep == std::string_view::npos ? fraction.size() : keep;
    while (fraction.size() > std::max<size_t>(keep, 1) && fraction.back() == '0')
      fraction.pop_back();
    if (fraction == ".") fraction.clear();
  }
  return (value < 0 ? "-" : "") + (group ? Grouped(whole) : whole) + fraction;
}

// ---- format_string
// ---------------------------------------------------------------------------------------------------

struct Conversion {
  std::string flags;
  size_t width = 0;
  int precision = -1;
  char letter = 's';
};

std::string Padded(std::string text, const Conversion& c) {
  if (text.size() >= c.width) return text;
  size_t missing = c.width - text.size();
  if (c.flags.find('-') != std::string::npos) return text + std::string(missing, ' ');
  bool zeros = c.flags.find('0') != std::string::npos && c.letter != 's';
  if (!zeros) return std::string(missing, ' ') + text;
  size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.insert(sign, missing, '0');
}

std::string Converted(const Conversion& c, char kind, const std::string& value) {
  if (value == "null") return Padded(value, {c.flags, c.width, c.precision, 's'});
  auto mismatch = [&](std::string_view type) {
    ThrowError(Error::Make(ErrorCode::kInvalidArgument, fmt::format("{} != {}", c.letter, type),
                           "IllegalFormatConversionException"));
  };
  const bool grouped = c.flags.find(',') != std::string::npos,
             plus = c.flags.find('+') != std::string::npos;
  switch (c.letter) {
    case 'd': {
      if (kind != 'i')
        mismatch(kind == 's'   ? "org.apache.spark.unsafe.types.UTF8String"
                 : kind == 'D' ? "org.apache.spark.sql.types.Decimal"
                               : "java.lang.Double");
      std::string digits = value[0] == '-' ? value.substr(1) : value;
      if (grouped) digits = Grouped(digits);
      return Padded((value[0] == '-' ? "-" : plus ? "+" : "") + digits, c);
    }
    case 'x':
    case 'X':
    case 'o': {
      if (kind != 'i')
        mismatch(kind == 's' ? "org.apache.spark.unsafe.types.UTF8String" : "java.lang.Double");
      int64_t number = ParseInt64(value).value_or(0);
      std::string text = c.letter == 'o' ? fmt::format("{:o}", static_cast<uint64_t>(number))
                                         : fmt::format("{:x}", static_cast<uint64_t>(number));
      return Padded(c.letter == 'X' ? AsciiUpper(text) : text, c);
    }
    case 'f':
    case 'e':
    case 'E': {
      if (kind != 'd')
        mismatch(kind == 'D'   ? "org.apache.spark.sql.types.Decimal"
                 : kind == 'i' ? "java.lang.Integer"
                               : "org.apache.spark.unsafe.types.UTF8String");
      double number = ParseSparkDouble(value).value_or(0);
      int precision = c.precision < 0 ? 6 : c.precision;
      std::string text = c.letter == 'f' ? fmt::format("{:.{}f}", std::fabs(number), precision)
                                         : fmt::format("{:.{}e}", std::fabs(number), precision);
      if (grouped) {
        size_t point = std::min(text.find('.'), text.size());
        text = Grouped(text.substr(0, point)) + text.substr(point);
      }
      return Padded((number < 0 ? "-" : plus ? "+" : "") + text, c);
    }
    case 'b':
      return Padded(value == "false" ? "false" : "true", c);
    default: {
      std::string text =
          c.precision >= 0 ? std::string(CodePointPrefix(value, c.precision)) : value;
      return Padded(c.letter == 'S' ? AsciiUpper(text) : text, c);
    }
  }
}

Datum FormatString(const RowArgs& args) {
  std::string_view format = args.Text(0), kinds = args.Text(1);
  TextList values = args.Texts(2);
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    Conversion c;
    size_t at = i + 1, explicit_index = 0;
    size_t digits = at;
    while (digits < format.size() && std::isdigit(static_cast<unsigned char>(format[digits])))
      ++digits;
    if (digits > at && digits < format.size() && format[digits] == '$') {
      explicit_index = static_cast<size_t>(ParseInt32(format.substr(at, digits - at)).value_or(1));
      at = digits + 1;
    }
    while (at < format.size() &&
           std::string_view("-+ 0,#(").find(format[at]) != std::string_view::npos)
      c.flags += format[at++];
    while (at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])))
      c.width = c.width * 10 + (format[at++] - '0');
    if (at < format.size() && format[at] == '.') {
      c.precision = 0;
      for (++at; at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])); ++at) {
        c.precision = c.precision * 10 + (format[at] - '0');
      }
    }
    if (at >= format.size()) {
      ThrowError(Error::Make(ErrorCode::kInvalidArgument, "Conversion = '%'",
                             "UnknownFormatConversionException"));
    }
    c.letter = format[at];
    i = at;
    if (c.letter == '%' || c.letter == 'n') {
      out += c.letter == '%' ? '%' : '\n';
      continue;
    }
    size_t index = explicit_index > 0 ? explicit_index - 1 : next++;
    if (index >= values.size()) {
      ThrowError(Error::Make(ErrorCode::kInvalidArgument,
                             fmt::format("Format specifier '%{}'", c.letter),
                             "MissingFormatArgumentException"));
    }
    out += Converted(c, kinds[index], values[index]);
  }
  return out;
}

// ---- to_char and to_number: 9 and 0 digits, G or comma groups, D or point, $, S, MI, PR
// ---------------------------------

// to_char(decimal text, format); a number too large shows as '#'.
Datum ToChar(const RowArgs& args) {
  std::string format = AsciiUpper(args.Text(1));
  std::string_view number = args.Text(0);
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  size_t point = number.find('.');
  std::string whole(number.substr(0, point)),
      fraction(point == std::string_view::npos ? "" : number.substr(point + 1));
  if (whole == "0") whole.clear();
  size_t split = format.find_first_of(".D");
  std::string left = format.substr(0, split),
              right = split == std::string::npos ? "" : format.substr(split + 1);
  auto digits = [](const std::string& s) {
    return std::count_if(s.begin(), s.end(), [](char c) { return c == '9' || c == '0'; });
  };
  const bool overflow = static_cast<int64_t>(whole.size()) > digits(left);
  std::string out;
  size_t next = whole.size();
  bool zeros = false;
  for (size_t i = left.size(); i-- > 0;) {  // from the right
    char c = left[i];
    if (c == '9' || c == '0') {
      zeros = left.substr(0, i + 1).find('0') != std::string::npos;
      if (overflow)
        out.insert(out.begin(), '#');
      else if (next > 0)
        out.insert(out.begin(), whole[--next]);
      else
        out.insert(out.begin(), zeros ? '0' : ' ');
    } else if (c == ',' || c == 'G') {
      out.insert(
          out.begin(),
          next > 0 || overflow || left.substr(0, i).find('0') != std::string::npos ? ',' : ' ');
    } else if (c == '$') {
      out.insert(out.begin(), '$');
    } else if (c == 'S') {
      out.insert(out.begin(), negative ? '-' : '+');
    }
  }
  if (split != std::string::npos) {
    out += '.';
    for (size_t i = 0; i < static_cast<size_t>(digits(right)); ++i)
      out += overflow ? '#' : i < fraction.size() ? fraction[i] : '0';
  }
  if (negative && format.ends_with("PR")) return "<" + std::string(Trim(out)) + ">";
  if (format.ends_with("MI")) out += negative ? "-" : " ";
  return out;
}

// The digits of a formatted number as decimal text; the caller casts it.
Datum ToNumber(const RowArgs& args) {
  std::string digits;
  for (char c : args.Text(0)) {
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-')
      digits += c;
    else if (c != ',' && c != '$' && c != ' ' && c != '+')
      digits = "x";
    if (digits == "x") break;
  }
  bool malformed = digits.empty() || digits.find('x') != std::string::npos;
  if (!malformed) return digits;
  if (args.Bool(2)) return {};
  ThrowSpark(
      {"INVALID_FORMAT.MISMATCH_INPUT", "42601", "SparkIllegalArgumentException",
       fmt::format(
           "The format is invalid: '{}'. The input \"STRING\" '{}' does not match the format.",
           args.Text(1), args.Text(0))});
}

}  // namespace

void RegisterFormatFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType text = LogicalType::VARCHAR, f64 = LogicalType::DOUBLE;
  Register(loader, {
                       {"ib_format_number", {f64, text}, text, FormatNumber},
                       {"ib_to_char", {text, text}, text, ToChar},
                       {"ib_to_number", {text, text, LogicalType::BOOLEAN}, text, ToNumber},
                       {"ib_format_string",
                        {text, text, LogicalType::LIST(LogicalType::VARCHAR)},
                        text,
                        FormatString},
                   });
}

}  // namespace iceblink::exec
