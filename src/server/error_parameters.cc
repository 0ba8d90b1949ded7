// Parameters of errors. An Error carries its message whole; PySpark wants the parameters too, so
// they are read back from the message with the text of its condition.
#include <algorithm>

#include "plan/errors.h"
#include "server/errors.h"

namespace iceblink::server {
namespace {

struct ConditionText {
  std::string_view condition;
  std::string_view text;  // <name> stands for a parameter
};
// Conditions of parser and session, and those whose text in the analyzer's table leaves no place
// for a parameter that Spark has.
constexpr ConditionText kTexts[] = {
    {"CANNOT_MODIFY_CONFIG",
     "Cannot modify the value of the Spark config: <key>.\nSee also "
     "'<docroot>/sql-migration-guide.html#ddl-statements'."},
    {"CATALOG_NOT_FOUND",
     "The catalog <catalogName> not found. Consider to set the SQL config <config> to a "
     "catalog plugin."},
    {"DATATYPE_MISSING_SIZE",
     "DataType <type> requires a length parameter, for example <type>(10). Please specify "
     "the length."},
    {"DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
     "Decimal precision <precision> exceeds max precision <maxPrecision>."},
    {"DUPLICATE_CLAUSES", "Found duplicate clauses: <clauseName>. Please, remove one of them."},
    {"DUPLICATE_KEY", "Found duplicate keys <keyColumn>."},
    {"FIELD_ALREADY_EXISTS",
     "Cannot <op> column, because <fieldNames> already exists in <struct>."},
    {"INCOMPLETE_TYPE_DEFINITION.ARRAY",
     "Incomplete complex type: The definition of \"ARRAY\" type is incomplete. You must "
     "provide an element type. For example: \"ARRAY<elementType>\"."},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
     "You may get a different result due to the upgrading to Spark >= 3.0:\nFail to "
     "recognize <pattern> pattern in the DateTimeFormatter.\n1) You can set <config> to "
     "\"LEGACY\" to restore the behavior before Spark 3.0.\n2) You can form a valid "
     "datetime pattern with the guide from '<docroot>/sql-ref-datetime-pattern.html'."},
    {"INTERNAL_ERROR", "<message>"},
    {"INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS",
     "The value '<confValue>' in the config \"<confName>\" is invalid. It should be one "
     "of '<confOptions>'."},
    {"INVALID_CONF_VALUE.TIME_ZONE",
     "The value '<confValue>' in the config \"<confName>\" is invalid. Cannot resolve the "
     "given timezone."},
    {"INVALID_ESCAPE_CHAR",
     "`EscapeChar` should be a string literal of length one, but got <sqlExpr>."},
    {"INVALID_FIELD_NAME", "Field name <fieldName> is invalid: <path> is not a struct."},
    {"INVALID_FORMAT.MISMATCH_INPUT",
     "The format is invalid: <format>. The input <inputType> <input> does not match the "
     "format."},
    {"INVALID_IDENTIFIER",
     "The unquoted identifier <ident> is invalid and must be back quoted as: "
     "`<ident>`.\nUnquoted identifiers can only contain ASCII letters ('a' - 'z', 'A' - "
     "'Z'), digits ('0' - '9'), and underbar ('_').\nUnquoted identifiers must also not "
     "start with a digit.\nDifferent data sources and meta stores may impose additional "
     "restrictions on valid identifiers."},
    {"INVALID_INTERVAL_FORMAT.INVALID_VALUE",
     "Error parsing '<input>' to interval. Please ensure that the value provided is in a "
     "valid format for defining an interval. You can reference the documentation for the "
     "correct format. Invalid value <value>."},
    {"INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
     "Error parsing '<input>' to interval. Please ensure that the value provided is in a "
     "valid format for defining an interval. You can reference the documentation for the "
     "correct format. Cannot support (interval '<input>' <from> to <to>) expression."},
    {"INVALID_NUMERIC_LITERAL_RANGE",
     "Numeric literal <rawStrippedQualifier> is outside the valid range for <typeName> "
     "with minimum value of <minValue> and maximum value of <maxValue>. Please adjust the "
     "value accordingly."},
    {"INVALID_PARAMETER_VALUE.CHARSET",
     "The value of parameter(s) <parameter> in <functionName> is invalid: expects one of "
     "the <charsets>, but got <charset>."},
    {"INVALID_PARAMETER_VALUE.DATETIME_UNIT",
     "The value of parameter(s) <parameter> in <functionName> is invalid: expects one of "
     "the units without quotes YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, HOUR, MINUTE, "
     "SECOND, MILLISECOND, MICROSECOND, but got the string literal <invalidValue>."},
    {"INVALID_PARAMETER_VALUE.PATTERN",
     "The value of parameter(s) <parameter> in <functionName> is invalid: <value>."},
    {"INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
     "The value of parameter(s) <parameter> in <functionName> is invalid: Expects group "
     "index between 0 and <groupCount>, but got <groupIndex>."},
    {"INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED",
     "The partition command is invalid. Table <name> does not support partition "
     "management."},
    {"INVALID_STATEMENT_OR_CLAUSE", "The statement or clause: <operation> is not valid."},
    {"INVALID_TIMEZONE",
     "The timezone: <timeZone> is invalid. The timezone must be either a region-based "
     "zone ID or a zone offset. Region IDs must have the form 'area/city', such as "
     "'America/Los_Angeles'. Zone offsets must be in the format '(+|-)HH', '(+|-)HH:mm’ "
     "or '(+|-)HH:mm:ss', e.g '-08' , '+01:00' or '-13:33:33', and must be in the range "
     "from -18:00 to +18:00. 'Z' and 'UTC' are accepted as synonyms for '+00:00'."},
    {"INVALID_TYPED_LITERAL", "The value of the typed literal <valueType> is invalid: <value>."},
    {"NOT_A_CONSTANT_STRING.NOT_CONSTANT",
     "The expression <expr> used for the routine or clause <name> must be a constant "
     "STRING which is NOT NULL. To be considered constant the expression must not depend "
     "on any columns, contain a subquery, or invoke a non deterministic function such as "
     "rand()."},
    {"NOT_SUPPORTED_CHANGE_COLUMN",
     "ALTER TABLE ALTER/CHANGE COLUMN is not supported for changing <table>'s column "
     "<originName> with type <originType> to <newName> with type <newType>."},
    {"NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "<cmd> is not supported for v2 tables."},
    {"PARSE_SYNTAX_ERROR", "Syntax error at or near <error><hint>."},
    {"PATH_NOT_FOUND", "Path does not exist: <path>."},
    {"SCHEMA_ALREADY_EXISTS",
     "Cannot create schema <schemaName> because it already exists.\nChoose a different "
     "name, drop the existing schema, or add the IF NOT EXISTS clause to tolerate "
     "pre-existing schema."},
    {"SCHEMA_NOT_FOUND",
     "The schema <schemaName> cannot be found. Verify the spelling and correctness of the "
     "schema and catalog.\nIf you did not qualify the name with a catalog, verify the "
     "current_schema() output, or qualify the name with the correct catalog.\nTo tolerate "
     "the error on drop use DROP SCHEMA IF EXISTS."},
    {"SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE",
     "SHOW COLUMNS with conflicting namespaces: <namespaceA> != <namespaceB>."},
    {"SQL_CONF_NOT_FOUND",
     "The SQL config <sqlConf> cannot be found. Please verify that the config exists."},
    {"TABLE_OR_VIEW_ALREADY_EXISTS",
     "Cannot create table or view <relationName> because it already exists.\nChoose a "
     "different name, drop or replace the existing object, or add the IF NOT EXISTS "
     "clause to tolerate pre-existing objects."},
    {"TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
     "Cannot create the temporary view <relationName> because it already exists.\nChoose "
     "a different name, drop or replace the existing view."},
    {"UNSUPPORTED_DATATYPE", "Unsupported data type <typeName>."},
    {"INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE",
     "Expression type must be string type but got <exprType>."},
    {"MISSING_CATALOG_ABILITY.CREATE_FUNCTION",
     "Catalog <plugin> does not support CREATE FUNCTION."},
    {"UNSUPPORTED_ARROWTYPE", "Unsupported arrow type <typeName>."},
    {"UNSUPPORTED_DATA_SOURCE_SAVE_MODE",
     "The data source \"<source>\" cannot be written in the <createMode> mode. Please use either "
     "the \"Append\" or \"Overwrite\" mode instead."},
    {"UNSUPPORTED_FEATURE.CATALOG_OPERATION",
     "The feature is not supported: Catalog <catalogName> does not support <operation>."},
    {"UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS",
     "The feature is not supported: INSERT INTO <tableName> with IF NOT EXISTS in the PARTITION "
     "spec."},
    {"UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY",
     "The feature is not supported: <property> is a reserved namespace property, <msg>."},
    {"UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
     "The feature is not supported: <property> is a reserved table property, <msg>."},
    {"UNSUPPORTED_FEATURE.TABLE_OPERATION",
     "The feature is not supported: Table <tableName> does not support <operation>. "
     "Please check the current catalog and namespace to make sure the qualified table "
     "name is expected, and also check the catalog implementation which is configured by "
     "\"spark.sql.catalog\"."},
    {"UNSUPPORTED_TYPED_LITERAL",
     "Literals of the type <unsupportedType> are not supported. Supported types are "
     "<supportedTypes>."},
    {"VARIABLE_ALREADY_EXISTS",
     "Cannot create the variable <variableName> because it already exists.\nChoose a "
     "different name, or drop or replace the existing variable."},
    {"VARIABLE_NOT_FOUND",
     "The variable <variableName> cannot be found. Verify the spelling and correctness of "
     "the schema and catalog.\nIf you did not qualify the name with a schema and catalog, "
     "verify the current_schema() output, or qualify the name with the correct schema and "
     "catalog.\nTo tolerate the error on drop use DROP VARIABLE IF EXISTS."},
    {"VIEW_ALREADY_EXISTS",
     "Cannot create view <relationName> because it already exists.\nChoose a different "
     "name, drop or replace the existing object, or add the IF NOT EXISTS clause to "
     "tolerate pre-existing objects."},
    {"VIEW_NOT_FOUND",
     "The view <relationName> cannot be found. Verify the spelling and correctness of the "
     "schema and catalog.\nIf you did not qualify the name with a schema, verify the "
     "current_schema() output, or qualify the name with the correct schema and "
     "catalog.\nTo tolerate the error on drop use DROP VIEW IF EXISTS."},
    {"UNRECOGNIZED_STATISTIC",
     "The statistic <stats> is not recognized. Valid statistics include `count`, `count_distinct`, "
     "`approx_count_distinct`, `mean`, `stddev`, `min`, `max`, and percentile values. Percentile "
     "must be a numeric value followed by '%', within the range 0% to 100%."},
    {"MISSING_WINDOW_SPECIFICATION",
     "Window specification is not defined in the WINDOW clause for <windowName>. For more "
     "information about WINDOW clauses, please refer to "
     "'<docroot>/sql-ref-syntax-qry-select-window.html'."},
    {"WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
     "The <functionName> requires <expectedNum> parameters but the actual number is <actualNum>. "
     "Please, refer to '<docroot>/sql-ref-functions.html' for a fix."},
    {"_LEGACY_ERROR_TEMP_0029", "Cannot mix year-month and day-time fields: <literal>."},
    {"_LEGACY_ERROR_TEMP_0035", "Operation not allowed: <message>."},
    {"_LEGACY_ERROR_TEMP_0064", "<msg>."},
    {"_LEGACY_ERROR_TEMP_1060", "<command> does not support nested column: <column>."},
    {"_LEGACY_ERROR_TEMP_1228",
     "Decimal scale (<scale>) cannot be greater than precision (<precision>)."},
    {"_LEGACY_ERROR_TEMP_3058", "Found duplicate column(s) <checkType>: <duplicateColumns>"},
    {"_LEGACY_ERROR_TEMP_3060", "Couldn't find column <i> in:\n<schema>"},
    {"_LEGACY_ERROR_TEMP_1000",
     "LEGACY store assignment policy is disallowed in Spark data source V2. Please set the "
     "configuration <configKey> to other values."},
    {"_LEGACY_ERROR_TEMP_2330", "Cannot change nullable column to non-nullable: <fieldName>."},
    {"_LEGACY_ERROR_TEMP_2045", "Unsupported table change: <message>"},
    {"ARITHMETIC_OVERFLOW",
     "<message>.<alternative> If necessary set <config> to \"false\" to bypass this error."},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION",
     "<rangeMessage>. If necessary set <ansiConfig> to \"false\" to bypass this error."},
    {"DIVIDE_BY_ZERO",
     "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. If "
     "necessary set <config> to \"false\" to bypass this error."},
    {"DUPLICATED_MAP_KEY",
     "Duplicate map key <key> was found, please check the input data.\nIf you want to remove the "
     "duplicated keys, you can set <mapKeyDedupPolicy> to \"LAST_WIN\" so that the key inserted at "
     "last takes precedence."},
    {"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
     " <value> cannot be represented as Decimal(<precision>, <scale>). If necessary set <config> "
     "to \"false\" to bypass this error, and return NULL instead."},
    {"REMAINDER_BY_ZERO",
     "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead. If "
     "necessary set <config> to \"false\" to bypass this error."},
};

std::string_view TextOf(const std::string& condition) {
  auto row = std::find_if(std::begin(kTexts), std::end(kTexts),
                          [&](const ConditionText& r) { return r.condition == condition; });
  if (row != std::end(kTexts)) return row->text;
  const plan::ErrorCondition* known = plan::FindErrorCondition(condition);
  return known == nullptr ? std::string_view() : known->message;
}

// The message between "[CONDITION] " and " SQLSTATE: ".
std::string_view Inner(const Error& error) {
  std::string_view text = error.message;
  const std::string head = "[" + error.condition + "] ";
  if (text.starts_with(head)) text.remove_prefix(head.size());
  return text.substr(0, text.rfind(" SQLSTATE: "));
}

struct Placeholder {
  std::string_view name;    // empty: the text has no more
  std::string_view before;  // what stands in front of it
};

Placeholder NextPlaceholder(std::string_view& text) {
  size_t open = text.find('<');
  size_t close = open == std::string_view::npos ? open : text.find('>', open);
  if (close == std::string_view::npos) return {{}, std::exchange(text, {})};
  Placeholder out{text.substr(open + 1, close - open - 1), text.substr(0, open)};
  text.remove_prefix(close + 1);
  return out;
}

}  // namespace

std::map<std::string, std::string> ParametersOf(const Error& error) {
  std::map<std::string, std::string> out;
  std::string_view text = TextOf(error.condition), message = Inner(error);
  Placeholder current = NextPlaceholder(text);
  if (!message.starts_with(current.before)) return {};
  message.remove_prefix(current.before.size());
  while (!current.name.empty()) {
    Placeholder next = NextPlaceholder(text);
    const bool last = next.name.empty() && next.before.empty();
    // Of two parameters side by side the first has it all.
    std::string_view until = next.before;
    if (!next.name.empty() && until.empty()) until = text.substr(0, text.find('<'));
    // What follows the last one is looked for from the end: a value may hold it too.
    size_t end = message.size();
    if (!last && !until.empty())
      end = next.name.empty() ? message.rfind(until) : message.find(until);
    if (end == std::string_view::npos) return {};
    out.emplace(current.name, message.substr(0, end));
    message.remove_prefix(std::min(end + next.before.size(), message.size()));
    current = next;
  }
  return out;
}

}  // namespace iceblink::server
