// Strings, hashes, encodings and JSON.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"

namespace iceblink::exec {

using sql::TypeKind;

namespace {

using Args = std::vector<std::string>;

bool IsBinary(const plan::ExprPtr& expr) { return expr->type.kind() == TypeKind::kBinary; }
bool IsArray(const plan::DataType& type) { return type.kind() == TypeKind::kArray; }

Result<std::string> Concat(Lowering&, const plan::Expr& expr, const plan::Call&, const Args& args) {
  if (args.empty()) return std::string("''");
  if (!IsArray(expr.type)) return "(" + Join(args, " || ") + ")";
  std::vector<std::string> missing;
  for (const std::string& arg : args) missing.push_back(arg + " IS NULL");
  std::string out = args[0];
  for (size_t i = 1; i < args.size(); ++i) out = "list_concat(" + out + ", " + args[i] + ")";
  return "CASE WHEN " + Join(missing, " OR ") + " THEN NULL ELSE " + out + " END";
}

// Arrays among the arguments contribute their elements.
Result<std::string> ConcatWs(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  std::vector<std::string> lists;
  for (size_t i = 1; i < args.size(); ++i) {
    lists.push_back(IsArray(call.args[i]->type) ? "coalesce(" + args[i] + ", [])"
                                                : "[" + args[i] + "]");
  }
  std::string all = "CAST([] AS VARCHAR[])";
  for (const std::string& list : lists) all = "list_concat(" + all + ", " + list + ")";
  return "ib_join_with(" + args[0] + ", " + all + ")";
}

Result<std::string> Like(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  std::string word = call.function == "like" ? "LIKE" : "ILIKE";
  auto* pattern = call.args[1]->As<plan::LiteralExpr>();
  bool plain = args.size() < 3 && pattern != nullptr && !pattern->value.is_null() &&
               pattern->value.As<std::string>().find('\\') == std::string::npos;
  if (plain) return "(" + args[0] + " " + word + " " + args[1] + ")";
  return "(" + args[0] + " " + word + " " + args[1] + " ESCAPE " +
         (args.size() > 2 ? args[2] : "'\\'") + ")";
}

Result<std::string> TrimText(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  return std::string(call.function) + "(" + args[0] + ", " + (args.size() > 1 ? args[1] : "' '") +
         ")";
}

Result<std::string> OnTextOrBytes(Lowering&, const plan::Expr&, const plan::Call& call,
                                  const Args& args) {
  return fmt::format("ib_{}{}({})", call.function, IsBinary(call.args[0]) ? "_binary" : "",
                     Join(args, ", "));
}

Result<std::string> Length(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  return IsBinary(call.args[0]) ? "octet_length(" + args[0] + ")" : "length(" + args[0] + ")";
}

// A view of text as bytes.
std::string Bytes(const plan::ExprPtr& expr, const std::string& text) {
  return IsBinary(expr) ? text : "ib_string_to_binary(" + text + ")";
}

Result<std::string> OfBytes(Lowering&, const plan::Expr&, const plan::Call& call,
                            const Args& args) {
  Args bytes = args;
  bytes[0] = Bytes(call.args[0], args[0]);
  return fmt::format("ib_{}({})", call.function, Join(bytes, ", "));
}

Result<std::string> Reverse(Lowering&, const plan::Expr& expr, const plan::Call&,
                            const Args& args) {
  return IsArray(expr.type) ? "list_reverse(" + args[0] + ")" : "reverse(" + args[0] + ")";
}

Result<std::string> Contains(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  std::string_view name = call.function == "startswith" ? "starts_with"
                          : call.function == "endswith" ? "ends_with"
                                                        : "contains";
  return fmt::format("{}({}, {})", name, args[0], args[1]);
}

Result<std::string> Hash(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  std::string seed = "42";
  for (size_t i = 0; i < args.size(); ++i) {
    seed = fmt::format("ib_{}({}, {})", call.function, args[i], seed);
  }
  return seed;
}

Result<std::string> Hex(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  if (call.args[0]->type.is_integral()) return "ib_hex_long(CAST(" + args[0] + " AS BIGINT))";
  return "ib_hex(" + Bytes(call.args[0], args[0]) + ")";
}

Result<std::string> FormatString(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                 const Args& args) {
  // The values travel as texts together with a letter for their kind.
  std::vector<std::string> values;
  std::string kinds;
  for (size_t i = 1; i < args.size(); ++i) {
    const plan::DataType& type = call.args[i]->type;
    ASSIGN_OR_RETURN(
        std::string text,
        lowering.CastText(args[i], type, plan::DataType(TypeKind::kString), plan::CastMode::kAnsi));
    values.push_back("coalesce(" + text + ", 'null')");
    bool floating = type.kind() == TypeKind::kDouble || type.kind() == TypeKind::kFloat;
    kinds += type.is_integral()                  ? 'i'
             : floating                          ? 'd'
             : type.kind() == TypeKind::kDecimal ? 'D'
                                                 : 's';
  }
  return fmt::format("ib_format_string({}, '{}', CAST([{}] AS VARCHAR[]))", args[0], kinds,
                     Join(values, ", "));
}

Result<std::string> Elt(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  Args rest(args.begin() + 1, args.end());
  return fmt::format("list_extract([{}], ib_check_elt(CAST({} AS BIGINT), {}))", Join(rest, ", "),
                     args[0], rest.size());
}

Result<std::string> Decode(Lowering&, const plan::Expr&, const plan::Call& call, const Args& args) {
  if (args.size() == 2)
    return fmt::format("ib_decode({}, {})", Bytes(call.args[0], args[0]), args[1]);
  std::string out = "CASE";
  size_t i = 1;
  for (; i + 1 < args.size(); i += 2) {
    out += fmt::format(" WHEN {} IS NOT DISTINCT FROM {} THEN {}", args[0], args[i], args[i + 1]);
  }
  if (i < args.size()) out += " ELSE " + args[i];
  return out + " END";
}

// ---- JSON and variant
// ------------------------------------------------------------------------------------------------

std::string TypeId(Lowering& lowering, const plan::DataType& type) {
  return std::to_string(lowering.objects().Add(std::make_shared<plan::DataType>(type)));
}

std::string VariantText(Lowering& lowering, const std::string& text) {
  lowering.NeedJson();
  return VariantTextSql(text);
}

Result<std::string> ParseJsonText(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                                  const Args& args) {
  lowering.NeedJson();
  return (call.function == "parse_json" ? "CAST(" : "TRY_CAST(") + args[0] + " AS JSON)";
}

Result<std::string> OfVariant(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                              const Args& args) {
  std::string text = VariantText(lowering, args[0]);
  if (call.function == "is_variant_null") return "coalesce(" + text + " = 'null', false)";
  return "ib_schema_of_json(" + text + ", true)";
}

Result<std::string> VariantGet(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                               const Args& args) {
  std::string out =
      fmt::format("ib_variant_get({}, {}, {}, {})", VariantText(lowering, args[0]), args[1],
                  TypeId(lowering, expr.type), call.function == "try_variant_get");
  return expr.type.kind() == TypeKind::kVariant ? "CAST(" + out + " AS JSON)" : out;
}

Result<std::string> ToJsonCall(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                               const Args& args) {
  if (call.args[0]->type.kind() == TypeKind::kVariant) return VariantText(lowering, args[0]);
  return fmt::format("ib_to_json({}, {}, {})", args[0], TypeId(lowering, call.args[0]->type),
                     QuoteText(lowering.time_zone()));
}

Result<std::string> FromJsonCall(Lowering& lowering, const plan::Expr& expr, const plan::Call&,
                                 const Args& args) {
  return fmt::format("ib_from_json({}, {})", args[0], TypeId(lowering, expr.type));
}

Result<std::string> ToChar(Lowering& lowering, const plan::Expr&, const plan::Call& call,
                           const Args& args) {
  const plan::DataType& type = call.args[0]->type;
  if (type.is_datetime()) {
    std::string local = type.kind() == TypeKind::kTimestamp ? lowering.ToLocal(args[0])
                                                            : "CAST(" + args[0] + " AS TIMESTAMP)";
    return fmt::format("ib_date_format({}, {}, {})", local, args[1],
                       QuoteText(lowering.time_zone()));
  }
  ASSIGN_OR_RETURN(
      std::string text,
      lowering.CastText(args[0], type, plan::DataType(TypeKind::kString), plan::CastMode::kAnsi));
  return "ib_to_char(" + text + ", " + args[1] + ")";
}

Result<std::string> ToBinary(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  auto* format = call.args.size() > 1 ? call.args[1]->As<plan::LiteralExpr>() : nullptr;
  std::string kind = format == nullptr || format->value.is_null()
                         ? "hex"
                         : AsciiLower(format->value.As<std::string>());
  if (kind == "hex") return "ib_unhex(" + args[0] + ")";
  if (kind == "base64") return "from_base64(" + args[0] + ")";
  return "ib_string_to_binary(" + args[0] + ")";
}

Result<std::string> Levenshtein(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  std::string distance = fmt::format("levenshtein({}, {})", args[0], args[1]);
  if (args.size() < 3) return distance;
  return fmt::format("CASE WHEN {0} > {1} THEN -1 ELSE {0} END", distance, args[2]);
}

constexpr FunctionSql kTextRows[] = {
    {"concat", "", Concat},
    {"concat_ws", "", ConcatWs},
    {"length", "", Length},
    {"lower", "ib_lower($1)"},
    {"upper", "upper(replace($1, 'ß', 'SS'))"},
    {"trim", "", TrimText},
    {"ltrim", "", TrimText},
    {"rtrim", "", TrimText},
    {"substring", "", OnTextOrBytes},
    {"substring_index", "ib_substring_index($1, $2, $3)"},
    {"left", "", OnTextOrBytes},
    {"right", "ib_right($1, $2)"},
    {"instr", "instr($1, $2)"},
    {"locate", "ib_locate($1, $2, $3)"},
    {"replace", "CASE WHEN $2 = '' THEN $1 ELSE replace($1, $2, $3) END"},
    {"regexp_replace", "ib_regexp_replace($1, $2, $3, $4)"},
    {"regexp_extract", "ib_regexp_extract($1, $2, $3)"},
    {"regexp_extract_all", "ib_regexp_extract_all($1, $2, $3)"},
    {"regexp_count", "ib_regexp_count($1, $2)"},
    {"regexp_instr", "ib_regexp_instr($1, $2)"},
    {"regexp_substr", "ib_regexp_substr($1, $2)"},
    {"like", "", Like},
    {"ilike", "", Like},
    {"rlike", "ib_rlike($1, $2)"},
    {"split", "ib_split($1, $2, $3)"},
    {"split_part", "ib_split_part($1, $2, $3)"},
    {"lpad", "ib_lpad($1, $2, $3)"},
    {"rpad", "ib_rpad($1, $2, $3)"},
    {"repeat", "repeat($1, greatest(CAST($2 AS BIGINT), 0))"},
    {"reverse", "", Reverse},
    {"initcap", "ib_initcap($1)"},
    {"startswith", "", Contains},
    {"endswith", "", Contains},
    {"contains", "", Contains},
    {"translate", "ib_translate($1, $2, $3)"},
    {"format_string", "", FormatString},
    {"overlay", "ib_overlay($1, $2, $3, $4)"},
    {"ascii", "CASE WHEN $1 = '' THEN 0 ELSE unicode($1) END"},
    {"chr", "ib_chr($1)"},
    {"soundex", "ib_soundex($1)"},
    {"levenshtein", "", Levenshtein},
    {"find_in_set", "ib_find_in_set($1, $2)"},
    {"elt", "", Elt},
    {"space", "repeat(' ', greatest(CAST($1 AS BIGINT), 0))"},
    {"octet_length", "",
     [](Lowering&, const plan::Expr&, const plan::Call& call, const Args& args)
         -> Result<std::string> { return "octet_length(" + Bytes(call.args[0], args[0]) + ")"; }},
    {"bit_length", "",
     [](Lowering&, const plan::Expr&, const plan::Call& call,
        const Args& args) -> Result<std::string> {
       return "(octet_length(" + Bytes(call.args[0], args[0]) + ") * 8)";
     }},
    {"mask", "ib_mask($1, $2, $3, $4, $5)"},
    {"url_encode", "ib_url_encode($1)"},
    {"url_decode", "ib_url_decode($1)"},
    {"format_number", "ib_format_number(CAST($1 AS DOUBLE), CAST($2 AS VARCHAR))"},
    {"quote", "('''' || replace($1, '''', '\\''') || '''')"},
    {"luhn_check", "ib_luhn_check($1)"},
    {"is_valid_utf8", "true"},
    {"make_valid_utf8", "$1"},
    {"collation", "'SYSTEM.BUILTIN.UTF8_BINARY'"},
    {"char_pad", "rpad($1, CAST($2 AS INTEGER), ' ')"},
    {"check_length", "ib_check_length($1, $2)"},
    {"md5", "",
     [](Lowering&, const plan::Expr&, const plan::Call& call, const Args& args)
         -> Result<std::string> { return "md5(" + Bytes(call.args[0], args[0]) + ")"; }},
    {"sha1", "",
     [](Lowering&, const plan::Expr&, const plan::Call& call, const Args& args)
         -> Result<std::string> { return "sha1(" + Bytes(call.args[0], args[0]) + ")"; }},
    {"sha2", "",
     [](Lowering&, const plan::Expr&, const plan::Call& call,
        const Args& args) -> Result<std::string> {
       auto* bits = call.args[1]->As<plan::LiteralExpr>();
       int64_t wanted = bits == nullptr || bits->value.is_null() ? 256 : bits->value.AsInt64();
       if (wanted == 0 || wanted == 256) return "sha256(" + Bytes(call.args[0], args[0]) + ")";
       return Fail(ErrorCode::kUnsupported,
                   "sha2 of " + std::to_string(wanted) + " bits is not supported yet");
     }},
    {"crc32", "", OfBytes},
    {"hash", "", Hash},
    {"xxhash64", "", Hash},
    {"hex", "", Hex},
    {"unhex", "ib_unhex($1)"},
    {"base64", "to_base64($1)"},
    {"unbase64", "from_base64($1)"},
    {"encode", "ib_encode($1, $2)"},
    {"decode", "", Decode},
    {"bin", "bin($1)"},
    {"conv", "ib_conv($1, $2, $3)"},
    {"get_json_object", "ib_get_json_object($1, $2)"},
    {"json_array_length", "ib_json_array_length($1)"},
    {"json_object_keys", "ib_json_object_keys($1)"},
    {"parse_json", "", ParseJsonText},
    {"try_parse_json", "", ParseJsonText},
    {"to_variant_object", "$1"},
    {"is_variant_null", "", OfVariant},
    {"schema_of_variant", "", OfVariant},
    {"variant_get", "", VariantGet},
    {"try_variant_get", "", VariantGet},
    {"to_json", "", ToJsonCall},
    {"from_json", "", FromJsonCall},
    {"schema_of_json", "ib_schema_of_json($1, false)"},
    {"str_to_map",
     "map(ib_map_keys(ib_split_pairs($1, $2, $3, true)), ib_split_pairs($1, $2, $3, false))"},
    {"parse_url", "ib_parse_url($1, $2, $3)"},
    {"to_binary", "", ToBinary},
    {"try_to_binary", "", ToBinary},
    {"to_char", "", ToChar},
    {"to_number", "ib_to_number($1, $2, false)"},
    {"try_to_number", "ib_to_number($1, $2, true)"},
    {"sentences", "[ib_words(s) FOR s IN ib_split($1, '[.!?]', -1) IF trim(s) <> '']"},
    {"randstr", "left(replace(CAST(uuid() AS VARCHAR), '-', ''), CAST($1 AS INTEGER))"},
};

}  // namespace

std::span<const FunctionSql> TextRows() { return kTextRows; }

}  // namespace iceblink::exec
