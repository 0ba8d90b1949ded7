#include "expr/bound_compare.h"

#include <algorithm>
#include <cmath>

#include "spec/single_value.h"

namespace iceblink::expr::internal {
namespace {

bool ComparesAsBytes(spec::TypeKind kind) {
  return kind == spec::TypeKind::kString || kind == spec::TypeKind::kBinary ||
         kind == spec::TypeKind::kFixed || kind == spec::TypeKind::kUuid;
}

std::string_view RawOf(const Value& value) {
  return value.Is<std::string>() ? std::string_view(value.As<std::string>())
                                 : std::string_view(value.As<Bytes>().data);
}

}  // namespace

Bound::Bound(const Step& step, const Bytes* bytes) {
  if (bytes == nullptr) return;
  if (step.transform.is_identity() && ComparesAsBytes(step.type.kind())) {
    present_ = is_raw_ = true;
    raw_ = bytes->data;
    return;
  }
  if (!step.transform.preserves_order()) return;  // bounds of the column bound no hash of it
  auto value = spec::FromBound(step.source_type, bytes->data);
  if (!value || value->is_null()) return;  // unreadable bounds bound nothing
  wraps_ = step.transform.WrapsAt(step.source_type, *value);
  value_ = step.transform.is_identity() ? std::move(*value)
                                        : step.transform.Apply(step.source_type, *value);
  present_ = !value_.is_null();
}

bool Bound::is_nan() const {
  if (value_.Is<float>()) return std::isnan(value_.As<float>());
  return value_.Is<double>() && std::isnan(value_.As<double>());
}

int Bound::Compare(const Value& literal) const {
  return is_raw_ ? raw_.compare(RawOf(literal)) : CompareValues(value_, literal);
}

bool AnyLiteralWithin(const std::vector<Value>& literals, const Bound& lower, const Bound& upper) {
  auto first = std::partition_point(literals.begin(), literals.end(), [&](const Value& literal) {
    return lower.Compare(literal) > 0;
  });
  return first != literals.end() && upper.Compare(*first) >= 0;
}

bool NoneStartsWith(std::string_view prefix, const Bound& lower, const Bound& upper) {
  if (lower.present() && lower.text().substr(0, prefix.size()) > prefix) return true;
  return upper.present() &&
         upper.text().substr(0, prefix.size()) < prefix.substr(0, upper.text().size());
}

bool AllStartWith(std::string_view prefix, const Bound& lower, const Bound& upper) {
  return lower.present() && upper.present() && lower.text().starts_with(prefix) &&
         upper.text().starts_with(prefix);
}

}  // namespace iceblink::expr::internal
