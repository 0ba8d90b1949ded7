// Expressions: calls as they are written. Which function a name stands for, the number of its
// arguments and their defaults, EXTRACT and TRIM.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "plan/query_analyzer.h"
#include "plan/struct_fields.h"
#include "plan/system_functions.h"
#include "sql/parser.h"

namespace iceblink::plan {

using sql::TypeKind;

namespace {

// Functions named like a type: int('5') is CAST('5' AS INT), shown as its argument.
std::optional<DataType> CastFunction(std::string_view name) {
  static constexpr std::pair<std::string_view, TypeKind> kTypes[] = {
      {"boolean", TypeKind::kBoolean},    {"tinyint", TypeKind::kTinyInt},
      {"smallint", TypeKind::kSmallInt},  {"int", TypeKind::kInt},
      {"bigint", TypeKind::kBigInt},      {"float", TypeKind::kFloat},
      {"double", TypeKind::kDouble},      {"string", TypeKind::kString},
      {"binary", TypeKind::kBinary},      {"date", TypeKind::kDate},
      {"timestamp", TypeKind::kTimestamp}};
  for (const auto& [type_name, kind] : kTypes)
    if (EqualsIgnoreCase(type_name, name)) return DataType(kind);
  if (EqualsIgnoreCase(name, "decimal")) return DataType::Decimal(10, 0);
  return std::nullopt;
}

Error WrongCount(const FunctionRow& row, std::string_view written, size_t given, ErrorPosition at) {
  std::string expected;
  if (row.max_args < 0) {
    expected = fmt::format("> {}", row.min_args - 1);
  } else if (row.min_args == row.max_args) {
    expected = std::to_string(row.min_args);
  } else {
    std::vector<std::string> counts;
    for (int n = row.min_args; n <= row.max_args; ++n) counts.push_back(std::to_string(n));
    expected = fmt::format("[{}]", iceblink::Join(counts, ", "));
  }
  return MakeError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                   {{"functionName", fmt::format("`{}`", AsciiLower(written))},
                    {"expectedNum", expected},
                    {"actualNum", std::to_string(given)}},
                   at);
}

bool CountFits(const FunctionRow& row, size_t count) {
  return count >= static_cast<size_t>(row.min_args) &&
         (row.max_args < 0 || count <= static_cast<size_t>(row.max_args));
}

// Fills arguments that a call leaves out with the row's defaults, as their names show.
Result<std::vector<sql::ExprPtr>> WithDefaults(const FunctionRow& row,
                                               const sql::FunctionCall& call) {
  std::vector<sql::ExprPtr> args;
  for (const sql::Argument& arg : call.args) args.push_back(arg.expr);
  if (row.defaults.empty()) return args;
  std::vector<std::string> defaults = Split(row.defaults, '|');
  size_t first = static_cast<size_t>(row.max_args) - defaults.size();
  while (args.size() < static_cast<size_t>(row.max_args) && args.size() >= first) {
    ASSIGN_OR_RETURN(sql::ExprPtr value, sql::ParseExpression(defaults[args.size() - first]));
    args.push_back(std::move(value));
  }
  return args;
}

}  // namespace

Result<TypedExpr> QueryAnalyzer::OtherFunction(const sql::FunctionCall& call,
                                               const sql::Position& at,
                                               const ExprContext& context) {
  ErrorPosition position = ToErrorPosition(at);
  const sql::Name& name = call.name;
  if (name.size() == 1 && call.args.size() == 1) {
    if (auto type = CastFunction(name[0])) {
      ASSIGN_OR_RETURN(TypedExpr child, Expression(*call.args[0].expr, context));
      std::string text = child.text;
      return CastTo(std::move(child), *type, cast_mode(), std::move(text), position);
    }
  }
  if (name.size() == 1 && EqualsIgnoreCase(name[0], "window") && context.scope != nullptr) {
    for (const ScopeColumn& column : context.scope->columns)
      if (column.metadata && column.qualifier.empty() && column.column.name == "window")
        return TypedExpr{MakeColumn(column.column), column.column.name};
  }
  bool part = EqualsIgnoreCase(name[0], "date_part") || EqualsIgnoreCase(name[0], "datepart");
  if (part && name.size() == 1 && call.args.size() == 2) {
    ASSIGN_OR_RETURN(TypedExpr field, Expression(*call.args[0].expr, context));
    ASSIGN_OR_RETURN(TypedExpr source, Expression(*call.args[1].expr, context));
    std::string text = fmt::format("{}({}, {})", AsciiLower(name[0]), field.text, source.text);
    return ExtractField(field.text, std::move(text), std::move(source), position);
  }
  if (name.size() == 2 && name[0].empty() && name[1] == "update_fields") {
    ASSIGN_OR_RETURN(TypedExpr structure, Expression(*call.args[0].expr, context));
    ASSIGN_OR_RETURN(TypedExpr path, Expression(*call.args[1].expr, context));
    std::optional<TypedExpr> value;
    if (call.args.size() == 3) {
      ASSIGN_OR_RETURN(value, Expression(*call.args[2].expr, context));
    }
    return UpdateField(std::move(structure), path.text, std::move(value));
  }
  bool elsewhere =
      name.size() > 2 && name[0] != settings_.current_catalog && resolver_.IsCatalog(name[0]);
  sql::Name current = elsewhere ? sql::Name{"default"} : settings_.current_namespace;
  current.insert(current.begin(), elsewhere ? name[0] : settings_.current_catalog);
  return Raise("UNRESOLVED_ROUTINE",
               {{"routineName", sql::QuoteName(name)},
                {"searchPath", fmt::format("[`system`.`builtin`, `system`.`session`, {}]",
                                           sql::QuoteName(current))}},
               position);
}

