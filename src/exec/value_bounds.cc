#include "exec/value_bounds.h"

#include <algorithm>
#include <initializer_list>

#include "base/decimal.h"

namespace iceblink::exec {

using plan::DataType;
using plan::Expr;
using sql::TypeKind;

namespace {

bool IsDecimal(const DataType& type) { return type.kind() == TypeKind::kDecimal; }
int32_t ScaleOf(const DataType& type) { return IsDecimal(type) ? type.scale() : 0; }

std::optional<Bounds> OfType(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kTinyInt:
      return Bounds{INT8_MIN, INT8_MAX};
    case TypeKind::kSmallInt:
      return Bounds{INT16_MIN, INT16_MAX};
    case TypeKind::kInt:
      return Bounds{INT32_MIN, INT32_MAX};
    case TypeKind::kBigInt:
      return Bounds{INT64_MIN, INT64_MAX};
    case TypeKind::kDecimal: {
      Int128 limit = PowerOfTen(type.precision()) - 1;
      return Bounds{-limit, limit};
    }
    default:
      return std::nullopt;
  }
}

std::optional<Bounds> OfLiteral(const Value& value, const DataType& type) {
  if (value.is_null()) return Bounds{};
  if (!IsDecimal(type)) return Bounds{value.AsInt64(), value.AsInt64()};
  auto scaled = Rescale(value.As<Decimal>(), type.scale(), Rounding::kUnnecessary);
  if (!scaled) return std::nullopt;
  return Bounds{scaled->unscaled, scaled->unscaled};
}

std::optional<Bounds> Around(std::initializer_list<std::optional<Int128>> corners) {
  if (std::any_of(corners.begin(), corners.end(), [](const auto& c) { return !c; }))
    return std::nullopt;
  Bounds out{**corners.begin(), **corners.begin()};
  for (const auto& corner : corners) out = {std::min(out.min, *corner), std::max(out.max, *corner)};
  return out;
}

std::optional<Int128> Sum(Int128 a, Int128 b) {
  Int128 out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<Int128> Product(Int128 a, Int128 b) {
  Int128 out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

// At a greater scale.
std::optional<Bounds> Raised(const Bounds& bounds, int32_t digits) {
  if (digits < 0) return std::nullopt;
  return Around({Product(bounds.min, PowerOfTen(digits)), Product(bounds.max, PowerOfTen(digits))});
}

std::optional<Bounds> OfCall(const plan::Call& call, const DataType& type) {
  if (call.args.size() != 2 || call.function.size() != 1) return std::nullopt;
  auto a = BoundsOf(*call.args[0]), b = BoundsOf(*call.args[1]);
  if (!a || !b) return std::nullopt;
  const int32_t left = ScaleOf(call.args[0]->type), right = ScaleOf(call.args[1]->type),
                scale = ScaleOf(type);
  const char op = call.function[0];
  if (op == '*') {
    if (scale != left + right) return std::nullopt;
    return Around({Product(a->min, b->min), Product(a->min, b->max), Product(a->max, b->min),
                   Product(a->max, b->max)});
  }
  if (scale != std::max(left, right)) return std::nullopt;
  a = Raised(*a, scale - left);
  b = Raised(*b, scale - right);
  if (!a || !b) return std::nullopt;
  switch (op) {
    case '+':
      return Around({Sum(a->min, b->min), Sum(a->max, b->max)});
    case '-':
      return Around({Sum(a->min, -b->max), Sum(a->max, -b->min)});
    case '%': {  // the sign is the dividend's
      Int128 most = std::max(-b->min, b->max) - 1;
      if (most < 0) return std::nullopt;
      return Bounds{a->min >= 0 ? 0 : std::max(a->min, -most),
                    a->max <= 0 ? 0 : std::min(a->max, most)};
    }
    default:
      return std::nullopt;
  }
}

std::optional<Bounds> OfShape(const Expr& expr) {
  if (const auto* literal = expr.As<plan::LiteralExpr>())
    return OfLiteral(literal->value, expr.type);
  if (const auto* call = expr.As<plan::Call>()) return OfCall(*call, expr.type);
  if (const auto* cast = expr.As<plan::Cast>()) {
    auto child = BoundsOf(*cast->child);
    if (!child) return std::nullopt;
    auto raised = Raised(*child, ScaleOf(expr.type) - ScaleOf(cast->child->type));
    // A legacy cast wraps what does not fit.
    return raised && Fits(*raised, expr.type) ? raised : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bounds> BoundsOf(const Expr& expr) {
  auto type = OfType(expr.type);
  if (!type) return std::nullopt;
  auto shape = OfShape(expr);
  return shape && shape->min >= type->min && shape->max <= type->max ? shape : type;
}

bool Fits(const Bounds& bounds, const DataType& type) {
  auto limits = OfType(type);
  return limits && bounds.min >= limits->min && bounds.max <= limits->max;
}

int32_t DigitsOf(const Bounds& bounds) {
  for (int32_t digits = 1; digits < kMaxDecimalPrecision; ++digits) {
    Int128 limit = PowerOfTen(digits);
    if (bounds.min > -limit && bounds.max < limit) return digits;
  }
  return kMaxDecimalPrecision;
}

}  // namespace iceblink::exec
