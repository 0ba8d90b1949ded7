// Writing the rows of a DuckDB query as files of a table: shared by INSERT and the row-level
// statements. Exec-internal.
#pragma once

#include <string>
#include <vector>

#include "exec/duckdb_session.h"
#include "exec/executor.h"

namespace iceblink::exec {

// The rows of `source` as the columns c0, c1 ... of the write's schema in file types, in the
// write's sort order. `columns` are the texts of the schema's fields over the source.
std::string WriteRowsSql(const std::string& source, const std::vector<std::string>& columns,
                         const WriteSpec& write);

// The write with the row lineage columns behind the schema's (format version 3).
WriteSpec WithLineage(const WriteSpec& write);

// " ORDER BY ..." by partition and sort order, empty when rows are written as they come.
std::string WriteOrderSql(const WriteSpec& write);

// Runs a query made by WriteRowsSql and writes its rows as files of writing task `task`; adds to
// `rows`. On an error nothing stays behind.
Result<std::vector<spec::DataFile>> WriteQuery(DuckDbSession& session, const std::string& sql,
                                               const WriteSpec& write, int32_t task,
                                               const StatementContext& context, int64_t* rows);

// Deletes what a statement wrote before it failed.
void DeleteWritten(DuckDbSession& session, const std::vector<spec::DataFile>& files);

}  // namespace iceblink::exec