Status QueryAnalyzer::CheckSystemCall(const FunctionRow& row, const sql::FunctionCall& call,
                                      ErrorPosition at, const ExprContext& context) {
  std::vector<DataType> types;
  for (const sql::Argument& arg : call.args) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*arg.expr, context));
    types.push_back(typed.expr->type);
  }
  return CheckSystemArguments(row.name, types, at);
}

Result<TypedExpr> QueryAnalyzer::FunctionCall(const sql::FunctionCall& call,
                                              const sql::Position& at, const ExprContext& context) {
  ErrorPosition position = ToErrorPosition(at);
  const sql::Name& name = call.name;
  const FunctionRow* row = name.size() == 1 ? FindFunction(name[0]) : nullptr;
  if (name.size() > 1 && EqualsIgnoreCase(name[name.size() - 2], "builtin"))
    row = FindFunction(name.back());
  bool in_system = name.size() >= 2 && EqualsIgnoreCase(name[name.size() - 2], "system");
  const std::string& catalog = name.size() == 3 ? name[0] : settings_.current_catalog;
  bool iceberg =
      in_system && name.size() <= 3 && catalog != "spark_catalog" && resolver_.IsCatalog(catalog);
  if (iceberg) row = FindSystemFunction(name.back());
  if (row == nullptr) return OtherFunction(call, at, context);
  std::string_view written = name.back();
  if (call.window) return WindowFunction(*row, call, at, context);
  if (row->kind == FunctionKind::kWindow)
    return Raise("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
                 {{"funcName", InDoubleQuotes(fmt::format("{}()", written))}}, ErrorPosition{1, 0});
  if (row->kind == FunctionKind::kAggregate) return AggregateFunction(*row, call, at, context);
  if (row->kind == FunctionKind::kGenerator)
    return Raise("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                 {{"expression", InDoubleQuotes(fmt::format("{}()", written))}});
  if (iceberg) RETURN_IF_ERROR(CheckSystemCall(*row, call, position, context));
  if (!CountFits(*row, call.args.size()))
    return Fail(WrongCount(*row, written, call.args.size(), position));
  if (row->args.find('L') != std::string_view::npos) return HigherOrder(*row, call, at, context);
  if (row->name == "struct") {
    sql::StructConstructor fields;
    for (const sql::Argument& arg : call.args) fields.fields.push_back({arg.expr, {}, {}});
    return StructOf(fields, context);
  }
  ASSIGN_OR_RETURN(std::vector<sql::ExprPtr> given, WithDefaults(*row, call));
  std::vector<TypedExpr> args;
  for (const sql::ExprPtr& arg : given) {
    ASSIGN_OR_RETURN(TypedExpr typed, Expression(*arg, context));
    args.push_back(std::move(typed));
  }
  return ScalarCall(*row, written, std::move(args), position);
}

// ---- EXTRACT and TRIM
// -------------------------------------------------------------------------------------------------

namespace {

struct ExtractRow {
  std::string_view names;  // separated by spaces
  std::string_view function;
};
constexpr ExtractRow kExtracts[] = {
    {"YEAR Y YEARS YR YRS", "year"},
    {"YEAROFWEEK", "yearofweek"},
    {"QUARTER QTR", "quarter"},
    {"MONTH MON MONS MONTHS", "month"},
    {"WEEK W WEEKS", "weekofyear"},
    {"DAY D DAYS", "day"},
    {"DAYOFWEEK DOW", "dayofweek"},
    {"DAYOFWEEK_ISO DOW_ISO", "dayofweek_iso"},
    {"DOY", "dayofyear"},
    {"HOUR H HOURS HR HRS", "hour"},
    {"MINUTE M MIN MINS MINUTES", "minute"},
    {"SECOND S SEC SECONDS SECS", "second_with_fraction"},
};

}  // namespace

Result<TypedExpr> QueryAnalyzer::ExtractField(std::string_view field, std::string text,
                                              TypedExpr source, ErrorPosition at) {
  std::string upper = AsciiUpper(field);
  for (const ExtractRow& extract : kExtracts) {
    std::vector<std::string> known = Split(extract.names, ' ');
    if (std::find(known.begin(), known.end(), upper) == known.end()) continue;
    std::vector<TypedExpr> args;
    args.push_back(std::move(source));
    ASSIGN_OR_RETURN(TypedExpr typed, ScalarCall(*FindFunction(extract.function), extract.function,
                                                 std::move(args), at));
    typed.text = std::move(text);
    return typed;
  }
  return Raise("INVALID_EXTRACT_FIELD",
               {{"field", fmt::format("`{}`", field)}, {"expr", InDoubleQuotes(source.text)}}, at);
}

Result<TypedExpr> QueryAnalyzer::TrimText(const sql::Trim& node, const sql::Position& at,
                                          const ExprContext& context) {
  static constexpr std::pair<std::string_view, std::string_view> kSides[] = {
      {"trim", "BOTH"}, {"ltrim", "LEADING"}, {"rtrim", "TRAILING"}};
  const auto& [function, word] = kSides[static_cast<size_t>(node.side)];
  std::vector<TypedExpr> args;
  ASSIGN_OR_RETURN(TypedExpr source, Expression(*node.source, context));
  args.push_back(std::move(source));
  std::string text = fmt::format("{}({})", function, args[0].text);
  if (node.characters) {
    ASSIGN_OR_RETURN(TypedExpr characters, Expression(*node.characters, context));
    text = fmt::format("TRIM({} {} FROM {})", word, characters.text, args[0].text);
    args.push_back(std::move(characters));
  }
  ASSIGN_OR_RETURN(TypedExpr typed, ScalarCall(*FindFunction(function), function, std::move(args),
                                               ToErrorPosition(at)));
  typed.text = std::move(text);
  return typed;
}

}  // namespace iceblink::plan
