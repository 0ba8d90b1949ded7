// Operators, conditionals and mathematics.
#include <fmt/format.h>

#include "base/strings.h"
#include "exec/duckdb_types.h"
#include "exec/function_table.h"

namespace iceblink::exec {

using plan::DataType;
using sql::TypeKind;

namespace {

using Args = std::vector<std::string>;

std::string Infix(const Args& args, std::string_view op) {
  return "(" + Join(args, " " + std::string(op) + " ") + ")";
}

bool IsDecimal(const DataType& type) { return type.kind() == TypeKind::kDecimal; }

std::string WideDecimal(std::string_view op, const plan::Expr& expr, const plan::Call& call,
                        const Args& args, bool null_on_error) {
  auto operand = [&](size_t i) {
    const DataType& type = call.args[i]->type;
    return fmt::format("CAST({} AS DECIMAL(38,{}))", args[i], IsDecimal(type) ? type.scale() : 0);
  };
  int precision = IsDecimal(expr.type) ? expr.type.precision() : 38;
  int scale = IsDecimal(expr.type) ? expr.type.scale() : 0;
  return fmt::format("ib_decimal('{}', {}, {}, {}, {}, {})", op, operand(0), operand(1), precision,
                     scale, null_on_error ? 1 : 0);
}

// DuckDB's own decimal operators are exact as long as nothing is rounded and the result's digits
// cannot overflow.
bool NativeDecimal(char op, const plan::Expr& expr, const plan::Call& call) {
  const DataType &a = call.args[0]->type, &b = call.args[1]->type;
  if (!IsDecimal(a) || !IsDecimal(b)) return false;
  if (op == '*')
    return a.precision() + b.precision() + 1 <= 38 && expr.type.scale() == a.scale() + b.scale();
  int scale = std::max(a.scale(), b.scale());
  return expr.type.precision() < 38 && expr.type.scale() == scale;
}

Result<std::string> Arithmetic(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                               const Args& args) {
  char op = call.function[0];
  if (IsDecimal(expr.type)) {
    ASSIGN_OR_RETURN(auto narrow, lowering.NarrowDecimal(std::make_shared<const plan::Expr>(expr)));
    if (narrow) return std::move(narrow->text);
    if (NativeDecimal(op, expr, call)) return Infix(args, call.function);
    return WideDecimal(call.function, expr, call, args, false);
  }
  if (expr.type.is_ansi_interval() && op == '*') {
    bool interval_first = call.args[0]->type.is_ansi_interval();
    return fmt::format("round({} * CAST({} AS DOUBLE))", args[interval_first ? 0 : 1],
                       args[interval_first ? 1 : 0]);
  }
  return Infix(args, call.function);
}

Result<std::string> Divide(Lowering&, const plan::Expr& expr, const plan::Call& call,
                           const Args& args) {
  if (IsDecimal(expr.type)) return WideDecimal("/", expr, call, args, false);
  if (expr.type.is_ansi_interval())
    return fmt::format("round(ib_divide({}, CAST({} AS DOUBLE)))", args[0], args[1]);
  if (expr.type.kind() == TypeKind::kCalendarInterval)
    return fmt::format("({} / CAST({} AS BIGINT))", args[0], args[1]);
  return "ib_divide(" + Join(args, ", ") + ")";
}

Result<std::string> TryDivide(Lowering& lowering, const plan::Expr& expr, const plan::Call& call,
                              const Args& args) {
  if (IsDecimal(expr.type)) return WideDecimal("/", expr, call, args, true);
  ASSIGN_OR_RETURN(std::string text, Divide(lowering, expr, call, args));
  return fmt::format("CASE WHEN {} <> 0 THEN {} END", args[1], text);
}

Result<std::string> Remainder(Lowering&, const plan::Expr& expr, const plan::Call& call,
                              const Args& args) {
  if (IsDecimal(expr.type)) return WideDecimal("%", expr, call, args, false);
  return "ib_remainder(" + Join(args, ", ") + ")";
}

Result<std::string> TryRemainder(Lowering&, const plan::Expr& expr, const plan::Call& call,
                                 const Args& args) {
  if (IsDecimal(expr.type)) return WideDecimal("%", expr, call, args, true);
  return fmt::format("CASE WHEN {} <> 0 THEN ib_remainder({}) END", args[1], Join(args, ", "));
}

Result<std::string> Pmod(Lowering&, const plan::Expr& expr, const plan::Call& call,
                         const Args& args) {
  if (!IsDecimal(expr.type)) return "ib_pmod(" + Join(args, ", ") + ")";
  std::string rest = WideDecimal("%", expr, call, args, false);
  return fmt::format("CASE WHEN {0} < 0 THEN {0} + {1} ELSE {0} END", rest, args[1]);
}

Result<std::string> IntegralDivide(Lowering&, const plan::Expr& expr, const plan::Call& call,
                                   const Args& args) {
  bool decimal = IsDecimal(call.args[0]->type) || IsDecimal(call.args[1]->type);
  std::string text = decimal ? WideDecimal("div", expr, call, args, false)
                             : "ib_int_divide(" + Join(args, ", ") + ")";
  if (call.function == "try_int_divide")
    return fmt::format("CASE WHEN {} <> 0 THEN {} END", args[1], text);
  return text;
}

// try_add, try_subtract, try_multiply: NULL on overflow.
Result<std::string> TryArithmetic(Lowering& lowering, const plan::Expr& expr,
                                  const plan::Call& call, const Args& args) {
  std::string_view op =
      call.function == "try_add" ? "+" : (call.function == "try_subtract" ? "-" : "*");
  if (IsDecimal(expr.type)) return WideDecimal(op, expr, call, args, true);
  if (expr.type.is_integral()) {
    return fmt::format("TRY_CAST((CAST({} AS HUGEINT) {} CAST({} AS HUGEINT)) AS {})", args[0], op,
                       args[1], TypeSql(expr.type));
  }
  plan::Call plain = call;
  plain.function = op;
  return Arithmetic(lowering, expr, plain, args);
}

Result<std::string> WrapArithmetic(Lowering& lowering, const plan::Expr& expr,
                                   const plan::Call& call, const Args& args) {
  std::string_view op =
      call.function == "wrap_add" ? "+" : (call.function == "wrap_subtract" ? "-" : "*");
  if (IsDecimal(expr.type)) return WideDecimal(op, expr, call, args, true);
  if (!expr.type.is_integral()) {
    plan::Call plain = call;
    plain.function = op;
    return Arithmetic(lowering, expr, plain, args);
  }
  std::string wide = "ib_" + std::string(call.function) + "(" + Join(args, ", ") + ")";
  // The legacy cast keeps the low bits.
  return lowering.CastText(wide, DataType(TypeKind::kBigInt), expr.type, plan::CastMode::kLegacy);
}

Result<std::string> WrapNegative(Lowering& lowering, const plan::Expr& expr, const plan::Call&,
                                 const Args& args) {
  if (!expr.type.is_integral()) return "(-" + args[0] + ")";
  return lowering.CastText("ib_wrap_subtract(0, " + args[0] + ")", DataType(TypeKind::kBigInt),
                           expr.type, plan::CastMode::kLegacy);
}

Result<std::string> In(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  if (args.size() < 2) return std::string("false");
  return "(" + args[0] + " IN (" + Join(Args(args.begin() + 1, args.end()), ", ") + "))";
}

Result<std::string> Round(Lowering&, const plan::Expr& expr, const plan::Call& call,
                          const Args& args) {
  bool even = call.function == "bround";
  const DataType& from = call.args[0]->type;
  std::string scale = args.size() > 1 ? args[1] : "0";
  if (from.is_integral()) return fmt::format("ib_round_long({}, {}, {})", args[0], scale, even);
  if (!IsDecimal(from))
    return fmt::format("{}({}, {})", even ? "ib_bround" : "ib_round", args[0], scale);
  auto* literal = call.args.size() > 1 ? call.args[1]->As<plan::LiteralExpr>() : nullptr;
  int64_t digits = literal != nullptr && !literal->value.is_null() ? literal->value.AsInt64() : 0;
  if (even) return fmt::format("round_even({}, {})", args[0], digits);
  if (digits >= 0) return fmt::format("CAST({} AS DECIMAL(38,{}))", args[0], expr.type.scale());
  return fmt::format("ib_round_long(CAST({} AS BIGINT), {}, false)", args[0], digits);
}

Result<std::string> CeilFloor(Lowering&, const plan::Expr& expr, const plan::Call& call,
                              const Args& args) {
  std::string name(call.function);
  const DataType& from = call.args[0]->type;
  if (args.size() == 1) return from.is_integral() ? args[0] : name + "(" + args[0] + ")";
  auto* literal = call.args[1]->As<plan::LiteralExpr>();
  int64_t digits = literal != nullptr ? literal->value.AsInt64() : 0;
  std::string unit = digits >= 0
                         ? fmt::format("CAST(1{} AS DECIMAL(38,0))", std::string(digits, '0'))
                         : fmt::format("CAST(1{} AS DECIMAL(38,0))", std::string(-digits, '0'));
  if (digits >= 0) {
    return fmt::format("CAST({}(CAST({} AS DECIMAL(38,{})) * {}) AS DOUBLE) / {}", name, args[0],
                       std::max(from.is_integral() ? 0 : from.scale(), 0), unit, unit);
  }
  (void)expr;
  return fmt::format("{}(CAST({} AS DOUBLE) / {}) * {}", name, args[0], unit, unit);
}

Result<std::string> Shift(Lowering&, const plan::Expr& expr, const plan::Call& call,
                          const Args& args) {
  int bits = expr.type.kind() == TypeKind::kBigInt ? 64 : 32;
  std::string count = fmt::format("({} & {})", args[1], bits - 1);
  return fmt::format("ib_shift('{}', {}, {}, {})", call.function, args[0], count, bits);
}

Result<std::string> Greatest(Lowering&, const plan::Expr&, const plan::Call& call,
                             const Args& args) {
  return std::string(call.function) + "(" + Join(args, ", ") + ")";
}

Result<std::string> TypeOf(Lowering&, const plan::Expr&, const plan::Call& call, const Args&) {
  return QuoteText(call.args[0]->type.SimpleString());
}

Result<std::string> IntervalScale(Lowering&, const plan::Expr& expr, const plan::Call& call,
                                  const Args& args) {
  bool multiply = call.function == "interval_multiply";
  std::string by = "CAST(" + args[1] + " AS DOUBLE)";
  if (expr.type.kind() == TypeKind::kCalendarInterval) {
    return multiply ? fmt::format("({} * CAST({} AS BIGINT))", args[0], args[1])
                    : fmt::format("({} / CAST({} AS BIGINT))", args[0], args[1]);
  }
  return multiply ? fmt::format("round({} * {})", args[0], by)
                  : fmt::format("round(ib_divide({}, {}))", args[0], by);
}

// struct, name literal, value: the struct with that field set or added.
Result<std::string> StructWithField(Lowering&, const plan::Expr& expr, const plan::Call& call,
                                    const Args& args) {
  auto* name = call.args[1]->As<plan::LiteralExpr>();
  if (name == nullptr || !name->value.Is<std::string>())
    return Fail(ErrorCode::kInternal, "struct_with_field without a name");
  std::vector<std::string> names = StructNames(expr.type), have = StructNames(call.args[0]->type),
                           fields;
  for (const std::string& field : names) {
    bool set = EqualsIgnoreCase(field, name->value.As<std::string>());
    fields.push_back(QuoteIdentifier(field) + " := " +
                     (set ? args[2] : "struct_extract(" + args[0] + ", " + QuoteText(field) + ")"));
  }
  return fmt::format("CASE WHEN {} IS NOT NULL THEN struct_pack({}) END", args[0],
                     Join(fields, ", "));
}

Result<std::string> Negative(Lowering&, const plan::Expr&, const plan::Call&, const Args& args) {
  return "(-" + args[0] + ")";
}

Result<std::string> Abs(Lowering&, const plan::Expr& expr, const plan::Call&, const Args& args) {
  if (expr.type.is_ansi_interval()) return fmt::format("abs({})", args[0]);
  return "abs(" + args[0] + ")";
}

Result<std::string> AssertNotNull(Lowering&, const plan::Expr& expr, const plan::Call& call,
                                  const Args& args) {
  auto* name = call.args.size() > 1 ? call.args[1]->As<plan::LiteralExpr>() : nullptr;
  std::string column =
      name != nullptr && !name->value.is_null() ? name->value.As<std::string>() : "";
  return fmt::format("coalesce({}, CAST(ib_not_null_violation({}) AS {}))", args[0],
                     QuoteText(column), TypeSql(expr.type));
}

constexpr FunctionSql kOperatorRows[] = {
    {"+", "", Arithmetic},
    {"-", "", Arithmetic},
    {"*", "", Arithmetic},
    {"/", "", Divide},
    {"%", "", Remainder},
    {"div", "", IntegralDivide},
    {"pmod", "", Pmod},
    {"try_add", "", TryArithmetic},
    {"try_subtract", "", TryArithmetic},
    {"try_multiply", "", TryArithmetic},
    {"try_divide", "", TryDivide},
    {"try_mod", "", TryRemainder},
    {"try_int_divide", "", IntegralDivide},
    {"wrap_add", "", WrapArithmetic},
    {"wrap_subtract", "", WrapArithmetic},
    {"wrap_multiply", "", WrapArithmetic},
    {"wrap_negative", "", WrapNegative},
    {"wrap_abs", "CASE WHEN $1 < 0 THEN ib_wrap_subtract(0, $1) ELSE $1 END"},
    {"interval_multiply", "", IntervalScale},
    {"interval_divide", "", IntervalScale},
    {"struct_with_field", "", StructWithField},
    {"negative", "", Negative},
    {"positive", "$1"},
    {"&", "($1 & $2)"},
    {"|", "($1 | $2)"},
    {"^", "xor($1, $2)"},
    {"~", "(~$1)"},
    {"<<", "", Shift},
    {">>", "", Shift},
    {">>>", "", Shift},
    {"and", "",
     [](Lowering&, const plan::Expr&, const plan::Call&, const Args& args) -> Result<std::string> {
       return Infix(args, "AND");
     }},
    {"or", "",
     [](Lowering&, const plan::Expr&, const plan::Call&, const Args& args) -> Result<std::string> {
       return Infix(args, "OR");
     }},
    {"not", "(NOT $1)"},
    {"=", "($1 = $2)"},
    {"<=>", "($1 IS NOT DISTINCT FROM $2)"},
    {"<", "($1 < $2)"},
    {"<=", "($1 <= $2)"},
    {">", "($1 > $2)"},
    {">=", "($1 >= $2)"},
    {"in", "", In},
    {"isnull", "($1 IS NULL)"},
    {"isnotnull", "($1 IS NOT NULL)"},
    {"isnan", "coalesce(isnan($1), false)"},
    {"if", "CASE WHEN $1 THEN $2 ELSE $3 END"},
    {"coalesce", "coalesce($*)"},
    {"nullif", "CASE WHEN $1 = $2 THEN NULL ELSE $1 END"},
    {"nvl2", "CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END"},
    {"greatest", "", Greatest},
    {"least", "", Greatest},
    {"nanvl", "CASE WHEN isnan($1) THEN $2 ELSE $1 END"},
    {"zeroifnull", "coalesce($1, 0)"},
    {"nullifzero", "CASE WHEN $1 = 0 THEN NULL ELSE $1 END"},
    {"typeof", "", TypeOf},
    {"raise_error", "ib_raise_error($1)"},
    {"assert_true", "CASE WHEN $1 THEN NULL ELSE ib_raise_error($2) END"},
    {"assert_not_null", "", AssertNotNull},
    {"abs", "", Abs},
    {"ceil", "", CeilFloor},
    {"floor", "", CeilFloor},
    {"round", "", Round},
    {"bround", "", Round},
    {"sqrt", "ib_sqrt($1)"},
    {"cbrt", "cbrt($1)"},
    {"exp", "exp($1)"},
    {"expm1", "ib_expm1($1)"},
    {"ln", "ib_ln($1)"},
    {"log", "",
     [](Lowering&, const plan::Expr&, const plan::Call&, const Args& args) -> Result<std::string> {
       return (args.size() == 1 ? "ib_ln(" : "ib_log(") + Join(args, ", ") + ")";
     }},
    {"log10", "CASE WHEN $1 > 0 THEN log10($1) END"},
    {"log2", "CASE WHEN $1 > 0 THEN log2($1) END"},
    {"log1p", "ib_log1p($1)"},
    {"pow", "pow($1, $2)"},
    {"power", "pow($1, $2)"},
    {"sign", "CASE WHEN isnan($1) THEN $1 ELSE sign($1) END"},
    {"rand", "random()"},
    {"randn", "(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))"},
    {"rint", "ib_rint($1)"},
    {"factorial", "ib_factorial($1)"},
    {"pi", "pi()"},
    {"e", "exp(1.0::DOUBLE)"},
    {"degrees", "degrees($1)"},
    {"radians", "radians($1)"},
    {"hypot", "ib_hypot($1, $2)"},
    {"sin", "sin($1)"},
    {"cos", "cos($1)"},
    {"tan", "tan($1)"},
    {"cot", "(1 / tan($1))"},
    {"asin", "ib_asin($1)"},
    {"acos", "ib_acos($1)"},
    {"atan", "atan($1)"},
    {"atan2", "atan2($1, $2)"},
    {"sinh", "sinh($1)"},
    {"cosh", "cosh($1)"},
    {"tanh", "tanh($1)"},
    {"width_bucket", "ib_width_bucket($1, $2, $3, $4)"},
    {"bit_count", "bit_count(CAST($1 AS BIGINT))"},
    {"getbit", "(($1 >> $2) & 1)"},
    {"uuid", "CAST(uuid() AS VARCHAR)"},
    {"monotonically_increasing_id", "(row_number() OVER () - 1)"},
    {"spark_partition_id", "0"},
    {"input_file_name", "''"},
    {"version", "'4.1.3 iceblink'"},
    {"current_timezone", "$z"},
    {"grouping_id", "0"},
};

}  // namespace

std::span<const FunctionSql> OperatorRows() { return kOperatorRows; }

}  // namespace iceblink::exec
