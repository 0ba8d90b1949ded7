// Arithmetic with Spark's errors: division, remainder, decimals, sums, rounding and the rest of
// mathematics.
#include <cmath>

#include "base/decimal.h"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "exec/duckdb_types.h"
#include "exec/row_function.h"
#include "exec/spark_error.h"
#include "exec/wide_decimal.h"

namespace iceblink::exec {

using duckdb::LogicalType;

namespace {

[[noreturn]] void DivideByZero() { ThrowCondition("DIVIDE_BY_ZERO"); }
[[noreturn]] void RemainderByZero() { ThrowCondition("REMAINDER_BY_ZERO"); }
[[noreturn]] void LongOverflow(std::string_view hint) {
  std::string alternative = hint.empty() ? ""
                                         : " Use '" + std::string(hint) +
                                               "' to tolerate overflow and return NULL instead.";
  ThrowCondition("ARITHMETIC_OVERFLOW",
                 {{"message", "long overflow"}, {"alternative", alternative}});
}

void Add(duckdb::ExtensionLoader& loader, const char* name, std::initializer_list<LogicalType> args,
         LogicalType result, duckdb::scalar_function_t body) {
  duckdb::ScalarFunction function(name, duckdb::vector<LogicalType>(args), std::move(result),
                                  std::move(body));
  function.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(std::move(function));
}

template <typename T, typename Op>
duckdb::scalar_function_t Binary(Op op) {
  return [op](duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
    duckdb::BinaryExecutor::Execute<T, T, T>(chunk.data[0], chunk.data[1], result, chunk.size(),
                                             op);
  };
}

template <typename T>
void RegisterRemainders(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  auto remainder = [](T a, T b) -> T {
    if (b == 0) RemainderByZero();
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      if constexpr (sizeof(T) == 8) {  // dividing 32 bits takes a fraction of the time
        if (((static_cast<uint64_t>(a) | static_cast<uint64_t>(b)) >> 32) == 0) {
          return static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
        }
      }
      return b == T(-1) ? T(0) : static_cast<T>(a % b);
    }
  };
  Add(loader, "ib_remainder", {type, type}, type, Binary<T>(remainder));
  Add(loader, "ib_pmod", {type, type}, type, Binary<T>([remainder](T a, T b) -> T {
        T rest = remainder(a, b);
        return rest < 0 ? remainder(static_cast<T>(rest + b), b) : rest;
      }));
}

void SumToBigint(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnaryExecutor::Execute<duckdb::hugeint_t, int64_t>(
      chunk.data[0], result, chunk.size(), [](duckdb::hugeint_t v) {
        int64_t out = 0;
        if (!duckdb::Hugeint::TryCast(v, out)) LongOverflow("try_add");
        return out;
      });
}

// Sums beyond the precision are NULL or an error.
void SumToDecimal(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const int32_t scale = duckdb::DecimalType::GetScale(chunk.data[0].GetType());
  duckdb::TernaryExecutor::ExecuteWithNulls<duckdb::hugeint_t, int32_t, bool, duckdb::hugeint_t>(
      chunk.data[0], chunk.data[1], chunk.data[2], result, chunk.size(),
      [&](duckdb::hugeint_t v, int32_t precision, bool try_mode, duckdb::ValidityMask& mask,
          size_t row) {
        if (!FitsPrecision(ToInt128(v), precision)) {
          if (!try_mode) LongOverflow("try_add");
          mask.SetInvalid(row);
        }
        (void)scale;
        return v;
      });
}

duckdb::unique_ptr<duckdb::FunctionData> BindSameDecimal(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  function.arguments[0] = args[0]->return_type;
  function.SetReturnType(args[0]->return_type);
  return nullptr;
}

// ---- ib_decimal(op, a, b, precision, scale, try)
// -------------------------------------------------------------------

struct DecimalOperation : duckdb::FunctionData {
  std::string op;
  int32_t precision = 38, scale = 0;
  bool legacy = false;  // NULL instead of an error
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<DecimalOperation>(*this);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& o = other.Cast<DecimalOperation>();
    return op == o.op && precision == o.precision && scale == o.scale && legacy == o.legacy;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindDecimal(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& args) {
  auto constant = [&](size_t i) {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *args[i]);
  };
  auto out = duckdb::make_uniq<DecimalOperation>();
  out->op = constant(0).ToString();
  out->precision = constant(3).GetValue<int32_t>();
  out->scale = constant(4).GetValue<int32_t>();
  out->legacy = constant(5).GetValue<int32_t>() != 0;
  if (out->op.starts_with("try")) {
    out->op = out->op.substr(3);
    out->legacy = true;
  }
  for (size_t i : {1, 2}) {
    function.arguments[i] =
        LogicalType::DECIMAL(38, duckdb::DecimalType::GetScale(args[i]->return_type));
  }
  function.SetReturnType(LogicalType::DECIMAL(38, static_cast<uint8_t>(out->scale)));
  return out;
}

WideResult Compute(const DecimalOperation& operation, const Decimal& a, Decimal b) {
  switch (operation.op[0]) {
    case '+':
      return DecimalAdd(a, b, operation.scale);
    case '-':
      b.unscaled = -b.unscaled;
      return DecimalAdd(a, b, operation.scale);
    case '*':
      return DecimalMultiply(a, b, operation.scale);
    case '%':
      return DecimalRemainder(a, b, operation.scale);
    case 'd':
      return DecimalIntegralDivide(a, b);
    default:
      return DecimalDivide(a, b, operation.scale);
  }
}

void DecimalRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& operation =
      state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<DecimalOperation>();
  const int32_t left = duckdb::DecimalType::GetScale(chunk.data[1].GetType());
  const int32_t right = duckdb::DecimalType::GetScale(chunk.data[2].GetType());
  const bool average = operation.op == "avg";
  const bool divides =
      operation.op == "/" || operation.op == "div" || operation.op == "%" || average;
  duckdb::BinaryExecutor::ExecuteWithNulls<duckdb::hugeint_t, duckdb::hugeint_t, duckdb::hugeint_t>(
      chunk.data[1], chunk.data[2], result, chunk.size(),
      [&](duckdb::hugeint_t a, duckdb::hugeint_t b, duckdb::ValidityMask& mask, size_t row) {
        Decimal x{ToInt128(a), left}, y{ToInt128(b), right};
        if (divides && y.unscaled == 0) {
          if (!operation.legacy && !average)
            operation.op == "%" ? RemainderByZero() : DivideByZero();
          mask.SetInvalid(row);
          return duckdb::hugeint_t(0);
        }
        WideResult wide = Compute(operation, x, y);
        if (!wide.unscaled || !FitsPrecision(*wide.unscaled, operation.precision)) {
          std::string shown =
              wide.unscaled ? DecimalToPlainString({*wide.unscaled, operation.scale}) : wide.text;
          if (!operation.legacy) {
            ThrowCondition("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                           {{"value", shown},
                            {"precision", std::to_string(operation.precision)},
                            {"scale", std::to_string(operation.scale)}});
          }
          mask.SetInvalid(row);
          return duckdb::hugeint_t(0);
        }
        return ToHugeint(*wide.unscaled);
      });
}

