// Spark types against Iceberg types, implicit casts, common types, decimal results and store
// assignment.
//
// The rules are those of Spark 4 in ANSI mode; the ones that differ without ANSI take `ansi`. All
// functions are pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/expression.h"
#include "spec/schema.h"
#include "sql/data_type.h"

namespace iceblink::plan {

// ---- Iceberg mapping
// --------------------------------------------------------------------------------------------------

// Returns the Spark type of an Iceberg type. kUnsupported (UnsupportedOperationException) "Spark
// does not support time fields" and the like.
Result<DataType> ToSparkType(const spec::Type& type);

// Returns the Iceberg type of a Spark type; `next_id` gives the ids of nested fields (children
// after their parents, as Iceberg assigns them). kUnsupported "Not a supported type: %s" for
// intervals, time ...
Result<spec::Type> ToIcebergType(const DataType& type, const std::function<int32_t()>& next_id);

// ---- common types
// -----------------------------------------------------------------------------------------------------

// Returns the narrowest type both widen to (CASE, UNION, coalesce, IN, comparison), strings
// included as ANSI promotes them ('1' = 1 compares bigints). Nothing when there is none.
std::optional<DataType> CommonType(const DataType& a, const DataType& b, bool ansi = true);
std::optional<DataType> CommonType(const std::vector<DataType>& types, bool ansi = true);

// As CommonType, but strings do not meet other types: the widening of set operations.
std::optional<DataType> WiderTypeWithoutStrings(const DataType& a, const DataType& b);

// Decimal(38) bounded type; when the digits do not fit, the integral digits stay and the scale
// shrinks to no less than 6.
DataType AdjustedDecimal(int32_t precision, int32_t scale);

// Result of an arithmetic operator ("+", "-", "*", "/", "%", "div") on two decimals.
DataType DecimalResult(std::string_view op, const DataType& left, const DataType& right);

// The decimal type an integral type meets decimals as: int 10,0 ... ; a literal brings its own
// digits.
DataType DecimalOf(const DataType& type, const Value* literal = nullptr);

// ---- casts
// ------------------------------------------------------------------------------------------------------------

// Whether CAST(from AS to) exists.
bool CanCast(const DataType& from, const DataType& to, bool ansi = true);

// The type an argument of type `from` is implicitly cast to where a function wants `to`; nothing
// when it does not fit.
bool CanImplicitlyCast(const DataType& from, const DataType& to);

// Whether a cast can turn a value that is not NULL into NULL or the type rules call its result
// nullable.
bool CastIsNullable(const DataType& from, const DataType& to, bool child_nullable, CastMode mode);

// Whether values of the type have an order (comparison, ORDER BY, GROUP BY): neither maps nor
// variants in it.
bool IsOrderable(const DataType& type);

// ---- store assignment
// -------------------------------------------------------------------------------------------------

enum class StoreAssignmentPolicy : uint8_t { kAnsi, kStrict, kLegacy };

// Whether a value of `from` may be written to a column of `to`. Structs, arrays and maps are
// compared by their parts.
bool CanStoreAssign(const DataType& from, const DataType& to, StoreAssignmentPolicy policy);

}  // namespace iceblink::plan
