// Single values: the binary form of bounds and partition summaries, the JSON form of defaults, and
// the text form in which Java prints literals. Also how bounds are shortened.
#pragma once

#include <optional>

#include "spec/type.h"

namespace iceblink::spec {

// Returns the bytes of a non-null primitive value (specification appendix D).
Bytes ToBound(const Type& type, const Value& value);

// Returns the value of bytes written for `type` or for a type promoted to it (4 bytes for long or
// double). Nested types, variant, unknown and geo types give null. Error: Corrupt when the length
// does not fit.
Result<Value> FromBound(const Type& type, std::string_view bytes);

// Shorten a bound to `length` code points (string) or bytes (binary, fixed). The upper one is
// rounded up and is nullopt when no greater value of that length exists. Values that fit, and other
// types, come back unchanged.
Value TruncateLowerBound(const Type& type, const Value& value, int32_t length);
std::optional<Value> TruncateUpperBound(const Type& type, const Value& value, int32_t length);

// Return the JSON text of a value in the specification's JSON single-value form, and the value of
// such text. `null` is NULL. Error: InvalidArgument "Cannot parse default as a %s value: ...".
std::string ToJsonValue(const Type& type, const Value& value);
Result<Value> FromJsonValue(const Type& type, std::string_view json);

// Returns the identity human string of a value ("2017-11-16T22:31:08.000001+00:00", Base64 of
// binary, "null").
std::string HumanString(const Type& type, const Value& value);

// Parses partition path and option texts: the inverse of HumanString for types that have one
// (Java's Conversions.fromPartitionString). Error: Unsupported for other types, InvalidArgument for
// bad text.
Result<Value> FromPartitionString(const Type& type, std::string_view text);

}  // namespace iceblink::spec
