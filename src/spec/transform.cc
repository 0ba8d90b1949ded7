#include "spec/transform.h"

#include <fmt/format.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/murmur3.h"
#include "base/strings.h"
#include "spec/single_value.h"

namespace iceblink::spec {
namespace {

struct NamedTransform {
  std::string_view name;
  TransformKind kind;
};
constexpr NamedTransform kNamed[] = {
    {"identity", TransformKind::kIdentity}, {"year", TransformKind::kYear},
    {"month", TransformKind::kMonth},       {"day", TransformKind::kDay},
    {"hour", TransformKind::kHour},         {"void", TransformKind::kVoid},
};

// Returns N of "name[N]", or nothing.
std::optional<int32_t> Width(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 3) return std::nullopt;
  if (text[name.size()] != '[' || text.back() != ']') return std::nullopt;
  return ParseInt32(text.substr(name.size() + 1, text.size() - name.size() - 2));
}

bool IsTimestamp(TypeKind kind) {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampTz ||
         kind == TypeKind::kTimestampNs || kind == TypeKind::kTimestampTzNs;
}

bool IsNanos(TypeKind kind) {
  return kind == TypeKind::kTimestampNs || kind == TypeKind::kTimestampTzNs;
}

bool CanBucket(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kDecimal:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
    case TypeKind::kString:
    case TypeKind::kUuid:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return true;
    case TypeKind::kUnknown:
    case TypeKind::kBoolean:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kVariant:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return false;
  }
  return false;
}

bool CanTruncate(TypeKind kind) {
  return kind == TypeKind::kInt || kind == TypeKind::kLong || kind == TypeKind::kDecimal ||
         kind == TypeKind::kString || kind == TypeKind::kBinary;
}

// Rounds towards minus infinity to a multiple of width; wraps at the minimum as Java does.
template <typename Int, typename Wide>
Int TruncateNumber(Int value, int32_t width) {
  Wide remainder = ((static_cast<Wide>(value) % width) + width) % width;
  return static_cast<Int>(static_cast<Wide>(value) - remainder);
}

Value TruncateValue(const Value& value, int32_t width) {
  if (value.Is<int32_t>()) return TruncateNumber<int32_t, int64_t>(value.As<int32_t>(), width);
  if (value.Is<int64_t>()) return TruncateNumber<int64_t, Int128>(value.As<int64_t>(), width);
  if (value.Is<Decimal>()) {
    const Decimal& d = value.As<Decimal>();
    return Decimal{TruncateNumber<Int128, Int128>(d.unscaled, width), d.scale};
  }
  if (value.Is<std::string>()) {
    return std::string(CodePointPrefix(value.As<std::string>(), static_cast<size_t>(width)));
  }
  if (value.Is<Bytes>()) return Bytes{value.As<Bytes>().data.substr(0, static_cast<size_t>(width))};
  return {};
}

int64_t DaysOf(TypeKind kind, const Value& value) {
  if (kind == TypeKind::kDate) return value.AsInt64();
  return FloorDiv(value.AsInt64(), IsNanos(kind) ? kNanosPerDay : kMicrosPerDay);
}

}  // namespace

Transform Transform::Parse(std::string_view text) {
  std::string lower = AsciiLower(text);
  for (const NamedTransform& named : kNamed) {
    if (named.name == lower) return Transform(named.kind, 0);
  }
  if (auto n = Width(lower, "bucket"); n && *n > 0) return Bucket(*n);
  if (auto w = Width(lower, "truncate"); w && *w > 0) return Truncate(*w);
  Transform unknown(TransformKind::kUnknown, 0);
  unknown.text_ = std::string(text);
  return unknown;
}

bool Transform::CanTransform(const Type& source) const {
  switch (kind_) {
    case TransformKind::kIdentity:
      return source.is_primitive() && !source.Is(TypeKind::kGeometry) &&
             !source.Is(TypeKind::kGeography);
    case TransformKind::kBucket:
      return CanBucket(source.kind());
    case TransformKind::kTruncate:
      return CanTruncate(source.kind());
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
      return source.Is(TypeKind::kDate) || IsTimestamp(source.kind());
    case TransformKind::kHour:
      return IsTimestamp(source.kind());
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return true;
  }
  return false;
}

