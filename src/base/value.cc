#include "base/value.h"

#include <cmath>
#include <cstring>

namespace iceblink {
namespace {

template <typename T>
int Compare3(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

template <typename F>
int CompareFloats(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  if (a == b) return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
  return a < b ? -1 : 1;
}

int CompareDecimals(const Decimal& a, const Decimal& b) {
  Int128 x = a.unscaled;
  Int128 y = b.unscaled;
  for (int32_t s = a.scale; s < b.scale; ++s) x *= 10;
  for (int32_t s = b.scale; s < a.scale; ++s) y *= 10;
  return Compare3(x, y);
}

int CompareNullsFirst(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null())
    return static_cast<int>(b.is_null()) - static_cast<int>(a.is_null());
  return CompareValues(a, b);
}

int CompareLists(const ValueList& a, const ValueList& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int c = CompareNullsFirst(a[i], b[i]); c != 0) return c;
  }
  return Compare3(a.size(), b.size());
}

struct Comparer {
  int operator()(std::monostate, std::monostate) const { return 0; }
  int operator()(float a, float b) const { return CompareFloats(a, b); }
  int operator()(double a, double b) const { return CompareFloats(a, b); }
  int operator()(const Decimal& a, const Decimal& b) const { return CompareDecimals(a, b); }
  int operator()(const std::string& a, const std::string& b) const { return a.compare(b); }
  int operator()(const Bytes& a, const Bytes& b) const { return a.data.compare(b.data); }
  int operator()(const Interval& a, const Interval& b) const {
    if (int c = Compare3(a.months, b.months); c != 0) return c;
    if (int c = Compare3(a.days, b.days); c != 0) return c;
    return Compare3(a.micros, b.micros);
  }
  int operator()(const ArrayValue& a, const ArrayValue& b) const {
    return CompareLists(*a.elements, *b.elements);
  }
  int operator()(const StructValue& a, const StructValue& b) const {
    return CompareLists(*a.fields, *b.fields);
  }
  int operator()(const MapValue& a, const MapValue& b) const {
    for (size_t i = 0; i < a.entries->size() && i < b.entries->size(); ++i) {
      if (int c = CompareNullsFirst((*a.entries)[i].first, (*b.entries)[i].first); c != 0) return c;
      if (int c = CompareNullsFirst((*a.entries)[i].second, (*b.entries)[i].second); c != 0)
        return c;
    }
    return Compare3(a.entries->size(), b.entries->size());
  }
  template <typename T>
  int operator()(const T& a, const T& b) const {
    return Compare3(a, b);
  }
  template <typename A, typename B>
  int operator()(const A&, const B&) const {
    return 0;  // different forms are never compared; the callers bind types first
  }
};

}  // namespace

int CompareValues(const Value& a, const Value& b) {
  if (a.storage().index() != b.storage().index()) {
    bool ints = (a.Is<int32_t>() || a.Is<int64_t>()) && (b.Is<int32_t>() || b.Is<int64_t>());
    if (ints) return Compare3(a.AsInt64(), b.AsInt64());
    return Compare3(a.storage().index(), b.storage().index());
  }
  return std::visit(Comparer{}, a.storage(), b.storage());
}

bool operator==(const Value& a, const Value& b) {
  return a.storage().index() == b.storage().index() && CompareNullsFirst(a, b) == 0;
}

}  // namespace iceblink
