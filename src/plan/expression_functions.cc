// Expressions: calls of scalar functions once their name is known, implicit casts of their
// arguments.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

char CodeOf(const FunctionRow& row, size_t index) {
  if (row.args.empty()) return '.';
  return row.args[std::min(index, row.args.size() - 1)];
}

// What an argument code casts to; nothing when the type stays.
std::optional<DataType> TargetOf(char code, const DataType& from) {
  switch (code) {
    case 'T':
      return from.kind() == TypeKind::kTimestampNtz ? from : DataType(TypeKind::kTimestamp);
    case '-':
      return DataType::Decimal(18, 6);
    case 'n':
    case 'm':
      return from.is_string() || from.is_void() ? std::optional(DataType(TypeKind::kDouble))
                                                : std::nullopt;
    case 'c':
      return from.kind() == TypeKind::kBinary ? from : DataType(TypeKind::kString);
    case 't':
      return from.is_datetime() ? from : DataType(TypeKind::kTimestamp);
    default:
      return PlainTypeOfCode(code);
  }
}

std::string_view WantedText(char code) {
  switch (code) {
    case 'n':
      return "NUMERIC";
    case 'm':
      return "(NUMERIC or INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH)";
    case 'A':
      return "ARRAY";
    case 'M':
      return "MAP";
    case 'C':
      return "(ARRAY or MAP)";
    case 'c':
      return "(STRING or BINARY)";
    case 'V':
      return "VARIANT";
    default:
      return "";
  }
}

bool Accepts(char code, const DataType& type) {
  switch (code) {
    case 'n':
      return type.is_numeric();
    case 'm':
      return type.is_numeric() || type.is_ansi_interval() ||
             type.kind() == TypeKind::kCalendarInterval;
    case 'A':
      return type.kind() == TypeKind::kArray || type.is_void();
    case 'M':
      return type.kind() == TypeKind::kMap || type.is_void();
    case 'C':
      return type.kind() == TypeKind::kArray || type.kind() == TypeKind::kMap || type.is_void();
    case 'V':
      return type.kind() == TypeKind::kVariant || type.is_void();
    default:
      return true;
  }
}

std::string CallText(std::string_view display, const std::vector<TypedExpr>& args) {
  std::vector<std::string> texts;
  for (const TypedExpr& arg : args) texts.push_back(arg.text);
  return fmt::format("{}({})", display, iceblink::Join(texts, ", "));
}

std::string ListedTypes(const std::vector<TypedExpr>& args, bool brackets) {
  std::vector<std::string> types;
  for (const TypedExpr& arg : args) types.push_back(InDoubleQuotes(arg.expr->type.SqlString()));
  return brackets ? fmt::format("[{}]", iceblink::Join(types, ", "))
                  : fmt::format("({})", iceblink::Join(types, " or "));
}

// The text of a call: name(arguments) but for the few that read as operators or hide an argument.
std::string DisplayText(const FunctionRow& row, const std::vector<TypedExpr>& args) {
  if (row.name == "if") return fmt::format("({})", CallText("IF", args));
  if (row.name == "isnull") return fmt::format("({} IS NULL)", args[0].text);
  if (row.name == "isnotnull") return fmt::format("({} IS NOT NULL)", args[0].text);
  if (row.name == "not") return fmt::format("(NOT {})", args[0].text);
  if (row.name == "positive") return fmt::format("(+ {})", args[0].text);
  if (args.size() == 2 && (row.name == "ceil" || row.name == "floor"))
    return CallText(row.name, args);
  if (row.name == "from_json" || row.name == "from_csv") return CallText(row.name, {args[0]});
  if (row.name == "variant_get" || row.name == "try_variant_get")
    return CallText(row.name, {args[0], args[1]});
  return CallText(row.DisplayName(), args);
}

}  // namespace