Type Transform::ResultType(const Type& source) const {
  switch (kind_) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      return source;
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return Type::Int();
    case TransformKind::kDay:
      return Type::Date();
    case TransformKind::kUnknown:
      return Type::String();
  }
  return source;
}

bool Transform::preserves_order() const {
  return kind_ == TransformKind::kIdentity || kind_ == TransformKind::kTruncate || is_time();
}

bool Transform::SatisfiesOrderOf(const Transform& other) const {
  if (is_identity()) return other.preserves_order();
  if (is_time() && other.is_time()) return kind_ >= other.kind_;
  return *this == other;
}

Value Transform::Apply(const Type& source, const Value& value) const {
  if (value.is_null()) return {};
  TypeKind from = source.kind();
  switch (kind_) {
    case TransformKind::kIdentity:
      return value;
    case TransformKind::kBucket:
      return static_cast<int32_t>((BucketHash(source, value) & 0x7fffffff) % param_);
    case TransformKind::kTruncate:
      return TruncateValue(value, param_);
    case TransformKind::kYear:
      return YearsFromDays(DaysOf(from, value));
    case TransformKind::kMonth:
      return MonthsFromDays(DaysOf(from, value));
    case TransformKind::kDay:
      return static_cast<int32_t>(DaysOf(from, value));
    case TransformKind::kHour:
      return static_cast<int32_t>(
          FloorDiv(value.AsInt64(), IsNanos(from) ? kNanosPerHour : kMicrosPerHour));
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return {};
  }
  return {};
}

bool Transform::WrapsAt(const Type& source, const Value& value) const {
  if (!value.Is<int32_t>() && !value.Is<int64_t>()) return false;
  // Both transforms round down, so a result on the other side of the value has wrapped.
  if (kind_ == TransformKind::kTruncate) return Apply(source, value).AsInt64() > value.AsInt64();
  if (kind_ != TransformKind::kHour) return false;
  return (Apply(source, value).AsInt64() < 0) != (value.AsInt64() < 0);
}

std::string Transform::ToHumanString(const Type& source, const Value& transformed) const {
  if (transformed.is_null()) return "null";
  switch (kind_) {
    case TransformKind::kYear:
      return HumanYear(transformed.AsInt64());
    case TransformKind::kMonth:
      return HumanMonth(transformed.AsInt64());
    case TransformKind::kDay:
      return HumanDay(transformed.AsInt64());
    case TransformKind::kHour:
      return HumanHour(transformed.AsInt64());
    case TransformKind::kBucket:
      return HumanString(Type::Int(), transformed);
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return HumanString(source, transformed);
  }
  return {};
}

std::string Transform::ToString() const {
  if (kind_ == TransformKind::kBucket) return fmt::format("bucket[{}]", param_);
  if (kind_ == TransformKind::kTruncate) return fmt::format("truncate[{}]", param_);
  for (const NamedTransform& named : kNamed) {
    if (named.kind == kind_) return std::string(named.name);
  }
  return text_;
}

std::string Transform::DedupName() const { return is_time() ? "time" : ToString(); }

int32_t BucketHash(const Type& source, const Value& value) {
  if (value.Is<int32_t>() || value.Is<int64_t>()) {
    int64_t number = value.AsInt64();
    return Murmur3Long(IsNanos(source.kind()) ? FloorDiv(number, 1000) : number);
  }
  if (value.Is<std::string>()) return Murmur3(value.As<std::string>());
  if (value.Is<Bytes>()) return Murmur3(value.As<Bytes>().data);
  if (value.Is<Decimal>()) return Murmur3(Int128ToMinimalBytes(value.As<Decimal>().unscaled));
  return 0;
}

}  // namespace iceblink::spec