// ---- rounding
// --------------------------------------------------------------------------------------------------------

double RoundDouble(double value, int32_t scale, bool half_even) {
  if (!std::isfinite(value)) return value;
  // Java rounds the shortest decimal text, not the binary value.
  std::string text = duckdb::Value::DOUBLE(value).ToString();
  auto decimal = ParseDecimal(text);
  if (!decimal || scale > 30) return value;
  if (decimal->scale <= scale) return value;
  auto down = Rescale(*decimal, scale, Rounding::kDown);
  auto up = Rescale(*decimal, scale, Rounding::kHalfUp);
  if (!down || !up) return value;
  if (half_even && up->unscaled != down->unscaled) {
    auto again = Rescale(*down, decimal->scale, Rounding::kUnnecessary);
    Int128 rest = again ? decimal->unscaled - again->unscaled : 0;
    Int128 half = 5 * PowerOfTen(decimal->scale - scale - 1);
    if ((rest < 0 ? -rest : rest) == half && down->unscaled % 2 == 0) up = down;
  }
  return std::stod(DecimalToPlainString(*up));
}

Datum RoundHalfUp(const RowArgs& args) { return RoundDouble(args.Double(0), args.Int(1), false); }
Datum RoundHalfEven(const RowArgs& args) { return RoundDouble(args.Double(0), args.Int(1), true); }

Datum RoundLong(const RowArgs& args) {
  int32_t scale = args.Int(1);
  int64_t value = args.Long(0);
  if (scale >= 0) return value;
  if (scale < -18) return int64_t{0};
  auto unit = static_cast<int64_t>(PowerOfTen(-scale));
  int64_t rest = value % unit, base = value - rest;
  int64_t twice = rest < 0 ? -rest : rest;
  bool half_even = args.Bool(2);
  bool up = twice > unit / 2 || (twice * 2 == unit && (!half_even || (base / unit) % 2 != 0)) ||
            twice * 2 > unit;
  return up ? base + (rest < 0 ? -unit : unit) : base;
}

Datum Factorial(const RowArgs& args) {
  int64_t n = args.Long(0);
  if (n < 0 || n > 20) return {};
  int64_t out = 1;
  for (int64_t i = 2; i <= n; ++i) out *= i;
  return out;
}

Datum Log(const RowArgs& args) {
  return args.Double(0) > 0 ? Datum(std::log(args.Double(0))) : Datum();
}
Datum LogBase(const RowArgs& args) {
  double base = args.Double(0), value = args.Double(1);
  return base > 0 && value > 0 ? Datum(std::log(value) / std::log(base)) : Datum();
}
Datum Log1p(const RowArgs& args) {
  return args.Double(0) > -1 ? Datum(std::log1p(args.Double(0))) : Datum();
}

