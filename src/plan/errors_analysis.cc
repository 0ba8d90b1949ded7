// Conditions that analysis raises. Columns: condition, SQLSTATE, code, exception, extended,
// message.
#include "plan/errors.h"

namespace iceblink::plan {
namespace {

constexpr auto kA = ErrorCode::kAnalysis;
constexpr std::string_view kPlain = "AnalysisException";
constexpr std::string_view kExtended = "ExtendedAnalysisException";

constexpr ErrorCondition kRows[] = {
    {"AMBIGUOUS_REFERENCE", "42704", kA, kPlain, false,
     "Reference <name> is ambiguous, could be: <referenceNames>."},
    {"AMBIGUOUS_REFERENCE_TO_FIELDS", "42000", kA, kPlain, false,
     "Ambiguous reference to the field <field>. It appears <count> times in the schema."},
    {"ASSIGNMENT_ARITY_MISMATCH", "42802", kA, kPlain, false,
     "The number of columns or variables assigned or aliased: <numTarget> does not match the "
     "number of source "
     "expressions: <numExpr>."},
    {"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", "42825", kA, "SparkException", false,
     "Failed to merge incompatible data types <left> and <right>. Please check the data types of "
     "the columns being merged and ensure that they are compatible. If necessary, consider casting "
     "the columns to compatible data types before attempting the merge."},
    {"CANNOT_PARSE_INTERVAL", "22006", kA, kPlain, false,
     "Unable to parse <intervalString>. Please ensure that the value provided is in a valid format "
     "for defining an interval. You can reference the documentation for the correct format. If the "
     "issue persists, please double check that the input value is not null or empty and try "
     "again."},
    {"CANNOT_RESOLVE_STAR_EXPAND", "42704", kA, kPlain, false,
     "Cannot resolve <targetString>.* given input columns <columns>. Please check that the "
     "specified table or struct "
     "exists and is accessible in the input columns."},
    {"COLUMN_ALREADY_EXISTS", "42711", kA, kPlain, false,
     "The column <columnName> already exists. Choose another name or rename the existing column."},
    {"COLUMN_ALIASES_NOT_ALLOWED", "42601", ErrorCode::kSyntax, "ParseException", false,
     "Column aliases are not allowed in <op>."},
    {"CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01", kA, kExtended, true,
     "Cannot create view <viewName>, the reason is not enough data columns:\nView columns: "
     "<viewColumns>.\n"
     "Data columns: <dataColumns>."},
    {"CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", "21S01", kA, kExtended, true,
     "Cannot create view <viewName>, the reason is too many data columns:\nView columns: "
     "<viewColumns>.\n"
     "Data columns: <dataColumns>."},
    {"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: the left and right operands of the "
     "binary operator have "
     "incompatible types (<left> and <right>)."},
    {"DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: the binary operator requires the input "
     "type <inputType>, not "
     "<actualDataType>."},
    {"DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to <targetType>."},
    {"DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to "
     "<targetType>.\nTo convert values from "
     "<srcType> to <targetType>, you can use the functions <functionNames> instead."},
    {"DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to <targetType> "
     "with ANSI mode on.\nIf "
     "you have to cast <srcType> to <targetType>, you can set <config> as <configVal>."},
    {"DATATYPE_MISMATCH.DATA_DIFF_TYPES", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to <functionName> should all be "
     "the same type, but it's "
     "<dataType>."},
    {"DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: Filter expression <filter> of type "
     "<type> is not a boolean."},
    {"DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: The <functionName> does not support "
     "ordering on type "
     "<dataType>."},
    {"DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS", "42K09", kA, kPlain, false,
     "Cannot resolve <sqlExpr> due to data type mismatch: <errors>"},
    {"DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: The number of columns in the left hand "
     "side of an IN subquery "
     "does not match the number of columns in the output of subquery. Left hand side "
     "columns(length: <leftLength>): "
     "[<leftColumns>], right hand side columns(length: <rightLength>): [<rightColumns>]."},
    {"DATATYPE_MISMATCH.NULL_TYPE", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: Null typed values cannot be used as "
     "arguments of "
     "<functionName>."},
    {"DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: the input <inputName> should be a "
     "foldable <inputType> "
     "expression; however, got <inputExpr>."},
    {"DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: Cannot drop all fields in struct."},
    {"DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: The <leftExprName>(<leftExprValue>) must "
     "be <constraint> the <rightExprName>(<rightExprValue>)."},
    {"DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: The <paramIndex> parameter requires the "
     "<requiredType> type, "
     "however <inputSql> has the type <inputType>."},
    {"DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "42K09", kA, kExtended, true,
     "Cannot resolve <sqlExpr> due to data type mismatch: The <exprName> must be between "
     "<valueRange> (current value = <currentValue>)."},
    {"DEFAULT_PLACEMENT_INVALID", "42608", kA, kPlain, false,
     "A DEFAULT keyword in a MERGE, INSERT, UPDATE, or SET VARIABLE command could not be directly "
     "assigned to a target "
     "column because it was part of an expression.\nFor example: `UPDATE SET c1 = DEFAULT` is "
     "allowed, but `UPDATE T SET "
     "c1 = DEFAULT + 1` is not allowed."},
    {"DUPLICATED_CTE_NAMES", "42602", ErrorCode::kSyntax, "ParseException", false,
     "CTE definition can't have duplicate names: <duplicateNames>."},
    {"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE", "4274K", kA, kPlain,
     false,
     "Call to routine <routineName> is invalid because it includes multiple argument assignments "
     "to the same parameter "
     "name <parameterName>. More than one named argument referred to the same parameter. Please "
     "assign a value only "
     "once."},
    {"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED", "4274K", kA, kPlain, false,
     "Call to routine <routineName> is invalid because it includes multiple argument assignments "
     "to the same parameter "
     "name <parameterName>. A positional argument and named argument both referred to the same "
     "parameter. Please remove "
     "the named argument referring to this parameter."},
    {"FAILED_TO_LOAD_ROUTINE", "38000", kA, kPlain, false, "Failed to load routine <routineName>."},
    {"FIELD_NOT_FOUND", "42704", kA, kPlain, false,
     "No such struct field <fieldName> in <fields>."},
    {"GROUPING_COLUMN_MISMATCH", "42803", kA, kPlain, false,
     "Column of grouping (<grouping>) can't be found in grouping columns <groupingColumns>."},
    {"GROUPING_ID_COLUMN_MISMATCH", "42803", kA, kPlain, false,
     "Columns of grouping_id (<groupingIdColumn>) does not match grouping columns "
     "(<groupByColumns>)."},
    {"GROUP_BY_AGGREGATE", "42903", kA, kPlain, false,
     "Aggregate functions are not allowed in GROUP BY, but found <sqlExpr>."},
    {"GROUP_BY_POS_AGGREGATE", "42903", kA, kPlain, false,
     "GROUP BY <index> refers to an expression <aggExpr> that contains an aggregate function. "
     "Aggregate functions are not "
     "allowed in GROUP BY."},
    {"GROUP_BY_POS_OUT_OF_RANGE", "42805", kA, kPlain, false,
     "GROUP BY position <index> is not in select list (valid range is [1, <size>])."},
    {"GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "42822", kA, kExtended, true,
     "The expression <sqlExpr> cannot be used as a grouping expression because its data type "
     "<dataType> is not an "
     "orderable data type."},
    {"INCOMPARABLE_PIVOT_COLUMN", "42818", kA, kPlain, false,
     "Invalid pivot column <columnName>. Pivot columns must be comparable."},
    {"INCOMPATIBLE_COLUMN_TYPE", "42825", kA, kExtended, true,
     "<operator> can only be performed on tables with compatible column types. The "
     "<columnOrdinalNumber> column of the "
     "<tableOrdinalNumber> table is <dataType1> type which is not compatible with <dataType2> at "
     "the same column of the "
     "first table.<hint>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Cannot find data for the output "
     "column <colName>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Cannot safely cast <colName> "
     "<srcType> to <targetType>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Cannot write extra columns "
     "<extraColumns>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Cannot write extra fields "
     "<extraFields> to the struct "
     "<colName>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.STRUCT_MISSING_FIELDS", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Struct <colName> missing fields: "
     "<missingFields>."},
    {"INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN", "KD000", kA, kPlain, false,
     "Cannot write incompatible data for the table <tableName>: Cannot write nullable values to "
     "non-null column <colName>."},
    {"INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01", kA, kPlain, false,
     "Cannot write to <tableName>, the reason is not enough data columns:\nTable columns: "
     "<tableColumns>.\nData columns: "
     "<dataColumns>."},
    {"INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", "21S01", kA, kPlain, false,
     "Cannot write to <tableName>, the reason is too many data columns:\nTable columns: "
     "<tableColumns>.\nData columns: "
     "<dataColumns>."},
    {"INSERT_PARTITION_COLUMN_ARITY_MISMATCH", "21S01", kA, kPlain, false,
     "Cannot write to '<tableName>', <reason>:\nTable columns: <tableColumns>.\nPartition columns "
     "with static values: "
     "<staticPartCols>.\nData columns: <dataColumns>."},
    {"INVALID_EXTRACT_BASE_FIELD_TYPE", "42000", kA, kPlain, false,
     "Can't extract a value from <base>. Need a complex type [STRUCT, ARRAY, MAP] but got "
     "<other>."},
    {"INVALID_EXTRACT_FIELD", "42601", kA, kPlain, false, "Cannot extract <field> from <expr>."},
    {"INVALID_EXTRACT_FIELD_TYPE", "42000", kA, kPlain, false,
     "Field name should be a non-null string literal, but it's <extraction>."},
    {"INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", "42000", kA, kPlain, false,
     "Invalid inline table. Cannot evaluate the expression <expr> in inline table definition."},
    {"INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", "42000", kA, kPlain, false,
     "Invalid inline table. Found incompatible types in the column <colName> for inline table."},
    {"INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "42000", ErrorCode::kSyntax, "ParseException",
     false,
     "Invalid inline table. Inline table expected <expectedNumCols> columns but found "
     "<actualNumCols> columns in row "
     "<rowIndex>."},
    {"INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "42K0D", kA, kPlain, false,
     "Invalid lambda function call. A higher order function expects <expectedNumArgs> arguments, "
     "but got <actualNumArgs>."},
    {"INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "42K0E", kA, kExtended, true,
     "The limit like expression <expr> is invalid. The <name> expression must be integer type, but "
     "got <dataType>."},
    {"INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "42K0E", kA, kExtended, true,
     "The limit like expression <expr> is invalid. The <name> expression must be equal to or "
     "greater than 0, but got <v>."},
    {"INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", "42K0E", kA, kExtended, true,
     "The limit like expression <expr> is invalid. The evaluated <name> expression must not be "
     "null."},
    {"INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "42K0E", kA, kExtended, true,
     "The limit like expression <expr> is invalid. The <name> expression must evaluate to a "
     "constant value."},
    {"INVALID_NON_DETERMINISTIC_EXPRESSIONS", "42K0E", kA, kExtended, true,
     "The operator expects a deterministic expression, but the actual expression is <sqlExprs>."},
    {"INVALID_RECURSIVE_CTE", "42836", kA, kPlain, false,
     "Invalid recursive definition found. Recursive queries must contain an UNION or an UNION ALL "
     "statement with 2 children. The first child needs to be the anchor term without any recursive "
     "references. Any top level inner CTE must not contain self references."},
    {"INVALID_RECURSIVE_REFERENCE.PLACE", "42836", kA, kExtended, true,
     "Invalid recursive reference found inside WITH RECURSIVE clause. Recursive references cannot "
     "be used on the right side of left outer/semi/anti joins, on the left side of right outer "
     "joins, in full outer joins, in aggregates, window functions or sorts"},
    {"INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "42823", kA,
     kExtended, true,
     "Invalid subquery: Scalar subquery must return only one column, but got <number>."},
    {"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "42K0E", kA, kPlain, false,
     "The time travel timestamp expression <expr> is invalid. Cannot be casted to the "
     "\"TIMESTAMP\" type."},
    {"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC", "42K0E", kA, kPlain, false,
     "The time travel timestamp expression <expr> is invalid. Must be deterministic."},
    {"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.UNEVALUABLE", "42K0E", kA, kPlain, false,
     "The time travel timestamp expression <expr> is invalid. Must be evaluable."},
    {"INVALID_USAGE_OF_STAR_OR_REGEX", "42000", kA, kPlain, false,
     "Invalid usage of <elem> in <prettyName>."},
    {"INVALID_WHERE_CONDITION", "42903", kA, kExtended, true,
     "The WHERE condition <condition> contains invalid expressions: <expressionList>.\nRewrite the "
     "query to avoid window "
     "functions, aggregate functions, and generator functions in the WHERE clause."},
    {"MISSING_AGGREGATION", "42803", kA, kExtended, true,
     "The non-aggregating expression <expression> is based on columns which are not participating "
     "in the GROUP BY clause.\n"
     "Add the columns or the expression to the GROUP BY, aggregate the expression, or use "
     "<expressionAnyValue> if you do "
     "not care which of the values within a group is returned."},
    {"MISSING_GROUP_BY", "42803", kA, kExtended, true,
     "The query does not include a GROUP BY clause. Add GROUP BY or turn it into the window "
     "functions using OVER clauses."},
    {"MISSING_WINDOW_SPECIFICATION", "42P20", kA, kPlain, false,
     "Window specification is not defined in the WINDOW clause for <windowName>."},
    {"NESTED_AGGREGATE_FUNCTION", "42607", kA, kExtended, true,
     "It is not allowed to use an aggregate function in the argument of another aggregate "
     "function. Please use the inner "
     "aggregate function in a sub-query."},
    {"NON_PARTITION_COLUMN", "42000", kA, kPlain, false,
     "PARTITION clause cannot contain the non-partition column: <columnName>."},
    {"NUM_COLUMNS_MISMATCH", "42826", kA, kExtended, true,
     "<operator> can only be performed on inputs with the same number of columns, but the first "
     "input has "
     "<firstNumColumns> columns and the <invalidOrdinalNum> input has <invalidNumColumns> "
     "columns."},
    {"ORDER_BY_POS_OUT_OF_RANGE", "42805", kA, kPlain, false,
     "ORDER BY position <index> is not in select list (valid range is [1, <size>])."},
    {"REQUIRED_PARAMETER_NOT_FOUND", "4274K", kA, kPlain, false,
     "Cannot invoke routine <routineName> because the parameter named <parameterName> is required, "
     "but the routine call "
     "did not supply a value. Please update the routine call to supply an argument value (either "
     "positionally at index "
     "<index> or by name) and retry the query again."},
    {"TABLE_OR_VIEW_NOT_FOUND", "42P01", ErrorCode::kNotFound, kExtended, true,
     "The table or view <relationName> cannot be found. Verify the spelling and correctness of the "
     "schema and catalog.\n"
     "If you did not qualify the name with a schema, verify the current_schema() output, or "
     "qualify the name with the "
     "correct schema and catalog.\nTo tolerate the error on drop use DROP VIEW IF EXISTS or DROP "
     "TABLE IF EXISTS."},
    {"UNBOUND_SQL_PARAMETER", "42P02", kA, kExtended, true,
     "Found the unbound parameter: <name>. Please, fix `args` and provide a mapping of the "
     "parameter to either a SQL "
     "literal or collection constructor functions such as `map()`, `array()`, `struct()`."},
    {"UNEXPECTED_POSITIONAL_ARGUMENT", "4274K", kA, kPlain, false,
     "Cannot invoke routine <routineName> because it contains positional argument(s) following the "
     "named argument "
     "assigned to <parameterName>; please rearrange them so the positional arguments come first "
     "and then retry the query "
     "again."},
    {"UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE", "42836", kA, kPlain, false,
     "The UNION operator is not yet supported within recursive common table expressions (WITH "
     "clauses that refer to themselves, directly or indirectly). Please use UNION ALL instead."},
    {"UNRECOGNIZED_PARAMETER_NAME", "4274K", kA, kPlain, false,
     "Cannot invoke routine <routineName> because the routine call included a named argument "
     "reference for the argument "
     "named <argumentName>, but this routine does not include any signature containing an argument "
     "with this name. Did "
     "you mean one of the following? [<proposal>]."},
    {"UNRESOLVABLE_TABLE_VALUED_FUNCTION", "42883", kA, kPlain, false,
     "Could not resolve <name> to a table-valued function.\nPlease make sure that <name> is "
     "defined as a table-valued "
     "function and that all required parameters are provided correctly.\nIf <name> is not defined, "
     "please create the "
     "table-valued function before using it.\nFor more information about defining table-valued "
     "functions, please refer "
     "to the Apache Spark documentation."},
    {"UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "42703", kA, kExtended, true,
     "A column, variable, or function parameter with name <objectName> cannot be resolved. "},
    {"UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", kA, kExtended, true,
     "A column, variable, or function parameter with name <objectName> cannot be resolved. Did you "
     "mean one of the "
     "following? [<proposal>]."},
    {"UNRESOLVED_ROUTINE", "42883", kA, kPlain, false,
     "Cannot resolve routine <routineName> on search path <searchPath>."},
    {"UNRESOLVED_USING_COLUMN_FOR_JOIN", "42703", kA, kPlain, false,
     "USING column <colName> cannot be resolved on the <side> side of the join. The <side>-side "
     "columns: [<suggestion>]."},
    {"UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E", kA, kExtended, true,
     "A query operator contains one or more unsupported expressions.\nConsider to rewrite it to "
     "avoid window functions, "
     "aggregate functions, and generator functions in the WHERE clause.\nInvalid expressions: "
     "[<invalidExprSqls>]"},
    {"UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE", "0A000", kA, kExtended, true,
     "The feature is not supported: Cannot have VARIANT type columns in DataFrame which calls set "
     "operations (INTERSECT, "
     "EXCEPT, etc.), but the type of column <colName> is <dataType>."},
    {"UNSUPPORTED_GENERATOR.MULTI_GENERATOR", "42K0E", kA, kPlain, false,
     "The generator is not supported: only one generator allowed per SELECT clause but found "
     "<num>: <generators>."},
    {"UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "42K0E", kA, kPlain, false,
     "The generator is not supported: nested in expressions <expression>."},
    {"UNSUPPORTED_INSERT.RDD_BASED", "42809", kA, kPlain, false,
     "Can't insert into the target. An RDD-based table is not allowed."},
    {"UNSUPPORTED_TIME_TYPE", "0A000", kA, kPlain, false, "The data type TIME is not supported."},
    {"VIEW_EXCEED_MAX_NESTED_DEPTH", "54K00", kA, kPlain, false,
     "The depth of view <viewName> exceeds the maximum view resolution depth "
     "(<maxNestedDepth>).\nAnalysis is aborted to avoid "
     "errors. If you want to work around this, please try to increase the value of "
     "\"spark.sql.view.maxNestedViewDepth\"."},
    {"WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "42601", kA, kExtended, true,
     "Window function <funcName> requires an OVER clause."},
    {"WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", kA, kPlain, false,
     "The <functionName> requires <expectedNum> parameters but the actual number is <actualNum>. "
     "Please, refer to "
     "'https://spark.apache.org/docs/latest/sql-ref-functions.html' for a fix."},
    {"_LEGACY_ERROR_TEMP_1000", "", kA, kPlain, false,
     "LEGACY store assignment policy is disallowed in Spark data source V2. Please set the "
     "configuration "
     "spark.sql.storeAssignmentPolicy to other values."},
    {"_LEGACY_ERROR_TEMP_1039", "", kA, kPlain, false,
     "Multiple time/session window expressions would result in a cartesian product of rows, "
     "therefore they are currently not supported."},
    {"_LEGACY_ERROR_TEMP_1207", "", kA, kPlain, false,
     "The duration and time inputs to window must be an integer, long or string literal."},
    {"_LEGACY_ERROR_TEMP_3231", "", kA, "SparkIllegalArgumentException", false,
     "Intervals greater than a month is not supported (<interval>)."},
    {"_LEGACY_ERROR_TEMP_1045", "", kA, kPlain, false,
     "ALTER TABLE SET LOCATION does not support partition for v2 tables."},
    {"INVALID_TIME_TRAVEL_SPEC", "42K0E", kA, kPlain, false,
     "Cannot specify both version and timestamp when time travelling the table."},
    {"INCOMPATIBLE_COLUMN_CHANGES_AFTER_VIEW_WITH_PLAN_CREATION", "51024", kA, kPlain, false,
     "View <viewName> plan references table <tableName> whose <colType> columns changed since the "
     "view plan was initially captured.\nColumn changes:\n<errors>\nThis indicates the table has "
     "evolved and the view based on the plan must be recreated."},
    {"_LEGACY_ERROR_TEMP_1198", "", kA, kPlain, false,
     "Function '<unbound>' cannot process input: (<arguments>): <unsupported>."},
};

}  // namespace

std::span<const ErrorCondition> AnalysisConditions() { return kRows; }

}  // namespace iceblink::plan
