// Spark's errors that the session itself raises, each with condition and SQLSTATE in one place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sql/identifier.h"

namespace iceblink::engine {

// An error with a condition: the message becomes "[CONDITION] text SQLSTATE: nnnnn".
tl::unexpected<Error> FailWith(ErrorCode code, std::string exception, std::string condition,
                               std::string sql_state, std::string_view text);

// "[TABLE_OR_VIEW_NOT_FOUND] The table or view `a`.`b` cannot be found. ..." `place` (" line 1 pos
// 9;") follows the SQLSTATE where Spark knows it; `exception` is ExtendedAnalysisException then,
// NoSuchTableException otherwise.
Error TableNotFound(const sql::Name& name, std::string_view exception = "AnalysisException",
                    std::string_view place = {});
Error TableAlreadyExists(const sql::Name& name);
Error SchemaNotFound(const sql::Name& quoted);
Error SchemaAlreadyExists(const sql::Name& name);
Error TemporaryViewExists(const std::string& name);

// Statements and clauses that are understood but not run: UNSUPPORTED_FEATURE.CATALOG_OPERATION.
Error UnsupportedStatement(std::string_view catalog, std::string_view what);
// The rest of what is not built, which no condition of Spark's names.
Error UnsupportedFeature(std::string_view what);
Error NotSupportedForV2(std::string_view command);

// INVALID_PARTITION_OPERATION: Hive's partition commands. `place` follows the SQLSTATE.
Error NoPartitionManagement(std::string_view quoted_table, std::string_view place);

// ValidationException of Iceberg.
tl::unexpected<Error> Validation(std::string message);

}  // namespace iceblink::engine
