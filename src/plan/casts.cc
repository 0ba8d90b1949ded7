// Which casts exist: explicit, implicit, up-casts and store assignment.
#include <algorithm>

#include "base/strings.h"
#include "plan/types.h"

namespace iceblink::plan {

using sql::StructField;
using sql::TypeKind;

namespace {

template <typename Leaf>
bool CastNested(const DataType& from, const DataType& to, const Leaf& leaf) {
  if (from.kind() != to.kind()) return false;
  switch (from.kind()) {
    case TypeKind::kArray:
      return leaf(from.element(), to.element());
    case TypeKind::kMap:
      return leaf(from.key(), to.key()) && leaf(from.value(), to.value());
    case TypeKind::kStruct: {
      const auto& a = from.fields();
      const auto& b = to.fields();
      return a.size() == b.size() &&
             std::equal(a.begin(), a.end(), b.begin(),
                        [&](const auto& x, const auto& y) { return leaf(x.type, y.type); });
    }
    default:
      return false;
  }
}

bool IsAtomic(const DataType& type) {
  return !type.is_nested() && type.kind() != TypeKind::kVariant &&
         type.kind() != TypeKind::kGeometry && type.kind() != TypeKind::kGeography;
}

bool CanCastAtomic(const DataType& from, const DataType& to, bool ansi) {
  if (to.is_string()) return true;
  if (from.is_string()) return to.kind() != TypeKind::kVariant;
  if (from.is_numeric()) {
    if (to.is_numeric() || to.kind() == TypeKind::kBoolean || to.kind() == TypeKind::kTimestamp)
      return true;
    if (to.kind() == TypeKind::kBinary) return from.is_integral() && !ansi;
    return to.is_ansi_interval() && (from.is_integral() || from.kind() == TypeKind::kDecimal);
  }
  switch (from.kind()) {
    case TypeKind::kBoolean:
      return to.is_numeric() || (to.kind() == TypeKind::kTimestamp && !ansi);
    case TypeKind::kDate:
      return to.is_datetime() || (!ansi && (to.is_numeric() || to.kind() == TypeKind::kBoolean));
    case TypeKind::kTimestamp:
      return to.is_datetime() || to.is_numeric() || (!ansi && to.kind() == TypeKind::kBoolean);
    case TypeKind::kTimestampNtz:
      return to.is_datetime();
    case TypeKind::kYearMonthInterval:
    case TypeKind::kDayTimeInterval:
      return to.kind() == from.kind() || to.is_integral() || to.kind() == TypeKind::kDecimal;
    default:
      return false;
  }
}

}  // namespace

bool CanCast(const DataType& from, const DataType& to, bool ansi) {
  if (from.is_void() || DataType::EqualsIgnoringNullability(from, to)) return true;
  if (to.kind() == TypeKind::kString && (from.is_nested() || from.kind() == TypeKind::kVariant))
    return true;
  if (from.kind() == TypeKind::kVariant) return true;
  if (to.kind() == TypeKind::kVariant) return IsAtomic(from) || from.kind() == TypeKind::kArray;
  if (from.is_nested() || to.is_nested())
    return CastNested(from, to,
                      [ansi](const DataType& a, const DataType& b) { return CanCast(a, b, ansi); });
  return CanCastAtomic(from, to, ansi);
}

namespace {

// Up-casts: no value is lost.
bool CanUpCast(const DataType& from, const DataType& to) {
  if (from.is_void() || DataType::EqualsIgnoringNullability(from, to)) return true;
  if (from.is_nested() || to.is_nested()) return CastNested(from, to, CanUpCast);
  if (to.is_string()) return IsAtomic(from);
  if (from.is_integral() && to.is_integral()) return from.kind() <= to.kind();
  if (from.is_integral() && to.kind() == TypeKind::kDecimal)
    return to.precision() - to.scale() >= DecimalOf(from).precision();
  if (from.kind() == TypeKind::kDecimal && to.kind() == TypeKind::kDecimal)
    return to.scale() >= from.scale() &&
           to.precision() - to.scale() >= from.precision() - from.scale();
  if (from.is_integral() && (to.kind() == TypeKind::kFloat || to.kind() == TypeKind::kDouble))
    return true;
  if (from.kind() == TypeKind::kFloat && to.kind() == TypeKind::kDouble) return true;
  if (from.kind() == TypeKind::kDate) return to.is_datetime();
  return (from.kind() == TypeKind::kTimestamp && to.kind() == TypeKind::kTimestampNtz) ||
         (from.kind() == TypeKind::kTimestampNtz && to.kind() == TypeKind::kTimestamp) ||
         (from.is_ansi_interval() && from.kind() == to.kind());
}

bool CanStoreAnsi(const DataType& from, const DataType& to) {
  if (from.is_void() || DataType::EqualsIgnoringNullability(from, to)) return true;
  if (from.is_nested() || to.is_nested()) return CastNested(from, to, CanStoreAnsi);
  if (from.is_numeric() && to.is_numeric()) return true;
  if (to.is_string()) return IsAtomic(from) && from.kind() != TypeKind::kBinary;
  if (from.is_datetime() && to.is_datetime()) return true;
  return from.is_ansi_interval() && from.kind() == to.kind();
}

}  // namespace

bool CanStoreAssign(const DataType& from, const DataType& to, StoreAssignmentPolicy policy) {
  switch (policy) {
    case StoreAssignmentPolicy::kAnsi:
      return CanStoreAnsi(from, to);
    case StoreAssignmentPolicy::kStrict:
      return CanUpCast(from, to);
    case StoreAssignmentPolicy::kLegacy:
      return CanCast(from, to, false);
  }
  return false;
}

bool CanImplicitlyCast(const DataType& from, const DataType& to) {
  if (from.is_void() || DataType::EqualsIgnoringNullability(from, to)) return true;
  if (from.is_string()) return IsAtomic(to);
  return CanStoreAnsi(from, to);
}

bool CastIsNullable(const DataType& from, const DataType& to, bool child_nullable, CastMode mode) {
  if (child_nullable || mode == CastMode::kTry || mode == CastMode::kLegacy) return true;
  if (from.is_string()) return !to.is_string() && to.kind() != TypeKind::kBinary;
  bool floating = from.kind() == TypeKind::kFloat || from.kind() == TypeKind::kDouble;
  if (floating) return to.kind() == TypeKind::kTimestamp || to.kind() == TypeKind::kDecimal;
  if (from.kind() == TypeKind::kDecimal && to.kind() == TypeKind::kDecimal)
    return !CanUpCast(from, to);
  if (from.is_integral() && to.kind() == TypeKind::kDecimal) return !CanUpCast(from, to);
  return from.kind() == TypeKind::kVariant;
}

}  // namespace iceblink::plan