Result<std::vector<TypedExpr>> QueryAnalyzer::CoerceArguments(const FunctionRow& row,
                                                              std::string_view written,
                                                              std::vector<TypedExpr> args,
                                                              ErrorPosition at) {
  std::string text = DisplayText(row, args);
  std::vector<size_t> common;
  for (size_t i = 0; i < args.size(); ++i) {
    char code = CodeOf(row, i);
    DataType from = args[i].expr->type;
    if (code == 'x') common.push_back(i);
    auto target = TargetOf(code, from);
    bool fits = target ? CanImplicitlyCast(from, *target) : Accepts(code, from);
    if (!fits)
      return Raise("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                   {{"sqlExpr", InDoubleQuotes(text)},
                    {"paramIndex", OrdinalWord(i + 1)},
                    {"requiredType",
                     InDoubleQuotes(target ? target->SqlString() : std::string(WantedText(code)))},
                    {"inputSql", InDoubleQuotes(args[i].text)},
                    {"inputType", InDoubleQuotes(from.SqlString())}},
                   at);
    if (target) args[i].expr = MakeCast(args[i].expr, *target, cast_mode());
    if (code == 'E' || code == 'K') {
      const DataType& holder = args[0].expr->type;
      if (holder.is_void() || from.is_void())
        return Raise(
            "DATATYPE_MISMATCH.NULL_TYPE",
            {{"sqlExpr", InDoubleQuotes(text)}, {"functionName", fmt::format("`{}`", written)}},
            at);
      const DataType& part = code == 'E' ? holder.element() : holder.key();
      if (auto wider = CommonType(part, from, settings_.ansi)) {
        args[i].expr = MakeCast(args[i].expr, *wider, cast_mode());
        if (code == 'E')
          args[0].expr =
              MakeCast(args[0].expr, DataType::Array(*wider, holder.contains_null()), cast_mode());
      }
    }
  }
  if (common.empty()) return args;
  std::vector<TypedExpr> group;
  for (size_t i : common) group.push_back(args[i]);
  bool extremes = row.name == "greatest" || row.name == "least";
  bool mixed = false;
  for (size_t i = 1; extremes && i < group.size(); ++i)
    mixed = mixed || !WiderTypeWithoutStrings(group[0].expr->type, group[i].expr->type);
  if (mixed || !ToCommonType(group))
    return Raise("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                 {{"sqlExpr", InDoubleQuotes(text)},
                  {"functionName", fmt::format("`{}`", AsciiLower(written))},
                  {"dataType", ListedTypes(group, extremes)}},
                 at);
  for (size_t i = 0; i < common.size(); ++i) args[common[i]] = group[i];
  return args;
}

namespace {

// concat joins strings, binaries or arrays; anything else becomes a string.
Result<std::vector<TypedExpr>> ConcatArguments(std::vector<TypedExpr> args, CastMode mode,
                                               ErrorPosition at) {
  auto kind = [&](TypeKind wanted) {
    return std::count_if(args.begin(), args.end(),
                         [&](const TypedExpr& a) { return a.expr->type.kind() == wanted; });
  };
  if (kind(TypeKind::kArray) > 0) {
    std::optional<DataType> common = DataType();
    for (const TypedExpr& arg : args) {
      DataType type = arg.expr->type.is_void() ? DataType(TypeKind::kString) : arg.expr->type;
      if (common) common = CommonType(*common, type);
    }
    if (!common || common->kind() != TypeKind::kArray) {
      std::vector<std::string> types;
      for (const TypedExpr& arg : args)
        types.push_back(
            InDoubleQuotes(arg.expr->type.is_void() ? "STRING" : arg.expr->type.SqlString()));
      return Raise("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                   {{"sqlExpr", InDoubleQuotes(CallText("concat", args))},
                    {"functionName", "`concat`"},
                    {"dataType", fmt::format("({})", iceblink::Join(types, " or "))}},
                   at);
    }
    for (TypedExpr& arg : args) arg.expr = MakeCast(arg.expr, *common, mode);
    return args;
  }
  bool binary = !args.empty() && kind(TypeKind::kBinary) == static_cast<ptrdiff_t>(args.size());
  for (TypedExpr& arg : args)
    arg.expr = MakeCast(arg.expr, DataType(binary ? TypeKind::kBinary : TypeKind::kString), mode);
  return args;
}

void EvenCount(const FunctionRow& row, size_t count, std::optional<Error>& error) {
  if (count % 2 == 0) return;
  error = MakeError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                    {{"functionName", fmt::format("`{}`", row.name)},
                     {"expectedNum", "2n (n > 0)"},
                     {"actualNum", std::to_string(count)}});
}

// Keys and values of map(k, v, ...) each get their common type.
bool UnifyAlternating(std::vector<TypedExpr>& args, QueryAnalyzer& analyzer) {
  for (size_t part : {0, 1}) {
    std::vector<TypedExpr> group;
    for (size_t i = part; i < args.size(); i += 2) group.push_back(args[i]);
    if (group.empty()) continue;
    if (!analyzer.ToCommonType(group)) return false;
    for (size_t i = part, n = 0; i < args.size(); i += 2) args[i] = group[n++];
  }
  return true;
}

