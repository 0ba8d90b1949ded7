// Casts and decimal arithmetic whose operands' bounds rule errors out: DuckDB's own operators in
// the narrowest types, where the general forms check every value or compute in 128 bits.
#include <fmt/format.h>

#include "exec/duckdb_types.h"
#include "exec/lowering.h"
#include "exec/value_bounds.h"

namespace iceblink::exec {

using plan::DataType;
using plan::ExprPtr;
using sql::TypeKind;

namespace {

constexpr int32_t kMaxNarrow = 18;  // digits of a 64-bit decimal

bool IsDecimal(const DataType& type) { return type.kind() == TypeKind::kDecimal; }
bool IsExact(const DataType& type) { return type.is_integral() || IsDecimal(type); }
int32_t ScaleOf(const DataType& type) { return IsDecimal(type) ? type.scale() : 0; }
bool IsArithmetic(const plan::Call& call) {
  return call.args.size() == 2 &&
         (call.function == "+" || call.function == "-" || call.function == "*");
}

}  // namespace

Result<std::optional<Lowering::NarrowText>> Lowering::NarrowDecimal(const ExprPtr& expr) {
  using R = Result<std::optional<NarrowText>>;
  if (!IsDecimal(expr->type)) return std::optional<NarrowText>();
  const int32_t scale = expr->type.scale();
  auto narrowed = [&](const std::string& text) -> R {
    int32_t width = std::max(DigitsOf(*BoundsOf(*expr)), std::max(scale, 1));
    if (width > kMaxNarrow) return std::optional<NarrowText>();
    return std::optional(
        NarrowText{fmt::format("CAST({} AS DECIMAL({},{}))", text, width, scale), width});
  };
  if (expr->As<plan::LiteralExpr>() != nullptr || expr->As<plan::ColumnRef>() != nullptr) {
    if (expr->type.precision() > kMaxNarrow) return std::optional<NarrowText>();
    ASSIGN_OR_RETURN(std::string text, Expression(expr));
    return std::optional(NarrowText{std::move(text), expr->type.precision()});
  }
  if (const auto* cast = expr->As<plan::Cast>()) {
    const DataType& from = cast->child->type;
    auto bounds = BoundsOf(*cast->child);
    if (!from.is_integral() || !bounds ||
        DigitsOf(*bounds) + scale > std::min(kMaxNarrow, expr->type.precision())) {
      return std::optional<NarrowText>();
    }
    ASSIGN_OR_RETURN(std::string text, Expression(cast->child));
    return narrowed(text);
  }
  const auto* call = expr->As<plan::Call>();
  if (call == nullptr || !IsArithmetic(*call)) return std::optional<NarrowText>();
  ASSIGN_OR_RETURN(std::optional<NarrowText> a, NarrowDecimal(call->args[0]));
  if (!a) return a;
  ASSIGN_OR_RETURN(std::optional<NarrowText> b, NarrowDecimal(call->args[1]));
  if (!b) return b;
  const int32_t left = ScaleOf(call->args[0]->type), right = ScaleOf(call->args[1]->type);
  const bool product = call->function == "*";
  const int32_t natural = product ? left + right : std::max(left, right);
  const int32_t width =
      product ? a->width + b->width : std::max(a->width - left, b->width - right) + natural + 1;
  if (natural != scale || width > kMaxNarrow) return std::optional<NarrowText>();
  return std::optional(
      NarrowText{fmt::format("({} {} {})", a->text, call->function, b->text), width});
}

Result<std::optional<std::string>> Lowering::ExactCast(const plan::Cast& cast, const DataType& to) {
  const DataType& from = cast.child->type;
  std::optional<std::string> none;
  if (!IsExact(from) || !IsExact(to) || (from.kind() == to.kind() && !IsDecimal(from))) return none;
  const int32_t raise = ScaleOf(to) - ScaleOf(from);
  auto bounds = BoundsOf(*cast.child);
  if (raise < 0 || !bounds) return none;
  if (raise > 0 ? DigitsOf(*bounds) + raise > (IsDecimal(to) ? to.precision() : 0)
                : !Fits(*bounds, to))
    return none;
  ASSIGN_OR_RETURN(std::optional<NarrowText> narrow, NarrowDecimal(cast.child));
  std::string text;
  if (narrow) {
    text = narrow->text;
  } else {
    ASSIGN_OR_RETURN(text, Expression(cast.child));
  }
  return std::optional("CAST(" + text + " AS " + TypeSql(to) + ")");
}

}  // namespace iceblink::exec
