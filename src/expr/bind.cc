// Binding: names to fields, literals to the types of the terms they are compared with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/uuid.h"
#include "expr/expression.h"
#include "spec/single_value.h"

namespace iceblink::expr {
namespace {

using spec::Type;
using spec::TypeKind;
using Kind = ConvertedLiteral::Kind;

auto NotValid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

ConvertedLiteral Of(Value value) { return {Kind::kValue, std::move(value)}; }
ConvertedLiteral Outside(bool above) { return {above ? Kind::kAboveMax : Kind::kBelowMin, {}}; }
ConvertedLiteral None() { return {}; }

ConvertedLiteral ToDecimal(const Decimal& decimal, const Type& type) {
  auto scaled = Rescale(decimal, type.scale(), Rounding::kHalfUp);
  return scaled ? Of(*scaled) : None();
}

ConvertedLiteral ToInt32(int64_t value) {
  if (value != static_cast<int32_t>(value)) return Outside(value > 0);
  return Of(static_cast<int32_t>(value));
}

ConvertedLiteral FromInt(const Value& literal, const Type& type) {
  int64_t value = literal.AsInt64();
  switch (type.kind()) {
    case TypeKind::kInt:
    case TypeKind::kDate:
      return ToInt32(value);
    case TypeKind::kLong:
      return Of(value);
    case TypeKind::kFloat:
      return Of(static_cast<float>(value));
    case TypeKind::kDouble:
      return Of(static_cast<double>(value));
    case TypeKind::kDecimal:
      return ToDecimal(Decimal{value, 0}, type);
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return literal.Is<int64_t>() ? Of(value) : None();
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kString:
    case TypeKind::kUuid:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return None();
  }
  return None();
}

ConvertedLiteral FromDouble(double value, bool is_float, const Type& type) {
  if (type.Is(TypeKind::kDouble)) return Of(value);
  if (type.Is(TypeKind::kFloat)) {
    constexpr double kMax = std::numeric_limits<float>::max();
    if (!is_float && value > kMax) return Outside(true);
    if (!is_float && value < -kMax) return Outside(false);
    return Of(static_cast<float>(value));
  }
  if (type.Is(TypeKind::kDecimal)) {
    Value literal = is_float ? Value(static_cast<float>(value)) : Value(value);
    auto decimal = ParseDecimal(spec::HumanString(type, literal));
    return decimal ? ToDecimal(*decimal, type) : None();
  }
  return None();
}

ConvertedLiteral TimestampFromText(const std::string& text, bool zoned, bool nanos) {
  auto parsed = ParseTimestamp(text);
  if (!parsed || parsed->offset_seconds.has_value() != zoned) return None();
  auto value = nanos ? parsed->ToNanos() : parsed->ToMicros();
  return value ? Of(*value) : None();
}

ConvertedLiteral FromText(const std::string& text, const Type& type) {
  switch (type.kind()) {
    case TypeKind::kString:
      return Of(text);
    case TypeKind::kDate:
      if (auto days = ParseDate(text)) return Of(static_cast<int32_t>(*days));
      return None();
    case TypeKind::kTime:
      if (auto micros = ParseTime(text)) return Of(*micros);
      return None();
    case TypeKind::kTimestamp:
      return TimestampFromText(text, false, false);
    case TypeKind::kTimestampTz:
      return TimestampFromText(text, true, false);
    case TypeKind::kTimestampNs:
      return TimestampFromText(text, false, true);
    case TypeKind::kTimestampTzNs:
      return TimestampFromText(text, true, true);
    case TypeKind::kUuid:
      if (auto uuid = Uuid::Parse(text)) return Of(Bytes{uuid->ToBytes()});
      return None();
    case TypeKind::kDecimal:
      if (auto decimal = ParseDecimal(text)) return ToDecimal(*decimal, type);
      return None();
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return None();
  }
  return None();
}

ConvertedLiteral FromBytes(const Bytes& bytes, const Type& type) {
  bool fits =
      type.Is(TypeKind::kBinary) ||
      (type.Is(TypeKind::kFixed) && bytes.data.size() == static_cast<size_t>(type.length())) ||
      (type.Is(TypeKind::kUuid) && bytes.data.size() == 16);
  return fits ? Of(bytes) : None();
}

std::string_view JavaClass(const Value& value) {
  if (value.Is<bool>()) return "java.lang.Boolean";
  if (value.Is<int32_t>()) return "java.lang.Integer";
  if (value.Is<int64_t>()) return "java.lang.Long";
  if (value.Is<float>()) return "java.lang.Float";
  if (value.Is<double>()) return "java.lang.Double";
  if (value.Is<Decimal>()) return "java.math.BigDecimal";
  if (value.Is<std::string>()) return "java.lang.String";
  return "java.nio.HeapByteBuffer";
}

auto BadConversion(const Type& type, const Value& literal) {
  return NotValid(fmt::format("Invalid value for conversion to type {}: {} ({})", type.ToString(),
                              spec::HumanString(Type(), literal), JavaClass(literal)));
}

// Returns whether a field or one of its parents may be null.
bool MayBeNull(const spec::Schema& schema, int32_t id) {
  if (!schema.FindField(id)->required) return true;
  for (auto parent = schema.ParentId(id); parent; parent = schema.ParentId(*parent)) {
    if (!schema.FindField(*parent)->required) return true;
  }
  return false;
}

Result<Term> BindTerm(const Term& term, const spec::Schema& schema, bool case_sensitive) {
  const spec::NestedField* field = schema.FindField(term.column, case_sensitive);
  if (field == nullptr) {
    return NotValid(fmt::format("Cannot find field '{}' in struct: {}", term.column,
                                Type(schema.struct_type()).ToString()));
  }
  if (!term.transform.is_identity() && !term.transform.CanTransform(field->type)) {
    return NotValid(fmt::format("Cannot bind: {} cannot transform {} values from '{}'",
                                term.transform.ToString(), field->type.ToString(), term.column));
  }
  Term bound = term;
  bound.bound = true;
  bound.column = schema.FullName(field->id);
  bound.field_id = field->id;
  bound.source_type = field->type;
  bound.type = term.transform.is_identity() ? field->type : term.transform.ResultType(field->type);
  bound.required = !MayBeNull(schema, field->id) && term.transform.preserves_order();
  return bound;
}

Result<Expression> BindUnary(Op op, Term term) {
  bool floating = term.type.Is(TypeKind::kFloat) || term.type.Is(TypeKind::kDouble);
  if (op == Op::kIsNull && term.required) return Expression::False();
  if (op == Op::kNotNull && term.required) return Expression::True();
  if (op == Op::kIsNan && !floating)
    return NotValid("IsNaN cannot be used with a non-floating-point column");
  if (op == Op::kNotNan && !floating)
    return NotValid("NotNaN cannot be used with a non-floating-point column");
  return Expression::Predicate(op, std::move(term));
}

Result<Expression> BindComparison(Op op, Term term, const Value& literal) {
  if ((op == Op::kStartsWith || op == Op::kNotStartsWith) && !term.type.Is(TypeKind::kString)) {
    return NotValid(
        fmt::format("Term for STARTS_WITH or NOT_STARTS_WITH must produce a string: {}: {}",
                    term.column, term.type.ToString()));
  }
  ConvertedLiteral converted = ConvertLiteral(literal, term.type);
  switch (converted.kind) {
    case Kind::kInvalid:
      return BadConversion(term.type, literal);
    case Kind::kAboveMax:
      return op == Op::kLt || op == Op::kLtEq || op == Op::kNotEq ? Expression::True()
                                                                  : Expression::False();
    case Kind::kBelowMin:
      return op == Op::kGt || op == Op::kGtEq || op == Op::kNotEq ? Expression::True()
                                                                  : Expression::False();
    case Kind::kValue:
      break;
  }
  return Expression::Predicate(op, std::move(term), {std::move(converted.value)});
}

Result<Expression> BindSet(Op op, Term term, const std::vector<Value>& literals) {
  std::vector<Value> values;
  for (const Value& literal : literals) {
    ConvertedLiteral converted = ConvertLiteral(literal, term.type);
    if (converted.kind == Kind::kInvalid) return BadConversion(term.type, literal);
    if (converted.kind == Kind::kValue) values.push_back(std::move(converted.value));
  }
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty()) return op == Op::kIn ? Expression::False() : Expression::True();
  if (values.size() == 1) op = op == Op::kIn ? Op::kEq : Op::kNotEq;
  return Expression::Predicate(op, std::move(term), std::move(values));
}

Result<Expression> BindPredicate(const Expression& e, const spec::Schema& schema,
                                 bool case_sensitive) {
  if (e.term().bound) return e;
  ASSIGN_OR_RETURN(Term term, BindTerm(e.term(), schema, case_sensitive));
  if (e.op() <= Op::kNotNan) return BindUnary(e.op(), std::move(term));
  if (e.op() == Op::kIn || e.op() == Op::kNotIn)
    return BindSet(e.op(), std::move(term), e.literals());
  return BindComparison(e.op(), std::move(term), e.literal());
}

}  // namespace

