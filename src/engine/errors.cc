#include "engine/errors.h"

#include <utility>

namespace iceblink::engine {
namespace {

Error Conditioned(ErrorCode code, std::string exception, std::string condition,
                  std::string sql_state, std::string_view text, std::string_view place = {}) {
  std::string message =
      "[" + condition + "] " + std::string(text) + " SQLSTATE: " + sql_state + std::string(place);
  Error error = Error::Make(code, std::move(message), std::move(exception));
  error.condition = std::move(condition);
  error.sql_state = std::move(sql_state);
  return error;
}

}  // namespace

tl::unexpected<Error> FailWith(ErrorCode code, std::string exception, std::string condition,
                               std::string sql_state, std::string_view text) {
  return Fail(
      Conditioned(code, std::move(exception), std::move(condition), std::move(sql_state), text));
}

Error TableNotFound(const sql::Name& name, std::string_view exception, std::string_view place) {
  return Conditioned(
      ErrorCode::kNotFound, std::string(exception), "TABLE_OR_VIEW_NOT_FOUND", "42P01",
      "The table or view " + sql::QuoteName(name) +
          " cannot be found. Verify the spelling and correctness of the schema and catalog.\n"
          "If you did not qualify the name with a schema, verify the current_schema() output, or "
          "qualify the "
          "name with the correct schema and catalog.\n"
          "To tolerate the error on drop use DROP VIEW IF EXISTS or DROP TABLE IF EXISTS.",
      place);
}

Error TableAlreadyExists(const sql::Name& name) {
  return Conditioned(ErrorCode::kAlreadyExists, "TableAlreadyExistsException",
                     "TABLE_OR_VIEW_ALREADY_EXISTS", "42P07",
                     "Cannot create table or view " + sql::QuoteName(name) +
                         " because it already exists.\nChoose a different name, drop or replace "
                         "the existing object, or add "
                         "the IF NOT EXISTS clause to tolerate pre-existing objects.");
}

Error SchemaNotFound(const sql::Name& name) {
  return Conditioned(
      ErrorCode::kNotFound, "NoSuchNamespaceException", "SCHEMA_NOT_FOUND", "42704",
      "The schema " + sql::QuoteName(name) +
          " cannot be found. Verify the spelling and correctness of the schema and catalog.\n"
          "If you did not qualify the name with a catalog, verify the current_schema() output, or "
          "qualify the "
          "name with the correct catalog.\nTo tolerate the error on drop use DROP SCHEMA IF "
          "EXISTS.");
}

Error SchemaAlreadyExists(const sql::Name& name) {
  return Conditioned(ErrorCode::kAlreadyExists, "NamespaceAlreadyExistsException",
                     "SCHEMA_ALREADY_EXISTS", "42P06",
                     "Cannot create schema " + sql::QuoteName(name) +
                         " because it already exists.\nChoose a different name, drop the existing "
                         "schema, or add the IF NOT "
                         "EXISTS clause to tolerate pre-existing schema.");
}

Error TemporaryViewExists(const std::string& name) {
  return Conditioned(ErrorCode::kAlreadyExists, "TempTableAlreadyExistsException",
                     "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", "42P07",
                     "Cannot create the temporary view " + sql::QuoteIdentifier(name) +
                         " because it already exists.\nChoose a different name, drop or replace "
                         "the existing view.");
}

Error UnsupportedFeature(std::string_view what) {
  return Error::Make(ErrorCode::kUnsupported, "Not supported: " + std::string(what),
                     "UnsupportedOperationException");
}

Error UnsupportedStatement(std::string_view catalog, std::string_view what) {
  return Conditioned(ErrorCode::kUnsupported, "AnalysisException",
                     "UNSUPPORTED_FEATURE.CATALOG_OPERATION", "0A000",
                     "The feature is not supported: Catalog " + sql::QuoteIdentifier(catalog) +
                         " does not support " + std::string(what) + ".");
}

Error NotSupportedForV2(std::string_view command) {
  return Conditioned(ErrorCode::kUnsupported, "AnalysisException",
                     "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "0A000",
                     std::string(command) + " is not supported for v2 tables.");
}

Error NoPartitionManagement(std::string_view quoted_table, std::string_view place) {
  return Conditioned(ErrorCode::kUnsupported, "ExtendedAnalysisException",
                     "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", "42601",
                     "The partition command is invalid. Table " + std::string(quoted_table) +
                         " does not support partition management.",
                     place);
}

tl::unexpected<Error> Validation(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message), "ValidationException");
}

}  // namespace iceblink::engine
