// Expressions: arithmetic of dates, timestamps and intervals.
#include <fmt/format.h>

#include <optional>

#include "plan/query_analyzer.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::IntervalField;
using sql::TypeKind;

namespace {

bool IsInterval(const DataType& type) {
  return type.is_ansi_interval() || type.kind() == TypeKind::kCalendarInterval;
}

// date + interval stays a date for year-month intervals and whole days.
DataType DatePlusInterval(const DataType& date, const DataType& interval) {
  if (date.kind() != TypeKind::kDate) return date;
  if (interval.kind() == TypeKind::kYearMonthInterval ||
      interval.kind() == TypeKind::kCalendarInterval)
    return date;
  if (interval.end_field() == IntervalField::kDay) return date;
  return DataType(TypeKind::kTimestamp);
}

DataType DifferenceType(const DataType& type) {
  return type.kind() == TypeKind::kDate
             ? DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kDay)
             : DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kSecond);
}

// What an interval becomes when it is scaled: its widest kin.
DataType WidestInterval(const DataType& type) {
  if (type.kind() == TypeKind::kYearMonthInterval)
    return DataType::YearMonthInterval(IntervalField::kYear, IntervalField::kMonth);
  return type.kind() == TypeKind::kDayTimeInterval
             ? DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kSecond)
             : type;
}

bool IsSmallIntegral(const DataType& type) {
  return type.is_integral() && type.kind() != TypeKind::kBigInt;
}

std::string InfixText(std::string_view op, const TypedExpr& left, const TypedExpr& right) {
  return fmt::format("{} {} {}", left.text, op, right.text);
}

// The rules below each return nothing for operands that are not theirs.

// date + days, date - days, days + date.
std::optional<TypedExpr> MoveByDays(std::string_view op, const TypedExpr& left,
                                    const TypedExpr& right, CastMode mode) {
  const DataType &a = left.expr->type, &b = right.expr->type;
  bool plus = op == "+";
  auto moved = [mode](std::string_view function, const TypedExpr& date, const TypedExpr& days) {
    ExprPtr count = MakeCast(days.expr, DataType(TypeKind::kInt), mode);
    return TypedExpr{MakeCall(function, {date.expr, count}, date.expr->type),
                     fmt::format("{}({}, {})", function, date.text, days.text)};
  };
  if ((plus || op == "-") && a.kind() == TypeKind::kDate && (IsSmallIntegral(b) || b.is_void()))
    return moved(plus ? "date_add" : "date_sub", left, right);
  if (plus && b.kind() == TypeKind::kDate && IsSmallIntegral(a))
    return moved("date_add", right, left);
  return std::nullopt;
}

// datetime + interval, datetime - interval, interval + datetime.
std::optional<TypedExpr> MoveByInterval(std::string_view op, const TypedExpr& left,
                                        const TypedExpr& right, CastMode mode) {
  const DataType &a = left.expr->type, &b = right.expr->type;
  bool plus = op == "+";
  auto moved = [&](const TypedExpr& datetime, const TypedExpr& by) {
    ExprPtr base = datetime.expr->type.is_string()
                       ? MakeCast(datetime.expr, DataType(TypeKind::kTimestamp), mode)
                       : datetime.expr;
    ExprPtr interval = plus ? by.expr : MakeCall("negative", {by.expr}, by.expr->type);
    DataType type = DatePlusInterval(base->type, by.expr->type);
    if (base->type.kind() == TypeKind::kDate && type.kind() == TypeKind::kTimestamp)
      base = MakeCast(base, type, mode);
    return TypedExpr{MakeCall("date_add_interval", {base, interval}, type),
                     InfixText(op, datetime, by)};
  };
  if ((plus || op == "-") && IsInterval(b) && (a.is_datetime() || a.is_string()))
    return moved(left, right);
  if (plus && IsInterval(a) && (b.is_datetime() || b.is_string())) return moved(right, left);
  return std::nullopt;
}

// datetime - datetime.
std::optional<TypedExpr> Difference(std::string_view op, const TypedExpr& left,
                                    const TypedExpr& right, CastMode mode) {
  const DataType &a = left.expr->type, &b = right.expr->type;
  if (op != "-" || !a.is_datetime() || !(b.is_datetime() || b.is_string())) return std::nullopt;
  DataType type = b.is_string() ? a : *CommonType(a, b);
  std::string_view function = type.kind() == TypeKind::kDate ? "date_diff_days" : "timestamp_diff";
  std::vector<ExprPtr> args = {MakeCast(left.expr, type, mode), MakeCast(right.expr, type, mode)};
  return TypedExpr{MakeCall(function, std::move(args), DifferenceType(type)),
                   fmt::format("({})", InfixText(op, left, right))};
}

// interval + interval, interval - interval, interval * number, interval / number,
// number * interval.
std::optional<TypedExpr> IntervalArithmetic(std::string_view op, const TypedExpr& left,
                                            const TypedExpr& right, CastMode mode) {
  const DataType &a = left.expr->type, &b = right.expr->type;
  std::string text = fmt::format("({})", InfixText(op, left, right));
  if ((op == "+" || op == "-") && IsInterval(a) && IsInterval(b) && a.kind() == b.kind()) {
    DataType type = a.is_ansi_interval() ? *CommonType(a, b) : a;
    return TypedExpr{MakeCall(op, {left.expr, right.expr}, type), text};
  }
  if ((op == "*" || op == "/") && IsInterval(a) && (b.is_numeric() || b.is_string())) {
    ExprPtr factor =
        b.is_string() ? MakeCast(right.expr, DataType(TypeKind::kDouble), mode) : right.expr;
    return TypedExpr{MakeCall(op == "*" ? "interval_multiply" : "interval_divide",
                              {left.expr, factor}, WidestInterval(a), true),
                     text};
  }
  if (op == "*" && IsInterval(b) && a.is_numeric())
    return TypedExpr{
        MakeCall("interval_multiply", {right.expr, left.expr}, WidestInterval(b), true), text};
  return std::nullopt;
}

}  // namespace

// + and - on dates, timestamps and intervals, * and / on intervals. `handled` stays false for
// anything else.
Result<TypedExpr> QueryAnalyzer::DateArithmetic(std::string_view op, const TypedExpr& left,
                                                const TypedExpr& right, bool* handled) {
  for (auto rule : {MoveByDays, MoveByInterval, Difference, IntervalArithmetic}) {
    std::optional<TypedExpr> typed = rule(op, left, right, cast_mode());
    if (!typed) continue;
    *handled = true;
    return *std::move(typed);
  }
  return TypedExpr{};
}

}  // namespace iceblink::plan
