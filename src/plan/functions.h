// The function table: what Spark's functions are called, what they take and what they return. The
// only list of names - exec implements the canonical ones, the analyzer resolves the others to
// them.
//
// Argument codes, one character per argument; the last one repeats when more arguments follow:
//   s string  i int  l bigint  d double  f float  b boolean  D date  T timestamp  N timestamp_ntz
//   B binary n any number (strings become double)  m number or interval  c string or binary  t date
//   or timestamp A array  M map  S struct  C array or map  V variant  . any type  o any type with
//   an order x all x arguments are brought to their common type  E element type of the array in
//   argument 1 (both sides widen) K key type of the map in argument 1  L lambda  -
//   decimal(18,6)-like seconds (decimal)
// Result codes: s i l d f b D T N B y(tinyint) h(smallint) V void(0), digits 1-9 the type of that
// argument, = the common type of the x arguments, [1 array of argument 1, [= array of the common
// type, e1 element of array 1, k1 v1 key and value of map 1, * a rule of its own in
// functions_types.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/expression.h"

namespace iceblink::plan {

enum class FunctionKind : uint8_t { kScalar, kAggregate, kWindow, kGenerator };

enum class NullRule : uint8_t {
  kIfAnyArgument,  // NULL when an argument is
  kNever,
  kAlways,  // may be NULL whatever the arguments
  kIfAll,   // NULL only when every argument is
};

struct FunctionRow {
  std::string_view name;  // lower case
  FunctionKind kind = FunctionKind::kScalar;
  int8_t min_args = 0;
  int8_t max_args = 0;  // -1: any number
  std::string_view args = {};
  std::string_view result = {};
  NullRule nulls = NullRule::kIfAnyArgument;
  std::string_view canonical = {};  // what plans carry; empty: the name
  std::string_view display = {};    // how generated column names spell it; empty: the name
  std::string_view defaults =
      {};  // SQL texts of trailing arguments that may be left out, separated by '|'
  bool deterministic = true;

  std::string_view CanonicalName() const { return canonical.empty() ? name : canonical; }
  std::string_view DisplayName() const { return display.empty() ? name : display; }
};

// Every function callable by name, sorted by name within each kind's block.
std::span<const FunctionRow> ScalarFunctions();
std::span<const FunctionRow> AggregateFunctions();
std::span<const FunctionRow> WindowFunctions();
std::span<const FunctionRow> GeneratorFunctions();

// Returns null when there is no such function. Case-insensitive.
const FunctionRow* FindFunction(std::string_view name);

// Functions of `catalog.system`: bucket, truncate, years, months, days, hours, iceberg_version;
// canonical names carry the prefix "iceberg_".
const FunctionRow* FindSystemFunction(std::string_view name);

// Canonical names that only operators and the analyzer produce; a Call may carry them as well:
//   + - * / % div  & | ^ ~  << >> >>>  and or not  = <=> < <= > >=  in  like(value, pattern[,
//   escape]) ilike rlike isnull isnotnull  positive negative  if get_struct_field(struct, ordinal
//   literal, name literal)   the field of a struct get_array_struct_fields(array, ordinal, name)
//   that field of every element get_array_item(array, index)   0-based; error out of range
//   get_map_value(map, key)  NULL when absent named_struct(name, value, ...)  array(...)  map(k, v,
//   ...) assert_not_null(value, name literal)  NOT_NULL_ASSERT_VIOLATION naming the column
//   date_add_interval(date or timestamp, interval)  date_diff_days(date, date)  timestamp_diff(ts,
//   ts) check_length(string, n)  char and varchar columns       char_pad(string, n)
//   time_windows(time, duration, slide, start)   the windows a time is in, as structs; see window()
//   iceberg_zorder(max size, bytes of a text, value, ...)   binary; rewrite_data_files sorts by it
// Without ANSI: wrap_add wrap_subtract wrap_multiply wrap_negative (integers wrap around; decimals
// become NULL), try_divide try_mod try_int_divide, get, try_element_at in place of + - * negative /
// % div, get_array_item, element_at.
std::span<const std::string_view> OperatorNames();

// Returns the canonical name as a view into static storage (table or operator list); empty when
// unknown.
std::string_view CanonicalFunctionName(std::string_view name);

// Returns the name used in place of a canonical one when spark.sql.ansi.enabled is false.
std::string_view WithoutAnsi(std::string_view canonical);

// Returns the type that an argument or result code of a FunctionRow stands for whatever the call;
// nothing for codes that depend on it.
std::optional<DataType> PlainTypeOfCode(char code);

// Type of a call whose arguments already have their final types. `written` are the arguments as
// given.
struct CallType {
  DataType type;
  bool nullable = true;
};
Result<CallType> TypeOfCall(const FunctionRow& row, const std::vector<ExprPtr>& args, bool ansi);

}  // namespace iceblink::plan