Datum SkewnessPop(const RowArgs& args) {
  double n = args.Double(1);
  if (args.IsNull(1) || n == 0 || args.IsNull(2)) return {};
  if (args.Double(2) == 0) return std::nan("");
  if (args.IsNull(0) || n < 3) return 0.0;
  return args.Double(0) * (n - 2) / std::sqrt(n * (n - 1));
}

Datum WidthBucket(const RowArgs& args) {
  double value = args.Double(0), low = args.Double(1), high = args.Double(2);
  int64_t buckets = args.Long(3);
  if (buckets <= 0 || low == high) return {};
  double lower = std::min(low, high), upper = std::max(low, high);
  if (low < high) {
    if (value < lower) return int64_t{0};
    if (value >= upper) return buckets + 1;
    return static_cast<int64_t>((value - lower) / (upper - lower) * static_cast<double>(buckets)) +
           1;
  }
  if (value > upper) return int64_t{0};
  if (value <= lower) return buckets + 1;
  return static_cast<int64_t>((upper - value) / (upper - lower) * static_cast<double>(buckets)) + 1;
}

template <double (*F)(double)>
Datum Math(const RowArgs& args) {
  return F(args.Double(0));
}

void RegisterDecimalFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType i32 = LogicalType::INTEGER;
  Add(loader, "ib_sum_to_bigint", {LogicalType::HUGEINT}, LogicalType::BIGINT, SumToBigint);
  duckdb::ScalarFunction sum(
      "ib_sum_to_decimal", {LogicalType(duckdb::LogicalTypeId::DECIMAL), i32, LogicalType::BOOLEAN},
      LogicalType::DECIMAL(38, 0), SumToDecimal, BindSameDecimal);
  sum.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(sum);
  const LogicalType decimal(duckdb::LogicalTypeId::DECIMAL);
  duckdb::ScalarFunction arithmetic("ib_decimal",
                                    {LogicalType::VARCHAR, decimal, decimal, i32, i32, i32},
                                    LogicalType::DECIMAL(38, 0), DecimalRows, BindDecimal);
  arithmetic.SetErrorMode(duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR);
  loader.RegisterFunction(arithmetic);
}

}  // namespace

void RegisterNumberFunctions(duckdb::ExtensionLoader& loader) {
  const LogicalType i32 = LogicalType::INTEGER, i64 = LogicalType::BIGINT,
                    f64 = LogicalType::DOUBLE;
  Add(loader, "ib_divide", {f64, f64}, f64, Binary<double>([](double a, double b) {
        if (b == 0) DivideByZero();
        return a / b;
      }));
  Add(loader, "ib_int_divide", {i64, i64}, i64,
      Binary<int64_t>([](int64_t a, int64_t b) -> int64_t {
        if (b == 0) DivideByZero();
        if (b == -1 && a == INT64_MIN) LongOverflow("");
        return a / b;
      }));
  RegisterRemainders<int8_t>(loader, LogicalType::TINYINT);
  RegisterRemainders<int16_t>(loader, LogicalType::SMALLINT);
  RegisterRemainders<int32_t>(loader, i32);
  RegisterRemainders<int64_t>(loader, i64);
  RegisterRemainders<float>(loader, LogicalType::FLOAT);
  RegisterRemainders<double>(loader, f64);
  Add(loader, "ib_wrap_add", {i64, i64}, i64, Binary<int64_t>([](int64_t a, int64_t b) {
        return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      }));
  Add(loader, "ib_wrap_subtract", {i64, i64}, i64, Binary<int64_t>([](int64_t a, int64_t b) {
        return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
      }));
  Add(loader, "ib_wrap_multiply", {i64, i64}, i64, Binary<int64_t>([](int64_t a, int64_t b) {
        return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      }));
  RegisterDecimalFunctions(loader);
  Register(
      loader,
      {
          {"ib_round", {f64, i32}, f64, RoundHalfUp},
          {"ib_bround", {f64, i32}, f64, RoundHalfEven},
          {"ib_round_long", {i64, i32, LogicalType::BOOLEAN}, i64, RoundLong},
          {"ib_factorial", {i64}, i64, Factorial},
          {"ib_ln", {f64}, f64, Log},
          {"ib_log", {f64, f64}, f64, LogBase},
          {"ib_log1p", {f64}, f64, Log1p},
          {"ib_expm1", {f64}, f64, Math<std::expm1>},
          {"ib_rint", {f64}, f64, Math<std::nearbyint>},
          {"ib_sqrt", {f64}, f64, Math<std::sqrt>},
          {"ib_asin", {f64}, f64, Math<std::asin>},
          {"ib_acos", {f64}, f64, Math<std::acos>},
          {"ib_hypot",
           {f64, f64},
           f64,
           [](const RowArgs& args) -> Datum { return std::hypot(args.Double(0), args.Double(1)); }},
          {"ib_width_bucket", {f64, f64, f64, i64}, i64, WidthBucket},
          {"ib_skewness_pop", {f64, f64, f64}, f64, SkewnessPop, true},
      });
}

}  // namespace iceblink::exec
