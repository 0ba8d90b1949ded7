// Connect's literals.
#include "base/decimal.h"
#include "server/errors.h"
#include "server/translator.h"
#include "server/types.h"

namespace iceblink::server {

using L = connect::Expression::Literal;
using sql::DataType;
using sql::ExprPtr;
using sql::TypeKind;

namespace {

ExprPtr Scalar(Value value, DataType type) {
  return MakeNode(sql::Literal{std::move(value), std::move(type)});
}

Result<ExprPtr> DecimalLiteral(const L::Decimal& message) {
  std::string_view text = message.value();
  Decimal value;
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int32_t digits = 0;
  bool point = false;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || digits >= DataType::kMaxDecimalPrecision)
      return Fail(InvalidInput("Malformed decimal " + message.value()));
    value.unscaled = value.unscaled * 10 + (c - '0');
    if (value.unscaled != 0) ++digits;
    value.scale += point;
  }
  if (negative) value.unscaled = -value.unscaled;
  int32_t scale = message.has_scale() ? message.scale() : value.scale;
  for (; value.scale < scale; ++value.scale) value.unscaled *= 10;
  int32_t precision = message.has_precision() ? message.precision() : std::max(digits, value.scale);
  return Scalar(Value(value), DataType::Decimal(std::max(precision, 1), value.scale));
}

// Clients before 4.1 put the type within the struct.
const connect::DataType::Struct& StructTypeOf(const L& literal) {
  return literal.has_data_type() ? literal.data_type().struct_()
                                 : literal.struct_().struct_type().struct_();
}

ExprPtr FunctionOf(std::string name, std::vector<ExprPtr> args) {
  sql::FunctionCall call;
  call.name = {std::move(name)};
  for (ExprPtr& arg : args) call.args.push_back({{}, std::move(arg)});
  return MakeNode(std::move(call));
}

}  // namespace

Result<ExprPtr> PlanTranslator::NestedLiteral(const L& literal) {
  std::vector<ExprPtr> parts;
  if (literal.has_array()) {
    for (const L& element : literal.array().elements()) {
      ASSIGN_OR_RETURN(parts.emplace_back(), Literal(element));
    }
    return FunctionOf("array", std::move(parts));
  }
  if (literal.has_map()) {
    for (int i = 0; i < literal.map().keys_size() && i < literal.map().values_size(); ++i) {
      ASSIGN_OR_RETURN(parts.emplace_back(), Literal(literal.map().keys(i)));
      ASSIGN_OR_RETURN(parts.emplace_back(), Literal(literal.map().values(i)));
    }
    return FunctionOf("map", std::move(parts));
  }
  const auto& fields = StructTypeOf(literal).fields();
  for (int i = 0; i < literal.struct_().elements_size(); ++i) {
    parts.push_back(
        StringLiteral(i < fields.size() ? fields[i].name() : "col" + std::to_string(i + 1)));
    ASSIGN_OR_RETURN(parts.emplace_back(), Literal(literal.struct_().elements(i)));
  }
  return FunctionOf("named_struct", std::move(parts));
}

Result<ExprPtr> PlanTranslator::Literal(const L& literal) {
  switch (literal.literal_type_case()) {
    case L::kNull: {
      ASSIGN_OR_RETURN(DataType type, FromMessage(literal.null()));
      if (type.is_void()) return Scalar(Value(), type);
      return MakeNode(sql::Cast{Scalar(Value(), DataType()), std::move(type), false});
    }
    case L::kBinary:
      return Scalar(Value(Bytes{literal.binary()}), TypeKind::kBinary);
    case L::kBoolean:
      return Scalar(Value(literal.boolean()), TypeKind::kBoolean);
    case L::kByte:
      return Scalar(Value(static_cast<int32_t>(literal.byte())), TypeKind::kTinyInt);
    case L::kShort:
      return Scalar(Value(static_cast<int32_t>(literal.short_())), TypeKind::kSmallInt);
    case L::kInteger:
      return Scalar(Value(static_cast<int32_t>(literal.integer())), TypeKind::kInt);
    case L::kLong:
      return Scalar(Value(static_cast<int64_t>(literal.long_())), TypeKind::kBigInt);
    case L::kFloat:
      return Scalar(Value(literal.float_()), TypeKind::kFloat);
    case L::kDouble:
      return Scalar(Value(literal.double_()), TypeKind::kDouble);
    case L::kDecimal:
      return DecimalLiteral(literal.decimal());
    case L::kString:
      return Scalar(Value(literal.string()), TypeKind::kString);
    case L::kDate:
      return Scalar(Value(static_cast<int32_t>(literal.date())), TypeKind::kDate);
    case L::kTimestamp:
      return Scalar(Value(static_cast<int64_t>(literal.timestamp())), TypeKind::kTimestamp);
    case L::kTimestampNtz:
      return Scalar(Value(static_cast<int64_t>(literal.timestamp_ntz())), TypeKind::kTimestampNtz);
    case L::kCalendarInterval: {
      const auto& interval = literal.calendar_interval();
      return Scalar(Value(Interval{interval.months(), interval.days(), interval.microseconds()}),
                    TypeKind::kCalendarInterval);
    }
    case L::kYearMonthInterval:
      return Scalar(
          Value(Interval{literal.year_month_interval(), 0, 0}),
          DataType::YearMonthInterval(sql::IntervalField::kYear, sql::IntervalField::kMonth));
    case L::kDayTimeInterval:
      return Scalar(
          Value(Interval{0, 0, literal.day_time_interval()}),
          DataType::DayTimeInterval(sql::IntervalField::kDay, sql::IntervalField::kSecond));
    case L::kArray:
    case L::kMap:
    case L::kStruct:
      return NestedLiteral(literal);
    default:
      return Fail(NotSupported("a literal of this type"));
  }
}

void ToMessage(const Value& value, const DataType& type, L* out) {
  if (value.is_null() || type.is_nested()) return ToMessage(type, out->mutable_null());
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return out->set_boolean(value.As<bool>());
    case TypeKind::kTinyInt:
      return out->set_byte(static_cast<int32_t>(value.AsInt64()));
    case TypeKind::kSmallInt:
      return out->set_short_(static_cast<int32_t>(value.AsInt64()));
    case TypeKind::kInt:
      return out->set_integer(static_cast<int32_t>(value.AsInt64()));
    case TypeKind::kBigInt:
      return out->set_long_(value.AsInt64());
    case TypeKind::kFloat:
      return out->set_float_(value.As<float>());
    case TypeKind::kDouble:
      return out->set_double_(value.As<double>());
    case TypeKind::kDecimal:
      out->mutable_decimal()->set_value(DecimalToPlainString(value.As<Decimal>()));
      out->mutable_decimal()->set_precision(type.precision());
      return out->mutable_decimal()->set_scale(type.scale());
    case TypeKind::kDate:
      return out->set_date(static_cast<int32_t>(value.AsInt64()));
    case TypeKind::kTimestamp:
      return out->set_timestamp(value.AsInt64());
    case TypeKind::kTimestampNtz:
      return out->set_timestamp_ntz(value.AsInt64());
    default:
      break;
  }
  if (value.Is<std::string>()) return out->set_string(value.As<std::string>());
  if (value.Is<Bytes>()) return out->set_binary(value.As<Bytes>().data);
  ToMessage(type, out->mutable_null());
}

}  // namespace iceblink::server
