// Conditions that a running statement raises. Columns as in errors_analysis.cc.
#include "plan/errors.h"

namespace iceblink::plan {
namespace {

constexpr auto kI = ErrorCode::kInvalidArgument;
constexpr std::string_view kArithmetic = "SparkArithmeticException";
constexpr std::string_view kDateTime = "SparkDateTimeException";
constexpr std::string_view kRuntime = "SparkRuntimeException";
constexpr std::string_view kIndex = "SparkArrayIndexOutOfBoundsException";

constexpr ErrorCondition kRows[] = {
    {"ARITHMETIC_OVERFLOW", "22003", kI, kArithmetic, false,
     "<message>.<alternative> If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass "
     "this error."},
    {"BINARY_ARITHMETIC_OVERFLOW", "22003", kI, kArithmetic, false,
     "<value1> <symbol> <value2> caused overflow. Use `<functionName>` to ignore overflow problem "
     "and return NULL."},
    {"CANNOT_PARSE_TIMESTAMP", "22007", kI, kDateTime, false,
     "<message>. Use `<func>` to tolerate invalid input string and return NULL instead."},
    {"CAST_INVALID_INPUT", "22018", kI, kDateTime, false,
     "The value <expression> of the type <sourceType> cannot be cast to <targetType> because it is "
     "malformed. Correct the "
     "value as per the syntax, or change its target type. Use `try_cast` to tolerate malformed "
     "input and return NULL "
     "instead."},
    {"CAST_OVERFLOW", "22003", kI, kArithmetic, false,
     "The value <value> of the type <sourceType> cannot be cast to <targetType> due to an "
     "overflow. Use `try_cast` to "
     "tolerate overflow and return NULL instead."},
    {"CAST_OVERFLOW_IN_TABLE_INSERT", "22003", kI, kArithmetic, false,
     "Fail to assign a value of <sourceType> type to the <targetType> type column or variable "
     "<columnName> due to an "
     "overflow. Use `try_cast` on the input value to tolerate overflow and return NULL instead."},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", "22023", kI, kDateTime, false,
     "<rangeMessage>. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this "
     "error."},
    {"DATETIME_OVERFLOW", "22008", kI, kArithmetic, false,
     "Datetime operation overflow: <operation>."},
    {"DIVIDE_BY_ZERO", "22012", kI, kArithmetic, false,
     "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. If "
     "necessary set "
     "\"spark.sql.ansi.enabled\" to \"false\" to bypass this error."},
    {"DUPLICATED_MAP_KEY", "23505", kI, kRuntime, false,
     "Duplicate map key <key> was found, please check the input data.\nIf you want to remove the "
     "duplicated keys, you can "
     "set \"spark.sql.mapKeyDedupPolicy\" to \"LAST_WIN\" so that the key inserted at last takes "
     "precedence."},
    {"EXCEED_LIMIT_LENGTH", "54006", kI, kRuntime, false,
     "Exceeds char/varchar type length limitation: <limit>."},
    {"ILLEGAL_DAY_OF_WEEK", "22009", kI, "SparkIllegalArgumentException", false,
     "Illegal input for day of week: <string>."},
    {"INTERVAL_DIVIDED_BY_ZERO", "22012", kI, kArithmetic, false,
     "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."},
    {"INVALID_ARRAY_INDEX", "22003", kI, kIndex, false,
     "The index <indexValue> is out of bounds. The array has <arraySize> elements. Use the SQL "
     "function `get()` to "
     "tolerate accessing element at invalid index and return NULL instead."},
    {"INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "22003", kI, kIndex, false,
     "The index <indexValue> is out of bounds. The array has <arraySize> elements. Use "
     "`try_element_at` to tolerate "
     "accessing element at invalid index and return NULL instead."},
    {"INVALID_INDEX_OF_ZERO", "22003", kI, kRuntime, false,
     "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index "
     "1)."},
    {"INVALID_VARIANT_CAST", "22023", kI, kRuntime, false,
     "The variant value `<value>` cannot be cast into `<dataType>`. Please use `try_variant_get` "
     "instead."},
    {"MERGE_CARDINALITY_VIOLATION", "23K01", kI, kRuntime, false,
     "The ON search condition of the MERGE statement matched a single row from the target table "
     "with multiple rows of the "
     "source table.\nThis could result in the target row being operated on more than once with an "
     "update or delete "
     "operation and is not allowed."},
    {"NOT_NULL_ASSERT_VIOLATION", "42000", kI, kRuntime, false,
     "NULL value appeared in non-nullable field: \n<walkedTypePath>\nIf the schema is inferred "
     "from a Scala tuple/case "
     "class, or a Java bean, please try to use scala.Option[_] or other nullable types (such as "
     "java.lang.Integer instead "
     "of int/scala.Int)."},
    {"NULL_MAP_KEY", "2200E", kI, kRuntime, false, "Cannot use null as map key."},
    {"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "22003", kI, kArithmetic, false,
     " <value> cannot be represented as Decimal(<precision>, <scale>). If necessary set "
     "\"spark.sql.ansi.enabled\" to "
     "\"false\" to bypass this error, and return NULL instead."},
    {"RECURSION_LEVEL_LIMIT_EXCEEDED", "42836", kI, "SparkException", false,
     "Recursion level limit <levelLimit> reached but query has not exhausted, try increasing it "
     "like 'WITH RECURSIVE t(col) MAX RECURSION LEVEL 200'."},
    {"RECURSION_ROW_LIMIT_EXCEEDED", "42836", kI, "SparkException", false,
     "Recursion row limit <rowLimit> reached but query has not exhausted, try setting a larger "
     "LIMIT value when querying the CTE relation."},
    {"REMAINDER_BY_ZERO", "22012", kI, kArithmetic, false,
     "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead. If "
     "necessary set "
     "\"spark.sql.ansi.enabled\" to \"false\" to bypass this error."},
    {"SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000", kI, "SparkException", false,
     "More than one row returned by a subquery used as an expression."},
    {"USER_RAISED_EXCEPTION", "P0001", kI, kRuntime, false, "<errorMessage>"},
};

}  // namespace

std::span<const ErrorCondition> RuntimeConditions() { return kRows; }

}  // namespace iceblink::plan
