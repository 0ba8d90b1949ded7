// Column changes of ALTER TABLE: Spark's checks of the analyzer first, then Iceberg's schema update
// in one commit.
#pragma once

#include "engine/statement_scope.h"
#include "sql/ast.h"

namespace iceblink::engine {

Status Alter(StatementScope& scope, const TableHandle& table, const sql::AddColumns& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::ReplaceColumns& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::RenameColumn& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::DropColumns& change);
Status Alter(StatementScope& scope, const TableHandle& table, const sql::AlterColumns& change);

}  // namespace iceblink::engine
