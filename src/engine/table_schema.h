// Column definitions and query columns as Iceberg schemas; PARTITIONED BY as a partition spec.
#pragma once

#include <vector>

#include "base/result.h"
#include "plan/logical_plan.h"
#include "spec/partition_spec.h"
#include "spec/schema.h"
#include "sql/ast.h"

namespace iceblink::engine {

// The schema of column definitions, with provisional ids from 0 in the order Iceberg assigns.
// Errors: COLUMN_ALREADY_EXISTS; defaults and generated columns are UNSUPPORTED_FEATURE.
Result<spec::Schema> SchemaOfColumns(const std::vector<sql::ColumnDefinition>& columns,
                                     const std::string& table_name);

// The schema of a query's output, every column optional.
Result<spec::Schema> SchemaOfQuery(const std::vector<plan::Column>& columns);

// The spec of PARTITIONED BY and CLUSTERED BY over the schema. Hive-style columns must be in the
// schema already.
Result<spec::PartitionSpec> SpecOfPartitioning(const sql::CreateTable& statement,
                                               const spec::Schema& schema);

// Hive-style columns among PARTITIONED BY.
std::vector<sql::ColumnDefinition> PartitionColumns(const sql::CreateTable& statement);

}  // namespace iceblink::engine