ConvertedLiteral ConvertLiteral(const Value& literal, const Type& type) {
  if (literal.Is<bool>()) return type.Is(TypeKind::kBoolean) ? Of(literal) : None();
  if (literal.Is<int32_t>() || literal.Is<int64_t>()) return FromInt(literal, type);
  if (literal.Is<float>()) return FromDouble(literal.As<float>(), true, type);
  if (literal.Is<double>()) return FromDouble(literal.As<double>(), false, type);
  if (literal.Is<std::string>()) return FromText(literal.As<std::string>(), type);
  if (literal.Is<Bytes>()) return FromBytes(literal.As<Bytes>(), type);
  if (literal.Is<Decimal>()) {
    bool same = type.Is(TypeKind::kDecimal) && literal.As<Decimal>().scale == type.scale();
    return same ? Of(literal) : None();
  }
  return None();
}

Result<Expression> Bind(const Expression& e, const spec::Schema& schema, bool case_sensitive) {
  if (e.is_predicate()) return BindPredicate(e, schema, case_sensitive);
  if (e.op() == Op::kNot) {
    ASSIGN_OR_RETURN(Expression child, Bind(e.left(), schema, case_sensitive));
    return Expression::Not(std::move(child));
  }
  if (e.op() == Op::kAnd || e.op() == Op::kOr) {
    ASSIGN_OR_RETURN(Expression left, Bind(e.left(), schema, case_sensitive));
    ASSIGN_OR_RETURN(Expression right, Bind(e.right(), schema, case_sensitive));
    return e.op() == Op::kAnd ? Expression::And(std::move(left), std::move(right))
                              : Expression::Or(std::move(left), std::move(right));
  }
  return e;
}

}  // namespace iceblink::expr
