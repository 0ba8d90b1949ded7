// Partition and sort transforms, bit-exact with the specification.
//
// A Transform is a small value. Unknown transforms keep their text, yield null and never filter.
#pragma once

#include "spec/type.h"

namespace iceblink::spec {

enum class TransformKind : uint8_t {
  kIdentity,
  kBucket,
  kTruncate,
  kYear,
  kMonth,
  kDay,
  kHour,
  kVoid,
  kUnknown
};

class Transform {
 public:
  Transform() = default;  // identity
  static Transform Identity() { return Transform(TransformKind::kIdentity, 0); }
  static Transform Bucket(int32_t buckets) { return Transform(TransformKind::kBucket, buckets); }
  static Transform Truncate(int32_t width) { return Transform(TransformKind::kTruncate, width); }
  static Transform Year() { return Transform(TransformKind::kYear, 0); }
  static Transform Month() { return Transform(TransformKind::kMonth, 0); }
  static Transform Day() { return Transform(TransformKind::kDay, 0); }
  static Transform Hour() { return Transform(TransformKind::kHour, 0); }
  static Transform Void() { return Transform(TransformKind::kVoid, 0); }
  // Parses the specification's text ("bucket[16]", case-insensitive); what it does not know becomes
  // an unknown transform.
  static Transform Parse(std::string_view text);

  TransformKind kind() const { return kind_; }
  bool Is(TransformKind kind) const { return kind_ == kind; }
  int32_t param() const { return param_; }  // bucket count or truncate width
  bool is_identity() const { return kind_ == TransformKind::kIdentity; }
  bool is_void() const { return kind_ == TransformKind::kVoid; }
  bool is_time() const { return kind_ >= TransformKind::kYear && kind_ <= TransformKind::kHour; }

  // Returns whether the transform accepts values of the type.
  bool CanTransform(const Type& source) const;
  // Returns the type of the results. Requires CanTransform or a void or unknown transform (string
  // for unknown).
  Type ResultType(const Type& source) const;
  // Returns whether ordering by the source orders the results.
  bool preserves_order() const;
  // Returns whether data ordered by this transform of a column is ordered by `other` of the same
  // column.
  bool SatisfiesOrderOf(const Transform& other) const;

  // Returns the transformed value; null for null. `source` is the type of `value`, which is in its
  // physical form.
  Value Apply(const Type& source, const Value& value) const;
  // Returns whether the value's result does not fit its type, so that Apply wraps it around as
  // Java does: truncated numbers near the type's minimum, hours of far years.
  bool WrapsAt(const Type& source, const Value& value) const;

  // Returns the text of a transformed value in partition paths ("null", "2017-11-16-22", Base64 of
  // binary ...).
  std::string ToHumanString(const Type& source, const Value& transformed) const;

  // Returns the specification's text: "bucket[16]".
  std::string ToString() const;
  // Returns whether both are time transforms or otherwise equal in kind, so that one makes the
  // other redundant.
  std::string DedupName() const;

  friend bool operator==(const Transform&, const Transform&) = default;

 private:
  Transform(TransformKind kind, int32_t param) : kind_(kind), param_(param) {}
  TransformKind kind_ = TransformKind::kIdentity;
  int32_t param_ = 0;
  std::string text_;  // of an unknown transform
};

// Returns the 32-bit Murmur3 hash that bucket[N] uses for a non-null value; 0 for types without
// one.
int32_t BucketHash(const Type& source, const Value& value);

}  // namespace iceblink::spec