// Casts that depend on more than one argument's own type.
void CastTogether(std::string_view canonical, std::vector<TypedExpr>& args, CastMode mode) {
  auto cast = [&](size_t i, const DataType& type) {
    args[i].expr = MakeCast(args[i].expr, type, mode);
  };
  const DataType first = args.empty() ? DataType() : args[0].expr->type;
  if (canonical == "hex" && first.is_integral()) cast(0, DataType(TypeKind::kBigInt));
  if (canonical == "element_at" || canonical == "try_element_at") {
    if (first.kind() == TypeKind::kMap) cast(1, first.key());
    if (first.kind() == TypeKind::kArray) cast(1, DataType(TypeKind::kInt));
  }
  if (canonical == "concat_ws")
    for (size_t i = 0; i < args.size(); ++i)
      if (args[i].expr->type.kind() != TypeKind::kArray) cast(i, DataType(TypeKind::kString));
  if (canonical == "sequence" && first.is_integral()) {
    std::vector<DataType> types;
    for (const TypedExpr& arg : args) types.push_back(arg.expr->type);
    if (auto common = CommonType(types))
      for (size_t i = 0; i < args.size(); ++i) cast(i, *common);
  }
  if (canonical == "sequence" && first.is_datetime())
    if (auto common = CommonType(first, args[1].expr->type)) cast(0, *common), cast(1, *common);
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::ScalarCall(const FunctionRow& row, std::string_view written,
                                            std::vector<TypedExpr> args, ErrorPosition at) {
  std::string text = DisplayText(row, args);
  std::string_view canonical = row.CanonicalName();
  if (ExprPtr known = KnownCall(row, args)) return TypedExpr{known, text};
  if (row.name == "assert_true" && args.size() == 1) {
    std::string message = fmt::format("'{}' is not true!", args[0].text);
    args.push_back({MakeString(message), message});
  }
  if (canonical == "concat") {
    ASSIGN_OR_RETURN(args, ConcatArguments(std::move(args), cast_mode(), at));
  } else if (row.name == "map" || row.name == "named_struct") {
    std::optional<Error> error;
    EvenCount(row, args.size(), error);
    if (error) return Fail(*error);
    if (row.name == "map" && !UnifyAlternating(args, *this))
      return Raise("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                   {{"sqlExpr", InDoubleQuotes(text)},
                    {"functionName", "`map`"},
                    {"dataType", ListedTypes(args, true)}},
                   at);
  } else if (canonical == "%" || canonical == "div" || row.name.starts_with("try_")) {
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"mod", "%"},          {"div", "div"},      {"try_add", "+"}, {"try_subtract", "-"},
        {"try_multiply", "*"}, {"try_divide", "/"}, {"try_mod", "%"}};
    for (const auto& [name, op] : kOperators) {
      if (name != row.name) continue;
      ASSIGN_OR_RETURN(TypedExpr typed, Arithmetic(op, args[0], args[1], at));
      const Call* call = typed.expr->As<Call>();
      if (row.name.starts_with("try_") && call != nullptr)
        typed.expr = MakeCall(row.name, call->args, typed.expr->type, true);
      return TypedExpr{typed.expr, text};
    }
  }
  CastTogether(canonical, args, cast_mode());
  ASSIGN_OR_RETURN(args, CoerceArguments(row, written, std::move(args), at));
  std::vector<ExprPtr> values;
  for (const TypedExpr& arg : args) values.push_back(arg.expr);
  if (canonical == "<=>")
    return TypedExpr{MakeCall("<=>", values, DataType(TypeKind::kBoolean), false), text};
  ASSIGN_OR_RETURN(CallType type, TypeOfCall(row, values, settings_.ansi));
  if (row.name == "zeroifnull" || row.name == "nullifzero") {
    if (type.type.is_void()) type.type = DataType(TypeKind::kInt);
    values[0] = MakeCast(values[0], type.type, cast_mode());
  }
  if (row.name == "zeroifnull")
    return TypedExpr{
        MakeCall("coalesce", {values[0], MakeCast(MakeInt(0), values[0]->type, cast_mode())},
                 type.type, false),
        text};
  if (row.name == "nullifzero")
    return TypedExpr{
        MakeCall("nullif", {values[0], MakeCast(MakeInt(0), values[0]->type, cast_mode())},
                 type.type, true),
        text};
  if (row.name == "pmod" || row.name == "nanvl")
    for (ExprPtr& value : values) value = MakeCast(value, type.type, cast_mode());
  return TypedExpr{MakeCall(Operator(canonical), std::move(values), type.type, type.nullable),
                   text};
}

// Functions whose value the analyzer knows.
ExprPtr QueryAnalyzer::KnownCall(const FunctionRow& row, const std::vector<TypedExpr>& args) const {
  std::string_view name = row.CanonicalName();
  if (name == "current_catalog") return MakeString(settings_.current_catalog);
  if (name == "current_schema") return MakeString(iceblink::Join(settings_.current_namespace, "."));
  if (name == "current_user") return MakeString(settings_.user);
  if (name == "current_timezone") return MakeString(settings_.time_zone);
  if (name == "version") return MakeString("4.1.3");
  if (name != "typeof") return nullptr;
  ExprPtr type = MakeString(args[0].expr->type.SimpleString());
  if (!ContainsAggregate(args[0].expr) && !ContainsWindow(args[0].expr)) return type;
  ExprPtr is_null = MakeCall("isnull", {args[0].expr}, DataType(TypeKind::kBoolean),
                             false);  // keeps the query aggregated
  return MakeCall("if", {is_null, type, type}, type->type, false);
}

}  // namespace iceblink::plan
